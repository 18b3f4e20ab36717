"""One provision of a fictional statute, and what responses to it are worth."""

from __future__ import annotations

from datetime import date
from typing import Any

from tests.scoring import score_response, trace_of

from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.results.trace import Trace
from hengfa.evals.suites.base import Metrics
from hengfa.evals.suites.claw.dataset import ClawSample
from hengfa.evals.suites.claw.suite import SUITE
from hengfa.law.grammar.citation_model import Position

GOLD = "渡务署应当自收到申请之日起十五日内发给渡船牌；不发的，应当写明缘由。"
REFUSAL = "抱歉，我无法提供渡船牌的规定，渡务署应当知道。"
HERE = Position(5, None, 1)


def sample(position: Position = HERE, text: str = GOLD, **more: Any) -> ClawSample:
    fields: dict[str, Any] = {
        "id": "x",
        "law": "月湖渡船法",
        "version": date(2015, 9, 20),
        "position": position,
        "text": text,
        "asked": date(2015, 9, 20),
        "reading": "promulgated on",
        "in_force": "same",
        "in_force_text": None,
        "in_force_at": (),
        "same": (),
        "changed": False,
        "superseded": False,
        "lone_year": True,
        "bertscore": "",
    }
    return ClawSample(**fields | more)


def judged(task: str, one: ClawSample, text: str, *fixes: str) -> Metrics:
    rule_set = SUITE.tasks[task].rules(frozenset(fixes), None)
    return score_response(rule_set, one, Response(Status.ANSWERED, text=text)).metrics


def traced(task: str, one: ClawSample, response: str, *fixes: str) -> Trace:
    return trace_of(SUITE.tasks[task].rules(frozenset(fixes), None), one, response)


def quoted(trace: Trace, response: str) -> list[list[str]]:
    return [[response[start:end] for start, end in one.spans] for one in trace.findings]
