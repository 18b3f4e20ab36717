"""Tasks and replies of LegalAgentBench for tests of its rules, figures and facets."""

from __future__ import annotations

from collections.abc import Iterable

from tests.scoring import score_response

from hengfa.evals.engine.messages import Response
from hengfa.evals.engine.messages import Status as ResponseStatus
from hengfa.evals.suites.scoring import Scored
from hengfa.world.agents.trajectory import Ended, Reply, Step, write_reply
from hengfa.world.suites.legalagentbench.dataset import AgentSample
from hengfa.world.suites.legalagentbench.suite import SUITE
from hengfa.world.tools.observation import Status

PATH = ("get_company_register_name", "get_sub_company_info", "get_company_info")


def sample(
    key: Iterable[str] = ("甲公司", "1000.00万元"),
    middle: Iterable[str] = ("乙公司",),
    question: str = "请查。",
    path: tuple[str, ...] = PATH,
) -> AgentSample:
    return AgentSample("1", "3-hop", 1, question, "甲公司", tuple(key), tuple(middle), "", path)


def step(tool: str | None, status: Status = Status.OK, **arguments: str) -> Step:
    return Step(tool, dict(arguments), status)


def reply(answer: str, summary: str, *steps: Step, ended: Ended = Ended.FINISHED) -> str:
    return write_reply(Reply(answer, summary, steps, ended))


def scored(one: AgentSample, text: str, *fixes: str) -> Scored:
    rule_set = SUITE.tasks[one.group].rules(frozenset(fixes), None)
    return score_response(rule_set, one, Response(ResponseStatus.ANSWERED, text=text))
