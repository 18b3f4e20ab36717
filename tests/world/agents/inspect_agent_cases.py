"""An agent of Inspect AI with our tools; its model is a local server. Run by test_inspect_agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")

from inspect_ai.agent import react

from hengfa.world.agents.inspect_agent import inspect_agent, inspect_tools
from hengfa.world.agents.plug_in import Tools, work_with_agent
from hengfa.world.agents.trajectory import Ended
from hengfa.world.tools.observation import Status
from tests.evals.engine.server import LocalServer, Seen, completion, in_thread
from tests.world.agents.scripted import Script, booth, run, told
from tests.world.tiny_world import COURT, opened

pytestmark = pytest.mark.filterwarnings("ignore")  # Inspect's own dependencies warn


def call(tool: str, arguments: dict[str, Any]) -> web.Response:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    made = [{"id": "call_1", "type": "function", "function": function}]
    return web.json_response(completion(None, "tool_calls", tool_calls=made))


def test_an_agent_of_inspect_calls_our_tools_and_its_submission_is_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    said = [
        lambda: call("get_court_code", {"identifier": "云0101", "columns": ["法院名称"]}),
        lambda: call("get_court_code", {"identifier": "无"}),
        lambda: call("submit", {"answer": COURT}),
    ]

    async def answer(_request: web.Request, _seen: Seen) -> web.StreamResponse:
        return said.pop(0)()

    with in_thread(LocalServer(answer)) as server, opened(tmp_path) as world:
        monkeypatch.setenv("LOCAL_API_KEY", "sk-local-0123456789")
        monkeypatch.setenv("LOCAL_BASE_URL", f"{server.url}/v1")
        agent = inspect_agent(lambda tools: react(tools=tools), model="openai-api/local/m")
        response = run(work_with_agent(agent, booth(Script(), world, "helpful"), "哪家法院？"))
        offered = {tool["function"]["name"] for tool in server.seen[0].body["tools"]}
    reply = told(response)
    assert COURT in reply.answer, response.reason
    assert reply.ended is Ended.FINISHED
    assert [step.status for step in reply.steps or ()] == [Status.OK, Status.NO_DATA]
    assert {"get_court_code", "aggregate_rows", "submit"} <= offered
    assert not capfd.readouterr().out  # standard output is for results


def test_all_tools_but_finish_become_tools_of_inspect(tmp_path: Path) -> None:
    with opened(tmp_path) as world:
        tools = Tools(booth(Script(), world, "helpful"))
        names = [tool.name for tool in inspect_tools(tools)]
        assert "finish" not in names
        assert {"get_court_code", "aggregate_rows"} <= set(names)
        assert [tool.name for tool in inspect_tools(tools, ["get_sum"])] == ["get_sum"]
