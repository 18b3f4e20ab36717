"""JSON as models write it: found in running text, forgiven only where its meaning is plain.

Forgiven are trailing commas, full-width punctuation and quotation marks around JSON's own parts,
line breaks inside of strings, unknown escapes, and numbers that are none (NaN). Nothing is forgiven
that would let words of a string become structure: a quotation mark inside of a string that is not
escaped ends the attempt, because the words may be those of the response under grading.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

Value = str | float | int | bool | None | list["Value"] | dict[str, "Value"]

_DEEPEST: Final = 16
"""A verdict is four levels deep; what is nested deeper than this is none."""
_PATIENCE: Final = 2_000_000
"""Attempts that fail may read so many characters; after that no object is looked for."""
_EFFORT: Final = 16
"""What an attempt costs beside what it reads, in characters."""

_BLANK: Final = re.compile(r"\s*+")
# "{" and what can follow it in an object: '{"', '{ }', "｛“"; not "{x" in a formula
_OPENING: Final = re.compile(r"[{｛](?=\s*+[\"“＂}｝])")
# "a \" b", “a”, ＂a＂; not "a
_STRING: Final = re.compile(
    r'"(?P<plain>[^"\\]*+(?:\\.[^"\\]*+)*+)"|“(?P<curved>[^“”]*+)”|＂(?P<wide>[^＂]*+)＂', re.DOTALL
)
# 5, -0.5, 1e3, ５, NaN; not "5分", nor more digits than any number of points has
_NUMBER: Final = re.compile(
    r"[-+]?(?:\d{1,40}(?P<real>(?:\.\d{1,40})?(?:[eE][-+]?\d{1,4})?)|NaN|Infinity)(?![\w.])"
)
_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}
_WORD: Final = re.compile("true|false|null")
_COLON: Final = frozenset(":：")
_COMMA: Final = frozenset(",，")
_OBJECT: Final = frozenset("{｛")
_OBJECT_END: Final = frozenset("}｝")
_ARRAY: Final = frozenset("[［")
_ARRAY_END: Final = frozenset("]］")
# "\n", "\u4e00", "\（"; the last is no escape of JSON and is left as it is
_ESCAPE: Final = re.compile(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<sign>.))", re.DOTALL)
_SIGNS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"} | {c: c for c in '"\\/'}


class ObjectInText(NamedTuple):
    """An object at ``text[start:end]``."""

    start: int
    end: int
    value: dict[str, Value]


class _NotJSON(Exception):
    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place


def find_objects(text: str) -> list[ObjectInText]:
    """The outermost JSON objects of a text from left to right. No string makes this raise.

    An object inside another one, or inside of a string of it, is not looked for, so that quoted
    JSON is never taken for the JSON that quotes it.
    """
    objects: list[ObjectInText] = []
    place, patience = 0, _PATIENCE
    while opening := _OPENING.search(text, place):
        start = opening.start()
        try:
            value, place = _object(text, opening.end(), 1)
        except _NotJSON as stopped:
            place = start + 1
            patience -= stopped.place - start + _EFFORT
            if patience < 0:
                break
        else:
            objects.append(ObjectInText(start, place, value))
    return objects


def _value(text: str, place: int, depth: int) -> tuple[Value, int]:
    sign = text[place : place + 1]
    if depth > _DEEPEST:
        raise _NotJSON(place)
    if sign in _OBJECT:
        return _object(text, place + 1, depth + 1)
    if sign in _ARRAY:
        return _array(text, place + 1, depth + 1)
    if sign in {'"', "“", "＂"}:
        return _string(text, place)
    if number := _NUMBER.match(text, place):
        whole = number["real"] == ""
        return (int(number[0]) if whole else float(number[0])), number.end()
    if word := _WORD.match(text, place):
        return _WORDS[word[0]], word.end()
    raise _NotJSON(place)


def _object(text: str, place: int, depth: int) -> tuple[dict[str, Value], int]:
    """What follows an opening brace."""
    made: dict[str, Value] = {}
    while True:
        place = _skip(text, place)
        if text[place : place + 1] in _OBJECT_END:
            return made, place + 1
        key, place = _string(text, place)
        place = _skip(text, place)
        if text[place : place + 1] not in _COLON:
            raise _NotJSON(place)
        made[key], place = _value(text, _skip(text, place + 1), depth)
        place = _after_part(text, place, _OBJECT_END)


def _array(text: str, place: int, depth: int) -> tuple[list[Value], int]:
    """What follows an opening bracket."""
    made: list[Value] = []
    while True:
        place = _skip(text, place)
        if text[place : place + 1] in _ARRAY_END:
            return made, place + 1
        value, place = _value(text, place, depth)
        made.append(value)
        place = _after_part(text, place, _ARRAY_END)


def _after_part(text: str, place: int, ends: frozenset[str]) -> int:
    """Past the comma; an end is left where it is."""
    place = _skip(text, place)
    sign = text[place : place + 1]
    if sign in _COMMA:
        return place + 1
    if sign in ends:
        return place
    raise _NotJSON(place)


def _string(text: str, place: int) -> tuple[str, int]:
    match = _STRING.match(text, place)
    if match is None:
        unclosed = text[place : place + 1] in {'"', "“", "＂"}
        raise _NotJSON(len(text) if unclosed else place)  # it was read to the end for its close
    written = next(part for part in match.groups() if part is not None)
    if "\\" in written and match["plain"] is not None:
        written = _ESCAPE.sub(_unescape, written)
        # pairs of surrogates become characters; a lone one could not be stored
        written = written.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return written, match.end()


def _unescape(match: re.Match[str]) -> str:
    if code := match["code"]:
        return chr(int(code, 16))
    return _SIGNS.get(match["sign"], match[0])


def _skip(text: str, place: int) -> int:
    match = _BLANK.match(text, place)
    return match.end() if match else place
