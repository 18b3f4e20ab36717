"""What a recitation has of its provision, letter by letter, and the class of its error.

`hengfa suite claw diagnose` asks the whole law where every letter comes from (claw.md 5). Here only
the provision is at hand, so that a run can be explained wherever it lies. The same table sorts the
response, with all that is not the provision's as *unmatched*; what only the law could tell apart
has one class: `addition` (of what?) and `other text` (another provision, or made up). And a
response that is word for word another provision much like the gold counts as wording here. What
would be right but for its script, which scores count as wrong letters, has a class of its own.

Import it only when a recitation is to be explained: most never are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hengfa.evals.results.trace import Spans
from hengfa.evals.suites.claw.dataset import ClawSample
from hengfa.evals.suites.findings import longest
from hengfa.law.grammar.script import simplified
from hengfa.law.library.diagnosis.classes import RIGHT, Change, Kind, changes, classify, extra
from hengfa.law.library.diagnosis.cover import SOURCES, Cover, Source, additions, gold_cover, runs
from hengfa.law.library.matching import normalise, normalise_in_place

ADDITION, OTHER_TEXT, OTHER_VERSION = "addition", "other text", "wrong provision: version"
TRADITIONAL: Final = "traditional script"
_UNTOLD: Final[dict[Kind, str]] = {"addition: invented": ADDITION, "fabricated": OTHER_TEXT}
_SORTED_CHANGES: Final[frozenset[Kind]] = frozenset({"near-exact", "minor wording"})


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
    text = simplified(response)
    words, gold = normalise_in_place(text), normalise(sample.text)
    mask, recall = gold_cover(words, gold)
    share = float(mask.mean()) if words.letters else 0.0
    shares: dict[Source, float] = dict.fromkeys(SOURCES, 0.0)
    shares |= {"gold": share, "unmatched": 1.0 - share}
    more = sum(end - start for start, end in additions(words, mask, ~mask, recall))
    cover = Cover(words.letters, gold, recall, shares, 0.0, (), None, added=float(more))
    kind = classify(cover, text)
    twins = (twin.text for twin in (sample.earlier, sample.later) if twin is not None)
    others = [text for text in (sample.in_force_text, *twins) if text is not None]
    if kind in RIGHT:
        error = "" if text == response else TRADITIONAL
    elif any(words.letters == normalise(other) for other in others):
        error = OTHER_VERSION
    else:
        error = _UNTOLD.get(kind, kind)
    return Likeness(
        recall=recall,
        extra=extra(cover),
        spans=longest(  # punctuation between the letters included
            (words.places[run.start], words.places[run.end - 1] + 1) for run in runs(mask, "gold")
        ),
        error=error,
        changes=changes(sample.text, text) if kind in _SORTED_CHANGES else (),
    )
