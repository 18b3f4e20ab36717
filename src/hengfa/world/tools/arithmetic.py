"""Arithmetic: exactly as published, on amounts as people write them, and on expressions.

Nothing is ever evaluated as code. Published tools (legalagentbench.md 3) make each item a text
in which 千, 万 and 亿 are factors, and calculate the text. What they make of odd items is kept: `-`
in a rank goes away with the sign of a negative number, and one item that is no number spoils the
order. The helpful ones are exact to the last digit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import partial
from typing import Any, Final, Literal, TypeVar

import msgspec

from hengfa.world.tables.cells import Exact, day, exact_amount, plain, write_date
from hengfa.world.tools.observation import (
    DIVIDED_BY_ZERO,
    NOT_CALCULATED,
    Observation,
    RefusedCall,
    Status,
    echo,
    observe,
    read,
)

Number = int | float
_LONGEST_EXPRESSION: Final = 2_000
_DEEPEST: Final = 50
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
    """The value of an expression: numbers, + - * / and brackets, nothing else.

    What Python would make of such a text is what comes out, whole numbers and fractions included:
    ``2*3`` is 6, ``6/3`` is 2.0, ``07`` is no number. Texts are short and brackets few, so that no
    text takes long or deep.

    Raises :class:`NotAnExpression`, ``ZeroDivisionError`` or ``OverflowError``.

    >>> evaluate("(1 + 2) * 4 / 3")
    4.0
    """
    if len(text) > _LONGEST_EXPRESSION:
        raise NotAnExpression(f"longer than {_LONGEST_EXPRESSION} characters")
    reader = _ExpressionReader(text)
    value = reader.sum()
    if reader.at < len(text):
        raise NotAnExpression(f"cannot be read from {text[reader.at : reader.at + 10]!r} on")
    return value


class _ExpressionReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.depth = 0
        self._move(0)

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
            if self.depth > _DEEPEST:
                raise NotAnExpression(f"has more than {_DEEPEST} brackets in one another")
            value = self.sum()
            if not self._take(")"):
                raise NotAnExpression("a bracket is not closed")
            self.depth -= 1
        else:
            value = self._number()
        return -value if negative else value

    def _number(self) -> Number:
        number = _NUMBER.match(self.text, self.at)
        if number is None:
            here = self.text[self.at : self.at + 10]
            raise NotAnExpression(f"a number is missing before {here!r}" if here else "ends early")
        self._move(number.end())
        digits = number[0]
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
        self._move(self.at + 1)
        return sign

    def _move(self, at: int) -> None:
        blanks = _BLANKS.match(self.text, at)
        self.at = blanks.end() if blanks else at


# --- as published ---

_FACTORS: Final = str.maketrans({"千": "*1e3", "万": "*1e4", "亿": "*1e8"})
_NOT_IN_A_RANK: Final = str.maketrans("", "", "年月日-")
_FAILURES: Final = (NotAnExpression, TypeError, KeyError, ValueError, ArithmeticError)


def _strict(what: str, calculate: Callable[[Any], Any]) -> Callable[[Any], Observation]:
    """A tool that says what it calculated; whatever it cannot, is one and the same text."""

    def answer(arguments: Any) -> Observation:
        try:
            value = calculate(arguments)
            return Observation(str(value), value=value)
        except ZeroDivisionError:
            text = DIVIDED_BY_ZERO if what == _DIVISION else NOT_CALCULATED.format(what)
        except _FAILURES:
            text = NOT_CALCULATED.format(what)
        return Observation(text, Status.BAD_ARGUMENTS)

    return answer


def _strict_rank(arguments: Any) -> list[Number | None]:
    """The values in order; the items they belong to are lost."""
    descending = isinstance(arguments, dict) and arguments.get("is_desc") in ("True", True)
    values = [_rankable(item) for item in _strict_items(arguments)]
    return sorted(values, reverse=descending)  # type: ignore[type-var]  # None makes it fail


_DIVISION: Final = "除法"
STRICT_ARITHMETIC: Final = {
    "get_sum": _strict("求和", lambda given: sum(map(_strict_value, _strict_items(given)))),
    "get_subtraction": _strict(
        "减法", lambda given: _strict_value(given["minuend"]) - _strict_value(given["subtrahend"])
    ),
    "get_multiplication": _strict(
        "乘法", lambda given: math.prod(map(_strict_value, _strict_items(given)))
    ),
    "get_division": _strict(
        _DIVISION, lambda given: _strict_value(given["dividend"]) / _strict_value(given["divisor"])
    ),
    "get_rank": _strict("排序", _strict_rank),
}


def _strict_items(arguments: Any) -> list[Any]:
    """The list under `identifier`, or a bare list; it must not be empty."""
    items = arguments["identifier"] if isinstance(arguments, dict) else arguments
    if not isinstance(items, list) or not items:
        raise TypeError
    return items


def _text(item: Any) -> str:
    if not isinstance(item, str | int | float):
        raise TypeError
    return str(int(item)) if isinstance(item, bool) else str(item)


def _strict_value(item: Any) -> Number:
    return evaluate(_text(item).translate(_FACTORS))


def _rankable(item: Any) -> Number | None:
    """A date as the number of its digits, a number without its sign, None for anything else."""
    text = _text(item).translate(_NOT_IN_A_RANK)
    try:
        return evaluate(text.translate(_FACTORS))
    except (NotAnExpression, ValueError, ArithmeticError):
        return None


# --- helpful: arithmetic and conversions ---

_MOST_ITEMS: Final = 10_000
_UNITS: Final = {"元": 1, "千元": 1_000, "万元": 10_000, "亿元": 100_000_000}
# "万" after a digit or bracket in (1+2)万, and "亿元" in 3亿元; not "万" at the start
_UNIT: Final = re.compile(r"(?<=[0-9.)千万])\s*(?P<unit>[千万亿])")
_POWER: Final = {"千": "*1000", "万": "*10000", "亿": "*100000000"}
_DIGIT_COMMA: Final = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
Item = str | int | float


class _Items(msgspec.Struct, forbid_unknown_fields=True):
    identifier: list[Item]


class _Ranking(_Items):
    is_desc: str | bool = False


_Listed = TypeVar("_Listed", bound=_Items)


class _Difference(msgspec.Struct, forbid_unknown_fields=True):
    minuend: Item
    subtrahend: Item


class _Quotient(msgspec.Struct, forbid_unknown_fields=True):
    dividend: Item
    divisor: Item


class _Expression(msgspec.Struct, forbid_unknown_fields=True):
    expression: str


class _Money(msgspec.Struct, forbid_unknown_fields=True):
    value: Item
    unit: Literal["元", "千元", "万元", "亿元"] = "元"


class _Date(msgspec.Struct, forbid_unknown_fields=True):
    value: str
    form: Literal["年月日", "ISO", "数字"] = "年月日"


def _fold(fold: Callable[[Iterable[Exact]], Exact], arguments: Any) -> Observation:
    return _result(fold(map(_number, _read_items(arguments, _Items).identifier)))


def _difference(arguments: Any) -> Observation:
    """Of two numbers, or of two dates in days."""
    asked = read(arguments, _Difference)
    later, earlier = (  # bare digits are a number
        day(item) if isinstance(item, str) and not item.strip().isdecimal() else None
        for item in (asked.minuend, asked.subtrahend)
    )
    if later and earlier:
        return observe({"result": (later - earlier).days, "unit": "天"})
    return _result(_number(asked.minuend) - _number(asked.subtrahend))


def _quotient(arguments: Any) -> Observation:
    asked = read(arguments, _Quotient)
    divisor = _number(asked.divisor)
    if not divisor:
        raise RefusedCall(Status.BAD_ARGUMENTS, "参数divisor：除数不能为零")
    return _result(Decimal(_number(asked.dividend)) / divisor)


def _rank(arguments: Any) -> Observation:
    """The items in order, each with the number or date it was ordered by."""
    asked = _read_items(arguments, _Ranking)
    values = [_date_or_number(item) for item in asked.identifier]
    if len({isinstance(value, str) for value in values}) > 1:
        raise RefusedCall(Status.BAD_ARGUMENTS, "参数identifier：日期和数字不能混在一起排序")
    pairs = zip(values, asked.identifier, strict=True)
    order = sorted(pairs, key=lambda pair: pair[0], reverse=str(asked.is_desc) == "True")
    shown = ((item, value if isinstance(value, str) else plain(value)) for value, item in order)
    return observe([{"item": item, "value": value} for item, value in shown])


def _calculate(arguments: Any) -> Observation:
    """The value of an expression with units."""
    text = read(arguments, _Expression).expression
    narrow = text.replace("（", "(").replace("）", ")").replace("×", "*").replace("÷", "/")
    factors = _UNIT.sub(lambda unit: _POWER[unit["unit"]], _DIGIT_COMMA.sub("", narrow))
    try:
        value = evaluate(factors)
    except (NotAnExpression, ArithmeticError, ValueError) as error:
        problem = "除数为零" if isinstance(error, ZeroDivisionError) else echo(str(error))
        raise RefusedCall(Status.BAD_ARGUMENTS, f"参数expression：{problem}") from error
    if isinstance(value, float):
        if not math.isfinite(value):
            raise RefusedCall(Status.BAD_ARGUMENTS, "参数expression：结果太大")
        value = plain(Decimal(f"{value:.15g}"))  # 0.1+0.2 is 0.3
    return observe({"result": value})


def _convert_money(arguments: Any) -> Observation:
    asked = read(arguments, _Money)
    converted = Decimal(_number(asked.value)) / _UNITS[asked.unit]
    return observe({"value": plain(converted), "unit": asked.unit})


def _convert_date(arguments: Any) -> Observation:
    asked = read(arguments, _Date)
    on = day(asked.value)
    if on is None:
        problem = f"参数value：“{echo(asked.value)}”不是日期，例如2020年01月02日"
        raise RefusedCall(Status.BAD_ARGUMENTS, problem)
    forms = {"年月日": write_date(on), "ISO": on.isoformat(), "数字": f"{on:%Y%m%d}"}
    return observe({"date": forms[asked.form]})


HELPFUL_ARITHMETIC: Final[dict[str, Callable[[Any], Observation]]] = {
    "get_sum": partial(_fold, sum),
    "get_subtraction": _difference,
    "get_multiplication": partial(_fold, math.prod),
    "get_division": _quotient,
    "get_rank": _rank,
    "calculate": _calculate,
    "convert_money": _convert_money,
    "convert_date": _convert_date,
}


def _read_items(arguments: Any, kind: type[_Listed]) -> _Listed:
    """A list of items, bare or under its name."""
    asked = read({"identifier": arguments} if isinstance(arguments, list) else arguments, kind)
    if not 1 <= len(asked.identifier) <= _MOST_ITEMS:
        raise RefusedCall(Status.BAD_ARGUMENTS, f"参数identifier：须有1到{_MOST_ITEMS}项")
    return asked


def _number(item: Item) -> Exact:
    amount = exact_amount(item)
    if amount is None:
        problem = f"“{echo(str(item))}”不是数字，例如12.5、3000万"
        raise RefusedCall(Status.BAD_ARGUMENTS, problem)
    return amount


def _date_or_number(item: Item) -> str | Exact:
    if isinstance(item, str) and (on := day(item)):
        return on.isoformat()
    return _number(item)


def _result(value: Exact) -> Observation:
    return observe({"result": plain(value)})
