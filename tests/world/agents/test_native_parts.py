"""Parts of the `tools` method: the check of an answer, cut observations, a bounded conversation."""

from __future__ import annotations

import json
import time

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.evals.engine.messages import Message
from hengfa.world.agents.answer_check import unsupported
from hengfa.world.agents.native import (
    KEPT,
    LONGEST_CONVERSATION,
    LONGEST_OBSERVATION,
    LONGEST_WHOLE,
    Conversation,
    shortened,
)
from hengfa.world.agents.prompts import PROMPTS
from hengfa.world.agents.reading import calls_in_text
from hengfa.world.tools.observation import Observation

SEEN = [
    "信用代码91990000MA00000000的公司？",
    '{"row": {"公司名称": "青岚科技股份有限公司", "注册资本": "9000万", "日期": "2020年01月12日"}}',
    '{"rows": [{"案号": "（2020）云0101民初12号", "涉案金额（元）": 4781234.5}]}',
    '{"value": 0.1532}',
    '{"row": {"执行法院": "江阴市人民法院", "原告律师事务所": "晓山律师事务所"}}',
    '{"row": {"立案日期": "2019年08月07日", "终本日期": "2019-12-12"}}',
]


@pytest.mark.parametrize(
    "answer",
    [
        "青岚科技股份有限公司的注册资本为9000万元。",
        "注册资本90000000元，即0.9亿元。",
        "涉案金额4,781,234.5元，约478.12万元，也就是478.12（万元）。",
        "(2020)云0101民初12号，2020年1月12日，共3件，占15.32%。",
        "信用代码 91990000MA00000000",
        "第12名，其中99件",
        "审理的是江阴市人民法院，代理的是晓山律师事务所。",  # and words before names
        "注册资本最高的律师事务所有两家，被告律师事务所是同一家律师事务所。",  # nobody is named
        "两者相差127天。",  # between two dates that were seen
        "",
    ],
)
def test_what_was_seen_in_any_form_passes(answer: str) -> None:
    assert unsupported(answer, SEEN) == []


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        ("注册资本9001万元", ["9001万"]),
        ("金额4781234.6元", ["4781234.6"]),
        ("约478.13万元", ["478.13万"]),
        ("（2020）云0101民初13号", ["(2020)云0101民初13号"]),
        ("白鹭物流有限公司", ["白鹭物流有限公司"]),
        ("2021年", ["2021"]),
        ("代码91990000MA00000001", ["91990000MA00000001"]),
        ("占16.32%", ["16.32"]),
        ("两者相差128天", ["128"]),
        ("是江阳市人民法院", ["是江阳市人民法院"]),
        ("代理人属于明衡律师事务所", ["属于明衡律师事务所"]),
    ],
)
def test_what_was_not_seen_is_named(answer: str, items: list[str]) -> None:
    assert unsupported(answer, SEEN) == items


@settings(deadline=None)
@given(st.text("0123456789.,万亿千（）()公司有限法院号ABC年 \n"), st.text())
def test_the_check_never_fails_and_accepts_what_it_has_seen(answer: str, seen: str) -> None:
    unsupported(answer, [seen])
    assert unsupported(answer, [answer, seen]) == []


@pytest.mark.deep
def test_the_check_is_quick_on_long_texts() -> None:
    start = time.perf_counter()
    unsupported("1234567," * 50_000 + "(" * 50_000 + "甲" * 50_000, ["9" * 100_000, "A1" * 50_000])
    assert time.perf_counter() - start < 10


def rows(count: int, length: int) -> Observation:
    value = {"count": 999, "offset": 40, "rows": [{"案号": "号" * length} for _ in range(count)]}
    return Observation(msgspec.json.encode(value).decode(), value=value)


def test_a_short_observation_stays_as_it_is() -> None:
    assert shortened(rows(3, 10)) == rows(3, 10).text


def test_a_long_list_is_cut_at_a_row_and_says_how_to_go_on() -> None:
    cut = json.loads(shortened(rows(100, 100), most=2_000))
    shown = len(cut["rows"])
    assert 10 < shown < 16
    assert cut["next_offset"] == 40 + shown
    assert "999" in cut["note"] and f"offset={40 + shown}" in cut["note"]


def test_one_row_that_is_too_long_is_cut_in_its_middle() -> None:
    seen = rows(1, 50_000)
    cut = shortened(seen, most=2_000)
    assert len(cut) < 2_200
    assert str(len(seen.text)) in cut
    assert len(shortened(rows(2, 50_000), most=2_000)) < 2_600


def test_what_has_no_pages_is_cut_later() -> None:
    paged, whole = rows(100, 100), Observation(rows(100, 100).text)
    assert len(shortened(paged)) < LONGEST_OBSERVATION + 450 < len(paged.text)
    assert shortened(whole) == whole.text
    assert len(shortened(Observation("长" * 100_000))) < LONGEST_WHOLE + 450


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(0, 300), st.integers(600, 4_000))
def test_no_observation_is_much_longer_than_allowed(count: int, length: int, most: int) -> None:
    assert len(shortened(rows(count, length), most)) <= most + 450


def test_the_oldest_observations_leave_first_and_the_last_ones_stay() -> None:
    conversation = Conversation("系统", "问题")
    for number in range(20):
        conversation.add(Message("tool", f"{number}:" + "长" * 6_000), (f"call {number}",))
    gone = conversation.shorten()
    contents = [message.content for message in conversation.messages]
    left = LONGEST_CONVERSATION // 6_002
    assert gone == {f"call {number}" for number in range(20 - left)}
    assert contents.count(PROMPTS.tools.dropped) == 20 - left
    assert contents[-1].startswith("19:")
    assert conversation.shorten() == set()


def test_the_last_observations_stay_however_long() -> None:
    conversation = Conversation("系统", "问题")
    for number in range(KEPT):
        conversation.add(Message("tool", "长" * LONGEST_CONVERSATION), (str(number),))
    assert conversation.shorten() == set()
    assert conversation.shrink()
    assert conversation.shorten() == {"0", "1", "2"}
    assert not conversation.shrink() or conversation.shorten() == {"3"}


@pytest.mark.parametrize(
    "text",
    [
        '答案：{"name": "张三", "age": 3}',
        '```json\n{"name": "张三"}\n```',
        "张三是原告。",
        "```\n1 + 1\n```",
    ],
)
def test_json_that_is_no_call_is_not_taken_for_one(text: str) -> None:
    assert calls_in_text(text) == ()


@settings(deadline=None)
@given(st.text())
def test_any_text_can_be_searched_for_calls(text: str) -> None:
    for form in (text, f"```json\n{text}```", f"<tool_call>{text}</tool_call>"):
        calls_in_text(form)
