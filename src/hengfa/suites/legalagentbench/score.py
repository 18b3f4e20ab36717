"""Sample and answer to metrics, metrics to figures: pure (spec 5).

Success is the share of the keys that the answer has; process the share of keys and intermediate
keys, as one list, that the summary has. Both are given in part. The official rules are the
published ones to the letter: containment, lists with what they have twice, texts as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from hengfa.agents.trajectory import Ended, Trajectory
from hengfa.results.figures import TaskFigure
from hengfa.suites.base import Answer, Fixes, Metrics
from hengfa.suites.legalagentbench import fixes as fix
from hengfa.suites.legalagentbench.dataset import GROUPS, HOPS, AgentSample
from hengfa.suites.legalagentbench.extract import Submitted
from hengfa.suites.legalagentbench.matching import Found, literal, tolerant
from hengfa.suites.legalagentbench.paths import TABLE_OF
from hengfa.text.rouge import lcs
from hengfa.world.tools.observation import Status

SUCCESS, PROCESS, EXACT, BERTSCORE = "success", "process", "exact", "bertscore"
TOLERANT, TOLERANT_PROCESS, UNECHOED = "tolerant", "tolerant_process", "unechoed"
TRACED: Final = "traced"
"""Whether the response tells what the agent did; the metrics that need it are None elsewhere."""

PATH_RECALL, PATH_PRECISION, EFFICIENCY = ON_PATH = (
    "path_recall",
    "path_precision",
    "call_efficiency",
)
CALLS, UNPARSABLE, REPEATS, UNOBSERVED = "calls", "unparsable", "repeats", "unobserved"
ERRORS: Final[Mapping[str, frozenset[Status]]] = {
    "no_data": frozenset({Status.NO_DATA}),
    "bad_column": frozenset({Status.BAD_COLUMN}),
    "bad_call": frozenset({Status.BAD_ARGUMENTS, Status.UNKNOWN_TOOL}),
    "tool_failed": frozenset({Status.RETRIEVAL_ERROR, Status.UNAVAILABLE}),
}
ENDS: Final[Mapping[str, Ended]] = {
    "step_limit": Ended.STEP_LIMIT,
    "context_overflow": Ended.CONTEXT_OVERFLOW,
}
OF_TRAJECTORY: Final = (*ON_PATH, CALLS, *ERRORS, UNPARSABLE, REPEATS, UNOBSERVED, *ENDS)

NOTHING: Final = Submitted("", "")

Score = Callable[[AgentSample, Answer[Submitted]], Metrics]


def keywords(fixes: Fixes) -> Score:
    """Success, process and exact success by these rules; beside them, whatever the rules are, the
    published success with the tolerant match and without the keys that the question has."""

    def score(sample: AgentSample, answer: Answer[Submitted]) -> Metrics:
        texts = answer.value or NOTHING
        match = tolerant if fix.TOLERANT in fixes else literal
        keys = counted(sample.key, sample.question, fixes)
        steps = counted((*sample.key, *sample.key_middle), sample.question, fixes)
        success = _share(keys, match(texts.answer))
        unechoed = counted(sample.key, sample.question, frozenset({fix.ECHO}))
        return {
            SUCCESS: success,
            PROCESS: _share(steps, match(texts.summary)),
            EXACT: float(success == 1.0),
            TOLERANT: _share(sample.key, tolerant(texts.answer)),
            TOLERANT_PROCESS: _share((*sample.key, *sample.key_middle), tolerant(texts.summary)),
            UNECHOED: _share(unechoed, literal(texts.answer)),
            **_travelled(sample.path, texts.trajectory),
        }

    return score


def counted(keys: Sequence[str], question: str, fixes: Fixes) -> Sequence[str]:
    """The keys that the rules count; always at least one."""
    if fix.UNIQUE in fixes:
        keys = list(dict.fromkeys(keys))
    if fix.ECHO in fixes:
        echoed = (tolerant if fix.TOLERANT in fixes else literal)(question)
        keys = [key for key in keys if not echoed(key)] or keys
    return keys


def _share(keys: Sequence[str], found: Found) -> float:
    return sum(map(found, keys)) / len(keys)


def _travelled(path: Sequence[str], trajectory: Trajectory | None) -> Metrics:
    """How near an agent stayed to the gold path, and what went wrong on the way.

    Recall is the longest part of the path that was called in order, whatever was called in between;
    a call counts that found nothing, since that is the answer to some questions. Precision is the
    share of the database calls whose tool is on the path. Efficiency is the length of the path by
    the number of actions, at most 1: a path that leads through a list needs more calls than it has
    tools. Errors are counts.
    """
    if trajectory is None:
        return {TRACED: 0.0, **dict.fromkeys(OF_TRAJECTORY)}
    actions = len(trajectory.steps)
    asked = [step for step in trajectory.calls() if step.tool in TABLE_OF]
    heard = [str(step.tool) for step in asked if step.status in (Status.OK, Status.NO_DATA)]
    on_path: list[float | None] = [None, None, None]
    if path:
        on_path = [
            lcs(heard, list(path)).recall,
            sum(step.tool in path for step in asked) / len(asked) if asked else 0.0,
            min(1.0, len(path) / actions) if actions else 0.0,
        ]
    return {
        TRACED: 1.0,
        **dict(zip(ON_PATH, on_path, strict=True)),
        CALLS: float(actions),
        **{name: float(trajectory.count(statuses)) for name, statuses in ERRORS.items()},
        UNPARSABLE: float(trajectory.unparsable()),
        REPEATS: float(trajectory.repeats()),
        UNOBSERVED: float(sum(step.unobserved for step in trajectory.steps)),
        **{name: float(trajectory.ended is ended) for name, ended in ENDS.items()},
    }


OF_TEXTS: Final = (
    SUCCESS,
    PROCESS,
    EXACT,
    TOLERANT,
    TOLERANT_PROCESS,
    UNECHOED,
    BERTSCORE,
)
TOGETHER: Final[Mapping[str, Sequence[str]]] = {"hops": HOPS, "all": GROUPS}


def further(tasks: Mapping[str, TaskFigure]) -> dict[str, float]:
    """Each metric for each group, for the five hop groups, and for all six: `success/1-hop`, …,
    `success/hops`, `success/all`.

    The last two are means over all samples, as in the paper, so that a large group counts more;
    each is there only if all its groups are. A metric that a group does not have is left out.
    """
    found: dict[str, float] = {}
    for metric in (*OF_TEXTS, *OF_TRAJECTORY):
        means = {
            group: value
            for group in GROUPS
            if group in tasks and (value := _value(tasks[group], metric)) is not None
        }
        found |= {f"{metric}/{group}": value for group, value in means.items()}
        for name, groups in TOGETHER.items():
            if all(group in tasks for group in groups) and means:
                there = [group for group in groups if group in means]
                weights = [_weight(tasks[group], metric) for group in there]
                total = sum(w * means[group] for w, group in zip(weights, there, strict=True))
                found[f"{metric}/{name}"] = total / sum(weights)
    return found


OFFICIAL_SIZES: Final[Mapping[str, int]] = {
    "1-hop": 80, "2-hop": 80, "3-hop": 60, "4-hop": 40, "5-hop": 20, "writing": 20,
}  # fmt: skip


def figures(task_scores: Mapping[str, float]) -> dict[str, float]:
    """Overall, the groups weighted as they are in the benchmark, so that a sample of it will do."""
    if not all(group in task_scores for group in OFFICIAL_SIZES):
        return {}
    total = sum(size * task_scores[group] for group, size in OFFICIAL_SIZES.items())
    return {"overall": total / sum(OFFICIAL_SIZES.values())}


def _value(figure: TaskFigure, metric: str) -> float | None:
    return figure.score if metric == SUCCESS else figure.more.get(metric)


def _weight(figure: TaskFigure, metric: str) -> float:
    """How many samples of a group the metric counts."""
    return figure.n * figure.more.get(TRACED, 0.0) if metric in OF_TRAJECTORY else float(figure.n)
