"""Where a provision of a repealed law went: the law that repealed it, and its place there.

For what people know, above all the provisions that were split when the Civil Code took in nine
laws, there is a table (``successors.tsv``, which users extend). All others are found by their
words, as a history finds them between two versions of one law. Each is marked *known* or *found*:
what is found has the words, more or less, and may have another meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from hengfa.law.citation_model import Position
from hengfa.library.history import Crossing, Step, compared, follow
from hengfa.library.model import Version
from hengfa.library.store import Library


class Successor(NamedTuple):
    """A provision of the law that came after."""

    version: Version
    position: Position
    how: Literal["known", "found"]


def successors(library: Library, version: Version, position: Position) -> list[Successor]:
    """Where a provision of the last version of a repealed law went; [] where nothing is like it."""
    after = _after(library, version)
    if after is None:
        return []
    told = [
        known
        for known in library.shelf.successors.get(version.law, ())
        if known.successor == after.law and _overlap(known.position, position)
    ]
    places = [Successor(after, known.successor_position, "known") for known in told]
    if any(_covers(known.position, position) for known in told):
        return places
    crossing = Crossing(library, version, after)
    if place := crossing.follow(position):
        parted = [moved.to for moved in crossing.parted(position, place)]
        for found in dict.fromkeys([place, *parted]):
            if not any(_overlap(found, other.position) for other in places):
                places.append(Successor(after, found, "found"))
    return places


def beyond(library: Library, last: Step) -> Iterator[Step]:
    """A history goes on after the last version of a repealed law: its successors to this day."""
    if last.position is None or last.deleted:
        return
    for successor in successors(library, last.version, last.position):
        step, how = last, successor.how
        version, place = successor.version, successor.position
        law = library.shelf.by_name[version.law]
        for later in library.versions(law):
            if later.promulgated < version.promulgated:
                continue
            at = place if later == version else follow(library, step.version, place, later)
            if at is None:
                break
            text = library.text(later, at) or ""
            place, step = at, compared(Step(later, at, text, successor=how), step)
            yield step
        else:
            yield from beyond(library, step)


def _after(library: Library, version: Version) -> Version | None:
    """The version of the law that repealed this one, if it is at hand."""
    for repeal in library.shelf.repeals.get(version.law, ()):
        law = library.shelf.by_name.get(repeal.by)
        if repeal.scope or repeal.before <= version.promulgated or law is None:
            continue
        for other in library.versions(law):
            if other.promulgated >= repeal.before and other.articles:
                return other
    return None


def _covers(part: Position, position: Position) -> bool:
    """Whether a position of the same article lies in another."""
    pairs = zip(part[2:], position[2:], strict=True)
    return all(wide is None or wide == narrow for wide, narrow in pairs)


def _overlap(one: Position, other: Position) -> bool:
    """Whether one position lies in the other."""
    return one[:2] == other[:2] and all(
        a is None or b is None or a == b for a, b in zip(one[2:], other[2:], strict=True)
    )
