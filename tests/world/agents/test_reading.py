"""What the published methods read out of replies: actions, tables, plans, closing texts."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.world.agents.published import read_tables, split_plan
from hengfa.world.agents.reading import (
    Action,
    Call,
    NoCall,
    one_line,
    read_action,
    read_call,
    without_digit_commas,
)
from tests.world.agents.scripted import action

SAYING = "```json\n{}\n```"


def test_the_first_block_counts_and_columns_are_completed() -> None:
    reply = f"先查\n{action('get_court_info', {'identifier': '甲'})}\n{action('get_sum', [1])}"
    assert read_action(reply) == Action("get_court_info", {"identifier": "甲", "columns": []})


def test_single_quotes_and_ascii_parentheses_are_replaced_in_the_whole_block() -> None:
    block = SAYING.format(
        "{'action': 'get_legal_document', 'action_input': {'identifier': '(2020)云1号'}}"
    )
    found = read_action(block)
    assert found == Action("get_legal_document", {"identifier": "（2020）云1号", "columns": []})
    apostrophe = '{"action": "get_company_info", "action_input": {"identifier": "Bob\'s"}}'
    assert read_action(SAYING.format(apostrophe)) is None  # the published quirk, 7.9


def test_more_than_five_columns_mean_all() -> None:
    for count, columns in ((5, ["甲"] * 5), (6, [])):
        reply = action("get_company_info", {"identifier": "乙", "columns": ["甲"] * count})
        assert read_action(reply) == Action(
            "get_company_info", {"identifier": "乙", "columns": columns}
        )


def test_arithmetic_and_bare_inputs_stay_as_they_are() -> None:
    assert read_action(action("get_sum", [1, "2万"])) == Action("get_sum", [1, "2万"])
    assert read_action(action("legal_case_retriever", "灯塔")) == Action(
        "legal_case_retriever", "灯塔"
    )


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (
            "get_court_code\n```python\ntool_call(identifier='云0101', columns=['法院名称'])\n```",
            Action("get_court_code", {"identifier": "云0101", "columns": ["法院名称"]}),
        ),
        (
            '行动：\n```\nget_court_info("甲法院", ["法院地址"])\n```',
            Action("get_court_info", {"identifier": "甲法院", "columns": ["法院地址"]}),
        ),
        ("```python\nget_sum([1, 2.5])\n```", Action("get_sum", {"identifier": [1, 2.5]})),
        ("```python\ntool_call(identifier='甲')\n```", None),  # nobody says which tool
        ("```python\n__import__('os').system('true')\n```", None),
        ("```python\nget_sum(open('x'))\n```", None),
        ("get_sum([1, 2])", None),  # no fence
        ("```json\n[1, 2]\n```", None),
        ('```json\n{"action": 3}\n```', None),
        ("", None),
    ],
)
def test_the_older_form_is_read_and_nothing_is_evaluated(
    reply: str, expected: Action | None
) -> None:
    assert read_action(reply) == expected


def test_the_text_of_a_final_answer() -> None:
    for given_, text in (("是", "是"), ({"answer": "是"}, "是"), ({"x": "否"}, "否"), (3, "3")):
        found = read_action(action("Final Answer", given_))
        assert found is not None and found.final and found.answer == text


@settings(deadline=None)
@given(st.text())
def test_no_reply_is_too_odd_to_be_read(text: str) -> None:
    for reply in (text, f"```json{text}```", f"x```python\n{text}```"):
        read_action(reply)
        read_tables(reply)
        split_plan(reply)


@pytest.mark.deep
@pytest.mark.parametrize(
    "hostile",
    [
        " " * 1_000_000,
        "```json" + "[" * 500_000 + "```",
        "```json" * 100_000,
        "```python\nf(" + "[" * 100_000 + ")```",
        "```python\nf('" + "\\" * 15_000 + "')```",
        "第1步: " * 100_000,
        "\x00\x1b[2J\ud800",
        '```json\n{"action": "get_sum", "action_input": ' + "9" * 10_000 + "}\n```",
    ],
)
def test_hostile_replies_are_read_quickly(hostile: str) -> None:
    start = time.perf_counter()
    read_action(hostile)
    read_tables(hostile)
    split_plan(hostile[:100_000])
    one_line(hostile)
    assert time.perf_counter() - start < 5


@settings(deadline=None)
@given(
    st.dictionaries(
        st.from_regex(r"[a-z_]{1,8}", fullmatch=True),
        st.recursive(
            st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text("甲乙'\"\\ab\n "),
            lambda inner: st.lists(inner, max_size=3),
            max_leaves=6,
        ),
        max_size=3,
    )
)
def test_whatever_python_writes_as_literals_is_read_back(arguments: dict[str, object]) -> None:
    written = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    assert read_call(f"f({written})") == Call("f", (), arguments)


@pytest.mark.parametrize(
    "text", ["f(", "f(x)", "f(a=1, 2)", "f(1) + 1", "f.g(1)", "f(lambda: 1)", "1"]
)
def test_what_is_no_call_of_literals_is_refused(text: str) -> None:
    with pytest.raises(NoCall):
        read_call(text)


def test_tables_are_read_from_an_object_and_unknown_ones_are_passed_over() -> None:
    reply = '好的：```json\n{"名称": ["LegalDoc", "Nothing", 3, "CourtInfo"]}\n```'
    assert read_tables(reply) == ("LegalDoc", "CourtInfo")
    for odd in (
        '["LegalDoc"]',
        '{"名称": "LegalDoc"}',
        '{"tables": ["LegalDoc"]}',
        "LegalDoc",
        "{",
    ):
        assert read_tables(odd) == ()


def test_a_plan_is_split_at_its_numbers_and_ends_where_one_is_missing() -> None:
    plan = "计划\n第1步: 查甲\n再看\n第2步: 查乙\n第4步: 回答"
    assert split_plan(plan) == ["查甲再看", "查乙第4步: 回答"]
    assert split_plan("第1步：查甲\n第2步：查乙") == []  # full-width colons: the replan quirk
    assert split_plan("第1步:查甲") == []
    assert split_plan("第2步: 查乙") == []


def test_commas_between_digits_are_deleted_and_no_others() -> None:
    assert without_digit_commas("1,234,567.5元,甲,1, 2") == "1234567.5元,甲,1, 2"
