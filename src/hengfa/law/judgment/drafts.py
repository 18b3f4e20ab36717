"""Sentences while they are being read, and what becomes of them at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from hengfa.law.judgment.document import (
    Confiscation,
    Defendant,
    PenaltyKind,
    Remark,
    Sentence,
    Term,
)
from hengfa.law.numerals import Number


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

    @property
    def is_empty(self) -> bool:
        return self.kind is None and not self._accessory

    @property
    def _accessory(self) -> bool:
        return (
            self.fine is not None
            or self.confiscation is not None
            or self.political is not None
            or self.political_for_life
            or self.expelled
        )

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
        self.expelled = self.expelled or other.expelled

    def sentence(self, span: Callable[[int, int], tuple[int, int]]) -> Sentence:
        start, end = span(self.start, self.end)
        return Sentence(
            kind=self.kind or ("附加刑" if self._accessory else None),
            charge=self.charge,
            written=self.written,
            months=self.term.months if self.term else None,
            days=self.term.days if self.term else 0,
            probation=self.probation.months if self.probation else None,
            fine=self.fine,
            fine_joint=self.fine_joint,
            confiscation=self.confiscation,
            confiscated=self.confiscated,
            political=self.political.months if self.political else None,
            political_for_life=self.political_for_life,
            expelled=self.expelled,
            start=start,
            end=end,
        )


@dataclass(slots=True)
class Person:
    """A defendant while the result is being read."""

    name: str
    unit: bool = False
    verdicts: list[Draft] = field(default_factory=list)
    upheld: list[Draft] = field(default_factory=list)
    earlier: list[Draft] = field(default_factory=list)
    executed: Draft | None = None
    revoked: bool = False
    order: int = 0
    """The order in which a sentence was last opened: 1 for 一、."""

    @property
    def is_sentenced(self) -> bool:
        return bool(self.verdicts or self.upheld or self.executed)

    def finished(
        self, span: Callable[[int, int], tuple[int, int]]
    ) -> tuple[Defendant, list[Remark]]:
        self._merge_upheld()
        verdicts = _without_repetitions([one.sentence(span) for one in self.verdicts])
        executed = self.executed
        combined = executed.sentence(span) if executed and not executed.is_empty else None
        defendant = Defendant(
            name=self.name,
            unit=self.unit,
            verdicts=tuple(verdicts),
            executed=combined,
            earlier=tuple(one.sentence(span) for one in self.earlier if not one.is_empty),
            revoked=self.revoked,
        )
        return defendant, list(self._remarks(defendant))

    def _merge_upheld(self) -> None:
        for old in self.upheld:
            same = [one for one in self.verdicts if one.charge == old.charge]
            if same:
                same[0].take(old)
            elif not old.is_empty:
                self.verdicts.append(old)

    def _remarks(self, defendant: Defendant) -> Iterator[Remark]:
        who = self.name or "a defendant without a name"
        if not self.name:
            yield Remark("unnamed", "a sentence does not say whom it is for")
        if defendant.executed is None:
            for one in defendant.verdicts:
                if one.kind is None:
                    crime = one.charge or "a crime"
                    yield Remark("no sentence", f"{who}: no sentence can be read for {crime}")
            several = [one for one in defendant.verdicts if one.months is not None]
            if len(several) > 1:
                words = f"{who}: {len(several)} terms and no combined one (决定执行)"
                yield Remark("not combined", words)
        if any(one.charge is None and one.is_conviction for one in defendant.verdicts):
            yield Remark("no charge", f"{who}: a sentence does not say for which crime")


def _without_repetitions(sentences: Sequence[Sentence]) -> list[Sentence]:
    """A sentence that is pronounced twice, word for word, is one."""
    seen: dict[tuple[object, ...], Sentence] = {}
    for one in sentences:
        seen.setdefault((one.charge, one.kind, one.months, one.days, one.fine), one)
    return list(seen.values())
