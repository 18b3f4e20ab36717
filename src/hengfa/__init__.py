"""Hengfa 衡法 measures how well a model or agent knows, reads and applies Chinese law.

The names below are what one may rely on (docs/python.md); each is imported when it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hengfa.api.law import Law, check_case_numbers, check_citations
    from hengfa.api.runs import (
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
    from hengfa.api.scores import Run, Scores
    from hengfa.engine.messages import Model, Request, Response, Status
    from hengfa.errors import DataError, HengfaError, UsageError
    from hengfa.law.judgment.document import Judgment
    from hengfa.law.judgment.parse import parse_judgment
    from hengfa.library.case_numbers import CaseReport
    from hengfa.library.case_numbers import Register as CaseRegister
    from hengfa.library.citing.findings import Report as CitationReport
    from hengfa.library.history import Step
    from hengfa.library.lookup import LookedUp
    from hengfa.library.model import Version
    from hengfa.library.search import Hit
    from hengfa.library.versions import FoundVersion
    from hengfa.report import report
    from hengfa.report.papers import paper
    from hengfa.report.papers.exhibit import Exhibit
    from hengfa.runs.compare import Comparison
    from hengfa.runs.costs import Estimate
    from hengfa.runs.folder import RunFigures, TaskFigures
    from hengfa.runs.grading import GraderChoice
    from hengfa.suites.base import Rules

__version__ = "0.1.0"

__all__ = [
    "CaseRegister", "CaseReport", "CitationReport", "Comparison", "DataError", "Estimate",
    "Exhibit", "FoundVersion", "GraderChoice", "HengfaError", "Hit", "Judgment", "Law", "LookedUp",
    "Model", "Request", "Response", "Rules", "Run", "RunFigures", "Scores", "Status", "Step",
    "TaskFigures", "UsageError", "Version", "__version__", "check_case_numbers", "check_citations",
    "compare", "estimate", "evaluate", "grade", "grader", "load_run", "merge", "paper",
    "parse_judgment", "report", "score", "use_suite",
]  # fmt: skip

_HOMES = {
    "CaseRegister": "library.case_numbers:Register",
    "CaseReport": "library.case_numbers",
    "CitationReport": "library.citing.findings:Report",
    "Comparison": "runs.compare",
    "DataError": "errors",
    "Estimate": "runs.costs",
    "Exhibit": "report.papers.exhibit",
    "FoundVersion": "library.versions",
    "GraderChoice": "runs.grading",
    "HengfaError": "errors",
    "Hit": "library.search",
    "Judgment": "law.judgment.document",
    "Law": "api.law",
    "LookedUp": "library.lookup",
    "Model": "engine.messages",
    "Request": "engine.messages",
    "Response": "engine.messages",
    "Rules": "suites.base",
    "Run": "api.scores",
    "RunFigures": "runs.folder",
    "Scores": "api.scores",
    "Status": "engine.messages",
    "Step": "library.history",
    "TaskFigures": "runs.folder",
    "UsageError": "errors",
    "Version": "library.model",
    "check_case_numbers": "api.law",
    "check_citations": "api.law",
    "compare": "api.runs",
    "estimate": "api.runs",
    "evaluate": "api.runs",
    "grade": "api.runs",
    "grader": "api.runs",
    "load_run": "api.runs",
    "merge": "api.runs",
    "paper": "report.papers",
    "parse_judgment": "law.judgment.parse",
    "score": "api.runs",
    "use_suite": "api.runs",
}
"""Where each name is defined, and as what, if as another. `report` is a package that is called."""


def __getattr__(name: str) -> object:
    if name == "report":
        return import_module("hengfa.report")
    if name not in _HOMES:
        raise AttributeError(f"module 'hengfa' has no attribute {name!r}")
    module, _, other = _HOMES[name].partition(":")
    value = globals()[name] = getattr(import_module(f"hengfa.{module}"), other or name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
