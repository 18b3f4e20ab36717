"""Evaluation: asking models, scoring what they answer, and telling what it means.

README.md beside this file has the map. The names below are what other wings and users may rely on;
each is imported when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hengfa.base.hooks import Command, Wing
from hengfa.base.lazy import lazily

if TYPE_CHECKING:
    from hengfa.evals.runs.ask import grader
    from hengfa.evals.runs.compare import compare
    from hengfa.evals.runs.estimate import estimate
    from hengfa.evals.runs.evaluate import evaluate, grade
    from hengfa.evals.runs.grading import GraderChoice
    from hengfa.evals.runs.merge import merge
    from hengfa.evals.runs.scores import Run, Scores, load_run, score
    from hengfa.evals.suites.base import Rules
    from hengfa.evals.suites.registry import use_suite

__all__ = [
    "WING",
    "GraderChoice",
    "Rules",
    "Run",
    "Scores",
    "compare",
    "estimate",
    "evaluate",
    "grade",
    "grader",
    "load_run",
    "merge",
    "score",
    "use_suite",
]

_SUITE: Final = ("hengfa.evals.commands.suite_option:suite_option",)

WING: Final = Wing(
    name="evals",
    rank=2,
    commands={
        "demo": Command(
            "Everything, offline, on the sample pack.",
            "Start",
            "hengfa.evals.commands.demo",
        ),
        "data": Command(
            "Benchmark data: status, pull, add, update, verify.",
            "Start",
            "hengfa.evals.commands.data",
            _SUITE,
        ),
        "eval": Command(
            "Ask a model the questions of a suite and score its answers.",
            "Evaluate",
            "hengfa.evals.commands.eval",
            _SUITE,
        ),
        "score": Command(
            "Score saved predictions; nothing is asked.",
            "Evaluate",
            "hengfa.evals.commands.score",
            _SUITE,
        ),
        "parts": Command(
            "Past one machine: parts merged, job files, questions as a file.",
            "Evaluate",
            "hengfa.evals.commands.parts",
        ),
        "parts merge": Command(
            "Put the parts of a run together that were asked with --shard.",
            "",
            "hengfa.evals.commands.merge",
            _SUITE,
        ),
        "parts slurm": Command(
            "Write a Slurm array, and a script that merges its parts.",
            "",
            "hengfa.evals.commands.jobs:slurm_",
        ),
        "parts k8s": Command(
            "Write a Kubernetes Job with an index, and one that merges its parts.",
            "",
            "hengfa.evals.commands.jobs:k8s_",
        ),
        "parts write": Command(
            "Write the questions of a run as a file, for a machine without network.",
            "",
            "hengfa.evals.commands.batch:write_",
            _SUITE,
        ),
        "parts read": Command(
            "Take the answers to such a file into the run.",
            "",
            "hengfa.evals.commands.batch:read_",
            _SUITE,
        ),
        "results": Command(
            "List the runs on this machine and their scores.",
            "Results",
            "hengfa.evals.commands.results",
            _SUITE,
        ),
        "compare": Command(
            "Which run is better, by how much, and how sure that is.",
            "Results",
            "hengfa.evals.commands.compare",
            _SUITE,
        ),
        "show": Command(
            "One question of a run: prompt, response, answer, score.",
            "Results",
            "hengfa.evals.commands.show",
            _SUITE,
        ),
        "report": Command(
            "Write a site about runs that opens from disk.",
            "Results",
            "hengfa.evals.commands.report",
            _SUITE,
        ),
        "results repeats": Command(
            "How much of a score is luck: several tries, several graders.",
            "Results",
            "hengfa.evals.commands.repeats",
            _SUITE,
        ),
        "results suspects": Command(
            "Hints for a review of contamination in runs.",
            "Results",
            "hengfa.evals.commands.suspects",
            _SUITE,
        ),
        "paper": Command(
            "Tables and figures of the papers, with your runs in them.",
            "Results",
            "hengfa.evals.commands.paper",
        ),
        "paper figures": Command(
            "All figures that the papers print, with their sources.",
            "Results",
            "hengfa.evals.commands.paper:figures_",
            _SUITE,
        ),
        "paper check": Command(
            "Recompute what can be recomputed of them.",
            "Results",
            "hengfa.evals.commands.paper:check_",
            _SUITE,
        ),
        "paper correlate": Command(
            "Do two figures go together across models?",
            "Results",
            "hengfa.evals.commands.paper:correlate_",
            _SUITE,
        ),
        "export": Command(
            "Take runs elsewhere: records, tables, pictures, Inspect log.",
            "Results",
            "hengfa.evals.commands.export",
            _SUITE,
        ),
        "grade": Command(
            "Grade responses by rubric; calibrate, attack and compare graders.",
            "Grading",
            "hengfa.evals.commands.grade",
            _SUITE,
        ),
        "grade people": Command(
            "Have people score the same responses: a page, sheets, Label Studio.",
            "",
            "hengfa.evals.commands.grade_people:people",
            _SUITE,
        ),
        "grade table": Command(
            "Put the marks that graders gave into one table.",
            "",
            "hengfa.evals.commands.grade_people:table_",
            _SUITE,
        ),
        "grade calibrate": Command(
            "Compare graders with people.",
            "",
            "hengfa.evals.commands.grade_people:calibrate_",
            _SUITE,
        ),
        "suite": Command(
            "Begin a suite of your own; what belongs to one suite alone.",
            "Extend",
            "hengfa.evals.commands.suite",
        ),
        "models": Command(
            "Which models can be named, where their keys and prices come from.",
            "Extend",
            "hengfa.evals.commands.models",
        ),
        "suite claw": Command(
            "CLaw: diagnose recited provisions, write the questions on guiding cases.",
            "",
            "hengfa.evals.commands.claw",
        ),
        "suite plawbench": Command(
            "PLawBench: lint rubrics.",
            "",
            "hengfa.evals.commands.plawbench",
        ),
        "suite judgment": Command(
            "Criminal judgments: parse, compare with a reference, find leaks.",
            "",
            "hengfa.evals.commands.judgment",
        ),
    },
    moved={
        **{name: f"suite {name}" for name in ("claw", "plawbench", "judgment")},
        "batch read": "parts read",
        "batch write": "parts write",
        "data list": "data status",
        "data verify": "data status --verify",
        "grade export": "grade people export",
        "grade label-studio": "grade people label-studio",
        "grade pilot": "grade people pilot",
        "grade serve": "grade people serve",
        "grade sheet": "grade people sheet",
        "jobs k8s": "parts k8s",
        "jobs slurm": "parts slurm",
        "merge": "parts merge",
        "published": "paper figures",
        "published check": "paper check",
        "published correlate": "paper correlate",
        "published list": "paper figures",
        "repeats": "results repeats",
        "suspects": "results suspects",
    },
    suites={
        "lawbench": "hengfa.evals.suites.lawbench.suite",
        "claw": "hengfa.evals.suites.claw.suite",
        "claw-cases": "hengfa.evals.suites.claw_cases.suite",
        "plawbench": "hengfa.evals.suites.plawbench.suite",
        "judgment": "hengfa.evals.suites.judgment.suite",
    },
    derivations={"guiding-cases": "hengfa.evals.suites.claw_cases.guiding_cases"},
    digests={"plawbench": "hengfa.evals.suites.plawbench.rubrics:prepare"},
    papers={
        "lawbench": "hengfa.evals.report.papers.lawbench",
        "claw": "hengfa.evals.report.papers.claw",
        "plawbench": "hengfa.evals.report.papers.plawbench",
        "judgment": "hengfa.evals.report.papers.judgment",
    },
    parts={"ray": "hengfa.evals.bridge.ray_cluster:RayCluster"},
)
"""What it offers to the whole."""

_HOMES: Final = {
    "GraderChoice": "runs.grading",
    "Rules": "suites.base",
    "Run": "runs.scores",
    "Scores": "runs.scores",
    "compare": "runs.compare",
    "estimate": "runs.estimate",
    "evaluate": "runs.evaluate",
    "grade": "runs.evaluate",
    "grader": "runs.ask",
    "load_run": "runs.scores",
    "merge": "runs.merge",
    "score": "runs.scores",
    "use_suite": "suites.registry",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
