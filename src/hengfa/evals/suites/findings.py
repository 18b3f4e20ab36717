"""What the findings of all suites are made with: places of words in a response, pieces that it
shares with a text, and short forms of long texts.

Whatever is highlighted is given as characters of the response as it is stored. Highlighting is for
people: what would be thousands of places is cut, and texts that are too long are not aligned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from rapidfuzz.distance import LCSseq

from hengfa.evals.results.trace import Finding, Span, Spans
from hengfa.law.text.rouge import Unit, units

MOST_PLACES: Final = 5
"""So many places of one word are shown."""
MOST_PIECES: Final = 60
"""So many pieces that two texts share are shown, the longest ones."""
MOST_FINDINGS: Final = 200
"""A response that names more than this is stuck."""
_SHORTEST_PIECE: Final = 2
"""Single characters in common are an accident."""
_MOST_CELLS: Final = 50_000_000
"""Words of one text times words of the other: more are not aligned. It is 6 MB."""
_SHORT: Final = 80


def short(text: str, most: int = _SHORT) -> str:
    """One line of a text that is shown whole elsewhere."""
    line = " ".join(text[: 4 * most].split())
    whole = len(line) <= most and len(text) <= 4 * most
    return line if whole else f"{line[:most]}…"


def shown(text: str) -> str:
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


def moved(spans: Iterable[Span], by: int) -> Spans:
    """Spans of a part of the response as spans of the response."""
    return tuple((start + by, end + by) for start, end in spans)


class Shared(NamedTuple):
    """What two texts have in common and in order: how many units of how many, and where."""

    common: int
    mine: int
    theirs: int
    spans: Spans


def in_common(text: str, reference: str, unit: Unit) -> Shared:
    """The longest common subsequence, which is what ROUGE-L counts, as pieces of the text.

    What is not in the reference at all cannot be part of it and is left out before aligning.
    """
    mine, theirs = units(text, unit), units(reference, unit)
    numbers: dict[str, int] = {}
    wanted = [numbers.setdefault(unit, len(numbers)) for unit in theirs]
    known = [place for place, unit in enumerate(mine) if unit in numbers]
    offered = [numbers[mine[place]] for place in known]
    if len(offered) * len(wanted) > _MOST_CELLS:
        return Shared(LCSseq.similarity(offered, wanted), len(mine), len(theirs), ())
    taken = [
        place
        for block in LCSseq.opcodes(offered, wanted)
        if block.tag == "equal"
        for place in known[block.src_start : block.src_end]
    ]
    standing = list(stands(text, mine))
    spans = longest(joined(text, (standing[place] for place in taken)))
    return Shared(len(taken), len(mine), len(theirs), spans)


def joined(text: str, spans: Iterable[Span]) -> Iterator[Span]:
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


def limited(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """As many findings as a person can look at, and how many more there are."""
    if len(findings) <= MOST_FINDINGS:
        return tuple(findings)
    more = Finding("more", note=f"{len(findings) - MOST_FINDINGS} more are not shown")
    return (*findings[:MOST_FINDINGS], more)
