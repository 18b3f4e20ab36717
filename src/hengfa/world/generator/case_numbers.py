"""Case numbers: （2020）霜0102民初345号, in which year and serial belong to one case only."""

from __future__ import annotations

from typing import NamedTuple

from hengfa.world.generator.courts import Court
from hengfa.world.generator.days import CASE_YEARS
from hengfa.world.generator.dice import Shuffle, Stream


class Docket(NamedTuple):
    """The year and serial that one case has, whatever court it goes to."""

    year: int
    serial: int

    def written(self, court: Court, kind: str) -> str:
        return f"（{self.year}）{court.code}{kind}{self.serial}号"


class Dockets:
    """As many as there are cases; no two have both year and serial in common.

    Most serials are small and some large: the last ones are drawn out, without losing their order
    and so without meeting.
    """

    def __init__(self, seed: int, cases: int) -> None:
        self._shuffle = Shuffle(Stream(seed, "case numbers"), cases)
        self._most = -(-cases // len(CASE_YEARS)) * max(map(CASE_YEARS.count, CASE_YEARS))

    def __call__(self, case: int) -> Docket:
        block, place = divmod(self._shuffle(case), len(CASE_YEARS))
        year = CASE_YEARS[place]
        inside = place - CASE_YEARS.index(year)
        plain = block * CASE_YEARS.count(year) + inside
        return Docket(year, 1 + plain + 4 * plain**8 // self._most**7)
