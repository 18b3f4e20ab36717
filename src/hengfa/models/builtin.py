"""Models that answer from the samples themselves, by rules that each task declares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hengfa.engine.messages import Request, Response, Status
from hengfa.models.retrieval import Passage, search_answers
from hengfa.suites.plan import Questions

FLOOR, CEILING, RETRIEVAL = NAMES = ("floor", "ceiling", "retrieval")


class BuiltIn:
    """A model whose every answer is known before it is asked."""

    address = ""

    def __init__(self, name: str, answers: Mapping[str, str]) -> None:
        self.name = name
        self._answers = answers

    async def generate(self, request: Request) -> Response:
        text = self._answers.get(request.key)
        if text is None:
            return Response(status=Status.FAILED, reason=f"{self.name} knows no {request.key}")
        if not text:
            return Response(status=Status.EMPTY, reason="no text")
        return Response(status=Status.ANSWERED, text=text)

    async def close(self) -> None:
        return


def build(name: str, questions: Sequence[Questions], law: Sequence[Passage]) -> BuiltIn:
    """One of the built-in models, prepared for these questions."""
    answers: dict[str, str] = {}
    for asked in questions:
        baselines = asked.task.baselines
        if name == CEILING:
            texts: Iterable[str] = map(baselines.reference, asked.samples)
        elif name == FLOOR:
            texts = map(baselines.floor(asked.samples), asked.samples)
        else:
            texts = search_answers(baselines, asked.samples, law)
        answers.update(asked.keyed(texts))
    return BuiltIn(name, answers)
