"""Arithmetic on amounts as people write them, exact to the last digit; and conversions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final, Literal

import msgspec

from hengfa.world.cells import Exact, day, exact_amount, plain, written
from hengfa.world.tools.expression import NotAnExpression, evaluate
from hengfa.world.tools.helpful.answering import Refused, echo, read, refused, said
from hengfa.world.tools.observation import Observation, Status

MOST_ITEMS: Final = 10_000
_UNITS: Final = {"元": 1, "千元": 1_000, "万元": 10_000, "亿元": 100_000_000}
# "万" after a digit or bracket in (1+2)万, and "亿元" in 3亿元; not "万" at the start
_UNIT: Final = re.compile(r"(?<=[0-9.)千万])\s*(?P<unit>[千万亿])")
_POWER: Final = {"千": "*1000", "万": "*10000", "亿": "*100000000"}
_DIGIT_COMMA: Final = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")

Item = str | int | float


class _Items(msgspec.Struct, forbid_unknown_fields=True):
    identifier: list[Item]


class _Ranked(_Items):
    is_desc: str | bool = False


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


def get_sum(arguments: Any) -> Observation:
    return _result(sum(map(_number, _items(arguments, _Items))))


def get_multiplication(arguments: Any) -> Observation:
    return _result(math.prod(map(_number, _items(arguments, _Items))))


def get_subtraction(arguments: Any) -> Observation:
    asked = read(arguments, _Difference)
    return _result(_number(asked.minuend) - _number(asked.subtrahend))


def get_division(arguments: Any) -> Observation:
    asked = read(arguments, _Quotient)
    divisor = _number(asked.divisor)
    if not divisor:
        raise Refused(refused(Status.BAD_ARGUMENTS, "参数divisor：除数不能为零"))
    return _result(Decimal(_number(asked.dividend)) / divisor)


def get_rank(arguments: Any) -> Observation:
    """The items in order, each with the number or date it was ordered by."""
    asked = read({"identifier": arguments} if isinstance(arguments, list) else arguments, _Ranked)
    _check_length(asked.identifier)
    values = [_date_or_number(item) for item in asked.identifier]
    if len({isinstance(value, str) for value in values}) > 1:
        raise Refused(refused(Status.BAD_ARGUMENTS, "参数identifier：日期和数字不能混在一起排序"))
    order = sorted(
        zip(values, asked.identifier, strict=True),
        key=lambda pair: pair[0],
        reverse=str(asked.is_desc) == "True",
    )
    return said([{"item": item, "value": _plain_or_text(value)} for value, item in order])


def calculate(arguments: Any) -> Observation:
    """The value of an expression with units."""
    text = read(arguments, _Expression).expression
    narrow = text.replace("（", "(").replace("）", ")").replace("×", "*").replace("÷", "/")
    factors = _UNIT.sub(lambda found: _POWER[found["unit"]], _DIGIT_COMMA.sub("", narrow))
    try:
        value = evaluate(factors)
    except (NotAnExpression, ArithmeticError, ValueError) as error:
        problem = "除数为零" if isinstance(error, ZeroDivisionError) else echo(str(error))
        raise Refused(refused(Status.BAD_ARGUMENTS, f"参数expression：{problem}")) from error
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Refused(refused(Status.BAD_ARGUMENTS, "参数expression：结果太大"))
        value = plain(Decimal(f"{value:.15g}"))  # 0.1+0.2 is 0.3
    return said({"result": value})


def convert_money(arguments: Any) -> Observation:
    asked = read(arguments, _Money)
    converted = Decimal(_number(asked.value)) / _UNITS[asked.unit]
    return said({"value": plain(converted), "unit": asked.unit})


def convert_date(arguments: Any) -> Observation:
    asked = read(arguments, _Date)
    on = day(asked.value)
    if on is None:
        problem = f"参数value：“{echo(asked.value)}”不是日期，例如2020年01月02日"
        raise Refused(refused(Status.BAD_ARGUMENTS, problem))
    forms = {"年月日": written(on), "ISO": on.isoformat(), "数字": f"{on:%Y%m%d}"}
    return said({"date": forms[asked.form]})


NUMBERS: Final[dict[str, Callable[[Any], Observation]]] = {
    "get_sum": get_sum,
    "get_subtraction": get_subtraction,
    "get_multiplication": get_multiplication,
    "get_division": get_division,
    "get_rank": get_rank,
    "calculate": calculate,
    "convert_money": convert_money,
    "convert_date": convert_date,
}


def _items(arguments: Any, kind: type[_Items]) -> list[Item]:
    asked = read({"identifier": arguments} if isinstance(arguments, list) else arguments, kind)
    _check_length(asked.identifier)
    return asked.identifier


def _check_length(items: list[Item]) -> None:
    if not 1 <= len(items) <= MOST_ITEMS:
        raise Refused(refused(Status.BAD_ARGUMENTS, f"参数identifier：须有1到{MOST_ITEMS}项"))


def _number(item: Item) -> Exact:
    found = exact_amount(item)
    if found is None:
        problem = f"“{echo(str(item))}”不是数字，例如12.5、3000万"
        raise Refused(refused(Status.BAD_ARGUMENTS, problem))
    return found


def _date_or_number(item: Item) -> str | Exact:
    if isinstance(item, str) and (on := day(item)):
        return on.isoformat()
    return _number(item)


def _plain_or_text(value: str | Exact) -> str | int | float:
    return value if isinstance(value, str) else plain(value)


def _result(value: Exact) -> Observation:
    return said({"result": plain(value)})
