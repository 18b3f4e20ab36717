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
    from hengfa.evals.runs.look import Run, Scores, load_run
    from hengfa.evals.runs.merge import merge
    from hengfa.evals.runs.predictions import score
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

_SUITE: Final = "hengfa.base.options:suite_option"


def _command(line: str, group: str, module: str, *options: str) -> Command:
    return Command(line, group, f"hengfa.evals.commands.{module}", options)


WING: Final = Wing(
    name="evals",
    rank=2,
    commands={
        "demo": _command("Everything, offline, on the sample pack.", "Start", "demo"),
        "data": _command(
            "Benchmark data: status, pull, add, update, verify.", "Start", "data", _SUITE
        ),
        "eval": _command(
            "Ask a model the questions of a suite and score its answers.",
            "Evaluate",
            "eval",
            _SUITE,
        ),
        "score": _command(
            "Score saved predictions; nothing is asked.", "Evaluate", "score", _SUITE
        ),
        "parts": _command(
            "Past one machine: parts merged, job files, questions as a file.", "Evaluate", "parts"
        ),
        "parts merge": _command(
            "Put the parts of a run together that were asked with --shard.",
            "",
            "parts:merge_",
            _SUITE,
        ),
        "parts slurm": _command(
            "Write a Slurm array, and a script that merges its parts.", "", "jobs:slurm_"
        ),
        "parts k8s": _command(
            "Write a Kubernetes Job with an index, and one that merges its parts.", "", "jobs:k8s_"
        ),
        "parts write": _command(
            "Write the questions of a run as a file, for a machine without network.",
            "",
            "parts:write_",
            _SUITE,
        ),
        "parts read": _command(
            "Take the answers to such a file into the run.", "", "parts:read_", _SUITE
        ),
        "results": _command(
            "List the runs on this machine and their scores.", "Results", "results", _SUITE
        ),
        "compare": _command(
            "Which run is better, by how much, and how sure that is.", "Results", "compare", _SUITE
        ),
        "show": _command(
            "One question of a run: prompt, response, answer, score.", "Results", "show", _SUITE
        ),
        "report": _command(
            "Write a site about runs that opens from disk.", "Results", "report", _SUITE
        ),
        "results repeats": _command(
            "How much of a score is luck: several tries, several graders.",
            "Results",
            "results:repeats_",
            _SUITE,
        ),
        "results suspects": _command(
            "Hints for a review of contamination in runs.", "Results", "results:suspects_", _SUITE
        ),
        "paper": _command(
            "Tables and figures of the papers, with your runs in them.", "Results", "paper"
        ),
        "paper figures": _command(
            "All figures that the papers print, with their sources.",
            "Results",
            "paper:figures_",
            _SUITE,
        ),
        "paper check": _command(
            "Recompute what can be recomputed of them.", "Results", "paper:check_", _SUITE
        ),
        "paper correlate": _command(
            "Do two figures go together across models?", "Results", "paper:correlate_", _SUITE
        ),
        "export": _command(
            "Take runs elsewhere: records, tables, pictures, Inspect log.",
            "Results",
            "export",
            _SUITE,
        ),
        "grade": _command(
            "Grade responses by rubric; calibrate, attack and compare graders.",
            "Grading",
            "grade",
            _SUITE,
        ),
        "grade people": _command(
            "Have people score the same responses: a page, sheets, Label Studio.",
            "",
            "grade_people:people",
            _SUITE,
        ),
        "grade table": _command(
            "Put the marks that graders gave into one table.", "", "grade_people:table_", _SUITE
        ),
        "grade calibrate": _command(
            "Compare graders with people.", "", "grade_people:calibrate_", _SUITE
        ),
        "suite": _command(
            "Begin a suite of your own; what belongs to one suite alone.", "Extend", "suite"
        ),
        "models": _command(
            "Which models can be named, where their keys and prices come from.", "Extend", "models"
        ),
        "suite claw": _command(
            "CLaw: diagnose recited provisions, write the questions on guiding cases.", "", "claw"
        ),
        "suite plawbench": _command("PLawBench: lint rubrics.", "", "plawbench"),
        "suite judgment": _command(
            "Criminal judgments: parse, compare with a reference, find leaks.", "", "judgment"
        ),
    },
    moved={
        **{name: f"suite {name}" for name in ("claw", "plawbench", "judgment")},
        "batch read": "parts read",
        "batch write": "parts write",
        "data list": "data status",
        "data verify": "data status --verify",
        "grade export": "grade people export",
        "grade label-studio export": "grade people export --format label-studio",
        "grade label-studio import": "grade people import",
        "grade people label-studio export": "grade people export --format label-studio",
        "grade people label-studio import": "grade people import",
        "grade people sheet": "grade people export --format sheet",
        "grade pilot": "grade people pilot",
        "grade serve": "grade people serve",
        "grade sheet": "grade people export --format sheet",
        "jobs k8s": "parts k8s",
        "jobs slurm": "parts slurm",
        "merge": "parts merge",
        "published": "paper figures",
        "published check": "paper check",
        "published correlate": "paper correlate",
        "published list": "paper figures",
        "repeats": "results repeats",
        "suite claw prompts": "suite claw questions --prompts",
        "suite judgment differences": "suite judgment parse --differences",
        "suite judgment prompts": "suite judgment training --for test",
        "suspects": "results suspects",
    },
    suites={
        "lawbench": "hengfa.evals.suites.lawbench.suite",
        "claw": "hengfa.evals.suites.claw.suite",
        "claw-cases": "hengfa.evals.suites.claw_cases.suite",
        "plawbench": "hengfa.evals.suites.plawbench.suite",
        "judgment": "hengfa.evals.suites.judgment.suite",
        "tellings": "hengfa.evals.suites.tellings",
    },
    derivations={"guiding-cases": "hengfa.evals.suites.claw_cases.guiding_cases"},
    digests={"plawbench": "hengfa.evals.suites.plawbench.dataset:prepare"},
    papers={
        "lawbench": "hengfa.evals.report.papers.lawbench",
        "claw": "hengfa.evals.report.papers.claw",
        "plawbench": "hengfa.evals.report.papers.plawbench",
        "judgment": "hengfa.evals.report.papers.judgment",
    },
    parts={
        "ray": "hengfa.evals.bridge.ray_cluster:RayCluster",
        "suite file": "hengfa.evals.suites.registry:use_file",
        "reader of tellings": "hengfa.evals.runs.telling_reader:open_reader",
        "second ranking": "hengfa.evals.runs.ranking_service:open_ranking",
        "cost of a reader of tellings": "hengfa.evals.runs.telling_reader:estimate_reader",
    },
)
"""What it offers to the whole."""

_HOMES: Final = {
    "GraderChoice": "runs.grading",
    "Rules": "suites.base",
    "Run": "runs.look",
    "Scores": "runs.look",
    "compare": "runs.compare",
    "estimate": "runs.estimate",
    "evaluate": "runs.evaluate",
    "grade": "runs.evaluate",
    "grader": "runs.ask",
    "load_run": "runs.look",
    "merge": "runs.merge",
    "score": "runs.predictions",
    "use_suite": "suites.registry",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
