"""ROUGE-L is the published evaluator's to the last bit; the corrected rule is free of quirks.

ROUGE-N and BLEU are the textbook's; short texts and texts without a match are well defined.
"""

from __future__ import annotations

import csv
import gzip
import json
import logging
import math
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jieba
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rouge_chinese import Rouge

from hengfa.law.text import rouge
from hengfa.law.text.rouge import (
    BLEU_ORDER,
    RougeScore,
    bleu,
    lcs,
    overlaps,
    rouge_l,
    rouge_l_official,
    rouge_of,
    units,
)
from hengfa.law.text.segmentation import cut

Score = Callable[[str, str], float]

ROUGE_TASKS = ("1-1", "2-7", "3-2", "3-8")
PERFECT = 0.999999995  # 2 / (2 + 1e-8)

pieces = st.one_of(
    st.sampled_from(
        ["被告人", "郑某", "盗窃", "有期徒刑", "第三条", "2020-05-01", "0.5g", "无内容"]
    ),
    st.sampled_from(
        ["。", "！", "？", "?", "”", "’", "，", "…", "……", "\n", "\r\n", " ", "\u3000"]
    ),
    st.text(alphabet=".", min_size=1, max_size=20),
    st.text(max_size=2),
)
texts = st.lists(pieces, max_size=25).map("".join)


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Score:
    """jieba and rouge_chinese, put together as in lawbench.md 1.4."""
    jieba.setLogLevel(logging.ERROR)
    tokenizer = jieba.Tokenizer()
    tokenizer.tmp_dir = str(tmp_path_factory.mktemp("jieba"))
    metric = Rouge(metrics=["rouge-l"])

    def score(hypothesis: str, reference: str) -> float:
        own, other = (" ".join(tokenizer.cut(text)) for text in (hypothesis, reference))
        value: float = metric.get_scores(own if own.strip() else "无内容", other)[0]["rouge-l"]["f"]
        return value

    return score


@given(texts, texts)
@settings(max_examples=500, deadline=None)
def test_official_score_is_the_published_one(published: Score, mine: str, gold: str) -> None:
    assume(gold.strip())
    assert rouge_l_official(mine, gold) == published(mine, gold)


@given(texts)
@settings(max_examples=100, deadline=None)
def test_official_score_of_a_near_copy_is_the_published_one(published: Score, gold: str) -> None:
    assume(gold.strip())
    assert rouge_l_official(gold + "。\n完", gold) == published(gold + "。\n完", gold)


@given(st.text(), st.text())
@settings(deadline=None)
def test_no_text_makes_it_raise_or_leave_the_unit_interval(mine: str, gold: str) -> None:
    assert 0 <= rouge_l_official(mine, gold) < 1
    for score in (rouge_l(mine, gold), rouge_l(mine, gold, unit="char")):
        assert all(0 <= part <= 1 for part in score)


@pytest.mark.parametrize("odd", ["", " ", "\n\n", "\ud800", "\x00", "😀", "." * 7])
@pytest.mark.parametrize("gold", ["", " \r\n", "\udfff", "\x00", "盗窃罪。"])
def test_odd_texts_have_a_score(odd: str, gold: str) -> None:
    assert 0 <= rouge_l_official(odd, gold) <= PERFECT
    assert 0 <= rouge_l(odd, gold).f <= 1


# Quirks of the official rule, each beside the corrected one.


def test_official_perfect_copy_is_short_of_one_by_the_epsilon() -> None:
    assert rouge_l_official("盗窃罪", "盗窃罪") == PERFECT
    assert rouge_l("盗窃罪", "盗窃罪") == RougeScore(1, 1, 1)


@pytest.mark.parametrize("blank", ["", " \n\u3000"])
def test_official_blank_answer_reads_as_wu_neirong(blank: str) -> None:
    assert rouge._tokens_by_line("无内容") == ["无内容"]
    assert cut("无内容") == ["无", "内容"]
    assert rouge_l_official(blank, "无内容") == 0  # one token against two
    assert rouge_l_official(blank, "盗窃罪") == 0
    assert rouge_l(blank, "无内容") == RougeScore(0, 0, 0)


def test_blank_reference_gives_zero_where_the_published_evaluator_stops(published: Score) -> None:
    with pytest.raises(ValueError, match="at least 1 sentence"):
        published("盗窃", " \n")
    assert rouge_l_official("盗窃", " \n") == 0
    assert rouge_l("盗窃", " \n", unit="char") == RougeScore(0, 0, 0)


def test_official_blank_lines_count_as_empty_tokens() -> None:
    assert rouge._tokens_by_line(" ".join(cut("甲。\n\n乙"))) == ["甲", "。", "", "", "乙"]
    assert rouge_l_official("丙。\n丁", "甲。\n乙") == pytest.approx(
        2 / 4
    )  # 。 and the empty token
    assert units("甲。\n\n乙", "word") == ["甲", "。", "乙"]
    assert rouge_l("丙。\n丁", "甲。\n乙").f == 1 / 3


def test_a_nul_is_not_an_empty_token() -> None:
    """The empty string and NUL look alike to a library that compares tokens by their hash."""
    assert rouge_l_official("甲\n \n\x00乙", "丙\n \n\n丁") == pytest.approx(1 / 4)
    assert rouge_l_official("\x00", "甲。\n乙") == 0


@pytest.mark.parametrize(
    ("spaced", "tokens"),
    [
        ("完 。 次", ["完", "。", "次"]),
        ("完。次", ["完。", "次"]),
        ("完。”次", ["完。”", "次"]),
        ("完。”，次", ["完。”，次"]),
        (".......", ["......", "."]),
        ("......”", ["......”"]),
        ("……次", ["……", "次"]),
        ("… …次", ["…", "…次"]),
        ("。 \n 次 \n", ["。", "", "次"]),
        ("? \n 次", ["?", "", "次"]),
        (". \n 次", [".", "次"]),
    ],
)
def test_official_sentence_cuts(spaced: str, tokens: list[str]) -> None:
    assert rouge._tokens_by_line(spaced) == tokens


# The corrected rule.


def test_corrected_score_by_words_and_by_characters() -> None:
    mine, gold = "被告人 犯盗窃罪", "被告人犯抢劫罪。"
    assert rouge_l(mine, gold) == pytest.approx((2 / 3, 2 / 4, 4 / 7))
    assert rouge_l(mine, gold, unit="char") == pytest.approx((5 / 7, 5 / 8, 10 / 15))


@given(texts, texts)
@settings(max_examples=200, deadline=None)
def test_corrected_score_is_that_of_a_plain_table(mine: str, gold: str) -> None:
    own, other = ([t for t in cut(text) if t.strip()] for text in (mine, gold))
    common = longest_common(own, other)
    expected = (common / len(own), common / len(other)) if common else (0, 0)
    assert rouge_l(mine, gold)[:2] == expected


def longest_common(a: list[str], b: list[str]) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        diagonal = 0
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], diagonal + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


@given(texts, texts)
@settings(max_examples=100, deadline=None)
def test_corrected_f_does_not_depend_on_the_order_of_arguments(mine: str, gold: str) -> None:
    assert rouge_l(mine, gold).f == rouge_l(gold, mine).f


@pytest.mark.timeout(60)
def test_a_megabyte_of_answer_is_no_burden() -> None:
    gold = "被告人郑某犯盗窃罪，判处有期徒刑一年。" * 25
    for mine in ("的" * 330_000, gold * 700, "。\n" * 250_000):
        assert 0 <= rouge_l_official(mine, gold) < 1
        assert 0 <= rouge_l(mine, gold, unit="char").f < 1


def test_long_references_are_not_kept() -> None:
    before = rouge._number_cached.cache_info().currsize
    rouge_l_official("盗窃", "盗窃" * rouge._CACHED_LENGTH)
    assert rouge._number_cached.cache_info().currsize == before


# Real predictions.


@pytest.fixture(scope="session")
def released(shared: Path) -> dict[tuple[str, str, str], Any]:
    """Released predictions by setting, model and task, for the tasks scored with ROUGE-L."""
    found = {}
    with tarfile.open(shared / "data/LawBench/predictions/dev.tar.xz") as archive:
        for member in archive:
            setting, model, task = (*member.name.split("/"), "", "")[:3]
            task = task.removesuffix(".json")
            if task == "1-1" or (task in ROUGE_TASKS and model == "GPT4"):
                file = archive.extractfile(member)
                assert file is not None
                found[setting, model, task] = json.load(file)
    return found


def scores(rows: Any, task: str) -> Iterator[float]:
    for number in range(len(rows)):
        gold = rows[str(number)]["refr"]
        if task == "1-1":
            gold = gold.replace("答案:", "")
        yield rouge_l_official(rows[str(number)]["prediction"], gold)


@pytest.mark.shared
def test_scores_of_released_models_are_the_reference_scores(
    shared: Path, released: dict[tuple[str, str, str], Any]
) -> None:
    with (shared / "reference/lawbench_scores.csv").open(encoding="utf-8") as file:
        expected = {
            (row["setting"], row["model"], row["task"]): float(row["score"])
            for row in csv.DictReader(file)
        }
    assert len(released) >= 13
    for key, rows in released.items():
        total = 0.0
        for score in scores(rows, key[2]):
            total += score
        assert total / len(rows) == expected[key], key


@pytest.mark.shared
def test_every_item_of_one_run_has_its_reference_score(
    shared: Path, released: dict[tuple[str, str, str], Any]
) -> None:
    file = shared / "reference/lawbench_item_scores/zero_shot__GPT4.csv.gz"
    expected: dict[str, list[float]] = {task: [] for task in ROUGE_TASKS}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["task"] in expected:
                expected[row["task"]].append(float(row["score"]))
    for task in ROUGE_TASKS:
        assert list(scores(released["zero_shot", "GPT4", task], task)) == expected[task]


tokens = st.lists(st.sampled_from(["渡船", "应当", "停靠", "，", "码头"]), max_size=14)
GOLD = ["渡船", "应当", "按时", "停靠", "码头", "。"]


def _clipped(mine: list[str], other: list[str], n: int) -> tuple[int, int, int]:
    one, two = (
        Counter(tuple(side[i : i + n]) for i in range(len(side) - n + 1)) for side in (mine, other)
    )
    return sum((one & two).values()), sum(one.values()), sum(two.values())


@given(tokens, tokens)
def test_overlaps_count_each_sequence_as_often_as_both_sides_have_it(
    mine: list[str], other: list[str]
) -> None:
    counted = [tuple(one) for one in overlaps(mine, other)]
    assert counted == [_clipped(mine, other, n) for n in range(1, BLEU_ORDER + 1)]


@given(tokens.filter(bool), tokens.filter(bool), st.integers(1, 4))
def test_rouge_n_is_the_harmonic_mean_of_precision_and_recall(
    mine: list[str], other: list[str], n: int
) -> None:
    precision, recall, f = rouge_of(overlaps(mine, other, n)[-1])
    common, own, wanted = _clipped(mine, other, n)
    assert precision == (common / own if common else 0)
    assert recall == (common / wanted if common else 0)
    both = 2 * precision * recall / (precision + recall) if common else 0
    assert f == pytest.approx(both, abs=1e-12)


def test_rouge_1_and_2_are_those_of_a_known_package() -> None:
    """Where no token comes twice: the package counts sets."""
    mine, gold = ["渡船", "按时", "停靠", "在", "码头"], ["渡船", "应当", "按时", "停靠", "码头"]
    (theirs,) = Rouge(metrics=["rouge-1", "rouge-2"]).get_scores(" ".join(mine), " ".join(gold))
    assert rouge_of(overlaps(mine, gold, 1)[-1]).f == pytest.approx(
        theirs["rouge-1"]["f"], abs=1e-6
    )
    assert rouge_of(overlaps(mine, gold, 2)[-1]).f == pytest.approx(
        theirs["rouge-2"]["f"], abs=1e-6
    )


@pytest.mark.parametrize(
    ("mine", "none", "epsilon"),
    [
        (GOLD, 1.0, 1.0),
        ([], 0.0, 0.0),
        (["风筝"] * 8, 0.0, 0.0),
        # 5/6, 3/5, 1/4, and no four in a row: nothing, or a tenth of one of three
        (
            ["渡船", "应当", "按时", "入", "码头", "。"],
            0.0,
            (5 / 6 * 3 / 5 * 1 / 4 * 0.1 / 3) ** 0.25,
        ),
        # shorter than four: judged by the orders it has, and for its brevity
        (["渡船", "应当"], math.exp(1 - 6 / 2), math.exp(1 - 6 / 2)),
        (["渡船"], math.exp(1 - 6), math.exp(1 - 6)),
        # longer than the reference: no penalty but the precisions
        ([*GOLD, *GOLD], (6 / 12 * 5 / 11 * 4 / 10 * 3 / 9) ** 0.25, None),
    ],
)
def test_bleu_values(mine: list[str], none: float, epsilon: float | None) -> None:
    assert bleu(mine, GOLD) == pytest.approx(none, abs=1e-12)
    if epsilon is not None:
        assert bleu(mine, GOLD, "epsilon") == pytest.approx(epsilon, abs=1e-12)


@given(tokens, tokens)
def test_bleu_lies_between_nothing_and_one_and_smoothing_only_adds(
    mine: list[str], other: list[str]
) -> None:
    plain, smoothed = bleu(mine, other), bleu(mine, other, "epsilon")
    assert 0 <= plain <= smoothed <= 1 + 1e-12


@given(tokens.filter(bool))
def test_a_repetition_is_perfect_however_short(text: list[str]) -> None:
    assert bleu(text, text) == pytest.approx(1, abs=1e-12)
    assert rouge_of(overlaps(text, text, 1)[-1]).f == lcs(text, text).f == 1


@given(st.text("渡船应当 。\n停靠", max_size=20), st.text("渡船应当 。\n停靠", max_size=20))
@settings(deadline=None)  # the first example loads the dictionary
def test_units_and_lcs_are_the_two_halves_of_rouge_l(mine: str, gold: str) -> None:
    for unit in ("word", "char"):
        cut = units(mine, unit), units(gold, unit)
        assert not any(token.isspace() for side in cut for token in side)
        assert lcs(*cut) == rouge_l(mine, gold, unit=unit)
