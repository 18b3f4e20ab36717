"""Scored documents taken apart: by crime, by number of defendants, by kind of sentence; and one
document beside its reference, element by element."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final, cast

import msgspec

from hengfa.law.judgment.document import Judgment
from hengfa.suites.base import Fixes
from hengfa.suites.judgment import score
from hengfa.suites.judgment.dataset import JudgmentSample
from hengfa.suites.judgment.reading import Elements, Penalty, parsed, readers
from hengfa.suites.scoring import Scored


class Means(msgspec.Struct, frozen=True):
    """The metrics of some documents, each averaged over those that it counts."""

    n: int
    metrics: dict[str, float]


def _crime(judgment: Judgment) -> str:
    charges = judgment.charges
    return charges[0] if len(charges) == 1 else "several" if charges else "none"


def _defendants(judgment: Judgment) -> str:
    count = len(judgment.defendants)
    return str(count) if count < 3 else "3 or more"


def _sentence(judgment: Judgment) -> str:
    if any(person.executed is not None for person in judgment.defendants):
        return "combined"
    kinds = {person.final.kind for person in judgment.defendants if person.final is not None}
    return "/".join(sorted(str(kind) for kind in kinds)) or "none"


GROUPS: Final[Mapping[str, Callable[[Judgment], str]]] = {
    "crime": _crime,
    "defendants": _defendants,
    "sentence": _sentence,
}
"""What documents are grouped by: what their references say."""


def breakdown(scored: Sequence[Scored]) -> dict[str, dict[str, Means]]:
    """The metrics by group, largest group first."""
    return {name: _grouped(scored, group) for name, group in GROUPS.items()}


def _grouped(scored: Iterable[Scored], group: Callable[[Judgment], str]) -> dict[str, Means]:
    found: defaultdict[str, list[Scored]] = defaultdict(list)
    for one in scored:
        found[group(parsed(cast("JudgmentSample", one.sample).document))].append(one)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return {key: _means(members) for key, members in ordered}


def _means(scored: Sequence[Scored]) -> Means:
    values: defaultdict[str, list[float]] = defaultdict(list)
    for one in scored:
        for name, value in one.metrics.items():
            if value is not None:
                values[name].append(value)
    return Means(len(scored), {name: fmean(found) for name, found in values.items()})


class Row(msgspec.Struct, frozen=True):
    """One element as the reference has it and as the document has it, and what that is worth."""

    element: str
    expected: str
    given: str
    scores: dict[str, float | None]


def side_by_side(sample: JudgmentSample, text: str, fixes: Fixes, data: Path | None) -> list[Row]:
    """A document beside its reference by the latest rules with some fixes on."""
    read = readers(fixes, data).head
    return element_rows(read(sample.document), read(text), fixes)


def element_rows(expected: Elements, given: Elements, fixes: Fixes) -> list[Row]:
    """Two documents that were read, element by element."""
    metrics = score.compared(expected, given, fixes)

    def row(element: str, show: Callable[[Elements], str], *names: str) -> Row:
        return Row(element, show(expected), show(given), {name: metrics[name] for name in names})

    return [
        row("months", lambda one: _penalties(one.terms), score.PRISON),
        row("fine", lambda one: _penalties(one.fines), score.FINE),
        row("charges", lambda one: "、".join(sorted(one.charges)), *_measures(score.CHARGE)),
        row("articles", lambda one: "、".join(sorted(one.articles)), *_measures(score.STATUTE)),
        row("reason", lambda one: one.reason, score.METEOR_REASON),
        row("judgment", lambda one: one.judgment, score.METEOR_JUDGMENT),
    ]


def _measures(name: str) -> tuple[str, str]:
    return name + score.RECALL, name + score.PRECISION


def _penalties(found: Sequence[Penalty]) -> str:
    return "、".join(f"{one.who} {one.kind or f'{one.value:g}'}".strip() for one in found)
