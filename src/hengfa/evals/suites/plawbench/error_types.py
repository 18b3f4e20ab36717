"""The error types of PLawBench's tables 5 to 7, as far as a graded answer tells them.

The paper's authors found them by reading some 570 answers. Here a type is decided where it follows
from what is known: by rule, from form, places and the law library; else from what a grader said of
the items that the type is about. Which items these are is told by their part or section, and for
consultations by words of the item: it asks for proof, for a time, for a term of a contract. Types
without a table are faults that the task itself names.

Ten types of the tables speak of what no item is about (a neglected special provision, a question
that misses the point). They are told only where a grader is asked (`hengfa grade errors`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from hengfa.evals.grading.error_types import (
    By,
    Decide,
    ErrorType,
    GradedAnswer,
    Mistake,
    Which,
    either,
    fault_reported,
    incomplete,
    law_types,
    missed,
    nothing_earned,
    out_of_order,
    partly_earned,
)
from hengfa.evals.grading.rubric import Item, Rubric, Section
from hengfa.evals.suites.plawbench import abilities, extract
from hengfa.evals.suites.plawbench.abilities import heading, section_kind
from hengfa.evals.suites.plawbench.dataset import (
    CASE,
    CONSULTATION,
    DECISIVE,
    DEFENDANT,
    LENGTH,
    PLAINTIFF,
    Range,
)
from hengfa.evals.suites.plawbench.extract import Document, Questions, asks, count

# What an item asks for: proof ("有无借条或转账记录"), a time ("何时签约"), a term ("合同怎样约定").
PROOF: Final = r"证据|凭证|票据|收据|发票|借条|欠条|录音|录像|记录|流水|证人|证明|鉴定|照片|原件"
TIME: Final = r"何时|时间|日期|时候|多久|期限|先后|哪年|几月"
TERM: Final = r"条款|合同|协议|约定"
_MOSTLY: Final = 0.5


# --- which items a type is about ---


def _asking_for(words: str) -> Which:
    pattern = re.compile(words)
    return lambda _rubric, _section, item: pattern.search(item.text) is not None


def _of_part(name: str) -> Which:
    place = extract.PARTS.index(name)
    return lambda rubric, section, _item: section is rubric.sections[place]


def _of_kind(task: str, *kinds: str) -> Which:
    return lambda _rubric, section, _item: section_kind(task, section) in kinds


def _of_procedure(task: str, words: str) -> Which:
    """Of sections of procedure with one of the words in their heading; that of the leaf decides,
    where it has such words at all."""

    def which(_rubric: Rubric, section: Section, _item: Item) -> bool:
        title = heading(section)
        nearest = title if _PROCEDURAL.search(title) else section.group
        is_of_procedure = section_kind(task, section) == abilities.PROCEDURE
        return is_of_procedure and re.search(words, nearest) is not None

    return which


_PARTIES: Final = r"当事人|主体|原告|被告|第三人|参与人"
_COURT: Final = r"管辖|法院"
_PROCEDURAL: Final = re.compile(rf"{_PARTIES}|{_COURT}|案由")


# --- form, which no grader is needed for ---


def _questions(is_wrong: Callable[[int, Range], bool]) -> Decide:
    def decide(answer: GradedAnswer) -> list[Mistake]:
        value: Questions = answer.value
        number = len(value.questions)
        wrong = is_wrong(number, answer.sample.asked)
        return [Mistake(words=f"{number} questions")] if wrong else []

    return decide


def _role(answer: GradedAnswer) -> list[Mistake]:
    """Most of the response asks nothing: it answers or advises instead."""
    value: Questions = answer.value
    asking = sum(count(question.text) for question in value.questions if asks(question.text))
    share = asking / max(count(value.text), 1)
    return [Mistake(words=f"{share:.0%} of the text asks")] if share < _MOSTLY else []


def _length(is_wrong: Callable[[int], bool]) -> Decide:
    def decide(answer: GradedAnswer) -> list[Mistake]:
        value: Document = answer.value
        return [Mistake(words=f"{value.length} characters")] if is_wrong(value.length) else []

    return decide


def _other_kind(asked: str) -> Decide:
    """Open where nothing says what the document is."""

    def decide(answer: GradedAnswer) -> list[Mistake] | None:
        value: Document = answer.value
        if value.kind is None:
            return None
        return [] if value.kind == asked else [Mistake(words=value.kind)]

    return decide


# --- the types ---


_CONSULTATION: Final[Mapping[str, Decide]] = {
    "core": missed(lambda _rubric, _section, item: item.maximum >= DECISIVE),
    "proof": missed(_asking_for(PROOF)),
    "timing": missed(_asking_for(TIME)),
    "terms": missed(_asking_for(TERM)),
    "role": _role,
    "too_many": _questions(lambda number, asked: number > asked.most),
    "too_few": _questions(lambda number, asked: number < asked.least),
    "harm": fault_reported(("不伤害",)),
    "bias": fault_reported(("公平",)),
    "dishonesty": fault_reported(("诚实",)),
}
_CASE: Final[Mapping[str, Decide]] = {
    "characterisation": nothing_earned(_of_part(extract.CONCLUSION)),
    "incomplete_conclusion": partly_earned(_of_part(extract.CONCLUSION)),
    "missing_facts": missed(_of_part(extract.FACTS)),
    "fact_details": incomplete(_of_part(extract.FACTS)),
    "wrong_order": out_of_order(),
    "missing_steps": missed(_of_part(extract.REASONING)),
    "loose_steps": incomplete(_of_part(extract.REASONING)),
    "missing_statutes": missed(_of_part(extract.STATUTES)),
    "missing_part": lambda answer: [Mistake(words=part) for part in answer.value.missing],
}


def _document(task: str, kind: str) -> Mapping[str, Decide]:
    facts = _of_kind(task, abilities.FACTS)
    return {
        "claims": missed(_of_kind(task, abilities.CLAIMS)),
        "unanswered": nothing_earned(
            _of_kind(task, abilities.CLAIMS, abilities.AMOUNTS, abilities.REASONS)
        ),
        "law_application": fault_reported(("法条",)),
        "parties": missed(_of_procedure(task, _PARTIES)),
        "jurisdiction": missed(_of_procedure(task, _COURT)),
        "amounts": missed(_of_kind(task, abilities.AMOUNTS)),
        "unclear_facts": either(missed(facts), incomplete(facts)),
        "form": either(fault_reported(("文书规范",)), missed(_of_kind(task, abilities.FORM))),
        "wrong_document": _other_kind(kind),
        "too_long": _length(lambda length: length > LENGTH.most),
        "too_short": _length(lambda length: length < LENGTH.least),
    }


_TABLE: Final = Path(__file__).with_suffix(".tsv")
"""Task or `document`, type, who decides, the table of the paper, what it is called."""


def _types(decide: Mapping[str, Decide], *tasks: str) -> tuple[ErrorType, ...]:
    """The types of the table; one that nothing decides is only told where a grader is asked."""
    lines = (line.split("\t") for line in _TABLE.read_text("utf-8").splitlines())
    return tuple(
        ErrorType(name, By(by), title, title_en, source, decide.get(name))
        for task, name, by, source, title, title_en in lines
        if task in tasks
    )


ERROR_TYPES: Final[Mapping[str, tuple[ErrorType, ...]]] = {
    CONSULTATION: _types(_CONSULTATION, CONSULTATION),
    CASE: (*_types(_CASE, CASE), *law_types("table 6")),
    PLAINTIFF: (
        *_types(_document(PLAINTIFF, extract.CLAIM), PLAINTIFF, "document"),
        *law_types("table 7"),
    ),
    DEFENDANT: (
        *_types(_document(DEFENDANT, extract.DEFENCE), DEFENDANT, "document"),
        *law_types("table 7"),
    ),
}
"""By task."""
