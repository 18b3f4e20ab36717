"""An agent of the user's own in a run: with a model of its own, and named wrongly."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

import hengfa
from hengfa.base.errors import EndpointDown, UsageError

AGENTS = """\
def code(question, tools):
    seen = tools.call("get_company_info", {"identifier": "云帆渡船股份有限公司"})
    return str(seen.rows)

async def asking(question, tools, ask):
    return (await ask([])).text
"""
TARGET = "legalagentbench/1-hop"


@pytest.fixture(autouse=True)
def _agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own_agents.py").write_text(AGENTS, "utf-8")
    monkeypatch.delitem(sys.modules, "own_agents", raising=False)


def evaluated(model: str, agent: str, **more: Any) -> Any:
    return hengfa.evaluate(TARGET, model, data="sample", options={"agent": agent}, **more)


def test_an_agent_with_a_model_of_its_own_names_the_run() -> None:
    run = evaluated("none", "own_agents:code")
    assert run.folder.name == "legalagentbench-react-own_agents_code-sample"
    [outcome] = run.scores.outcomes
    assert outcome.model == "own_agents:code"
    assert outcome.tasks["1-hop"].more["calls"] == 1.0
    assert outcome.tasks["1-hop"].score > 0
    expected = hengfa.estimate(TARGET, "none", data="sample", options={"agent": "own_agents:code"})
    assert expected.asked[0].held == expected.asked[0].items == 2


def test_an_agent_that_asks_is_told_that_there_is_no_model() -> None:
    with pytest.raises(EndpointDown, match="own_agents:asking asks for the model of the run"):
        evaluated("none", "own_agents:asking", attempts=1)


@pytest.mark.parametrize(
    ("model", "agent", "problem"),
    [
        ("none", "nosuch:fn", "agent 'nosuch:fn' cannot be loaded"),
        ("none", "own_agents:nosuch", "agent 'own_agents:nosuch' cannot be loaded"),
        ("vllm:m", "nosuch:fn", "agent 'nosuch:fn' cannot be loaded"),
        ("none", "endpoint", "--model none is for an agent with a model of its own"),
        ("floor", "own_agents:code", "floor answers by itself and asks no agent"),
        ("ceiling", "nosuch:fn", "--set agent=nosuch:fn: ceiling answers by itself"),
        ("retrieval", "endpoint", "retrieval answers by itself and asks no agent"),
        ("saved:saved.jsonl", "own_agents:code", "answers by itself and asks no agent"),
    ],
)
def test_what_cannot_be_is_said_at_once(model: str, agent: str, problem: str) -> None:
    Path("saved.jsonl").write_text('{"task": "1-hop", "id": 1, "prediction": "甲"}\n', "utf-8")
    with pytest.raises(UsageError, match=problem):
        evaluated(model, agent)
    with pytest.raises(UsageError, match=problem):
        hengfa.estimate(TARGET, model, data="sample", options={"agent": agent})
    assert not os.path.lexists("runs")


def test_no_model_is_for_agents_only() -> None:
    with pytest.raises(UsageError, match="--model none is for an agent"):
        hengfa.evaluate("lawbench/1-1", "none", data="sample")
