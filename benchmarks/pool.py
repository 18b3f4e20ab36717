"""Four servers together against each of them alone, in one run: is anything lost by sharing out?

    python benchmarks/pool.py                # 15 seconds for each server, and for the pool
    python benchmarks/pool.py --seconds 60   # less of beginning and end
    python benchmarks/pool.py --rounds 3     # medians, for a loaded machine

The servers are on this machine, in a process of their own, and differ as servers do: one is slow,
one answers 503 now and then, one turns away with 429 whatever is more than eight at a time, one is
fast. Each is asked alone by the whole engine, journal included, for so many seconds; then the pool
of all four is. Answers per second count the beginning, with few lanes, and the end, when the last
answers are waited for. Prints only.

Needs nothing besides Hengfa.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection as Channel
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from aiohttp import web

from hengfa.evals.engine.endpoint import Endpoint
from hengfa.evals.engine.journal import Journal
from hengfa.evals.engine.messages import Message, Model, Request, Status
from hengfa.evals.engine.pacing import Pool
from hengfa.evals.engine.session import Session, Tally
from hengfa.evals.engine.vendors import PROVIDERS
from shared_data import read_arguments

LANES = 32
LEAST = 0.9  # of the sum: the target


@dataclass(frozen=True)
class Kind:
    """How a server behaves."""

    title: str
    seconds: float
    bearable: int = sys.maxsize
    fails_every: int = 0


KINDS = (
    Kind("slow", seconds=0.8),
    Kind("503 now and then", seconds=0.2, fails_every=50),
    Kind("429 above eight at a time", seconds=0.1, bearable=8),
    Kind("fast", seconds=0.1),
)


class Stub:
    """A chat-completions server of one kind."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._asked = 0
        self._now = 0

    async def answer(self, request: web.Request) -> web.Response:
        asked = await request.json()
        self._asked += 1
        if self._kind.fails_every and self._asked % self._kind.fails_every == 0:
            return web.json_response({"error": {"message": "overloaded"}}, status=503)
        if self._now >= self._kind.bearable:
            return web.json_response({"error": {"message": "too many"}}, status=429)
        self._now += 1
        try:
            await asyncio.sleep(self._kind.seconds)
        finally:
            self._now -= 1
        message = {"role": "assistant", "content": asked["messages"][0]["content"]}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return web.json_response({"model": "stub", "choices": [choice]})


def serve(channel: Channel) -> None:
    """Run one server of each kind; their addresses go through the channel."""

    async def run() -> None:
        runners = []
        for kind in KINDS:
            app = web.Application()
            app.router.add_post("/v1/chat/completions", Stub(kind).answer)
            runner = web.AppRunner(app, access_log=None)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            runners.append(runner)
        channel.send([f"http://127.0.0.1:{runner.addresses[0][1]}/v1" for runner in runners])
        await asyncio.Event().wait()

    asyncio.run(run())


def endpoint(url: str) -> Endpoint:
    provider = PROVIDERS["endpoint"]
    return Endpoint("stub", model="stub", base_url=url, provider=provider, connections=LANES)


def questions(seconds: float) -> Iterator[Request]:
    """New ones for so long."""
    number, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        yield Request(f"pool/{number}", (Message("user", f"question {number}"),))
        number += 1


async def ask(model: Model, seconds: float) -> tuple[float, Counter[str]]:
    """Answers per second, and how many each server gave."""
    given: Counter[str] = Counter()
    with TemporaryDirectory() as folder, Journal(Path(folder) / "journal.jsonl") as journal:
        session = Session(model, journal, Tally(0), lanes=LANES)

        async def work(request: Request) -> None:
            response = await session.ask(request)
            if response.status is Status.ANSWERED:
                given[response.server or model.address] += 1

        started = time.monotonic()
        await session.for_each(questions(seconds), work)
        took = time.monotonic() - started
        await model.close()
    return sum(given.values()) / took, given


def measure(urls: Sequence[str], seconds: float) -> tuple[list[float], list[float]]:
    """Answers per second of each server alone, and in the pool."""
    alone = []
    for kind, url in zip(KINDS, urls, strict=True):
        print(f"alone: {kind.title} …", file=sys.stderr, flush=True)
        alone.append(asyncio.run(ask(endpoint(url), seconds))[0])
    print("the pool …", file=sys.stderr, flush=True)
    pool = Pool("stub", [endpoint(url) for url in urls])
    rate, given = asyncio.run(ask(pool, seconds))
    return alone, [rate * given[url] / given.total() for url in urls]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=15.0, help="for each measurement")
    parser.add_argument("--rounds", type=int, default=1, help="medians over so many rounds")
    arguments = read_arguments(parser, quick="--seconds 1")
    ours, theirs = Pipe()
    servers = Process(target=serve, args=(theirs,), daemon=True)
    servers.start()
    urls: list[str] = ours.recv()
    rounds = [measure(urls, arguments.seconds) for _ in range(arguments.rounds)]
    servers.terminate()
    print(f"{'answers per second':28}{'alone':>10}{'in the pool':>14}")
    for number, kind in enumerate(KINDS):
        alone = median(alone[number] for alone, _ in rounds)
        pooled = median(pooled[number] for _, pooled in rounds)
        print(f"{kind.title:28}{alone:10.1f}{pooled:14.1f}")
    sums = [(sum(alone), sum(pooled)) for alone, pooled in rounds]
    ratio = median(pooled / alone for alone, pooled in sums)
    print(f"{'in all':28}{median(a for a, _ in sums):10.1f}{median(p for _, p in sums):14.1f}")
    verdict = "met" if ratio >= LEAST else "MISSED"
    print(f"ratio {ratio:.3f} (target: at least {LEAST:g}): {verdict}")
    return 0 if ratio >= LEAST or arguments.quick else 1


if __name__ == "__main__":
    sys.exit(main())
