"""Rewards by name, as the rows of a trainer have them: columns `answer_key` and `reward`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from hengfa.base.errors import UsageError
from hengfa.base.hooks import load
from hengfa.evals.engine.messages import Response
from hengfa.evals.suites.base import AnyTask, Rules
from hengfa.train.rewards.shapes import Marked, Reward, Shape, Silence, finished
from hengfa.train.rewards.tasks import find_task, key_reader, task_marker, task_names

Mark: TypeAlias = Callable[[str, str | Response], Marked]
"""What a response earned by an answer key, before it is shaped."""

MADE: Final[Mapping[str, str]] = {
    "twins": "hengfa.train.rewards.statutes:TWINS",
    "citation_repair": "hengfa.train.rewards.statutes:CITATION_REPAIR",
    "sentencing": "hengfa.train.rewards.sentencing:SENTENCING",
    "numerals": "hengfa.train.rewards.numerals:NUMERALS",
}
"""Tasks that are no suite's, made to be trained on: name to module and attribute. Like those of a
suite they are declared with the kit, so that score, floor and reference follow from the kind."""

OTHER: Final[Mapping[str, str]] = {
    "citations_right": "hengfa.train.rewards.citations:citations_right",
    "format": "hengfa.train.rewards.form:form",
    "agent": "hengfa.train.rewards.agent:agent",
}
"""Rewards that are no task's: name to module and function, from a `Rewarder` to its `Mark`."""


@dataclass(frozen=True)
class Rewarder:
    """A reward by its name, for any number of rows.

    It holds names and paths only, so that it can be sent to other processes; what it opens it keeps
    to itself. `library` is the law library of those that look into the law, `data` the folder of a
    suite's data for the tasks whose rules need it.
    """

    name: str
    shape: Shape = Shape.GRADED
    rules: Rules = Rules.CORRECTED
    silence: Silence = Silence.MASK
    library: Path | None = None
    data: Path | None = None

    def __call__(self, answer_key: str, response: str | Response) -> Reward:
        return self.batch([answer_key], [response])[0]

    def batch(
        self, answer_keys: Sequence[str], responses: Sequence[str | Response]
    ) -> list[Reward]:
        """What each response earns, in their order."""
        mark = self.mark()
        return [
            finished(mark(key, said), self.shape, self.silence)
            for key, said in zip(answer_keys, responses, strict=True)
        ]

    def mark(self) -> Mark:
        """How responses are marked, whatever the shape."""
        if self.name in OTHER:
            mark: Mark = load(OTHER[self.name])(self)
            return mark
        return task_marker(named_task(self.name), self.rules, self.data)


def rewarder(
    name: str,
    shape: str | Shape = Shape.GRADED,
    *,
    rules: str | Rules = Rules.CORRECTED,
    silence: str | Silence = Silence.MASK,
    library: str | Path | None = None,
    data: str | Path | None = None,
) -> Rewarder:
    """The reward of this name: a task such as `lawbench/3-6`, or one of those of `reward_names`."""
    if name not in OTHER:
        named_task(name)
    return Rewarder(
        name,
        Shape(shape),
        Rules(rules),
        Silence(silence),
        None if library is None else Path(library),
        None if data is None else Path(data),
    )


def reward_names() -> list[str]:
    return [*OTHER, *MADE, *task_names()]


def named_task(name: str) -> AnyTask:
    """The task whose score a reward is."""
    if name in MADE:
        return find_task(load(MADE[name]))
    if "/" not in name:
        raise UsageError(f"there is no reward {name!r}; there is: {', '.join(reward_names())}")
    return find_task(name)


def row_rewards(
    names: Sequence[str],
    answer_keys: Sequence[str],
    responses: Sequence[str | Response],
    shape: str | Shape = Shape.GRADED,
    silence: str | Silence = Silence.MASK,
) -> list[Reward]:
    """What each response earns by the reward of its row, in their order."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        places[name].append(place)
    earned: dict[int, Reward] = {}
    for name, of_name in places.items():
        batch = rewarder(name, shape, silence=silence).batch(
            [answer_keys[place] for place in of_name], [responses[place] for place in of_name]
        )
        earned |= zip(of_name, batch, strict=True)
    return [earned[place] for place in range(len(names))]


def references(names: Sequence[str], answer_keys: Sequence[str]) -> list[str]:
    """The right answer to each row, in the form that its prompt asks for: to show a model the form
    before it is trained by reward."""
    tasks = {name: named_task(name) for name in dict.fromkeys(names)}
    readers = {name: key_reader(task) for name, task in tasks.items()}
    return [
        tasks[name].baselines.reference(readers[name](key).sample)
        for name, key in zip(names, answer_keys, strict=True)
    ]


def reads_calls(name: str) -> bool:
    """Whether a reward reads what an agent did, besides its answer."""
    return name == "agent" or (name not in OTHER and named_task(name).solver is not None)
