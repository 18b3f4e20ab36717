"""Which questions of suites stand in data to train on, themselves or their answers.

How texts are compared is said in `text/copies.py`: word by word, and by what is a question's own
among those of its task. An answer that is shorter than twenty letters is right by chance and not
looked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from hengfa.base.data.jsonfile import decode_json
from hengfa.base.errors import DataError, UsageError
from hengfa.base.progress import Progress
from hengfa.evals.runs.folder import TrainedOn
from hengfa.evals.suites.base import Chosen
from hengfa.evals.suites.plan import Plan, Questions, make_plan
from hengfa.evals.suites.registry import suite_names
from hengfa.law.text.copies import Copies
from hengfa.train.rewards.data import TRAIN, Row, digest_of, read_export

Part: TypeAlias = Literal["prompt", "answer"]
Closeness: TypeAlias = Literal["same", "near"]
LEAST_ANSWER: Final = 20


class Overlap(msgspec.Struct, frozen=True):
    """A row, and the question or answer of a suite that stands in it; `share` is how much."""

    row: str
    task: str
    sample: str
    part: Part
    closeness: Closeness
    share: float


class Checked(msgspec.Struct, frozen=True):
    """What was compared, and what was found; `skipped` are suites that could not be, and why."""

    rows: int
    questions: dict[str, int]
    overlaps: list[Overlap]
    skipped: dict[str, str] = {}

    def seen(self) -> dict[str, int]:
        """How many questions of each task stand in a row, themselves or their answers."""
        samples: defaultdict[str, set[str]] = defaultdict(set)
        for overlap in self.overlaps:
            samples[overlap.task].add(overlap.sample)
        return {task: len(samples[task]) for task in self.questions if task in samples}


def find_overlaps(
    rows: Sequence[Row], asked: Sequence[Questions], watch: Progress | None = None
) -> Checked:
    """Everything of some tasks that stands in the rows to train on; those held out do not count."""
    train = [row for row in rows if row.split == TRAIN]
    copies, found = Copies([list(_texts(row)) for row in train]), list[Overlap]()
    for done, questions in enumerate(asked, 1):
        found += _overlaps(copies, train, questions)
        if watch:
            watch(done, len(asked))
    counts = {f"{each.suite.name}/{each.task.id}": len(each.samples) for each in asked}
    return Checked(len(train), counts, found)


def check_suites(
    rows: Sequence[Row],
    targets: Sequence[str] = (),
    *,
    data: str | None = None,
    options: Chosen | None = None,
    watch: Progress | None = None,
) -> Checked:
    """Compare rows with suites or tasks, each in its first setting; with none named, with every
    suite whose data is here."""
    asked: list[Questions] = []
    skipped: dict[str, str] = {}
    for target in targets or suite_names():
        try:
            asked += make_plan(target, data=data, options=options).questions
        except (DataError, UsageError) as error:
            if targets:
                raise
            skipped[target] = str(error)
    if not asked:
        raise UsageError(
            "no suite's data is here to compare with: `hengfa data pull NAME` brings it, --data "
            "sample takes the sample pack"
        )
    return msgspec.structs.replace(find_overlaps(rows, asked, watch), skipped=skipped)


def declared(folders: Sequence[Path], plan: Plan) -> tuple[TrainedOn, ...]:
    """What training data have of the tasks of a plan (`--trained-on DIR`): of all their questions,
    not only those asked."""
    made: list[TrainedOn] = []
    for export in [read_export(folder) for folder in folders]:
        checked = find_overlaps(export.rows, plan.questions)
        seen, asked = checked.seen(), checked.questions.items()
        counts = {task.partition("/")[2]: (seen.get(task, 0), count) for task, count in asked}
        name, contaminates = export.manifest.name, export.manifest.contaminates
        made.append(TrainedOn(name, digest_of(export.rows), contaminates, counts))
    return tuple(made)


def _overlaps(copies: Copies, rows: Sequence[Row], asked: Questions) -> Iterator[Overlap]:
    task, samples = asked.task, asked.samples
    prompts = [_joined(task.prompt(sample, asked.setting)) for sample in samples]
    answers = [task.baselines.reference(sample) for sample in samples]
    found: dict[Part, dict[tuple[int, int], float]] = {
        "prompt": copies.find(prompts),
        "answer": copies.find(answers, shortest=LEAST_ANSWER),
    }
    name = f"{asked.suite.name}/{task.id}"
    for part, shares in found.items():
        for (number, row), share in shares.items():
            how: Closeness = "same" if share == 1 else "near"
            yield Overlap(rows[row].id, name, samples[number].id, part, how, round(share, 3))


def _joined(prompt: Sequence[Any]) -> str:
    return "\n".join(turn.content for turn in prompt)


def _texts(row: Row) -> Iterator[str]:
    """The prompt, and every text in the answer key."""
    yield _joined(row.prompt)
    try:
        waiting = [decode_json(row.answer_key)]
    except msgspec.DecodeError:  # whatever it is, it is text
        waiting = [row.answer_key]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
