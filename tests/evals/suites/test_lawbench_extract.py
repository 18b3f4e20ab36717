"""What is read out of responses: choices, labels, charges, texts, words (lawbench.md 1 and 2).

Each row is a response, what the official rules read and what the corrected ones read. Numbers and
entities have files of their own.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring import score_response

from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites.base import AnswerStatus, Rules
from hengfa.evals.suites.lawbench import rules as vocabulary
from hengfa.evals.suites.lawbench.dataset import TASK_IDS, LawBenchSample
from hengfa.evals.suites.lawbench.rules import CHOICE, TERM, LawBenchFix
from hengfa.evals.suites.lawbench.suite import SUITE
from hengfa.evals.suites.scoring import Scored

NONE_OF_THEM, SEVERAL = AnswerStatus.ABSTAINED, AnswerStatus.AMBIGUOUS


def read(task: str, response: str, rules: Rules) -> object:
    """The value, or the status where there is none."""
    found = SUITE.tasks[task].rule_set(rules).read(response)
    assert (found.value is None) == (found.status is not AnswerStatus.EXTRACTED)
    return found.status if found.value is None else found.value


def check(task: str, response: str, official: object, corrected: object) -> None:
    assert read(task, response, Rules.OFFICIAL) == official
    assert read(task, response, Rules.CORRECTED) == corrected


@pytest.mark.parametrize("task", ["1-2", "2-8", "3-6"])
@pytest.mark.parametrize(
    ("response", "official", "corrected"),
    [
        ("[正确答案]B<eoa>", "B", "B"),
        ("选B。B是对的", "B", "B"),
        # Q: letters count anywhere, so an English word spoils the answer.
        ("Answer: B", SEVERAL, "B"),
        ("DNA", SEVERAL, NONE_OF_THEM),
        # Q: the wrapper is not isolated, so quoting the options spoils the answer.
        ("A不对，应选[正确答案]C<eoa>", SEVERAL, "C"),
        ("[正确答案]C<eoa>因为A不对", SEVERAL, "C"),
        # Q: full-width letters never match; nor do lower-case ones, which no fix changes.
        ("答案是Ｄ", NONE_OF_THEM, "D"),
        ("[正确答案]Ｄ<eoa>", NONE_OF_THEM, "D"),
        ("b", NONE_OF_THEM, NONE_OF_THEM),
        ("", NONE_OF_THEM, NONE_OF_THEM),
        ("A和B都对", SEVERAL, SEVERAL),
        ("[正确答案]A,B<eoa>", SEVERAL, SEVERAL),
        ("[正确答案]无<eoa>，不选A", "A", NONE_OF_THEM),
    ],
)
def test_choices(task: str, response: str, official: object, corrected: object) -> None:
    check(task, response, official, corrected)


def test_only_argument_mining_has_a_fifth_option() -> None:
    check("2-8", "[正确答案]E<eoa>", "E", "E")
    check("1-2", "[正确答案]E<eoa>", NONE_OF_THEM, NONE_OF_THEM)


@given(st.sampled_from("ABCD"), st.text(st.characters(exclude_categories=["L", "Cs"])))
def test_a_lone_letter_is_found_in_any_surroundings_without_letters(
    letter: str, noise: str
) -> None:
    noise = noise.replace("[", "").replace("<", "")
    check("1-2", noise + letter + noise, letter, letter)


@pytest.mark.parametrize(
    ("response", "inside"),
    [
        ("[正确答案] B <eoa>", "B"),
        ("没有", ""),
        # Closed before unclosed; an unclosed one reaches to the next "<".
        ("[正确答案]B", "B"),
        ("答：[正确答案]A<eoa>\n[正确答案]B", "A"),
        ("[正确答案]B<e", "B"),
        # Of several: the first where the response begins with it, else the last.
        ("[正确答案]A<eoa>\n下一题\n[正确答案]C<eoa>", "A"),
        (" \n[正确答案]A<eoa>\n[正确答案]C<eoa>", "A"),
        ("先看：[正确答案]A<eoa>。再想，[正确答案]C<eoa>", "C"),
        # Blank ones and the instruction again are no answers.
        ("[正确答案]<eoa>\n[正确答案]C<eoa>", "C"),
        ("[正确答案]\n<eoa>", ""),
        ("请写在[正确答案]和<eoa>之间", ""),
        ("[正确答案]C<eoa>，写在[正确答案]和<eoa>之间", "C"),
        # The end in other spellings.
        ("[正确答案]A<Eoa>，而不是E", "A"),
        ("[正确答案]D\n[eoa]\nA项错误", "D"),
    ],
)
def test_what_stands_in_the_wrapper(response: str, inside: str) -> None:
    area = CHOICE.inside(response)
    assert (area.text if area else "") == inside
    assert area is None or response.startswith(area.text, area.start)


def test_a_wrapper_without_an_end_is_told_from_one_that_has_it() -> None:
    assert TERM.closed("[刑期]3年<eoa>") == (4, "3年")
    assert TERM.closed("[刑期]3年") is None


@pytest.mark.parametrize(
    ("task", "response", "official", "corrected"),
    [
        ("2-2", "[争议焦点]利息<eoa>", "利息", "利息"),
        ("2-2", "不是违约，是[争议焦点]利息<eoa>", SEVERAL, "利息"),
        ("2-2", "赔偿", NONE_OF_THEM, NONE_OF_THEM),  # an older gold label, never an option
        ("2-4", "[类别]侵权<eoa>", "侵权", "侵权"),
        ("2-4", "类别包括侵权、公司法。[类别]公司法<eoa>", SEVERAL, "公司法"),
        ("2-4", "侵 权", NONE_OF_THEM, NONE_OF_THEM),
        # Q 2-3: labels copied from the prompt count as predicted.
        (
            "2-3",
            "不是法定离婚。[类别]准予离婚、适当帮助<eoa>",
            {"法定离婚", "准予离婚", "适当帮助"},
            {"准予离婚", "适当帮助"},
        ),
        ("2-3", "离婚", NONE_OF_THEM, NONE_OF_THEM),
        ("2-3", "准予离婚，准予离婚", {"准予离婚"}, {"准予离婚"}),
        # Q 2-9: half a label does not count; no rule repairs that.
        ("2-9", "支付；卖出", {"卖出"}, {"卖出"}),
        ("2-9", "支付/给付；卖出", {"支付/给付", "卖出"}, {"支付/给付", "卖出"}),
        ("2-9", "支付", NONE_OF_THEM, NONE_OF_THEM),
    ],
)
def test_labels(task: str, response: str, official: object, corrected: object) -> None:
    check(task, response, official, corrected)


@pytest.mark.parametrize(
    ("response", "official", "corrected"),
    [
        ("[罪名]盗窃;诈骗<eoa>", {"盗窃", "诈骗"}, {"盗窃", "诈骗"}),
        # Q: naming the longer charge names the shorter one too.
        ("犯合同诈骗罪", {"合同诈骗", "诈骗"}, {"合同诈骗"}),
        ("盗窃、侮辱尸体", {"盗窃、侮辱尸体", "盗窃", "侮辱"}, {"盗窃、侮辱尸体"}),
        ("合同诈骗和诈骗", {"合同诈骗", "诈骗"}, {"合同诈骗", "诈骗"}),
        ("诈合同诈骗骗", {"合同诈骗", "诈骗"}, {"合同诈骗"}),
        # The longest of all, not the first of two that overlap.
        ("窝藏、包庇毒品犯罪分子", {"窝藏、包庇", "包庇毒品犯罪分子"}, {"包庇毒品犯罪分子"}),
        # Q: 13 gold labels are not in the list.
        ("爆炸", NONE_OF_THEM, {"爆炸"}),
        ("利用影响力受贿", {"受贿"}, {"利用影响力受贿"}),
        ("无罪", NONE_OF_THEM, NONE_OF_THEM),
    ],
)
def test_charges(response: str, official: object, corrected: object) -> None:
    check("3-3", response, official, corrected)


@pytest.mark.parametrize("charge", vocabulary.MISSING_CHARGES)
def test_every_missing_charge_is_known_to_the_corrected_rules_alone(charge: str) -> None:
    official = read("3-3", charge, Rules.OFFICIAL)
    assert official is NONE_OF_THEM or charge not in official  # type: ignore[operator]
    assert read("3-3", charge, Rules.CORRECTED) == {charge}


@pytest.mark.parametrize(
    ("task", "response", "corrected"),
    [
        # Q: a label copied from the gold costs points.
        ("1-1", "答案:第三条 略", "第三条 略"),
        ("1-1", " 答案：第三条 略", "第三条 略"),
        ("1-1", "第三条 答案:略", "第三条 答案:略"),
        ("1-1", "回答:第三条", "回答:第三条"),
        ("2-5", "回答:三天", "三天"),
        ("2-5", "\n回答：三天", "三天"),
        ("2-7", "答案:摘要", "答案:摘要"),
        ("3-8", "回答:可以。法律依据:略", "回答:可以。法律依据:略"),
    ],
)
def test_texts_are_read_as_they_are_but_for_a_copied_label(
    task: str, response: str, corrected: str
) -> None:
    check(task, response, response, corrected)


@pytest.mark.parametrize("task", ["1-1", "2-5", "2-7", "3-2", "3-8"])
def test_silence_is_an_abstention_only_under_corrected_rules(task: str) -> None:
    check(task, " \n", " \n", NONE_OF_THEM)


@pytest.mark.parametrize(
    ("response", "official", "corrected"),
    [
        ("砸毁;索要", ("砸毁", "索要"), ("砸毁", "索要")),
        # Q: only ASCII semicolons separate.
        ("砸毁；索要", ("砸毁；索要",), ("砸毁", "索要")),
        ("砸毁、索要，打,骂\n偷", ("砸毁、索要，打,骂\n偷",), ("砸毁", "索要", "打", "骂", "偷")),
        ("砸毁;;", ("砸毁", "", ""), ("砸毁",)),
        # Q: an empty response has one empty piece.
        ("", ("",), NONE_OF_THEM),
        ("；\n", ("；\n",), NONE_OF_THEM),
    ],
)
def test_trigger_words(response: str, official: object, corrected: object) -> None:
    check("2-10", response, official, corrected)


TEXTS, CHOICES, TERMS = ("1-1", "2-7", "3-2", "3-8"), ("1-2", "3-6"), ("3-4", "3-5")
EXAMPLES: list[tuple[tuple[str, ...], str, str, str]] = [
    # tasks, fix, gold, a response of which the fix alone changes what is made
    (TEXTS, LawBenchFix.WORDS, "甲方应当付款。", "甲方应当付款。\n\n乙方"),
    (TEXTS, LawBenchFix.EPSILON, "甲方应当付款。", "甲方应当付款。"),
    (TEXTS, LawBenchFix.SILENCE, "甲方应当付款。", "\n"),
    (("1-1",), LawBenchFix.LABEL, "答案:甲方应当付款。", "答案:甲方应当付款。"),
    (("2-5",), LawBenchFix.LABEL, "回答:三天", "回答:三天"),
    (("2-5",), LawBenchFix.SILENCE, "回答:三天", ""),
    (CHOICES, LawBenchFix.WRAPPER, "正确答案：B。", "A错，[正确答案]B<eoa>"),
    (CHOICES, LawBenchFix.LETTERS, "正确答案：B。", "Answer: B"),
    (("2-8",), LawBenchFix.WRAPPER, "[正确答案]B<eoa>", "A错，[正确答案]B<eoa>"),
    (("2-8",), LawBenchFix.LETTERS, "[正确答案]B<eoa>", "答案是Ｂ"),
    (("2-1",), LawBenchFix.SOURCE, "他们开会。", "他们开会。"),
    (("2-1",), LawBenchFix.ALIGNMENT, "他们开会。", "开再他会。"),
    (("2-1",), LawBenchFix.WHOLE, "他们开会。", "修改后的句子：他们开会。"),
    (("2-2",), LawBenchFix.WRAPPER, "争议焦点类别：利息。", "不是违约，[争议焦点]利息<eoa>"),
    (("2-2",), LawBenchFix.JUDGED, "争议焦点类别：赔偿。", "不知道"),
    (("2-3",), LawBenchFix.WRAPPER, "类别:准予离婚。", "不是法定离婚，[类别]准予离婚<eoa>"),
    (("2-4",), LawBenchFix.WRAPPER, "公司法", "不是侵权，[类别]公司法<eoa>"),
    (("2-6",), LawBenchFix.SEPARATORS, "受害人:乙某", "受害人：乙某；时间：昨日"),
    (("2-6",), LawBenchFix.LINES, "受害人:乙某、丙某", "受害人：乙某\n受害人：丙某"),
    (("2-6",), LawBenchFix.NOTHING, "受害人:乙某", "受害人：乙某\n地点：不详"),
    (("2-6",), LawBenchFix.REPORTED, "受害人:乙某", "没有"),
    (("2-6",), LawBenchFix.EPSILON, "受害人:乙某", "受害人：乙某"),
    (("2-10",), LawBenchFix.EPSILON, "砸毁;索要", "砸毁;索要"),
    (("2-10",), LawBenchFix.SEPARATORS, "砸毁;索要", "砸毁；索要"),
    (("2-10",), LawBenchFix.MATCHING, "砸毁;索要", "索要;砸毁"),
    (("3-1",), LawBenchFix.ARTICLES, "法条:刑法第264条", "刑法第264条第1款"),
    (("3-3",), LawBenchFix.LONGEST, "罪名:合同诈骗", "合同诈骗"),
    (("3-3",), LawBenchFix.CHARGES, "罪名:爆炸", "爆炸"),
    (TERMS, LawBenchFix.WRAPPER, "刑期:18个月", "有人判了6个月。[刑期]18个月<eoa>"),
    (TERMS, LawBenchFix.YEARS, "刑期:42个月", "三年六个月"),
    (TERMS, LawBenchFix.SPACES, "刑期:12个月", "12 个月"),
    (TERMS, LawBenchFix.DATES, "刑期:36个月", "2016年3月28日判处三年"),
    (TERMS, LawBenchFix.CLIP, "刑期:0个月", "9999个月"),
    (TERMS, LawBenchFix.JUDGED, "刑期:无期", "不知道"),
    (
        ("3-7",),
        LawBenchFix.SINGLE,
        "上文涉及到的犯罪金额:3900.0元。",
        "3900元加1000元，[金额]4900元<eoa>",
    ),
    (("3-7",), LawBenchFix.UNITS, "上文涉及到的犯罪金额:15000.0元。", "1.5万元"),
]
DIFFERENCES = {
    (task, name): (gold, response) for tasks, name, gold, response in EXAMPLES for task in tasks
}
REPAIRS = [(task.id, name) for task in SUITE.tasks.values() for name in task.fixes]


def scored_with(fixes: frozenset[str], task: str, gold: str, response: str) -> Scored:
    source = "他门开会。"
    sample = LawBenchSample("0", "改错。\n句子：", source, gold, f"改错。\n句子：\n{source}<eoh>\n")
    rule_set = SUITE.tasks[task].rules(fixes, None)
    return score_response(rule_set, sample, Response(status=Status.ANSWERED, text=response))


@pytest.mark.parametrize(("task", "name"), REPAIRS)
def test_every_fix_alone_makes_a_difference(task: str, name: str) -> None:
    gold, response = DIFFERENCES[task, name]
    official = scored_with(frozenset(), task, gold, response)
    fixed = scored_with(frozenset({name}), task, gold, response)
    assert (fixed.metrics, fixed.answer) != (official.metrics, official.answer)


def test_every_fix_belongs_to_a_task_and_has_a_sentence() -> None:
    assert set(DIFFERENCES) == set(REPAIRS)
    assert {name for _, name in REPAIRS} == set(LawBenchFix)


def test_tasks_are_those_of_the_data() -> None:
    assert tuple(SUITE.tasks) == TASK_IDS


def test_no_label_contains_another_except_among_charges() -> None:
    def nested(options: tuple[str, ...]) -> int:
        return sum(a != b and a in b for a in options for b in options)

    assert nested(vocabulary.CHARGES) == 29
    for options in (
        vocabulary.DISPUTE_FOCUSES,
        vocabulary.MARITAL_LABELS,
        vocabulary.TOPICS,
        vocabulary.ENTITY_TYPES,
        vocabulary.EVENTS,
    ):
        assert nested(options) == 0


@pytest.mark.shared
def test_vocabularies_are_the_published_ones(shared: Path) -> None:
    file = shared / "data" / "LawBench" / "notes" / "options.json"
    published = {
        task: set(options) for task, options in json.loads(file.read_text("utf-8")).items()
    }
    letters = {"1-2": set("ABCD"), "3-6": set("ABCD"), "2-8": set("ABCDE")}
    assert published == letters | {
        "2-2": set(vocabulary.DISPUTE_FOCUSES),
        "2-3": set(vocabulary.MARITAL_LABELS),
        "2-4": set(vocabulary.TOPICS),
        "2-6": set(vocabulary.ENTITY_TYPES),
        "2-9": set(vocabulary.EVENTS),
        "3-3": set(vocabulary.CHARGES),
    }
