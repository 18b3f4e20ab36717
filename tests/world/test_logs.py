"""What logs of agents show: calls, words, and answers as Python prints them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.world.published.logs import (
    LogStep,
    described_call,
    read_call,
    read_printed,
    steps_of_plan,
    steps_of_react,
    steps_of_transcript,
)

CALL = """```json{"action": "get_court_code", "action_input": {"identifier": "云0101"}}```"""


def test_a_react_answer_belongs_to_the_action_of_its_step() -> None:
    log = (
        f"请问？\n\n思考 1:  想想。行动 1: {CALL}\n行动 1:  {CALL}\n观察 1: {{'级别': 1}}\n"
        "行动 2:  答\n观察 3: 另一步\n观察 2: \nfinal_anwer is 完\n"
    )
    assert list(steps_of_react(log)) == [LogStep(f" {CALL}", "{'级别': 1}"), LogStep(" 答", "")]


def test_a_plan_shows_the_words_of_a_step_and_its_answer() -> None:
    log = (
        "问\n\n第1步计划: 查一查。 执行结果: {'级别': 1}\n第2步计划: 没有做\nsummary_answer is 完\n"
    )
    assert list(steps_of_plan(log)) == [LogStep("查一查。", "{'级别': 1}")]


def test_of_a_transcript_only_what_may_be_printed_is_taken() -> None:
    pad = "思考1: 想\n行动1: [查]\n观察1: {'级别': 1}\n发现另有法院\n[{'级别': 2}]\n观察2: 没有\n"
    assert [shown.answer for shown in steps_of_transcript(pad)] == ["{'级别': 1}", "[{'级别': 2}]"]


@pytest.mark.parametrize(
    ("words", "tool", "values"),
    [
        (CALL, "get_court_code", ("云0101",)),
        ("好 " + CALL.replace('"', "'"), "get_court_code", ("云0101",)),
        (CALL.replace("云0101", "(2020)云0101执1号"), "get_court_code", ("（2020）云0101执1号",)),
        (
            "get_court_info```pythontool_call(identifier='月湖法院', columns=['级别'])```",
            "get_court_info",
            ("月湖法院",),
        ),
        (
            """```json{"action": "get_court_info_list",
            "action_input": {"prov": "甲省", "city": "乙市", "county": "", "columns": []}}```""",
            "get_court_info_list",
            ("甲省", "乙市", ""),
        ),
    ],
)
def test_calls_are_read_as_the_published_agents_read_them(
    words: str, tool: str, values: tuple[str, ...]
) -> None:
    call = read_call(LogStep(words, "答"))
    assert call is not None
    assert (call.lookup.name, call.values, call.answer) == (tool, values, "答")


@pytest.mark.parametrize(
    "words",
    [
        "get_court_code",
        "```json{}```",
        '```json{"action": "get_court_code"',
        CALL.replace("get_court_code", "get_sum"),
        CALL.replace('"云0101"', '["云0101"]'),
        CALL.replace("identifier", "name"),
        "```json" + "[" * 100_000 + "```",
        "get_court_info```pythontool_call(columns=['级别'])```",
        "get_court_info```pythontool_call(identifier='(一)')```",
    ],
)
def test_what_is_no_look_up_is_none(words: str) -> None:
    assert read_call(LogStep(words, "")) is None


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("使用get_court_info工具，查询“月湖法院”的信息，返回['法院地址']", ("月湖法院",)),
        ("get_court_info, identifier='月湖(东)法院', columns=\"法院省份\"", ("月湖（东）法院",)),
        ("用get_court_info_list查“甲省”“乙市”“丙县”", ("甲省", "乙市", "丙县")),
        ("用get_court_info_list查“甲省”“乙市”", None),
        ("用get_court_info查询月湖法院", None),
        ("用get_court_info查询“甲法院”或“乙法院”", None),
        ("用get_court_info或get_court_code查“月湖法院”", None),
        ("用get_court查“月湖法院”", None),
    ],
)
def test_words_describe_a_call_if_they_name_one_tool_and_quote_what_it_takes(
    words: str, values: tuple[str, ...] | None
) -> None:
    call = described_call(LogStep(words, ""))
    assert (call and call.values) == values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'x', 'b': nan}", {"a": "x", "b": None}),
        ("[{'a': 1}, {'a': -2.5}]", [{"a": 1}, {"a": -2.5}]),
        ("""['it\\'s', "it's"]""", ["it's", "it's"]),
        (r"['\n\t\r\\\xa0\u3000\U0001f642']", ["\n\t\r\\\xa0\u3000🙂"]),
        (" {'a': 1e-07} ", {"a": 1e-07}),
    ],
)
def test_what_tools_print_is_read(text: str, value: object) -> None:
    assert read_printed(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[1, 2]",
        "{'a': None}",
        "{'a': True}",
        "{'a': [1]}",
        "{'a': {'b': 1}}",
        "{'a': 1, 'a': 2}",
        "{1: 2}",
        "{'a': 1} 完",
        "{'a': 1",
        "{'a'; 1}",
        "['a' : 'b']",
        "['a', {'a': 1}]",
        "['a',]",
        "['\\d']",
        "['\\ud800']",
        "['\\U00110000']",
        "{'a': 12345678901234567890123456789012345}",
        "__import__('os')",
        "{'a': print()}",
        "[" * 100_000,
        "{'a': " * 100_000,
    ],
)
def test_anything_else_is_no_answer(text: str) -> None:
    assert read_printed(text) is None


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers(-(10**18) + 1, 10**18 - 1) | st.floats(-1e15, 1e15).filter(
    lambda number: number == 0 or abs(number) > 1e-5
)
ROWS = st.dictionaries(TEXTS, TEXTS | NUMBERS, min_size=1)


@given(st.lists(ROWS, min_size=1) | ROWS | st.lists(TEXTS, min_size=1))
def test_whatever_python_prints_comes_back(value: object) -> None:
    assert repr(read_printed(str(value))) == repr(value)


PARTS = (
    *("行动 1: ", "观察 1: ", "第1步计划: ", " 执行结果: ", "```json", "```", "{'a': ", "[", "]"),
    *("get_court_info", "pythontool_call(", "identifier='", '"', "\\", "\n", "nan", "1e9"),
    *("“", "'", "}"),
)
PIECES = st.lists(st.sampled_from(PARTS) | st.text(max_size=3)).map("".join)


@given(PIECES)
def test_no_text_raises(text: str) -> None:
    read_printed(text)
    for read in (steps_of_react, steps_of_plan, steps_of_transcript):
        for shown in read(text):
            read_call(shown)
            described_call(shown)
    read_call(LogStep(text, text))
    described_call(LogStep(text, text))
