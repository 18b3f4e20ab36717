"""JSON as models write it."""

from __future__ import annotations

import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.grading.loose_json import find_objects

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


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    find_objects(text)


@given(st.text(alphabet='{}[]",:“”：，｛｝\\ \n"a1-.'))
def test_no_heap_of_signs_makes_it_raise(text: str) -> None:
    for found in find_objects(text):
        assert text[found.start] in "{｛"
        assert text[found.end - 1] in "}｝"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1,}', {"a": 1}),
        ('{"a": [1, 2, ], }', {"a": [1, 2]}),
        ("｛“a”：［1，2］｝", {"a": [1, 2]}),
        ("{＂a＂：1}", {"a": 1}),
        ('{"a":\u3000５}', {"a": 5}),
        ('{"a": "一\n二"}', {"a": "一\n二"}),
        ('{"a": "\\（b"}', {"a": "\\（b"}),
        ('{"a": "“引”，：{}"}', {"a": "“引”，：{}"}),
        ('{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
        ('{"a": "\\ud83d"}', {"a": "\ufffd"}),
        ('{"a": +2.50}', {"a": 2.5}),
        ("{}", {}),
    ],
)
def test_what_is_forgiven(text: str, value: object) -> None:
    assert only(text) == value


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "他说"是"。"}',  # a quotation mark that may be the response's
        "{'a': 1}",
        '{"a": 5分}',
        '{"a": 1 "b": 2}',
        '{"a": 1',
        '{"a": "b}',
        "{a: 1}",
        '{"a": 1..2}',
        f'{{"a": {"9" * 50}}}',
        '{"a": ' * 20 + "1" + "}" * 20,
    ],
)
def test_what_is_not_forgiven(text: str) -> None:
    assert not [found for found in find_objects(text) if "a" in found.value and found.start == 0]


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
    "nested objects": '{"a":' * 1_000_000,
    "nested arrays": '{"a":' + "[" * 5_000_000,
    "open braces": "{" * 5_000_000,
    "open objects": '{"' * 2_500_000,
    "open curved quotes": "{“" * 2_500_000,
    "braces in a list": '{"a":[' + "{}," * 1_500_000,
    "one long string": '{"a":"' + "甲" * 5_000_000,
    "backslashes": '{"a":"' + "\\" * 5_000_000,
    "digits": '{"a":' + "1" * 5_000_000,
    "blanks": ("{" + " " * 999) * 5_000,
    "objects in a heap": '{"a":{"a":1},' * 400_000,
    "shallow nests": ('{"a":' * 15 + "[") * 60_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_five_megabytes_of_malice_take_seconds_at_most(name: str) -> None:
    started = time.process_time()
    find_objects(HOSTILE[name])
    assert time.process_time() - started < 15
