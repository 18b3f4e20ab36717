"""Numerals as Chinese law writes them: numbers, sums, days and articles, from one script into the
other, and days counted on.

Questions are made by rule and answered by the same grammar that reads statutes (`law/numerals.py`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import format_citation
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


def make_question(dice: random.Random) -> Question:
    """A question of one of the kinds."""
    return dice.choice(_KINDS)(dice)


def make_samples(count: int, seed: int) -> list[MadeSample]:
    """Questions of these kinds, no two alike."""
    return draw(make_question, "numerals", count, seed)


def _ask(asked: str, form: Form, answer: str, example: str) -> Question:
    return Question(f"{asked}\n{HOW.format(example=example)}", form, (answer,))


def _size(dice: random.Random) -> int:
    """As many small numbers as large ones, and zeros in the middle."""
    number = dice.randrange(10 ** dice.randint(1, 9))
    return number - number % 10 ** dice.randint(0, 3) or 7


def _to_chinese(dice: random.Random) -> Question:
    number = _size(dice)
    asked = f"把 {number} 写成中文小写数字（用一、二、三、十、百、千、万、亿、零）。"
    return _ask(asked, "written", format_number(number), "一百零五")


def _to_digits(dice: random.Random) -> Question:
    number = _size(dice)
    style = dice.choice(("lower", "financial"))
    written = format_number(number, "lower" if style == "lower" else "financial")
    return _ask(f"把“{written}”写成阿拉伯数字。", "written", str(number), "105")


def _sum_in_words(dice: random.Random) -> Question:
    yuan = _size(dice)
    asked = f"判决书写罚金要用大写金额。把 {yuan} 元写成大写，以“元整”结尾，不写“人民币”。"
    return _ask(asked, "written", f"{format_number(yuan, 'financial')}元整", "壹佰零伍元整")


def _sum_in_digits(dice: random.Random) -> Question:
    tenths = dice.randint(1, 9999)
    unit, worth = dice.choice((("万", 1000), ("亿", 10_000_000)))
    written = f"{tenths // 10}.{tenths % 10}{unit}元"
    return _ask(f"{written}是多少元？写成阿拉伯数字。", "written", f"{tenths * worth}元", "12000元")


def _day(dice: random.Random) -> date:
    return date(1990, 1, 1) + timedelta(days=dice.randrange(20_000))


def _in_chinese(day: date) -> str:
    year = format_number(day.year, "positional")
    return f"{year}年{format_number(day.month)}月{format_number(day.day)}日"


def _day_in_digits(dice: random.Random) -> Question:
    day = _day(dice)
    asked = f"把“{_in_chinese(day)}”写成 2031-05-01 这样的日期。"
    return _ask(asked, "written", day.isoformat(), "2031-05-01")


def _day_in_chinese(dice: random.Random) -> Question:
    day = _day(dice)
    asked = f"裁判文书的落款日期用汉字。把 {show_day(day)} 写成汉字，零写作“〇”。"
    return _ask(asked, "written", _in_chinese(day), "二〇三一年五月一日")


def _days_later(dice: random.Random) -> Question:
    day, days = _day(dice), dice.choice((5, 7, 10, 15, 30, 60, 90))
    asked = (
        f"文书于{show_day(day)}送达，期限为{days}日，自送达的次日起计算，不考虑节假日。"
        "期限的最后一日是哪一天？"
    )
    return _ask(asked, "day", (day + timedelta(days=days)).isoformat(), "2031年5月1日")


def _place(dice: random.Random) -> Position:
    sub = dice.randint(1, 9) if dice.random() < 0.2 else None
    paragraph = dice.randint(1, 9) if dice.random() < 0.6 else None
    item = dice.randint(1, 15) if paragraph and dice.random() < 0.5 else None
    return Position(dice.randint(1, 1260), sub, paragraph, item)


def _place_in_digits(dice: random.Random) -> Question:
    place = _place(dice)
    asked = (
        f"把“{format_citation(None, place)}”写成简写：条号，“之一”写成“-1”，款、项前加点，"
        "如第二百条之一第二款第（三）项写成 200-1.2.3。"
    )
    return _ask(asked, "written", format_citation(None, place, "dotted"), "200-1.2.3")


def _place_in_chinese(dice: random.Random) -> Question:
    place = _place(dice)
    written = format_citation(None, place)
    asked = (
        f"把条文位置 {format_citation(None, place, 'dotted')} 写成法律文书的写法，"
        "如 200-1.2.3 写成第二百条之一第二款第（三）项。"
    )
    return _ask(asked, "written", written, "第二百条之一第二款第（三）项")


_KINDS: Final[tuple[Callable[[random.Random], Question], ...]] = (
    _to_chinese, _to_digits, _sum_in_words, _sum_in_digits, _day_in_digits, _day_in_chinese,
    _days_later, _place_in_digits, _place_in_chinese,
)  # fmt: skip

NUMERALS: Final = made_task(
    "numerals", "数字与日期", "Numerals, sums, days and articles",
    lambda _root, _setting, _options: make_samples(100, 0),
)  # fmt: skip
