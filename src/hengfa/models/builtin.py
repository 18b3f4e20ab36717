"""Models that answer from the samples themselves, by rules that each task declares."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

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


def build(
    name: str,
    questions: Sequence[Questions],
    law: Sequence[Passage],
    chosen: Container[str] | None = None,
) -> BuiltIn:
    """One of the built-in models, prepared for these questions, or for the chosen among them."""
    answers: dict[str, str] = {}
    for task_questions in questions:
        baselines, samples = task_questions.task.baselines, task_questions.samples
        keys = task_questions.keys()
        asked = [n for n, key in enumerate(keys) if chosen is None or key in chosen]
        if name == RETRIEVAL:
            texts: Iterable[str] = search_answers(baselines, samples, law, asked)
        else:
            answer = baselines.reference if name == CEILING else baselines.floor(samples)
            texts = (answer(samples[number]) for number in asked)
        answers.update(zip((keys[number] for number in asked), texts, strict=True))
    return BuiltIn(name, answers)
