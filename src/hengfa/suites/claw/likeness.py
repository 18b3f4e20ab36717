"""What a recitation has of its provision, letter by letter, and the class of its error.

`hengfa claw diagnose` asks the whole law where every letter comes from (CLaw spec 5). Here only the
provision is at hand, so that a run can be explained wherever it lies. The same table sorts the
response, with all that is not the provision's as *unmatched*; what only the law could tell apart
has one class: `addition` (of what?) and `other text` (another provision, or made up). And a
response that is word for word another provision much like the gold counts as wording here.

Loads numpy; import it only when a recitation is to be explained.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from rapidfuzz.distance import Indel

from hengfa.library.diagnosis.changes import Change, changes
from hengfa.library.diagnosis.classes import RIGHT, Kind, classify, extra
from hengfa.library.diagnosis.cover import ALIKE, ALIKE_IF_SHORT, SHORT, Cover, runs
from hengfa.library.diagnosis.grams import GRAM, Mask, codes_of, covered, hashes_of
from hengfa.library.diagnosis.normalised import Normalised, normalise, normalise_in_place
from hengfa.library.diagnosis.spans import SOURCES, Source
from hengfa.suites.claw.dataset import ClawSample
from hengfa.suites.tracing import Span, Spans, longest, occurrences

ADDITION, OTHER_TEXT, OTHER_VERSION = "addition", "other text", "wrong provision: version"
_UNTOLD: Final[dict[Kind, str]] = {"addition: invented": ADDITION, "fabricated": OTHER_TEXT}
_SORTED_CHANGES: Final[frozenset[Kind]] = frozenset({"near-exact", "minor wording"})
_BLOCK: Final = 2
"""Single letters that agree are an accident."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """The part of the provision that is there, the part of the response that is not from it, the
    places of what is, the class of the error ("" for none), and what changes the law."""

    recall: float
    extra: float
    spans: Spans
    error: str
    changes: tuple[Change, ...] = ()


def likeness(sample: ClawSample, response: str) -> Likeness:
    """A response beside the provision that was asked for."""
    words, gold = normalise_in_place(response), normalise(sample.text)
    mask, recall = _provision_cover(words, gold)
    share = float(mask.mean()) if words.letters else 0.0
    shares: dict[Source, float] = dict.fromkeys(SOURCES, 0.0)
    shares |= {"gold": share, "unmatched": 1.0 - share}
    cover = Cover(words.letters, gold, recall, shares, 0.0, (), None)
    kind = classify(cover, response)
    other = sample.in_force_text
    if kind in RIGHT:
        error = ""
    elif other is not None and words.letters == normalise(other):
        error = OTHER_VERSION
    else:
        error = _UNTOLD.get(kind, kind)
    return Likeness(
        recall=recall,
        extra=extra(cover),
        spans=longest(_spans(words, mask)),
        error=error,
        changes=changes(sample.text, response) if kind in _SORTED_CHANGES else (),
    )


def _provision_cover(words: Normalised, gold: str) -> tuple[Mask, float]:
    """Which letters are the provision's, and what part of it they are.

    Runs of seven letters, or what is alike letter by letter; a shorter provision by itself.
    """
    letters = words.letters
    found, there = np.zeros(len(letters), dtype=bool), np.zeros(len(gold), dtype=bool)
    if len(gold) < GRAM:
        for start, end in occurrences(letters, gold):
            if words.begins(start) and words.begins(end):
                found[start:end] = there[:] = True
    elif len(letters) >= GRAM:
        mine, golden = hashes_of(codes_of(letters)), hashes_of(codes_of(gold))
        found = covered(np.isin(mine, golden), len(letters))
        there = covered(np.isin(golden, mine), len(gold))
    if not there.all() and _is_alike(letters, gold):
        for block in Indel.opcodes(letters, gold):
            if block.tag == "equal" and block.src_end - block.src_start >= _BLOCK:
                found[block.src_start : block.src_end] = True
                there[block.dest_start : block.dest_end] = True
    return found, float(there.mean()) if gold else 0.0


def _is_alike(letters: str, gold: str) -> bool:
    enough = ALIKE_IF_SHORT if len(gold) < SHORT else ALIKE
    return Indel.normalized_similarity(letters, gold, score_cutoff=enough) >= enough


def _spans(words: Normalised, mask: Mask) -> Iterator[Span]:
    """The letters of a mask as characters of the response, punctuation between them included."""
    for run in runs(mask, "gold"):
        yield words.places[run.start], words.places[run.end - 1] + 1
