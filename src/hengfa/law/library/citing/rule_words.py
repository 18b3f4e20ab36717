"""The words of a rule and of what is told of it, each by the part that it plays.

`rule_words.tsv` has a line for each word: its role, the word, and what else it is called. Two texts
that say one thing in different words come to the same row of words: 卖家没有付钱 and
出卖人未支付. Amounts are words by their value, a bound stands behind its amount (不超过三年 as
三年以下), and letters of no word stand alone. `opposed_words.tsv` has words of one role that
exclude each other where they fill the same place.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from hengfa.law.grammar.numerals import parse_number
from hengfa.law.grammar.script import simplified
from hengfa.law.library.citing.details import POSITION, quantities

Role: TypeAlias = Literal[
    "actor", "modal", "not", "amount", "bound", "scope", "except", "limit", "result", "word",
    "letter", "light",
]  # fmt: skip
"""Who; 应当; 不; 三年; 以上; 全部; 除外; 故意, 书面; 无效; an act or a thing; a letter of no word;
and 的, which says nothing and is passed over."""

CUTS: Final = frozenset("，,；;：:。.!！?？\n")
"""Where clauses end."""

# "三家", "两名", "5份"; not "三个月", "一个"
_COUNT: Final = re.compile(
    r"(?<![第0-9一二三四五六七八九十百千])(?P<number>[2-9]|[1-9][0-9]+|[二三四五六七八九十百千两]+)(?:个(?!月|星期|工作日)|家|名|人|份|件)"
)
_FOLDER: Final = Path(__file__).parent


class Word(NamedTuple):
    """A word by its role and its first name, where it stands, and in which clause."""

    role: Role
    name: str
    start: int
    end: int
    clause: int

    @property
    def key(self) -> tuple[Role, str]:
        return self.role, self.name

    @property
    def size(self) -> int:
        return self.end - self.start

    def opposes(self, other: Word) -> bool:
        """Whether both cannot be said in one place: 买受人 and 出卖人, 三年 and 五年."""
        if self.role == other.role == "amount":
            return self.name.lstrip(_DIGITS) == other.name.lstrip(_DIGITS)
        return other.name in _opposed().get(self.key, ())


_DIGITS: Final = "0123456789.e+"
DECIDES: Final[frozenset[Role]] = frozenset(
    {"actor", "modal", "not", "amount", "bound", "result", "scope", "limit", "except"}
)
"""A word of such a role makes another rule of a sentence."""


def makes_another_rule(quoted: str, law: str) -> bool:
    """Whether words of a quotation and of the law differ in a word that decides.

    >>> makes_another_rule("可以解除", "应当解除"), makes_another_rule("按照约定", "依照约定")
    (True, False)
    """
    mine, its = (
        Counter(
            word.key
            for word in read_words(text)
            if word.role in DECIDES and word.name != "之内"  # 三十日内 is 三十日
        )
        for text in (quoted, law)
    )
    return mine != its


def _rows(file: str) -> list[list[str]]:
    lines = (_FOLDER / file).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]


@cache
def _forms() -> Mapping[str, tuple[Role, str]]:
    """Every way to write a word, with its role and first name."""
    forms: dict[str, tuple[Role, str]] = {}
    for role, name, also in _rows("rule_words.tsv"):
        for form in (name, *also.split(" ")):
            if form:
                forms.setdefault(form, (cast("Role", role), name))
    return forms


@cache
def _opposed() -> Mapping[tuple[Role, str], set[str]]:
    opposed: defaultdict[tuple[Role, str], set[str]] = defaultdict(set)
    for role, words in _rows("opposed_words.tsv"):
        names = words.split(" ")
        for name in names:
            opposed[cast("Role", role), name].update(other for other in names if other != name)
    return opposed


def opposites_of(word: Word) -> list[str]:
    """What cannot be said in the place of a word."""
    return sorted(_opposed().get(word.key, ()))


def read_words(text: str) -> list[Word]:
    """The words of a text, without those that say nothing.

    >>> [word.name for word in read_words("员工不得在三年内，")]
    ['劳动者', '不得', '在', '36month', '之内']
    """
    text = simplified(text)
    amounts = {
        one.start: (f"{one.value:g}{one.unit}", one.start + len(one.shown))
        for one in quantities(text)
    }
    for one in _COUNT.finditer(text):
        number = parse_number(one["number"])
        if number is not None and one.start() not in amounts:
            amounts[one.start()] = f"{number}个", one.end()
    text = POSITION.sub(lambda match: " " * len(match[0]), text)
    words: list[Word] = []
    at = clause = 0
    while at < len(text):
        letter = text[at]
        if amount := amounts.get(at):
            words.append(Word("amount", amount[0], at, amount[1], clause))
            at = amount[1]
        elif letter in CUTS:
            clause += not (letter == "." and text[at + 1 : at + 2].isdigit())
            at += 1
        else:
            stop = next((end for end in amounts if at < end < at + _longest()), len(text))
            role, name, end = _longest_word(text, at, stop)
            if role != "light":
                words.append(Word(role, name, at, end, clause))
            at = end
    for n, (word, after) in enumerate(list(pairwise(words))):
        if word.role == "bound" and after.role == "amount" and word.clause == after.clause:
            words[n], words[n + 1] = after, word
    return words


@cache
def _longest() -> int:
    return max(map(len, _forms()))


def _longest_word(text: str, at: int, stop: int) -> tuple[Role, str, int]:
    for end in range(min(stop, at + _longest()), at, -1):
        if form := _forms().get(text[at:end]):
            return *form, end
    return ("letter" if text[at].isalnum() else "light"), text[at], at + 1
