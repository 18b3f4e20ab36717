"""Several servers: each at its own pace, none asked in vain, every question answered once."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.errors import EndpointDown, RunStopped, UsageError
from hengfa.evals.engine.journal import read_entries
from hengfa.evals.engine.messages import Message, Model, Request, Response, Status, Unavailable
from hengfa.evals.engine.pacing import Pool, PoolLanes
from hengfa.evals.engine.session import RetryPolicy
from hengfa.evals.engine.vendors import read_addresses
from hengfa.evals.runs.models import Connection, open_outside

from . import virtual_time
from .asking import Sitting, answer, endpoint, question, questions
from .server import LocalServer, Seen

NEVER = (math.inf, math.inf)


class FakeServer:
    """A server without a network, in the loop's own time, that remembers what it saw."""

    name = "fake"

    def __init__(
        self,
        address: str,
        seconds: float = 0.1,
        *,
        bearable: int = 1_000_000,
        retry_after: float | None = None,
        fails_every: int = 0,
        dead: tuple[float, float] = NEVER,
        refuses: str = "",
        only: bool = False,
    ) -> None:
        self.address = address
        self.asked: list[float] = []
        self.answered: list[str] = []
        self.at: list[float] = []
        self.most = 0
        self.closed = False
        self._seconds = seconds
        self._bearable, self._retry_after = bearable, retry_after
        self._fails_every = fails_every
        self._dead = dead
        self._refuses, self._only = refuses, only
        self._now = 0

    async def generate(self, request: Request) -> Response:
        self.asked.append(self._check_alive())
        if self._refuses:
            return Response(Status.FAILED, reason=self._refuses, this_question_only=self._only)
        if self._fails_every and len(self.asked) % self._fails_every == 0:
            raise Unavailable("HTTP 503", overloaded=True)
        if self._now >= self._bearable:
            raise Unavailable("HTTP 429", overloaded=True, retry_after=self._retry_after)
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            await asyncio.sleep(self._seconds)
        finally:
            self._now -= 1
        self.at.append(self._check_alive())
        self.answered.append(request.key)
        return Response(Status.ANSWERED, text=f"答{request.key}")

    async def close(self) -> None:
        self.closed = True

    def _check_alive(self) -> float:
        now = asyncio.get_running_loop().time()
        if self._dead[0] <= now < self._dead[1]:
            self.asked.append(now)
            raise Unavailable("connection: refused")
        return now


def pool(*servers: Model) -> Pool:
    return Pool("fake", servers)


def kept(folder: Path) -> dict[str, Response]:
    """The responses in the journal; each question must be there once."""
    entries = list(read_entries(folder / "journal.jsonl"))
    responses = {entry.key: entry.response for entry in entries}
    assert len(responses) == len(entries)
    return responses


@dataclass(frozen=True)
class Desk:
    """Asks in virtual time and reads the journal."""

    monkeypatch: pytest.MonkeyPatch
    folder: Path

    def run(self, work: Coroutine[object, object, Any]) -> Any:
        return virtual_time.run(self.monkeypatch, work)

    def ask(self, model: Model, count: int, **how: Any) -> dict[str, Response]:
        async def sit() -> None:
            await Sitting(model, self.folder, **how).run(questions(count))

        self.run(sit())
        return kept(self.folder)


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Desk:
    return Desk(monkeypatch, tmp_path)


# --- addresses ---


def test_addresses_come_from_the_call_and_from_files(tmp_path: Path) -> None:
    file = tmp_path / "servers.txt"
    file.write_text("\ufeff# ours\nhttp://a/v1\n\n  https://b/v1  \r\n#http://c\nhttp://a/v1\n")
    assert read_addresses(None) == read_addresses("") == read_addresses(()) == ()
    assert read_addresses("http://a/v1") == ("http://a/v1",)
    assert read_addresses(["http://z/v1", f"@{file}"]) == (
        "http://z/v1",
        "http://a/v1",
        "https://b/v1",
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"http://a/v1\nname:hunter22@b/v1\n", r"servers\.txt, line 2: not an address"),
        (b"\nhttp://a/v1 http://b:hunter22@c\n", r"servers\.txt, line 2: not an address"),
        (b"# nothing\n\n", r"no address in .*servers\.txt"),
        (b"http://\xff\n", r"servers\.txt: not UTF-8"),
        (None, r"servers\.txt: No such file"),
    ],
)
def test_a_file_of_addresses_that_cannot_be_read_is_named(
    content: bytes | None, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "servers.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError, match=said) as refused:
        read_addresses(f"@{file}")
    assert "hunter22" not in str(refused.value)


def test_several_addresses_make_a_pool_and_one_does_not() -> None:
    def opened(*addresses: str) -> Model:
        return open_outside("vllm:m", Connection(addresses))

    together = opened("http://b:8000/v1", "http://name:hunter22@a:8000/v1/", "http://b:8000/v1")
    assert isinstance(together, Pool)
    assert together.name == "vllm:m"
    assert together.address == "http://***@a:8000/v1, http://b:8000/v1"
    assert not isinstance(opened("http://a/v1", "http://a/v1"), Pool)
    with pytest.raises(UsageError, match="does not begin with http"):
        opened("http://a/v1", "ftp://b/v1")
    with pytest.raises(UsageError, match="no key"):
        opened("http://a/v1", "https://b/v1")


def test_a_server_with_a_login_of_its_own_does_not_get_the_key_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VLLM_API_KEY", "key-of-all")

    async def run() -> None:
        async with LocalServer(answer) as one, LocalServer(answer) as other:
            own = other.url.replace("http://", "http://name:hunter22@")
            both = open_outside("vllm:m", Connection([f"{one.url}/v1", f"{own}/v1"]))
            assert isinstance(both, Pool)
            for server in both.servers:
                await server.generate(question(0))
            await both.close()
            assert one.seen[0].headers["Authorization"] == "Bearer key-of-all"
            assert other.seen[0].headers["Authorization"].startswith("Basic ")

    asyncio.run(run())


# --- sharing out ---


def four() -> list[FakeServer]:
    """A slow one, one that fails now and then, one that bears little, and a fast one."""
    return [
        FakeServer("slow", 2.0),
        FakeServer("failing", 0.4, fails_every=50),
        FakeServer("small", 0.2, bearable=4),
        FakeServer("fast", 0.1),
    ]


def answers_per_second(desk: Desk, model: Model, seconds: float) -> float:
    async def sit(folder: Path) -> float:
        loop = asyncio.get_running_loop()
        since = loop.time()

        def endless() -> Iterator[Request]:
            number = 0
            while loop.time() < since + seconds:
                yield question(number)
                number += 1

        responses = await Sitting(model, folder, lanes=16, retry=RetryPolicy()).run(endless())
        answered = [response.status for response in responses.values()].count(Status.ANSWERED)
        return answered / (loop.time() - since)

    with TemporaryDirectory(dir=desk.folder) as folder:
        return float(desk.run(sit(Path(folder))))


def test_a_pool_gives_what_its_servers_give_alone(desk: Desk) -> None:
    alone = [answers_per_second(desk, server, 60.0) for server in four()]
    servers = four()
    together = answers_per_second(desk, pool(*servers), 60.0)
    assert together > 0.9 * sum(alone)
    assert all(server.most <= 16 for server in servers)
    assert len(servers[3].answered) > 10 * len(servers[0].answered) > 0


def test_few_requests_go_where_they_are_answered_soonest(desk: Desk) -> None:
    slow, fast = FakeServer("slow", 5.0), FakeServer("fast", 0.1)

    async def sit() -> None:
        sitting = Sitting(pool(slow, fast), desk.folder)
        for request in questions(20):
            await sitting.one(request)
        sitting.journal.close()

    desk.run(sit())
    assert len(slow.answered) == 1
    assert len(fast.answered) == 19


def test_what_one_server_turns_away_another_answers_at_the_first_attempt(desk: Desk) -> None:
    small, large = FakeServer("small", bearable=1), FakeServer("large")
    responses = desk.ask(pool(small, large), 100)
    assert len(responses) == 100
    assert {(response.status, response.attempts) for response in responses.values()} == {
        (Status.ANSWERED, 1)
    }
    by = Counter(response.server for response in responses.values())
    assert by == {"small": len(small.answered), "large": len(large.answered)}
    assert min(by.values()) > 0


def test_a_wish_to_wait_is_that_of_one_server(desk: Desk) -> None:
    tired, awake = FakeServer("tired", bearable=4, retry_after=30.0), FakeServer("awake", 0.1)
    desk.ask(pool(tired, awake), 400)
    assert [at for at in tired.asked if 0.0 < at < 30.0] == []
    assert max(awake.at) < 30.0


def test_the_turns_of_a_conversation_stay_at_one_server_while_it_has_room(desk: Desk) -> None:
    servers = [FakeServer("a", 0.1), FakeServer("b", 0.1), FakeServer("c", 0.3, dead=(2.0, 1e9))]

    async def converse(sitting: Sitting, number: int) -> None:
        for turn in range(10):
            await sitting.one(Request(f"talk/{number}#{turn}", (Message("user", f"{turn}"),)))
            await asyncio.sleep(0.3)

    async def sit() -> None:
        sitting = Sitting(pool(*servers), desk.folder)
        await asyncio.gather(*(converse(sitting, number) for number in range(6)))
        sitting.journal.close()

    desk.run(sit())
    by: dict[str, set[str]] = {}
    for key, response in kept(desk.folder).items():
        assert response.status is Status.ANSWERED
        by.setdefault(key.partition("#")[0], set()).add(response.server)
    assert {"a"} in by.values()
    assert {"b"} in by.values()
    moved = [servers for servers in by.values() if "c" in servers]
    assert all(len(servers) == 2 for servers in moved)
    assert moved
    assert sum(len(servers) == 1 for servers in by.values()) == 6 - len(moved)


# --- health ---


def test_a_server_that_died_is_left_alone_and_gets_work_again_when_it_is_back(desk: Desk) -> None:
    killed = FakeServer("killed", 0.1, dead=(5.0, 25.0))
    servers = [FakeServer("slow", 1.0), FakeServer("steady", 0.2), killed]
    responses = desk.ask(pool(*servers), 6000)
    assert len(responses) == 6000
    assert {response.status for response in responses.values()} == {Status.ANSWERED}
    assert {response.attempts for response in responses.values()} == {1}
    assert Counter(key for server in servers for key in server.answered) == dict.fromkeys(
        responses, 1
    )
    in_vain = [at for at in killed.asked if 5.2 < at < 25.0]
    assert 2 <= len(in_vain) <= 5, "pauses grow, and a single request is sent after each"
    assert min(at for at in killed.at if at > 5.0) < 25.0 + 16.2
    assert len([at for at in killed.at if at > 25.0]) > 500


def test_a_server_that_only_complains_is_asked_one_thing_at_a_time_and_seldom(desk: Desk) -> None:
    busy, good = FakeServer("busy", fails_every=1), FakeServer("good", 0.1)
    responses = desk.ask(pool(busy, good), 8000)
    assert {(response.status, response.attempts) for response in responses.values()} == {
        (Status.ANSWERED, 1)
    }
    assert max(good.at) > 60.0
    assert len([at for at in busy.asked if at > 5.0]) <= 5


def test_a_server_that_is_wrongly_set_up_does_not_swallow_the_questions(desk: Desk) -> None:
    closed, good = FakeServer("closed", refuses="HTTP 401: no such key"), FakeServer("good")
    responses = desk.ask(pool(closed, good), 300)
    assert {response.status for response in responses.values()} == {Status.ANSWERED}
    assert {response.server for response in responses.values()} == {"good"}
    assert len(closed.asked) < 20


def test_a_question_that_is_refused_for_itself_is_put_to_nobody_else(desk: Desk) -> None:
    servers = [FakeServer(name, refuses="HTTP 413: too long", only=True) for name in "ab"]
    responses = desk.ask(pool(*servers), 30)
    assert len(responses) == 30
    assert {response.reason for response in responses.values()} == {"HTTP 413: too long"}
    assert sum(len(server.asked) for server in servers) == 30


@pytest.mark.parametrize("how", [{"dead": (0.0, 1e9)}, {"refuses": "HTTP 401"}])
def test_when_all_servers_are_down_the_run_ends(how: dict[str, Any], desk: Desk) -> None:
    servers = [FakeServer(name, **how) for name in "abc"]
    with pytest.raises(EndpointDown, match=r"in a row failed, the last with: (conn|HTTP)"):
        desk.ask(pool(*servers), 500)
    assert sum(len(server.asked) for server in servers) < 400


def test_when_all_servers_only_complain_it_is_waited_and_then_the_run_ends(desk: Desk) -> None:
    servers = [FakeServer(name, bearable=0) for name in "ab"]
    with pytest.raises(EndpointDown):
        desk.ask(pool(*servers), 500)


def test_servers_that_come_back_after_all_were_down_are_found(desk: Desk) -> None:
    servers = [FakeServer(name, 0.1, dead=(1.0, 3.0)) for name in "ab"]
    responses = desk.ask(pool(*servers), 1000, retry=RetryPolicy(attempts=8))
    assert len(responses) == 1000
    assert {response.status for response in responses.values()} == {Status.ANSWERED}


# --- ending ---


def test_a_stop_ends_those_who_wait_for_a_server_and_asks_nothing_more(desk: Desk) -> None:
    servers = [FakeServer(name, 10.0) for name in "ab"]
    together = pool(*servers)

    async def sit() -> None:
        sitting = Sitting(together, desk.folder, lanes=4)
        running = asyncio.create_task(sitting.run(questions(100)))
        await asyncio.sleep(1.0)
        assert sitting.session.lanes.in_flight == 8
        sitting.session.stop(RunStopped("enough"))
        with pytest.raises(RunStopped, match="enough"):
            await running
        assert sitting.session.lanes.in_flight == 0

    desk.run(sit())
    assert [len(server.asked) for server in servers] == [4, 4]
    assert len(kept(desk.folder)) == 8
    assert all(server.closed for server in servers)


def test_one_who_gives_up_while_waiting_or_with_a_turn_keeps_no_place() -> None:
    async def run() -> None:
        lanes = PoolLanes(pool(FakeServer("a")), 1)

        async def visit() -> None:
            async with lanes.lane("k", set()):
                pass

        async with lanes.lane("k", set()):
            waiting = [asyncio.create_task(visit()) for _ in range(3)]
            await asyncio.sleep(0)
            waiting[1].cancel()  # while it waits
        waiting[0].cancel()  # with the turn that it was just given
        await asyncio.wait_for(waiting[2], 30.0)
        assert [visitor.cancelled() for visitor in waiting[:2]] == [True, True]
        assert lanes.in_flight == 0

    asyncio.run(run())


def test_without_a_session_the_first_who_answers_is_asked() -> None:
    async def run() -> None:
        dead, alive = FakeServer("dead", dead=(0.0, math.inf)), FakeServer("alive", 0.0)
        assert (await pool(dead, alive).generate(question(1))).status is Status.ANSWERED
        with pytest.raises(Unavailable):
            await pool(dead, dead).generate(question(1))

    asyncio.run(run())


SERVERS = st.lists(
    st.builds(
        FakeServer,
        st.just("server"),
        st.sampled_from([0.01, 0.3, 7.0]),
        bearable=st.sampled_from([0, 1, 5, 1000]),
        retry_after=st.sampled_from([None, 0.5, 40.0]),
        fails_every=st.sampled_from([0, 1, 2, 9]),
        dead=st.tuples(st.floats(0.0, 3.0), st.floats(0.0, 9.0)),
    ),
    max_size=4,
)


@settings(deadline=None, max_examples=60)
@given(SERVERS, st.integers(1, 12))
def test_beside_one_good_server_nothing_is_lost_and_nothing_answered_twice(
    odd: list[FakeServer], lanes: int
) -> None:
    servers = [*odd, FakeServer("good", 0.2), FakeServer("good too", 0.2)]
    with pytest.MonkeyPatch.context() as patches, TemporaryDirectory() as folder:
        responses = Desk(patches, Path(folder)).ask(pool(*servers), 120, lanes=lanes)
    assert len(responses) == 120
    assert {response.status for response in responses.values()} == {Status.ANSWERED}
    assert Counter(key for server in servers for key in server.answered) == dict.fromkeys(
        responses, 1
    )
    assert all(server.most <= lanes for server in servers)


# --- real servers ---


class Behaving(LocalServer):
    """Answers after a while; complains now and then, or about too many at a time."""

    def __init__(self, seconds: float, *, bearable: int = 1000, fails_every: int = 0) -> None:
        super().__init__(self.serve)
        self.seconds, self.bearable, self.fails_every = seconds, bearable, fails_every
        self.now = 0
        self.answered: list[str] = []
        self._awaited, self._reached = 0, asyncio.Event()

    async def serve(self, request: web.Request, seen: Seen) -> web.StreamResponse:
        if self.fails_every and len(self.seen) % self.fails_every == 0:
            return web.json_response({"error": "later"}, status=503)
        if self.now >= self.bearable:
            return web.json_response({"error": "too many"}, status=429)
        self.now += 1
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.now -= 1
        self.answered.append(seen.prompt)
        if len(self.answered) >= self._awaited:
            self._reached.set()
        return await answer(request, seen)

    async def answers(self, count: int) -> None:
        """Wait for so many more."""
        self._awaited = len(self.answered) + count
        self._reached.clear()
        await self._reached.wait()


def test_four_servers_one_killed_and_revived_lose_and_repeat_nothing(tmp_path: Path) -> None:
    slow, failing = Behaving(0.2), Behaving(0.03, fails_every=20)
    small, killed = Behaving(0.03, bearable=3), Behaving(0.08)
    revived = asyncio.Event()

    def until_revived() -> Iterator[Request]:
        """Questions until the server that was killed has had work again."""
        number = 0
        while not (revived.is_set() and len(killed.answered) >= 120):
            yield question(number)
            number += 1

    async def kill_and_revive(running: AsyncExitStack) -> None:
        await killed.answers(40)
        await running.aclose()
        died_with = len(killed.answered)
        await failing.answers(30)
        assert len(killed.answered) == died_with
        await killed.__aenter__()
        revived.set()

    async def run() -> dict[str, Response]:
        async with slow, failing, small, AsyncExitStack() as running:
            await running.enter_async_context(killed)
            servers = [endpoint(server.url) for server in (slow, failing, small, killed)]
            sitting = Sitting(pool(*servers), tmp_path, lanes=8)
            killing = asyncio.create_task(kill_and_revive(running))
            responses = await asyncio.wait_for(sitting.run(until_revived()), 60.0)
            await killing
            await killed.__aexit__(None, None, None)
            return responses

    responses = asyncio.run(run())
    assert {response.status for response in responses.values()} == {Status.ANSWERED}
    assert kept(tmp_path).keys() == responses.keys()
    answered = Counter(
        prompt for server in (slow, failing, small, killed) for prompt in server.answered
    )
    assert set(answered.values()) == {1}
    assert len(answered) == len(responses)
    assert {response.server for response in responses.values()} == {
        f"{server.url}/v1" for server in (slow, failing, small, killed)
    }
