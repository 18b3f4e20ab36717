"""The examples for other people's frameworks: each solves tasks with a scripted model, offline.

Each runs in a process of its own, where its package is installed: `examples/adapters`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import hengfa
from hengfa.world.factory.oracle import Oracle
from hengfa.world.factory.task import FreshTask
from hengfa.world.tables.world import World
from tests.conftest import REPOSITORY
from tests.evals.engine.server import LocalServer, Seen, completion, in_thread
from tests.world.agents.planned import make_ten

ADAPTERS = {
    "openai_agents": "agents",
    "langgraph_agent": "langgraph",
    "smolagents_agent": "smolagents",
    "inspect_react": "inspect_ai",
}
"""Modules of examples with the package that each needs."""
ENDS = ("submit", "final_answer")
"""Tools by which agents of frameworks hand in."""


def calling(tool: str, arguments: dict[str, Any], number: int) -> web.Response:
    function = {"name": tool, "arguments": json.dumps(arguments, ensure_ascii=False)}
    made = [{"id": f"call_{number}", "type": "function", "function": function}]
    return web.json_response(completion(None, "tool_calls", tool_calls=made))


def player(tasks: list[FreshTask], file: Path) -> LocalServer:
    """A model that follows each task's plan, one call a turn, and then answers."""
    with World.open(file) as world:
        oracle = Oracle(world)
        plays = {task.question: oracle.solve(task.plan) for task in tasks}
    turns = dict.fromkeys(plays, 0)

    async def answer(_request: web.Request, seen: Seen) -> web.StreamResponse:
        said = json.dumps(seen.body["messages"], ensure_ascii=False)
        question = next(q for q in plays if json.dumps(q, ensure_ascii=False)[1:-1] in said)
        turn, solved = turns[question], plays[question]
        turns[question] += 1
        if turn < len(solved.calls):
            call = solved.calls[turn]
            return calling(call.tool, dict(call.arguments), turn)
        offered = {tool["function"]["name"] for tool in seen.body.get("tools", ())}
        for name in ENDS:
            if name in offered:
                return calling(name, {"answer": solved.summary}, turn)
        return web.json_response(completion(solved.summary))

    return LocalServer(answer)


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_solves_tasks_with_its_calls_on_record(name: str, tmp_path: Path) -> None:
    if find_spec(ADAPTERS[name]) is None:
        pytest.skip(f"{ADAPTERS[name]} is not installed")
    tasks = make_ten(tmp_path / "data")
    with in_thread(player(tasks, tmp_path / "data" / "world.sqlite")) as server:
        address, key = f"{server.url}/v1", "sk-local-0123456789"
        given = {"PYTHONPATH": str(REPOSITORY / "src"), "AGENT_MODEL": "m"}
        for service in ("OPENAI", "LOCAL"):
            given |= {f"{service}_BASE_URL": address, f"{service}_API_KEY": key}
        words = ["--set", f"agent={name}:agent", "--set", "mode=strict", "--json"]
        words += ["--data", str(tmp_path / "data"), "--runs", str(tmp_path / "runs")]
        command = "from hengfa.cli.main import main; main()"
        evaluating = ["eval", "legalagentbench", "--setting", "tools", "--model", "none"]
        done = subprocess.run(
            [sys.executable, "-c", command, *evaluating, *words],
            cwd=REPOSITORY / "examples" / "adapters",
            env={**os.environ, **given},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    [folder] = (tmp_path / "runs").iterdir()
    [outcome] = hengfa.score("legalagentbench", folder).outcomes
    assert (outcome.model, len(outcome.tasks)) == (f"{name}:agent", 5)
    for group, figure in outcome.tasks.items():
        assert figure.score == 1.0, (group, done.stderr)
        assert figure.more["process"] == figure.more["path_recall"] == 1.0
        assert figure.more["bad_call"] == figure.more["no_data"] == 0.0
