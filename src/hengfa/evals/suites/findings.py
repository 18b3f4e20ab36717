"""What the findings of all suites are made with: places of words in a response, pieces that it
shares with a text, short forms of long texts, and how a graded response came to its points.

Whatever is highlighted is given as characters of the response as it is stored. Highlighting is for
people: what would be thousands of places is cut, and texts that are too long are not aligned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace
from rapidfuzz.distance import LCSseq

from hengfa.evals.grading.error_types import Errors, ErrorType
from hengfa.evals.grading.rubric import ItemMark, Mark, Rubric
from hengfa.evals.grading.rubric import Span as Seen
from hengfa.evals.results.trace import Finding, Span, Spans, Trace
from hengfa.law.text.rouge import Unit, units

MOST_PLACES: Final = 5  # so many places of one word are shown
MOST_PIECES: Final = 60  # so many pieces that two texts share are shown, the longest ones
MOST_FINDINGS: Final = 200  # a response that names more than this is stuck
_SHORTEST_PIECE: Final = 2  # single characters in common are an accident
_MOST_CELLS: Final = 50_000_000
"""Words of one text times words of the other: more are not aligned. It is 6 MB."""
_SHORT: Final = 80


def short(text: str, most: int = _SHORT) -> str:
    """One line of a text that is shown whole elsewhere."""
    line = " ".join(text[: 4 * most].split())
    whole = len(line) <= most and len(text) <= 4 * most
    return line if whole else f"{line[:most]}…"


def short_or_blank(text: str) -> str:
    """A short form that says so where something is there but blank."""
    return short(text) or "(blank)"


def occurrences(text: str, word: str) -> Iterator[Span]:
    """Where a word stands, from left to right, never overlapping itself."""
    at = text.find(word) if word else -1
    while at >= 0:
        yield at, at + len(word)
        at = text.find(word, at + len(word))


def places(text: str, word: str, most: int = MOST_PLACES) -> Spans:
    """The first places of a word."""
    spans = occurrences(text, word)
    return tuple(span for _, span in zip(range(most), spans, strict=False))


def shift(spans: Iterable[Span], by: int) -> Spans:
    """Spans of a part of the response as spans of the response."""
    return tuple((start + by, end + by) for start, end in spans)


class Overlap(NamedTuple):
    """What two texts have in common and in order: how many units of how many, and where."""

    common: int
    mine: int
    theirs: int
    spans: Spans


def in_common(text: str, reference: str, unit: Unit) -> Overlap:
    """The longest common subsequence, which is what ROUGE-L counts, as pieces of the text. What is
    not in the reference at all cannot be part of it and is left out before aligning."""
    mine, theirs = units(text, unit), units(reference, unit)
    numbers: dict[str, int] = {}
    wanted = [numbers.setdefault(unit, len(numbers)) for unit in theirs]
    known = [place for place, unit in enumerate(mine) if unit in numbers]
    offered = [numbers[mine[place]] for place in known]
    if len(offered) * len(wanted) > _MOST_CELLS:
        return Overlap(LCSseq.similarity(offered, wanted), len(mine), len(theirs), ())
    equal = (block for block in LCSseq.opcodes(offered, wanted) if block.tag == "equal")
    taken = [place for block in equal for place in known[block.src_start : block.src_end]]
    standing = list(stands(text, mine))
    spans = longest(join_spans(text, (standing[place] for place in taken)))
    return Overlap(len(taken), len(mine), len(theirs), spans)


def join_spans(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Ordered spans with nothing but white space between them made one."""
    before: Span | None = None
    for span in spans:
        if before is not None and not text[before[1] : span[0]].strip():
            before = before[0], span[1]
        else:
            if before is not None:
                yield before
            before = span
    if before is not None:
        yield before


def longest(spans: Iterable[Span], most: int = MOST_PIECES) -> Spans:
    """The longest pieces, in text order, without accidents."""
    pieces = [span for span in spans if span[1] - span[0] >= _SHORTEST_PIECE]
    if len(pieces) > most:
        pieces = sorted(pieces, key=lambda span: span[0] - span[1])[:most]
    return tuple(sorted(pieces))


def stands(text: str, pieces: Sequence[str]) -> Iterator[Span]:
    """Where each of the pieces of a text stands, one after the other."""
    at = 0
    for piece in pieces:
        at = text.index(piece, at)
        yield at, at + len(piece)
        at += len(piece)


def limit(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """As many findings as a person can look at, and how many more there are."""
    if len(findings) <= MOST_FINDINGS:
        return tuple(findings)
    more = Finding("more", note=f"{len(findings) - MOST_FINDINGS} more are not shown")
    return (*findings[:MOST_FINDINGS], more)


# --- of graded responses ---

# A finding for each item of the rubric and each grader. The findings of a grader sum to the
# grader's total: points are those that count, and what a section or the whole takes off above its
# items stands as a finding of its own. Sections that do not count are reported beside the total.
# Faults that apply are named, without points: they are in the others. Errors of the answer come
# last, without points too.

Placed = Callable[[Seen], Span | None]
"""Where a piece of what graders saw stands in the response; None for nowhere."""

_LABEL: Final = 120
_SAME: Final = 1e-9


def as_seen(span: Seen) -> Span | None:
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
    """Graders with their marks to findings; `backed` counts only awards whose evidence holds. Where
    there are several graders, notes say whose finding it is."""
    findings: list[Finding] = []
    for grader, mark in marks:
        findings += _of_grader(rubric, grader if len(marks) > 1 else "", mark, backed, placed)
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
        yield from _cut_points(titles[section.id], points - own, grader)
        total += points if section.counts else 0.0
    yield from _cut_points("total", (mark.backed if backed else mark.points) - total, grader)
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


def _cut_points(label: str, points: float, grader: str) -> Iterator[Finding]:
    """What is taken off above the items, or cut at the most that a section can have."""
    if abs(points) > _SAME:
        note = _note(grader, "taken off, or cut at the maximum")
        yield Finding(label, right=False, points=points, note=note)


def _note(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _spans(seen: Iterable[Seen], placed: Placed) -> Spans:
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

    def placed(span: Seen) -> Span | None:
        first, last = of_character(span.start), of_character(span.end - 1)
        return None if first is None or last is None else (first, last + 1)

    return placed
