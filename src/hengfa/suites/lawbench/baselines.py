"""What the built-in models answer: the reference, the trivial answer, and what search finds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from hengfa.retrieval.bm25 import character_pairs
from hengfa.suites.base import Baselines
from hengfa.suites.lawbench.dataset import LawBenchSample
from hengfa.suites.lawbench.score import choice_gold, recitation_gold

# Where an option of a multiple-choice question begins. Matches "A:" and "B："; not "DNA:".
_OPTION = re.compile(r"(?<![A-Za-z])([A-E])[:：]")


def recitation() -> Baselines[LawBenchSample]:
    """Task 1-1. Floor: recite nothing. Retrieval: the best passage found."""

    def from_passages(_sample: LawBenchSample, passages: Sequence[str]) -> str:
        return passages[0] if passages else ""

    return Baselines(
        reference=recitation_gold,
        floor=lambda _samples: lambda _sample: "",
        query=lambda sample: sample.question,
        passage=recitation_gold,
        from_passages=from_passages,
    )


def multiple_choice(position: int) -> Baselines[LawBenchSample]:
    """Floor: the commonest option. Retrieval: the option that shares most with what was found."""
    gold = choice_gold(position)

    def floor(samples: Sequence[LawBenchSample]) -> Callable[[LawBenchSample], str]:
        letter, _ = Counter(map(gold, samples)).most_common(1)[0]
        return lambda _sample: wrap(letter)

    def from_passages(sample: LawBenchSample, passages: Sequence[str]) -> str:
        options = split_options(sample.question)
        if not options:
            return ""
        found = {pair for passage in passages for pair in character_pairs(passage)}
        return wrap(
            max(options, key=lambda letter: _share(set(character_pairs(options[letter])), found))
        )

    return Baselines(
        reference=lambda sample: wrap(gold(sample)),
        floor=floor,
        query=lambda sample: sample.question,
        passage=lambda sample: sample.question,
        from_passages=from_passages,
    )


def wrap(letter: str) -> str:
    """The form the prompts of multiple-choice tasks ask for."""
    return f"[正确答案]{letter}<eoa>"


def split_options(question: str) -> dict[str, str]:
    """Option letter to its text, in order of appearance."""
    parts = _OPTION.split(question)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _share(option: set[str], found: set[str]) -> float:
    return len(option & found) / len(option) if option else 0.0
