"""Models that give the same long answer to the same question more often than others do.

Two models rarely write the same forty characters by themselves. Where they do so often, one may be
the other under another name, or was trained on its answers, or both know the answer by heart. Short
answers, answers copied from the prompt and answers equal to the reference are no sign of anything.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Any, NamedTuple

from hengfa.results.suspicion.shares import clearly_above
from hengfa.results.suspicion.texts import has_own_passage, squeeze
from hengfa.results.suspicion.verbatim import Text

LEAST_LENGTH, LEAST_OWN = 40, 24
"""An answer counts if it has so many characters, and a passage so long that is not the prompt's.
Correcting one character of the prompt makes a passage of 15 that the prompt does not have."""


class Pair(NamedTuple):
    """Two models, in order of their names."""

    one: str
    other: str


@dataclass(frozen=True, slots=True)
class Identical:
    """How many of the answers that count in both models are the same; `usual` is the median of the
    other pairs. `sample` names a question with the same answer, such as `2-5/17`."""

    one: str
    other: str
    count: int
    n: int
    usual: float | None
    sample: str
    flagged: bool

    @property
    def share(self) -> float:
        return self.count / self.n

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in (*self.__slots__, "share")}


class Sameness:
    """Counts equal answers task by task, so that not all texts need be in memory at once."""

    def __init__(self) -> None:
        self._both: Counter[Pair] = Counter()
        self._same: Counter[Pair] = Counter()
        self._sample: dict[Pair, str] = {}

    def add(self, task: str, answers: Mapping[str, Iterable[Text]]) -> None:
        """The answers of all models to a task; only those to the same sample are compared."""
        written: defaultdict[str, dict[str, str]] = defaultdict(dict)
        asked: dict[str, tuple[str, str]] = {}
        for model, texts in answers.items():
            for text in texts:
                response = squeeze(text.response)
                if len(response) >= LEAST_LENGTH:
                    written[text.sample][model] = response
                    asked[text.sample] = (text.prompt, text.reference)
        for sample, by_model in written.items():
            self._both.update(_pairs(by_model))
            models_of: defaultdict[str, list[str]] = defaultdict(list)
            for model, response in by_model.items():
                models_of[response].append(model)
            for response, models in models_of.items():
                if len(models) > 1 and _counts(response, *asked[sample]):
                    for pair in _pairs(models):
                        self._same[pair] += 1
                        self._sample.setdefault(pair, f"{task}/{sample}")

    def pairs(self) -> list[Identical]:
        """All pairs of models that answered the same questions, the most alike first."""
        shares = {pair: self._same[pair] / n for pair, n in self._both.items()}
        found = []
        for pair, n in self._both.items():
            others = [share for other, share in shares.items() if other != pair]
            found.append(
                Identical(
                    *pair,
                    count=self._same[pair],
                    n=n,
                    usual=median(others) if others else None,
                    sample=self._sample.get(pair, ""),
                    flagged=clearly_above(self._same[pair], n, others, len(shares)),
                )
            )
        return sorted(found, key=lambda one: (-one.share, one.one, one.other))


def _pairs(models: Iterable[str]) -> Iterable[Pair]:
    return (Pair(one, other) for one, other in combinations(sorted(models), 2))


def _counts(response: str, prompt: str, reference: str) -> bool:
    """Whether an answer is one that two models would not both give by chance."""
    if response == squeeze(reference):
        return False
    return has_own_passage(response, squeeze(prompt), LEAST_OWN)
