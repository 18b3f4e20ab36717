"""Kinds of mistakes in graded answers, each decided by rule or by what a grader said, marked which.

Papers on legal benchmarks end with tables of error types that people found by reading. Many of them
can be read off what is known of a graded answer: where its steps stand, which of its citations the
law library contradicts, which items of the rubric it missed. A suite declares its types with a
function for each; this module has the functions that suites share.

A type that nothing at hand can decide is left open (None): what cannot be known is no absence.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from hengfa.evals.grading.rubric import Flag, Item, ItemMark, Mark, Rubric, Section, Span, faults_of

if TYPE_CHECKING:
    from hengfa.law.library.citing.findings import Checked

PREFIX: Final = "error_"  # what the metrics of error types begin with


class By(StrEnum):
    """Who decides."""

    RULE = "rule"  # a program: places, forms, the law library
    GRADER = "grader"  # what a grader awarded or held against the answer


class Mistake(NamedTuple):
    """What shows that an answer has an error: an item of the rubric, words, places in the text."""

    item: str = ""
    words: str = ""
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """What is known of an answer: `mark` is None where nobody graded it, `citations` where they
    were not looked up. `sample` and `value` are the suite's: what was asked, and what was read."""

    rubric: Rubric
    mark: Mark | None
    sample: Any
    value: Any
    citations: tuple[Checked, ...] | None = None


Decide: TypeAlias = Callable[[GradedAnswer], Sequence[Mistake] | None]
"""The mistakes of a type: none is found, or None where it cannot be told."""


class ErrorType(NamedTuple):
    """A kind of mistake; `source` is the table of a paper that names it, empty where none does. One
    without `decide` follows from nothing that is known of an answer: a grader has to be asked about
    it (:mod:`hengfa.evals.grading.grader`)."""

    id: str
    by: By
    title: str
    title_en: str
    source: str
    decide: Decide | None = None

    @property
    def metric(self) -> str:
        return PREFIX + self.id


Errors: TypeAlias = Mapping[str, Sequence[Mistake] | None]  # by the id of the type


def errors_of(types: Iterable[ErrorType], answer: GradedAnswer) -> Errors:
    """What is wrong with an answer, type by type, of those that can be decided without asking."""
    return {type_.id: type_.decide(answer) for type_ in types if type_.decide is not None}


def metric_names(types: Iterable[ErrorType]) -> list[str]:
    """The metrics that every answer has."""
    return [type_.metric for type_ in types if type_.decide is not None]


def error_metrics(errors: Errors) -> dict[str, float | None]:
    """1 where an answer has the error, 0 where not, None where that is open."""
    return {
        PREFIX + id_: None if mistakes is None else float(bool(mistakes))
        for id_, mistakes in errors.items()
    }


# --- what a grader said ---

Which: TypeAlias = Callable[[Rubric, Section, Item], bool]  # whether an item of a section is meant


def missed(which: Which) -> Decide:
    """Items that earned nothing by themselves, wherever they stand."""
    return _items(which, _is_missed)


def incomplete(which: Which) -> Decide:
    """Items that earned something, but not everything."""
    return _items(
        which,
        lambda item, mark, faults: (
            not _is_missed(item, mark, faults)
            and ((mark.awarded or 0.0) < item.maximum or _has_fault(item, faults))
        ),
    )


def nothing_earned(which: Which) -> Decide:
    """All items of a section, where none of them earned anything; open where none is meant."""

    def decide(answer: GradedAnswer) -> list[Mistake] | None:
        if answer.mark is None:
            return None
        lost: list[Mistake] = []
        told = is_open = False
        faults = frozenset(answer.mark.faults)
        for section, marked in _sections(answer.rubric, answer.mark):
            of = [pair for pair in marked if which(answer.rubric, section, pair[0])]
            fates = [
                None if mark.awarded is None else _is_missed(item, mark, faults)
                for item, mark in of
            ]
            if of and all(fates):
                lost += [Mistake(item.id, mark.reason, mark.spans) for item, mark in of]
            told |= bool(of)
            is_open |= None in fates and False not in fates
        return None if (is_open or not told) and not lost else lost

    return decide


def partly_earned(which: Which) -> Decide:
    """Items that lack something, of sections that earned something."""
    lost, short = nothing_earned(which), either(missed(which), incomplete(which))

    def decide(answer: GradedAnswer) -> Sequence[Mistake] | None:
        everything = lost(answer)
        if everything is None:
            return None
        return [] if everything else short(answer)

    return decide


def fault_reported(words: Collection[str]) -> Decide:
    """Penalties of the whole whose text has one of the words; open where the rubric has none."""

    def decide(answer: GradedAnswer) -> list[Mistake] | None:
        penalties = answer.rubric.penalties
        meant = [one for one in penalties if any(word in one.text for word in words)]
        if answer.mark is None or not meant:
            return None
        return [Mistake(one.id, one.text) for one in meant if one.id in answer.mark.faults]

    return decide


def either(*several: Decide) -> Decide:
    """Any of them; open where all are."""

    def decide(answer: GradedAnswer) -> list[Mistake] | None:
        decided = [each(answer) for each in several]
        found = [mistake for mistakes in decided for mistake in mistakes or ()]
        return None if not found and all(mistakes is None for mistakes in decided) else found

    return decide


def out_of_order() -> Decide:
    """Steps that stand in the wrong place; open where the rubric asks for no order."""
    return _items(
        lambda _rubric, section, item: any(item.id in pair for pair in section.order.pairs),
        lambda _item, mark, _faults: Flag.OUT_OF_ORDER in mark.flags,
    )


def _items(which: Which, is_wrong: Callable[[Item, ItemMark, frozenset[str]], bool]) -> Decide:
    def decide(answer: GradedAnswer) -> list[Mistake] | None:
        if answer.mark is None:
            return None
        faults = frozenset(answer.mark.faults)
        meant: list[tuple[Item, ItemMark]] = []
        for section, marked in _sections(answer.rubric, answer.mark):
            meant += [pair for pair in marked if which(answer.rubric, section, pair[0])]
        graded = [(item, mark) for item, mark in meant if mark.awarded is not None]
        bad = [mark for item, mark in graded if is_wrong(item, mark, faults)]
        wrong = [Mistake(mark.id, mark.reason, mark.spans) for mark in bad]
        is_open = not meant or len(graded) < len(meant)
        return None if is_open and not wrong else wrong

    return decide


def _sections(rubric: Rubric, mark: Mark) -> Iterator[tuple[Section, list[tuple[Item, ItemMark]]]]:
    for section, marked in zip(rubric.sections, mark.sections, strict=True):
        yield section, list(zip(section.items, marked.items, strict=True))


def _is_missed(item: Item, mark: ItemMark, faults: frozenset[str]) -> bool:
    """Awarded nothing, or lost all of it to a fault of its own; what order took is another type."""
    return (mark.awarded or 0.0) <= 0 or (mark.points <= 0 and _has_fault(item, faults))


def _has_fault(item: Item, faults: frozenset[str]) -> bool:
    return any(fault.id in faults for fault in faults_of(item))


# --- what the law library says ---

_INVENTED: Final = frozenset({"no such position", "no such version"})
_OLD: Final = frozenset({"not in force", "quoted from another version"})
_CONTENT: Final = {"quoted words not in the law", "wording differs", "wording makes another rule"}
_NUMBER: Final = frozenset({"quoted from another provision"})


def _citations_with(problems: Collection[str], *, of_a_day: bool = False) -> Decide:
    """One that only a day can show is open where no citation has a day."""

    def decide(answer: GradedAnswer) -> list[Mistake] | None:
        from hengfa.evals.grading.statutes import has_day, held_against  # noqa: PLC0415 - the library

        if answer.citations is None:
            return None
        wrong = [
            Mistake("", f"{cited.written}: {cited.problem}", (Span(cited.start, cited.end),))
            for cited in answer.citations
            if cited.problem in problems and held_against(cited)
        ]
        if of_a_day and answer.citations and not any(map(has_day, answer.citations)):
            return None
        return wrong

    return decide


def law_types(source: str) -> tuple[ErrorType, ...]:
    """What can be wrong with the citations of any answer, by the law library."""
    return (
        ErrorType(
            "invented_law", By.RULE, "援引不存在的条文", "cites law that does not exist", "",
            _citations_with(_INVENTED),
        ),
        ErrorType(
            "old_version", By.RULE, "援引失效或旧版法条", "cites a version not in force", source,
            _citations_with(_OLD, of_a_day=True),
        ),
        ErrorType(
            "wrong_content", By.RULE, "条号正确、内容有误", "right number, wrong content", source,
            _citations_with(_CONTENT),
        ),
        ErrorType(
            "wrong_number", By.RULE, "内容正确、条号有误", "right content, wrong number", source,
            _citations_with(_NUMBER),
        ),
    )  # fmt: skip
