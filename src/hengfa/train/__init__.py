"""Learning from what can be verified: rewards, data that is not the test, trained retrieval.

README.md beside this file has the map. The names below are what other wings and users may rely on;
each is imported when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hengfa.base.hooks import Command, Wing
from hengfa.base.lazy import lazily

if TYPE_CHECKING:
    from hengfa.train.rewards.named import Rewarder, reward_names, rewarder
    from hengfa.train.rewards.shapes import Reward, Shape, Silence
    from hengfa.train.rewards.tasks import answer_key, reward, rewards

__all__ = [
    "WING",
    "Reward",
    "Rewarder",
    "Shape",
    "Silence",
    "answer_key",
    "reward",
    "reward_names",
    "rewarder",
    "rewards",
]

WING: Final = Wing(
    name="train",
    rank=4,
    commands={
        "train": Command(
            "Train encoders, retrievers, rerankers, readers, and fine-tune a model.",
            "Train",
            "hengfa.train.commands.train",
        )
    },
    parts={
        "trained on": "hengfa.train.rewards.overlap:declared",
        "vectors": "hengfa.train.retrieval",
    },
)
"""What it offers to the whole."""

_HOMES: Final = {
    "Reward": "rewards.shapes",
    "Rewarder": "rewards.named",
    "Shape": "rewards.shapes",
    "Silence": "rewards.shapes",
    "answer_key": "rewards.tasks",
    "reward": "rewards.tasks",
    "reward_names": "rewards.named",
    "rewarder": "rewards.named",
    "rewards": "rewards.tasks",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
