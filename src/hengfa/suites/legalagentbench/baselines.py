"""What the built-in models answer: the reference, the question itself, what search finds.

The floor is not zero: the question of a writing task contains a third of its own keys (spec 5).
Search finds the answer to the most similar other task; every path was used for two questions, so it
is mostly the twin's, which has other names and numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from hengfa.suites.base import Baselines, Offer
from hengfa.suites.legalagentbench.dataset import AgentSample


def baselines() -> Baselines[AgentSample]:
    """The same for every group."""

    def from_found(sample: AgentSample, found: Sequence[str]) -> str:
        return next(iter(found), sample.question)

    return Baselines(
        reference=lambda sample: sample.answer,
        floor=lambda _samples: lambda sample: sample.question,
        query=lambda sample: sample.question,
        offer=lambda sample: Offer(sample.question, sample.answer),
        from_found=from_found,
    )
