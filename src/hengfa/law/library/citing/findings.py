"""What checking the citations of a document says: one finding for each citation, and the sums."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from hengfa.base.page import html_table
from hengfa.law.grammar.citation_model import Basis, Kind
from hengfa.law.library.names import How

if TYPE_CHECKING:
    import polars as pl

Status: TypeAlias = Literal[
    "right", "exists", "wording", "wrong", "unlike", "unknown", "unclear", "paper"
]
"""What a reader should do about a citation:

* right: it exists, was in force, and what is quoted or told is verbatim or faithful, or nothing is;
* exists: the same, but something is told of it, and nothing proves that it says so: compare;
* wording: the same as right, but some characters of the quotation differ that change no rule, or it
  lacks a proviso;
* wrong: no such position, not in force, quoted from elsewhere or from nowhere, or with a word that
  makes another rule;
* unlike: it exists and was in force, but what is told of it is not what it says;
* unknown: the library lacks the law or the version, so it cannot say;
* unclear: the document does not say, or not clearly, which law it means; a person has to look;
* paper: a clause of a contract or another document that is no law: not checked.
"""
STATUSES: Final[tuple[Status, ...]] = (
    "right", "exists", "wording", "wrong", "unlike", "unknown", "unclear", "paper",
)  # fmt: skip

FINE: Final[frozenset[Status]] = frozenset({"right", "paper"})
"""What nobody needs to look at."""

Problem: TypeAlias = Literal[
    "",
    "no such position",
    "not in force",
    "no such version",
    "quoted from another provision",
    "quoted from another version",
    "quoted words not in the law",
    "wording differs",
    "wording makes another rule",
    "proviso left out",
    "told unlike the provision",
    "told as in another version",
    "called by a crime of another article",
    "called unlike the provision",
    "cited for what another article says",
    "law not in the library",
    "version not in the library",
    "text not in the library",
    "no law named",
    "name of several laws",
    "not a law",
]
"""What is the matter with a citation, in words; the first that applies. "text not in the library":
the position is known to be there, but not the words that it had."""

YesNo: TypeAlias = Literal["yes", "no", "unknown"]

Verdict: TypeAlias = Literal[
    "exact", "wording", "other provision", "other version", "not in the law", "unknown"
]
"""Of a quotation: word for word (punctuation aside); some characters differ; the words are those of
another provision, or of another version; no law in the library has them; or the text that was in
force is not in the library."""

Likeness: TypeAlias = Literal["like", "unlike", "unsure"]
"""Of what is told; unsure: too few of its words are the provision's, or something speaks against
it."""

DayBasis: TypeAlias = Literal["as of", "citation", "document", "today"]
"""Who says of which day the law is meant: the caller, a version named in the citation, the date of
the document, or nobody."""


class Day(msgspec.Struct, frozen=True):
    """A day, who said it, and the words that were read for it."""

    day: date
    basis: DayBasis
    text: str = ""


class Source(msgspec.Struct, frozen=True):
    """Where the words of a quotation were found, and how much of them agrees (1 is all)."""

    law: str
    version: date
    position: str
    similarity: float


class Misquotation(msgspec.Struct, frozen=True):
    """The document has ``quoted`` where the law has ``law``; ``shown`` gives both in context.

    In ``shown`` [-words-] are the law's and {+words+} the document's. It is ``material`` if it
    makes another rule: another number, 可以 for 应当, 董事会 for 股东会.
    """

    quoted: str
    law: str
    shown: str
    material: bool = False


class Quotation(msgspec.Struct, frozen=True):
    """The words that a document gives as those of a provision, at ``text[start:end]``.

    ``similarity`` is that to the cited provision, None where there is no text to compare with.
    ``left_out`` are provisions that the quotation passes over without a word, ``proviso`` are words
    of an exception (但是……的除外) to what is quoted: a rule without it is another rule.
    """

    start: int
    end: int
    mark: Literal["quotes", "phrase", "colon", "heading"]
    verdict: Verdict
    similarity: float | None = None
    differences: tuple[Misquotation, ...] = ()
    left_out: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    proviso: str = ""


Mark: TypeAlias = Literal["verbatim", "faithful", "differs", "not decided"]
"""Whether a document says what a provision says: in its words; in others that come to the same;
with a word that excludes the provision's; or neither was shown, and the reader has to compare."""


class Difference(msgspec.Struct, frozen=True):
    """What a telling has where the provision has something that excludes it."""

    told: str
    law: str


Match: TypeAlias = Literal["", "same", "new", "left out", "other"]


class Piece(msgspec.Struct, frozen=True):
    """Some letters of a telling or a provision, and what was found of them.

    "same" is in both; "new" only in the telling; "left out" only in the provision, where it
    matters; "other" stands against something else in the other text.
    """

    text: str
    kind: Match


class Faithfulness(msgspec.Struct, frozen=True):
    """How a telling stands to its provision, and both in pieces, to be laid side by side.

    ``reader`` is the second reader by whom it was settled, if one did; without ``words_shown`` it
    is a classifier, of which nobody sees which words decided.
    """

    mark: Mark
    differences: tuple[Difference, ...] = ()
    told: tuple[Piece, ...] = ()
    law: tuple[Piece, ...] = ()
    reader: str = ""
    words_shown: bool = True


class Telling(msgspec.Struct, frozen=True):
    """What a document tells of a provision without quotation marks, at ``text[start:end]``.

    ``share`` is how much of it the provision has; where it is unlike, ``nearest`` is the article
    that has more of it, ``numbers`` are quantities that the provision does not have, ``contrary``
    words whose opposite it has, or ``proviso`` an exception to what is told in its words.
    """

    start: int
    end: int
    verdict: Likeness
    share: float
    numbers: tuple[str, ...] = ()
    nearest: Source | None = None
    contrary: tuple[str, ...] = ()
    proviso: str = ""
    content: Faithfulness = Faithfulness("not decided")


class Checked(msgspec.Struct, frozen=True):
    """One citation and what was found.

    ``version`` is the day on which the version that counts was promulgated, ``text_of`` that of
    the version whose text was read: they differ where the former is not in the library and the
    provision is known to be the same in both. ``content`` says whether the document says what the
    provision says, None where it says nothing of it, or nothing to compare it with is at hand; that
    it exists is one question, this is another. ``inside`` marks citations in the law's own words:
    前款 and 本法第三条 in a quotation.
    """

    line: int
    start: int
    end: int
    written: str
    kind: Kind
    basis: Basis
    status: Status
    problem: Problem = ""
    named: str | None = None
    law: str | None = None
    how: How = "none"
    candidates: tuple[str, ...] = ()
    position: str = ""
    day: Day | None = None
    version: date | None = None
    text_of: date | None = None
    exists: YesNo | None = None
    in_force: YesNo | None = None
    quotation: Quotation | None = None
    telling: Telling | None = None
    content: Mark | None = None
    inside: bool = False
    notes: tuple[str, ...] = ()


class Report(msgspec.Struct, frozen=True):
    """All citations of one document, in order, and the day that its date gives."""

    name: str
    day: Day
    citations: tuple[Checked, ...]
    notes: tuple[str, ...] = ()

    def counts(self) -> dict[Status, int]:
        """How many citations of the document's own have each status."""
        own = [checked.status for checked in self.citations if not checked.inside]
        return {status: own.count(status) for status in STATUSES}

    @property
    def wrong(self) -> int:
        """Citations that must not stay as they are."""
        counts = self.counts()
        return counts["wrong"] + counts["unlike"]

    def frame(self) -> pl.DataFrame:
        """One row for each citation: where it stands, what it means, what is the matter with it."""
        import polars as pl  # noqa: PLC0415 - for those who ask for it

        names = (
            "line", "start", "end", "written", "law", "position", "version", "status", "problem",
            "inside",
        )  # fmt: skip
        rows = [tuple(getattr(checked, name) for name in names) for checked in self.citations]
        numbers = dict.fromkeys(("line", "start", "end"), pl.Int64())
        schema = {**dict.fromkeys(names, pl.String()), **numbers}
        return pl.DataFrame(
            rows, {**schema, "version": pl.Date(), "inside": pl.Boolean()}, orient="row"
        )

    def _repr_html_(self) -> str:
        rows = [
            (each.line, each.written, each.status, each.problem, "\n".join(each.notes))
            for each in self.citations
        ]
        counts = ", ".join(f"{status} {n}" for status, n in self.counts().items() if n)
        title = f"{self.name or 'text'}, {self.day.day} ({self.day.basis}): {counts or 'nothing'}"
        return html_table(("line", "citation", "status", "problem", "notes"), rows, title=title)
