"""Twins: two wordings of one provision in consecutive versions, asked for one by one, scored as a
pair (claw.md 4).

A provision is found again as `hengfa law history` finds it, through other numbers too, and only
where both ways lead to each other. What differs in punctuation alone is no other wording. A
provision with three wordings makes two pairs, and each of its samples is asked once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, TypeAlias

from msgspec.structs import replace

from hengfa.evals.suites.base import Metrics
from hengfa.evals.suites.claw.clean import normalise
from hengfa.evals.suites.claw.dataset import ClawSample, Twin
from hengfa.law.library.history import Crossing
from hengfa.law.library.matching import normalise as letters_of
from hengfa.law.library.store import Library
from hengfa.law.text.characters import edit_distance, normalised_edit_distance

ALIKE: Final = 0.8
"""So much of a wording, by edit distance over the longer text, is there before it is recited."""

DECIDED: Final = 0.75
"""By so many of the edits between two wordings an answer is nearer to one than to the other: of
what differs hardly anything is the other's. What both have in common says nothing."""

Wording: TypeAlias = Literal["own", "earlier", "later", "none"]
OWN, EARLIER, LATER = "own_wording", "earlier_wording", "later_wording"
"""Metrics of each sample: whose wording was recited."""

OUTCOMES = ("both_right", "only_old_right", "only_new_right", "mixed_up", "neither_right")
BOTH, ONLY_OLD, ONLY_NEW, MIXED_UP, NEITHER = OUTCOMES
"""Metrics of each pair, one of them 1: they stand with its newer sample."""


# --- pairs ---


@lru_cache(maxsize=2)
def with_twins(file: Path, samples: tuple[ClawSample, ...]) -> tuple[ClawSample, ...]:
    """Those samples of a library that have a twin among them, with the twin, in their order."""
    with Library.open(file) as library:
        earlier = {new.id: old for old, new in _pairs(library, samples)}
    later = {old.id: new for new in samples if (old := earlier.get(new.id))}
    lines: dict[str, str] = {}
    for sample in samples:  # of a law the older versions come first
        before = earlier.get(sample.id)
        lines[sample.id] = lines[before.id] if before else sample.id
    return tuple(
        replace(
            sample,
            earlier=_twin(earlier.get(sample.id)),
            later=_twin(later.get(sample.id)),
            line=lines[sample.id],
        )
        for sample in samples
        if sample.id in earlier or sample.id in later
    )


def _twin(sample: ClawSample | None) -> Twin | None:
    return None if sample is None else Twin(sample.id, sample.text)


def _pairs(
    library: Library, samples: Sequence[ClawSample]
) -> Iterator[tuple[ClawSample, ClawSample]]:
    """The older and the newer wording of each provision that was changed."""
    laws: dict[str, dict[str, list[ClawSample]]] = {}
    for sample in samples:
        by_day = laws.setdefault(sample.law, {})
        by_day.setdefault(sample.version.isoformat(), []).append(sample)
    for law, by_day in laws.items():
        at_hand = library.versions(library.shelf.by_name[law])
        versions = {version.promulgated.isoformat(): version for version in at_hand}
        for old, new in pairwise(sorted(by_day)):
            # what stands in one of two versions only is followed to the other, and back
            before, after = ({letters_of(s.text) for s in by_day[day]} for day in (old, new))
            gone = {s.position: s for s in by_day[old] if letters_of(s.text) not in after}
            came = {s.position: s for s in by_day[new] if letters_of(s.text) not in before}
            if not gone or not came:
                continue
            forth = Crossing(library, versions[old], versions[new])
            back = Crossing(library, versions[new], versions[old])
            for position, sample in gone.items():
                place = forth.follow(position)
                if place in came and back.follow(place) == position:
                    yield sample, came[place]


# --- answers ---


def wording(sample: ClawSample, text: str) -> Wording:
    """Whose wording a cleaned recitation is: by the letters in which the wordings differ."""
    texts: dict[Wording, str] = {"own": normalise(sample.text)}
    if sample.earlier is not None:
        texts["earlier"] = normalise(sample.earlier.text)
    if sample.later is not None:
        texts["later"] = normalise(sample.later.text)
    distances = {name: edit_distance(text, words) for name, words in texts.items()}
    nearest = min(distances, key=distances.__getitem__)
    words = texts[nearest]
    if 1 - normalised_edit_distance(text, words) < ALIKE:
        return "none"
    decided = all(
        distances[name] - distances[nearest] >= DECIDED * edit_distance(words, other)
        for name, other in texts.items()
        if name != nearest
    )
    return nearest if decided else "none"


def metrics_of(sample: ClawSample, text: str) -> dict[str, float | None]:
    """Whose wording it is, as metrics; nothing where a sample has no twin."""
    if sample.earlier is None and sample.later is None:
        return {}
    told = wording(sample, text)
    return {
        OWN: float(told == "own"),
        EARLIER: None if sample.earlier is None else float(told == "earlier"),
        LATER: None if sample.later is None else float(told == "later"),
    }


def pair_metrics(scored: Mapping[str, tuple[ClawSample, Metrics]]) -> dict[str, Metrics]:
    """What became of each pair of which both were answered, by the id of the newer sample."""
    found: dict[str, Metrics] = {}
    for id_, (sample, new) in scored.items():
        if sample.earlier is not None and sample.earlier.id in scored:
            _, old = scored[sample.earlier.id]
            if old[LATER] or new[EARLIER]:
                what = MIXED_UP
            elif old[OWN]:
                what = BOTH if new[OWN] else ONLY_OLD
            else:
                what = ONLY_NEW if new[OWN] else NEITHER
            found[id_] = {name: float(name == what) for name in OUTCOMES}
    return found
