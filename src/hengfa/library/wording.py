"""How versions and readings are put into words for people."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final

from hengfa.library.model import Law, Occasion, Sure, Version
from hengfa.library.store import Library
from hengfa.library.versions import (
    Answer,
    Found,
    NoSuchVersion,
    Reading,
    Repealed,
    Unknown,
    all_readings,
    same_version,
)

SURE: Final[dict[Sure, str]] = {
    "exact": "as its text says",
    "stated": "according to {basis}",
    "assumed": "assumed: nothing says otherwise",
    "suspect": "according to {basis}, which gives the day of promulgation where it does not know",
    "unknown": "it is not known since when",
}


BASES: Final = {
    "lawrefbook_db": "the register of LawRefBook",
    "x_storage_db": "the register of X-STORAGE",
    "header": "its header",
    "manual": "somebody who looked it up",
    "row": "its source",
}


def in_force_since(version: Version | Occasion) -> str:
    """When a version took effect, and how sure that is."""
    basis = version.effective_basis if isinstance(version, Version) else ""
    how = SURE[version.sure].format(basis=BASES.get(basis, basis or "a register"))
    return f"in force since {version.effective}, {how}" if version.effective else how


def describe(version: Version) -> str:
    """A version in one line."""
    return f"{version.event} {version.promulgated}, {in_force_since(version)}"


def why_not(law: Law, answer: Answer) -> str:
    """Why a date names no text of a law, and what can be asked instead."""
    if isinstance(answer, Found):
        return ""
    said = f"{law.name}: {answer.reason}"
    if isinstance(answer, Repealed) and answer.last:
        return f"{said}. `--version {answer.last.promulgated}` shows the last text"
    if isinstance(answer, Unknown):
        return f"unknown — {said}"
    if isinstance(answer, NoSuchVersion):
        return f"{said}. Known are: {', '.join(map(str, answer.known))}"
    return said


def other_readings(library: Library, law: Law, on: date, used: Reading) -> Iterator[str]:
    """A line for each other reading of the same day that names another version.

    That nothing was promulgated on a day is no difference: that is so on most days.
    """
    answers = all_readings(library, law, on)
    for reading, answer in answers.items():
        if reading == used or isinstance(answer, NoSuchVersion):
            continue
        if same_version(answer, answers[used]):
            continue
        if isinstance(answer, Found):
            yield f"{reading} {on}: the version of {answer.version.promulgated}"
        else:
            yield f"{reading} {on}: {why_not(law, answer)}"


def calendar_lines(library: Library, law: Law) -> Iterator[str]:
    """What happened to a law, a line each, with what is at hand."""
    for one in library.shelf.calendar.get(law.name, ()):
        if one.event == "repealed":
            yield f"repealed {one.effective} by {one.by}"
        elif one.version is not None:
            version = library.shelf.version_of[one.version]
            shape = f"{version.articles} articles" if version.articles else "without articles"
            yield f"{describe(version)}; {shape}"
        else:
            since = f", in force since {one.effective}" if one.effective else ""
            yield f"{one.event} {one.promulgated}{since}; its text is not in the library"
