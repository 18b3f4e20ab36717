"""Edits and counts follow the rules of lawbench.md 3, one by one; no text breaks them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.law.text.edits import counts, gold_edits, prediction_edits

from hengfa.law.text import proofreading
from hengfa.law.text.proofreading import (
    Counts,
    Edit,
    Similarity,
    alignment,
    f_half,
    source_of_prompt,
)
from hengfa.law.text.proofreading.edits import Block, Merger

SOURCE, GOLD = "原告请求被告支负货款", "原告请求被告支付货款"
RIGHT, WRONG, LEFT_ALONE = Counts(1, 0, 0), Counts(0, 1, 1), Counts(0, 0, 1)
TIMED_OUT = Counts(0, 1, 1, timed_out=True)

similarity = Similarity.none()
anything = st.text(st.characters(), max_size=30)  # lone surrogates too
flags = st.fixed_dictionaries({"first_alignment": st.booleans(), "whole_prediction": st.booleans()})


def official(prediction: str, *, source: str = SOURCE, gold: str = GOLD) -> Counts:
    return counts(source, prediction, gold, similarity)


def corrected(prediction: str, *, source: str = SOURCE, gold: str = GOLD) -> Counts:
    on = {"first_alignment": True, "whole_prediction": True}
    return counts(source, prediction, gold, similarity, **on)


def edits(source: str, target: str) -> set[tuple[int, int, str, str]]:
    return {edit[:4] for edit in gold_edits(source, target, similarity)}


# 3.1: the three texts


def test_source_is_the_line_after_the_first_mark() -> None:
    assert source_of_prompt("改正。句子：\n甲\t乙丙 \n句子：\n丁") == "甲乙丙 "
    assert source_of_prompt("句子：\n甲乙") == "甲乙"
    assert source_of_prompt("句子：\n") == ""


def test_source_takes_in_a_template_that_goes_on_in_its_line() -> None:
    assert source_of_prompt("句子：\n甲乙<|end|>\n回答：") == "甲乙<|end|>"


def test_prompt_without_the_mark_has_no_source() -> None:
    assert source_of_prompt("句子：甲乙") is None


def test_white_space_of_all_texts_is_ignored() -> None:
    source, gold = " 原告请求\u3000被告支负货款", "原告请求被告\n支付货款\t"
    assert official("原告请求 被告\r\n支付货\x85款", source=source, gold=gold) == RIGHT


def test_traditional_characters_are_simplified_except_in_the_source() -> None:
    assert official("原告請求被告支付貨款") == RIGHT
    assert gold_edits("貨款", "貨款", similarity) == (Edit(0, 1, "货", "S"),)


def test_official_answer_is_cut_five_characters_after_the_length_of_the_gold() -> None:
    answer = GOLD + "，一二三四"
    assert official(answer) == Counts(1, 1, 0)
    assert official(answer + "五六七八九") == Counts(1, 1, 0)
    last = {
        whole: prediction_edits(SOURCE, answer + "五", GOLD, similarity, whole_prediction=whole)[-1]
        for whole in (False, True)
    }
    assert last[False] == Edit(10, 10, "，一二三四", "I")
    assert last[True] == Edit(10, 10, "，一二三四五", "I")


def test_cut_counts_spaces_but_neither_line_feeds_nor_tabs() -> None:
    def tail(answer: str) -> str:
        return prediction_edits(SOURCE, answer, GOLD, similarity)[-1].correction

    assert tail(GOLD + "\n\n\t\n一二三四五六") == "一二三四五"
    assert tail(GOLD + "   一二三四五六") == "一二"


def test_cut_is_measured_by_the_raw_gold() -> None:
    found = prediction_edits(SOURCE, GOLD + "一二三四五六七", GOLD + "\n ", similarity)
    assert found[-1].correction == "一二三四五六七"


def test_official_empty_answer_reads_as_no_content() -> None:
    assert prediction_edits(SOURCE, "", GOLD, similarity) == (Edit(0, 10, "无内容", "S"),)
    assert prediction_edits(SOURCE, "\n\t", GOLD, similarity) == (Edit(0, 10, "无内容", "S"),)


def test_official_blank_answer_is_handled_as_a_time_out() -> None:
    assert official(" \r\u3000") == TIMED_OUT
    assert prediction_edits(SOURCE, " ", GOLD, similarity) == (Edit(0, 10, "无", "S"),)


@pytest.mark.parametrize("answer", ["", "\n", " \r\u3000"])
def test_corrected_empty_answer_deletes_the_sentence(answer: str) -> None:
    assert corrected(answer) == WRONG
    found = prediction_edits(
        SOURCE, answer, GOLD, similarity, first_alignment=True, whole_prediction=True
    )
    assert found == (Edit(0, 10, "-NONE-", "D"),)


def test_marker_of_a_missing_part_is_one_character() -> None:
    assert edits("甲丙", "甲[缺失成分]丙") == {(1, 1, "[缺失成分]", "I")}
    assert edits("[缺失成分]甲", "乙甲") == {(0, 1, "乙", "S")}


# 3.2: shortcuts


def test_unchanged_sentence_and_no_error_make_no_edits() -> None:
    assert official(SOURCE) == LEFT_ALONE
    assert official("没有错误") == LEFT_ALONE
    assert official("甲乙", source="甲乙", gold="没有错误") == Counts(0, 0, 0)


def test_declining_is_one_wrong_edit() -> None:
    assert official("无法标注") == WRONG
    assert prediction_edits(SOURCE, "无法标注", GOLD, similarity) == (Edit(-1, -1, "-NONE-", "NA"),)


def test_sentence_that_cannot_be_annotated_does_not_count() -> None:
    assert official(GOLD, gold="无法标注") == Counts(0, 0, 0)
    assert official("无法标注", gold="无法标注") == Counts(0, 0, 0)


# 3.3 to 3.5: edits


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("原告李某起诉", "原告王某起诉", {(2, 3, "王", "S")}),
        ("依法判决", "依法作出判决", {(2, 2, "作出", "I")}),
        ("应予以赔偿", "应赔偿", {(1, 3, "-NONE-", "D")}),
        ("应当赔偿损失", "应当偿赔损失", {(2, 4, "偿赔", "T")}),  # neighbours in another order
        ("张三赔偿李四", "李四赔偿张三", {(0, 6, "李四赔偿张三", "T")}),  # across what stays
        ("合同解除", "解除合同", {(0, 4, "解除合同", "T")}),
        ("甲乙", "丙丁戊乙", {(0, 1, "丙丁戊", "S")}),  # mixed operations: one substitution
        ("甲", "乙甲丙", {(0, 0, "乙", "I"), (1, 1, "丙", "I")}),
        ("", "甲乙", {(0, 0, "甲乙", "I")}),
    ],
)
def test_edits_of_one_alignment(
    source: str, target: str, expected: set[tuple[int, int, str, str]]
) -> None:
    assert edits(source, target) == expected


def test_edits_of_all_alignments_are_pooled_and_counted_by_different_lists() -> None:
    found = gold_edits("甲甲甲甲", "乙甲乙甲乙", similarity)
    assert {edit[:4]: edit.times for edit in found} == {
        (0, 0, "乙", "I"): 1,
        (0, 1, "乙", "S"): 2,
        (1, 2, "乙", "S"): 1,
        (2, 2, "乙", "I"): 1,
        (2, 3, "乙", "S"): 1,
        (3, 4, "乙", "S"): 2,
        (4, 4, "乙", "I"): 1,
    }


def test_first_alignment_is_one_list() -> None:
    found = gold_edits("甲甲甲甲", "乙甲乙甲乙", similarity, first_alignment=True)
    assert [edit[:2] for edit in found] == [(0, 0), (1, 2), (3, 4)]
    assert {edit.times for edit in found} == {1}


def test_only_lengths_that_differ_by_up_to_ten_have_many_alignments() -> None:
    for extra, several in ((9, True), (10, False)):  # one character more comes from the pair itself
        found = alignment.all_alignments(
            "甲甲甲甲" + "丙", "乙甲乙甲乙" + "丙" * (extra + 1), similarity
        )
        assert (max(found.edits.values()) > 1) is several, extra


def blocks(operations: str) -> list[Block]:
    """Steps of one character each."""
    found = []
    i = j = 0
    for operation in operations:
        i_end, j_end = i + (operation != "I"), j + (operation != "D")
        found.append(Block(operation, i, j, i_end, j_end))
        i, j = i_end, j_end
    return found


@pytest.mark.parametrize(
    ("source", "target", "steps", "operations"),
    [
        ("甲丙乙", "乙丙甲", "SMS", "T"),
        ("甲丙乙", "乙丙丁", "SMS", "SS"),  # one of four is single: must be equal
        ("甲丁丙乙戊", "乙戊丙甲丁", "SSMSS", "T"),
        ("甲丁丙乙戊", "乙戊丙甲己", "SSMSS", "T"),  # one character off is near enough
        ("甲丁丙乙戊", "乙戊丙庚己", "SSMSS", "SS"),
        ("甲丙", "丙甲", "DMI", "T"),
        ("丙甲", "甲丙", "IMD", "T"),
        ("甲丙", "丙乙", "DMI", "DI"),
        ("，丙", "丙，", "DMI", "DI"),  # punctuation does not move
        ("。丙", "丙。", "DMI", "T"),  # but 。 is not in the list
        ("：；丙", "丙：；", "DDMII", "DI"),  # a stretch of the list
        ("；：丙", "丙；：", "DDMII", "T"),  # not a stretch of it
        ("甲乙丙", "丙甲丁", "DDMII", "T"),
        ("甲乙丙", "丙乙甲", "DDMII", "T"),  # turned round
        ("甲乙戊丙", "丙乙戊甲", "DDDMIII", "T"),
        ("甲乙戊丙", "丙戊乙甲", "DDDMIII", "DI"),  # neither near nor turned round
        ("甲乙戊丙", "丙甲乙", "DDDMII", "T"),
        ("甲乙戊丙", "丙甲", "DDDMI", "DI"),  # two shorter
        ("甲乙丙", "丙甲", "DDMI", "DI"),  # a single one must be equal
        ("甲丙乙丁", "丁丙甲乙", "SMII", "SI"),  # what remains at the end
    ],
)
def test_moves_across_what_stays(source: str, target: str, steps: str, operations: str) -> None:
    found = Merger(source, target).edits(blocks(steps))
    assert "".join(edit.operation for edit in found) == operations


def test_a_move_may_lie_between_deletion_and_insertion() -> None:
    steps = [Block("D", 0, 0, 1, 0), Block("T", 1, 0, 3, 2), Block("I", 3, 2, 3, 3)]
    assert Merger("甲乙丙", "丙乙甲").edits(steps) == (Block("T", 0, 0, 3, 3),)


def test_after_a_move_the_next_three_are_looked_at() -> None:
    steps = blocks("SMSMS")
    assert Merger("甲丙乙丙甲", "乙丙甲丙乙").edits(steps) == (
        Block("T", 0, 0, 3, 3),
        Block("S", 4, 4, 5, 5),
    )


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("甲乙", "甲丙", [Block("S", 1, 1, 2, 2)]),
        ("乙甲", "丙甲", [Block("S", 0, 0, 1, 1)]),
        ("甲乙", "甲丙乙", [Block("I", 1, 1, 1, 2)]),
        ("甲丙乙", "甲乙", [Block("D", 1, 1, 2, 1)]),
        ("甲甲", "甲", [Block("D", 1, 1, 2, 1)]),  # the end laps over the start: given up
        ("甲", "甲甲", [Block("I", 1, 1, 1, 2)]),
        ("甲", "甲", []),
    ],
)
def test_substitutions_are_trimmed(source: str, target: str, expected: list[Block]) -> None:
    whole = Block("S", 0, 0, len(source), len(target))
    assert list(Merger(source, target).trimmed(whole)) == expected


# 3.6: the time-out


def test_official_rules_time_out_and_corrected_ones_do_not() -> None:
    source = "甲" * 900
    target = "乙" * 899 + "丙"
    assert official(target, source=source, gold=target) == Counts(1, 0, 0, timed_out=True)
    assert prediction_edits(source, target, target, similarity) == (Edit(0, 900, "无", "S"),)
    assert corrected(target, source=source, gold=target) == RIGHT
    fixed = prediction_edits(source, target, target, similarity, first_alignment=True)
    assert fixed == (Edit(0, 900, target, "S"),)


def test_time_out_of_a_sentence_that_is_the_stand_in_makes_no_edit() -> None:
    assert official(" ", source="无", gold="没有错误") == Counts(0, 0, 0, timed_out=True)


def test_texts_too_long_for_a_table_are_one_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "MAX_CELLS", 20)

    def found(source: str, target: str) -> tuple[Block, ...]:
        return alignment.first_alignment(source, target, similarity)

    assert found("甲乙丙丁戊己", "甲丙庚丁辛己") == (Block("S", 1, 1, 5, 5),)
    assert found("甲乙丙丁戊", "甲丁戊") == (Block("D", 1, 1, 3, 1),)
    assert found("甲乙", "甲丙丁戊己庚乙") == (Block("I", 1, 1, 1, 6),)


# 3.7: counts and the score


def test_right_wrong_and_missed_edits() -> None:
    assert official(GOLD) == corrected(GOLD) == RIGHT
    assert official("原告请求被告支出货款") == WRONG
    assert official("原告诉求被告支付货款") == Counts(1, 1, 0)


def test_multiplicity_in_the_gold_counts_for_hits_and_misses() -> None:
    source, several = "甲甲甲甲", "乙甲乙甲乙"
    assert official(several, source=source, gold=several) == Counts(9, 0, 0)
    assert official("乙甲甲甲", source=source, gold=several) == Counts(2, 0, 7)
    assert official(several, source=source, gold="乙甲甲甲") == Counts(1, 7, 0)
    assert corrected(several, source=source, gold=several) == Counts(3, 0, 0)


def test_each_fix_can_be_had_alone() -> None:
    source, gold, answer = "甲甲甲甲丙丁戊己庚", "乙甲乙甲乙", "乙甲乙甲乙丙丁戊己庚辛"
    found = {
        (first, whole): counts(
            source, answer, gold, similarity, first_alignment=first, whole_prediction=whole
        )[:3]
        for first in (False, True)
        for whole in (False, True)
    }
    assert found == {
        (False, False): (2, 6, 1),
        (False, True): (2, 9, 1),  # 辛 is in each of three lists
        (True, False): (0, 3, 3),
        (True, True): (0, 4, 3),
    }
    assert found[False, False] == official(answer, source=source, gold=gold)[:3]
    assert found[True, True] == corrected(answer, source=source, gold=gold)[:3]


@pytest.mark.parametrize(
    ("tp", "fp", "fn", "expected"),
    [
        (265, 2228, 337, 0.1253),
        (602, 0, 0, 1.0),
        (0, 0, 0, 1.0),  # nothing to correct, nothing corrected
        (0, 5, 7, 0.0),
        (0, 0, 7, 0.0),  # precision 1, recall 0
        (0, 5, 0, 0.0),
        (1, 0, 1, 0.8333),
    ],
)
def test_f_half(tp: int, fp: int, fn: int, expected: float) -> None:
    assert round(f_half(tp, fp, fn), 4) == expected
    assert f_half(tp, fp, fn) == pytest.approx(expected, abs=5e-5)


def test_corrected_f_half_is_not_rounded() -> None:
    assert f_half(1, 0, 1) == 1.25 * 0.5 / 0.75


# Any text


@given(anything, anything, anything, flags)
@settings(max_examples=300, deadline=None)
def test_no_text_breaks_it(source: str, answer: str, gold: str, fixes: dict[str, bool]) -> None:
    found = counts(source, answer, gold, similarity, **fixes)
    assert min(found[:3]) >= 0
    assert not (found.timed_out and fixes["first_alignment"])


@given(anything, flags)
@settings(max_examples=200, deadline=None)
def test_answer_that_is_the_gold_is_never_wrong(text: str, fixes: dict[str, bool]) -> None:
    gold = text.replace("\n", "").replace("\t", "") or "甲"
    found = counts("甲乙" + text[::-1], gold, gold, similarity, **fixes)
    assert (found.fp, found.fn) == (0, 0)


@given(st.text(alphabet="甲乙，\ud800𠮷 \r\n\0", min_size=1, max_size=40).filter(str.strip), flags)
@settings(max_examples=100, deadline=None)
def test_identical_texts_make_no_edits(text: str, fixes: dict[str, bool]) -> None:
    found = prediction_edits(text, text, text, similarity, **fixes)
    assert found == ()


@pytest.mark.deep
@pytest.mark.parametrize("fixes", [{}, {"first_alignment": True, "whole_prediction": True}])
def test_a_million_characters_are_no_trouble(fixes: dict[str, bool]) -> None:
    huge = "原告诉称被告拖欠货款" * 100_000
    sentence = huge[:100_000]
    for source, answer, gold in [
        (SOURCE, huge, GOLD),
        (SOURCE, GOLD, huge),
        (sentence, GOLD, GOLD),
        (sentence, huge[1:], huge + "。"),
        ("", huge, huge[1:]),
    ]:
        assert min(counts(source, answer, gold, similarity, **fixes)[:3]) >= 0


def test_importing_it_loads_nothing_heavy() -> None:
    code = (
        "import hengfa.law.text.proofreading, sys;"
        "sys.exit(any(m in sys.modules for m in ('numpy', 'opencc', 'pypinyin')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_all_that_is_offered_exists() -> None:
    assert all(hasattr(proofreading, name) for name in proofreading.__all__)
