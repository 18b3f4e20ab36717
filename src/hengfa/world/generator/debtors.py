"""Which companies are in trouble: a few with many cases, many with one (spec, section 8)."""

from __future__ import annotations

from bisect import bisect_right

from hengfa.world.generator.companies import Companies, Company
from hengfa.world.generator.dice import Shuffle, Stream, cut

CASES_EACH = 4


class Troubled:
    """Cases of one kind, numbered company by company."""

    def __init__(self, seed: int, purpose: str, companies: Companies, cases: int) -> None:
        self._companies = companies
        stream = Stream(seed, purpose)
        self._who = Shuffle(stream, companies.sizes.companies)
        weights = Stream(seed, f"{purpose}, how many")
        before = [0]
        for place in range(max(2, min(cases // CASES_EACH, companies.sizes.companies))):
            before.append(before[-1] + int(weights.dice(place).lognormal(100.0, 1.1)) + 1)
        self._before = [cut(cases, one, before[-1]) for one in before]

    def __call__(self, case: int) -> Company:
        return self._companies(self._who(bisect_right(self._before, case) - 1))
