"""Extraction and scoring tied together, one function for each task: fixes in, rule set out.

BERTScore is asked of a model for many texts at once. So its value is not there when a response is
scored: it is computed, for all that were scored until then, when the first one is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from hengfa.results.figures import ABSTAINED
from hengfa.suites.base import Answer, AnswerStatus, Fixes, FunctionRules, Metrics, RuleSet
from hengfa.suites.claw import extract, score, tracing
from hengfa.suites.claw import fixes as fix
from hengfa.suites.claw.clean import normalise
from hengfa.suites.claw.dataset import ClawSample
from hengfa.suites.claw.extract import Place, Recitation
from hengfa.text import segmentation
from hengfa.text.bertscore import load_scorer

_NO_PLACE: Final[Answer[Place]] = Answer(None, AnswerStatus.ABSTAINED)
_NO_TEXT: Final = Answer(Recitation("", ""), AnswerStatus.ABSTAINED)


def id_retrieval(fixes: Fixes, _data: Path | None) -> RuleSet[ClawSample, Place]:
    """`id`: three accuracies, each of which needs the one before."""
    scored = score.hierarchical(fixes)
    return FunctionRules(
        extract.place,
        scored,
        lambda sample: scored(sample, _NO_PLACE),
        trace=tracing.place(fixes),
    )


def content_retrieval(fixes: Fixes, _data: Path | None) -> RuleSet[ClawSample, Recitation]:
    """`content`: likeness of texts. What is no answer is scored as an empty text."""
    recited = score.recited(fixes)
    batches: dict[str, _Batch] = {}

    def scored(sample: ClawSample, answer: Answer[Recitation]) -> Metrics:
        metrics = recited(sample, answer)
        if not sample.bertscore:
            return metrics
        batch = batches.setdefault(sample.bertscore, _Batch(Path(sample.bertscore)))
        refused = fix.REFUSALS in fixes and metrics[ABSTAINED]
        text = "" if refused or answer.value is None else answer.value.clean
        return _Awaiting(metrics, batch, batch.add(text, normalise(sample.text)))

    def silence(sample: ClawSample) -> Metrics:
        late = {score.BERTSCORE: 0.0} if sample.bertscore else {}
        return {**recited(sample, _NO_TEXT), **late, ABSTAINED: 0.0}

    def instrument() -> str:
        return "+".join([segmentation.instrument(), *(batch.name for batch in batches.values())])

    return FunctionRules(
        extract.recitation,
        scored,
        silence,
        instrument_=instrument,
        trace=tracing.recitation(fixes),
    )


class _Batch:
    """Pairs of texts that wait for a model."""

    def __init__(self, model: Path) -> None:
        self._model = model
        self._waiting: list[tuple[str, str]] = []
        self._scores: list[float] = []

    @property
    def name(self) -> str:
        return load_scorer(self._model).name

    def add(self, text: str, gold: str) -> int:
        self._waiting.append((text, gold))
        return len(self._scores) + len(self._waiting) - 1

    def __getitem__(self, number: int) -> float:
        if number >= len(self._scores):
            self._scores += load_scorer(self._model).f1(self._waiting)
            self._waiting = []
        return self._scores[number]


class _Awaiting(Mapping[str, float | None]):
    """Metrics of which the last comes with its batch."""

    def __init__(self, metrics: Metrics, batch: _Batch, number: int) -> None:
        self._metrics, self._batch, self._number = metrics, batch, number

    def __getitem__(self, name: str) -> float | None:
        return self._batch[self._number] if name == score.BERTSCORE else self._metrics[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._metrics
        yield score.BERTSCORE

    def __len__(self) -> int:
        return len(self._metrics) + 1
