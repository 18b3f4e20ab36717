"""Reads a call that looks like Python, `get_sum(identifier=[1, 2])`, without running anything.

Published agents evaluate such text as code (specification, 4.2 and 7.10). Here a small grammar
takes its place: a name, then literals, by keyword or by place; everything else is no call.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

LONGEST: Final = 20_000
DEEPEST: Final = 12

# A name: "get_sum", "tool_call"; not "1a" or "a.b"
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}")
# 'it''s text' between two equal quotes, with \' inside; not an open quotation
_TEXT: Final = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)
# 12, -3.5, 1e6; not "--1" or a name
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]{1,300}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_BLANKS: Final = re.compile(r"\s*")
# a backslash and what it protects
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r"}
_WORDS: Final = {"True": True, "False": False, "None": None, "true": True, "false": False}


class Call(NamedTuple):
    """A call as it was written."""

    name: str
    by_place: tuple[Any, ...]
    by_name: dict[str, Any]


class NoCall(ValueError):
    """The text is not a call of literals."""


def read_call(text: str) -> Call:
    """The call that the text is; raises :class:`NoCall`."""
    if len(text) > LONGEST:
        raise NoCall("too long")
    reader = _Reader(text.strip())
    call = reader.call()
    if reader.at != len(reader.text):
        raise NoCall(f"something follows the call at {reader.at}")
    return call


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def call(self) -> Call:
        name = self._match(_NAME)
        self._expect("(")
        by_place: list[Any] = []
        by_name: dict[str, Any] = {}
        while not self._take(")"):
            keyword = self._keyword()
            if keyword is not None:
                by_name[keyword] = self._value(0)
            elif by_name:
                raise NoCall("an argument by place after one by name")
            else:
                by_place.append(self._value(0))
            if not self._take(","):
                self._expect(")")
                break
        return Call(name, tuple(by_place), by_name)

    def _keyword(self) -> str | None:
        start = self.at
        found = _NAME.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
            self._blanks()
            if self._take("="):
                return found.group()
        self.at = start
        return None

    def _value(self, depth: int) -> Any:
        if depth > DEEPEST:
            raise NoCall("nested too deeply")
        if self._take("["):
            return self._items("]", depth)
        if self._take("("):
            return self._items(")", depth)
        if self._take("{"):
            return self._pairs(depth)
        if quoted := _TEXT.match(self.text, self.at):
            self.at = quoted.end()
            self._blanks()
            inner = quoted[1] if quoted[1] is not None else quoted[2]
            return _ESCAPED.sub(lambda one: _ESCAPES.get(one[1], one[1]), inner)
        if number := _NUMBER.match(self.text, self.at):
            self.at = number.end()
            self._blanks()
            digits = number.group()
            return int(digits) if digits.lstrip("+-").isdigit() else float(digits)
        word = self._match(_NAME)
        if word not in _WORDS:
            raise NoCall(f"{word!r} is no literal")
        return _WORDS[word]

    def _items(self, closing: str, depth: int) -> list[Any]:
        items: list[Any] = []
        while not self._take(closing):
            items.append(self._value(depth + 1))
            if not self._take(","):
                self._expect(closing)
                break
        return items

    def _pairs(self, depth: int) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        while not self._take("}"):
            key = self._value(depth + 1)
            self._expect(":")
            pairs[str(key)] = self._value(depth + 1)
            if not self._take(","):
                self._expect("}")
                break
        return pairs

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise NoCall(f"nothing readable at {self.at}")
        self.at = found.end()
        self._blanks()
        return found.group()

    def _take(self, sign: str) -> bool:
        if not self.text.startswith(sign, self.at):
            return False
        self.at += 1
        self._blanks()
        return True

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise NoCall(f"expected {sign!r} at {self.at}")

    def _blanks(self) -> None:
        found = _BLANKS.match(self.text, self.at)
        self.at = found.end() if found else self.at
