"""Whether a cited position is there, in the version that counts, and which words it has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from hengfa.law.citation_model import Citation, Position
from hengfa.library.citing.amending import Amendments, Carried
from hengfa.library.citing.findings import Told
from hengfa.library.citing.passages import Passage, Passages
from hengfa.library.citing.quoting import written
from hengfa.library.citing.standing import Standing
from hengfa.library.model import Law, Version

_MOST_OF_A_RANGE: Final = 60
_NAMED: Final = 4


@dataclass(slots=True)
class Place:
    """The positions of one citation.

    ``passages`` are the cited articles as they read on the day, as far as they are known;
    ``known`` is False where some of their words are not at hand. ``text_of`` is the version that
    the words were taken from.
    """

    exists: Told
    passages: list[Passage] = field(default_factory=list)
    known: bool = True
    text_of: date | None = None
    carried: bool = False
    notes: list[str] = field(default_factory=list)


class Places:
    """Looks positions up in one library."""

    def __init__(self, passages: Passages) -> None:
        self.passages = passages
        self.library = passages.library
        self.amendments = Amendments(passages)

    def find(self, law: Law, citation: Citation, stand: Standing) -> Place:
        """Whether all positions of a citation are there."""
        positions = citation.expand()[:_MOST_OF_A_RANGE]
        if citation.until and citation.until not in positions:
            positions = (*positions, citation.until)
        if stand.several:
            notes = list(self._other_versions(law, positions[0], None))
            return Place("unknown", known=False, notes=notes)
        if stand.version is None and stand.in_force == "unknown":
            found = [self._unknown(law, position, stand.day.day) for position in positions]
        elif stand.version is None:
            return Place("unknown", known=False)
        else:
            found = [self._in(law, position, stand.version) for position in positions]
        if len(found) == 1:
            return found[0]
        return _united(found)

    def _in(self, law: Law, position: Position, version: Version) -> Place:
        """In a version that is at hand."""
        passage = self.passages.article(version, position)
        if version.articles == 0 and (passage is None or position.paragraph or position.item):
            return Place("unknown", known=False, notes=["its text is not divided into articles"])
        reason = _missing(passage, position, version)
        if passage is None or reason:
            place = Place("no", [passage] if passage else [], notes=[reason])
            place.notes += self._other_versions(law, position, version)
            return place
        place = Place("yes", [passage], text_of=version.promulgated)
        if passage.deleted:
            place.exists = "no"
            place.notes.append("its text is printed as deleted")
        return place

    def _unknown(self, law: Law, position: Position, on: date) -> Place:
        """On a day whose version is not at hand, as far as amending acts tell."""
        carried = self.amendments.carried(law, position, on)
        if carried is None:
            place = Place("unknown", known=False)
        else:
            place = Place("yes" if carried.exists else "no", carried=True, notes=[carried.reason])
            if carried.passage:
                _carry(place, position, carried, carried.passage)
            elif carried.exists:
                place.known = False
                if position.item or (position.paragraph or 1) > 1:
                    place.exists = "unknown"  # every article has a first paragraph, no more is sure
        if place.exists == "unknown" or not place.known:
            place.notes += self._other_versions(law, position, None)
        return place

    def _other_versions(self, law: Law, position: Position, but: Version | None) -> Iterator[str]:
        """In which other versions the position is, for those who look for the mistake."""
        having = [
            version
            for version in self.library.versions(law)
            if version != but
            and not _missing(self.passages.article(version, position), position, version)
        ]
        if having:
            days = ", ".join(str(version.promulgated) for version in having[-_NAMED:])
            yield f"{written(position)} is in the version{'s' * (len(having) > 1)} of {days}"


def _missing(passage: Passage | None, position: Position, version: Version) -> str:
    """Why a position is not in an article, or ""."""
    if passage is None:
        return f"the version of {version.promulgated} has no {written(Position(*position[:2]))}"
    paragraphs = {unit.position.paragraph or 1 for unit in passage.units}
    if position.paragraph is not None and position.paragraph not in paragraphs:
        count = len(paragraphs)
        return f"{written(passage.article)} has {count} paragraph{'s' * (count > 1)}"
    if position.item is None:
        return ""
    wanted = paragraphs if position.paragraph is None else {position.paragraph}
    items = [u.position.item for u in passage.units if (u.position.paragraph or 1) in wanted]
    if position.item in items:
        return ""
    count = len([item for item in items if item])
    where = written(Position(*position[:3]))
    return f"{where} has {count or 'no'} item{'s' * (count != 1)}"


def _carry(place: Place, position: Position, carried: Carried, passage: Passage) -> None:
    """The words of another day that the article is known to share, but for some paragraphs."""
    if reason := _missing(passage, position, passage.version):
        place.exists = "no"
        place.notes.append(reason)
    place.text_of = passage.version.promulgated
    kept: Passage | None = passage
    if carried.other_paragraphs:
        kept = passage.only(lambda p: (p.paragraph or 1) not in carried.other_paragraphs)
        place.known = position.paragraph is not None
    place.passages += [kept] if kept else []


def _united(places: list[Place]) -> Place:
    """A range is there when all of it is."""
    told = {place.exists for place in places}
    united = Place("no" if "no" in told else "unknown" if "unknown" in told else "yes")
    for place in places:
        united.passages += place.passages
        united.known = united.known and place.known
        united.carried = united.carried or place.carried
        united.text_of = united.text_of or place.text_of
        if place.exists == united.exists:
            united.notes += [note for note in place.notes if note not in united.notes]
    united.notes = united.notes[:_NAMED]
    return united
