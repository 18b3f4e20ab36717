"""What the built-in models answer: the reference, the trivial answer, and what search finds.

The trivial answers are those of lawbench.md 7: some of them beat most published models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from hengfa.evals.suites.base import Baselines, Floor
from hengfa.evals.suites.kit.baselines import (
    choice_baselines,
    form_of,
    label_baselines,
    text_baselines,
)
from hengfa.evals.suites.kit.rules import Wrapper
from hengfa.evals.suites.lawbench import gold
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.evals.suites.lawbench.rules import CHOICE, TERM
from hengfa.law.retrieval.terms import character_pairs

Reference = Callable[[LawBenchSample], str]

# Where an option of a multiple-choice question begins. Matches "A:" and "B："; not "DNA:".
_OPTION = re.compile(r"(?<![A-Za-z])([A-E])[:：]")
_CLAUSE_END = re.compile("[,，。；;]")
_LEAD, _SHORT_LEAD = 300, 50
_CONSTANT_TERM = 18


def texts(
    reference: Callable[[str], str] = gold.as_it_is,
    floor: Floor[LawBenchSample] | None = None,
    *,
    own: Reference | None = None,
    law: bool = False,
) -> Baselines[LawBenchSample]:
    """Free text."""
    return text_baselines(echo, lambda sample: reference(sample.answer), floor, own=own, law=law)


def labels(
    wrapper: Wrapper | None,
    parts: Callable[[str], Iterable[object]],
    separator: str = "",
    floor: Floor[LawBenchSample] | int = 1,
) -> Baselines[LawBenchSample]:
    """One or more labels in a wrapper, or without one."""
    form = form_of(wrapper, separator)
    return label_baselines(echo, lambda sample: parts(sample.answer), form, floor)


def choice(position: int) -> Baselines[LawBenchSample]:
    """An option letter."""
    return choice_baselines(
        echo,
        lambda sample: gold.letter(sample.answer, position),
        form_of(CHOICE),
        lambda sample: split_options(sample.question),
    )


def constant_term(_sample: LawBenchSample) -> str:
    """Tasks 3-4 and 3-5: 18 months, whatever the case. Only GPT-4 is published as better."""
    return TERM.around(f"{_CONSTANT_TERM}个月")


def echo(sample: LawBenchSample) -> str:
    """The question back."""
    return sample.question


def lead(sample: LawBenchSample) -> str:
    """The first 300 characters: a news report says the main thing first (2-7)."""
    return sample.question[:_LEAD]


def short_lead(sample: LawBenchSample) -> str:
    """The first characters of the passage: who, when, where (2-5)."""
    return sample.question.removeprefix("段落:")[:_SHORT_LEAD]


def nearest_clause(sample: LawBenchSample) -> str:
    """The clause of the passage that shares most with the question (2-5)."""
    passage, _, question = sample.question.rpartition("问题:")
    asked = set(character_pairs(question))
    clauses = [clause for clause in _CLAUSE_END.split(passage) if clause] or [question]
    return max(
        clauses, key=lambda clause: len(asked & set(character_pairs(clause))) / len(clause) ** 0.5
    )


def nothing(_sample: LawBenchSample) -> str:
    """There is nothing to report (2-6)."""
    return "无"


def listed(answer: str) -> str:
    """2-6: one entity type a line, as the prompt asks."""
    return answer.replace(";", "\n") or "无"


def term(answer: str) -> tuple[str, ...]:
    """3-4, 3-5: the term as the data has it; it may be a death or life sentence."""
    return (answer.removeprefix("刑期:"),)


def article_names(answer: str) -> list[str]:
    """3-1: the articles in the form the prompt shows."""
    return [f"刑法第{number}条" for number in sorted(gold.articles(answer))]


def money(answer: str) -> tuple[str, ...]:
    """3-7: the amount without idle decimals."""
    return (f"{gold.amount(answer):.2f}".rstrip("0").rstrip(".") + "元",)


def split_options(question: str) -> dict[str, str]:
    """Option letter to its text, in order of appearance."""
    parts = _OPTION.split(question)
    return dict(zip(parts[1::2], parts[2::2], strict=True))
