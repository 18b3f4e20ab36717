"""Case reasoning on guiding cases: samples, and how they are asked (claw.md 6).

A sample is a guiding case of the Supreme People's Court with one question. Facts and result are
given, so the task is to justify, not to predict; the court's own reasons (裁判理由) are the
reference that responses are graded against. The prompt is in words of our own.

Questions are data: :func:`make_questions` makes them by rule, with their provenance, and a file of
questions that others wrote is checked and used in their place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import read_lines, read_toml
from hengfa.base.errors import DataError
from hengfa.evals.engine.messages import Message
from hengfa.evals.suites.claw_cases.guiding_cases import GuidingCase, Text, load_cases
from hengfa.evals.suites.claw_cases.questions import LEAK, Question, make_question, question_on

TASK: Final = "case"
PACK: Final = "guiding-cases"


class CaseSample(msgspec.Struct, frozen=True):
    """A case and its question; the id is the number of the case. `law` says whether the citations
    of answers are looked up."""

    case: GuidingCase
    question: Question
    law: bool = False

    @property
    def id(self) -> str:
        return str(self.case.no)

    @property
    def reference(self) -> str:
        """The reasons of the court, for whoever grades; no prompt has them."""
        return self.case.reasoning


class _QuestionRow(msgspec.Struct):
    """A question as a file gives it; leaks are measured here, whatever it says of them."""

    no: int
    question: Text
    rule: Text
    source: str = ""


def make_questions(cases: Iterable[GuidingCase]) -> list[Question]:
    """A question for each case, made by rule."""
    return [make_question(case) for case in cases]


def load_questions(file: Path, cases: Sequence[GuidingCase]) -> list[Question]:
    """The questions of a file, one for each case; none may give the holding away."""
    by_number = {case.no: case for case in cases}
    questions: dict[int, Question] = {}
    for number, row in read_lines(file, _QuestionRow):
        if row.no in questions:
            raise DataError(f"case {row.no} has two", file=file, row=number, field="no")
        if (case := by_number.get(row.no)) is None:
            continue  # a case that was withdrawn, or is not in this data
        made = question_on(case, row.question, row.rule, row.source)
        if made.leak >= LEAK:
            problem = f"gives the holding away: {made.leak} letters in a row are its conclusion's"
            raise DataError(problem, file=file, row=number, field="question")
        questions[row.no] = made
    if missing := [case.no for case in cases if case.no not in questions]:
        problem = f"no question for {len(missing)} cases, the first is {missing[0]}"
        raise DataError(problem, file=file)
    return [questions[case.no] for case in cases]


def load_samples(
    root: Path, questions: Path | None = None, *, law: bool = False
) -> list[CaseSample]:
    """All samples of the task, with questions made by rule or taken from a file."""
    cases = load_cases(root)
    asked = make_questions(cases) if questions is None else load_questions(questions, cases)
    return [CaseSample(case, question, law) for case, question in zip(cases, asked, strict=True)]


def measure(questions: Sequence[Question]) -> Mapping[str, int | float]:
    """How many questions each rule made, and how much of the holdings is in them."""
    rules = [question.rule for question in questions]
    leaks = [question.leak for question in questions]
    return {
        **{f"by {rule}": rules.count(rule) for rule in dict.fromkeys(rules)},
        "longest leak": max(leaks),
        "mean leak": round(sum(leaks) / len(leaks), 2),
    }


class CaseWords(msgspec.Struct, frozen=True):
    """The prompt, how a question is asked for, what dimensions mean to graders and `review` to
    people, and what can be said of any case."""

    prompt: str
    write: str
    stock: str
    overall: str
    dimensions: dict[str, str]
    review: dict[str, str]


WORDS: Final = read_toml(Path(__file__).with_name("words.toml"), CaseWords)


def case_prompt(sample: CaseSample, _setting: str = "") -> tuple[Message, ...]:
    """Facts, result and question under the headings of guiding cases, and what is wanted."""
    case, question = sample.case, sample.question.question
    text = WORDS.prompt.format(facts=case.facts, result=case.result, question=question)
    return (Message("user", text),)


def prompt_rows(
    cases: Sequence[GuidingCase], questions: Sequence[Question]
) -> list[dict[str, object]]:
    """Each prompt with the reasons of the court and the question that it asks, as a file has it."""
    return [
        {
            "task": TASK,
            "id": sample.id,
            "messages": case_prompt(sample),
            "reference": sample.reference,
            "question": sample.question,
        }
        for sample in map(CaseSample, cases, questions)
    ]
