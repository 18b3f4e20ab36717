"""Pacing as the server sees it: how many requests at a time, and when."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from aiohttp import web

from hengfa.evals.engine.messages import Status
from hengfa.evals.engine.pacing import Lanes
from hengfa.evals.engine.session import RetryPolicy

from .asking import Sitting, answer, endpoint, questions, sit
from .server import LocalServer, Seen


class CountingServer(LocalServer):
    """Answers slowly enough for requests to meet; complains when more than `bearable` meet."""

    def __init__(self, bearable: int) -> None:
        super().__init__(self.serve)
        self.bearable = bearable
        self.now = 0
        self.most = 0
        self.complaints = 0

    async def serve(self, request: web.Request, seen: Seen) -> web.StreamResponse:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(0.005)
            if self.now > self.bearable:
                self.complaints += 1
                return web.json_response({"error": "too fast"}, status=429)
            return await answer(request, seen)
        finally:
            self.now -= 1


def test_the_server_never_sees_more_requests_at_a_time_than_lanes(tmp_path: Path) -> None:
    async def run() -> None:
        async with CountingServer(bearable=100) as server:
            responses = await sit(endpoint(server.url), tmp_path, questions(80), lanes=13)
        assert 1 < server.most <= 13
        assert {response.status for response in responses.values()} == {Status.ANSWERED}

    asyncio.run(run())


def test_a_server_that_complains_is_asked_more_slowly_until_all_is_answered(tmp_path: Path) -> None:
    async def run() -> None:
        async with CountingServer(bearable=3) as server:
            patient = RetryPolicy(attempts=100, first_delay=0.001, longest_delay=0.01)
            model = endpoint(server.url)
            sitting = Sitting(model, tmp_path, lanes=32, retry=patient)
            responses = await sitting.run(questions(80))
        assert {response.status for response in responses.values()} == {Status.ANSWERED}
        assert server.complaints > 0
        assert isinstance(sitting.session.lanes, Lanes) and sitting.session.lanes.cuts > 0
        assert sitting.tally.retries == server.complaints

    asyncio.run(run())


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_asks_to_wait_sees_nobody_until_then(status: int, tmp_path: Path) -> None:
    pause = 0.4
    complained_at = 0.0

    async def run() -> None:
        async def complain_once(request: web.Request, seen: Seen) -> web.StreamResponse:
            nonlocal complained_at
            if len(server.seen) == 3:
                complained_at = seen.at
                headers = {"Retry-After": str(pause)}
                return web.json_response({"error": "wait"}, status=status, headers=headers)
            return await answer(request, seen)

        async with LocalServer(complain_once) as server:
            model = endpoint(server.url)
            sitting = Sitting(model, tmp_path, lanes=1)
            await sitting.run(questions(6))
            later = [seen.at - complained_at for seen in server.seen[3:]]
            assert len(later) == 4
            assert min(later) >= pause

    asyncio.run(run())
