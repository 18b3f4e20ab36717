"""Scores as rewards: what a response earns, for whoever trains a model by what can be verified.

shapes       what a reward is, and its shapes: strict, graded, skill
tasks        the score of a suite's task as a reward; answer keys
named        rewards by name, for the rows of a trainer; the right answers to rows
citations    citations_right: cited law that exists, was in force and is quoted right
form         format: whether a response has the form that was asked for
agent        agent: success, process and calls of an agent
final_answer answers in one line, read exactly; `sentencing`, `numerals` and `statutes` make such
             questions, and others of the law library
data         rows to train on that are no test: kinds, splits, the folder they are written to
overlap      which questions of suites stand in such rows
trl, verl, verifiers   rows as these trainers call for rewards
chats        what trainers hand over: replies, and the chat of an agent in a loop of theirs
episodes     environments: tasks with tools, turn by turn, by the loop of the evaluation
cheap        twenty ways to answer without knowing anything, from which skill is counted
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
