"""The five arithmetic tools exactly as published, except that nothing is evaluated as code.

Each item becomes a text in which 千, 万 and 亿 are factors, and the text is calculated
(specification, section 3). What the published tools make of odd items is kept: `-` in a rank goes
away with the sign of a negative number, and one item that is no number spoils the order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from hengfa.world.tools.expression import NotAnExpression, Number, evaluate
from hengfa.world.tools.observation import (
    DIVIDED_BY_ZERO,
    NOT_CALCULATED,
    Observation,
    Status,
)

_FACTORS: Final = str.maketrans({"千": "*1e3", "万": "*1e4", "亿": "*1e8"})
_NOT_IN_A_RANK: Final = str.maketrans("", "", "年月日-")

_FAILURES: Final = (NotAnExpression, TypeError, KeyError, ValueError, ArithmeticError)


def get_sum(arguments: Any) -> Observation:
    """The items added up."""
    return _calculated("求和", lambda: sum(map(_value, _items(arguments))))


def get_multiplication(arguments: Any) -> Observation:
    """The items multiplied."""
    return _calculated("乘法", lambda: math.prod(map(_value, _items(arguments))))


def get_subtraction(arguments: Any) -> Observation:
    """Minuend less subtrahend."""
    return _calculated(
        "减法", lambda: _value(arguments["minuend"]) - _value(arguments["subtrahend"])
    )


def get_division(arguments: Any) -> Observation:
    """Dividend by divisor; division by zero has a text of its own."""
    try:
        return _calculated(
            "除法", lambda: _value(arguments["dividend"]) / _value(arguments["divisor"])
        )
    except ZeroDivisionError:
        return Observation(DIVIDED_BY_ZERO, Status.BAD_ARGUMENTS)


def get_rank(arguments: Any) -> Observation:
    """The values in order; the items they belong to are lost."""

    def ranked() -> list[Number | None]:
        descending = isinstance(arguments, dict) and arguments.get("is_desc") in ("True", True)
        values = [_rankable(item) for item in _items(arguments)]
        return sorted(values, reverse=descending)  # type: ignore[type-var]  # None makes it fail

    return _calculated("排序", ranked)


ARITHMETIC: Final[dict[str, Callable[[Any], Observation]]] = {
    "get_sum": get_sum,
    "get_subtraction": get_subtraction,
    "get_multiplication": get_multiplication,
    "get_division": get_division,
    "get_rank": get_rank,
}


def _calculated(what: str, calculate: Callable[[], Any]) -> Observation:
    try:
        value = calculate()
        return Observation(str(value), value=value)
    except ZeroDivisionError:
        if what == "除法":
            raise
    except _FAILURES:
        pass
    return Observation(NOT_CALCULATED.format(what), Status.BAD_ARGUMENTS)


def _items(arguments: Any) -> list[Any]:
    """The list under `identifier`, or a bare list; it must not be empty."""
    items = arguments["identifier"] if isinstance(arguments, dict) else arguments
    if not isinstance(items, list) or not items:
        raise TypeError
    return items


def _text(item: Any) -> str:
    if not isinstance(item, str | int | float):
        raise TypeError
    return str(int(item)) if isinstance(item, bool) else str(item)


def _value(item: Any) -> Number:
    return evaluate(_text(item).translate(_FACTORS))


def _rankable(item: Any) -> Number | None:
    """A date as the number of its digits, a number without its sign, None for anything else."""
    text = _text(item).translate(_NOT_IN_A_RANK)
    try:
        return evaluate(text.translate(_FACTORS))
    except (NotAnExpression, ValueError, ArithmeticError):
        return None
