"""From the released rows to samples, how they are asked, and the rubric that grades them.

A rubric is read with its defects: all 280 rows are samples, and `hengfa suite plawbench lint` says
what is wrong with which.

What can be chosen with `--set NAME=VALUE` is part of a sample. Upstream has two levels of
consultation and uses the harder one from row 50 on, so that each of the 18 public rows is `mid`
(plawbench.md 2 and 7); that is the default here.

The released rubrics of consultations name none of the penalties of the paper's table 10, and the
released judge prompt does not either (plawbench.md 3.1). Each of three kinds has
three degrees: 1 or 2 points, 3 to 6, or all. A range is read as a price for each occurrence, up to
two of them, as the table itself says of one.

Prompts have the roles, requirements and forms of plawbench.md 2 in words of our
own. As upstream, everything is in one message of the user. A question of the data may itself ask
for other headings than the prompt does; both are accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from hengfa.base.data.jsonfile import read_toml
from hengfa.evals.engine.messages import Message
from hengfa.evals.grading.marking import Way
from hengfa.evals.grading.rubric import OrderKind, Penalty, Rubric
from hengfa.evals.suites.base import Chosen, one_of, read_options
from hengfa.evals.suites.plawbench.extract import CONCLUSION, PARTS, REASONING
from hengfa.evals.suites.plawbench.released import CASE, CONSULTATION, read_released, rubrics_of

SETTINGS: Final = ("all",)
LEVEL, PENALTIES, LAW, MARKING = "level", "penalties", "law", "marking"
OFF, RELEASED, ON = "off", "released", "on"
DECISIVE: Final = 3
"""What a question is worth that asks for a decisive fact."""


class Range(NamedTuple):
    """How many questions are asked for, of which no more than `most` are graded; or characters."""

    least: int
    most: int


LEVELS: Final[Mapping[str, Range]] = {"mid": Range(10, 25), "hard": Range(25, 50)}
OPTIONS: Final = read_options(
    Path(__file__).with_name("options.toml"),
    {
        LEVEL: one_of(*LEVELS),
        MARKING: one_of(*Way),
        PENALTIES: one_of(OFF, RELEASED, ON),
        LAW: one_of(OFF, ON),
    },
)


class PLawBenchSample(msgspec.Struct, frozen=True):
    """One question. `facts` is what is told, `question` what a case asks; a document has a `label`
    that names the matter, a case one that names the scenario.

    `asked` is how many questions a consultation should have, `law` whether citations are looked up,
    `marking` the way of steps in order.
    """

    id: str
    task: str
    label: str
    facts: str
    question: str
    rubric: Rubric
    asked: Range
    law: bool
    marking: Way = Way.PAPER

    @property
    def order(self) -> OrderKind:
        """What the rubric of a case says of the order of its reasoning."""
        if self.task != CASE:
            return OrderKind.UNSTATED
        return self.rubric.sections[PARTS.index(REASONING)].order.kind


def load(task: str, root: Path, _setting: str, options: Chosen) -> list[PLawBenchSample]:
    """All samples of a task, with the chosen options in them."""
    chosen = {name: options.get(name, option.default) for name, option in OPTIONS.items()}
    released = read_released(root, task)
    return [
        PLawBenchSample(
            id=name,
            task=task,
            label=row.label,
            facts=row.facts,
            question=row.question,
            rubric=mark_critical(task, with_penalties(task, rubric, chosen[PENALTIES])),
            asked=LEVELS[chosen[LEVEL]],
            law=chosen[LAW] == ON,
            marking=Way(chosen[MARKING]),
        )
        for (name, row), rubric in zip(released.rows.items(), rubrics_of(released), strict=True)
    ]


def mark_critical(task: str, rubric: Rubric) -> Rubric:
    """The rubric with its critical items marked: of a consultation the decisive facts (3 points,
    table 10 of the paper), of a case the conclusion, which is what the asker acts on.

    Nothing of a document says which of its items decide; there all of them do.
    """
    if task == CONSULTATION:
        return rubric.with_critical(
            [item.id for item in rubric.items() if item.maximum >= DECISIVE]
        )
    if task == CASE:
        conclusion = rubric.sections[PARTS.index(CONCLUSION)]
        return rubric.with_critical([item.id for item in conclusion.items])
    return rubric


class Stock(msgspec.Struct, frozen=True):
    """What can be said without reading the question; a `claim` and a `defence` are forms."""

    questions: tuple[str, ...]
    conclusion: str
    reasoning: str
    statutes: str
    claim: str
    defence: str


class PLawBenchWords(msgspec.Struct, frozen=True):
    """Prompts by task, table 10 by kind from slight to worst, and what the built-in models say."""

    prompts: dict[str, str]
    penalties: dict[str, tuple[str, str, str]]
    lead_in: dict[str, str]
    stock: Stock


WORDS: Final = read_toml(Path(__file__).with_name("words.toml"), PLawBenchWords)


def _degrees(kind: str, slight: str, grave: str, worst: str) -> tuple[Penalty, ...]:
    return (
        Penalty(f"{kind}-slight", slight, 1.0, times=2),
        Penalty(f"{kind}-grave", grave, 3.0, times=2),
        Penalty(f"{kind}-worst", worst, 0.0, all=True),
    )


CONSULTATION_PENALTIES: Final = tuple(
    penalty for kind, words in WORDS.penalties.items() for penalty in _degrees(kind, *words)
)
"""For every consultation, where penalties are on."""


def with_penalties(task: str, rubric: Rubric, chosen: str) -> Rubric:
    """With what was chosen of table 10, which the released rubrics of consultations have not, and
    of the unified deductions of documents."""
    if task == CONSULTATION:
        return replace(rubric, penalties=CONSULTATION_PENALTIES if chosen == ON else ())
    return replace(rubric, penalties=()) if chosen == OFF else rubric


LENGTH: Final = Range(2500, 3000)
"""How many characters a document should have; the paper names the unit."""


def prompt(sample: PLawBenchSample, _setting: str) -> tuple[Message, ...]:
    """What is told, and what is asked for: questions, four titled parts, or a document."""
    asked = WORDS.prompts.get(sample.task, WORDS.prompts["document"])
    least, most = sample.asked if sample.task == CONSULTATION else LENGTH
    text = asked.format(least=least, most=most, facts=sample.facts, question=sample.question)
    return (Message("user", text),)
