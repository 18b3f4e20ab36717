"""The law itself, asked as a person asks: names, positions and days as people write them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from hengfa.base.errors import UsageError, counted
from hengfa.law.grammar.dates import read_day, today
from hengfa.law.library import case_numbers
from hengfa.law.library.case_numbers import CaseReport, Register
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import Report
from hengfa.law.library.documents import Document, read_document
from hengfa.law.library.history import Step
from hengfa.law.library.lookup import LookedUp, look_up, read_position
from hengfa.law.library.model import LawEntry, LawKind, Version
from hengfa.law.library.names import find_law
from hengfa.law.library.search import Hit, search
from hengfa.law.library.store import Library
from hengfa.law.library.successors import whole_history
from hengfa.law.library.versions import Reading

Day: TypeAlias = date | str
"""A day, or as it is written: 2021-01-01."""


class Law:
    """The law library, open: the one of `hengfa law build`, or that of a file.

    Laws are named in full, short, or as people abbreviate them; positions are `27.2.1`, `133-1` or
    第二十七条第二款第（一）项. Use it in a `with` statement, or close it.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.library = Library.open(None if path is None else Path(path))

    @cached_property
    def checker(self) -> Checker:
        """What checks documents; it keeps what it has read, so that the next is faster."""
        return Checker(self.library)

    @classmethod
    def sample(cls) -> Self:
        """The five fictional statutes that ship with Hengfa; built the first time."""
        # suites are for those who need them
        from hengfa.base.data.packs import sample_root  # noqa: PLC0415
        from hengfa.law.library.opening import open_library  # noqa: PLC0415

        with open_library(sample_root() / "claw") as library:
            return cls(library.path)

    def find(self, name: str) -> LawEntry:
        """The law that a name means; an error lists those that it may mean."""
        return find_law(self.library, name)

    def versions(self, name: str) -> tuple[Version, ...]:
        """The versions of a law that are at hand, from the oldest."""
        return self.library.versions(self.find(name))

    def look_up(
        self,
        name: str,
        position: str | None = None,
        *,
        on: Day | None = None,
        reading: Reading = "in force on",
    ) -> LookedUp:
        """A provision on a day, or today; `answer` says which version that is, or why none."""
        where = None if position is None else read_position(position)
        return look_up(self.library, self.find(name), where, _day(on) or today(), reading)

    def history(self, name: str, position: str, *, version: Day | None = None) -> list[Step]:
        """A provision through all versions of its law, oldest first, and of those that came after.

        The position is that of the version promulgated on a day, or of the latest at hand.
        """
        where = read_position(position)
        return whole_history(self.library, self.find(name), where, _day(version))

    def search(
        self,
        words: str,
        *,
        law: str | None = None,
        kinds: Sequence[LawKind] = (),
        on: Day | None = None,
        all_versions: bool = False,
        limit: int = 10,
    ) -> list[Hit]:
        """Provisions by their words or by a question, in the law of a day, or of today."""
        if all_versions and on is not None:
            raise UsageError("--all-versions and --as-of exclude each other")
        return search(
            self.library,
            words,
            limit=limit,
            law=None if law is None else self.find(law),
            kinds=kinds,
            on=None if all_versions else _day(on) or today(),
        )

    def check(
        self,
        text: str | os.PathLike[str] | Document,
        *,
        as_of: Day | None = None,
        default_law: str | None = None,
    ) -> Report:
        """Check the citations of a text, or of a file: see `hengfa.check_citations`."""
        day, law = _day(as_of), None if default_law is None else self.find(default_law)
        if isinstance(text, str):
            document = Document("", _not_a_path(text))
        else:
            document = text if isinstance(text, Document) else read_document(Path(text))
        return self.checker.check(
            document.text, name=document.name, remarks=document.notes, as_of=day, law=law
        )

    def close(self) -> None:
        self.library.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.library.__exit__(kind, error, at)

    def __repr__(self) -> str:
        return f"<Law {self.library.path}: {counted(len(self.library.laws()), 'law')}>"


def check_citations(
    text: str | os.PathLike[str],
    *,
    law: Law | None = None,
    as_of: Day | None = None,
    default_law: str | None = None,
) -> Report:
    """Check every citation of law in a text, or in a file given as a `Path`.

    Files are .txt, .md, .html, .docx or .pdf (optional part `desk`).

    `law` is the library to check against, else the one of `hengfa law build`; `as_of` a day for all
    citations, else what they or the document say; `default_law` the law of those that name none.
    """
    if law is not None:
        return law.check(text, as_of=as_of, default_law=default_law)
    with Law() as installed:
        return installed.check(text, as_of=as_of, default_law=default_law)


def check_case_numbers(
    text: str | os.PathLike[str], *, as_of: Day | None = None, register: Register | None = None
) -> CaseReport:
    """Check every case number (案号) in a text, or in a file given as a `Path`.

    Files are .txt, .md, .html, .pdf or .docx. Each number cannot exist, with the rule that says so;
    is known here, with its source; or is well formed and not known here. `register` is what is
    known, else what the installed packs tell; `as_of` the day after which no case can have been
    filed, else today.
    """
    known = register or Register.installed()
    day = _day(as_of) or today()
    if isinstance(text, str):
        return case_numbers.check_case_numbers(_not_a_path(text), known, day)
    document = read_document(Path(text))
    return case_numbers.check_case_numbers(
        document.text, known, day, name=document.name, notes=document.notes
    )


def _day(given: Day | None) -> date | None:
    if isinstance(given, datetime):
        return given.date()
    return given if given is None or isinstance(given, date) else read_day(given)


def _not_a_path(text: str) -> str:
    """The text, unless it is plainly the name of a file: then nothing would be found in it."""
    with suppress(OSError):  # too long for a name
        if Path(text).is_file():
            raise UsageError(f"{text!r} is a file: give it as Path({text!r})")
    return text
