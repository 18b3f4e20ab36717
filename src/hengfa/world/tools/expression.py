"""Arithmetic expressions without `eval`: numbers, + - * / and brackets, nothing else.

What Python would make of such a text is what comes out, whole numbers and fractions included:
``2*3`` is 6, ``6/3`` is 2.0, ``07`` is no number. Texts are short and brackets few, so that no
text takes long or deep.
"""

from __future__ import annotations

import re
from typing import Final

Number = int | float

LONGEST: Final = 2_000
DEEPEST: Final = 50

# "12", "1_000", "1.5", ".5", "2.", "1e4"; the digits of "1,000" are two numbers with a comma
_NUMBER: Final = re.compile(
    r"(?:[0-9](?:_?[0-9])*(?:\.(?:[0-9](?:_?[0-9])*)?)?|\.[0-9](?:_?[0-9])*)"
    r"(?:[eE][+-]?[0-9](?:_?[0-9])*)?"
)
# "0", "000", "10"; not "07", which Python does not take for a number
_WHOLE: Final = re.compile(r"0(?:_?0)*|[1-9](?:_?[0-9])*")
_BLANKS: Final = re.compile(r"[ \t\f]*")


class NotAnExpression(ValueError):
    """The text is no arithmetic; the message says where it stops being some."""


def evaluate(text: str) -> Number:
    """The value of an expression.

    Raises :class:`NotAnExpression`, ``ZeroDivisionError`` or ``OverflowError``.

    >>> evaluate("(1 + 2) * 4 / 3")
    4.0
    """
    if len(text) > LONGEST:
        raise NotAnExpression(f"longer than {LONGEST} characters")
    reader = _Reader(text)
    value = reader.sum()
    if reader.at < len(text):
        raise NotAnExpression(f"cannot be read from {text[reader.at : reader.at + 10]!r} on")
    return value


class _Reader:
    """Goes through a text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self._blanks()

    def sum(self) -> Number:
        value = self.product()
        while sign := self._take("+-"):
            other = self.product()
            value = value + other if sign == "+" else value - other
        return value

    def product(self) -> Number:
        value = self.factor()
        while sign := self._take("*/"):
            other = self.factor()
            value = value * other if sign == "*" else value / other
        return value

    def factor(self) -> Number:
        negative = False
        while sign := self._take("+-"):
            negative ^= sign == "-"
        if self._take("("):
            self.depth += 1
            if self.depth > DEEPEST:
                raise NotAnExpression(f"has more than {DEEPEST} brackets in one another")
            value = self.sum()
            if not self._take(")"):
                raise NotAnExpression("a bracket is not closed")
            self.depth -= 1
        else:
            value = self._number()
        return -value if negative else value

    def _number(self) -> Number:
        found = _NUMBER.match(self.text, self.at)
        if found is None:
            here = self.text[self.at : self.at + 10]
            raise NotAnExpression(f"a number is missing before {here!r}" if here else "ends early")
        self.at = found.end()
        self._blanks()
        digits = found[0]
        if _WHOLE.fullmatch(digits):
            return int(digits)
        if not any(sign in digits for sign in ".eE"):
            raise NotAnExpression(f"{digits!r} begins with a zero")
        return float(digits)

    def _take(self, signs: str) -> str:
        """The sign at this place if it is one of these, else ""."""
        sign = self.text[self.at : self.at + 1]
        if not sign or sign not in signs:
            return ""
        self.at += 1
        self._blanks()
        return sign

    def _blanks(self) -> None:
        found = _BLANKS.match(self.text, self.at)
        self.at = found.end() if found else self.at
