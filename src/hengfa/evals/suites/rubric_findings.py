"""How a graded response came to its points: a finding for each item of the rubric and each grader.

The findings of a grader sum to the grader's total: points are those that count, and what a section
or the whole takes off above its items stands as a finding of its own. Sections that do not count
are reported beside the total. Faults that apply are named, without points: they are in the others.
Errors of the answer come last, without points too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from hengfa.evals.grading.error_types import Errors, ErrorType
from hengfa.evals.grading.marks import ItemMark, Mark, Span
from hengfa.evals.grading.rubric import Rubric
from hengfa.evals.results.trace import Finding, Spans, Trace
from hengfa.evals.suites.findings import short

Placed = Callable[[Span], tuple[int, int] | None]
"""Where a piece of what graders saw stands in the response; None for nowhere."""

_LABEL: Final = 120
_SAME: Final = 1e-9


def as_seen(span: Span) -> tuple[int, int] | None:
    """For graders that saw the response as it is."""
    return span.start, span.end


def nobody_asked() -> Trace:
    """The findings of a response that nobody graded."""
    return Trace("items")


def findings_of(
    rubric: Rubric,
    marks: Sequence[tuple[str, Mark]],
    *,
    backed: bool = False,
    placed: Placed = as_seen,
) -> Trace:
    """Graders with their marks to findings; `backed` counts only awards whose evidence holds.

    Where there are several graders, notes say whose finding it is.
    """
    several = len(marks) > 1
    findings = (
        finding
        for grader, mark in marks
        for finding in _of_grader(rubric, grader if several else "", mark, backed, placed)
    )
    return Trace("items", tuple(findings))


def with_errors(
    trace: Trace, types: Iterable[ErrorType], errors: Errors, placed: Placed = as_seen
) -> Trace:
    """The findings, and below them the errors of the answer: what, decided by whom, seen where."""
    more = (
        Finding(
            f"error: {type_.title_en}",
            given=", ".join(mistake.item for mistake in mistakes if mistake.item),
            right=False,
            note=_note(str(type_.by), *(short(mistake.words) for mistake in mistakes)),
            spans=_spans((span for mistake in mistakes for span in mistake.spans), placed),
        )
        for type_ in types
        if (mistakes := errors.get(type_.id))
    )
    return replace(trace, findings=(*trace.findings, *more))


def _of_grader(
    rubric: Rubric, grader: str, mark: Mark, backed: bool, placed: Placed
) -> Iterator[Finding]:
    texts = {item.id: item.text for item in rubric.items()}
    titles = {section.id: section.title or section.id for section in rubric.sections}
    total = 0.0
    for section in mark.sections:
        heading = f"{titles[section.id]}: " if len(titles) > 1 else ""
        for item in section.items:
            points = item.backed if backed else item.points
            yield _of_item(item, heading + texts[item.id], points, grader, placed)
        own = math.fsum(item.backed if backed else item.points for item in section.items)
        points = section.backed if backed else section.points
        yield from _taken(titles[section.id], points - own, grader)
        total += points if section.counts else 0.0
    yield from _taken("total", (mark.backed if backed else mark.points) - total, grader)
    faults = {fault.id: fault.text for fault in rubric.faults()}
    for fault in mark.faults:
        yield Finding(short(faults[fault], _LABEL), right=False, note=_note(grader, "fault"))


def _of_item(item: ItemMark, text: str, points: float, grader: str, placed: Placed) -> Finding:
    ungraded = item.awarded is None
    right = None
    if not ungraded and (points >= item.maximum or points <= 0):
        right = points >= item.maximum
    return Finding(
        short(text, _LABEL),
        given=item.level,
        right=right,
        points=points,
        maximum=item.maximum,
        note=_note(grader, "ungraded" if ungraded else "", ", ".join(item.flags), item.reason),
        spans=_spans(item.spans, placed),
    )


def _taken(label: str, points: float, grader: str) -> Iterator[Finding]:
    """What is taken off above the items, or cut at the most that a section can have."""
    if abs(points) > _SAME:
        note = _note(grader, "taken off, or cut at the maximum")
        yield Finding(label, right=False, points=points, note=note)


def _note(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _spans(seen: Iterable[Span], placed: Placed) -> Spans:
    places = (placed(span) for span in seen)
    return tuple(span for span in places if span is not None)


def placed_by_line(seen: str, response: str) -> Placed:
    """For graders that saw some lines of a response, one below the other, in their order."""
    lines: list[tuple[int, int, int]] = []  # from where to where they were seen, and where they are
    at = place = 0
    for line in seen.split("\n"):
        start = response.find(line, place)
        if start >= 0:
            lines.append((at, at + len(line), start))
            place = start + len(line)
        at += len(line) + 1

    def of_character(character: int) -> int | None:
        for begin, end, start in lines:
            if begin <= character < end:
                return start + character - begin
        return None

    def placed(span: Span) -> tuple[int, int] | None:
        first, last = of_character(span.start), of_character(span.end - 1)
        return None if first is None or last is None else (first, last + 1)

    return placed
