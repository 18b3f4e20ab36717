"""What the law library speaks of: laws, their versions, what happened to them, and provisions."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final, Literal, TypeAlias

import msgspec

from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.statute import Form, Role
from hengfa.law.library.words import Note

LawKind: TypeAlias = Literal[
    "statute", "constitution", "interpretation", "amendment", "decision", "regulation", "rule"
]
"""amendment: 刑法修正案（十一）, which changes another law; decision: of the standing committee;
regulation: of the State Council (行政法规); rule: of one of its departments (部门规章)."""

STATUTES: tuple[LawKind, ...] = ("statute", "constitution")
"""What counts as a statute where statutes are counted: the Constitution is one of them."""
Event: TypeAlias = Literal["adopted", "amended", "revised", "repealed"]
Sure: TypeAlias = Literal["exact", "stated", "assumed", "suspect", "unknown"]
"""How well the date of entry into force is known:

* exact: the text of this very version says it (本法自2021年1月1日起施行);
* stated: a register, a header or a person says it;
* assumed: nobody says it, and acts of this kind take effect when they are promulgated;
* suspect: a register gives the day of promulgation for an amendment, as registers do when they do
  not know;
* unknown: nothing is known, and ``effective`` is None.
"""


SETTLED: Final = timedelta(days=730)
"""So long after its promulgation a version is in force, even if nobody says since when."""


class LawEntry(msgspec.Struct, frozen=True):
    """One law through all its versions. ``short`` is the name without 中华人民共和国."""

    id: int
    name: str
    short: str
    kind: LawKind


class Source(msgspec.Struct, frozen=True):
    """Where a text was taken from: a repository at a commit, or only a file on this machine.

    The ``alternate`` ones are other texts of the same version, which were left aside.
    """

    role: Literal["primary", "alternate"]
    repository: str
    commit: str
    path: str
    file: str  # the file that was read here, and its row for a file of many texts
    row: int | None
    sha256: str  # of the text

    def __str__(self) -> str:
        if self.repository:
            return f"{self.repository}@{self.commit[:7]}, {self.path}"
        return self.file if self.row is None else f"{self.file}, row {self.row}"


class Version(msgspec.Struct, frozen=True):
    """The text of a law as it was promulgated on one day. Its key is (law, promulgated)."""

    id: int
    law: str  # the full name
    promulgated: date
    effective: date | None
    effective_basis: str  # who says so: text, header, a register, …; "" where nobody does
    sure: Sure
    event: Event
    kind: LawKind
    form: Form
    articles: int
    leaves: int

    def __str__(self) -> str:
        return f"{self.law} ({self.promulgated})"


class Occasion(msgspec.Struct, frozen=True):
    """One line of the calendar: something happened to a law, whether or not its text is at hand.

    ``version`` is the id of the text, or None where the library does not have it. ``by`` is the law
    that repealed this one. ``scope`` are the articles that alone were changed, where that is known
    from elsewhere than the text of the amending act.
    """

    law: str
    promulgated: date
    event: Event
    effective: date | None
    sure: Sure
    version: int | None
    by: str = ""
    scope: tuple[Position, ...] = ()


class Repeal(msgspec.Struct, frozen=True):
    """A law was repealed on a day, by a clause of another or by an act that a table names.

    It strikes what was promulgated before ``before``, the day the repealing law was promulgated: a
    later law of the same name lives on (the 国家安全法 of 1993 was repealed, that of 2015 was not).
    ``scope`` are the positions that alone are repealed. ``basis`` is where that is known from:
    clause, or what a table says: gazette, register, text, knowledge.
    """

    law: str  # as the library names it, or as the clause does
    on: date | None
    before: date
    by: str
    by_version: date | None
    clause: str
    scope: tuple[Position, ...] = ()
    basis: str = "clause"

    @property
    def note(self) -> Note:
        """In a few words; what only people know is said to be so."""
        code = "repealed as is known" if self.basis == "knowledge" else "repealed"
        return Note(code, day=self.on or self.before, by=self.by)


class Succession(msgspec.Struct, frozen=True):
    """Where a provision of a repealed law went, as people know: see ``successors.tsv``."""

    law: str
    position: Position  # as the law was numbered last
    successor: str
    successor_position: Position
    basis: str


class Provision(msgspec.Struct, frozen=True):
    """A sentence that leads to items (``lead``), or text that is not divided further (``leaf``).

    The paragraph of ``position`` is None in an article that has only one. ``label`` is the item's
    number as it is written, （三）; ``deleted`` marks text that the source prints as struck out.
    """

    version: int
    position: Position
    role: Role
    text: str
    label: str
    headings: tuple[str, ...]  # 第一编　总则, 第二章　自然人, …, from the outermost in
    deleted: bool


class Part(msgspec.Struct, frozen=True):
    """What stands in a text besides its articles: header, preamble, body of a decision, annex."""

    part: Literal["header", "preamble", "body", "annex"]
    title: str
    text: str


class Remark(msgspec.Struct, frozen=True):
    """A line that could not be placed, or a file or row that could not be read, and why."""

    file: str
    row: int | None  # of a file with many texts
    line: int | None  # of the text
    reason: str
    text: str
    law: str = ""
    promulgated: date | None = None
