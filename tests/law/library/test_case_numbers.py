"""Case numbers that cannot exist, with the rule; numbers that are known, with the source."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import get_args

import pytest

from hengfa.base.errors import DataError
from hengfa.law.library.case_numbers import (
    CaseReport,
    CheckedCase,
    Problem,
    Register,
    check_case_numbers,
)
from tests.cli.test_cli import hengfa

TODAY = date(2026, 11, 16)
NONE = Register()

IMPOSSIBLE = {
    "（2027）沪01民终1号": "year to come",
    "（2222）沪01民终12345号": "year to come",
    "（2031）最高法民申5号": "year to come",
    "（1948）沪民初字第3号": "year too early",
    "（1023）浦民初字第3号": "year too early",
    "（2015）沪0115民初5号": "before the standard",
    "（2012）粤03民终19号": "before the standard",
    "（2014）最高法民申18号": "before the standard",
    "（2009）京0105刑初字第7号": "before the standard",
    "（2018）浦民一（民）初字第1234号": "not of the standard",
    "（2021）沪二中民终字第45号": "not of the standard",
    "（2019）民申字第820号": "not of the standard",
    "（2020）穗中法民终66号": "not of the standard",
    "（2019）滇01民初5号": "no such court code",
    "（2020）蒙0105民初6号": "no such court code",
    "（2021）港01民初6号": "no such court code",
    "（2022）秦0102刑初6号": "no such court code",
    "（2018）沪1民终5号": "digits of the court code",
    "（2018）沪011民初5号": "digits of the court code",
    "（2020）京0105民初督12号": "two types in one",
    "（2020）京0105刑初终3号": "two types in one",
    "（2020）粤03051民初5号": "digits of the court code",
    "（2020）最高法01民终5号": "digits of the court code",
    "（2016）浙0192民初5号": "court not yet founded",
    "（2017）京0491民初8号": "court not yet founded",
    "（2017）沪74民初8号": "court not yet founded",
    "（2020）京74民终8号": "court not yet founded",
    "（2022）沪0115民终5号": "type of a higher court",
    "（2019）粤0305刑终5号": "type of a higher court",
    "（2020）京0105执复3号": "type of a higher court",
    "（2018）苏0102委赔1号": "type of a higher court",
    "（2018）沪民督2号": "type of a lower court",
    "（2018）最高法民催2号": "type of a lower court",
    "（2020）沪0115民初0号": "number zero",
}
POSSIBLE = (
    "（2022）沪01民终12345号", "（2026）沪0115民初5号", "（2016）沪0115民初1号",
    "（2020）最高法民终5号", "（2019）最高法知民终3号", "（2019）最高法商初1号",
    "（2020）最高法民初1号", "（2017）浙0192民初5号", "（2018）京0491民初8号",
    "（2018）沪74民初8号", "（2021）京74民终8号", "（2020）琼73民初1号", "（2016）京73行初8号",
    "（2017）浙72刑初1号", "（2019）兵08民终7号", "（2018）军0101刑初2号", "（2020）京7101行初2号",
    "（2018）鲁民终8号", "（2020）沪0115执异3号", "（2020）沪01执复3号", "（2019）沪0115民申4号",
    "（2018）沪0115民督2号", "（2018）沪72民督2号", "（2018）沪02委赔2号",
    "（2021）粤0106民诉前调9号", "（2019）豫9903民初9号", "（2016）沙法刑初字第5号",
    "（2016）黑0882刑初字33号", "（2015）浦民一（民）初字第1234号", "（2012）民提字第61号",
    "（86）民他字第4号", "（2010）刑三复10203040号",
)  # fmt: skip


def check(text: str, register: Register = NONE) -> CaseReport:
    return check_case_numbers(text, register, TODAY)


def one(text: str, register: Register = NONE) -> CheckedCase:
    (case,) = check(text, register).numbers
    return case


@pytest.mark.parametrize(("number", "problem"), IMPOSSIBLE.items())
def test_what_cannot_exist_has_its_reason_and_its_rule(number: str, problem: Problem) -> None:
    case = one(number)
    assert case.verdict == "cannot exist"
    assert [reason.problem for reason in case.reasons] == [problem]
    (reason,) = case.reasons
    assert reason.zh
    assert reason.en
    assert reason.rule


def test_every_problem_has_a_number() -> None:
    assert set(IMPOSSIBLE.values()) == set(get_args(Problem))
    assert len(IMPOSSIBLE) + len(POSSIBLE) >= 60


@pytest.mark.parametrize("number", POSSIBLE)
def test_what_may_exist_is_not_said_to(number: str) -> None:
    case = one(number)
    assert (case.verdict, case.reasons, case.source) == ("not known here", (), "")


def test_several_rules_may_forbid_a_number() -> None:
    problems = [reason.problem for reason in one("（2031）滇0115民终0号").reasons]
    assert problems == [
        "year to come", "number zero", "no such court code", "type of a higher court",
    ]  # fmt: skip


def test_a_court_that_is_in_no_list_is_a_remark() -> None:
    listed = Register(courts={"沪01": "上海市第一中级人民法院"})
    assert one("（2020）沪01民终1号", listed).court_name == "上海市第一中级人民法院"
    assert one("（2020）沪01民终1号", listed).remarks == ()
    assert one("（2020）京0491民初1号", listed).court_name == "北京互联网法院"
    strange = one("（2020）沪0199民初1号", listed)
    assert strange.verdict == "not known here"
    assert [remark.matter for remark in strange.remarks] == ["court not listed"]
    assert [remark.matter for remark in one("（2020）沪01民终1号").remarks] == ["no list of courts"]


def test_what_holds_for_all_numbers_is_said_once() -> None:
    found = check_case_numbers(
        "（2020）沪01民终1号、（2020）沪01民终2号", Register(), date(2026, 1, 1)
    )
    remarks = [[remark.matter for remark in number.remarks] for number in found.numbers]
    assert remarks == [["no list of courts"], []]


@pytest.mark.parametrize(
    ("number", "matter"),
    [
        ("（2021）粤0106民诉前调9号", "type not listed"),
        ("（2016）黑0882刑初字33号", "old words"),
        ("（2016）沙法刑初字第5号", "old letters in 2016"),
    ],
)
def test_what_is_only_odd_is_a_remark(number: str, matter: str) -> None:
    assert matter in [remark.matter for remark in one(number).remarks]


def test_numbers_that_differ_in_one_character_are_remarked_upon() -> None:
    text = (
        "（2022）沪01民终12345号一案。\n又见（2022）沪01民终1245号、（2022）沪02民终12345号、"
        "（2022）沪01民终12346号，再见（2022）沪 01 民终12345号之一。"
    )
    report = check(text, Register(courts={"沪01": "甲", "沪02": "乙"}))
    near = {case.number: [remark.en for remark in case.remarks] for case in report.numbers}
    assert len(near["（2022）沪01民终12345号"]) == len(near["（2022）沪01民终12345号之一"]) == 2
    assert near["（2022）沪01民终12346号"] == []  # filed one after the other
    assert near["（2022）沪02民终12345号"] == [
        "differs in one character from （2022）沪01民终12345号 in the same document"
    ]
    assert [case.line for case in report.numbers] == [1, 2, 2, 2, 2]


def test_what_a_source_has_is_known_whatever_a_rule_says(tmp_path: Path) -> None:
    ours = tmp_path / "ours.txt"
    ours.write_text("（2018）浦民一(民)初字第7号\t卷宗 2018-7\n\n(2020)沪01民终1号\n", "utf-8")
    register = Register.installed(cases=ours)
    odd = one("（2018）浦民一（民）初字第7号", register)
    assert (odd.verdict, odd.source) == ("known", "卷宗 2018-7")
    assert [reason.problem for reason in odd.reasons] == ["not of the standard"]
    assert one("〔2020〕沪 01 民终 1 号之一", register).source == "ours.txt"
    assert one("（2020）沪01民终2号", register).verdict == "not known here"


def test_lists_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "courts.csv").write_text("沪0199，某区人民法院\n京0199\t乙区人民法院\n", "utf-8")
    register = Register.installed(courts=tmp_path / "courts.csv")
    assert register.courts == {"沪0199": "某区人民法院", "京0199": "乙区人民法院"}
    (tmp_path / "bad.txt").write_text("沪0199\n", "utf-8")
    with pytest.raises(DataError, match=r"bad\.txt, row 1: expected a code"):
        Register.installed(courts=tmp_path / "bad.txt")
    with pytest.raises(DataError, match=r"bad\.txt, row 1: there is no case number"):
        Register.installed(cases=tmp_path / "bad.txt")


def test_guiding_cases_are_known_by_number() -> None:
    register = Register(guiding={9: "甲案", 24: "乙案"}, withdrawn=frozenset({9}))
    cases = check("指导案例9号、24号、指导性案例第999号、指导案例0号", register).numbers
    assert [case.verdict for case in cases] == ["known", "known", "not known here", "cannot exist"]
    assert [remark.matter for remark in cases[0].remarks] == ["withdrawn"]
    assert cases[1].source == "最高人民法院指导性案例24号：乙案"
    assert [remark.matter for remark in one("指导案例9号").remarks] == ["no guiding cases"]


# --- real documents ---


def rows(file: Path) -> Iterator[dict[str, object]]:
    yield from map(json.loads, file.read_text("utf-8").splitlines())


@pytest.mark.shared
def test_no_number_of_a_real_document_is_called_impossible(shared: Path) -> None:
    """The register is empty, so that nothing is excused for being known."""
    judgments = [str(row["document"]) for row in rows(shared / "data/JuDGE/expected.jsonl")]
    parts = ("facts", "result", "reasoning")
    guiding = [
        "\n".join(str(row[part]) for part in parts)
        for row in rows(shared / "data/guiding_cases/cases.jsonl")
    ]
    for texts, many in ((judgments, 626), (guiding, 779)):
        found = [case for text in texts for case in check(text).numbers]
        assert len(found) == many
        assert [case.written for case in found if case.reasons] == []
    assert len(judgments) == 501
    assert sum(bool(check(text).numbers) for text in judgments) == 501


@pytest.mark.shared
def test_the_packs_bring_courts_and_guiding_cases(shared: Path, tmp_path: Path) -> None:
    data = shared / "data"
    packs = {"guiding-cases": "guiding_cases", "legalagentbench": "LegalAgentBench"}
    for name, folder in packs.items():
        done = hengfa("data", "add", name, str(data / folder), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    register = Register.installed()
    assert len(register.courts) == 3582
    assert register.courts["粤0404"] == "珠海市金湾区人民法院"  # a blank follows it in the list
    assert (len(register.guiding), register.withdrawn) == (246, frozenset({9, 20}))
    first = next(rows(shared / "data/guiding_cases/cases.jsonl"))
    case, *_ = check(f"指导案例1号。{first['result']}", register).numbers[1:]
    assert (case.verdict, case.source) == ("known", f"最高人民法院指导性案例1号：{first['title']}")
