"""One provision, looked up as a person asks for it: by name, position and day."""

from __future__ import annotations

from datetime import date

import msgspec

from hengfa.errors import UsageError
from hengfa.law.citation_model import Position
from hengfa.law.citation_positions import format_citation, parse_position
from hengfa.library.model import Law, Source, Version
from hengfa.library.store import Library
from hengfa.library.versions import Answer, Found, Reading, read_date
from hengfa.library.wording import other_readings


class LookedUp(msgspec.Struct, frozen=True):
    """What was found under one reading of the day, and where other readings differ from it.

    ``text`` is that of the position, of the whole act where it has no articles, or "".
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


def look_up(
    library: Library, law: Law, position: Position | None, on: date, reading: Reading
) -> LookedUp:
    """The text of a position on a day; a position that the version lacks is a wrong call."""
    answer = read_date(library, law, on, reading)
    others = tuple(other_readings(library, law, on, reading))
    found = LookedUp(law.name, reading, on, answer, others)
    if not isinstance(answer, Found):
        return found
    version = answer.version
    found = msgspec.structs.replace(found, source=library.sources(version)[0])
    if position is None:
        parts = [part.text for part in library.parts(version) if part.part in {"preamble", "body"}]
        return msgspec.structs.replace(found, text="" if version.articles else "\n".join(parts))
    position = existing(library, version, position)
    return msgspec.structs.replace(
        found,
        position=position,
        cited=format_citation(None, position),
        headings=library.article(version, position)[0].headings,
        text=library.text(version, position) or "",
    )


def existing(library: Library, version: Version, position: Position) -> Position:
    """The position, if the version has it; else an error that says what it has."""
    if library.text(version, position) is not None:
        return position
    asked = format_citation(None, position)
    if article := library.article(version, position):
        places = dict.fromkeys(format_citation(None, one.position) for one in article)
        raise UsageError(f"{version} has no {asked}; there is {'、'.join(places)}")
    if not version.articles:
        raise UsageError(f"{version} is not divided into articles: leave the position out")
    raise UsageError(f"{version} has no {asked}: it has {version.articles} articles")


def read_position(text: str) -> Position:
    """A position as people write it, with an article in it."""
    position = parse_position(text)
    if position is None or position.article is None:
        raise UsageError(
            f"{text!r} is no position: write 27.2.1, 133-1 or 第二十七条第二款第（一）项"
        )
    return position
