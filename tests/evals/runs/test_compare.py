"""Runs compared: only what can be, on the samples all have, with verdicts that hold."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import polars as pl
import pytest
from tests.evals.runs.scored import knowing, score_sample_pack, without

from hengfa.base.errors import UsageError
from hengfa.base.statistics.contest import Difference
from hengfa.base.statistics.intervals import Estimate
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.results.published.papers import published
from hengfa.evals.results.tables import responses_file
from hengfa.evals.runs.compare import (
    Comparison,
    Contrast,
    Entrant,
    Pair,
    Row,
    Support,
    compare_runs,
    conclusions,
    sentences,
)
from hengfa.evals.runs.folder import MANIFEST, read_manifest
from hengfa.evals.runs.predictions import score_files
from hengfa.evals.suites.base import Rules, Sample
from hengfa.evals.suites.plan import sample_pack
from hengfa.evals.suites.registry import OWN, get_suite

LAWBENCH = get_suite("lawbench")
TASKS = LAWBENCH.tasks


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    score_sample_pack(folder / "good", "good", knowing(1.0))
    score_sample_pack(folder / "poor", "poor", knowing(0.1))
    score_sample_pack(folder / "fair", "fair", knowing(0.5))
    score_sample_pack(folder / "few", "fair", without(range(3), knowing(0.5)), tasks=["1-2", "3-1"])
    return folder


def test_a_run_that_knows_more_is_better_overall_and_the_other_way_round(runs: Path) -> None:
    found = compare_runs([runs / "good", runs / "poor"])
    (pair,) = found.pairs
    overall = pair.rows["overall"]
    assert (overall.verdict, overall.comparisons) == (Support.BETTER, 1)
    assert overall.corrected == overall.difference.p < 0.001
    assert list(found.rows) == [*TASKS, "memorization", "understanding", "applying", "overall"]
    assert pair.rows["1-1"].comparisons == len(TASKS)
    assert pair.rows["applying"].comparisons == 3
    (back,) = compare_runs([runs / "poor", runs / "good"]).pairs
    assert back.rows["overall"].verdict is Support.WORSE
    assert back.rows["overall"].difference.estimate.value == pytest.approx(
        -overall.difference.estimate.value
    )


def test_a_verdict_needs_the_test_and_the_interval(runs: Path) -> None:
    for pair in compare_runs(
        [runs / name for name in ("good", "fair", "poor")], all_pairs=True
    ).pairs:
        for one in pair.rows.values():
            low, high = one.difference.estimate.low, one.difference.estimate.high
            assert low is not None
            assert high is not None
            shown = one.corrected < 0.05 and not low <= 0 <= high
            assert (one.verdict is not Support.NOT_SHOWN) == shown
            assert one.corrected >= one.difference.p


def test_many_runs_are_compared_with_the_first_or_each_with_each(runs: Path) -> None:
    folders = [runs / name for name in ("fair", "good", "poor")]
    first = compare_runs(folders)
    assert [(pair.one, pair.other) for pair in first.pairs] == [(0, 1), (0, 2)]
    every = compare_runs(folders, all_pairs=True)
    assert [(pair.one, pair.other) for pair in every.pairs] == [(0, 1), (0, 2), (1, 2)]
    assert [one.rank for one in every.rows["overall"].ranks] == [2, 1, 3]
    assert every.pairs[0].rows["1-1"].comparisons == 3 * len(TASKS)


def test_only_shared_samples_and_tasks_are_compared_and_the_rest_is_counted(runs: Path) -> None:
    found = compare_runs([runs / "fair", runs / "few"])
    assert found.tasks == ["1-2", "3-1"]
    assert [one.label for one in found.runs] == ["fair", "few"]
    assert found.runs[0].unshared == {"1-2": 3, "3-1": 3}
    assert found.runs[1].unshared == {}
    assert found.lacking["1-1"] == ["few"]
    (pair,) = found.pairs
    assert pair.rows["1-2"].difference.estimate.value == 0
    assert pair.rows["1-2"].difference.p == 1


def test_tasks_can_be_chosen(runs: Path) -> None:
    found = compare_runs([runs / "good", runs / "fair"], tasks=["1-2", "1-1"])
    assert list(found.rows) == ["1-1", "1-2", "memorization"]
    with pytest.raises(UsageError, match="no task '9-9'"):
        compare_runs([runs / "good", runs / "fair"], tasks=["9-9"])


def test_the_seed_changes_draws_but_not_scores(runs: Path) -> None:
    one, other = (compare_runs([runs / "good", runs / "fair"], seed=seed) for seed in (1, 2))
    again = compare_runs([runs / "good", runs / "fair"], seed=1)
    assert one.as_json() == again.as_json()
    assert one.rows["3-8"].estimates != other.rows["3-8"].estimates
    for row in one.rows:
        values = [[e.value for e in found.rows[row].estimates] for found in (one, other)]
        assert values[0] == values[1]


def changed(runs: Path, tmp_path: Path, **fields: object) -> Path:
    """The run `fair` with another manifest."""
    folder = tmp_path / "changed"
    folder.mkdir()
    for file in (runs / "fair").rglob("*"):
        if file.is_file():
            target = folder / file.relative_to(runs / "fair")
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(file.read_bytes())
    manifest = msgspec.structs.replace(read_manifest(folder), **fields)
    (folder / MANIFEST).write_bytes(msgspec.json.encode(manifest))
    return folder


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"data": "other"}, "asked from other data"),
        ({"data_source": None}, "asked from other data"),
    ],
)
def test_what_was_asked_otherwise_is_not_compared(
    runs: Path, tmp_path: Path, fields: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        compare_runs([runs / "good", changed(runs, tmp_path, **fields)])


def test_settings_are_compared_by_sample_and_named(runs: Path, tmp_path: Path) -> None:
    score_sample_pack(tmp_path / "one", "fair", knowing(0.9), setting="one_shot")
    found = compare_runs([runs / "fair", tmp_path / "one"])
    assert [run.label for run in found.runs] == ["fair (zero_shot)", "fair (one_shot)"]
    assert found.title == "LawBench, zero_shot and one_shot, official rules"
    assert found.pairs[0].rows["overall"].verdict is Support.WORSE
    (warning,) = found.warnings
    assert "different settings, zero_shot and one_shot, paired by sample" in warning
    said = found.as_json()
    assert [run["setting"] for run in said["runs"]] == ["zero_shot", "one_shot"]
    assert said["warnings"] == [warning]


def test_what_has_another_reference_in_another_setting_is_another_question(
    runs: Path, tmp_path: Path
) -> None:
    """Labels in another order are the same reference."""
    score_sample_pack(tmp_path / "one", "fair", knowing(0.9), setting="one_shot", tasks=["1-2"])
    file = responses_file(tmp_path / "one", "1-2", Rules.OFFICIAL)
    text = pl.col("reference")
    turned = pl.when(pl.int_range(pl.len()) > 1).then(text.str.reverse()).otherwise(text + "另")
    rows = pl.read_parquet(file).with_columns(turned.alias("reference"))
    rows.write_parquet(file)
    found = compare_runs([runs / "fair", tmp_path / "one"], tasks=["1-2"])
    assert [run.unshared for run in found.runs] == [{"1-2": 2}] * 2
    assert found.rows["1-2"].estimates[0].samples == len(rows) - 2


@pytest.mark.parametrize("name", [name for name in OWN if len(get_suite(name).settings) > 1])
def test_an_id_means_the_same_question_in_all_settings(name: str) -> None:
    suite, root = get_suite(name), sample_pack(name).root
    for task in suite.tasks.values():
        loaded = [task.load(root, setting, suite.choose({})) for setting in suite.settings]
        told = [{s.id: sorted(task.baselines.reference(s)) for s in some} for some in loaded]
        for references in told[1:]:
            common = told[0].keys() & references.keys()
            assert common, task.id
            assert all(told[0][id_] == references[id_] for id_ in common), task.id


def test_how_a_model_is_worked_with_may_differ_but_not_what_it_is_asked(tmp_path: Path) -> None:
    def answer(_task: str, _sample: Sample, _place: int) -> Response:
        return Response(Status.ANSWERED, "不知道")

    for name, options in (
        ("ten", {"max_steps": "10"}),
        ("usual", {}),
        ("elsewhere", {"world": "http://localhost:1"}),
    ):
        score_sample_pack(
            tmp_path / name, name, answer, suite="legalagentbench", options=options, tasks=["1-hop"]
        )
    found = compare_runs([tmp_path / "ten", tmp_path / "usual"])
    assert found.warnings == ("They were worked with otherwise: max_steps is 10 and its default.",)
    with pytest.raises(UsageError, match=r"options of the suite are .*world.*recovered"):
        compare_runs([tmp_path / "usual", tmp_path / "elsewhere"])


@pytest.mark.shared
def test_published_zero_and_one_shot_answers_are_paired(shared: Path, tmp_path: Path) -> None:
    with tarfile.open(shared / "data/LawBench/predictions/dev.tar.xz") as packed:
        quick = [
            member for member in packed if member.name.endswith(("GPT4/1-2.json", "GPT4/2-4.json"))
        ]
        packed.extractall(tmp_path / "all", quick, filter="data")
    data = str(shared / "data/LawBench")
    score_files(LAWBENCH, [tmp_path / "all"], [Rules.OFFICIAL], data=data, out=tmp_path / "runs")
    named = [tmp_path / "runs" / f"lawbench-{setting}-GPT4" for setting in LAWBENCH.settings]
    found = compare_runs(named)
    printed = {row.setting: row for row in published("lawbench") if row.model == "GPT4"}
    for task in ("1-2", "2-4"):
        estimates = found.rows[task].estimates
        assert [one.samples for one in estimates] == [500, 500]
        assert [round(one.value * 100, 2) for one in estimates] == [
            float(printed[setting].printed[task]) for setting in LAWBENCH.settings
        ]
        counted = found.pairs[0].rows[task].difference
        assert counted.wins + counted.ties + counted.losses == 500
        assert counted.ties > 400


@pytest.mark.shared
def test_lawbench_asks_the_same_of_a_number_in_both_settings(shared: Path) -> None:
    for name, task in LAWBENCH.tasks.items():
        zero, one = (
            task.load(shared / "data/LawBench", setting, {}) for setting in LAWBENCH.settings
        )
        assert [sample.question for sample in zero] == [sample.question for sample in one], name
        assert [sorted(sample.answer) for sample in zero] == [
            sorted(sample.answer) for sample in one
        ], name


@pytest.mark.shared
def test_published_methods_of_agents_are_paired(shared: Path, tmp_path: Path) -> None:
    place = shared / "data/LegalAgentBench"
    suite = get_suite("legalagentbench")
    files = [place / "runs" / f"{method}__glm-4.json" for method in ("react", "plan_solve")]
    score_files(suite, files, [Rules.OFFICIAL], data=str(place), out=tmp_path)
    methods = ("react", "plan-solve")
    found = compare_runs([tmp_path / f"legalagentbench-{method}-glm-4" for method in methods])
    printed = {row.setting: row for row in published("legalagentbench") if row.model == "glm-4"}
    overall = found.rows["overall"]
    assert [one.samples for one in overall.estimates] == [300, 300]
    assert [round(one.value, 4) for one in overall.estimates] == [
        printed[method].figures["success/all"] for method in methods
    ]
    assert found.pairs[0].rows["overall"].verdict is Support.BETTER
    assert all(not run.unshared for run in found.runs)


def test_predictions_of_other_tools_do_not_know_their_options(runs: Path, tmp_path: Path) -> None:
    folder = changed(runs, tmp_path, address="imported", data="", suite_options={"x": "1"})
    assert compare_runs([runs / "good", folder], tasks=["1-2"]).tasks == ["1-2"]


def test_other_suites_are_not_compared(runs: Path, tmp_path: Path) -> None:
    def answer(_task: str, _sample: Sample, _place: int) -> Response:
        return Response(Status.ANSWERED, "第一条")

    score_sample_pack(tmp_path / "claw", "m", answer, suite="claw")
    with pytest.raises(UsageError, match="runs of the suites lawbench and claw"):
        compare_runs([runs / "good", tmp_path / "claw"])


def test_no_shared_sample_is_an_error(runs: Path, tmp_path: Path) -> None:
    for name, places in (("head", range(3)), ("tail", range(3, 999))):
        score_sample_pack(tmp_path / name, name, without(places, knowing(1)), tasks=["1-2"])
    with pytest.raises(UsageError, match="share no sample"):
        compare_runs([tmp_path / "head", tmp_path / "tail"])


def test_a_run_is_not_compared_with_itself_or_alone(runs: Path) -> None:
    with pytest.raises(UsageError, match="named twice"):
        compare_runs([runs / "good", runs / "good" / "." / ".." / "good"])
    with pytest.raises(UsageError, match="at least two"):
        compare_runs([runs / "good"])


def made(row: Callable[[str], Contrast], names: tuple[str, ...]) -> Comparison:
    """A comparison of A and B with these contrasts."""
    suite = get_suite("lawbench")
    runs = [Entrant(label, label, label, {}) for label in "AB"]
    rows = {name: Row(name, name in suite.tasks, [], []) for name in names}
    pair = Pair(0, 1, {name: row(name) for name in names})
    return Comparison(suite, "zero_shot", Rules.OFFICIAL, 1, runs, rows, [pair], {})


def contrast(value: float, verdict: Support, p: float = 0.5) -> Contrast:
    one = Estimate(value, 0.01, value - 0.02, value + 0.02, 100, 100)
    return Contrast(Difference(one, p, 5, 90, 5, 0.031), min(1.0, 3 * p), 3, verdict)


def test_words_say_what_is_and_what_is_not_supported() -> None:
    by_name = {
        "1-1": contrast(0.05, Support.BETTER, 0.001),
        "1-2": contrast(-0.05, Support.WORSE, 0.001),
        "2-1": contrast(0.01, Support.NOT_SHOWN, 0.03),
        "overall": contrast(0.004, Support.NOT_SHOWN),
    }
    overall, *of_tasks = conclusions(made(by_name.__getitem__, tuple(by_name)))
    assert overall == (
        "No difference of A and B is shown overall: A has 0.4 points more (95 % interval -1.6 to "
        "2.4). One below 3.1 points could easily be missed with these samples."
    )
    assert of_tasks == [
        "The data support that A is better than B on 1-1 (1 of 3 tasks).",
        "The data support that B is better than A on 1-2 (1 of 3 tasks).",
        "No difference of A and B is shown on 2-1; one below 3.1 points could easily be missed.",
        "Of these, 2-1 would pass if looked at alone, but among 3 comparisons some do by chance.",
    ]


def test_words_name_the_run_that_has_more_and_need_no_sign() -> None:
    behind = made(lambda _name: contrast(-0.01, Support.NOT_SHOWN), ("3-1",))
    (said,) = conclusions(behind)
    assert ": B has 1.0 points more (95 % interval -1.0 to 3.0). " in said
    (said,) = sentences(behind.pairs[0], "A", "B", ["3-1"], "zh")
    assert "：B 高 1.0 分（95% 区间 -1.0 至 3.0）。" in said


def test_words_on_a_single_task() -> None:
    found = made(lambda _name: contrast(-0.05, Support.WORSE), ("3-1",))
    assert conclusions(found) == [
        "The data support that B is better than A on 3-1 by 5.0 points (95 % interval 3.0 to 7.0)."
    ]
