"""The declaration of matters: read the file of a fictional case, and write the document.

Every item is a fact that the file tells right in one place and wrong in another, or a provision of
law; the score is the share of items that a hand-in has right. Who misses a critical item (the right
party, the court, the time) fails in `all_pass`, whatever else is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

from hengfa.evals.engine.messages import Message
from hengfa.evals.results.figures import TaskFigures
from hengfa.evals.suites import base
from hengfa.evals.suites.base import Baselines, Chosen, Offer, Search, Suite, SuiteOption, Task
from hengfa.evals.suites.kit.tasks import always, first_found
from hengfa.world.agents import solver
from hengfa.world.agents.solver import Agents
from hengfa.world.agents.trajectory import listed_calls
from hengfa.world.matters.matter import KINDS, MATTERS, Kind, file_tools, read_matters
from hengfa.world.opening import WORLD_FILE
from hengfa.world.suites.matters import rules
from hengfa.world.suites.matters.rules import MatterSample
from hengfa.world.tools.toolbox import Toolbox

NAME: Final = "matters"
SETTINGS: Final = (solver.TOOLS, *solver.METHODS)
TITLES: Final = {
    "claim": ("起诉状", "write a statement of claim from the file"),
    "defence": ("答辩状", "write a defence from the file"),
    "opinion": ("法律意见书", "write an opinion from the file"),
}


def load(kind: Kind, root: Path, _setting: str, options: Chosen) -> list[MatterSample]:
    """The matters of one kind; none where the data has none of them."""
    law = options.get(rules.LAW) == rules.ON
    return [MatterSample(matter, law) for matter in read_matters(root) if matter.kind == kind]


def facets_of(sample: MatterSample) -> dict[str, str]:
    """The cause of action, and the year of the suit, with which the law changes."""
    return {"cause": sample.matter.cause, "filed": str(sample.matter.days.filed.year)}


def figures(task_scores: Mapping[str, float]) -> dict[str, float]:
    """Overall: the mean of the three kinds."""
    if not all(kind in task_scores for kind in KINDS):
        return {}
    return {"overall": sum(task_scores[kind] for kind in KINDS) / len(KINDS)}


def further(tasks: Mapping[str, TaskFigures]) -> dict[str, float]:
    """The other metrics for each kind, and their mean where all kinds are there: `all_pass/claim`,
    …, `all_pass/all`."""
    found: dict[str, float] = {}
    for metric in rules.FURTHER:
        known = {kind: tasks[kind].more.get(metric) for kind in KINDS if kind in tasks}
        values = {kind: value for kind, value in known.items() if value is not None}
        found |= {f"{metric}/{kind}": value for kind, value in values.items()}
        if len(values) == len(KINDS):
            found[f"{metric}/all"] = sum(values.values()) / len(KINDS)
    return found


def prompt(sample: MatterSample, _setting: str) -> tuple[Message, ...]:
    """What a model without tools is asked; agents build their own prompts around it."""
    return (Message("user", sample.matter.question),)


def _toolbox(root: Path, setting: str, options: Chosen) -> Toolbox:
    """The tools of the world that lies beside the matters; the sample pack has one for all."""
    beside = root.parent / "legalagentbench"
    shared = not (root / WORLD_FILE).is_file() and beside.is_dir()
    return solver.open_toolbox(beside if shared else root, setting, options)


AGENTS: Final = Agents[MatterSample](
    _toolbox,
    lambda toolbox, sample: toolbox.with_tools(file_tools(sample.matter.documents)),
    retrievers=lambda _setting, _sample: True,
    every_tool=True,
)

BASELINES = Baselines[MatterSample](
    lambda sample: sample.matter.answer,
    always(lambda sample: sample.matter.file),
    Search(
        query=lambda sample: sample.matter.file,
        offer=lambda sample: Offer(sample.matter.file, sample.matter.answer),
        answer=first_found,
    ),
)
"""The floor hands in the whole file, which has all that is right and all that is wrong; retrieval
hands in the reference of the most similar other matter."""

TASKS = tuple(
    Task[MatterSample, str](
        kind,
        *TITLES[kind],
        metric=rules.SCORE,
        load=partial(load, kind),
        prompt=prompt,
        rules=rules.MatterRules,
        fixes={},
        baselines=BASELINES,
        stratum=lambda sample: sample.matter.cause,
        facets=facets_of,
        solver=AGENTS.solver,
        right_at=1.0,
        fields={"question": lambda sample: sample.matter.question},
        rehearsal=AGENTS.rehearsal,
        calls=listed_calls,
        grading=rules.submission,
        sample_type=MatterSample,
    )
    for kind in KINDS
)

SUITE = Suite(
    name=NAME,
    title="案卷写作",
    title_en="Matters",
    pack="legalagentbench",
    settings=SETTINGS,
    tasks={task.id: task for task in TASKS},
    figures=figures,
    further=further,
    options={
        rules.LAW: SuiteOption(
            rules.OFF,
            "`on`: look every citation up in the law library (`hengfa law build`), as of the days "
            "of the case; else only laws that we know to be repealed cost the item",
            base.one_of(rules.OFF, rules.ON),
            scoring=True,
        ),
        **{
            name: one
            for name, one in solver.AGENT_OPTIONS.items()
            if name not in (solver.PLANS, solver.TOOL_LIST)
        },
    },
    own_files=(MATTERS, WORLD_FILE),
    abilities={"overall": ("案卷写作", "write from a file")},
    titles={
        "overall": ("总分", "overall"),
        "all_pass/all": ("要害全对", "nothing critical missed"),
    },
)
