"""JSON in what models write: real JSON, and nothing else."""

from __future__ import annotations

import json
import math
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.evals.grading.verdict import LONGEST_REPLY, find_objects

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def only(text: str) -> object:
    (found,) = find_objects(text)
    return found.value


@given(value=st.dictionaries(st.text(), JSON, max_size=4), ascii_only=st.booleans())
def test_what_is_json_is_read_as_json(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert only(text) == json.loads(text)


# Text in which signs of JSON, and what looks like them, are frequent.
SIGNS = st.text(alphabet='{}[]",:“”＂：，｛｝［］\\ \n\u3000"a1-.') | st.text()


@given(st.lists(SIGNS | st.builds(json.dumps, JSON), max_size=6).map("".join))
def test_only_real_json_is_found_in_any_text(text: str) -> None:
    """But for line breaks in strings, which the standard library calls not strict."""
    for found in find_objects(text):
        written = text[found.start : found.end]
        assert json.dumps(found.value) == json.dumps(json.loads(written, strict=False))


def test_no_other_sign_of_unicode_stands_for_one_of_json() -> None:
    """All punctuation, blanks, digits and operators, in the place of each sign."""
    value = {"a": [1, {"b": "c"}]}
    whole = json.dumps(value, separators=(",", ":"))
    others = [
        chr(code)
        for code in range(0x80, 0x110000)
        if unicodedata.category(chr(code)) in {"Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Nd", "Sk"}
        or chr(code).isspace()
    ]
    for sign in set(whole) - set("abc"):
        for other in others:
            assert value not in [found.value for found in find_objects(whole.replace(sign, other))]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "一\n二"}', {"a": "一\n二"}),
        ('{"a": "“引”，：{}"}', {"a": "“引”，：{}"}),
        ('{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
        ('{"a": "\\ud83d"}', {"a": "\ufffd"}),
        (f'{{"a": {"9" * 5000}}}', {"a": math.inf}),
        ("{}", {}),
        ('{"b": [{"a": 1, "a": 5}]}', {"b": [{}]}),  # one of the two may be the response's
    ],
)
def test_how_it_is_read(text: str, value: object) -> None:
    assert only(text) == value


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "他说"是"。"}',  # a quotation mark that may be the response's
        "｛“a”：［1，2］｝", "{“a”: 1}", "{＂a＂: 1}", '{"a"：1}', '{"a": ５}', '{"a":\u30001}',
        '{"a": 1,}', '{"a": [1, ]}', "{'a': 1}", '{"a": "\\（b"}', '{"a": +2.50}', '{"a": 5分}',
        '{"a": 1 "b": 2}', '{"a": 1', '{"a": "b}', "{a: 1}", '{"a": 1..2}',
    ],
)  # fmt: skip
def test_what_is_not_forgiven(text: str) -> None:
    assert not find_objects(text)


def test_numbers_that_are_none_are_read_as_such() -> None:
    value = only('{"a": NaN, "b": -Infinity}')
    assert isinstance(value, dict)
    assert math.isnan(value["a"])
    assert value["b"] == -math.inf


def test_objects_are_found_in_running_text_from_left_to_right() -> None:
    text = '先看 { 草稿 {"a": 1} 以及 “{” 再看\n```json\n{"b": {"c": "{\\"d\\": 1}"}}\n```完'
    assert [found.value for found in find_objects(text)] == [{"a": 1}, {"b": {"c": '{"d": 1}'}}]
    first, second = find_objects(text)
    assert text[first.start : first.end] == '{"a": 1}'
    assert text[second.start : second.end].startswith('{"b"')


HOSTILE = {
    "nested objects": '{"a":' * (LONGEST_REPLY // 5),
    "nested arrays": '{"a":' + "[" * LONGEST_REPLY,
    "open braces": "{" * LONGEST_REPLY,
    "open objects": '{"' * (LONGEST_REPLY // 2),
    "names twice": '{"a":1,"a":1}' * (LONGEST_REPLY // 13),
    "braces in a list": '{"a":[' + "{}," * (LONGEST_REPLY // 3),
    "one long string": '{"a":"' + "甲" * LONGEST_REPLY,
    "backslashes": '{"a":"' + "\\" * LONGEST_REPLY,
    "digits": '{"a":' + "1" * LONGEST_REPLY,
    "blanks": ("{" + " " * 999) * (LONGEST_REPLY // 1000),
    "objects in a heap": '{"a":{"a":1},' * (LONGEST_REPLY // 13),
    "shallow nests": ('{"a":' * 15 + "[") * (LONGEST_REPLY // 76),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_longest_reply_takes_seconds_at_most(name: str) -> None:
    started = time.process_time()
    find_objects(HOSTILE[name])
    assert time.process_time() - started < 15
