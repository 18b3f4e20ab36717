"""Where a provision of a repealed law went: the law that repealed it, and its place there.

For what people know, above all the provisions that were split when the Civil Code took in nine
laws, there is a table (``successors.tsv``, which users extend). All others are found by their
words, as a history finds them between two versions of one law. Each is marked *known* or *found*:
what is found has the words, more or less, and may have another meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Literal, NamedTuple

from hengfa.law.grammar.citation_model import Position
from hengfa.law.library.history import Crossing, Moved, Step, follow, history, with_changes
from hengfa.law.library.lookup import existing, version_of
from hengfa.law.library.model import LawEntry, Version
from hengfa.law.library.store import Library


class Successor(NamedTuple):
    """A provision of the law that came after, and ``of`` what it has the words or the matter."""

    version: Version
    position: Position
    how: Literal["known", "found"]
    of: Position


def successors(library: Library, version: Version, position: Position) -> list[Successor]:
    """Where a provision of the last version of a repealed law went; [] where nothing is like it."""
    after = _after(library, version)
    if after is None:
        return []
    by_table = [
        Successor(after, known.successor_position, "known", _narrower(known.position, position))
        for known in library.shelf.successors.get(version.law, ())
        if known.successor == after.law and _overlap(known.position, position)
    ]
    if by_table:
        return by_table
    crossing = Crossing(library, version, after)
    place = crossing.follow(position)
    if place is None:
        return []
    places = [Successor(after, place, "found", position)]
    for moved in crossing.moved_paragraphs(position, place):
        if not any(_overlap(moved.to, other.position) for other in places):
            places.append(Successor(after, moved.to, "found", moved.of))
    return places


def whole_history(
    library: Library, law: LawEntry, position: Position, promulgated: date | None = None
) -> list[Step]:
    """A provision through all versions of its law, oldest first, and of those that came after.

    The position is that of the version promulgated on a day, or of the latest at hand.
    """
    start = version_of(library, law, promulgated)
    steps = history(library, law, start, existing(library, start, position))
    last = next(step for step in reversed(steps) if not step.derived)
    return [*steps, *beyond(library, last)]


def beyond(library: Library, last: Step) -> Iterator[Step]:
    """A history goes on after the last version of a repealed law: its successors to this day."""
    if last.position is None or last.deleted:
        return
    for successor in successors(library, last.version, last.position):
        version, place, how, of = successor
        step, moved = last, tuple[Moved, ...]()
        if of != last.position:
            step = Step(last.version, of, library.text(last.version, of) or "")
            moved = (Moved(of, place),)
        law = library.shelf.by_name[version.law]
        for later in library.versions(law):
            if later.promulgated < version.promulgated:
                continue
            at = place if later == version else follow(library, step.version, place, later)
            if at is None:
                break
            text = library.text(later, at) or ""
            place = at
            step = with_changes(Step(later, at, text, successor=how, elsewhere=moved), step)
            moved = ()
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


def _narrower(one: Position, other: Position) -> Position:
    """The one of two positions that lies in the other."""
    return max(one, other, key=lambda position: sum(number is not None for number in position))


def _overlap(one: Position, other: Position) -> bool:
    return one[:2] == other[:2] and all(
        a is None or b is None or a == b for a, b in zip(one[2:], other[2:], strict=True)
    )
