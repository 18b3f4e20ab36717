"""Guiding cases: rows, questions that give no holding away, prompts (claw.md 6)."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError
from hengfa.evals.suites.claw_cases.dataset import (
    case_prompt,
    load_questions,
    load_samples,
    make_questions,
    measure,
)
from hengfa.evals.suites.claw_cases.guiding_cases import GuidingCase, load_cases
from hengfa.evals.suites.claw_cases.questions import (
    LEAK,
    as_question,
    conclusions,
    issue_of,
    longest_run,
    make_question,
    points_of,
    read_sentence,
)

ROW: dict[str, Any] = {
    "no": 7,
    "title": "甲诉乙借伞纠纷案",
    "issued": "2020-01-01",
    "keywords": "民事/借用合同/雨伞/返还",
    "holding": "借伞人在雨停以后没有还伞，又把伞转借给别人的，应当向出借人赔偿同样的一把伞。",
    "statutes": "",
    "facts": "甲借伞给乙。",
    "result": "乙赔甲一把伞。",
    "reasoning": "法院认为，乙没有还伞。",
    "focus_sentence": None,
    "withdrawn": False,
}


def write(folder: Path, *rows: dict[str, Any] | str) -> Path:
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    (folder / "cases.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def asked(**changes: Any) -> str:
    return question(**changes)[1]


def question(**changes: Any) -> tuple[str, str]:
    made = make_question(msgspec.convert(ROW | changes, GuidingCase))
    return made.rule, made.question


# --- rows ---


def test_cases_are_read_and_withdrawn_ones_left_out(tmp_path: Path) -> None:
    root = write(tmp_path, ROW, {**ROW, "no": 9, "withdrawn": True, "judges": "丙"}, "")
    assert [case.no for case in load_cases(root)] == [7]
    assert [case.no for case in load_cases(root, withdrawn=True)] == [7, 9]


@pytest.mark.parametrize(
    "bad",
    [
        "{",
        "[]",
        {**ROW, "no": "8"},
        {**ROW, "no": 0},
        {**ROW, "no": 8, "facts": ""},
        {**ROW, "no": 8, "issued": "soon"},
        {key: value for key, value in ROW.items() if key != "reasoning"},
        ROW,
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, bad: dict[str, Any] | str) -> None:
    root = write(tmp_path, ROW, bad)
    with pytest.raises(DataError, match=r"cases\.jsonl, row 2"):
        load_cases(root)


def test_no_file_and_no_case_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cases\.jsonl"):
        load_cases(tmp_path)
    with pytest.raises(DataError, match="holds no case"):
        load_cases(write(tmp_path, {**ROW, "withdrawn": True}))


# --- questions ---


@pytest.mark.parametrize(
    ("sentence", "issue"),
    [
        ("法院生效裁判认为：本案争议焦点为乙应否还伞。", None),
        (
            "本案的争议焦点为：乙把伞转借给丙以后是否还应当还伞。",
            "乙把伞转借给丙以后是否还应当还伞？",
        ),
        (
            "本案争议的焦点问题有两个，一是伞是谁的；二是乙如何赔偿甲。",
            "一是伞是谁的；二是乙如何赔偿甲？",
        ),
        ("案件的焦点就在于乙有无正当理由不还雨伞。", "乙有无正当理由不还雨伞？"),
        ("本案主要争议在于雨停以后借用关系是否结束。", "雨停以后借用关系是否结束？"),
        ("乙把伞转借给丙的问题是本案的争议焦点问题。", "乙把伞转借给丙的问题应当如何认定？"),
        (
            "本案主要涉及伞是否属于耐用物、乙是否有过错等争议焦点问题。",
            "伞是否属于耐用物、乙是否有过错？",
        ),
        (
            "原判认定本案焦点是伞是否应当归还甲方，与本案事实相符，并无不当。",
            "伞是否应当归还甲方？",
        ),
        ("否则裁判将与当事人的争议焦点不一致。", None),
        ("乙没有还伞。", None),
    ],
)
def test_the_focus_of_dispute_is_asked_as_it_is(sentence: str, issue: str | None) -> None:
    assert issue_of(sentence) == issue


def test_the_focus_comes_before_the_holding() -> None:
    focus = "法院认为，本案的争议焦点为乙把伞转借给丙是否构成违约。"
    expected = ("focus", "乙把伞转借给丙是否构成违约？")
    assert question(focus_sentence=focus) == expected
    assert question(reasoning=f"先说事实。{focus}再说理由。") == expected


def test_headings_name_the_focus_where_a_sentence_announces_them() -> None:
    headings = ("一、关于借用关系是否结束的问题", "二、乙应否赔偿一把新伞")
    reasoning = "本案的争议焦点为：\n" + "\n如此。\n".join(headings) + "\n应当。"
    assert question(reasoning=reasoning) == (
        "focus",
        "（1）借用关系是否结束？（2）乙应否赔偿一把新伞？",
    )


@pytest.mark.parametrize(
    ("holding", "expected"),
    [
        (
            ROW["holding"],
            "借伞人在雨停以后没有还伞，又把伞转借给别人的，应当如何处理？",
        ),
        (
            "借伞人明知伞骨折断仍然还给出借人，出借人请求赔偿的，人民法院应予支持。",
            "借伞人明知伞骨折断仍然还给出借人，出借人请求赔偿的，能否得到支持？",
        ),
        (
            "出借人以口头方式约定雨停还伞的，该约定对借伞人具有法律约束力。",
            "出借人以口头方式约定雨停还伞的，该约定对借伞人的效力应当如何认定？",
        ),
        (
            "把别人晾在屋檐下的伞当作自己的伞拿走并且过了三日还不归还的，属于不当得利。",
            "把别人晾在屋檐下的伞当作自己的伞拿走并且过了三日还不归还的，在法律上应当如何认定？",
        ),
        (
            "行为人趁雨天在渡口偷走三把以上雨伞并且卖掉的，以偷伞罪定罪处罚。",
            "行为人趁雨天在渡口偷走三把以上雨伞并且卖掉的，应当如何定罪处罚？",
        ),
        (
            "判断一把用过三年的油纸伞是否已经不能再用，应当结合伞骨、伞面和伞柄的状况综合认定。",
            "判断一把用过三年的油纸伞是否已经不能再用，应当依据什么标准、考虑哪些因素？",
        ),
        (
            "伞匠在伞上注明“不得水洗，不得暴晒”，借伞人没有看见的，借伞人可以拒绝赔偿晒坏的伞。",
            "伞匠在伞上注明“不得水洗，不得暴晒”，借伞人没有看见的，借伞人享有何种权利？",
        ),
    ],
)
def test_the_conditions_of_a_holding_are_kept_and_its_conclusion_is_not(
    holding: str, expected: str
) -> None:
    assert question(holding=holding) == ("holding", expected)
    assert longest_run(expected, "\n".join(conclusions(holding))) < LEAK


def test_what_a_holding_concludes_on_the_way_is_dropped_as_well() -> None:
    holding = (
        "借伞人对转借以后的损失不具有直接的利害关系，不属于本法所说的受害人，"
        "其以自己的名义向第三人要求赔偿的，人民法院不予支持。"
    )
    made = asked(holding=holding)
    assert made.endswith("其以自己的名义向第三人要求赔偿的，能否得到支持？")
    assert "不属于" not in made
    assert "不具有" not in made


def test_every_point_of_a_holding_is_asked_for() -> None:
    holding = (
        "1.借伞人把借来的伞忘在渡船上找不回来的，应当赔偿。\n"
        "2.出借人交给借伞人的伞本来就有破洞的，借伞人不承担责任。"
    )
    assert len(points_of(holding)) == 2
    made = asked(holding=holding)
    assert made.startswith("（1）借伞人把借来的伞忘在渡船上")
    assert "（2）出借人交给借伞人的伞本来就有破洞的" in made


def test_a_turn_in_the_middle_makes_two_rules() -> None:
    sentence = "一般的雨伞不必登记，不影响买卖，但买卖绸伞没有登记的，买受人有权退伞。"
    assert [reading.conclusion for reading in read_sentence(sentence)] == [
        "不影响买卖，",
        "有权退伞。",
    ]


def test_keywords_are_the_last_resort() -> None:
    assert question(holding="伞应当归还。") == (
        "keywords",
        "本案涉及“借用合同”、“雨伞”、“返还”，法院对此应当如何认定，理由是什么？",
    )
    assert asked(
        holding="伞应当归还。", keywords="民事借伞", title="甲诉乙借伞案2020年1月1日发布）"
    ) == ("甲诉乙借伞一案，法院应当如何认定，理由是什么？")


def test_a_focus_that_tells_the_conclusion_is_not_used() -> None:
    focus = "本案的争议焦点为：乙是否应当向出借人赔偿同样的一把伞。"
    assert question(focus_sentence=focus)[0] == "holding"


def test_an_issue_without_a_question_becomes_one() -> None:
    assert as_question("竞渡期间借伞的法律适用问题").endswith("应当如何认定？")
    assert as_question("伞是否应当归还等几个方面") == "伞是否应当归还？"


@given(*[st.text("伞的，。；应当属于人民法院支持1.\n“”是否", max_size=60)] * 3)
@settings(deadline=None)
def test_any_case_gets_a_question(holding: str, reasoning: str, keywords: str) -> None:
    made = make_question(
        GuidingCase(
            no=1,
            title="甲诉乙案",
            issued=date(2020, 1, 1),
            keywords=keywords,
            holding=holding,
            statutes="",
            facts="",
            result="",
            reasoning=reasoning,
        )
    )
    assert made.question
    assert made.leak <= made.overlap or not conclusions(holding)


def test_the_longest_run_is_counted_without_punctuation() -> None:
    assert longest_run("甲，乙丙丁。", "丁甲乙、丙戊") == 3
    assert longest_run("", "甲") == longest_run("甲", "乙") == 0


# --- questions of others, prompts ---


def test_questions_of_others_are_checked_and_used(tmp_path: Path) -> None:
    cases = load_cases(write(tmp_path, ROW))
    file = tmp_path / "q.jsonl"

    def rows(*written: dict[str, Any]) -> Path:
        file.write_text("".join(json.dumps(row) + "\n" for row in written), "utf-8")
        return file

    mine = {"no": 7, "question": "乙应当还什么？", "rule": "a person", "leak": 99}
    (found,) = load_questions(rows(mine, {**mine, "no": 8}), cases)
    assert (found.question, found.rule, found.leak) == ("乙应当还什么？", "a person", 2)
    for bad, problem in (
        ([mine, mine], "row 2, field 'no': case 7 has two"),
        ([{**mine, "no": 8}], "no question for 1 cases, the first is 7"),
        ([{**mine, "question": ""}], "row 1"),
        ([{**mine, "question": f"为什么{ROW['holding']}"}], "gives the holding away"),
    ):
        with pytest.raises(DataError, match=problem):
            load_questions(rows(*bad), cases)


def test_the_prompt_has_facts_result_and_question_but_neither_reasons_nor_holding() -> None:
    for sample in load_samples(sample_root() / "claw-cases"):
        (message,) = case_prompt(sample)
        for heading, text in (
            ("【基本案情】", sample.case.facts),
            ("【裁判结果】", sample.case.result),
            ("【问题】", sample.question.question),
        ):
            assert f"{heading}\n{text}" in message.content
        assert sample.reference not in message.content
        assert sample.case.holding not in message.content


def test_the_cases_of_the_sample_pack() -> None:
    samples = load_samples(sample_root() / "claw-cases")
    assert [sample.id for sample in samples] == ["1", "2", "3"]
    assert all("月湖" in sample.case.statutes for sample in samples)
    assert {sample.question.rule for sample in samples} == {"focus", "holding"}


# --- the real cases ---


@pytest.mark.shared
def test_all_guiding_cases_get_a_question_that_gives_no_holding_away(shared: Path) -> None:
    root = shared / "data" / "guiding_cases"
    everything = load_cases(root, withdrawn=True)
    assert len(everything) == 246
    assert {case.no for case in everything} - {case.no for case in load_cases(root)} == {9, 20}
    questions = make_questions(everything)
    assert max(question.leak for question in questions) < LEAK
    rules = Counter(question.rule for question in questions)
    assert rules["focus"] >= 60
    assert rules["keywords"] <= 12
    assert all(question.question.endswith("？") for question in questions)
    named = {case.no for case in everything if case.focus_sentence}
    by_focus = {question.no for question in questions if question.rule == "focus"}
    # the others name no issue, or one that tells the conclusion
    assert len(named - by_focus) <= 8
    assert measure(questions)["longest leak"] == max(question.leak for question in questions)


@pytest.mark.shared
def test_what_a_holding_says_last_is_in_no_question(shared: Path) -> None:
    """Measured another way: the words after the last 应当, 不予, 构成 … of each holding."""
    for case, made in zip(
        cases := load_cases(shared / "data" / "guiding_cases", withdrawn=True),
        make_questions(cases),
        strict=True,
    ):
        for sentence in case.holding.replace("；", "。").split("。"):
            for mark in ("应当", "应予", "不予", "构成", "属于", "不得", "有权"):
                told = sentence.rpartition(mark)
                if told[1] and "，" not in told[2]:
                    assert longest_run(made.question, told[1] + told[2]) < LEAK, case.no
