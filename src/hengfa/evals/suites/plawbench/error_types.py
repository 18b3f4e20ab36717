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
from hengfa.evals.suites.plawbench.abilities import (
    AMOUNTS,
    CLAIMS,
    FACTS,
    FORM,
    PROCEDURE,
    REASONS,
    heading,
    section_kind,
)
from hengfa.evals.suites.plawbench.dataset import DECISIVE, LENGTH, Range
from hengfa.evals.suites.plawbench.extract import (
    CLAIM,
    CONCLUSION,
    DEFENCE,
    PARTS,
    REASONING,
    STATUTES,
    Document,
    Parts,
    Questions,
    asks,
    count,
)
from hengfa.evals.suites.plawbench.extract import FACTS as CASE_FACTS
from hengfa.evals.suites.plawbench.released import CASE, CONSULTATION, DEFENDANT, PLAINTIFF

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
    place = PARTS.index(name)
    return lambda rubric, section, _item: section is rubric.sections[place]


def _of_kind(task: str, *kinds: str) -> Which:
    return lambda _rubric, section, _item: section_kind(task, section) in kinds


def _of_procedure(task: str, words: str) -> Which:
    """Of sections of procedure with one of the words in their heading; that of the leaf decides,
    where it has such words at all."""

    def which(_rubric: Rubric, section: Section, _item: Item) -> bool:
        title = heading(section)
        nearest = title if _PROCEDURAL.search(title) else section.group
        return section_kind(task, section) == PROCEDURE and re.search(words, nearest) is not None

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


def _missing_part(answer: GradedAnswer) -> list[Mistake]:
    value: Parts = answer.value
    return [Mistake(words=part) for part in value.missing]


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

_T5, _T6, _T7, _T10 = (f"table {number}" for number in (5, 6, 7, 10))
_RULE, _GRADER = By.RULE, By.GRADER

_CONSULTATION: Final = (
    ErrorType("core", _GRADER, "未锁定核心要素", "misses a decisive fact", _T5,
              missed(lambda _rubric, _section, item: item.maximum >= DECISIVE)),
    ErrorType("proof", _GRADER, "未追问证据", "does not ask for proof", _T5,
              missed(_asking_for(PROOF))),
    ErrorType("timing", _GRADER, "未追问时间", "does not ask for times", _T5,
              missed(_asking_for(TIME))),
    ErrorType("terms", _GRADER, "未追问合同条款", "does not ask for terms of the contract", _T5,
              missed(_asking_for(TERM))),
    ErrorType("role", _RULE, "角色偏离：作答而不追问", "answers instead of asking", _T5, _role),
    ErrorType("too_many", _RULE, "问题过多", "too many questions", "",
              _questions(lambda number, asked: number > asked.most)),
    ErrorType("too_few", _RULE, "问题过少", "too few questions", "",
              _questions(lambda number, asked: number < asked.least)),
    ErrorType("causality", _GRADER, "未把握事实因果", "misses how facts cause each other", _T5),
    ErrorType("chronology", _GRADER, "被干扰信息打乱先后", "loses the order of events", _T5),
    ErrorType("focus", _GRADER, "追问偏离核心", "asks beside the point", _T5),
    ErrorType("concepts", _GRADER, "法律概念理解有偏差", "misunderstands legal concepts", _T5),
    ErrorType("strategy", _GRADER, "未联系程序与策略", "no link to procedure and strategy", _T5),
    ErrorType("cross_domain", _GRADER, "跨领域问题未贯通", "does not join fields of law", _T5),
    ErrorType("harm", _GRADER, "可能造成伤害", "harm", _T10, fault_reported(("不伤害",))),
    ErrorType("bias", _GRADER, "偏见", "bias", _T10, fault_reported(("公平",))),
    ErrorType("dishonesty", _GRADER, "不诚实", "dishonesty", _T10, fault_reported(("诚实",))),
)  # fmt: skip

_CASE: Final = (
    ErrorType("characterisation", _GRADER, "定性错误", "wrong conclusion", _T6,
              nothing_earned(_of_part(CONCLUSION))),
    ErrorType("incomplete_conclusion", _GRADER, "结论不完整", "incomplete conclusion", _T6,
              partly_earned(_of_part(CONCLUSION))),
    ErrorType("missing_facts", _GRADER, "遗漏关键事实", "omits key facts", _T6,
              missed(_of_part(CASE_FACTS))),
    ErrorType("fact_details", _GRADER, "遗漏事实细节", "omits details of facts", _T6,
              incomplete(_of_part(CASE_FACTS))),
    ErrorType("wrong_order", _RULE, "推理顺序错误", "wrong order of steps", _T6,
              out_of_order()),
    ErrorType("missing_steps", _GRADER, "缺少推理步骤", "omits steps of reasoning", _T6,
              missed(_of_part(REASONING))),
    ErrorType("loose_steps", _GRADER, "推理不严密", "steps that are not rigorous", _T6,
              incomplete(_of_part(REASONING))),
    ErrorType("missing_statutes", _GRADER, "缺少核心法条", "omits core statutes", _T6,
              missed(_of_part(STATUTES))),
    ErrorType("time_effect", _GRADER, "效力或时效判断错误", "wrong on validity or time", _T6),
    ErrorType("one_sided", _GRADER, "偏信一方主张", "takes one party's word", _T6),
    ErrorType("focus", _GRADER, "分析重点错误", "analyses the wrong point", _T6),
    ErrorType("general_law", _GRADER, "一般法与特别法适用不当", "general for special law", _T6),
    ErrorType("missing_part", _RULE, "缺少规定部分", "lacks one of the four parts", "",
              _missing_part),
    *law_types(_T6),
)  # fmt: skip


def _document(task: str, kind: str) -> tuple[ErrorType, ...]:
    least, most = LENGTH
    return (
        ErrorType("law_application", _GRADER, "法律适用不准", "inaccurate application of law", _T7,
                  fault_reported(("法条",))),
        ErrorType("parties", _GRADER, "主体不适格", "wrong parties", _T7,
                  missed(_of_procedure(task, _PARTIES))),
        ErrorType("jurisdiction", _GRADER, "管辖审查不足", "misses jurisdiction", _T7,
                  missed(_of_procedure(task, _COURT))),
        ErrorType("amounts", _GRADER, "未审查金额", "does not review amounts", _T7,
                  missed(_of_kind(task, AMOUNTS))),
        ErrorType("unclear_facts", _GRADER, "事实概括不清", "unclear facts", _T7,
                  either(missed(_of_kind(task, FACTS)), incomplete(_of_kind(task, FACTS)))),
        ErrorType("form", _GRADER, "文书不规范", "not in due form", "",
                  either(fault_reported(("文书规范",)), missed(_of_kind(task, FORM)))),
        ErrorType("wrong_document", _RULE, "文书种类错误", "wrong kind of document", "",
                  _other_kind(kind)),
        ErrorType("too_long", _RULE, "篇幅过长", "too long", "",
                  _length(lambda length: length > most)),
        ErrorType("too_short", _RULE, "篇幅过短", "too short", "",
                  _length(lambda length: length < least)),
        *law_types(_T7),
    )  # fmt: skip


ERROR_TYPES: Final[Mapping[str, tuple[ErrorType, ...]]] = {
    CONSULTATION: _CONSULTATION,
    CASE: _CASE,
    PLAINTIFF: (
        ErrorType("claims", _GRADER, "诉讼请求判断不足", "poor judgement of claims", _T7,
                  missed(_of_kind(PLAINTIFF, CLAIMS))),
        *_document(PLAINTIFF, CLAIM),
    ),
    DEFENDANT: (
        ErrorType("unanswered", _GRADER, "未逐点答辩", "leaves points of the claim unanswered", _T7,
                  nothing_earned(_of_kind(DEFENDANT, CLAIMS, AMOUNTS, REASONS))),
        *_document(DEFENDANT, DEFENCE),
    ),
}  # fmt: skip
"""By task."""
