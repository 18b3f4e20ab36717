"""Scores as rewards: what a response earns, for whoever trains a model by what can be verified.

What a reward is stands in `shapes`. Tasks of suites become rewards in `tasks`; others are
`citations`, `form` and `agent`; `named` finds all of them. `data` makes rows to train on, also of
questions that `sentencing`, `numerals` and `statutes` make. The rest is for trainers.
"""

from hengfa.train.rewards.named import Rewarder, reward_names, rewarder
from hengfa.train.rewards.shapes import Reward, Shape, Silence
from hengfa.train.rewards.tasks import answer_key, reward, rewards, scale_of, scales_of

__all__ = [
    "Reward",
    "Rewarder",
    "Shape",
    "Silence",
    "answer_key",
    "reward",
    "reward_names",
    "rewarder",
    "rewards",
    "scale_of",
    "scales_of",
]
