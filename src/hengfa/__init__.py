"""Hengfa 衡法 measures how well a model or agent knows, reads and applies Chinese law.

The names below are what one may rely on (docs/python.md); each is imported when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hengfa.base.lazy import lazily

if TYPE_CHECKING:
    from hengfa.base.errors import DataError, HengfaError, UsageError
    from hengfa.evals.engine.messages import Model, Request, Response, Status
    from hengfa.evals.report import report
    from hengfa.evals.report.papers import paper
    from hengfa.evals.report.papers.exhibit import Exhibit
    from hengfa.evals.results.figures import TaskFigures
    from hengfa.evals.runs.ask import grader
    from hengfa.evals.runs.compare import Comparison, compare
    from hengfa.evals.runs.estimate import Estimate, estimate
    from hengfa.evals.runs.evaluate import evaluate, grade
    from hengfa.evals.runs.folder import RunFigures
    from hengfa.evals.runs.grading import GraderChoice
    from hengfa.evals.runs.look import Run, Scores, load_run
    from hengfa.evals.runs.merge import merge
    from hengfa.evals.runs.predictions import score
    from hengfa.evals.suites.base import Rules
    from hengfa.evals.suites.registry import use_suite
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
    "Estimate": "evals.runs.estimate",
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
    "Run": "evals.runs.look",
    "RunFigures": "evals.runs.folder",
    "Scores": "evals.runs.look",
    "Status": "evals.engine.messages",
    "Step": "law.library.history",
    "TaskFigures": "evals.results.figures",
    "UsageError": "base.errors",
    "Version": "law.library.model",
    "check_case_numbers": "law.api",
    "check_citations": "law.api",
    "compare": "evals.runs.compare",
    "estimate": "evals.runs.estimate",
    "evaluate": "evals.runs.evaluate",
    "grade": "evals.runs.evaluate",
    "grader": "evals.runs.ask",
    "load_run": "evals.runs.look",
    "merge": "evals.runs.merge",
    "paper": "evals.report.papers",
    "parse_judgment": "law.grammar.judgment.parse",
    "report": "evals.report",
    "score": "evals.runs.predictions",
    "use_suite": "evals.suites.registry",
}
"""Where each name is at home, and as what, if as another."""

__getattr__, __dir__ = lazily(__name__, _HOMES)
