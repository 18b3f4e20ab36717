"""The error types of CLaw's case reasoning.

The paper has no table of them for cases: it names rigour and knowledge as what tells models apart
(its section 5.2), and for statutes three failures (4.2 and appendix C) that reasons have as well:
made-up law, the wrong version or number, and refusal. The first two are read off a grader's labels,
the others decided by rule.
"""

from __future__ import annotations

from typing import Final

from hengfa.evals.grading.error_types import (
    By,
    ErrorType,
    GradedAnswer,
    Mistake,
    Which,
    law_types,
    missed,
)
from hengfa.evals.suites.base import AnswerStatus

_SOURCE: Final = "appendix C"


def _dimension(name: str) -> Which:
    return lambda _rubric, _section, item: item.id == name


def _refusal(answer: GradedAnswer) -> list[Mistake]:
    refused = answer.value is AnswerStatus.ABSTAINED
    return [Mistake(words="declines to give reasons")] if refused else []


ERROR_TYPES: Final = (
    *(
        ErrorType(id_, By.GRADER, title, title_en, "table 1", missed(_dimension(name)))
        for id_, name, title, title_en in (
            ("loose_reasoning", "reasoning", "论证脱离案情或有明显错误", "reasoning rated Bad"),
            ("wrong_knowledge", "knowledge", "关键概念或条文严重错误", "knowledge rated Bad"),
            ("no_structure", "structure", "结构混乱或缺少关键环节", "structure rated Bad"),
            ("unclear_view", "clarity", "观点含糊、矛盾或没有结论", "clarity rated Bad"),
            ("wordy", "conciseness", "大量冗余重复", "conciseness rated Bad"),
        )
    ),
    ErrorType("refusal", By.RULE, "拒绝作答", "refuses to answer", _SOURCE, _refusal),
    *law_types(_SOURCE),
)
