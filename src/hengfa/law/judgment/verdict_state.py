"""Where one stands while a result is read: whom the words are for, and whose words they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from hengfa.law.judgment.charges import Charges
from hengfa.law.judgment.defendants import MOST_NAMES, Group, by_first_letter
from hengfa.law.judgment.document import Remark, RemarkCode
from hengfa.law.judgment.drafts import Draft, Person
from hengfa.law.judgment.plain import Plain

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
                _drop_empty(kept, name)
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
            if any(one.charge in names and not one.is_empty for one in person.verdicts[-_RECENT:]):
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
        found = []
        for name in names:
            key = self.keys.get(name, name)
            if key not in self.people:
                if len(self.people) >= MOST_NAMES:
                    continue
                self.people[key] = Person(name, group.unit or self.introduced.get(name, False))
            found.append(self.people[key])
        return found

    def drafts(self, found: re.Match[str], *, alone: bool = False) -> list[Draft]:
        """The sentences that these words belong to, one for each person they are for."""
        if self.phase == "void":
            return []
        if self.pending is not None and self.phase == "own":
            charges, start = self.pending
            self.pending = None
            self.open_sentences(charges, start, found.end())
        drafts = [self._draft(person, found, alone=alone) for person in self.people_meant()]
        for draft in drafts:
            draft.end = max(draft.end, found.end())
        return drafts

    def _draft(self, person: Person, found: re.Match[str], *, alone: bool) -> Draft:
        if self.phase == "executed":
            person.executed = person.executed or Draft(found.start(), found.end())
            return person.executed
        kept = {"earlier": person.earlier, "upheld": person.upheld}.get(self.phase, person.verdicts)
        if not kept or (alone and not kept[-1].is_empty):
            direct = self.group.end == found.start() and self.group.names
            kept.append(Draft(self.group.start if direct else found.start(), found.end()))
        return kept[-1]

    def remark(self, code: RemarkCode, words: str) -> None:
        remark = Remark(code, words)
        if len(self.remarks) < MOST_REMARKS and remark not in self.remarks:
            self.remarks.append(remark)


def _drop_empty(drafts: list[Draft], charge: str) -> None:
    """A charge that was only announced, now that its own sentence follows."""
    for place in range(len(drafts) - 1, max(-1, len(drafts) - 1 - _RECENT), -1):
        if drafts[place].charge == charge and drafts[place].is_empty:
            del drafts[place]
            return
