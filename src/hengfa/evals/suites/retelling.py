"""What was sent for a sample, and what came back, told again from a journal.

A journal keeps responses and a hash of each prompt, no prompts: those of an agent repeat all that
was said before them. They are made again, from the data and the responses, and each is compared
with its hash: what is told was sent to the letter, or is not told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hengfa.evals.engine.journal import Entry
from hengfa.evals.engine.messages import JSONObject, Request, Response
from hengfa.evals.suites.base import Called
from hengfa.evals.suites.plan import Plan, Question


class Asked(NamedTuple):
    """A question to the model; `step` names it where there were several, such as `thought-3`."""

    step: str
    request: Request
    response: Response
    at: str


Event = Asked | Called


class Untold(Exception):
    """Why it cannot be told what was sent."""


async def retell(plan: Plan, question: Question, answered: Mapping[str, Entry]) -> list[Event]:
    """All that happened, in its order; raises :class:`Untold`.

    `answered` is what the journal has by its keys: that of the sample, and those of its steps.
    """
    telling = _Telling(answered)
    task, request = question.task, question.request
    if not any(key.startswith(f"{request.key}#") for key in answered):
        await telling.ask(request)
        return telling.events
    solve = task.retold and task.retold(plan.data.root, plan.setting, plan.options, telling)
    if solve is None:
        raise Untold("that would run an agent of your own, or ask a service")
    await solve(telling.ask, question.sample, request)
    return telling.events


class _Telling:
    """A model that says what it said before."""

    def __init__(self, answered: Mapping[str, Entry]) -> None:
        self._answered = answered
        self.events: list[Event] = []

    async def ask(self, request: Request) -> Response:
        entry = self._answered.get(request.key)
        if entry is None:
            raise Untold(f"the journal has no {request.key}: it was made by another version")
        if entry.prompt_hash != request.prompt_hash():
            raise Untold(f"{request.key} was put in other words than would be put now")
        step = request.key.partition("#")[2]
        self.events.append(Asked(step, request, entry.response, entry.at))
        return entry.response

    def knows(self, key: str) -> bool:
        return key in self._answered

    def heard(self, tool: str, arguments: JSONObject, answer: str, status: str) -> None:
        self.events.append(Called(tool, arguments, answer, status))
