"""Rows as trainers carry them: what responses to rows of several rewards earn, and references."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from hengfa.engine.messages import Response
from hengfa.rewards.named import named_task, rewarder
from hengfa.rewards.shapes import Reward, Shape, Silence
from hengfa.rewards.tasks import key_reader


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
