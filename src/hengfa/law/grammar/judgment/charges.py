"""Names of crimes: how a judgment writes them, and the one name of each in a list of charges.

A name ends in 罪, but not every 罪 ends one: 掩饰、隐瞒犯罪所得罪 holds 犯罪. Without a list a name
stays as it is written; with one it becomes the listed name (judgment.md 5.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from rapidfuzz.distance import Levenshtein

from hengfa.base.data.jsonfile import read_json
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.law.grammar.citation_model import Position

# "盗窃罪", "掩饰、隐瞒犯罪所得、犯罪所得收益罪", "非法制造、买卖枪支罪"; not "罪", "犯罪"
CHARGE: Final = r"(?!罪)(?:[^罪，。；：《》（）“”\n]|(?<=犯)罪){1,40}?(?<!犯)罪(?!名|行|责|犯|状)"
# "盗窃罪、诈骗罪", "诈骗罪和盗窃罪"
CHARGE_LIST: Final = rf"{CHARGE}(?:[、和及与]{CHARGE}){{0,12}}"
_ONE: Final = re.compile(rf"(?<![^、和及与]){CHARGE}(?![^、和及与])|(?<![^、和及与]){CHARGE}")

_SLIPS: Final = ("有", "的", "了", "着", "下列", "以下")
_NEAR: Final = 0.4
_SHORTEST, _LONGEST = 3, 30


class Charges:
    """The list of charges, with the short forms that stand for them."""

    def __init__(
        self, names: Iterable[str], aliases: Iterable[tuple[str, Sequence[str]]] = ()
    ) -> None:
        self.names = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
        self.aliases = tuple((word, tuple(full)) for word, full in aliases)
        self.canonical = lru_cache(maxsize=4096)(self._canonical)
        self._listed = frozenset(self.names)

    def _canonical(self, written: str) -> str | None:
        listed = self.find(clean(written))
        return None if listed is None else listed.strip()

    def find(self, name: str) -> str | None:
        """The name itself; else the first full name of an alias whose keyword it holds and of which
        it is a part, letters left out; else the nearest name, if less than 0.4 of the letters
        differ. Full names of aliases are as they were given; some are not in the list.
        """
        if name in self._listed:
            return name
        for keyword, full_names in self.aliases:
            if keyword in name:
                for full in full_names:
                    if _is_subsequence(name, full):
                        return full
        best, least = None, _NEAR
        for known in self.names if len(name) < _LONGEST else ():
            distance = Levenshtein.distance(name, known) / max(len(name), len(known))
            if distance < least:
                best, least = known, distance
        return best


def read_charges(folder: Path | None = None) -> Charges:
    """The list in ``charges.txt`` of a folder, and ``charge_aliases.json`` where it has one.

    Ours is the list of the benchmark (judgment.md 5.3): the crimes of the law in force when it was
    made, and the short forms that stand for them.
    """
    folder = folder or Path(__file__).parent
    file = folder / "charges.txt"
    with disk_errors(file):
        content = file.read_bytes()
    try:
        names = content.decode().splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8: {error}", file=file) from error
    aliases = folder / "charge_aliases.json"
    if not aliases.exists():
        return Charges(names)
    return Charges(names, read_json(aliases, list[tuple[str, list[str]]]))


@lru_cache(maxsize=1)
def _charge_articles() -> Mapping[str, frozenset[Position]]:
    """Every crime with its articles in the Criminal Law of 1997 as amended."""
    homes: dict[str, frozenset[Position]] = {}
    table = (Path(__file__).parent / "charge_articles.tsv").read_text("utf-8")
    for numbers, _, names in (line.partition("\t") for line in table.splitlines()):
        articles = frozenset(
            Position(int(number), int(sub) if sub else None)
            for number, _, sub in (written.partition("-") for written in numbers.split())
        )
        homes |= dict.fromkeys(names.split(), articles)
    return homes


@lru_cache(maxsize=1024)
def articles_of(charge: str) -> frozenset[Position]:
    """The articles of the Criminal Law that have a crime; none where its name is not known.

    A name with letters left out may be that of several: 贩卖毒品罪 is 走私、贩卖、运输、制造毒品罪.
    """
    homes = _charge_articles()
    if charge in homes:
        return homes[charge]
    if len(charge) < _SHORTEST or len(charge) > _LONGEST:
        return frozenset()
    return frozenset().union(*(of for full, of in homes.items() if _is_subsequence(charge, full)))


def is_crime(name: str) -> bool:
    """Whether this is the whole name of a crime of the Criminal Law."""
    return name in _charge_articles()


@lru_cache(maxsize=1024)
def has_crimes(article: Position) -> bool:
    """Whether an article of the Criminal Law has crimes of its own."""
    return any(article in of for of in _charge_articles().values())


def clean(written: str) -> str:
    """A name without blanks and without a word that belongs to 犯: 犯有盗窃罪, 犯了盗窃罪."""
    name = written.replace(" ", "")
    for slip in _SLIPS:
        if name.startswith(slip) and len(name) > len(slip) + 1:
            return name.removeprefix(slip)
    return name


def split_charges(words: str) -> list[str]:
    """The names in 盗窃罪、诈骗罪; the 罪 of 犯罪 ends none."""
    return [clean(match[0]) for match in _ONE.finditer(words)]


def _is_subsequence(part: str, whole: str) -> bool:
    letters = iter(whole)
    return all(letter in letters for letter in part)
