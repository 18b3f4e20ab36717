"""Test cases in a collection of judgments, found before anything of it stands in a prompt.

The facts of every test case are held against the facts of every judgment and, since a judgment
repeats its facts, against its whole text: so a test document is found also where a collection cuts
its facts in another way. Documents are not held against documents. Half of a judgment is form: ten
of JuDGE's 501 are that close to the judgment of another case, and none holds another case's facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from hengfa.retrieval.leakage import THRESHOLD, Closeness, LeakageReport, find_leakage
from hengfa.suites.judgment.cases import Case
from hengfa.suites.judgment.dataset import JudgmentSample

_MOST_NAMED: Final = 5


class Leak(msgspec.Struct, frozen=True):
    """The judgment at a place of a collection, and the test case that it is too close to."""

    place: int
    case: str
    sample: str
    closeness: Closeness
    similarity: float


class Leaks(msgspec.Struct, frozen=True):
    """What was compared, and every judgment that is too close, with the closest test cases first.

    A judgment that is refused is refused for all questions: what is learnt from it, such as which
    provisions go with which facts, would show through in the others.
    """

    judgments: int
    samples: int
    threshold: float
    found: tuple[Leak, ...]

    @property
    def refused(self) -> frozenset[int]:
        """The places of the judgments that must not be used."""
        return frozenset(leak.place for leak in self.found)

    @property
    def remaining(self) -> int:
        return self.judgments - len(self.refused)

    def refused_for(self, sample: str) -> int:
        """How many judgments are too close to this test case."""
        return sum(leak.sample == sample for leak in self.found)

    def __str__(self) -> str:
        counted = (
            f"{len(self.refused)} of {self.judgments} judgments are refused: they are the same as, "
            f"similar to (above {self.threshold:g}) or hold the facts of "
            f"{len({leak.sample for leak in self.found})} of {self.samples} test cases"
        )
        names = list(dict.fromkeys(leak.case for leak in self.found))
        if not names:
            return counted
        more = ", …" if len(names) > _MOST_NAMED else ""
        return f"{counted}: {', '.join(names[:_MOST_NAMED])}{more}"


def find_leaks(
    samples: Sequence[JudgmentSample], cases: Sequence[Case], threshold: float = THRESHOLD
) -> Leaks:
    """All judgments of a collection that give away a test case."""
    facts = [sample.fact for sample in samples]
    closest: dict[tuple[int, str], Leak] = {}
    for report in (
        find_leakage(facts, [case.fact for case in cases], threshold),
        find_leakage(facts, [case.document for case in cases], threshold),
    ):
        for leak in _named(report, samples, cases):
            known = closest.get((leak.place, leak.sample))
            if known is None or leak.similarity > known.similarity:
                closest[leak.place, leak.sample] = leak
    found = sorted(closest.values(), key=lambda leak: (leak.place, -leak.similarity, leak.sample))
    return Leaks(len(cases), len(samples), threshold, tuple(found))


def _named(
    report: LeakageReport, samples: Sequence[JudgmentSample], cases: Sequence[Case]
) -> list[Leak]:
    return [
        Leak(one.text, cases[one.text].id, samples[one.query].id, one.closeness, one.similarity)
        for one in report.refusals
    ]
