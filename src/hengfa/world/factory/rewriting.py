"""Rewriting questions, by rule or by a model, with a check that the answer is still the answer.

A rewritten question must keep every piece that decides the answer, to the letter: what it names,
its numbers, its conditions, what it asks for and in which form. It must add no number and no name,
must not tell the answer, and the plan must still lead to the same keys. A model's words must also
keep together what belongs to one hop, and must not come so near to another question that its answer
can be copied. What fails is refused with the reasons, and the template stays.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

import msgspec

from hengfa.evals.engine.messages import Message, Options, Request, Response, Status
from hengfa.world.factory.follow import LookInWorld, follow
from hengfa.world.factory.judging import find_copied
from hengfa.world.factory.question import kept_groups, restyle
from hengfa.world.factory.task import FreshTask, Plan, Reason, Refused
from hengfa.world.factory.words import WORDS
from hengfa.world.tables.schema import PUBLISHED, Schema
from hengfa.world.tables.world import World

BY_RULES, NO_REWRITING = "rules", "none"
LOST, NUMBERS, ADDED, TOLD, LONG, ORDER, CHANGED, NO_ANSWER = (
    "a piece of the question is lost",
    "its numbers are others",
    "it names something new",
    "it tells the answer or a step",
    "it is too long",
    "what belongs together stands apart",
    "the path leads elsewhere",
    "the model gave no answer",
)

LONGEST_EXTRA: Final = 400
OPTIONS: Final = Options(temperature=0.7, max_new_tokens=1_500)
# Digits: the year, code and serial in "（2020）苏0282民初31号"; 三百, which is words, is none.
_NUMBERS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_NAMES: Final = ("有限公司", "有限责任公司", "人民法院")
Ask = Callable[[Request], Awaitable[Response]]


class Rewriting(msgspec.Struct, frozen=True):
    """A task with its new question, or as it was with what was wrong with the new one."""

    task: FreshTask
    problems: tuple[str, ...] = ()


class Figures(msgspec.Struct, frozen=True):
    """How many rewritings there were, how many passed, and what was wrong with the others."""

    by: str
    asked: int = 0
    passed: int = 0
    refused: dict[str, int] = {}


class Checker:
    def __init__(self, world: World) -> None:
        self._look = LookInWorld(world)

    def problems(self, task: FreshTask, text: str) -> list[str]:
        problems = problems_of(task, text)
        if isinstance(task.plan, Plan):
            if not in_order(task.plan, text, self._look.schema):
                problems.append(ORDER)
            self._look.forget()
            with suppress(Refused):
                if follow(task.plan, self._look).keys == task.key:
                    return problems
            problems.append(CHANGED)
        return problems

    def applied(self, task: FreshTask, text: str) -> Rewriting:
        return with_question(task, text, self.problems(task, text))


def can_be_rewritten(task: FreshTask) -> bool:
    """Questions on a path; a complaint is a document and stays as it is."""
    return isinstance(task.plan, Plan)


def by_rule(task: FreshTask, seed: int, schema: Schema = PUBLISHED) -> str:
    """The question in a style of its own, at times with a reason that fits what is asked."""
    if not isinstance(task.plan, Plan):
        return task.question
    rng = random.Random(f"rewrite {seed} {task.question}")
    hint = task.keep[-1] if task.keep[-1:] and task.keep[-1].startswith("（") else ""
    return restyle(task.plan, hint, rng, schema)


def with_question(task: FreshTask, text: str, problems: Sequence[str]) -> Rewriting:
    """The task with a new question, or as it was with what is wrong with that."""
    if problems:
        return Rewriting(task, tuple(problems))
    return Rewriting(msgspec.structs.replace(task, question=text, template=task.question))


def not_copied(outcomes: Sequence[Rewriting]) -> list[Rewriting]:
    """The same, with the template where a question came too near to one with the answer."""
    checked = list(outcomes)
    for hops in {outcome.task.hops for outcome in outcomes}:
        places = [n for n, outcome in enumerate(outcomes) if outcome.task.hops == hops]
        for at in find_copied([outcomes[place].task for place in places]):
            task = outcomes[places[at]].task
            if task.template is not None:
                old = msgspec.structs.replace(task, question=task.template, template=None)
                checked[places[at]] = Rewriting(old, (str(Reason.COPIED),))
    return checked


def problems_of(task: FreshTask, text: str) -> list[str]:
    """Everything that is wrong with a new question in itself."""
    problems = []
    old = task.question
    if any(piece not in text for piece in task.keep):
        problems.append(LOST)
    if set(_NUMBERS.findall(text)) != set(_NUMBERS.findall(old)):
        problems.append(NUMBERS)
    if any(text.count(name) > old.count(name) for name in _NAMES):
        problems.append(ADDED)
    steps = (step for step in task.key_middle if step not in old)
    if any(key in text for key in (*task.key, *steps)):
        problems.append(TOLD)
    if len(text) > len(old) + LONGEST_EXTRA:
        problems.append(LONG)
    return problems


def in_order(plan: Plan, text: str, schema: Schema = PUBLISHED) -> bool:
    """Whether what belongs to one hop stands together, hop after hop: forwards, backwards, or with
    the end of the way, where the question is, told before a part of it.

    Then no condition has moved to another hop. Other orders may mean the same; they are not proved.
    """
    groups = kept_groups(plan, schema)
    orders = [
        [*groups[:at], *groups[end:], *groups[at:end]]
        for end in range(1, len(groups) + 1)
        for at in range(end)
    ]
    return any(_one_by_one(order, text) for order in (groups, groups[::-1], *orders))


def _one_by_one(groups: Sequence[Sequence[str]], text: str) -> bool:
    begin = 0
    for group in groups:
        places = [text.find(piece, begin) for piece in group]
        if min(places) < 0:
            return False
        begin = max(at + len(piece) for at, piece in zip(places, group, strict=True))
    return True


async def by_model(ask: Ask, task: FreshTask, checker: Checker) -> Rewriting:
    """One attempt, and a second that is told what the first one lost."""
    response = await ask(_request(task))
    outcome = _outcome_of(task, response, checker)
    if outcome.problems and response.status is Status.ANSWERED:
        again = await ask(_request(task, response.text))
        outcome = _outcome_of(task, again, checker)
    return outcome


def figures(by: str, outcomes: Sequence[Rewriting]) -> Figures:
    wrong = Counter(problem for outcome in outcomes for problem in outcome.problems)
    passed = sum(not outcome.problems for outcome in outcomes)
    return Figures(by, len(outcomes), passed, dict(wrong.most_common()))


def _outcome_of(task: FreshTask, response: Response, checker: Checker) -> Rewriting:
    text = response.text.strip()
    if response.status is not Status.ANSWERED or not text:
        return Rewriting(task, (NO_ANSWER,))
    return checker.applied(task, text)


def _request(task: FreshTask, before: str | None = None) -> Request:
    """Keys hold the question itself, so that other tasks in the same file are other questions."""
    name = hashlib.blake2b(task.question.encode(), digest_size=12).hexdigest()
    pieces = "\n".join(f"- {piece}" for piece in task.keep)
    prompt = WORDS.texts["rewriting"].format(pieces=pieces, question=task.question)
    messages = [Message("user", prompt)]
    if before is not None:
        lost = [piece for piece in task.keep if piece not in before] or ["（未增加新的名称和数字）"]
        wish = "这一稿不合要求。请重写，并逐字保留：" + "；".join(lost)
        messages += [Message("assistant", before), Message("user", wish)]
    step = "rewrite" if before is None else "again"
    return Request(f"{step}/{name}", tuple(messages), OPTIONS)
