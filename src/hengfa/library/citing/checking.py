"""Checks the citations of a document: do they exist, were they in force, are they quoted right.

>>> with Library.open() as library:                                     # doctest: +SKIP
...     report = Checker(library).check("依照《刑法》第二百六十四条……", name="draft.txt")
...     print(report.counts())

The day that counts is, in this order: the one that the caller gives, the version that a citation
names, the date of the document, today. Where the version of that day is not in the library, the
answer is "unknown", unless the amending acts show that the article was not touched since (see
:mod:`hengfa.library.citing.amending`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, date, datetime

from hengfa.law.citation import find_citations
from hengfa.law.citation_model import Citation, Quote, VersionHint
from hengfa.library.citing.dating import document_day
from hengfa.library.citing.finding import Finder, Indexes
from hengfa.library.citing.findings import Checked, Day, Report
from hengfa.library.citing.outcomes import Draft, notes, outcome
from hengfa.library.citing.passages import Passages
from hengfa.library.citing.placing import Places
from hengfa.library.citing.quoting import Cited, judge, whose_words, written
from hengfa.library.citing.resolving import Names, Resolved
from hengfa.library.citing.standing import Standing, standing
from hengfa.library.model import Law
from hengfa.library.store import Library


class Checker:
    """Checks documents against one library; keeps what it has read, so that the next is faster.

    ``as_of`` is a day for all citations, ``law`` the law of those that name none.
    """

    def __init__(
        self,
        library: Library,
        *,
        as_of: date | None = None,
        law: Law | None = None,
        today: date | None = None,
    ) -> None:
        self.library = library
        self.as_of = as_of
        self.law = law
        self.today = today or datetime.now(UTC).astimezone().date()
        self.names = Names(library)
        self.passages = Passages(library)
        self.places = Places(self.passages)
        self.indexes = Indexes(self.places.amendments)

    def check(self, text: str, *, name: str = "", remarks: Sequence[str] = ()) -> Report:
        """All citations of a text, in order; ``remarks`` on the document go into the report."""
        day = self.day_of(text)
        return Report(name, day, tuple(_Document(self, text, day).check()), tuple(remarks))

    def day_of(self, text: str) -> Day:
        """The day that counts for a text as a whole, and who says so."""
        if self.as_of:
            return Day(self.as_of, "as of")
        if found := document_day(text):
            return Day(found.day, "document", found.text)
        return Day(self.today, "today")


class _Document:
    """One text."""

    def __init__(self, checker: Checker, text: str, day: Day) -> None:
        self.checker = checker
        self.text = text
        self.day = day
        self.lines = [found.start() for found in re.finditer("\n", text)]
        self.finder = Finder(checker.indexes)
        self.stands: dict[tuple[str, VersionHint | None], Standing] = {}

    def check(self) -> list[Checked]:
        citations = find_citations(self.text, known_names=self.checker.names.knows)
        drafts = [self._draft(citation) for citation in citations]
        self._quotations(drafts)
        return [self._finding(draft, drafts) for draft in drafts]

    def _draft(self, citation: Citation) -> Draft:
        draft = Draft(citation, self._law(citation))
        law = draft.resolved.law
        if law is None or citation.position.article is None:
            return draft
        key = law.name, citation.version
        if key not in self.stands:
            library = self.checker.library
            stand = standing(library, law, self.day, citation.version)
            if stand.promulgated is None and stand.in_force == "unknown":
                made = self.checker.places.amendments.version_on(law, stand.day.day)
                stand = stand._replace(promulgated=made)
            self.stands[key] = stand
        draft.stand = self.stands[key]
        draft.place = self.checker.places.find(law, citation, draft.stand)
        return draft

    def _law(self, citation: Citation) -> Resolved:
        checker, quote = self.checker, citation.quoted
        if citation.law:
            return checker.names.resolve(citation.law, self.day.day)
        if citation.kind == "document" or citation.position.article is None:
            return Resolved(None, "none")
        if checker.law:
            return Resolved(checker.law, "default")
        if quote and (found := whose_words(self.finder, self.text, quote, citation.position)):
            return Resolved(found, "words")
        return Resolved(None, "none")

    def _quotations(self, drafts: Sequence[Draft]) -> None:
        """Judge each quotation once, for all citations that it belongs to."""
        groups: dict[Quote, list[Draft]] = {}
        for draft in drafts:
            if draft.citation.quoted and draft.citation.kind != "document":
                groups.setdefault(draft.citation.quoted, []).append(draft)
        for quote, group in groups.items():
            places = [draft.place for draft in group if draft.place]
            cited = Cited(
                group[0].resolved.law,
                tuple(one for draft in group for one in draft.citation.expand()),
                tuple(passage for place in places for passage in place.passages),
                known=bool(places) and all(place.known for place in places),
                version=group[0].stand.promulgated if group[0].stand else None,
            )
            judged = judge(self.finder, self.text, quote, cited)
            for draft in group:
                draft.quotation = judged

    def _finding(self, draft: Draft, drafts: Sequence[Draft]) -> Checked:
        citation, stand, place = draft.citation, draft.stand, draft.place
        law = draft.resolved.law
        status, problem = outcome(draft, drafts)
        return Checked(
            line=bisect_right(self.lines, citation.start) + 1,
            start=citation.start,
            end=citation.end,
            written=self.text[citation.start : citation.end],
            kind=citation.kind,
            basis=citation.basis,
            status=status,
            problem=problem,
            named=citation.law,
            law=law.name if law else None,
            how=draft.resolved.how,
            candidates=draft.resolved.candidates,
            position=_position(citation),
            day=stand.day if stand else None,
            version=stand.promulgated if stand else None,
            text_of=place.text_of if place else None,
            exists=place.exists if place else None,
            in_force=draft.in_force,
            quotation=draft.quotation,
            inside=citation.within is not None,
            notes=tuple(notes(draft, self.checker.passages)),
        )


def _position(citation: Citation) -> str:
    if not any(citation.position):
        return ""
    first = written(citation.position)
    return f"{first}至{written(citation.until)}" if citation.until else first
