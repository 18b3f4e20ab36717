"""What a statute says about its history: events of our own laws, and the dates of the real ones."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.grammar.numerals import format_number
from hengfa.law.grammar.statute_header import (
    Event,
    Header,
    is_history,
    read_header,
    read_statute_header,
)
from hengfa.law.grammar.statute_parsing import parse_statute


def events(*lines: str) -> list[tuple[str, str]]:
    found = read_header(["茶叶法", *lines]).events
    return [(event.date.isoformat(), event.kind) for event in found]


def read(text: str) -> Header:
    """The history of the text whose lines are divided by " / "."""
    return read_statute_header(parse_statute("\n\n".join(text.split(" / "))))


def test_a_header_tells_when_a_statute_was_passed_amended_and_in_force() -> None:
    history = (
        "（1989年4月4日茶会第二次会议通过　根据2014年11月1日茶会《关于修改〈茶叶法〉的决定》"
        "第一次修正　2017年6月27日茶会修订　自2017年7月1日起施行）"
    )
    header = read_header(["茶叶法", history])
    assert header.title == "茶叶法"
    assert header.events == (
        Event(date(1989, 4, 4), "adopted"),
        Event(date(2014, 11, 1), "amended"),
        Event(date(2017, 6, 27), "revised"),
        Event(date(2017, 7, 1), "effective"),
    )
    assert header.promulgated == date(2017, 6, 27)
    assert header.effective == date(2017, 7, 1)


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("1989年4月4日茶会第二次会议通过", ["adopted"]),
        ("1989年4月4日 茶会第二次会议修订", ["revised"]),
        ("1989年4月4日茶会修订通过", ["revised"]),
        ("根据1989年4月4日茶会《关于修改〈茶叶法〉的决定》修正）", ["amended"]),
        ("根据 1989 年 4 月 4 日茶会《关于修改<茶叶法>的决定》第二次修正", ["amended"]),
        ("1989年4月4日茶会通过的《茶叶法修正案（二）》", ["amended"]),
        ("1989年4月4日，茶会通过《关于修改〈茶叶法〉的决定》", ["amended"]),
        ("1989年4月4日茶会批准", ["approved"]),
        ("1989年4月4日茶会主席令第八号公布", ["promulgated"]),
        ("1989年4月4日茶会公告公布施行", ["promulgated", "effective"]),
        ("1989年4月4日茶会通过并于同日公布施行", ["adopted", "promulgated", "effective"]),
        ("1989年4月4日施行", ["effective"]),
        ("自1989年4月4日起施行", ["effective"]),
        ("生效日期：1989年4月4日", ["effective"]),
        ("一九八九年四月四日茶会通过", ["adopted"]),
        ("１９８９年４月４日茶会通过", ["adopted"]),
        ("1989年4月4日茶会《关于公布施行和修订茶税的报告》", []),
        ("1989年4月4日", []),
        ("1989年13月4日茶会通过", []),
        ("1989年4月茶会通过", []),
    ],
)
def test_each_day_is_read_with_what_was_done(line: str, kinds: list[str]) -> None:
    assert events(line) == [("1989-04-04", kind) for kind in kinds]
    assert is_history(line) == bool(kinds)


def test_several_amendments_share_one_verb() -> None:
    assert events(
        "根据1988年4月12日茶会通过的《茶叶法修正案》、1993年3月29日茶会通过的《茶叶法修正案》修正"
    ) == [("1988-04-12", "amended"), ("1993-03-29", "amended")]
    assert events("1982年12月4日通过", "根据下列修正案修正：", "1. 1988年4月12日茶会") == [
        ("1982-12-04", "adopted"),
        ("1988-04-12", "amended"),
    ]


def test_a_broken_line_goes_on_below() -> None:
    lines = ["2010年10月28日 茶会《关于修改", "〈茶叶法〉和〈茶税法〉的决定》第三次修正"]
    assert events(*lines) == [("2010-10-28", "amended")]


@pytest.mark.parametrize(
    ("line", "history"),
    [
        ("茶会主席令", True),
        ("第 六十五 号", True),
        ("制定机关：茶会", True),
        ("茶农选举主席团。", False),
        ("一八四○年以后，茶农为茶园奋斗。", False),
        ("生效的判决", False),
    ],
)
def test_orders_and_fields_are_history_and_prose_is_not(line: str, history: bool) -> None:
    assert is_history(line) is history


def test_promulgation_is_the_day_of_force_where_the_text_says_so() -> None:
    assert read_header(["茶税法", "1999年5月6日通过，自公布之日起施行"]).effective == date(
        1999, 5, 6
    )
    assert read("茶税法 / 1999年5月6日通过 / 第一条 本法自公布之日起施行。").effective == date(
        1999, 5, 6
    )


def test_an_article_says_when_the_statute_came_into_force() -> None:
    header = read("茶税法 / 1999年5月6日通过 / 第一条 甲。 / 第二条 本法自1999年10月1日起施行。")
    assert (header.effective, header.effective_in_text) == (date(1999, 10, 1), date(1999, 10, 1))


@pytest.mark.parametrize("since", ["1999年10月1日", "公布之日"])
def test_what_an_article_says_is_older_than_an_amendment(since: str) -> None:
    header = read(
        f"茶税法 / 1999年5月6日通过 / 根据2009年8月27日《决定》修正 / 第一条 本法自{since}起施行。"
    )
    assert header.promulgated == date(2009, 8, 27)
    assert header.effective is None
    assert header.effective_in_text == (date(1999, 10, 1) if "月" in since else date(1999, 5, 6))


def test_a_day_of_force_above_the_text_may_belong_to_an_earlier_one() -> None:
    assert read_header(["茶税法", "1982年12月4日公布施行", "2018年3月11日修正"]).effective is None


def test_other_dates_in_the_text_are_not_the_day_of_force() -> None:
    header = read("茶税法 / 1999年5月6日通过 / 第一条 自本法施行之日起三年内，茶税从轻。")
    assert header.effective_in_text is None


def test_a_text_without_a_header_has_no_history() -> None:
    assert read_header([]) == Header("", (), None, None)
    assert read("第一条 甲。").events == ()


@given(st.dates(date(1949, 1, 1), date(2099, 12, 31)), st.sampled_from(["通过", "修正", "修订"]))
def test_any_day_is_read_in_both_scripts(day: date, verb: str) -> None:
    chinese = (
        f"{format_number(day.year, 'positional')}年{format_number(day.month)}月"
        f"{format_number(day.day)}日"
    )
    for written in (chinese, f"{day.year}年{day.month}月{day.day}日"):
        (event,) = read_header(["茶叶法", f"{written}茶会{verb}"]).events
        assert event.date == day


KINDS = {"adopted": "adopted", "approved": "adopted", "amended": "amended", "revised": "revised"}


@pytest.mark.shared
def test_headers_agree_with_the_rows_and_the_calendar(shared: Path) -> None:
    folder = shared / "data" / "statutes"
    with (folder / "version_calendar.tsv").open(encoding="utf-8") as file:
        calendar = {
            (row["law"], row["date"], row["event"]) for row in csv.DictReader(file, delimiter="\t")
        }
    agreement: Counter[tuple[str, bool]] = Counter()
    found = set()
    with gzip.open(folder / "statutes.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if row["role"] == "primary"]
    for row in rows:
        header = read_statute_header(parse_statute(row["text"]))
        agreement["promulgated", str(header.promulgated) == row["version"]] += 1
        if header.effective and row["effective"]:
            agreement["effective", str(header.effective) == row["effective"]] += 1
        if row["effective_in_text"] not in {None, "on promulgation"}:
            same = str(header.effective_in_text) == row["effective_in_text"]
            agreement["in text", same] += 1
        if row["kind"] in {"statute", "constitution"}:
            found |= {
                (row["law"], event.date.isoformat(), KINDS[event.kind])
                for event in header.events
                if event.kind in KINDS
            }
    assert agreement == {
        ("promulgated", True): 414,
        ("promulgated", False): 4,  # three have no header, or an old one; one is five acts in one
        ("effective", True): 216,
        ("in text", True): 314,
    }
    # The Macao Basic Law has no header; the calendar has other words for three amendments.
    assert (len(calendar), len(found), len(calendar & found)) == (813, 812, 809)
