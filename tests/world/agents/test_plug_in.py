"""An agent of the user's own: tools, limits, faults; and the tools over HTTP."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from hengfa.base.errors import BudgetReached, UsageError
from hengfa.evals.engine.messages import Message, Response
from hengfa.evals.engine.messages import Status as Replied
from hengfa.world.agents.booth import Limits
from hengfa.world.agents.plug_in import Tools, load_agent, work_with_agent
from hengfa.world.agents.served import serving
from hengfa.world.agents.trajectory import Ended
from hengfa.world.tables.remote import RemoteWorld
from hengfa.world.tables.world import World
from hengfa.world.tools.observation import Status
from hengfa.world.tools.toolbox import Toolbox
from tests.world.agents.scripted import Script, booth, run, told
from tests.world.tiny_world import COMPANY, COURT, FIRM

LOOK = ("get_court_code", {"identifier": "云0101", "columns": ["法院名称"]})


def worked(world: World, agent: Any, limits: Limits | None = None) -> Response:
    return run(work_with_agent(agent, booth(Script(), world, "strict", limits), "哪家法院？"))


def test_a_function_gets_question_and_tools_and_returns_a_text(tiny: World) -> None:
    def agent(question: str, tools: Tools) -> str:
        assert "get_sum" in tools.described()
        assert any(spec.name == "get_sum" for spec in tools.specs())
        return f"{question}{tools.call(*LOOK).rows[0]['法院名称']}，1,000元"

    response = worked(tiny, agent)
    reply = told(response)
    assert reply.answer == reply.summary == f"哪家法院？{COURT}，1000元"
    assert [(step.tool, step.status) for step in reply.steps or ()] == [(LOOK[0], Status.OK)]
    assert reply.ended is Ended.FINISHED
    assert COURT in response.reasoning


def test_a_coroutine_may_ask_the_model_of_the_run(tiny: World) -> None:
    async def agent(question: str, tools: Tools, ask: Callable[..., Any]) -> dict[str, str]:
        said = await ask([Message("user", question)], tools.specs(["get_sum"]))
        more = await ask([Message("user", said.text)])
        return {"answer": more.text, "summary": "经过"}

    script = Script(ask=["甲", "乙"])
    response = run(work_with_agent(agent, booth(script, tiny, "strict"), "问"))
    assert (told(response).answer, told(response).summary) == ("乙", "经过")
    assert script.steps == ["ask-1", "ask-2"]
    assert [tool.name for tool in script.asked[0].options.tools] == ["get_sum"]


class Waiting:
    async def __call__(self, question: str, tools: Tools) -> str:
        await asyncio.sleep(0)
        return question


def test_an_object_with_a_coroutine_as_its_call(tiny: World) -> None:
    assert told(worked(tiny, Waiting())).answer == "哪家法院？"


@pytest.mark.parametrize(
    ("returned", "reason"),
    [(3, "int"), (None, "NoneType"), ({"summary": "无"}, "dict"), ({"answer": 3}, "dict")],
)
def test_what_is_no_answer_fails(tiny: World, returned: object, reason: str) -> None:
    response = worked(tiny, lambda question, tools: returned)
    assert response.status is Replied.FAILED
    assert response.this_question_only
    assert f"returned {reason}" in response.reason


def test_a_fault_of_the_agent_is_told_and_asked_again(tiny: World) -> None:
    def agent(question: str, tools: Tools) -> str:
        tools.call(*LOOK)
        raise ZeroDivisionError("\x1b[2J" + "长" * 1_000)

    response = worked(tiny, agent)
    assert response.status is Replied.FAILED
    assert response.reason.startswith("the agent failed: ZeroDivisionError")
    assert "\x1b" not in response.reason and len(response.reason) < 400
    assert len(told(response).steps or ()) == 1


def test_the_limits_of_a_run_are_not_the_agents_fault(tiny: World) -> None:
    async def ask(_request: object) -> Response:
        raise BudgetReached("enough")

    async def agent(question: str, tools: Tools, ask: Callable[..., Any]) -> str:
        await ask([Message("user", question)])
        return "甲"

    with pytest.raises(BudgetReached):
        run(work_with_agent(agent, booth(ask, tiny, "strict"), "问"))


def test_a_limit_of_calls(tiny: World) -> None:
    def endless(question: str, tools: Tools) -> str:
        while True:
            tools.call(*LOOK)

    response = worked(tiny, endless, Limits(steps=3))
    assert response.status is Replied.ANSWERED
    assert (told(response).answer, told(response).ended) == ("silence", Ended.STEP_LIMIT)
    assert len(told(response).steps or ()) == 3


@pytest.mark.parametrize("slow", ["thread", "coroutine"])
def test_a_limit_of_seconds(tiny: World, slow: str) -> None:
    def thread(question: str, tools: Tools) -> str:
        time.sleep(1.2)
        return "甲"

    async def coroutine(question: str, tools: Tools) -> str:
        await asyncio.sleep(60)
        return "甲"

    response = worked(tiny, thread if slow == "thread" else coroutine, Limits(seconds=0.2))
    assert (told(response).answer, told(response).ended) == ("silence", Ended.BUDGET)


def test_agents_are_loaded_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my_legal_agent.py").write_text(
        "def agent(question, tools):\n    return question\nx = 3\n"
    )
    monkeypatch.delitem(sys.modules, "my_legal_agent", raising=False)
    before = list(sys.path)
    assert load_agent("my_legal_agent:agent")("问", None) == "问"
    assert sys.path == before
    for name, problem in (
        ("my_legal_agent:x", "not a function"),
        ("my_legal_agent:y", "cannot be loaded"),
        ("no_such_module:f", "cannot be loaded"),
        ("my_legal_agent", "module:function"),
    ):
        with pytest.raises(UsageError, match=problem):
            load_agent(name)


def test_the_tools_over_http_answer_as_in_process(tiny: World) -> None:
    toolbox = Toolbox(tiny, "strict")
    asked: list[tuple[str, Any]] = [
        LOOK,
        ("get_legal_document_law_list", {"identifier": FIRM, "columns": ["案号"]}),
        ("get_company_register_name", {"identifier": "91990000MA00000000"}),
        ("get_court_code", {"identifier": "无"}),
        ("get_court_code", {"identifier": "云0101", "columns": ["楼"]}),
        ("get_sub_company_info_list", {"identifier": COMPANY, "columns": ["公司名称"]}),
        ("legal_article_retriever", {"identifier": "灯塔", "k": 1}),
    ]

    async def both() -> list[tuple[str, str]]:
        async with serving(toolbox) as address:
            remote = Toolbox(RemoteWorld(address), "strict")
            return [
                (toolbox.call(*one).text, (await asyncio.to_thread(remote.call, *one)).text)
                for one in asked
            ]

    for here, there in asyncio.run(both()):
        assert here == there


def test_the_service_lists_its_tools_and_refuses_what_is_no_json(tiny: World) -> None:
    async def talk() -> tuple[list[str], int, int, Any]:
        async with serving(Toolbox(tiny, "helpful")) as address, aiohttp.ClientSession() as http:
            assert address.startswith("http://127.0.0.1:")
            async with http.get(address) as reply:
                names = [tool["name"] for tool in await reply.json()]
            async with http.post(f"{address}/get_sum", data="{坏") as reply:
                bad = reply.status
            async with http.post(f"{address}/get_sum", data="[" * 100_000) as reply:
                deep = reply.status
            async with http.post(f"{address}/..%2f..%2fetc", data="{}") as reply:
                return names, bad, deep, json.loads(await reply.text())

    names, bad, deep, unknown = asyncio.run(talk())
    assert {"get_court_code", "aggregate_rows"} <= set(names)
    assert (bad, deep) == (400, 400)
    assert unknown["error"] == "unknown tool"
