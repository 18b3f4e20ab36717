"""Upstream files to samples to prompts (lawbench.md 0): typed, checked, and a bad row is named.

Where the data says more of a sample than its task, the sample is of a kind. Recitations (1-1) and
scenes (3-2) come from some sixty laws, several from each: who knows a law knows it in all of them,
so their samples depend on each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import read_json
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.engine.messages import Message
from hengfa.evals.suites.base import Chosen
from hengfa.evals.suites.lawbench import gold
from hengfa.law.grammar.citation import find_citations

SETTINGS = ("zero_shot", "one_shot")
TASK_IDS = tuple(
    f"{level}-{number}"
    for level, last in ((1, 2), (2, 10), (3, 8))
    for number in range(1, last + 1)
)


class LawBenchSample(msgspec.Struct, frozen=True):
    """One row. The id is its number in the file; the worked example is inside `instruction`. `sent`
    is the prompt as some other tool sent it, chat template included: the official scoring of task
    2-1 reads the source sentence from there."""

    id: str
    instruction: str
    question: str
    answer: str
    sent: str | None = None

    @property
    def prompt(self) -> str:
        """Instruction, one newline, question; the newline stays where there is one already."""
        return f"{self.instruction}\n{self.question}"


def load(
    task: str, root: Path, setting: str, _options: Chosen | None = None
) -> list[LawBenchSample]:
    """All samples of `data/<setting>/<task>.json` below `root`; there are no options."""
    if setting not in SETTINGS:
        raise UsageError(f"LawBench has no setting {setting!r}; there is: {', '.join(SETTINGS)}")
    file = root / "data" / setting / f"{task}.json"
    rows = read_json(file, object)
    if not isinstance(rows, list) or not rows:
        raise DataError("expected a JSON array with at least one row", file=file)
    samples: list[LawBenchSample] = []
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            raise DataError("expected an object", file=file, row=number)
        for field in ("instruction", "question", "answer"):
            if not isinstance(row.get(field), str):
                raise DataError("expected text", file=file, row=number, field=field)
        check_gold(task, row["answer"], file, number, "answer")
        texts = row["instruction"], row["question"], row["answer"]
        samples.append(LawBenchSample(str(number), *texts))
    return samples


def check_gold(task: str, answer: str, file: Path, row: int | str, field: str) -> None:
    """A gold that cannot be read is an error of the file, not of whoever is scored."""
    try:
        gold.CHECKED.get(task, str)(answer)
    except ValueError:
        problem = f"{answer[:40]!r} is no gold answer of task {task}"
        raise DataError(problem, file=file, row=row, field=field) from None


def prompt(sample: LawBenchSample, _setting: str) -> tuple[Message, ...]:
    return (Message("user", sample.prompt),)


LAW: Final = "law"
_REPUBLIC: Final = "中华人民共和国"
_CLASS: Final = "类中的"
"""After the class that some references of 3-2 put before a law: 公安部类中的…规范."""


@lru_cache(maxsize=2048)
def law_in(text: str) -> Mapping[str, str]:
    """The first law that a text names; predictions saved without questions (1-1) have none."""
    named = next((citation.law for citation in find_citations(text) if citation.law), "")
    law = named.rpartition(_CLASS)[2].removeprefix(_REPUBLIC)
    return {LAW: law} if law else {}
