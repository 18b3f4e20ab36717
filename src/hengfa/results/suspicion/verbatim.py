"""Answers that repeat the reference word for word, beyond what the prompt allows.

A passage of the reference that the prompt does not hold must come from somewhere: from knowing the
law by heart, which some tasks ask for, or from having seen the answer. How often a model does it is
compared with the other models at the same task; that a task asks for recitation is seen there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from hengfa.results.suspicion.shares import clearly_above
from hengfa.results.suspicion.texts import shared_passage, squeeze

LEAST = 20
"""Characters that a repeated passage has at least; more in tasks with longer set phrases."""
LEAST_REFERENCE = 2 * LEAST
"""How long a reference must be. A shorter one, such as a list of articles, is repeated by whoever
has the right answer."""
SET_PHRASE_SHARE = 0.01
"""How many answers may share a passage with the reference of *another* question of the task."""


class Text(NamedTuple):
    """One answered question: what was asked, what was expected, what a model wrote."""

    sample: str
    prompt: str
    reference: str
    response: str


@dataclass(frozen=True, slots=True)
class Verbatim:
    """How many answers of a model to a task repeat their reference, and the longest that does.

    `n` counts the answers whose reference is long enough to tell. `least` is how long a passage had
    to be, `usual` the median share of the other models, None where there are none.
    """

    model: str
    task: str
    count: int
    n: int
    least: int
    usual: float | None
    sample: str
    """Where the longest passage is, and the passage; both empty if there is none."""
    passage: str
    flagged: bool

    @property
    def share(self) -> float:
        return self.count / self.n

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in (*self.__slots__, "share")}


def verbatim_answers(
    task: str, answers: Mapping[str, Sequence[Text]], comparisons: int
) -> list[Verbatim]:
    """What each model's answers to a task repeat; `comparisons` counts models times tasks in all.

    Answers of a model come in the order of the samples, which is the same for all models.
    """
    squeezed = {model: _long_enough(texts) for model, texts in answers.items()}
    least = length_needed(squeezed.values())
    passages = {
        model: [shared_passage(t.response, t.reference, t.prompt, least) for t in texts]
        for model, texts in squeezed.items()
        if texts
    }
    counts = {model: sum(map(bool, found)) for model, found in passages.items()}
    hints: list[Verbatim] = []
    for model, found in passages.items():
        others = [counts[other] / len(passages[other]) for other in passages if other != model]
        longest = max(range(len(found)), key=lambda place: len(found[place]))
        hints.append(
            Verbatim(
                model=model,
                task=task,
                count=counts[model],
                n=len(found),
                least=least,
                usual=median(others) if others else None,
                sample=squeezed[model][longest].sample if found[longest] else "",
                passage=found[longest],
                flagged=clearly_above(counts[model], len(found), others, comparisons),
            )
        )
    return hints


def length_needed(answers: Iterable[Sequence[Text]]) -> int:
    """How long a passage must be so that a task's set phrases do not count as repeated.

    Each answer is laid beside the reference of the next question. What they share is phrases of the
    task, not knowledge of the reference; at most :data:`SET_PHRASE_SHARE` of the answers may share
    a passage of the length that is asked for.
    """
    lengths = sorted(
        len(shared_passage(text.response, following.reference, text.prompt, LEAST))
        for texts in answers
        for text, following in pairwise(texts)
        if text.reference != following.reference
    )
    if not lengths:
        return LEAST
    return max(LEAST, lengths[int(len(lengths) * (1 - SET_PHRASE_SHARE))] + 1)


def _long_enough(texts: Iterable[Text]) -> list[Text]:
    """Squeezed, and without those whose reference is short."""
    squeezed = (Text(one.sample, *map(squeeze, one[1:])) for one in texts)
    return [one for one in squeezed if len(one.reference) >= LEAST_REFERENCE]
