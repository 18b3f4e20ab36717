"""The law itself: how it is written, what it says on a day, and the desk that checks documents.

README.md beside this file has the map. The names below are what other wings and users may rely on;
each is imported when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hengfa.base.hooks import Command, Wing
from hengfa.base.lazy import lazily

if TYPE_CHECKING:
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

__all__ = [
    "WING",
    "CaseRegister",
    "CaseReport",
    "CitationReport",
    "FoundVersion",
    "Hit",
    "Judgment",
    "Law",
    "LookedUp",
    "Step",
    "Version",
    "check_case_numbers",
    "check_citations",
    "parse_judgment",
]

WING: Final = Wing(
    name="law",
    rank=1,
    commands={
        "law": Command(
            "The law itself: build the library, show, history, search, stats, export.",
            "Law",
            "hengfa.law.commands.law",
        ),
        "cite": Command(
            "Check the citations of a document: existing, in force, quoted right.",
            "Law",
            "hengfa.law.commands.cite",
        ),
        "retrieve": Command(
            "Find provisions and cases for a text; measure retrievers.",
            "Law",
            "hengfa.law.commands.retrieve",
        ),
        "serve": Command(
            "The law desk in the browser and over REST: check documents, look up law.",
            "Law",
            "hengfa.law.commands.serve",
        ),
        "mcp": Command(
            "The law as tools for agents: a Model Context Protocol server.",
            "Law",
            "hengfa.law.commands.mcp",
        ),
    },
    derivations={"statutes": "hengfa.law.library.assembly"},
    reads={"hengfa law, cite, retrieve": "statutes"},
)
"""What it offers to the whole."""

_HOMES: Final = {
    "CaseRegister": "library.case_numbers:Register",
    "CaseReport": "library.case_numbers",
    "CitationReport": "library.citing.findings:Report",
    "FoundVersion": "library.versions",
    "Hit": "library.search",
    "Judgment": "grammar.judgment.document",
    "Law": "api",
    "LookedUp": "library.lookup",
    "Step": "library.history",
    "Version": "library.model",
    "check_case_numbers": "api",
    "check_citations": "api",
    "parse_judgment": "grammar.judgment.parse",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
