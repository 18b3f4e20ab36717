"""Which version of a law a date means: three readings, each named, none guessed.

On 2017-06-27 an amendment of the 行政诉讼法 was promulgated; it took effect on 2017-07-01. "The
行政诉讼法 of 2017-06-27" is that text under the reading *promulgated on* and *latest by*, and the
text of 2014 under *in force on*. The answer says which version, or why there is none: not yet,
repealed, or **unknown**, because the calendar knows of a version whose text the library lacks. The
nearest text is never given in its place.

A date of entry into force that is not known, or only assumed, makes an answer uncertain for the two
years after promulgation: acts take effect within little more than one year (the Basic Laws of Hong
Kong and Macao, whose dates are known, are the exceptions).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final, Literal, TypeAlias

import msgspec

from hengfa.law.library.model import SETTLED, LawEntry, Occasion, Repeal, Version
from hengfa.law.library.store import Library
from hengfa.law.library.words import Note

Reading: TypeAlias = Literal["promulgated on", "in force on", "latest by"]
READINGS: Final[tuple[Reading, ...]] = ("promulgated on", "in force on", "latest by")


class FoundVersion(msgspec.Struct, frozen=True, tag="found"):
    """This version. ``sure`` is False where the date of its entry into force is in doubt."""

    version: Version
    sure: bool = True
    note: str = ""


class Unknown(msgspec.Struct, frozen=True, tag="unknown"):
    """The library cannot say: one of these versions is needed, and ``reason`` says why."""

    needed: tuple[Occasion, ...]
    reason: str


class NotYet(msgspec.Struct, frozen=True, tag="not yet"):
    """The law did not exist yet (``first`` was still to come) or was not yet in force."""

    first: Occasion
    reason: str


class Repealed(msgspec.Struct, frozen=True, tag="repealed"):
    """The law was no longer in force; ``last`` is its last version at hand.

    ``told`` says in short what ``reason`` says with the clause.
    """

    by: str
    on: date
    last: Version | None
    reason: str
    told: str


class NoSuchVersion(msgspec.Struct, frozen=True, tag="no such version"):
    """Nothing was promulgated on that day; these are the days on which something was."""

    known: tuple[date, ...]
    reason: str


Answer: TypeAlias = FoundVersion | Unknown | NotYet | Repealed | NoSuchVersion


def read_date(library: Library, law: LawEntry, on: date, reading: Reading) -> Answer:
    """The version that a date means under one of the three readings."""
    if reading == "promulgated on":
        return promulgated_on(library, law, on)
    return (in_force_on if reading == "in force on" else latest_by)(library, law, on)


def all_readings(library: Library, law: LawEntry, on: date) -> dict[Reading, Answer]:
    """What the date means under each reading, for those who must show that they differ."""
    return {reading: read_date(library, law, on, reading) for reading in READINGS}


def same_version(one: Answer, other: Answer) -> bool:
    return (
        isinstance(one, FoundVersion)
        and isinstance(other, FoundVersion)
        and one.version == other.version
    )


def promulgated_on(library: Library, law: LawEntry, on: date) -> Answer:
    """The version whose promulgation date is exactly this one."""
    occasions = library.occasions(law)
    for occasion in occasions:
        if occasion.promulgated == on:
            return _answer(library, occasion, "promulgated on", on)
    days = tuple(occasion.promulgated for occasion in occasions)
    return NoSuchVersion(days, Note("nothing promulgated", day=on))


def latest_by(library: Library, law: LawEntry, on: date) -> Answer:
    """The version promulgated last up to this day, in force or not, repealed since or not."""
    occasions = library.occasions(law)
    past = [occasion for occasion in occasions if occasion.promulgated <= on]
    if not past:
        return _not_yet(occasions)
    return _answer(library, past[-1], "latest by", on)


def in_force_on(library: Library, law: LawEntry, on: date) -> Answer:
    """The version with the latest entry into force up to this day, if the law was not repealed."""
    occasions = library.occasions(law)
    repeals = library.shelf.repeals.get(law.name, ())
    whole = [repeal for repeal in repeals if repeal.on and repeal.on <= on and not repeal.scope]
    struck = whole[-1] if whole else None
    alive = [o for o in occasions if not struck or o.promulgated >= struck.before]
    past = [occasion for occasion in alive if occasion.promulgated <= on]
    if not past:
        if struck:
            return _after_repeal(library, law, struck)
        return _older(library, law, occasions) or _not_yet(occasions)
    if answer := _in_force(library, past, on):
        return answer
    if not struck and (older := _older(library, law, occasions)):
        return older
    first = past[0]
    since = first.effective or first.promulgated
    return NotYet(first, Note("not yet in force", made=first.promulgated, day=since))


def _in_force(library: Library, past: Sequence[Occasion], on: date) -> Answer | None:
    """The latest of these that was in force, with those after it that may have been; or None."""
    doubtful: list[Occasion] = []
    for occasion in reversed(past):
        if occasion.effective is not None and occasion.effective > on:
            continue
        if occasion.sure not in {"exact", "stated"} and on < occasion.promulgated + SETTLED:
            doubtful.append(occasion)
        elif doubtful:
            return _in_doubt(library, on, doubtful, occasion)
        else:
            return _answer(library, occasion, "in force on", on)
    return _in_doubt(library, on, doubtful, None) if doubtful else None


def struck_parts(library: Library, version: Version, on: date) -> tuple[Repeal, ...]:
    """Repeals of single positions of a version up to a day."""
    repeals = library.shelf.repeals.get(version.law, ())
    return tuple(
        r
        for r in repeals
        if r.scope and r.on is not None and r.on <= on and version.promulgated < r.before
    )


def _after_repeal(library: Library, law: LawEntry, struck: Repeal) -> Repealed:
    last = [v for v in library.versions(law) if v.promulgated < struck.before]
    reason = f"{struck.note}: {struck.clause}" if struck.clause else struck.note
    on = struck.on or struck.before
    return Repealed(struck.by, on, last[-1] if last else None, reason, struck.note)


def _older(library: Library, law: LawEntry, occasions: Sequence[Occasion]) -> Unknown | None:
    """A law of the same name that came before, of which only its repeal is known."""
    for repeal in library.shelf.repeals.get(law.name, ()):
        if not repeal.scope and all(made.promulgated >= repeal.before for made in occasions):
            return Unknown((), Note("older law lacks", by=repeal.by, clause=repeal.clause))
    return None


def _not_yet(occasions: Sequence[Occasion]) -> NotYet:
    first = occasions[0]
    return NotYet(first, Note("not yet made", event=Note(first.event), day=first.promulgated))


def _in_doubt(
    library: Library, on: date, doubtful: Sequence[Occasion], certain: Occasion | None
) -> Answer:
    """What to say when later versions may or may not have been in force; the latest comes first."""
    latest, *earlier = doubtful if certain is None else [*doubtful, certain]
    other = Note("version", day=earlier[0].promulgated) if earlier else Note("no version")
    if latest.version is not None and latest.effective is not None:
        version = library.shelf.version_of[latest.version]
        how = Note("assumed") if latest.sure == "assumed" else Note("by a register")
        note = Note("in force at once", how=how, other=other)
        return FoundVersion(version, sure=False, note=note)
    reason = Note("perhaps in force", made=latest.promulgated, day=on, other=other)
    return Unknown((latest, *earlier), reason)


def _answer(library: Library, occasion: Occasion, reading: Reading, on: date) -> Answer:
    if occasion.version is not None:
        return FoundVersion(library.shelf.version_of[occasion.version])
    event, made = Note(occasion.event), occasion.promulgated
    return Unknown((occasion,), Note(f"{reading} lacks", day=on, event=event, made=made))
