"""Checks the citations of a document: do they exist, were they in force, are they quoted right.

>>> with Library.open() as library:                                     # doctest: +SKIP
...     report = Checker(library).check("依照《刑法》第二百六十四条……", name="draft.txt")
...     print(report.counts())

The day that counts is, in this order: the version that a citation names, the day that the caller
gives, the date of the document, today. Where the version of that day is not in the library, the
answer is "unknown", unless the amending acts show that the article was not touched since (see
:mod:`hengfa.law.library.derived`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, partial
from itertools import takewhile
from typing import Final

from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.citation_model import Citation, Position, Quote, VersionHint
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.grammar.citation_sentence import sentence_of, words_around
from hengfa.law.grammar.dates import today as this_day
from hengfa.law.grammar.dates import unread_date
from hengfa.law.grammar.script import simplified
from hengfa.law.library.citing.captions import Called, crime_before, judge_caption, judge_sentence
from hengfa.law.library.citing.details import doubts, english_quantities, quantities, strange
from hengfa.law.library.citing.findings import (
    Checked,
    Day,
    Mark,
    Problem,
    Quotation,
    Report,
    Source,
    Status,
    Telling,
    Verdict,
    YesNo,
)
from hengfa.law.library.citing.quoting import Cited, Finder, Indexes, judge, whose_words
from hengfa.law.library.citing.standing import (
    Place,
    Places,
    Standing,
    document_day,
    facts_are_later,
    is_former,
    is_then,
    repealed_parents,
    standing,
    then_applies,
)
from hengfa.law.library.citing.telling import Tellings
from hengfa.law.library.matching import QUOTED_RUN, Passages
from hengfa.law.library.model import LawEntry, Repeal
from hengfa.law.library.names import Names, Resolved
from hengfa.law.library.store import Library
from hengfa.law.library.words import Note


class Checker:
    """Checks documents against one library; keeps what it has read, so that the next is faster.

    One is enough for a library, whatever day and law its documents are checked by.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self.names = Names(library)
        self.passages = Passages(library)
        self.places = Places(self.passages)
        self.indexes = Indexes(self.places.amendments)
        self.tellings = Tellings(self.passages)

    def check(
        self,
        text: str,
        *,
        name: str = "",
        remarks: Sequence[str] = (),
        as_of: date | None = None,
        law: LawEntry | None = None,
        today: date | None = None,
    ) -> Report:
        """All citations of a text, in order; ``remarks`` on the document go into the report.

        ``as_of`` is the day for citations that name no version, else that of the document, or
        ``today``; ``law`` the law of citations that name none.
        """
        text = _HALVES.sub("\ufffd", text)
        day = day_of(text, as_of, today)
        if day.basis == "today" and (unread := unread_date(text)):
            remarks = (*remarks, Note("other calendar", date=unread))
        return Report(name, day, tuple(_Document(self, text, day, law).check()), tuple(remarks))


def day_of(text: str, as_of: date | None = None, today: date | None = None) -> Day:
    """The day that counts for a text as a whole, and who says so."""
    if as_of:
        return Day(as_of, "as of")
    if dated := document_day(text):
        return Day(dated.day, "document", dated.text)
    return Day(today or this_day(), "today")


def unheard_of(report: Report, names: Names) -> tuple[str, ...]:
    """By what names a document cites laws of which nothing at hand knows: `Names.heard_of`."""
    cited = (
        checked.named or ""
        for checked in report.citations
        if checked.problem == "law not in the library" and not checked.inside
    )
    return tuple(dict.fromkeys(name for name in cited if not names.heard_of(name)))


# Half a character, which no library holds: "\ud83d"; not "😀"
_HALVES: Final = re.compile("[\ud800-\udfff]")


class _Document:
    def __init__(self, checker: Checker, text: str, day: Day, law: LawEntry | None) -> None:
        self.checker = checker
        self.text = text
        self.day = day
        self.law = law
        self.lines = [end.start() for end in re.finditer("\n", text)]
        self.finder = Finder(checker.indexes)
        self.then = then_applies(text)
        self.stands: dict[tuple[str, VersionHint | None, str], Standing] = {}

    def check(self) -> list[Checked]:
        citations = find_citations(self.text, known_names=self.checker.names.knows)
        drafts = [self._draft(citation) for citation in citations]
        self._quotations(drafts)
        self._tellings(drafts)
        self._subjects(drafts)
        return [self._finding(draft, drafts) for draft in drafts]

    def _draft(self, citation: Citation) -> _Draft:
        draft = _Draft(citation, self._law(citation), self.day)
        law = draft.resolved.law
        if law is None and citation.law and not (self.then or is_former(citation.version)):
            draft.struck = self.checker.names.repealed(citation.law, self.day.day)
        if law is None or citation.position.article is None:
            return draft
        draft.stand = self._standing(law, citation)
        draft.place = self._place(draft, law, draft.stand)
        if draft.place.exists == "yes" and draft.place.known:
            draft.called = self._judge_caption(citation, law, draft.stand, draft.place)
        return draft

    def _said_in_english(self, citation: Citation, place: Place) -> Called | None:
        """Quantities in the English sentence of a citation that the provision does not have."""
        start = max(self.text.rfind(stop, 0, citation.start) for stop in (". ", "; ", "\n")) + 1
        ends = [self.text.find(stop, citation.end) for stop in (". ", "; ", "\n")]
        end = min((end for end in ends if end >= 0), default=len(self.text))
        law = "\n".join(passage.text for passage in place.passages)
        said = english_quantities(self.text[start : citation.start] + self.text[citation.end : end])
        numbers = [quantity.shown for quantity in strange(said, quantities(law))]
        note = Note("lacks numbers", numbers=", ".join(numbers))
        return Called("unclear", "told unlike the provision", note) if numbers else None

    def _judge_caption(
        self, citation: Citation, law: LawEntry, stand: Standing, place: Place
    ) -> Called | None:
        """What is the matter with what the article is called beside its number."""
        if citation.english:
            return self._said_in_english(citation, place)
        caption, apart = crime_before(self.text, citation.start), False
        if citation.caption:
            start, end, alone = citation.caption
            caption, apart = self.text[start:end], alone or self.text[start - 1] in "【[［（("
        if not caption:
            return None
        tellings = self.checker.tellings if apart else None
        return judge_caption(law, caption, place.passages, stand.day.day, tellings)

    def _standing(self, law: LawEntry, citation: Citation) -> Standing:
        library, hint, then = self.checker.library, citation.version, self.then
        if (then and not hint) or is_then(hint):
            passage = self.text[max(0, citation.start - _REACH) : citation.start]
            passage = passage.rpartition("\n")[2]
            if facts_are_later(library, law, self.day.day, passage):
                hint, then = None, ""
        key = law.name, hint, then
        if key not in self.stands:
            stand = standing(library, law, self.day, hint, then=then)
            if stand.promulgated is None and stand.in_force == "unknown":
                made = self.checker.places.amendments.version_on(law, stand.day.day)
                stand = stand._replace(promulgated=made)
            parents = tuple(repealed_parents(library, law, stand.day.day))
            self.stands[key] = stand._replace(notes=(*stand.notes, *parents))
        return self.stands[key]

    def _place(self, draft: _Draft, law: LawEntry, stand: Standing) -> Place:
        places, citation = self.checker.places, draft.citation
        place = places.find(law, citation, stand)
        if citation.english and self._counts_items(citation, place):
            item = Position(*citation.position[:2], None, citation.position.paragraph)
            draft.citation = replace(citation, position=item)
            place = places.find(law, draft.citation, stand)
        if place.exists == "no" and is_then(citation.version):
            # the day of the facts may be that of another version
            elsewhere = places.having(law, citation.position, stand.version)
            place.exists = "unknown" if elsewhere else "no"
        return place

    def _counts_items(self, citation: Citation, place: Place) -> bool:
        """Article 39(2) is an item where the article has items in one paragraph."""
        position = citation.position
        units = [unit.position for passage in place.passages for unit in passage.units]
        bracketed = "(" in self.text[citation.start : citation.end]
        if not bracketed or not position.paragraph or position.item:
            return False
        return any(unit.item for unit in units) and all((u.paragraph or 1) == 1 for u in units)

    def _law(self, citation: Citation) -> Resolved:
        checker, quote = self.checker, citation.quoted
        if citation.law:
            return checker.names.resolve(citation.law, self.day.day)
        if citation.kind == "document" or citation.position.article is None:
            return Resolved(None, "none")
        if self.law:
            return Resolved(self.law, "default")
        if quote and (law := whose_words(self.finder, self.text, quote, citation.position)):
            return Resolved(law, "words")
        return Resolved(None, "none")

    def _quotations(self, drafts: Sequence[_Draft]) -> None:
        """Judge each quotation once, for all citations that it belongs to."""
        groups: dict[Quote, list[_Draft]] = {}
        for draft in drafts:
            if draft.citation.quoted and draft.citation.kind != "document":
                groups.setdefault(draft.citation.quoted, []).append(draft)
        for quote, group in groups.items():
            places = [draft.place for draft in group if draft.place]
            cited = Cited(
                group[0].resolved.law,
                tuple(position for draft in group for position in draft.citation.expand()),
                tuple(passage for place in places for passage in place.passages),
                known=bool(places) and all(place.known for place in places),
                version=group[0].stand.promulgated if group[0].stand else None,
            )
            judged = judge(self.finder, self.text, quote, cited)
            for draft in group:
                draft.quotation = judged

    def _tellings(self, drafts: Sequence[_Draft]) -> None:
        """Compare what is told last after a list of citations with all that it cites till then."""
        lists: list[list[_Draft]] = []
        for draft in drafts:
            if lists and self._is_next(lists[-1][-1], draft):
                lists[-1].append(draft)
            else:
                lists.append([draft])
        for members in lists:
            known = list(takewhile(lambda one: one.place is None or one.place.passages, members))
            while known and known[-1].citation.paraphrase is None:
                known.pop()
            if not known or (paraphrase := known[-1].citation.paraphrase) is None:
                continue
            cited = [passage for one in known if one.place for passage in one.place.passages]
            positions = [place for one in known for place in one.citation.expand()]
            telling = self.checker.tellings.judge(self.text, paraphrase, cited, positions)
            for member in known:
                member.telling = telling
        for before, members, after in zip([[], *lists], lists, [*lists[1:], []], strict=False):
            self._around(members, [*before[-1:], *after[:1]])

    def _around(self, members: Sequence[_Draft], beside: Sequence[_Draft]) -> None:
        """Compare a sentence that tells nothing outright with the one list that it cites."""
        first, last = members[0].citation, members[-1].citation
        told = any(
            one.telling or one.quotation or one.citation.within is not None for one in members
        )
        if told or first.kind == "document" or first.english:
            return
        start, end = sentence_of(self.text, first.start, last.end)
        if any(start <= one.citation.start < end for one in beside):
            return
        around = words_around(self.text, first.start, last.end, (start, end))
        cited = [passage for one in members if one.place for passage in one.place.passages]
        if around is None or not cited:
            return
        positions = [place for one in members for place in one.citation.expand()]
        telling = self.checker.tellings.judge_around(self.text, around, cited, positions)
        for member in members:
            member.telling = telling

    def _subjects(self, drafts: Sequence[_Draft]) -> None:
        """Doubt citations in sentences that are about another article of their law."""
        breaks = [0, *(end.end() for end in _SENTENCE.finditer(self.text)), len(self.text)]
        sentences: dict[int, list[_Draft]] = {}
        for draft in drafts:
            if draft.citation.within is None:
                number = bisect_right(breaks, draft.citation.start)
                sentences.setdefault(number, []).append(draft)
        for number, cited in sentences.items():
            end = breaks[min(number, len(breaks) - 1)]
            if len(cited) == 1:
                self._crimes(self.text[breaks[number - 1] : end], cited[0])
            places = [draft.place for draft in cited if draft.place and draft.place.known]
            known = {id(passage): passage for place in places for passage in place.passages}
            passages = list(known.values())
            words = self._words(breaks[number - 1], end, cited) if len(places) == len(cited) else []
            if not words:
                continue
            is_told = any(draft.telling for draft in cited)
            law = "\n".join(passage.text for passage in passages)
            doubtful = [] if is_told else doubts("".join(words), law)
            elsewhere = cache(partial(self.checker.tellings.elsewhere, words, passages))
            for draft in cited:
                own = draft.place.passages if draft.place else ()
                if own and not (draft.citation.quoted or draft.citation.caption):
                    draft.elsewhere = elsewhere(own[-1].version)
                draft.doubts = doubtful

    def _crimes(self, sentence: str, draft: _Draft) -> None:
        """Doubt an article with crimes that is cited alone for another crime."""
        law, stand, place = draft.resolved.law, draft.stand, draft.place
        if law and stand and place and place.known and not draft.called:
            called = judge_sentence(law, simplified(sentence), place.passages, stand.day.day)
            draft.called = called and called._replace(status="unclear")

    def _words(self, start: int, end: int, cited: Sequence[_Draft]) -> list[str]:
        """What a sentence says beside its citations; nothing where that is a story."""
        spans = [(draft.citation.start, draft.citation.end) for draft in cited]
        words = []
        for first, last in (*spans, (end, end)):
            words.append(_DATE.sub("|", simplified(self.text[start:first])))
            start = max(start, last)
        said = "".join(words)
        return words if len(said) <= _LONGEST_SUBJECT and not _STORY.search(said) else []

    def _is_next(self, before: _Draft, draft: _Draft) -> bool:
        """Whether two citations stand in one list, of which something is told at its end."""
        between = self.text[before.citation.end : draft.citation.start]
        return draft.citation.within is None and _LINK.fullmatch(between) is not None

    def _finding(self, draft: _Draft, drafts: Sequence[_Draft]) -> Checked:
        citation, stand, place = draft.citation, draft.stand, draft.place
        law = draft.resolved.law
        status, problem = _outcome(draft, drafts)
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
            telling=draft.telling,
            content=None if citation.kind == "document" else _content(draft),
            inside=_is_inside(draft, drafts),
            notes=tuple(_notes(draft, self.checker.passages)),
        )


def _position(citation: Citation) -> str:
    if not any(citation.position):
        return ""
    first = format_position(citation.position)
    return f"{first}至{format_position(citation.until)}" if citation.until else first


_NAMED: Final = 4
_REACH: Final = 200
"""So far before a citation, in its line, dates are those of the facts that it is applied to."""
# "。", "；", the end of a line
_SENTENCE: Final = re.compile(r"[。！？!?；;\n]")
# "2021年5月", which an article on its coming into force has too
_DATE: Final = re.compile(r"[0-9]{4}年(?:[0-9]{1,2}月)?(?:[0-9]{1,2}日)?")
_LONGEST_SUBJECT: Final = 90
# "判决如下": what follows is of a case
_STORY: Final = re.compile("如下[：:]|被告人|本院认为|经审理")
# Between citations of one list: "、", "，", "和"
_LINK: Final = re.compile(r"\s*(?:[、,，]|和|及|与|或者?|以及)?\s*")

_LOOSE: Final = frozenset({"phrase", "colon"})
"""Marks that need not mean a quotation: 第三条规定的“罪行”, 第三条规定：……"""

_QUOTED: Final[dict[Verdict, tuple[Status, Problem]]] = {
    "other provision": ("wrong", "quoted from another provision"),
    "other version": ("wrong", "quoted from another version"),
    "not in the law": ("wrong", "quoted words not in the law"),
    "wording": ("wording", "wording differs"),
}


@dataclass(slots=True)
class _Draft:
    citation: Citation
    resolved: Resolved
    day: Day
    stand: Standing | None = None
    place: Place | None = None
    quotation: Quotation | None = None
    telling: Telling | None = None
    struck: Repeal | None = None  # of a law that the library lacks
    called: Called | None = None  # what is the matter with its caption
    elsewhere: Source | None = None  # the article that its sentence is about
    doubts: Sequence[str] = ()  # words of its sentence that may say something else

    @property
    def in_force(self) -> YesNo | None:
        """Whether the position was law on the day; amending acts may tell where no text does."""
        if self.stand is None or self.place is None:
            return None
        carried = self.place.carried and self.place.exists != "unknown"
        by_acts = carried and self.stand.in_force == "unknown"
        return self.place.exists if by_acts else self.stand.in_force


def _outcome(draft: _Draft, drafts: Sequence[_Draft]) -> tuple[Status, Problem]:
    """What to think of a citation, and the first thing that is the matter with it."""
    citation = draft.citation
    if citation.kind == "document":
        return "paper", "not a law"
    if citation.within is not None and _is_inside(draft, drafts):
        owner = drafts[citation.within].quotation  # the words are the law's, or not
        return ("right" if owner and owner.verdict in {"exact", "wording"} else "unclear"), ""
    return (
        _of_the_law(draft)
        or _of_the_words(draft)
        or _of_the_telling(draft)
        or (draft.called and draft.called[:2])
        or (("unclear", "cited for what another article says") if draft.elsewhere else None)
        or (("unclear", "told unlike the provision") if draft.doubts else None)
        or _of_the_library(draft)
        or (("exists", "") if _content(draft) == "not decided" else ("right", ""))
    )


def _content(draft: _Draft) -> Mark | None:
    quotation, telling = draft.quotation, draft.telling
    if quotation and quotation.verdict != "unknown":
        return "verbatim" if quotation.verdict == "exact" else "differs"
    if telling is None or not (draft.place and draft.place.known):
        return None
    return "differs" if telling.verdict == "unlike" else telling.content.mark


def _is_inside(draft: _Draft, drafts: Sequence[_Draft]) -> bool:
    """Whether a citation stands in words of a law: not if it names one in a clause of nobody's."""
    citation = draft.citation
    if citation.within is None:
        return False
    owner = drafts[citation.within]
    clause = owner.citation.law is None and owner.resolved.law is None
    return not (clause and citation.basis == "named" and citation.law)


def _of_the_law(draft: _Draft) -> tuple[Status, Problem] | None:
    if draft.resolved.how == "several":
        return "unclear", "name of several laws"
    if draft.struck:
        return _not_in_force(draft.day)
    if draft.place is None or draft.stand is None:
        named = draft.citation.law is not None and draft.resolved.law is None
        return ("unknown", "law not in the library") if named else ("unclear", "no law named")
    if draft.stand.problem == "not in force" or draft.place.struck:
        return _not_in_force(draft.stand.day)
    if draft.stand.problem:
        return "wrong", draft.stand.problem
    return ("wrong", "no such position") if draft.place.exists == "no" else None


def _not_in_force(day: Day) -> tuple[Status, Problem]:
    """Wrong, unless nobody says when the document was written: then it may have been right."""
    return ("unclear" if day.basis == "today" else "wrong"), "not in force"


def _of_the_words(draft: _Draft) -> tuple[Status, Problem] | None:
    quotation = draft.quotation
    if quotation is None or quotation.verdict not in _QUOTED:
        return None
    status, problem = _QUOTED[quotation.verdict]
    own = quotation.verdict == "not in the law" and quotation.mark in _LOOSE
    if own and draft.telling and draft.telling.verdict == "unlike":
        return None  # no quotation, but told
    if quotation.proviso:
        problem = "proviso left out"
    elif quotation.verdict == "wording" and any(one.material for one in quotation.differences):
        return ("wrong" if quotation.mark != "colon" else "unclear"), "wording makes another rule"
    short = quotation.mark == "phrase" and quotation.end - quotation.start < QUOTED_RUN
    # perhaps the writer's own words, or such as any law has
    return ("unclear" if status == "wrong" and (own or short) else status), problem


def _of_the_telling(draft: _Draft) -> tuple[Status, Problem] | None:
    telling = draft.telling
    if telling is None or telling.verdict == "like" or not (draft.place and draft.place.known):
        return None
    if telling.verdict == "unsure":
        return "unclear", "told unlike the provision"
    near, version = telling.nearest, draft.stand.promulgated if draft.stand else None
    if near and near.version != version:
        articles = (Position(*position[:2]) for position in draft.citation.expand())
        if near.position in map(format_position, articles):
            return "unlike", "told as in another version"
    return "unlike", "proviso left out" if telling.proviso else "told unlike the provision"


def _of_the_library(draft: _Draft) -> tuple[Status, Problem] | None:
    if draft.in_force == "unknown" or (draft.place and draft.place.exists == "unknown"):
        return "unknown", "version not in the library"
    if draft.quotation and draft.quotation.verdict == "unknown":
        return "unknown", "text not in the library"
    return None


def _notes(draft: _Draft, passages: Passages) -> Iterator[str]:
    yield from _about_the_law(draft)
    if draft.struck:
        yield draft.struck.note
    if draft.day.basis == "today" and _of_the_law(draft) == _not_in_force(draft.day):
        yield Note("undated")
    if draft.stand and draft.place:
        if not draft.place.carried:
            yield from draft.stand.notes
        yield from draft.place.notes
        yield from _about_later(draft, draft.stand, draft.place, passages)
    if draft.quotation:
        yield from draft.quotation.notes
    if draft.called:
        yield draft.called.note
    if draft.elsewhere:
        near = draft.elsewhere
        yield Note("sentence of another", position=near.position, day=near.version)
    if draft.citation.english and draft.place:
        yield Note("English not compared")


def _about_the_law(draft: _Draft) -> Iterator[Note]:
    resolved, citation = draft.resolved, draft.citation
    laws = resolved.candidates[:_NAMED]
    if resolved.law:
        if resolved.how == "near":
            yield Note("read as another name", law=resolved.law.name)
        elif resolved.how == "day":
            yield Note("one of several by its day", laws=laws)
        elif resolved.how == "words":
            yield Note("law by its words")
    elif resolved.how == "several":
        yield Note("one of several", laws=laws)
    elif citation.law:
        yield Note("no such law but others", laws=laws) if laws else Note("no such law")
    elif citation.basis == "relative" and citation.within is None:
        yield Note("counted from its place")
    elif citation.kind != "document" and citation.within is None:
        yield Note("no law")


def _about_later(
    draft: _Draft, stand: Standing, place: Place, passages: Passages
) -> Iterator[Note]:
    """A version that had been promulgated but was not yet in force, if it reads otherwise."""
    if stand.later is None:
        return
    later = passages.article(stand.later, draft.citation.position)
    if "".join(passage.letters for passage in place.passages) != (later.letters if later else ""):
        yield Note("later version differs", day=stand.later.promulgated)
