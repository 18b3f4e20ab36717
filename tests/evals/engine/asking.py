"""Short ways to ask questions of a local server through the whole engine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from aiohttp import web

from hengfa.base.secrets import Secret
from hengfa.evals.engine.endpoint import Endpoint
from hengfa.evals.engine.journal import Journal
from hengfa.evals.engine.messages import Message, Model, Options, Request, Response
from hengfa.evals.engine.session import RetryPolicy, Session, Tally
from hengfa.evals.engine.vendors import PROVIDERS

from .server import Seen, completion

KEY = "sk-local-0123456789abcdefghijklmnopqrstuvwxyz"
QUICK = RetryPolicy(attempts=3, first_delay=0.002, longest_delay=0.02)


def question(number: int, options: Options | None = None, text: str = "") -> Request:
    prompt = text or f"第{number}问:何为善意取得?"
    return Request(f"test/{number:04d}", (Message("user", prompt),), options or Options())


def questions(count: int, options: Options | None = None) -> list[Request]:
    return [question(number, options) for number in range(count)]


def prompt_of(request: Request) -> str:
    return request.messages[-1].content


def answer_to(prompt: str) -> str:
    return f"答:{prompt}"


async def answer(request: web.Request, seen: Seen) -> web.StreamResponse:
    """What a healthy server does."""
    return web.json_response(completion(answer_to(seen.prompt)))


def endpoint(
    url: str,
    provider: str = "openai",
    *,
    timeout: float = 60.0,
    stream: bool = False,
    key: str | None = KEY,
) -> Endpoint:
    return Endpoint(
        f"{provider}:test-model",
        model="test-model",
        base_url=f"{url}/v1",
        provider=PROVIDERS[provider],
        key=Secret(key) if key is not None else None,
        timeout=timeout,
        stream=stream,
    )


class Sitting:
    """One sitting of a run in a folder; `responses` holds what came back, by key."""

    def __init__(self, model: Model, folder: Path, **settings: Any) -> None:
        self.journal = Journal(folder / "journal.jsonl")
        self.tally = Tally(0, settings.pop("price", None))
        self.session = Session(
            model, self.journal, self.tally, **{"retry": QUICK, "lanes": 8, **settings}
        )
        self.responses: dict[str, Response] = {}

    async def one(self, request: Request) -> None:
        self.responses[request.key] = await self.session.ask(request)

    async def run(self, requests: Iterable[Request]) -> dict[str, Response]:
        """Ask everything, then close journal and model, come what may."""
        try:
            await self.session.for_each(requests, self.one)
        finally:
            self.journal.close()
            await self.session.model.close()
        return self.responses


async def sit(
    model: Model, folder: Path, requests: Iterable[Request], **settings: Any
) -> dict[str, Response]:
    return await Sitting(model, folder, **settings).run(requests)


class Scripted:
    """A model without a network: `generate` is whatever the test says."""

    name = "scripted"
    address = ""

    def __init__(self, generate: Any) -> None:
        self._generate = generate
        self.asked: list[str] = []

    async def generate(self, request: Request) -> Response:
        self.asked.append(request.key)
        response: Response = await self._generate(request)
        return response

    async def close(self) -> None:
        await asyncio.sleep(0)
