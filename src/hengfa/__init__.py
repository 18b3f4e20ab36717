"""Hengfa 衡法 measures how well a model or agent knows, reads and applies Chinese law.

The names below are what one may rely on (docs/python.md); each is imported when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hengfa.base.lazy import lazily

if TYPE_CHECKING:
    from hengfa.base.errors import DataError, HengfaError, UsageError
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
    from hengfa.evals.engine.messages import Model, Request, Response, Status
    from hengfa.evals.report import report
    from hengfa.evals.report.papers import paper
    from hengfa.evals.report.papers.exhibit import Exhibit
    from hengfa.evals.results.figures import TaskFigures
    from hengfa.evals.runs.compare import Comparison
    from hengfa.evals.runs.costs import Estimate
    from hengfa.evals.runs.folder import RunFigures
    from hengfa.evals.runs.grading import GraderChoice
    from hengfa.evals.suites.base import Rules
    from hengfa.law.api import Law, check_case_numbers, check_citations
    from hengfa.law.grammar.judgment.document import Judgment
    from hengfa.law.grammar.judgment.parse import parse_judgment
    from hengfa.law.library.case_numbers import CaseReport
    from hengfa.law.library.case_numbers import Register as CaseRegister
    from hengfa.law.library.citing.findings import Report as CitationReport
    from hengfa.law.library.history import Step
    from hengfa.law.library.lookup import LookedUp
    from hengfa.law.library.model import Version
    from hengfa.law.library.search import Hit
    from hengfa.law.library.versions import FoundVersion

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
    "CaseRegister": "law.library.case_numbers:Register",
    "CaseReport": "law.library.case_numbers",
    "CitationReport": "law.library.citing.findings:Report",
    "Comparison": "evals.runs.compare",
    "DataError": "base.errors",
    "Estimate": "evals.runs.costs",
    "Exhibit": "evals.report.papers.exhibit",
    "FoundVersion": "law.library.versions",
    "GraderChoice": "evals.runs.grading",
    "HengfaError": "base.errors",
    "Hit": "law.library.search",
    "Judgment": "law.grammar.judgment.document",
    "Law": "law.api",
    "LookedUp": "law.library.lookup",
    "Model": "evals.engine.messages",
    "Request": "evals.engine.messages",
    "Response": "evals.engine.messages",
    "Rules": "evals.suites.base",
    "Run": "evals.api.scores",
    "RunFigures": "evals.runs.folder",
    "Scores": "evals.api.scores",
    "Status": "evals.engine.messages",
    "Step": "law.library.history",
    "TaskFigures": "evals.results.figures",
    "UsageError": "base.errors",
    "Version": "law.library.model",
    "check_case_numbers": "law.api",
    "check_citations": "law.api",
    "compare": "evals.api.runs",
    "estimate": "evals.api.runs",
    "evaluate": "evals.api.runs",
    "grade": "evals.api.runs",
    "grader": "evals.api.runs",
    "load_run": "evals.api.runs",
    "merge": "evals.api.runs",
    "paper": "evals.report.papers",
    "parse_judgment": "law.grammar.judgment.parse",
    "report": "evals.report",
    "score": "evals.api.runs",
    "use_suite": "evals.api.runs",
}
"""Where each name is at home, and as what, if as another."""

__getattr__, __dir__ = lazily(__name__, _HOMES)
