"""Prison months and fines as the published evaluator reads and compares them (judgment spec 4).

All sentences that read differently are added up: those of several defendants, and a combined
sentence on top of its parts; two that read alike count once (Q3). A set of switches repairs what
can be repaired without knowing who was sentenced to what; the rest is for `parse`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from hengfa.law.judgment.official_numbers import find_official_numbers
from hengfa.law.numerals import find_numbers

NOTHING: Final = -1
LIFE_MONTHS: Final = 240
DEATH_MONTHS: Final = 10_001
_GUARD: Final = 10_000
"""What is more than this many months is a sentence of death; the guard looks at fines too (Q6)."""

# "有期徒刑三年", "拘役四个月", up to seven characters between; not "有期徒刑年", "拘役，罚金"
_TERMS: Final = tuple(
    re.compile(f"{keyword}.{{1,7}}[年月]") for keyword in ("管制", "拘役", "有期徒刑")
)
LIFE, DEATH = "无期徒刑", "死刑"
NO_PENALTY: Final = ("无罪", "免予刑事处罚", "免于刑事处罚", "免予刑事处分")
# "判处死刑", "判处被告人某甲死刑"; not "死刑" in "不是必须立即执行的死刑案件"
_SENTENCED_TO_DEATH: Final = re.compile("判处[^，。；]{0,20}死刑")
# "罚金人民币三千元"; not "罚金元", "罚金已缴纳"
_FINE: Final = re.compile("罚金.{1,15}元")


def full_numbers(text: str) -> tuple[str, ...]:
    """Every number of a text, in any script (what repairs Q7)."""
    return tuple(str(found.value) for found in find_numbers(text))


@dataclass(frozen=True)
class PenaltyRule:
    """How penalties are read; the defaults are the published rule of 2025-03-20.

    A string ends before the first of `term_ends` or `fine_ends`. Switched on are the quirks Q4
    (`whole_document`: what is not in the result is looked for in the whole document), Q5
    (`skipping`: a fine behind one without 元 is not examined), Q10 (`bare_terms`: a keyword without
    a number, and a finding without a penalty, is a sentence of 0 months) and Q11 (`any_death`).
    """

    term_ends: str = ",;，。！？、；：（以缓至"
    fine_ends: str = "，。！？、；：以已至（"
    numbers: Callable[[str], tuple[str, ...]] = find_official_numbers
    whole_document: bool = True
    skipping: bool = True
    bare_terms: bool = True
    any_death: bool = True

    def months(self, judgment: str, document: str) -> int:
        """The sum of all different sentences in months; -1 where there is none."""
        found = self._terms(judgment) or (self._terms(document) if self.whole_document else set())
        values = [self._months_of(term) for term in found]
        if not self.bare_terms:
            values = [value for value in values if value]
        return sum(values) if values else NOTHING

    def fine(self, judgment: str, document: str) -> int:
        """The sum of all different fines in yuan; -1 where there is none."""
        found = self._fines(judgment) or (self._fines(document) if self.whole_document else set())
        return sum(map(self._yuan_of, found)) if found else NOTHING

    def _terms(self, text: str) -> set[str]:
        found = {_cut(match[0], self.term_ends) for term in _TERMS for match in term.finditer(text)}
        found.update(word for word in (LIFE, *NO_PENALTY) if word in text)
        if DEATH in text and (self.any_death or _SENTENCED_TO_DEATH.search(text)):
            found.add(DEATH)
        return found

    def _months_of(self, term: str) -> int:
        numbers = _whole(self.numbers(term))
        match numbers:
            case [] if LIFE in term:
                return LIFE_MONTHS
            case [] if DEATH in term:
                return DEATH_MONTHS
            case [one]:
                return 12 * one if "年" in term else one if "月" in term else 0
            case [years, months]:
                return 12 * years + months if "年" in term and "月" in term else years
            case _:
                return 0

    def _fines(self, text: str) -> set[str]:
        found = [_cut(match[0], self.fine_ends) for match in _FINE.finditer(text)]
        kept = _skipped(found) if self.skipping else (fine for fine in found if "元" in fine)
        return {fine.replace(",", "") for fine in kept}

    def _yuan_of(self, fine: str) -> int:
        numbers = _whole(self.numbers(fine))
        return numbers[0] if len(numbers) == 1 else 0


def penalty_score(expected: float, given: float, *, guard: bool = True) -> float | None:
    """How near two values are, from 0 to 1; None where neither document has one (spec 4.3)."""
    if expected < 0 and given < 0:
        return None
    if expected == given == 0:
        return 1.0
    if expected < 0 or given < 0:
        return 0.0
    if guard and (expected - _GUARD) * (given - _GUARD) < 0:
        return 0.0
    return 1 - abs(expected - given) / max(expected, given)


def _cut(words: str, ends: str) -> str:
    """The words before the first character that ends them."""
    return next((words[:place] for place, one in enumerate(words) if one in ends), words)


def _whole(numbers: Iterable[str]) -> list[int]:
    """Whole numbers; a fraction, on which the published evaluator stops, makes the list useless."""
    numbers = list(numbers)
    whole = [int(number) for number in numbers if number.isdecimal()]
    return whole if len(whole) == len(numbers) else [0, 0, 0]


def _skipped(fines: list[str]) -> Iterable[str]:
    """Q5: an item without 元 goes, and the one behind it stays unseen.

    The published code deletes the first item of its list that reads the same. Since only different
    items count in the end, that is as good as deleting this one.
    """
    place = 0
    while place < len(fines):
        if "元" in fines[place]:
            yield fines[place]
            place += 1
        else:
            yield from fines[place + 1 : place + 2]
            place += 2
