"""How an article read on a day whose version is not at hand, as far as amending acts tell.

Of the 刑法 the library has the texts of 2009, 2020 and 2023, and the acts since 1997. From an older
text the acts are done one after another, from a younger one they are undone. Where both ways lead
to words they must be the same. This is no guess at the nearest text: where an act is missing, or
does what is not understood, what it may have changed stays unknown. What comes out is called
*derived* wherever it is shown.

:func:`compare` derives the versions that are at hand, to see whether the words come out as they
stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby, pairwise
from typing import Final, Literal, TypeAlias

import msgspec

from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.law_names import normalise_name
from hengfa.law.grammar.numerals import format_number
from hengfa.law.library.amending import AMENDED, SURE, Act, Paragraph, Words, pieces_of, read_act
from hengfa.law.library.matching import QUOTED, Cache, Passage, Passages, normalise, passage_of
from hengfa.law.library.model import SETTLED, LawEntry, Occasion, Provision, Version
from hengfa.law.library.store import lies_in
from hengfa.law.library.words import Note

# Outside new texts, what an amending decision says: "刑法第一百九十条修改为"; not "依照刑法第一条"
_AMENDS: Final = "[^。；“”\\n]{0,30}(?:修改为|增加[一二两三]|删去)"
# "《土地管理法》第五条": a law that a decision names, outside the words that it quotes
_NAMED: Final = re.compile(r"“[^”]*|[《〈](?P<name>[^《》〈〉]{2,100})[》〉]")
_MOST_NAMED: Final = 3
_KEPT: Final = 4096
Way: TypeAlias = Literal["forward", "backward"]


@dataclass(frozen=True, slots=True)
class Carried:
    """The words of an article on a day, taken from a text of another day.

    ``passage`` has the words, but for ``other_paragraphs``, which are not known; None where it is
    only known that the article was there (``exists``) or was not. ``reason`` is for people.
    """

    exists: bool
    passage: Passage | None
    reason: Note
    other_paragraphs: frozenset[int] = frozenset()

    def text(self, position: Position) -> str | None:
        """The words at a position as they stand in a law; None where some are not known."""
        units = self.passage.units if self.passage else ()
        asked = [unit for unit in units if lies_in(unit.position, position)]
        if not asked or not all(unit.text for unit in asked):
            return None
        items = [unit.position.item if position.item is None else None for unit in asked]
        labels = [f"（{format_number(item)}）" if item else "" for item in items]
        return "\n".join(label + unit.text for label, unit in zip(labels, asked, strict=True))


@dataclass(frozen=True, slots=True)
class _State:
    """An article as one way leads to it, from which version, and through which acts.

    ``words`` is None where they are not known, () where there is no such article; ``exists`` says
    whether it was there. ``version`` is None where the first act gives all words.
    """

    words: Words | None
    exists: bool
    version: Version | None
    passed: tuple[Act, ...]  # acts on the way that leave the article alone
    touched: tuple[Act, ...]

    @property
    def is_untouched(self) -> bool:
        """Whether the words are those of the version, all of them."""
        return self.version is not None and not self.touched

    @property
    def origin(self) -> Note:
        """Where the words come from, for people."""
        if self.version is None:
            return Note("words of acts", acts=_names_of(self.touched[:1]))
        return Note("version", day=self.version.promulgated)


class Amendments:
    """The amending acts in a library, read when a law is asked for."""

    def __init__(self, passages: Passages) -> None:
        self.passages = passages
        self.library = passages.library
        self._acts: dict[str, dict[date, Act]] = {}
        self._occasions: dict[str, list[Occasion]] = {}
        self._left: Cache[tuple[str, Position, int], Carried | None] = Cache(_KEPT)
        self._states: Cache[tuple[str, date], list[bool | None]] = Cache(_KEPT)

    def acts(self, law: LawEntry) -> dict[date, Act]:
        """The acts that amend a law, by the day on which they were promulgated."""
        if law.name not in self._acts:
            acts: dict[date, Act] = {}
            for act in self._read_acts(law):
                before = acts.get(act.promulgated)
                acts[act.promulgated] = before.with_other(act) if before else act
            for occasion in self.library.occasions(law):
                if occasion.scope:
                    day = occasion.promulgated
                    title = Note("amendment of a day", day=day)  # no text of the act is at hand
                    act = acts.get(day) or Act((title,), day, occasion.effective)
                    acts[day] = act.only(occasion.scope)
            self._acts[law.name] = acts
        return self._acts[law.name]

    def _read_acts(self, law: LawEntry) -> Iterator[Act]:
        """Acts that bear the law's name, and decisions of a day on which it was amended."""
        missing = {o.promulgated for o in self.library.occasions(law) if o.version is None}
        own = normalise_name(law.name)
        amends = re.compile(re.escape(law.short) + _AMENDS)
        for other in self.library.laws("amendment", "decision"):
            title = AMENDED.search(other.name)
            named = normalise_name(other.name).startswith(f"{own}修正案") or (
                title is not None and normalise_name(title["name"]) == own
            )
            for version in self.library.versions(other):
                if version.form == "articles" or not (named or version.promulgated in missing):
                    continue
                body = "\n".join(p.text for p in self.library.parts(version) if p.part == "body")
                if named and body:
                    yield read_act(other.name, law.name, version, body)
                elif other.kind == "decision" and amends.search(body):
                    names = [found["name"] for found in _NAMED.finditer(body) if found["name"]]
                    several = any(normalise_name(name) != own for name in names)
                    act = read_act(other.name, law.name, version, body)
                    yield act.unread() if several else act

    def new_texts(self, law: LawEntry) -> Iterator[Passage]:
        """The words that acts gave to articles and paragraphs, some of them never at hand else."""
        for act in self.acts(law).values():
            yield from act.new.values()

    def version_on(self, law: LawEntry, on: date) -> date | None:
        """When the version in force on a day was promulgated, if acts make that certain."""
        since = self._in_force(law, on)
        if None in since:
            return None
        occasions = zip(self.occasions(law), since, strict=True)
        return max((o.promulgated for o, state in occasions if state), default=None)

    def carried(self, law: LawEntry, position: Position, on: date) -> Carried | None:
        """How an article read on a day, or None where that cannot be known.

        Of an act nobody knows of whether it was in force yet, all is well if it changes nothing.
        """
        occasions = self.occasions(law)
        since = self._in_force(law, on)
        sure = max((n for n, state in enumerate(since) if state is True), default=None)
        if sure is None or False in since[:sure]:
            return None  # what came later was in force before
        article = Position(*position[:2])
        answers = [
            self._at(law, article, occasions, n)
            for n, state in enumerate(since)
            if n >= sure and state is not False
        ]
        wordings = {
            (answer.exists, answer.other_paragraphs, answer.passage and answer.passage.letters)
            for answer in answers
            if answer
        }
        return answers[0] if None not in answers and len(wordings) == 1 else None

    def after(self, law: LawEntry, position: Position, promulgated: date) -> Carried | None:
        """How an article read in the version that was promulgated on a day."""
        occasions = self.occasions(law)
        for number, occasion in enumerate(occasions):
            if occasion.promulgated == promulgated:
                return self._at(law, Position(*position[:2]), occasions, number)
        return None

    def occasions(self, law: LawEntry) -> list[Occasion]:
        """All that made a text, oldest first, acts that the calendar does not know included."""
        if law.name not in self._occasions:
            known = self.library.occasions(law)
            days = {occasion.promulgated for occasion in known}
            more = [
                Occasion(law.name, day, "amended", None, "unknown", None)
                for day in self.acts(law)
                if day not in days
            ]
            both = sorted([*known, *more], key=lambda occasion: occasion.promulgated)
            self._occasions[law.name] = both
        return self._occasions[law.name]

    def _in_force(self, law: LawEntry, on: date) -> list[bool | None]:
        """Of each occasion whether what was promulgated then was in force on a day."""
        occasions = self.occasions(law)
        key = law.name, on
        return self._states.get(key, lambda: [self._since(law, o, on) for o in occasions])

    def _since(self, law: LawEntry, occasion: Occasion, on: date) -> bool | None:
        """Whether what was promulgated then was in force on a day; None where nobody says so."""
        if occasion.promulgated > on:
            return False
        act = self.acts(law).get(occasion.promulgated)
        stated = act.effective if act else None
        effective = occasion.effective if occasion.sure in SURE else stated
        if effective is None:
            return True if on >= occasion.promulgated + SETTLED else None
        return effective <= on

    def _at(
        self, law: LawEntry, article: Position, occasions: Sequence[Occasion], number: int
    ) -> Carried | None:
        """An article as one occasion left it; those that were asked for last are kept."""
        key = law.name, article, number
        return self._left.get(key, lambda: self._find(law, article, occasions, number))

    def _find(
        self, law: LawEntry, article: Position, occasions: Sequence[Occasion], number: int
    ) -> Carried | None:
        later = self._state(law, article, occasions, number, "backward")
        if later and later.is_untouched:
            return self._as_in_version(article, later)
        earlier = self._state(law, article, occasions, number, "forward")
        if earlier and earlier.is_untouched and (earlier.words or later is None):
            return self._as_in_version(article, earlier)
        return self._derive(article, occasions[number].promulgated, earlier, later)

    def _state(
        self, law: LawEntry, article: Position, occasions: Sequence[Occasion], number: int, way: Way
    ) -> _State | None:
        """From the nearest text on one side, through all acts between; None without them."""
        step = 1 if way == "backward" else -1
        acts = self.acts(law)
        between: list[Act] = []
        for n in range(number, len(occasions) if step > 0 else -1, step):
            act = acts.get(occasions[n].promulgated)
            if step > 0 and n > number:
                if act is None or not act.clear:
                    return None  # a revision, or an act that is not at hand
                between.append(act)
            if (at_hand := occasions[n].version) is not None:
                version = self.library.shelf.version_of[at_hand]
                return self.through(article, version, between, way)
            if step < 0:
                if act is None or not act.clear:
                    return None
                between.append(act)
                if any(change.settles for change in act.changes.get(article, ())):
                    return self.through(article, None, between, way)
        return None

    def through(
        self, article: Position, version: Version | None, acts: Sequence[Act], way: Way
    ) -> _State:
        """From the text of a version, if any, through acts: the one next to it is the last."""
        words = words_of(self.library.article(version, article)) if version else None
        exists = bool(words)
        touched: list[Act] = []
        for act in reversed(acts):
            changes = act.changes.get(article, [])
            if changes:
                touched.append(act)
            for change in changes if way == "forward" else reversed(changes):
                words = change.done(words) if way == "forward" else change.undone(words)
                if words is not None:
                    exists = bool(words)
                elif way == "backward":
                    exists = True  # what an act amends was there before
        passed = tuple(act for act in acts if act not in touched)
        return _State(words, exists, version, passed, tuple(touched))

    def _as_in_version(self, article: Position, state: _State) -> Carried:
        """The words of a version that none of these acts has changed."""
        reason = _as_in(state.origin, sorted(state.passed, key=lambda act: act.promulgated))
        if state.version is None or not state.words:
            if deleting := self._deleting(article, state):
                reason = Note("deleted by", acts=_names_of([deleting]))
            return Carried(False, None, reason)
        return Carried(True, self.passages.article(state.version, article), reason)

    def _deleting(self, article: Position, state: _State) -> Act | None:
        """The act up to a version that deleted an article."""
        law = self.library.shelf.by_name[state.version.law] if state.version else None
        for day, act in sorted(self.acts(law).items(), reverse=True) if law else ():
            changes = act.changes.get(article, ())
            if state.version and day <= state.version.promulgated and changes:
                return act if changes[-1].kind == "delete" else None
        return None

    def _derive(
        self, article: Position, day: date, earlier: _State | None, later: _State | None
    ) -> Carried | None:
        """The words that acts lead to, from one side or from both."""
        states = [state for state in (earlier, later) if state]
        known = [state.words for state in states if state.words is not None]
        if not known and later and later.exists:
            acts = _names_of(later.touched[-1:])
            return Carried(True, None, Note("former words unknown", acts=acts))
        words = _unite(known)
        origin = earlier if earlier and earlier.words is not None else later
        if words is None or origin is None:
            return None
        if not words:
            return Carried(False, None, _why_not(earlier, later))
        last = origin.touched[-1]
        if origin is earlier and last.changes[article][-1].whole and None not in words:
            return Carried(True, last.new[article], Note("as acts have it", acts=_names_of([last])))
        given = origin.touched[0].new.get(article)
        base = origin.version or (given.version if given else None)
        if base is None:
            return None
        version = msgspec.structs.replace(base, promulgated=day)
        passage = passage_of(version, pieces_of(article, words), QUOTED)
        unknown = tuple(n for n, paragraph in enumerate(words, 1) if paragraph is None)
        acts = _names_of(origin.touched[origin.version is None :])
        how = Note("amended by" if origin is earlier else "before acts", acts=acts)
        reason = Note("derived", origin=origin.origin, how=how)
        if unknown:
            reason = Note("derived in part", origin=origin.origin, how=how, paragraphs=unknown)
        return Carried(True, passage, reason, frozenset(unknown))


class Comparison(msgspec.Struct, frozen=True):
    """A version at hand, derived from the one next to it, article by article.

    ``same`` have the same letters; ``partly`` as far as the words are known, which is not all;
    ``unknown`` could not be derived; ``differing`` read otherwise.
    """

    law: str
    derived: date
    out_of: date
    same: int
    partly: tuple[Position, ...]
    unknown: tuple[Position, ...]
    differing: tuple[Position, ...]


def compare(amendments: Amendments, law: LawEntry) -> Iterator[Comparison]:
    """Each version at hand from its neighbour, by doing or undoing the acts between them."""
    acts, library = amendments.acts(law), amendments.library
    occasions = amendments.occasions(law)
    at_hand = [n for n, occasion in enumerate(occasions) if occasion.version is not None]
    for first, last in pairwise(at_hand):
        between = [acts.get(occasion.promulgated) for occasion in occasions[first + 1 : last + 1]]
        clear = [act for act in between if act is not None and act.clear]
        if len(clear) < len(between):
            continue
        older, newer = (library.shelf.version_of[occasions[n].version or 0] for n in (first, last))
        yield _comparison(amendments, older, newer, clear[::-1], "forward")
        yield _comparison(amendments, newer, older, clear, "backward")


def _comparison(
    amendments: Amendments, out_of: Version, target: Version, acts: Sequence[Act], way: Way
) -> Comparison:
    library = amendments.library
    articles = dict.fromkeys(
        Position(*provision.position[:2])
        for version in (out_of, target)
        for provision in library.entries(version, role=None)
    )
    outcomes = {
        article: _outcome(
            amendments.through(article, out_of, acts, way).words,
            words_of(library.article(target, article)),
        )
        for article in articles
    }
    agreeing, *others = (
        tuple(article for article, outcome in outcomes.items() if outcome == wanted)
        for wanted in ("same", "partly", "unknown", "differs")
    )
    return Comparison(target.law, target.promulgated, out_of.promulgated, len(agreeing), *others)


def _outcome(derived: Words | None, stands: Words) -> str:
    if derived is None or (derived and not any(derived)):
        return "unknown"
    if len(derived) != len(stands):
        return "differs"
    known = [(a, b) for a, b in zip(derived, stands, strict=True) if a is not None]
    if not all(same((a,), (b,)) for a, b in known):
        return "differs"
    return "same" if len(known) == len(stands) else "partly"


def words_of(article: Sequence[Provision]) -> Words:
    """An article of a version at hand; () where only its number is left."""
    kept = [provision for provision in article if not provision.deleted]
    return tuple(
        tuple((provision.position.item, provision.text) for provision in provisions)
        for _, provisions in groupby(kept, key=lambda provision: provision.position.paragraph)
    )


def _unite(all_words: Sequence[Words]) -> Words | None:
    """What two ways lead to, paragraph by paragraph; None where they differ in number."""
    if not all_words:
        return None
    first, *others = all_words
    for other in others:
        if len(first) != len(other):
            return None
        first = tuple(_either(a, b) for a, b in zip(first, other, strict=True))
    return first


def _either(one: Paragraph | None, other: Paragraph | None) -> Paragraph | None:
    """The one that is known; None where both are, and differ."""
    if one is None or other is None:
        return one or other
    return one if same((one,), (other,)) else None


def same(one: Words, other: Words) -> bool:
    """Whether two wordings have the same letters."""
    letters, others = (
        [[(item, normalise(text, QUOTED)) for item, text in rows or ()] for rows in words]
        for words in (one, other)
    )
    return letters == others


def _why_not(earlier: _State | None, later: _State | None) -> Note:
    """Why there was no such article: not yet, or no longer."""
    if earlier and earlier.touched and earlier.words == ():
        return Note("deleted by", acts=_names_of(earlier.touched[-1:]))
    if later and later.touched:
        first = later.touched[-1]
        since = first.effective or first.promulgated
        return Note("added by", acts=_names_of([first]), day=since)
    return Note("not there then")


def _as_in(origin: Note, untouching: Sequence[Act]) -> Note:
    """As in a text, which acts have left alone since; many of them are not named one by one."""
    if not untouching:
        return Note("as in", origin=origin)
    number, acts = len(untouching), _names_of(untouching)
    if number > _MOST_NAMED:
        ends = _names_of(untouching[:1]), _names_of(untouching[-1:])
        acts = (Note("many acts", n=number, first=ends[0], last=ends[1]),)
    return Note("as in and not amended", origin=origin, acts=acts, n=number)


def _names_of(acts: Iterable[Act]) -> tuple[str, ...]:
    return tuple(name for act in acts for name in act.short_names)
