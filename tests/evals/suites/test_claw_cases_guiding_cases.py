"""Guiding cases out of their public pages: two layouts, their markup, what is refused, parity."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.base.errors import DataError
from hengfa.evals.suites.claw_cases.dataset import make_questions
from hengfa.evals.suites.claw_cases.guiding_cases import (
    PAGES,
    READS,
    SECTIONS,
    derive,
    load_cases,
    read_case,
)

(SOURCE,) = READS
PAGE = Path("page.md")
OLD = """### 指导案例1号：甲诉乙借伞...
原文网址：https://court.example/1.html

甲诉乙

借伞纠纷案

（最高人民法院审判委员会讨论通过

2020年1月2日发布）

关键词民事借用合同 雨伞

裁判要点

借伞应还。

相关法条

《月湖雨伞条例》第3条

基本案情

乙向甲借伞，见月伞\\[2019\\]7号借条。

雨停未还。

裁判结果

乙还甲一把伞。

裁判理由

甲是出借人。本案的争议焦点为：雨停以后应否还伞？乙说不必。审判人员不信。

（生效裁判审判人员：丙、丁）
"""
NEW = """## 指导性案例2号：戊偷伞案\x20\x20
====
\u3000\u3000**（最高人民法院审判委员会讨论通过 2023年10月20日发布）**

\u3000\u3000**关键词** \xa0刑事/偷伞/
绸伞
\u3000\u3000**裁判要点**
\u3000\u3000偷伞有罪。
\u3000\u3000**基本案情**
\u3000\u3000戊偷伞3*2把。
\u3000\u3000**裁判结果**
\u3000\u3000戊有罪。
\u3000\u3000**裁判理由**
\u3000\u3000**一、关于伞**
\u3000\u3000案件的焦点就在于伞。
\u3000\u3000**相关法条**
\u3000\u3000《月湖雨伞条例》第4条
"""


def pages(folder: Path, *texts: str | bytes) -> dict[str, Path]:
    """A source with these pages."""
    for number, text in enumerate(texts):
        file = folder / PAGES.replace("*", str(number))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return {SOURCE: folder}


def numbered(no: int) -> str:
    return NEW.replace("2号", f"{no}号")


def test_an_older_page_has_address_judges_and_a_title_in_lines() -> None:
    case = read_case(OLD, PAGE)
    assert (case.no, case.title, str(case.issued)) == (1, "甲诉乙借伞纠纷案", "2020-01-02")
    assert case.keywords == "民事借用合同 雨伞"
    assert case.holding == "借伞应还。"
    assert case.statutes == "《月湖雨伞条例》第3条"
    assert case.facts == "乙向甲借伞，见月伞[2019]7号借条。\n雨停未还。"
    assert case.reasoning.endswith("审判人员不信。")
    assert case.focus_sentence == "本案的争议焦点为：雨停以后应否还伞？乙说不必。"
    assert case.judges == "生效裁判审判人员：丙、丁"
    assert case.url == "https://court.example/1.html"
    assert not case.withdrawn


def test_a_newer_page_has_its_title_in_the_heading_and_the_statutes_last() -> None:
    case = read_case(NEW, PAGE)
    assert (case.no, case.title, str(case.issued)) == (2, "戊偷伞案", "2023-10-20")
    assert case.keywords == "刑事/偷伞/\n绸伞"
    assert case.facts == "戊偷伞3*2把。"
    assert case.reasoning == "一、关于伞\n案件的焦点就在于伞。"
    assert case.statutes == "《月湖雨伞条例》第4条"
    assert case.focus_sentence is case.judges is case.url is None


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("\u3000指导性案例2号戊偷伞\n\u3000\u3000**并卖伞案**", "戊偷伞并卖伞案"),
        ("- 指导性案例2号**戊偷伞案**", "戊偷伞案"),
        ("### ### 指导性案例2号：戊偷...\n戊偷伞案", "戊偷伞案"),
    ],
)
def test_a_title_is_read_whichever_way_it_is_set(heading: str, title: str) -> None:
    assert read_case(heading + NEW[NEW.index("\n") :], PAGE).title == title


@pytest.mark.parametrize(
    "sentence", ["争议焦点是伞。", "本案争议的焦点是伞。", "焦点问题是伞。", "主要争议在于伞"]
)
def test_the_first_sentence_that_names_the_disputed_point_is_the_focus(sentence: str) -> None:
    page = NEW.replace("案件的焦点", f"先说事实。{sentence}\n争议焦点还是伞。案件的焦点")
    assert read_case(page, PAGE).focus_sentence == sentence


@pytest.mark.parametrize("label", ["关键词：", "关键词:", "关键词\u3000", "**关键词**\n"])
def test_keywords_follow_their_name_after_any_mark(label: str) -> None:
    page = OLD.replace("关键词民事", f"{label}民事")
    assert read_case(page, PAGE).keywords == "民事借用合同 雨伞"


def test_judges_of_a_judgment_are_no_reasons() -> None:
    case = read_case(OLD.replace("生效裁判审判", "生效判决审判"), PAGE)
    assert case.judges == "生效判决审判人员：丙、丁"
    assert "丙" not in case.reasoning


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("指导案例1号", "案例1号", "page.md, row 1: does not begin with the number"),
        ("指导案例1号", "指导案例0号", "field 'no'"),
        ("2020年1月2日发布", "发布", "field 'issued': does not say when"),
        ("2020年1月2日", "2020年2月30日", "field 'issued'"),
        ("裁判要点", "要点", "field '裁判要点': the section is missing"),
        ("裁判结果", "裁判要点", "field '裁判要点': the section is there twice"),
        ("借伞应还。", "", "field 'holding'"),
    ],
)
def test_a_page_that_is_none_of_a_case_is_named_with_the_place(
    old: str, new: str, problem: str
) -> None:
    with pytest.raises(DataError, match=problem):
        read_case(OLD.replace(old, new), PAGE)


@given(
    st.lists(st.sampled_from([*OLD.split("\n"), *NEW.split("\n"), *SECTIONS]) | st.text()),
    st.sampled_from(["", OLD, NEW]),
)
def test_any_page_is_a_case_or_refused(lines: list[str], before: str) -> None:
    try:
        case = read_case(before + "\n".join(lines), PAGE)
    except DataError:
        return
    assert case.title
    assert case.reasoning
    assert case.focus_sentence is None or case.focus_sentence in case.reasoning


def test_the_pack_has_a_line_for_each_case_by_number(tmp_path: Path) -> None:
    sources = pages(tmp_path / "source", *map(numbered, (10, 9, *range(2, 9))), OLD)
    derive(sources, tmp_path)
    cases = load_cases(tmp_path, withdrawn=True)
    assert [case.no for case in cases] == [*range(1, 11)]
    assert [case.no for case in cases if case.withdrawn] == [9]
    first = (tmp_path / "cases.jsonl").read_bytes()
    assert first.startswith(
        '{"no": 1, "title": "甲诉乙借伞纠纷案", "issued": "2020-01-02"'.encode()
    )
    derive(sources, tmp_path)
    assert (tmp_path / "cases.jsonl").read_bytes() == first


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        ([], "no page of a guiding case"),
        ([OLD, NEW, NEW], "2.md: case 2 has another page"),
        ([OLD, numbered(3)], "the page of case 2 is missing"),
        ([OLD, b"\xff"], "1.md: is not UTF-8"),
    ],
)
def test_pages_that_make_no_pack_are_refused(
    tmp_path: Path, texts: list[str | bytes], problem: str
) -> None:
    with pytest.raises(DataError, match=problem):
        derive(pages(tmp_path / "source", *texts), tmp_path)
    assert not (tmp_path / "cases.jsonl").exists()


# --- the real pages, and what an earlier reading of them has otherwise ---

CUT_TITLES = {7, 69, *range(117, 127), *range(157, 163), 170, 173, 177, 178}
"""Where the day stands in a line of its own, it was taken into the title."""
NAMED_TITLES = {213, 217, *range(219, 225)}
"""Taken from file names, which have _ for 、 and brackets."""
ESCAPES = {5, 7, 59, 60, 76, 224}
"""Markdown's backslashes were kept."""
JUDGES = 108
"""Its judges are called those of the 判决, and stayed in the reasons."""


def mended(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the earlier reading as its page has it; titles from file names stay."""
    row = {
        field: re.sub(r"\\([\[\]*])", r"\1", value) if isinstance(value, str) else value
        for field, value in row.items()
    }
    row["title"] = re.sub(r"[0-9]{4}年[0-9]+月[0-9]+日发布）\Z", "", row["title"])
    if row["no"] == JUDGES:
        row["reasoning"], _, judges = row["reasoning"].rpartition("\n")
        row["judges"] = judges.strip("（）")
    return row


@pytest.fixture(scope="module")
def real_pack(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    name = SOURCE.partition("/")[2].replace("@", "-")
    archive = shared / "data" / "upstream" / f"{name}.tar.xz"
    if not archive.is_file():
        pytest.skip("no archive of the pages")
    folder = tmp_path_factory.mktemp("guiding-cases")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    derive({SOURCE: folder / name}, folder)
    return folder


@pytest.mark.shared
def test_the_real_cases_equal_those_of_an_earlier_reading(shared: Path, real_pack: Path) -> None:
    earlier = (shared / "data" / "guiding_cases" / "cases.jsonl").read_text("utf-8").splitlines()
    derived = (real_pack / "cases.jsonl").read_text("utf-8").splitlines()
    assert len(derived) == len(earlier) == 246
    different = set()
    for line, earlier_line in zip(derived, earlier, strict=True):
        row, earlier_row = json.loads(line), json.loads(earlier_line)
        assert list(row) == list(earlier_row)
        if line != earlier_line:
            different.add(row["no"])
        if row["no"] in NAMED_TITLES:
            assert row["title"] != earlier_row["title"]
            earlier_row["title"] = row["title"] = re.sub("[、（）]", "_", row["title"])
        assert row == mended(earlier_row)
    assert different == CUT_TITLES | NAMED_TITLES | ESCAPES | {JUDGES}


@pytest.mark.shared
def test_the_real_cases_keep_their_questions(shared: Path, real_pack: Path) -> None:
    earlier = load_cases(shared / "data" / "guiding_cases", withdrawn=True)
    assert make_questions(load_cases(real_pack, withdrawn=True)) == make_questions(earlier)
