"""What a first-instance criminal judgment says, as a person would mark it up.

The model of the corrected rules (judgment.md 8): every defendant has the sentences of
their own, a combined sentence stands apart from its parts, and a finding without a penalty is a
kind of its own. All spans are offsets into the text as it was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Final, Literal, TypeAlias, get_args

from msgspec import Struct

from hengfa.law.grammar.numerals import Number

SectionKind: TypeAlias = Literal["heading", "facts", "reasoning", "result", "appendix"]
SECTIONS: Final[tuple[SectionKind, ...]] = ("heading", "facts", "reasoning", "result", "appendix")

PenaltyKind: TypeAlias = Literal[
    "死刑",
    "死缓",
    "无期徒刑",
    "有期徒刑",
    "拘役",
    "管制",
    "附加刑",
    "免予刑事处罚",
    "不负刑事责任",
    "无罪",
]
"""From the severest to none. 死缓 is 死刑缓期二年执行; 附加刑 is a fine, a confiscation, a loss of
rights or an expulsion that stands alone (单处罚金)."""
PENALTIES: Final[tuple[PenaltyKind, ...]] = get_args(PenaltyKind)
"""The same, in the same order."""

Confiscation: TypeAlias = Literal["全部", "部分", "财产"]
"""没收个人全部财产, 部分财产, and 没收财产 where the court does not say how much."""

RemarkCode: TypeAlias = Literal[
    "empty",
    "no heading",
    "no facts",
    "no reasoning",
    "no result",
    "no defendant",
    "several judgments",
    "second instance",
    "ruling",
    "civil",
    "administrative",
    "upheld",
    "sent back",
    "withdrawn",
    "commuted",
    "civil orders",
    "no sentence",
    "no charge",
    "unnamed",
    "not combined",
    "unread term",
    "unread fine",
    "unread words",
    "unknown charge",
]


class JudgmentPart(Struct, frozen=True):
    """``text[start:end]`` is this part of the document."""

    kind: SectionKind
    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


class Term(Struct, frozen=True):
    """A length of time: 一年六个月 is 18 months, 二年一个月零二十八日 is 25 months and 28 days."""

    months: int
    days: int = 0


class Sentence(Struct, frozen=True, kw_only=True):
    """One sentence: for one charge, or the combined one, at ``text[start:end]``.

    ``charge`` is the canonical name where a list of charges was given, else the name as written;
    None for combined sentences and acquittals. ``kind`` is None where no penalty can be read, or
    where only the combined sentence has one. ``months`` and ``days`` are the term of 管制, 拘役 and
    有期徒刑, and None for every other kind. ``probation`` is the period of 缓刑 in months and
    ``political`` that of 剥夺政治权利. A fine of several defendants together (共处罚金) is
    ``fine_joint``; each of them has the whole sum.

    What goes with a sentence: ``commutation_limited`` is 限制减刑, ``whole_life`` 终身监禁,
    ``barred`` a ban on a profession (从业禁止) for ``barred_months``, None where no term is set,
    ``injunction`` any other ban (禁止令), ``community`` 社区矫正.
    """

    kind: PenaltyKind | None
    charge: str | None = None
    written: str | None = None
    months: int | None = None
    days: int = 0
    probation: int | None = None
    fine: Number | None = None
    fine_joint: bool = False
    confiscation: Confiscation | None = None
    confiscated: Number | None = None
    political: int | None = None
    political_for_life: bool = False
    expelled: bool = False
    commutation_limited: bool = False
    whole_life: bool = False
    barred: bool = False
    barred_months: int | None = None
    injunction: bool = False
    community: bool = False
    start: int
    end: int

    @property
    def is_conviction(self) -> bool:
        return self.kind not in {"无罪", "不负刑事责任"}


class Defendant(Struct, frozen=True, kw_only=True):
    """One defendant: what they were sentenced to for each charge, and what is to be executed.

    ``earlier`` are sentences of other judgments that this one revokes or combines with its own
    (撤销缓刑, 前罪余刑); they are no verdicts of this court.
    """

    name: str
    unit: bool = False
    verdicts: tuple[Sentence, ...] = ()
    executed: Sentence | None = None
    earlier: tuple[Sentence, ...] = ()
    revoked: bool = False

    @property
    def final(self) -> Sentence | None:
        """What is executed: the combined sentence, else the severest of the verdicts."""
        return self.executed or min(self.verdicts, key=_severity, default=None)

    @property
    def charges(self) -> tuple[str, ...]:
        return _distinct(verdict.charge for verdict in self.verdicts if verdict.is_conviction)

    @property
    def fine_total(self) -> Number | None:
        """The fine to be paid: that of the combined sentence, else the sum of the verdicts'."""
        if self.executed is not None and self.executed.fine is not None:
            return self.executed.fine
        fines = [verdict.fine for verdict in self.verdicts if verdict.fine is not None]
        return sum(fines) if fines else None


class AppliedProvision(Struct, frozen=True):
    """A provision that the court applies, cited at ``text[start:end]``.

    ``law`` is the name as :func:`hengfa.law.grammar.law_names.normalise_name` writes it;
    ``article_sub`` is the 1 of 第一百三十三条之一 and 0 for other articles.
    """

    law: str
    article: int
    article_sub: int
    paragraph: int | None
    item: int | None
    start: int
    end: int
    criminal: bool
    """Whether it is the Criminal Law of the People's Republic."""


class Remark(Struct, frozen=True):
    """Something that could not be placed, or that a reader should know."""

    code: RemarkCode
    words: str


class Judgment(Struct, frozen=True, kw_only=True):
    """The structure of one document. Whatever is missing is empty or None, and has a remark."""

    sections: tuple[JudgmentPart, ...] = ()
    court: str | None = None
    number: str | None = None
    date: date | None = None
    defendants: tuple[Defendant, ...] = ()
    statutes: tuple[AppliedProvision, ...] = ()
    remarks: tuple[Remark, ...] = ()

    def text_of(self, text: str, kind: SectionKind) -> str:
        return next((section.of(text) for section in self.sections if section.kind == kind), "")

    @property
    def charges(self) -> tuple[str, ...]:
        return _distinct(charge for defendant in self.defendants for charge in defendant.charges)

    @property
    def verdicts(self) -> Iterator[tuple[Defendant, Sentence]]:
        """Every sentence for a charge, with whom it is for."""
        return ((person, verdict) for person in self.defendants for verdict in person.verdicts)

    @property
    def fine_total(self) -> Number | None:
        """What all defendants pay together; a fine of several (共处罚金) counts once."""
        paid: dict[tuple[object, ...], Number] = {}
        for number, defendant in enumerate(self.defendants):
            if (fine := defendant.fine_total) is not None:
                last = defendant.final
                joint = last is not None and last.fine_joint
                paid[("together", last.start, fine) if joint and last else (number,)] = fine
        return sum(paid.values()) if paid else None

    def has(self, code: RemarkCode) -> bool:
        return any(remark.code == code for remark in self.remarks)


def _severity(sentence: Sentence) -> tuple[int, int, int]:
    rank = PENALTIES.index(sentence.kind) if sentence.kind else len(PENALTIES)
    return rank, -(sentence.months or 0), -sentence.days


def _distinct(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
