"""A legal world beside the law over MCP: tasks, records, and what survives a kill."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

import hengfa
from hengfa.base.errors import DataError
from hengfa.evals.engine.messages import Status as Replied
from hengfa.law.library.building.build import build_library
from hengfa.law.library.store import Library
from hengfa.world.agents.seats import OVER, SUBMITTED, recorded
from hengfa.world.agents.trajectory import Ended, read_reply
from hengfa.world.factory.task import FreshTask
from hengfa.world.suites.legalagentbench.predictions import open_seats
from hengfa.world.tools.observation import Status
from hengfa.world.tools.toolbox import Toolbox
from tests.conftest import REPOSITORY
from tests.law.library.citing_laws import COAST, write_laws
from tests.world.agents.planned import make_ten, solved

pytest.importorskip("mcp", reason="mcp is not installed")
from hengfa.law.desk import mcp_server
from hengfa.world.agents.seats import OfferedWorld
from tests.law.desk.test_mcp_server import CALLS

pytestmark = pytest.mark.optional("mcp")
RUN = "from hengfa.cli.main import main; main()"


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[FreshTask]]:
    folder = tmp_path_factory.mktemp("ten")
    return folder, make_ten(folder)


def words(data: Path, record: Path, *more: str) -> list[str]:
    named = ["--tasks", str(data), "--record", str(record), "--mode", "strict"]
    return [sys.executable, "-c", RUN, "mcp", *named, *more]


def environment(home: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY / "src"), "HENGFA_HOME": str(home)}


@contextmanager
def listening(data: Path, record: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`hengfa mcp --http` as a process of its own, and the addresses of its tasks."""
    called = words(data, record, "--http", "--port", "0")
    with subprocess.Popen(
        called, stderr=subprocess.PIPE, text=True, env=environment(record.parent)
    ) as server:
        assert server.stderr is not None
        said = server.stderr.readline()
        assert "{task}" in said, said
        try:
            yield server, said.split(" at ")[1].split(";")[0]
        finally:
            server.kill()


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[Any]:
    from mcp import Client

    async with Client(address) as client:
        yield client


async def texted(client: Any, name: str, arguments: dict[str, object]) -> str:
    told = await client.call_tool(name, arguments)
    assert not told.is_error, told.content
    return str(told.content[0].text)


async def solve(client: Any, task: FreshTask) -> None:
    """Read the question, follow the plan, hand in."""
    loop = asyncio.get_running_loop()
    seat = json.loads(await texted(client, "read_task", {}))
    assert seat["question"] == task.question

    def call(name: str, arguments: dict[str, object]) -> str:
        return asyncio.run_coroutine_threadsafe(texted(client, name, arguments), loop).result()

    answer, summary = await asyncio.to_thread(solved, task, call)
    handed = await texted(client, "finish", {"answer": answer, "summary": summary})
    assert handed == SUBMITTED


def test_ten_tasks_end_to_end_killed_and_resumed(
    ten: tuple[Path, list[FreshTask]], tmp_path: Path
) -> None:
    data, tasks = ten
    record = tmp_path / "scripted"

    async def some(address: str, chosen: list[FreshTask]) -> None:
        for task in chosen:
            async with connected(address.format(task=task.id)) as client:
                await solve(client, task)

    async def begin(address: str) -> None:
        async with connected(address.format(task=tasks[5].id)) as client:
            await texted(client, "get_company_register", {"identifier": "无"})

    with listening(data, record) as (server, address):
        asyncio.run(some(address, tasks[:5]))
        asyncio.run(begin(address))
        server.send_signal(signal.SIGKILL)
    with (record / "6.jsonl").open("ab") as torn:  # as a machine leaves it that stops in a write
        torn.write(b'{"at": "2026')

    unfinished = hengfa.score("legalagentbench", record, data=data, partial=True)
    assert unfinished.outcomes[0].tasks["3-hop"].score == 0.5

    with listening(data, record) as (_, address):

        async def rest() -> None:
            async with connected(address.format(task=tasks[5].id)) as client:
                seat = json.loads(await texted(client, "read_task", {}))
                assert [call["tool"] for call in seat["calls"]] == ["get_company_register"]
                assert not seat["handed_in"]
            async with connected(address.format(task=tasks[0].id)) as client:
                assert await texted(client, "get_sum", {"identifier": [1]}) == OVER
                assert await texted(client, "finish", {"answer": "另一个"}) == OVER
            await some(address, tasks[5:])

        asyncio.run(rest())

    responses = recorded(record)
    assert set(responses) == {str(task.id) for task in tasks}
    for task in tasks:
        reply = read_reply(responses[str(task.id)].text)
        assert reply is not None and reply.ended is Ended.FINISHED
        called = [step.tool for step in reply.steps or ()]
        assert list(dict.fromkeys(called[task.id == 6 :])) == task.way.split("----")
    scores = hengfa.score("legalagentbench", record, data=data)
    [outcome] = scores.outcomes
    assert outcome.model == "scripted" and outcome.setting == "tools"
    for hops, figure in outcome.tasks.items():
        assert (figure.score, figure.more["process"]) == (1.0, 1.0), hops
        assert figure.more["path_recall"] == 1.0
    assert outcome.tasks["3-hop"].more["no_data"] == 0.5
    assert (record / "6.jsonl.torn").read_bytes() == b'{"at": "2026\n'


def test_a_client_that_starts_the_server_names_its_task(
    ten: tuple[Path, list[FreshTask]], tmp_path: Path
) -> None:
    from mcp import Client, StdioServerParameters

    data, tasks = ten
    command, *arguments = words(data, tmp_path / "stdio")
    given = {**environment(tmp_path), "HENGFA_TASK": str(tasks[2].id)}
    started = StdioServerParameters(command=command, args=arguments, env=given)

    async def talk() -> None:
        async with Client(started) as client:
            await solve(client, tasks[2])

    asyncio.run(talk())
    scores = hengfa.score("legalagentbench/2-hop", tmp_path / "stdio", data=data, partial=True)
    assert scores.outcomes[0].tasks["2-hop"].score == 1.0


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("laws")
    build_library([write_laws(folder / "laws")], folder / "law.sqlite")
    with Library.open(folder / "law.sqlite") as opened:
        yield opened


def test_calls_of_the_law_go_on_record_too(
    ten: tuple[Path, list[FreshTask]], library: Library, tmp_path: Path
) -> None:
    data, _ = ten
    seats = open_seats(data, tmp_path / "both", "helpful")

    async def talk() -> list[bool]:
        from mcp import Client

        server = mcp_server.law_server(library, OfferedWorld(seats.toolbox, seats, "1"))
        async with Client(server) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert len(set(names)) == len(names)
            assert {*CALLS, "read_task", "get_court_code", "filter_rows", "finish"} <= set(names)
            calls: list[tuple[str, dict[str, Any]]] = [
                ("look_up_provision", {"law": COAST, "position": "4", "on": "2006-01-01"}),
                ("look_up_provision", {"law": "无此法"}),
                ("look_up_provision", {"law": COAST, "unheard": "of"}),
                ("get_sum", {"identifier": [1, 2]}),
                ("no_such_tool", {"text": "\ud800"}),
                ("get_sum", {}),
                ("finish", {"answer": " "}),
            ]
            return [(await client.call_tool(*call)).is_error for call in calls]

    assert asyncio.run(talk()) == [False, False, True, False, False, False, False]
    seat = seats.seat("1")
    assert [(step.tool, step.status) for step in seat.calls] == [
        ("look_up_provision", Status.OK),
        ("look_up_provision", Status.NO_DATA),
        ("look_up_provision", Status.BAD_ARGUMENTS),
        ("get_sum", Status.OK),
        ("no_such_tool", Status.UNKNOWN_TOOL),
        ("get_sum", Status.BAD_ARGUMENTS),
        ("finish", Status.BAD_ARGUMENTS),
    ]
    assert not seat.handed_in
    assert recorded(tmp_path / "both")["1"].status is Replied.FAILED


def test_a_world_without_tasks_is_only_read(
    ten: tuple[Path, list[FreshTask]], library: Library
) -> None:
    from mcp import Client

    from hengfa.world.tables.world import World

    async def talk(world: World) -> tuple[list[str], str]:
        server = mcp_server.law_server(library, OfferedWorld(Toolbox(world, "strict")))
        async with Client(server) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            return names, await texted(client, "get_sum", {"identifier": [1, "2万"]})

    with World.open(ten[0] / "world.sqlite") as world:
        names, total = asyncio.run(talk(world))
    assert len(names) == len(CALLS) + 36
    assert not {"finish", "read_task"} & set(names)
    assert total == "20001.0"


def test_a_task_that_is_not_there_is_told(
    ten: tuple[Path, list[FreshTask]], tmp_path: Path
) -> None:
    with listening(ten[0], tmp_path / "who") as (_, address):

        async def talk() -> list[Any]:
            async with connected(address.format(task="99")) as client:
                return [await client.call_tool(name, {}) for name in ("read_task", "get_sum")]

        for told in asyncio.run(talk()):
            assert told.is_error and "there is no task '99'" in told.content[0].text
    assert not list((tmp_path / "who").glob("*.jsonl"))


def test_records_of_other_tasks_are_not_scored(
    ten: tuple[Path, list[FreshTask]], tmp_path: Path
) -> None:
    data, _ = ten
    seats = open_seats(data, tmp_path / "agent", "strict")
    seats.call("1", "finish", {"answer": "甲"})
    with pytest.raises(DataError, match="other tasks"):
        hengfa.score("legalagentbench", tmp_path / "agent", data="sample", partial=True)
    with pytest.raises(DataError, match="1 of 2 tasks were not begun"):
        hengfa.score("legalagentbench", tmp_path / "agent", data=data)
    [outcome] = hengfa.score("legalagentbench", tmp_path, data=data, partial=True).outcomes
    assert (outcome.model, outcome.tasks["1-hop"].score) == ("agent", 0.0)
    run = hengfa.evaluate(
        "legalagentbench",
        f"saved:{tmp_path / 'agent'}",
        data=data,
        setting="tools",
        runs=tmp_path / "runs",
    )
    assert run.folder.name.startswith("legalagentbench-tools-agent")
    assert run.scores.outcomes[0].tasks["1-hop"].more["calls"] == 0.0
