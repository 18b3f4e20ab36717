"""Measures by hand, against trec_eval, and their files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.errors import DataError, UsageError
from hengfa.base.statistics.evidence import evidence_of
from hengfa.base.statistics.intervals import estimate, sampled
from hengfa.law.retrieval.evaluating import (
    Gain,
    evaluate,
    figures_of,
    gains_of,
    read_qrels,
    read_run,
    write_qrels,
    write_run,
)
from hengfa.law.retrieval.measures import STANDARD, Measure, Values, measure, parse_measure

RUN = {"q": [("a", 3.0), ("b", 2.0), ("c", 2.0), ("d", 1.0)], "extra": [("a", 1.0)]}
QRELS = {"q": {"b": 1, "d": 3, "e": 1, "c": 0}, "silent": {"a": 1}}

DOCUMENTS = [str(number) for number in range(1, 13)]
runs = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(
        st.sampled_from(DOCUMENTS), st.sampled_from([0.0, 0.25, 0.5, 1.5, -1.0, 3.0]), min_size=1
    ),
    min_size=1,
)
judgments = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "q4"]),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 3), min_size=1),
    min_size=1,
)


def test_measures_by_hand() -> None:
    # c comes before b: equal scores, later id first; so relevant are ranks 3 (b) and 4 (d)
    values = measure(RUN, QRELS, [parse_measure(one) for one in ("MRR@100", "P@3", "R@4", "R@2")])
    assert {name: one.tolist() for name, one in values.items()} == {
        "MRR@100": [pytest.approx(1 / 3), 0],
        "P@3": [pytest.approx(1 / 3), 0],
        "R@4": [pytest.approx(2 / 3), 0],
        "R@2": [0, 0],
    }
    gained = 1 / math.log2(4) + 3 / math.log2(5)
    ideal = 3 + 1 / math.log2(3) + 1 / 2
    assert measure(RUN, QRELS, [Measure("nDCG", 10)])["nDCG@10"][0] == pytest.approx(gained / ideal)


def test_ids_are_compared_as_text_and_scores_in_single_precision() -> None:
    run = {"q": [("10", 1.0), ("9", 1.0 + 1e-12)]}
    assert measure(run, {"q": {"9": 1}}, [Measure("MRR", 100)])["MRR@100"][0] == 1
    run = {"q": [("10", 1.0 + 1e-12), ("9", 1.0)]}
    assert measure(run, {"q": {"9": 1}}, [Measure("MRR", 100)])["MRR@100"][0] == 1


def test_an_empty_run_scores_nothing() -> None:
    assert measure({}, QRELS, STANDARD)["R@10"].tolist() == [0, 0]


@pytest.mark.parametrize("text", ["MRR", "P@0", "map", "nDCG@1000000000", ""])
def test_unknown_measures_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no measure"):
        parse_measure(text)


@settings(deadline=None)
@given(runs, judgments)
def test_measures_equal_trec_eval(
    run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]]
) -> None:
    trec = pytest.importorskip("pytrec_eval")
    names = {
        "recip_rank": "MRR@100",
        "P_5": "P@5",
        "recall_5": "R@5",
        "recall_10": "R@10",
        "ndcg_cut_5": "nDCG@5",
        "ndcg_cut_10": "nDCG@10",
    }
    evaluator = trec.RelevanceEvaluator(
        qrels, {"recip_rank", "P.5", "recall.5,10", "ndcg_cut.5,10"}
    )
    wanted = evaluator.evaluate(run)
    ours = measure(
        {query: list(found.items()) for query, found in run.items()},
        qrels,
        [parse_measure(one) for one in names.values()],
    )
    for place, query in enumerate(qrels):
        for theirs, mine in names.items():
            there = wanted.get(query, {}).get(theirs, 0.0)
            assert ours[mine][place] == pytest.approx(there, abs=1e-9), (query, mine)


def test_measures_equal_ir_measures() -> None:
    tools = pytest.importorskip("ir_measures")
    dice = np.random.default_rng(1)
    qrels = {
        f"q{query}": {f"d{d}": int(dice.integers(0, 3)) for d in dice.integers(0, 40, 6)}
        for query in range(20)
    }
    run = {query: {f"d{d}": float(dice.random()) for d in range(0, 40, 2)} for query in qrels}
    named = {
        "MRR@10": tools.RR @ 10,
        "nDCG@10": tools.nDCG @ 10,
        "P@5": tools.P @ 5,
        "R@10": tools.R @ 10,
    }
    wanted = tools.calc_aggregate(list(named.values()), qrels, run)
    found = {query: list(scores.items()) for query, scores in run.items()}
    ours = measure(found, qrels, [parse_measure(one) for one in named])
    for name, theirs in named.items():
        assert ours[name].mean() == pytest.approx(wanted[theirs], abs=1e-9)


@settings(deadline=None, max_examples=50)
@given(runs)
def test_runs_come_back_from_their_file_and_rank_alike(
    tmp_path_factory: pytest.TempPathFactory, run: dict[str, dict[str, float]]
) -> None:
    file = tmp_path_factory.mktemp("runs") / "r"
    listed = {query: list(found.items()) for query, found in run.items()}
    write_run(file, listed, "my run")
    back = read_run(file)
    assert {q: dict(found) for q, found in back.items()} == run
    for found in back.values():
        assert found == sorted(found, key=lambda one: (one[1], one[0]), reverse=True)


def test_single_precision_scores_survive_the_file(tmp_path: Path) -> None:
    score = float(np.float32(0.1) + np.float32(1e-7))
    write_run(tmp_path / "r", {"q": [("d", score)]}, "x")
    assert np.float32(read_run(tmp_path / "r")["q"][0][1]) == np.float32(score)


def test_judgments_may_be_apart_by_blanks_or_tabs(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("\ufeffq1 0 d1 1\n\nq1\t0\td2\t0\r\n")
    assert read_qrels(tmp_path / "q") == {"q1": {"d1": 1, "d2": 0}}
    write_qrels(tmp_path / "again", {"q1": {"d1": 1}})
    assert read_qrels(tmp_path / "again") == {"q1": {"d1": 1}}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("q 0 d 1\nq 0 d\n", "row 2: 3 columns"),
        ("q 0 d yes\n", "row 1, field 'relevance': 'yes'"),
        ("q 0 d 1\nq 0 d 0\n", "row 2: q d was judged before"),
        ("\n", "no judgments"),
    ],
)
def test_broken_judgments_name_file_and_line(tmp_path: Path, content: str, problem: str) -> None:
    file = tmp_path / "qrels"
    file.write_text(content)
    with pytest.raises(DataError) as error:
        read_qrels(file)
    assert str(file) in str(error.value)
    assert problem in str(error.value)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"q Q0 d 1 2\n", "5 columns"),
        (b"q Q0 d 1 nan x\n", "field 'score'"),
        (b"q Q0 d 1 1 x\nq Q0 d 2 1 x\n", "row 2"),
        (b"\xff\xfe\n", "not UTF-8"),
        (b"", "nothing was found"),
    ],
)
def test_broken_runs_name_file_and_line(tmp_path: Path, content: bytes, problem: str) -> None:
    file = tmp_path / "run"
    file.write_bytes(content)
    with pytest.raises(DataError, match=problem):
        read_run(file)


def test_ids_with_blanks_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="blank"):
        write_run(tmp_path / "r", {"a b": [("d", 1.0)]}, "x")


def test_intervals_hold_the_mean_and_are_the_same_each_time() -> None:
    values = np.array([0.0, 1.0] * 100)
    figure = figures_of({"P@1": values})["P@1"]
    assert figure == figures_of({"P@1": values})["P@1"]
    assert (figure.value, figure.queries) == (0.5, 200)
    # the standard error is 0.0354, so 1.96 of them on either side
    assert figure.low == pytest.approx(0.43, abs=0.015)
    assert figure.high == pytest.approx(0.57, abs=0.015)
    with pytest.raises(UsageError):
        figures_of({"P@1": np.array([])})


def test_intervals_are_those_of_all_scores_and_claim_no_certainty() -> None:
    """Percentiles of resamples would say [1, 1] of five queries that are all answered."""
    sure = figures_of({"P@1": np.ones(5)})["P@1"]
    assert (sure.value, sure.high) == (1, 1)
    assert sure.low == pytest.approx(0.025 ** (1 / 5))
    values = np.random.default_rng(5).random(30)
    ours = figures_of({"R@10": values})["R@10"]
    queries = [str(number) for number in range(30)]
    theirs = estimate(sampled([evidence_of(queries, values)], "R@10")[0])
    assert (ours.low, ours.high) == (theirs.low, theirs.high)
    assert ours.value == values.mean()


def gain(one: Values, other: Values) -> Gain:
    return gains_of({"R@10": one}, {"R@10": other})["R@10"]


def test_a_constant_gain_is_no_accident_and_noise_is() -> None:
    one, dice = np.linspace(0, 0.5, 50), np.random.default_rng(3)
    sure = gain(one + 0.1, one)
    assert (sure.better, sure.worse) == (50, 0)
    assert sure.value == pytest.approx(0.1)
    assert sure.p < 0.001
    noise = dice.permutation(one)
    assert gain(noise, one).p > 0.05
    assert gain(one, one).p == 1
    with pytest.raises(UsageError):
        gain(one, one[:3])


def test_evaluation_compares_with_the_first_and_counts_the_unanswered() -> None:
    better = {"q": [("b", 2.0), ("d", 1.0)], "silent": [("a", 1.0)]}
    found = evaluate({"first": RUN, "second": better}, QRELS, [Measure("MRR", 10)])
    assert found.queries == 2
    assert found.judged_pairs == 4
    assert found.unanswered == {"first": 1, "second": 0}
    assert [one.figures["MRR@10"].value for one in found.evaluations] == [
        pytest.approx(1 / 6),
        1,
    ]
    assert found.comparisons[0].differences["MRR@10"].value == pytest.approx(5 / 6)
