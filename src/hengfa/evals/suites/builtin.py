"""The built-in models: floor, ceiling and retrieval. They need no network and no weights.

They give every report its scale: what knowing nothing earns, what knowing everything earns, and
what looking things up earns. They answer from the samples themselves, by rules that each task
declares; `retrieval` from law text and from the other samples, found by BM25. A sample's own text
is never among what it is answered from, so the figure is honest.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hengfa.base.data.jsonfile import read_lines
from hengfa.base.errors import UsageError
from hengfa.evals.engine.messages import Request, Response, Status
from hengfa.evals.suites.base import AnyTask, Floor, Sample, Search
from hengfa.evals.suites.plan import Questions
from hengfa.law.retrieval.index import BM25Index

FLOOR, CEILING, RETRIEVAL = NAMES = ("floor", "ceiling", "retrieval")
PASSAGES = 5
LAW_FILE = Path("laws", "provisions.jsonl")


class BuiltIn:
    """A model whose every answer is known before it is asked."""

    address = ""

    def __init__(self, name: str, answers: Mapping[str, str]) -> None:
        self.name = name
        self.answers = answers

    async def generate(self, request: Request) -> Response:
        text = self.answers.get(request.key)
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
    repeats: int = 1,
) -> BuiltIn:
    """One of the built-in models, prepared for these questions, or for the chosen among them."""
    answers: dict[str, str] = {}
    for task_questions in questions:
        task, samples, keys = task_questions.task, task_questions.samples, task_questions.keys()
        asked = [n for n, key in enumerate(keys) if chosen is None or key in chosen]
        if name == RETRIEVAL:
            texts = search_answers(task, samples, law, asked)
        else:
            answer = task.baselines.reference if name == CEILING else floor_of(task)(samples)
            texts = [answer(samples[number]) for number in asked]
        for repeat in range(1, repeats + 1):
            keys = task_questions.keys(repeat)
            answers.update(zip((keys[number] for number in asked), texts, strict=True))
    return BuiltIn(name, answers)


def floor_of(task: AnyTask) -> Floor[Any]:
    """How the trivial answer of a task is made."""
    if task.baselines.floor is None:
        raise UsageError(f"task {task.id} declares no trivial answer, so that it has no floor")
    return task.baselines.floor


def search_of(task: AnyTask) -> Search[Any]:
    """How a task is answered by looking things up."""
    if task.baselines.search is None:
        raise UsageError(f"task {task.id} does not say how retrieval answers it")
    return task.baselines.search


class Passage(msgspec.Struct, frozen=True):
    """A provision of a law, as it is found (`law`, `article`) and as it reads (`text`)."""

    law: str
    article: str
    text: str


def read_law(root: Path) -> list[Passage]:
    """The provisions of a pack's `laws/provisions.jsonl`; none if it has no such file."""
    file = root / LAW_FILE
    if not file.is_file():
        return []
    return [passage for _, passage in read_lines(file, Passage)]


def search_answers(
    task: AnyTask,
    samples: Sequence[Sample],
    law: Sequence[Passage],
    asked: Sequence[int] | None = None,
) -> list[str]:
    """What search finds among all samples, turned into a response to each of those `asked`."""
    search = search_of(task)
    asked = range(len(samples)) if asked is None else asked
    offers = [search.offer(sample) for sample in samples]
    law = law if search.law else ()
    texts = [*(offer.text for offer in offers), *(passage.text for passage in law)]
    searched = [
        *(offer.searched for offer in offers),
        *(f"{passage.law}{passage.article}{passage.text}" for passage in law),
    ]
    queries = [search.query(samples[number]) for number in asked]
    hits = BM25Index(searched).search(queries, PASSAGES + 1)
    return [
        search.answer(samples[number], [texts[hit] for hit in best if hit != number][:PASSAGES])
        for number, best in zip(asked, hits, strict=True)
    ]
