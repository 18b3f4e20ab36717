"""Sentencing arithmetic: terms, combined sentences, days in custody, fines, each by a rule that the
question states.

The rules are those of the Criminal Law in plain words (articles 41, 44, 47, 69 to 71, 73, 78 and 81
of the text of 2020, and the ranges of fines that its special part has), reduced to what can be
calculated: what a court may consider besides is left out, and the question says by which rule it is
to be answered. Nobody in it exists.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from hengfa.law.grammar.judgment.verdict_words import show_term
from hengfa.law.grammar.numerals import format_number
from hengfa.train.rewards.final_answer import (
    HOW,
    Form,
    MadeSample,
    Question,
    draw,
    made_task,
    show_day,
)

YEAR: Final = 12
_SURNAMES: Final = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨"
_CRIMES: Final = ("盗窃罪", "诈骗罪", "故意伤害罪", "抢夺罪", "职务侵占罪", "寻衅滋事罪")
_EXAMPLES: Final = {"term": "3年6个月", "day": "2031年5月1日", "days": "40日", "yuan": "12000元"}


def make_question(dice: random.Random) -> Question:
    """A question by one of the rules."""
    return dice.choice(_RULES)(dice)


def make_samples(count: int, seed: int) -> list[MadeSample]:
    """Questions by these rules, no two alike."""
    return draw(make_question, "sentencing", count, seed)


def _ask(case: str, rule: str, asked: str, form: Form, answer: str) -> Question:
    how = HOW.format(example=_EXAMPLES[form])
    return Question(f"{case}\n规则：{rule}\n问题：{asked}\n{how}", form, (answer,))


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
_SHORTER: Final = {
    "管制": (3, 24, 36),
    "拘役": (1, 6, 12),
}
"""The least and the most for one crime, and the most for several, in months."""


def combined_range(terms: list[int]) -> tuple[int, int]:
    """The least and the most that can be executed of several terms of imprisonment, in months."""
    total = sum(terms)
    return max(terms), min(total, (20 if total < 35 * YEAR else 25) * YEAR)


def _combined(dice: random.Random) -> Question:
    terms = [dice.randint(6, 15 * YEAR) for _ in range(dice.randint(2, 4))]
    crimes = dice.sample(_CRIMES, len(terms))
    told = "；".join(
        f"犯{crime}，判处有期徒刑{_term(dice, term)}"
        for crime, term in zip(crimes, terms, strict=True)
    )
    which, months = _either(dice, *combined_range(terms))
    asked = f"数罪并罚，决定执行的有期徒刑{which}是多少？"
    return _ask(f"{_who(dice)}{told}。", _TOGETHER, asked, "term", show_term(months))


def _combined_shorter(dice: random.Random) -> Question:
    kind, (least, most, limit) = dice.choice(list(_SHORTER.items()))
    terms = [dice.randint(least, most) for _ in range(dice.randint(2, 4))]
    told = "、".join(f"{kind}{_term(dice, term)}" for term in terms)
    which, months = _either(dice, max(terms), min(sum(terms), limit))
    case = f"{_who(dice)}犯{format_number(len(terms))}个罪，分别判处{told}。"
    rule = (
        f"数罪均判{kind}的，在总和刑期以下、数刑中最高刑期以上决定执行的刑期，"
        f"最高不能超过{_term(dice, limit)}。"
    )
    return _ask(case, rule, f"决定执行的{kind}{which}是多少？", "term", show_term(months))


def _found_later(dice: random.Random) -> Question:
    """A crime from before the judgment is combined first, one from after it last."""
    term, other = dice.randint(2 * YEAR, 15 * YEAR), dice.randint(6, 15 * YEAR)
    served = dice.randint(1, term - 1)
    first = dice.random() < 0.5
    if first:
        what = "判决宣告以前还有其他罪没有判决"
        rule = (
            "把前后两个判决所判处的刑罚按数罪并罚决定执行的刑罚，"
            "已经执行的刑期计算在新判决决定的刑期以内。"
        )
        lowest, highest = (months - served for months in combined_range([term, other]))
        which, months = _either(dice, lowest, highest)
        asked = f"还须执行的刑期{which}是多少？"
    else:
        what = "在刑罚执行期间又犯新罪"
        rule = "把前罪没有执行的刑罚和后罪所判处的刑罚按数罪并罚决定执行的刑罚。"
        which, months = _either(dice, *combined_range([term - served, other]))
        asked = f"决定执行的刑期{which}是多少？"
    case = (
        f"{_who(dice)}被判处有期徒刑{_term(dice, term)}，已执行{_term(dice, served)}时"
        f"发现其{what}，对该罪判处有期徒刑{_term(dice, other)}。"
    )
    return _ask(case, f"{rule}{_TOGETHER}", asked, "term", show_term(months))


# --- days in custody ---


def _last_day(dice: random.Random) -> Question:
    begun = date(2027, 1, 1) + timedelta(days=dice.randrange(3000))
    months = dice.randint(6, 10 * YEAR)
    case = (
        f"{_who(dice)}于{show_day(begun)}被羁押，此后一直羁押至判决执行，"
        f"被判处有期徒刑{_term(dice, months)}。"
    )
    rule = (
        "判决执行以前先行羁押的，羁押一日折抵刑期一日，刑期因此自羁押之日起连续计算；"
        "按年、月计算，届满之月没有对应日的以该月末日为对应日，对应日的前一日为刑满之日。"
    )
    day = after_months(begun, months) - timedelta(days=1)
    return _ask(case, rule, "刑满之日是哪一天？", "day", show_day(day))


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
    case = f"{_who(dice)}判决执行以前先行羁押{held}日，后被判处{kind}。"
    rule = "判决执行以前先行羁押的，羁押一日折抵管制的刑期二日，折抵拘役、有期徒刑的刑期一日。"
    return _ask(case, rule, f"可以折抵{kind}的刑期多少日？", "days", f"{held * each}日")


# --- probation, commutation, parole ---


def _probation(dice: random.Random) -> Question:
    if dice.random() < 0.5:
        kind, term = "拘役", dice.randint(1, 6)
        lowest, highest = max(term, 2), YEAR
    else:
        kind, term = "有期徒刑", dice.randint(6, 3 * YEAR)
        lowest, highest = max(term, YEAR), 5 * YEAR
    rule = (
        "拘役的缓刑考验期限为原判刑期以上一年以下，但是不能少于二个月；"
        "有期徒刑的缓刑考验期限为原判刑期以上五年以下，但是不能少于一年。"
    )
    which, months = _either(dice, lowest, highest)
    case = f"{_who(dice)}被判处{kind}{_term(dice, term)}，宣告缓刑。"
    return _ask(case, rule, f"缓刑考验期限{which}是多少？", "term", show_term(months))


def _at_least(dice: random.Random) -> Question:
    term = 2 * dice.randint(6, 90)
    case = f"{_who(dice)}被判处有期徒刑{_term(dice, term)}。"
    rule, asked = dice.choice((
        (
            "被判处有期徒刑的犯罪分子，执行原判刑期二分之一以上，才可以假释。",
            "至少执行多长时间才可以假释？",
        ),
        (
            "减刑以后实际执行的刑期，判处有期徒刑的，不能少于原判刑期的二分之一。",
            "经减刑后实际执行的刑期至少是多少？",
        ),
    ))  # fmt: skip
    return _ask(case, rule, asked, "term", show_term(term // 2))


# --- fines ---


def _fine(dice: random.Random) -> Question:
    base = dice.randint(5, 5000) * dice.choice((100, 1000))
    what, rule, low, high = dice.choice((
        ("违法所得", "并处违法所得一倍以上五倍以下罚金。", 2, 10),
        ("销售金额", "并处销售金额百分之五十以上二倍以下罚金。", 1, 4),
    ))  # fmt: skip
    which, yuan = _either(dice, base * low // 2, base * high // 2)
    case = f"{_who(dice)}的{what}为{base}元。"
    return _ask(case, rule, f"应当并处的罚金{which}是多少元？", "yuan", f"{yuan}元")


def _instalments(dice: random.Random) -> Question:
    each, number = dice.randint(1, 40) * 500, dice.randint(3, 12)
    paid = dice.randint(1, number - 1)
    case = (
        f"{_who(dice)}被判处罚金{each * number}元，分{format_number(number)}期缴纳，"
        f"已缴纳{format_number(paid)}期。"
    )
    rule = "罚金在判决指定的期限内分期缴纳，每期数额相同。"
    return _ask(case, rule, "还应缴纳罚金多少元？", "yuan", f"{each * (number - paid)}元")


_RULES: Final[tuple[Callable[[random.Random], Question], ...]] = (
    _combined, _combined, _combined_shorter, _found_later, _last_day, _set_off, _probation,
    _at_least, _fine, _instalments,
)  # fmt: skip

SENTENCING: Final = made_task(
    "sentencing", "量刑计算", "Sentencing arithmetic",
    lambda _root, _setting, _options: make_samples(100, 0),
)  # fmt: skip
