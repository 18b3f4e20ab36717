"""Sentencing arithmetic: terms, combined sentences, days in custody, fines, each by a rule that the
question states.

The rules are those of the Criminal Law in plain words (articles 41, 44, 47, 69 to 71, 73, 78 and 81
of the text of 2020, and the ranges of fines that its special part has), reduced to what can be
calculated: what a court may consider besides is left out, and the question says by which rule it is
to be answered. Nobody in it exists.
"""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path
from typing import Final

from hengfa.base.data.jsonfile import read_toml
from hengfa.law.grammar.judgment.verdict_words import show_term
from hengfa.law.grammar.numerals import format_number
from hengfa.train.rewards.final_answer import (
    Kind,
    MadeSample,
    Question,
    Wording,
    draw,
    made_task,
    show_day,
)

YEAR: Final = 12
_SURNAMES: Final = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨"
_CRIMES: Final = ("盗窃罪", "诈骗罪", "故意伤害罪", "抢夺罪", "职务侵占罪", "寻衅滋事罪")
_WORDS: Final = read_toml(Path(__file__).with_suffix(".toml"), dict[str, Wording])


def make_samples(count: int, seed: int) -> list[MadeSample]:
    return draw(KINDS, "sentencing", count, seed)


def _who(dice: random.Random) -> str:
    return f"被告人{dice.choice(_SURNAMES)}某"


def _term(dice: random.Random, months: int) -> str:
    """In one of the two scripts."""
    if dice.random() < 0.5:
        return show_term(months)
    years, rest = divmod(months, YEAR)
    counted = ((years, "年"), (rest, "个月"))
    return "".join(f"{format_number(count)}{unit}" for count, unit in counted if count)


def _either(dice: random.Random, lowest: int, highest: int) -> tuple[str, int]:
    return dice.choice((("最低", lowest), ("最高", highest)))


# --- combined sentences ---

_TOGETHER: Final = (
    "判决宣告以前一人犯数罪，各判有期徒刑的，在总和刑期以下、数刑中最高刑期以上决定执行的刑期；"
    "总和刑期不满三十五年的，最高不能超过二十年；总和刑期在三十五年以上的，最高不能超过二十五年。"
)
_SHORTER: Final = {"管制": (3, 24, 36), "拘役": (1, 6, 12)}
"""The least and the most for one crime, and the most for several, in months."""


def combined_range(terms: list[int]) -> tuple[int, int]:
    """The least and the most that can be executed of several terms of imprisonment, in months."""
    total = sum(terms)
    return max(terms), min(total, (20 if total < 35 * YEAR else 25) * YEAR)


def _combined(dice: random.Random) -> Question:
    terms = [dice.randint(6, 15 * YEAR) for _ in range(dice.randint(2, 4))]
    crimes = dice.sample(_CRIMES, len(terms))
    sentences = "；".join(
        f"犯{crime}，判处有期徒刑{_term(dice, term)}"
        for crime, term in zip(crimes, terms, strict=True)
    )
    which, months = _either(dice, *combined_range(terms))
    return _WORDS["combined"].question(
        show_term(months), who=_who(dice), sentences=sentences, together=_TOGETHER, which=which
    )


def _combined_shorter(dice: random.Random) -> Question:
    kind, (least, most, limit) = dice.choice(list(_SHORTER.items()))
    terms = [dice.randint(least, most) for _ in range(dice.randint(2, 4))]
    sentences = "、".join(f"{kind}{_term(dice, term)}" for term in terms)
    which, months = _either(dice, max(terms), min(sum(terms), limit))
    return _WORDS["combined_shorter"].question(
        show_term(months),
        who=_who(dice),
        number=format_number(len(terms)),
        sentences=sentences,
        kind=kind,
        limit=_term(dice, limit),
        which=which,
    )


def _found_later(dice: random.Random) -> Question:
    """A crime from before the judgment is combined first, one from after it last."""
    term, other = dice.randint(2 * YEAR, 15 * YEAR), dice.randint(6, 15 * YEAR)
    served = dice.randint(1, term - 1)
    if dice.random() < 0.5:
        name, bounds = "found_before", [months - served for months in combined_range([term, other])]
    else:
        name, bounds = "found_after", list(combined_range([term - served, other]))
    which, months = _either(dice, *bounds)
    return _WORDS[name].question(
        show_term(months),
        who=_who(dice),
        term=_term(dice, term),
        served=_term(dice, served),
        other=_term(dice, other),
        together=_TOGETHER,
        which=which,
    )


# --- days in custody ---


def _last_day(dice: random.Random) -> Question:
    begun = date(2027, 1, 1) + timedelta(days=dice.randrange(3000))
    months = dice.randint(6, 10 * YEAR)
    day = after_months(begun, months) - timedelta(days=1)
    return _WORDS["last_day"].question(
        show_day(day), who=_who(dice), begun=show_day(begun), term=_term(dice, months)
    )


def after_months(day: date, months: int) -> date:
    """The same day of a later month, or its last."""
    years, month = divmod(day.month - 1 + months, YEAR)
    for number in range(day.day, 0, -1):
        try:
            return date(day.year + years, month + 1, number)
        except ValueError:
            continue
    raise AssertionError("every month has a first day")


def _set_off(dice: random.Random) -> Question:
    held = dice.randint(5, 180)
    kind, each = dice.choice((("管制", 2), ("拘役", 1), ("有期徒刑", 1)))
    return _WORDS["set_off"].question(f"{held * each}日", who=_who(dice), held=held, kind=kind)


# --- probation, commutation, parole ---


def _probation(dice: random.Random) -> Question:
    if dice.random() < 0.5:
        kind, term = "拘役", dice.randint(1, 6)
        lowest, highest = max(term, 2), YEAR
    else:
        kind, term = "有期徒刑", dice.randint(6, 3 * YEAR)
        lowest, highest = max(term, YEAR), 5 * YEAR
    which, months = _either(dice, lowest, highest)
    return _WORDS["probation"].question(
        show_term(months), who=_who(dice), kind=kind, term=_term(dice, term), which=which
    )


def _at_least(dice: random.Random) -> Question:
    term = 2 * dice.randint(6, 90)
    who, whole = _who(dice), _term(dice, term)
    name = dice.choice(("parole", "commutation"))
    return _WORDS[name].question(show_term(term // 2), who=who, term=whole)


# --- fines ---


def _fine(dice: random.Random) -> Question:
    base = dice.randint(5, 5000) * dice.choice((100, 1000))
    name, low, high = dice.choice((("fine_by_gains", 2, 10), ("fine_by_sales", 1, 4)))
    which, yuan = _either(dice, base * low // 2, base * high // 2)
    return _WORDS[name].question(f"{yuan}元", who=_who(dice), base=base, which=which)


def _instalments(dice: random.Random) -> Question:
    each, number = dice.randint(1, 40) * 500, dice.randint(3, 12)
    paid = dice.randint(1, number - 1)
    return _WORDS["instalments"].question(
        f"{each * (number - paid)}元",
        who=_who(dice),
        fine=each * number,
        number=format_number(number),
        paid=format_number(paid),
    )


KINDS: Final[tuple[Kind, ...]] = (
    _combined, _combined, _combined_shorter, _found_later, _last_day, _set_off, _probation,
    _at_least, _fine, _instalments,
)  # fmt: skip

SENTENCING: Final = made_task(
    "sentencing", "量刑计算", "Sentencing arithmetic",
    lambda _root, _setting, _options: make_samples(100, 0),
)  # fmt: skip
