"""Evaluation: asking models, scoring what they answer, and telling what it means.

README.md beside this file has the map. The names below are what other wings and users may rely on;
each is imported when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hengfa.base.hooks import Command, Wing
from hengfa.base.lazy import lazily

if TYPE_CHECKING:
    from hengfa.evals.api.runs import (
        compare,
        estimate,
        evaluate,
        grade,
        grader,
        load_run,
        merge,
        score,
        use_suite,
    )
    from hengfa.evals.api.scores import Run, Scores
    from hengfa.evals.runs.grading import GraderChoice
    from hengfa.evals.suites.base import Rules

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
        "batch": Command(
            "Questions as a file for a machine without network, and its answers back.",
            "Evaluate",
            "hengfa.evals.commands.batch",
            _SUITE,
        ),
        "jobs": Command(
            "Write job files for Slurm or Kubernetes: a run in parts.",
            "Evaluate",
            "hengfa.evals.commands.jobs",
        ),
        "merge": Command(
            "Put the parts of a run together that were asked with --shard.",
            "Evaluate",
            "hengfa.evals.commands.merge",
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
        "paper": Command(
            "Tables and figures of the papers, with your runs in them.",
            "Results",
            "hengfa.evals.commands.paper",
        ),
        "export": Command(
            "Take runs elsewhere: records, tables, pictures, Inspect log.",
            "Results",
            "hengfa.evals.commands.export",
            _SUITE,
        ),
        "published": Command(
            "Figures of the papers: list, check, correlate.",
            "Results",
            "hengfa.evals.commands.published",
            _SUITE,
        ),
        "suspects": Command(
            "Hints for a review of contamination in runs.",
            "Results",
            "hengfa.evals.commands.suspects",
            _SUITE,
        ),
        "repeats": Command(
            "How much of a score is luck: several tries, several graders.",
            "Results",
            "hengfa.evals.commands.repeats",
            _SUITE,
        ),
        "grade": Command(
            "Grade responses by rubric; calibrate, attack and compare graders.",
            "Grading",
            "hengfa.evals.commands.grade",
            _SUITE,
        ),
        "suite": Command(
            "Begin a suite of your own: one file with its test.",
            "Extend",
            "hengfa.evals.commands.suite",
        ),
        "models": Command(
            "Which models can be named, where their keys and prices come from.",
            "Extend",
            "hengfa.evals.commands.models",
        ),
        "claw": Command(
            "CLaw: diagnose recited provisions, write the questions on guiding cases.",
            "Extend",
            "hengfa.evals.commands.claw",
        ),
        "plawbench": Command(
            "PLawBench: lint rubrics.",
            "Extend",
            "hengfa.evals.commands.plawbench",
        ),
        "judgment": Command(
            "Criminal judgments: parse, compare with a reference, find leaks.",
            "Extend",
            "hengfa.evals.commands.judgment",
        ),
    },
    suites={
        "lawbench": "hengfa.evals.suites.lawbench.suite",
        "claw": "hengfa.evals.suites.claw.suite",
        "claw-cases": "hengfa.evals.suites.claw_cases.suite",
        "plawbench": "hengfa.evals.suites.plawbench.suite",
        "judgment": "hengfa.evals.suites.judgment.suite",
    },
    derivations={"guiding-cases": "hengfa.evals.suites.claw_cases.guiding_cases"},
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
    "Run": "api.scores",
    "Scores": "api.scores",
    "compare": "api.runs",
    "estimate": "api.runs",
    "evaluate": "api.runs",
    "grade": "api.runs",
    "grader": "api.runs",
    "load_run": "api.runs",
    "merge": "api.runs",
    "score": "api.runs",
    "use_suite": "api.runs",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
