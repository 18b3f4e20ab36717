"""One provision, looked up as a person asks for it (by name, position and day), put into words.

What versions, days and readings are called is decided here, for whoever shows them to people.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final

import msgspec

from hengfa.base.errors import HengfaError, UsageError, counted
from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import format_position, parse_position
from hengfa.law.library.derived import Amendments
from hengfa.law.library.matching import Passages
from hengfa.law.library.model import LawEntry, Occasion, Source, Sure, Version
from hengfa.law.library.store import Library
from hengfa.law.library.versions import (
    Answer,
    FoundVersion,
    NoSuchVersion,
    Reading,
    Repealed,
    Unknown,
    all_readings,
    read_date,
    same_version,
)


class LookedUp(msgspec.Struct, frozen=True):
    """What was found under one reading of the day, and where other readings differ from it.

    ``text`` is that of the position, of the whole act where it has no articles, or "". Where the
    version is not at hand, ``derived`` says what amending acts tell of the position, and ``text``
    is what they lead to, if that is certain.
    """

    law: str
    reading: Reading
    on: date
    answer: Answer
    other_readings: tuple[str, ...]
    position: Position | None = None
    cited: str = ""
    headings: tuple[str, ...] = ()
    text: str = ""
    source: Source | None = None
    derived: str = ""


def look_up(
    library: Library, law: LawEntry, position: Position | None, on: date, reading: Reading
) -> LookedUp:
    """The text of a position on a day; a position that the version lacks is a wrong call."""
    answer = read_date(library, law, on, reading)
    others = tuple(other_readings(library, law, on, reading))
    looked_up = LookedUp(law.name, reading, on, answer, others)
    if isinstance(answer, Unknown) and position is not None:
        return _derive(library, law, position, looked_up)
    if not isinstance(answer, FoundVersion):
        return looked_up
    version = answer.version
    looked_up = msgspec.structs.replace(looked_up, source=library.sources(version)[0])
    if position is None:
        parts = [part.text for part in library.parts(version) if part.part in {"preamble", "body"}]
        return msgspec.structs.replace(looked_up, text="" if version.articles else "\n".join(parts))
    position = existing(library, version, position)
    return msgspec.structs.replace(
        looked_up,
        position=position,
        cited=format_position(position),
        headings=library.article(version, position)[0].headings,
        text=library.text(version, position) or "",
    )


def _derive(library: Library, law: LawEntry, position: Position, looked_up: LookedUp) -> LookedUp:
    """The words of a version that is not at hand, as far as amending acts tell."""
    amendments, answer = Amendments(Passages(library)), looked_up.answer
    if looked_up.reading == "in force on":
        carried = amendments.carried(law, position, looked_up.on)
    elif isinstance(answer, Unknown) and len(answer.needed) == 1:
        carried = amendments.after(law, position, answer.needed[0].promulgated)
    else:
        carried = None
    if carried is None:
        return looked_up
    cited = format_position(position)
    if not carried.exists:
        raise UsageError(f"{law.name} had no {cited} then: {carried.reason}")
    return msgspec.structs.replace(
        looked_up,
        position=position,
        cited=cited,
        text=carried.text(position) or "",
        derived=carried.reason,
    )


def existing(library: Library, version: Version, position: Position) -> Position:
    """The position, if the version has it; else an error that says what it has."""
    if library.text(version, position) is not None:
        return position
    asked = format_position(position)
    if article := library.article(version, position):
        places = dict.fromkeys(format_position(provision.position) for provision in article)
        raise UsageError(f"{version} has no {asked}; there is {'、'.join(places)}")
    if not version.articles:
        raise UsageError(f"{version} is not divided into articles: leave the position out")
    raise UsageError(f"{version} has no {asked}: it has {counted(version.articles, 'article')}")


def version_of(library: Library, law: LawEntry, promulgated: date | None) -> Version:
    """The version promulgated on a day, or the latest at hand; an error says which there are."""
    if promulgated is None:
        return library.versions(law)[-1]
    answer = read_date(library, law, promulgated, "promulgated on")
    if not isinstance(answer, FoundVersion):
        raise HengfaError(why_not(law, answer))
    return answer.version


def read_position(text: str) -> Position:
    """A position as people write it, with an article in it."""
    position = parse_position(text)
    if position is None or position.article is None:
        raise UsageError(
            f"{text!r} is no position: write 27.2.1, 133-1 or 第二十七条第二款第（一）项"
        )
    return position


_SURE: Final[dict[Sure, str]] = {
    "exact": "as its text says",
    "stated": "according to {basis}",
    "assumed": "assumed: nothing says otherwise",
    "suspect": "according to {basis}, which gives the day of promulgation where it does not know",
    "unknown": "it is not known since when",
}

_BASES: Final = {
    "lawrefbook_db": "the register of LawRefBook",
    "x_storage_db": "the register of X-STORAGE",
    "header": "its header",
    "manual": "somebody who looked it up",
    "row": "its source",
}


def in_force_since(version: Version | Occasion) -> str:
    """When a version took effect, and how sure that is."""
    basis = version.effective_basis if isinstance(version, Version) else ""
    how = _SURE[version.sure].format(basis=_BASES.get(basis, basis or "a register"))
    return f"in force since {version.effective}, {how}" if version.effective else how


def describe(version: Version) -> str:
    """A version in one line."""
    return f"{version.event} {version.promulgated}, {in_force_since(version)}"


def why_not(law: LawEntry, answer: Answer) -> str:
    """Why a date names no text of a law, and what can be asked instead."""
    if isinstance(answer, FoundVersion):
        return ""
    said = f"{law.name}: {answer.reason}"
    if isinstance(answer, Repealed) and answer.last:
        return f"{said}. `--version {answer.last.promulgated}` shows the last text"
    if isinstance(answer, Unknown):
        return f"unknown — {said}"
    if isinstance(answer, NoSuchVersion):
        return f"{said}. Known are: {', '.join(map(str, answer.known))}"
    return said


def other_readings(library: Library, law: LawEntry, on: date, used: Reading) -> Iterator[str]:
    """A line for each other reading of the same day that names another version.

    That nothing was promulgated on a day is no difference: that is so on most days.
    """
    answers = all_readings(library, law, on)
    for reading, answer in answers.items():
        if reading == used or isinstance(answer, NoSuchVersion):
            continue
        if same_version(answer, answers[used]):
            continue
        if isinstance(answer, FoundVersion):
            yield f"{reading} {on}: the version of {answer.version.promulgated}"
        else:
            yield f"{reading} {on}: {why_not(law, answer)}"


def calendar_lines(library: Library, law: LawEntry) -> Iterator[str]:
    """What happened to a law, a line each, with what is at hand."""
    for entry in library.shelf.calendar.get(law.name, ()):
        if entry.event == "repealed":
            yield f"repealed {entry.effective} by {entry.by}"
        elif entry.version is not None:
            version = library.shelf.version_of[entry.version]
            shape = f"{version.articles} articles" if version.articles else "without articles"
            yield f"{describe(version)}; {shape}"
        else:
            since = f", in force since {entry.effective}" if entry.effective else ""
            yield f"{entry.event} {entry.promulgated}{since}; its text is not in the library"
