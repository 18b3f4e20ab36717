"""Seats for agents of others: what goes on record, whatever they send, and the same over REST."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hengfa.base.errors import JournalError, UsageError
from hengfa.evals.engine.messages import Status as Replied
from hengfa.world.agents.seats import OVER, SUBMITTED, Over, Seats, recorded
from hengfa.world.agents.served import serving
from hengfa.world.agents.trajectory import read_reply
from hengfa.world.tables.remote import RemoteWorld
from hengfa.world.tables.world import World
from hengfa.world.tools.observation import Status
from hengfa.world.tools.toolbox import Toolbox
from tests.world.tiny_world import COURT

OVER_TINY = Over("questions", "tiny", "strict")
LOOK = ("get_court_code", {"identifier": "云0101", "columns": ["法院名称"]})
ODD = "a/b c?%.."


@pytest.fixture
def seats(tiny: World, tmp_path: Path) -> Seats:
    questions = {"1": "哪家法院？", ODD: "还有呢？"}
    return Seats(tmp_path / "agent", Toolbox(tiny, "strict"), questions, OVER_TINY)


def test_what_was_handed_in_comes_back_with_its_calls(seats: Seats) -> None:
    seen = seats.call(ODD, *LOOK)
    assert seats.call(ODD, "finish", {"answer": f"{COURT}，1,000元", "summary": "同上"}).text == (
        SUBMITTED
    )
    assert [path.name for path in seats.folder.glob("*.jsonl")] == ["a%2Fb%20c%3F%25...jsonl"]
    [(id_, response)] = recorded(seats.folder).items()
    reply = read_reply(response.text)
    assert id_ == ODD and reply is not None
    assert reply.answer == reply.summary == f"{COURT}，1000元"
    assert [(step.tool, step.arguments) for step in reply.steps or ()] == [LOOK]
    assert seen.text in response.reasoning
    assert seats.seat(ODD).handed_in and not seats.seat("1").handed_in
    assert seats.call(ODD, *LOOK).text == OVER
    assert len(seats.seat(ODD).calls) == 1


def test_an_answer_is_a_text(seats: Seats) -> None:
    tried: list[Any] = [{}, {"answer": ""}, {"answer": " \n"}, {"answer": 3}, None, 3, ["甲"]]
    for arguments in tried:
        assert seats.call("1", "finish", arguments).status is Status.BAD_ARGUMENTS
    assert [step.tool for step in seats.seat("1").calls] == ["finish"] * len(tried)
    assert seats.call("1", "Final Answer", "甲").text == SUBMITTED


def test_calls_at_once_by_several_servers_are_all_on_record(seats: Seats) -> None:
    other = Seats(seats.folder, seats.toolbox, seats.questions, OVER_TINY)
    with ThreadPoolExecutor(8) as threads:
        for number in range(40):
            table = (seats, other)[number % 2]
            threads.submit(table.call, "1", "get_sum", {"identifier": [number]})
    called = sorted(step.arguments["identifier"] for step in seats.seat("1").calls)
    assert called == [[number] for number in range(40)]


def test_a_folder_of_something_else_is_refused(seats: Seats, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("甲")
    with pytest.raises(UsageError, match="holds what is no record"):
        Seats(tmp_path / "mine", seats.toolbox, {}, OVER_TINY)
    with pytest.raises(UsageError, match="mode 'strict' instead of 'helpful'; name another"):
        Seats(seats.folder, seats.toolbox, {}, Over("questions", "tiny", "helpful"))
    with pytest.raises(UsageError, match="there is no task '2'"):
        seats.call("2", *LOOK)


def test_a_record_that_was_damaged_is_left_alone(seats: Seats) -> None:
    seats.call("1", *LOOK)
    file = seats.folder / "1.jsonl"
    damaged = b"{no json}\n" + file.read_bytes()
    file.write_bytes(damaged)
    with pytest.raises(JournalError, match=r"1\.jsonl, line 1"):
        seats.call("1", *LOOK)
    assert file.read_bytes() == damaged


anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(tool=st.text(st.characters()) | st.sampled_from(["get_sum", "finish"]), given=anything)
def test_whatever_is_called_can_be_read_again(seats: Seats, tool: str, given: Any) -> None:
    (seats.folder / "1.jsonl").unlink(missing_ok=True)
    seen = seats.call("1", tool, given)
    if (seats.folder / "1.jsonl").exists():
        response = recorded(seats.folder)["1"]
        reply = read_reply(response.text)
        assert reply is not None
        handed_in = seen.text == SUBMITTED
        assert (response.status is Replied.ANSWERED) == handed_in
        assert [step.status for step in reply.steps or ()] == ([] if handed_in else [seen.status])


def test_tasks_over_rest(seats: Seats) -> None:
    async def talk() -> None:
        async with serving(seats.toolbox, seats=seats) as address, aiohttp.ClientSession() as http:
            base = f"{address}/tasks/1"
            async with http.get(f"{address}/tasks") as reply:
                assert await reply.json() == ["1", ODD]
            remote = Toolbox(RemoteWorld(base), "strict")
            seen = await asyncio.to_thread(remote.call, *LOOK)
            assert seen.text == seats.toolbox.call(*LOOK).text
            async with http.get(base) as reply:
                told = await reply.json()
            assert (told["question"], len(told["calls"])) == ("哪家法院？", 1)
            async with http.post(f"{base}/finish", data="{坏") as reply:
                assert reply.status == 400
            async with http.post(f"{base}/finish", json={"answer": COURT}) as reply:
                assert await reply.json() == SUBMITTED
            for path in ("/tasks/2", "/tasks/2/openapi.json", "/tasks/1/get_sum"):
                async with http.get(f"{address}{path}") as reply:
                    assert reply.status in (404, 405), path

    asyncio.run(talk())
    reply = read_reply(recorded(seats.folder)["1"].text)
    assert reply is not None and reply.answer == COURT
    assert [step.tool for step in reply.steps or ()] == [LOOK[0]]


def test_the_service_describes_itself(seats: Seats) -> None:
    validator = pytest.importorskip("openapi_spec_validator")

    async def read() -> tuple[Any, Any]:
        async with serving(seats.toolbox, seats=seats) as address, aiohttp.ClientSession() as http:
            async with http.get(f"{address}/openapi.json") as reply:
                world = json.loads(await reply.text())
            async with http.get(f"{address}/tasks/a%2Fb%20c%3F%25../openapi.json") as reply:
                return world, json.loads(await reply.text())

    world, task = asyncio.run(read())
    for document in (world, task):
        validator.validate(document)
        assert {f"/{name}" for name in seats.toolbox.names} == set(document["paths"])
    assert task["servers"] == [{"url": "/tasks/a%2Fb%20c%3F%25.."}]
    assert task["info"]["description"] == "还有呢？"
    body = task["paths"]["/finish"]["post"]["requestBody"]["content"]["application/json"]
    assert set(body["schema"]["properties"]) == {"answer", "summary"}
