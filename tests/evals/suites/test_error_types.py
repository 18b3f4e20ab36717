"""Error types of graded answers: what scripted graders say of fictional ones, and what follows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from tests.evals.grading.rubrics import graded_by
from tests.evals.suites.test_claw_cases_score import SAMPLE as GUIDING
from tests.evals.suites.test_plawbench_breakdown import NAME, graded_run
from tests.evals.suites.test_plawbench_score import item, sample, scored, sheet
from tests.law.library.citing_laws import CLOSED, LANTERNS_2005, LANTERNS_2009, write_laws

from hengfa.base.errors import UsageError
from hengfa.cli.main import cli
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.grading.error_types import PREFIX, By
from hengfa.evals.grading.rubric import (
    Deduction,
    Gate,
    Item,
    Order,
    OrderKind,
    Penalty,
    Rubric,
    Section,
)
from hengfa.evals.grading.verdict import Reply, Sheet, verdict_code
from hengfa.evals.suites.base import Attempt
from hengfa.evals.suites.claw_cases.rules import DIMENSIONS, CaseRules
from hengfa.evals.suites.claw_cases.rules import ERROR_TYPES as CASE_TYPES
from hengfa.evals.suites.claw_cases.rules import submission as case_submission
from hengfa.evals.suites.plawbench.dataset import (
    CASE,
    CONSULTATION,
    CONSULTATION_PENALTIES,
    DEFENDANT,
    PLAINTIFF,
)
from hengfa.evals.suites.plawbench.error_types import ERROR_TYPES
from hengfa.evals.suites.scoring import score_attempt
from hengfa.law.library.building.build import build_library
from hengfa.law.library.store import default_file

__all__ = ["graded_run"]

Awards = dict[str, tuple[float, str]]


class Told(NamedTuple):
    """Which types an answer has, and which cannot be told."""

    has: set[str]
    open: set[str]


def told(metrics: Any) -> Told:
    errors = {
        name.removeprefix(PREFIX): value
        for name, value in metrics.items()
        if name.startswith(PREFIX)
    }
    return Told(
        {name for name, value in errors.items() if value},
        {name for name, value in errors.items() if value is None},
    )


LAW = {"invented_law", "old_version", "wrong_content", "wrong_number"}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[None]:
    """The laws of the coast as the library of the machine."""
    build_library([write_laws(tmp_path / "laws")], default_file())
    yield


# --- consultations ---

CONSULTED = Rubric(
    "c",
    10,
    (
        Section(
            "提问",
            "应当追问的要点",
            10,
            (
                Item("伞", "伞是谁的", 3),
                Item("借条", "有无借条", 3),
                Item("何时", "何时借走", 2),
                Item("约定", "是否约定归还", 2),
            ),
        ),
    ),
    penalties=CONSULTATION_PENALTIES,
)
QUESTIONS = "\n".join(
    ["1. 伞是谁的？", "2. 有没有借条？", "3. 何时借走的？", "4. 约定过归还吗？"]
    + [f"{number}. 第{number}天下雨了吗？" for number in range(5, 11)]
)
ALL_ASKED: Awards = {
    "伞": (3.0, "伞是谁的"),
    "借条": (3.0, "有没有借条"),
    "何时": (2.0, "何时借走的"),
    "约定": (2.0, "约定过归还吗"),
}
NO = (0.0, "")
ADVICE = "\n".join(
    [
        "1. 伞是谁的？",
        *(f"{number}. 您应当立即起诉，主张全部赔偿，不必等待。" for number in range(2, 12)),
    ]
)


@pytest.mark.parametrize(
    ("text", "awards", "faults", "has"),
    [
        (QUESTIONS, ALL_ASKED, (), set()),
        (QUESTIONS, ALL_ASKED | {"伞": NO}, (), {"core"}),
        (QUESTIONS, ALL_ASKED | {"借条": NO}, (), {"core", "proof"}),
        (QUESTIONS, ALL_ASKED | {"何时": NO}, (), {"timing"}),
        (QUESTIONS, ALL_ASKED | {"约定": NO}, (), {"terms"}),
        (QUESTIONS, ALL_ASKED | {"约定": (1.0, "约定过归还吗")}, (), set()),
        (QUESTIONS + "\n" + "\n".join(f"{n}. 还有吗？" for n in range(11, 27)), ALL_ASKED, (),
         {"too_many"}),
        ("1. 伞是谁的？有没有借条？何时借走的？约定过归还吗？", ALL_ASKED, (), {"too_few"}),
        (ADVICE, {"伞": (3.0, "伞是谁的"), "借条": NO, "何时": NO, "约定": NO}, (),
         {"role", "core", "proof", "timing", "terms"}),
        (QUESTIONS, ALL_ASKED, ("harm-slight", "honesty-grave"), {"harm", "dishonesty"}),
        (QUESTIONS, ALL_ASKED, ("bias-worst",), {"bias"}),
    ],
)  # fmt: skip
def test_consultations(text: str, awards: Awards, faults: tuple[str, ...], has: set[str]) -> None:
    asked = sample(CONSULTATION, CONSULTED)
    assert told(scored(asked, sheet(awards, faults), text=text).metrics) == (has, set())


# --- cases ---

FACT = Item("f1", "甲借伞", 5, deductions=(Deduction("date", "没有日期", 2),))
OPPOSITE = Gate("opposite", "结论相反")
ANALYSED = Rubric(
    "case",
    55,
    (
        Section("结论", "结论", 10, (item("c1", 5, gates=(OPPOSITE,)), item("c2", 5))),
        Section("案件事实", "案件事实", 10, (FACT, item("f2", 5))),
        Section(
            "推理过程", "推理过程", 30, (item("r1", 10), item("r2", 10), item("r3", 10)),
            order=Order(OrderKind.STRICT, (("r1", "r2"), ("r1", "r3"), ("r2", "r3"))),
        ),
        Section("法条依据", "法条依据", 5, (item("s1", 5, statute=True),)),
    ),
)  # fmt: skip
CITED = "《云港海岸法》第四条"
ANALYSIS = """【结论】甲应当还伞，也应当付租金。
【案件事实】甲借了三把伞。天下雨了。
【推理过程】先看借用关系。再看归还期限。最后看租金约定。
【法条依据】{law}"""
RIGHT = ANALYSIS.format(law=f"{CITED}。")
EARNED: Awards = {
    "c1": (5.0, "甲应当还伞"),
    "c2": (5.0, "也应当付租金"),
    "f1": (5.0, "甲借了三把伞"),
    "f2": (5.0, "天下雨了"),
    "r1": (10.0, "先看借用关系"),
    "r2": (10.0, "再看归还期限"),
    "r3": (10.0, "最后看租金约定"),
    "s1": (5.0, "海岸法"),
}
SWAP: Awards = {"r1": (10.0, "再看归还期限"), "r2": (10.0, "先看借用关系")}


@pytest.mark.parametrize(
    ("awards", "faults", "has"),
    [
        ({}, (), set()),
        ({"c1": NO, "c2": NO}, (), {"characterisation"}),
        ({"c2": NO}, (), {"incomplete_conclusion"}),
        ({"c2": (3.0, "也应当付租金")}, (), {"incomplete_conclusion"}),
        ({"c2": NO}, ("opposite",), {"characterisation"}),
        ({"f2": NO}, (), {"missing_facts"}),
        ({}, ("date",), {"fact_details"}),
        (SWAP, (), {"wrong_order"}),
        (SWAP | {"r3": NO}, (), {"wrong_order", "missing_steps"}),
        ({"r2": NO}, (), {"missing_steps"}),
        ({"r2": (4.0, "再看归还期限")}, (), {"loose_steps"}),
        ({"s1": NO}, (), {"missing_statutes"}),
    ],
)
def test_cases(awards: Awards, faults: tuple[str, ...], has: set[str]) -> None:
    """Citations are not looked up, so what they are worth is open."""
    metrics = scored(sample(CASE, ANALYSED), sheet(EARNED | awards, faults), text=RIGHT).metrics
    assert told(metrics) == (has, LAW)


def test_a_case_without_a_part_lacks_it_whatever_a_grader_says() -> None:
    text = RIGHT.replace("【法条依据】", "依据：")
    metrics = scored(sample(CASE, ANALYSED), sheet(EARNED), text=text).metrics
    assert told(metrics).has == {"missing_part"}


@pytest.mark.parametrize(
    ("law", "has", "open_"),
    [
        (f"{CITED}。\n2019年5月5日", set(), set()),
        ("《云港海岸法》第九十条。\n2019年5月5日", {"invented_law"}, set()),
        (f"{CITED}规定：“{LANTERNS_2005}”\n2019年5月5日", {"old_version"}, set()),
        (f"{CITED}规定：“{LANTERNS_2005}”", set(), {"old_version"}),
        (f"{CITED}规定：“{CLOSED}”\n2019年5月5日", {"wrong_number"}, set()),
        (f"{CITED}规定：“{LANTERNS_2009.replace('应当', '可以')}”\n2019年5月5日",
         {"wrong_content"}, set()),
        ("没有引用任何法律。", {"missing_statutes"}, set()),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("library")
def test_citations_of_cases(law: str, has: set[str], open_: set[str]) -> None:
    awards = EARNED if "海岸法" in law else EARNED | {"s1": NO}
    asked = sample(CASE, ANALYSED, law=True)
    text = ANALYSIS.format(law=law)
    assert told(scored(asked, sheet(awards), text=text).metrics) == (has, open_)


# --- documents ---


def leaf(name: str, title: str, group: str) -> Section:
    return Section(name, title, 10, (item(f"{name}.1", 5), item(f"{name}.2", 5)), group=group)


UNIFIED = (
    Penalty("p1", "法条准确：每出现一项错误，扣10分", 10),
    Penalty("p2", "文书规范：格式不正确，扣10分", 10),
)
CLAIMED = Rubric(
    "p",
    50,
    (
        leaf("1", "被告", "告谁、去哪里告"),
        leaf("2", "管辖", "告谁、去哪里告"),
        leaf("3", "主请求", "诉讼请求"),
        leaf("4", "利息", "诉讼请求"),
        leaf("5", "借伞经过", "事实"),
    ),
    UNIFIED,
)
DEFENDED = Rubric(
    "d",
    40,
    (
        leaf("1", "伞的所有权", "核心抗辩"),
        leaf("2", "伞骨的损失", "损失金额"),
        leaf("3", "主体不适格", "实体抗辩"),
        leaf("4", "标题", "格式"),
    ),
    UNIFIED,
)


def document(title: str, length: int = 2600) -> str:
    return f"{title}\n甲借走了伞。" + "伞" * (length - len(title) - 6)


def earned(rubric: Rubric, **lost: float) -> Awards:
    return {
        one.id: (lost.get(f"i{one.id.replace('.', '_')}", 5.0), "甲借走了伞")
        for one in rubric.items()
    }


@pytest.mark.parametrize(
    ("text", "lost", "faults", "has"),
    [
        (document("民事起诉状"), {}, (), set()),
        (document("民事起诉状"), {"i1_1": 0}, (), {"parties"}),
        (document("民事起诉状"), {"i2_2": 0}, (), {"jurisdiction"}),
        (document("民事起诉状"), {"i3_1": 0}, (), {"claims"}),
        (document("民事起诉状"), {"i4_1": 0}, (), {"amounts"}),
        (document("民事起诉状"), {"i5_1": 2}, (), {"unclear_facts"}),
        (document("民事起诉状"), {}, ("p1",), {"law_application"}),
        (document("民事起诉状", 1000), {}, ("p2",), {"form", "too_short"}),
        (document("民事答辩状", 4000), {}, (), {"wrong_document", "too_long"}),
    ],
)
def test_statements_of_claim(
    text: str, lost: dict[str, float], faults: tuple[str, ...], has: set[str]
) -> None:
    said = sheet(earned(CLAIMED, **lost), faults)
    assert told(scored(sample(PLAINTIFF, CLAIMED), said, text=text).metrics) == (has, LAW)


@pytest.mark.parametrize(
    ("text", "lost", "faults", "has", "open_"),
    [
        (document("民事答辩状"), {}, (), set(), set()),
        (document("民事答辩状"), {"i1_1": 0}, (), set(), set()),
        (document("民事答辩状"), {"i1_1": 0, "i1_2": 0}, (), {"unanswered"}, set()),
        (document("民事答辩状"), {"i2_1": 0}, (), {"amounts"}, set()),
        (document("民事答辩状"), {"i2_1": 0, "i2_2": 0}, (), {"amounts", "unanswered"}, set()),
        (document("民事答辩状"), {"i3_1": 0}, (), {"parties"}, set()),
        (document("民事答辩状"), {"i4_1": 0}, (), {"form"}, set()),
        (document("民事起诉状"), {}, ("p2",), {"wrong_document", "form"}, set()),
        (document("关于伞的话"), {}, (), set(), {"wrong_document"}),
    ],
)
def test_defences(
    text: str, lost: dict[str, float], faults: tuple[str, ...], has: set[str], open_: set[str]
) -> None:
    """The rubric has no section of facts or of jurisdiction: of these nothing can be told."""
    said = sheet(earned(DEFENDED, **lost), faults)
    told_ = told(scored(sample(DEFENDANT, DEFENDED), said, text=text).metrics)
    assert told_ == (has, LAW | open_ | {"unclear_facts", "jurisdiction"})


def test_a_defence_whose_rubric_asks_for_no_answers_leaves_none_out() -> None:
    only_form = Rubric("d", 10, (leaf("4", "标题", "格式"),))
    said = sheet({"4.1": NO, "4.2": NO})
    found = told(scored(sample(DEFENDANT, only_form), said, text=document("民事答辩状")).metrics)
    assert "unanswered" in found.open and found.has == {"form"}


@pytest.mark.usefixtures("library")
def test_citations_of_documents() -> None:
    text = document("民事起诉状").replace("甲借走", "依照《云港海岸法》第九十条，甲借走")
    asked = sample(PLAINTIFF, CLAIMED, law=True)
    assert told(scored(asked, sheet(earned(CLAIMED)), text=text).metrics).has == {"invented_law"}


# --- CLaw's cases ---

REASONS = "本院认为，看守人应当点灯，原判正确。"
OF_2019 = replace(GUIDING, case=replace(GUIDING.case, issued=date(2019, 5, 5)), law=True)


def rated(text: str, *bad: str, given: tuple[str, ...] = tuple(DIMENSIONS)) -> Told:
    awards: list[dict[str, Any]] = [
        {"id": name, "level": "Bad" if name in bad else "Normal", "evidence": [text[:9]]}
        for name in given
    ]
    awards.append({"id": "overall", "points": 50, "evidence": [text[:9]]})
    verdict = {"awards": awards, "code": verdict_code(text)}
    said = Sheet("g", (Reply("grade", "answered", json.dumps(verdict)),))
    graded = graded_by(case_submission(OF_2019, text), said)
    attempt = Attempt(OF_2019, Response(Status.ANSWERED, text), graded)
    return told(score_attempt(CaseRules(), attempt).metrics)


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("text", "bad", "has"),
    [
        (REASONS, (), set()),
        (REASONS, ("reasoning",), {"loose_reasoning"}),
        (REASONS, ("knowledge", "structure"), {"wrong_knowledge", "no_structure"}),
        (REASONS, ("clarity", "conciseness"), {"unclear_view", "wordy"}),
        ("抱歉，我无法提供相关法律意见。", (), {"refusal"}),
        (f"{CITED}规定：“{LANTERNS_2005}”", (), {"old_version"}),
        (f"{CITED}规定：“{LANTERNS_2009}”", (), set()),
        ("依照《云港渔港法》第二条，船只应当登记。", (), {"old_version"}),
        ("依照《云港海岸法》第九十条，应当点灯。", ("knowledge",),
         {"invented_law", "wrong_knowledge"}),
    ],
)  # fmt: skip
def test_reasons_of_guiding_cases(text: str, bad: tuple[str, ...], has: set[str]) -> None:
    assert rated(text, *bad) == (has, set())


@pytest.mark.usefixtures("library")
def test_a_label_that_was_not_given_leaves_its_type_open() -> None:
    assert rated(REASONS, given=("reasoning",)).open == {
        "wrong_knowledge", "no_structure", "unclear_view", "wordy",
    }  # fmt: skip


# --- whatever the task ---

DECIDED = [type_ for type_ in ERROR_TYPES[CASE] if type_.decide is not None]


def test_types_are_named_once_in_both_languages_and_say_who_decides() -> None:
    for types in (*ERROR_TYPES.values(), CASE_TYPES):
        assert len({type_.id for type_ in types}) == len(types)
        assert all(type_.title and type_.title_en for type_ in types)
        assert {type_.by for type_ in types} == set(By)


def test_what_needs_no_grader_is_told_without_one() -> None:
    text = RIGHT.replace("【结论】", "")
    found = told(scored(sample(CASE, ANALYSED), text=text).metrics)
    assert found.has == {"missing_part"}
    by_grader = {type_.id for type_ in DECIDED if type_.by is By.GRADER}
    assert found.open == by_grader | LAW | {"wrong_order"}


def test_silence_has_no_errors_for_it_is_no_answer() -> None:
    metrics = scored(sample(CASE, ANALYSED), sheet(EARNED), text="", status=Status.FILTERED).metrics
    assert told(metrics) == (set(), {type_.id for type_ in DECIDED})


def test_findings_say_who_decided_and_what_shows_it() -> None:
    given = sheet(EARNED | SWAP | {"s1": NO})
    trace = scored(sample(CASE, ANALYSED), given, text=RIGHT).score.explain()
    found = {one.label: one for one in trace.findings if one.label.startswith("error: ")}
    assert list(found) == ["error: wrong order of steps", "error: omits core statutes"]
    order, statutes = found.values()
    assert (order.note, statutes.note, statutes.given) == ("rule", "grader", "s1")
    assert all(RIGHT[slice(*span)] in {"先看借用关系", "再看归还期限"} for span in order.spans)
    assert order.spans and order.points is None


@pytest.mark.usefixtures("library")
def test_a_wrong_citation_is_shown_where_it_stands() -> None:
    text = ANALYSIS.format(law="《云港海岸法》第九十条")
    trace = scored(sample(CASE, ANALYSED, law=True), sheet(EARNED), text=text).score.explain()
    (found,) = (one for one in trace.findings if "does not exist" in one.label)
    assert found.note == "rule; 《云港海岸法》第九十条: no such position"
    assert [text[slice(*span)] for span in found.spans] == ["《云港海岸法》第九十条"]


# --- the command ---


def test_the_command_gives_shares_of_answers(graded_run: Path) -> None:
    asked = ["results", "plawbench", "--run", NAME, "--errors", "--runs", str(graded_run)]
    shown = CliRunner().invoke(cli, asked)
    assert shown.exit_code == 0, shown.output
    for word in ("omits core statutes", "缺少核心法条", "rule", "grader", "too short"):
        assert word in shown.output
    document_ = json.loads(CliRunner().invoke(cli, [*asked, "--json"]).output)
    of_case = {row["id"]: row for row in document_["tasks"]["case"]}
    assert list(of_case) == [type_.id for type_ in ERROR_TYPES[CASE]]
    assert of_case["wrong_order"]["by"] == "rule"
    assert of_case["wrong_order"]["samples"] == 2, "of the four rubrics two ask for an order"
    assert of_case["missing_statutes"]["value"] == 1
    assert of_case["invented_law"] == {
        "id": "invented_law",
        "by": "rule",
        "asked": "",
        "title": "援引不存在的条文",
        "title_en": "cites law that does not exist",
        "source": "",
        "value": None,
    }


def test_the_command_needs_a_run_of_a_suite_with_types(graded_run: Path) -> None:
    for more in ([], ["--run", NAME, "--by", "scenario"]):
        refused = CliRunner().invoke(
            cli, ["results", "plawbench", "--errors", *more, "--runs", str(graded_run)]
        )
        assert isinstance(refused.exception, UsageError)
        assert "--errors: name SUITE and --run" in str(refused.exception)
