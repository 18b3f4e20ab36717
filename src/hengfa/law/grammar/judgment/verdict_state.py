"""Sentences while a result is being read: whom the words are for, and whose words they are.

`State` knows to which of the sentences read so far the next words belong; a `Draft` is a sentence
of which more may follow, a `Person` the defendant who has them, finished at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from hengfa.law.grammar.judgment.charges import Charges
from hengfa.law.grammar.judgment.defendants import MOST_NAMES, Group, by_first_letter
from hengfa.law.grammar.judgment.document import (
    Confiscation,
    Defendant,
    PenaltyKind,
    Remark,
    RemarkCode,
    Sentence,
    Term,
)
from hengfa.law.grammar.judgment.plain import Plain
from hengfa.law.grammar.numerals import Number

Span: TypeAlias = Callable[[int, int], tuple[int, int]]


@dataclass(slots=True)
class Draft:
    """A sentence of which more may follow. What is said first stands: later words repeat it."""

    start: int
    end: int
    written: str | None = None
    charge: str | None = None
    kind: PenaltyKind | None = None
    term: Term | None = None
    probation: Term | None = None
    fine: Number | None = None
    fine_joint: bool = False
    confiscation: Confiscation | None = None
    confiscated: Number | None = None
    political: Term | None = None
    political_for_life: bool = False
    expelled: bool = False
    commutation_limited: bool = False
    whole_life: bool = False
    barred: bool = False
    barred_term: Term | None = None
    injunction: bool = False
    community: bool = False

    @property
    def is_empty(self) -> bool:
        return self.kind is None and not self._accessory

    @property
    def _accessory(self) -> bool:
        given = (self.fine, self.confiscation, self.political)
        return given != (None, None, None) or self.political_for_life or self.expelled

    def take(self, other: Draft) -> None:
        """Fill what is open from another sentence for the same crime, which was upheld."""
        if self.kind is None:
            self.kind, self.term, self.probation = other.kind, other.term, other.probation
        if self.fine is None:
            self.fine, self.fine_joint = other.fine, other.fine_joint
        if self.confiscation is None:
            self.confiscation, self.confiscated = other.confiscation, other.confiscated
        if self.political is None and not self.political_for_life:
            self.political, self.political_for_life = other.political, other.political_for_life
        if not self.barred:
            self.barred, self.barred_term = other.barred, other.barred_term
        for name in _MARKS:
            setattr(self, name, getattr(self, name) or getattr(other, name))

    def sentence(self, span: Span) -> Sentence:
        start, end = span(self.start, self.end)
        return Sentence(
            kind=self.kind or ("附加刑" if self._accessory else None),
            months=self.term.months if self.term else None,
            days=self.term.days if self.term else 0,
            probation=self.probation.months if self.probation else None,
            political=self.political.months if self.political else None,
            barred_months=self.barred_term.months if self.barred_term else None,
            **{name: getattr(self, name) for name in _SAME},
            start=start,
            end=end,
        )


_MARKS: Final = ("expelled", "commutation_limited", "whole_life", "injunction", "community")
"""What a sentence has or has not, without a length."""
_FINES: Final = ("fine", "fine_joint", "confiscation", "confiscated")
_SAME: Final = ("charge", "written", *_FINES, "political_for_life", "barred", *_MARKS)
"""What a draft has as the sentence has it."""


@dataclass(slots=True)
class Person:
    name: str
    unit: bool = False
    verdicts: list[Draft] = field(default_factory=list)
    upheld: list[Draft] = field(default_factory=list)
    earlier: list[Draft] = field(default_factory=list)
    executed: Draft | None = None
    revoked: bool = False
    order: int = 0
    """The order in which a sentence was last opened: 1 for 一、."""

    def is_somebody(self, key: str) -> bool:
        """Whether this is a defendant. Who is only said once more to have committed a crime is no
        namesake; whoever has no name must have a sentence."""
        if self.name and key != self.name:
            return any(not draft.is_empty for draft in (*self.verdicts, *self.upheld))
        return bool(self.name or self.verdicts or self.upheld or self.executed)

    def finished(self, span: Span) -> tuple[Defendant, list[Remark]]:
        for old in self.upheld:
            same = [draft for draft in self.verdicts if draft.charge == old.charge]
            if same:
                same[0].take(old)
            elif not old.is_empty:
                self.verdicts.append(old)
        sentenced = {draft.charge for draft in self.verdicts if not draft.is_empty}
        verdicts: dict[tuple[object, ...], Sentence] = {}  # one that is pronounced twice is one
        for draft in self.verdicts:
            if not (draft.is_empty and draft.charge in sentenced):  # named once more, afterwards
                said = draft.sentence(span)
                key = (said.charge, said.kind, said.months, said.days, said.fine)
                verdicts.setdefault(key, said)
        executed = self.executed
        combined = executed.sentence(span) if executed and not executed.is_empty else None
        defendant = Defendant(
            name=self.name,
            unit=self.unit,
            verdicts=tuple(verdicts.values()),
            executed=combined,
            earlier=tuple(draft.sentence(span) for draft in self.earlier if not draft.is_empty),
            revoked=self.revoked,
        )
        return defendant, list(self._remarks(defendant))

    def _remarks(self, defendant: Defendant) -> Iterator[Remark]:
        who = self.name or "a defendant without a name"
        if not self.name:
            yield Remark("unnamed", "a sentence does not say whom it is for")
        if defendant.executed is None:
            for verdict in defendant.verdicts:
                if verdict.kind is None:
                    crime = verdict.charge or "a crime"
                    yield Remark("no sentence", f"{who}: no sentence can be read for {crime}")
            several = [verdict for verdict in defendant.verdicts if verdict.months is not None]
            if len(several) > 1:
                words = f"{who}: {len(several)} terms and no combined one (决定执行)"
                yield Remark("not combined", words)
        if self.earlier and not defendant.earlier and defendant.executed is not None:
            words = f"{who}: an earlier sentence is combined and cannot be read"
            yield Remark("unread term", words)
        if any(v.charge is None and v.is_conviction for v in defendant.verdicts):
            yield Remark("no charge", f"{who}: a sentence does not say for which crime")


Phase: TypeAlias = Literal["own", "earlier", "upheld", "executed", "void"]
"""Whose words these are: this court's for one charge, another judgment's, another judgment's that
stand, this court's combined sentence, and words that count for nothing."""

MOST_REMARKS: Final = 20
_RECENT: Final = 60
"""How many sentences back one looks for the same charge; nobody has more in one judgment."""
# A name that several people may share: "黄某某", "张×"; not "张三"
_MASKED: Final = re.compile("[某×＊*XxＸ]")


class State:
    """The sentences read so far, and to which of them the next words belong."""

    def __init__(
        self, document: Plain, introduced: dict[str, bool], charges: Charges | None
    ) -> None:
        self.document = document
        self.text = document.text
        self.introduced = introduced
        self.known = by_first_letter(introduced)
        self.charges = charges
        self.people: dict[str, Person] = {}
        self.remarks: list[Remark] = []
        self.understood: list[tuple[int, int]] = []  # words of which something was made
        self.group = Group((), False, 0, 0)
        self.phase: Phase = "own"
        self.pending: tuple[list[str], int] | None = None  # 以盗窃罪，判处被告人…: before the name
        self.shared: list[str] | None = None  # the charges of all who are named after 以…罪
        self.until = 0  # the end of what another judgment says
        self.clause = False  # whether the phase ends with its clause
        self.order = 0  # how many orders were read: 一、 二、
        self.keys: dict[str, str] = {}  # whom a name that two defendants share means now

    def open_sentences(self, charges: Sequence[str], start: int, end: int) -> None:
        """A sentence for each charge; of several charges at once, one combined sentence."""
        if self.phase == "own":
            self._tell_namesakes_apart(charges)
        for person in self.people_meant():
            kept = person.upheld if self.phase == "upheld" else person.verdicts
            for written in charges:
                name = self.listed_name(written)
                recent = range(len(kept) - 1, max(-1, len(kept) - 1 - _RECENT), -1)
                said = (at for at in recent if kept[at].charge == name and kept[at].is_empty)
                if (announced := next(said, None)) is not None:
                    del kept[announced]  # its own sentence follows now
                kept.append(Draft(start, end, written, name))
            person.order = self.order
            if len(charges) > 1 and self.phase == "own":
                person.executed = person.executed or Draft(start, end)
        if len(charges) > 1 and self.phase == "own":
            self.phase = "executed"

    def _tell_namesakes_apart(self, charges: Sequence[str]) -> None:
        """A masked name in a later order for the same crime is another person of that name."""
        names = {self.listed_name(written) for written in charges}
        for name in self.group.names:
            person = self.people.get(self.keys.get(name, name))
            if person is None or person.order == self.order or not _MASKED.search(name):
                continue
            recent = person.verdicts[-_RECENT:]
            if any(draft.charge in names and not draft.is_empty for draft in recent):
                self.keys[name] = f"{name} {self.order}"

    def listed_name(self, written: str) -> str:
        """The listed name; a name that the list does not have stays, with a remark."""
        if self.charges is None:
            return written
        name = self.charges.canonical(written)
        if name is None:
            self.remark("unknown charge", f"the list of charges has nothing like {written}")
        return name or written

    def people_meant(self, group: Group | None = None) -> list[Person]:
        """Whom the words are for; where nobody was named, the one defendant of the heading."""
        group = group or self.group
        names = group.names
        if not names:
            names = tuple(self.introduced) if len(self.introduced) == 1 else ("",)
        people = []
        for name in names:
            key = self.keys.get(name, name)
            if key not in self.people:
                if len(self.people) >= MOST_NAMES:
                    continue
                self.people[key] = Person(name, group.unit or self.introduced.get(name, False))
            people.append(self.people[key])
        return people

    def drafts(self, match: re.Match[str], *, alone: bool = False) -> list[Draft]:
        """The sentences that these words belong to, one for each person they are for."""
        if self.phase == "void":
            return []
        if self.pending is not None and self.phase == "own":
            charges, start = self.pending
            self.pending = None
            self.open_sentences(charges, start, match.end())
        drafts: list[Draft] = []
        for person in self.people_meant():
            if self.phase == "executed":
                draft = person.executed = person.executed or Draft(*match.span())
            else:
                others = {"earlier": person.earlier, "upheld": person.upheld}
                kept = others.get(self.phase, person.verdicts)
                if not kept or (alone and not kept[-1].is_empty):
                    direct = self.group.end == match.start() and self.group.names
                    kept.append(Draft(self.group.start if direct else match.start(), match.end()))
                draft = kept[-1]
            draft.end = max(draft.end, match.end())
            drafts.append(draft)
        return drafts

    def last_drafts(self, group: Group | None = None) -> list[Draft]:
        """The sentences that an order about their execution speaks of: the combined ones first."""
        if self.phase in {"void", "earlier"}:
            return []
        drafts = []
        for person in self.people_meant(group):
            kept = person.upheld if self.phase == "upheld" else person.verdicts
            if (draft := person.executed or (kept[-1] if kept else None)) is not None:
                drafts.append(draft)
        return drafts

    def remark(self, code: RemarkCode, words: str) -> None:
        remark = Remark(code, words)
        if len(self.remarks) < MOST_REMARKS and remark not in self.remarks:
            self.remarks.append(remark)
