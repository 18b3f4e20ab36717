"""Questions for guiding cases that a model wrote, and what people say of them.

CLaw's questions were written by a model. One that is asked here sees facts, result and reasons and
names the point that decides the case. Its question is checked: it must ask, must be of a size, and
must give away neither the holding nor a provision that the court lists. What fails is told once and
then refused with the reasons; the question made by rule stays in its place. What passes can be put
before people on the page of `hengfa grade people serve`, with three questions about it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from hengfa.evals.engine.messages import Message, Options, Request, Response, Status
from hengfa.evals.grading.people.review import not_whole, objections, read_review, review_rubric
from hengfa.evals.grading.submission import Submission
from hengfa.evals.suites.claw_cases.dataset import WORDS, make_questions
from hengfa.evals.suites.claw_cases.guiding_cases import GuidingCase
from hengfa.evals.suites.claw_cases.questions import (
    LEAK,
    LONGEST,
    RULES,
    SHORTEST,
    Question,
    asks,
    conclusions,
    leak_of,
    longest_run,
    points_of,
    question_on,
)
from hengfa.evals.suites.claw_cases.statutes import articles_in, lines_of

NO_ANSWER, SIZE, ASKS_NOTHING, TELLS_HOLDING, TELLS_LAW = (
    "the model gave no answer",
    f"it does not have {SHORTEST} to {LONGEST} letters",
    "it asks nothing",
    "it gives a conclusion of the holding away",
    "it names a provision that the court lists",
)
OPTIONS: Final = Options(temperature=0.7, max_new_tokens=1_000)
_WORDS: Final = 6
Ask = Callable[[Request], Awaitable[Response]]


class Draft(msgspec.Struct, frozen=True):
    """A question that a model wrote, or why there is none; `text` is what it wrote last."""

    no: int
    text: str
    problems: tuple[str, ...] = ()


async def write_question(ask: Ask, case: GuidingCase) -> Draft:
    """One attempt, and a second that is told what was wrong with the first."""
    response = await ask(_request(case))
    draft = _check_response(case, response)
    if draft.problems and response.status is Status.ANSWERED:
        draft = _check_response(case, await ask(_request(case, draft)))
    return draft


def problems_of(case: GuidingCase, question: str) -> tuple[str, ...]:
    """Everything that is wrong with a question; nothing if it may stand."""
    lines = lines_of(case.statutes)
    court = {named for line in lines for named in (*line.provisions, *line.remark)}
    found = {
        SIZE: not SHORTEST <= len(question) <= LONGEST,
        ASKS_NOTHING: not asks(question),
        TELLS_HOLDING: _tells(question, case.holding),
        TELLS_LAW: not court.isdisjoint(articles_in(question)),
    }
    return tuple(problem for problem, there in found.items() if there)


def _tells(question: str, holding: str) -> bool:
    """Whether a question has so many letters in a row of a conclusion as give it away, or all of a
    short one, or all of a point; of two or three words nobody can say."""
    if leak_of(question, holding) >= LEAK:
        return True
    parts = (*conclusions(holding), *points_of(holding))
    sizes = ((part, longest_run(part, part)) for part in parts)
    return any(size >= _WORDS and longest_run(question, part) == size for part, size in sizes)


def choose_questions(
    cases: Sequence[GuidingCase], drafts: Iterable[Draft], model: str
) -> list[Question]:
    """A question for each case: the model's where it passed, else the one made by rule."""
    passed = {one.no: one.text for one in drafts if not one.problems}
    return [
        question_on(case, text, model) if (text := passed.get(case.no)) else by_rule
        for case, by_rule in zip(cases, make_questions(cases), strict=True)
    ]


def _check_response(case: GuidingCase, response: Response) -> Draft:
    text = response.text.strip()
    if response.status is not Status.ANSWERED or not text:
        return Draft(case.no, text, (NO_ANSWER,))
    return Draft(case.no, text, problems_of(case, text))


def _request(case: GuidingCase, before: Draft | None = None) -> Request:
    """Keys hold the case itself, so that a case whose text was mended is another question."""
    prompt = WORDS.write.format(facts=case.facts, result=case.result, reasoning=case.reasoning)
    name = f"{case.no}-{hashlib.blake2b(prompt.encode(), digest_size=6).hexdigest()}"
    messages = [Message("user", prompt)]
    if before is None:
        return Request(f"question/{name}", tuple(messages), OPTIONS)
    wish = "这个问题不合要求：" + "；".join(_FAULTS[why] for why in before.problems) + "。请重写。"
    messages += [Message("assistant", before.text), Message("user", wish)]
    return Request(f"again/{name}", tuple(messages), OPTIONS)


_FAULTS: Final = {
    SIZE: f"应为{SHORTEST}至{LONGEST}字",
    ASKS_NOTHING: "应当是疑问句，以问号结尾",
    TELLS_HOLDING: "透露了裁判要点的结论",
    TELLS_LAW: "写出了应由答题人找到的条文",
}


# --- reviewed by people ---

REVIEW: Final = review_rubric("claw-question", "问题是否可用", WORDS.review.items())
_KEY: Final = "claw-cases/question/"


def to_review(cases: Sequence[GuidingCase], questions: Sequence[Question]) -> list[Submission]:
    """Questions as responses to be scored, each beside its case, in the order of the cases; those
    made by rule are left out, unless there are no others."""
    doubtful = {question.no for question in _in_doubt(questions)}
    return [
        Submission(
            key=f"{_KEY}{case.no}",
            question=f"【基本案情】\n{case.facts}\n\n【裁判结果】\n{case.result}",
            response=question.question,
            rubric=REVIEW,
            reference=f"【裁判要点】\n{case.holding}\n\n【裁判理由】\n{case.reasoning}",
            as_of=case.issued,
        )
        for case, question in zip(cases, questions, strict=True)
        if case.no in doubtful
    ]


def _in_doubt(questions: Sequence[Question]) -> list[Question]:
    return [question for question in questions if question.rule not in RULES] or list(questions)


class Review(msgspec.Struct, frozen=True):
    """The questions that stand after a review; the numbers of those that were dropped, by what a
    reviewer objected to, and of those that nobody has scored whole."""

    questions: list[Question]
    dropped: dict[str, list[int]]
    unseen: list[int]


def review_questions(
    cases: Sequence[GuidingCase], questions: Sequence[Question], scores: Path
) -> Review:
    """What any reviewer objects to gives way to the question made by rule; what nobody scored
    stays, and is counted."""
    said = read_review(REVIEW, _KEY, [str(one.no) for one in _in_doubt(questions)], [scores])
    dropped = {item.id: [int(no) for no in objections(said, item.id)] for item in REVIEW.items()}
    gone = {no for numbers in dropped.values() for no in numbers}
    return Review(
        questions=[
            by_rule if question.no in gone else question
            for question, by_rule in zip(questions, make_questions(cases), strict=True)
        ],
        dropped={name: numbers for name, numbers in dropped.items() if numbers},
        unseen=[int(no) for no in not_whole(said)],
    )
