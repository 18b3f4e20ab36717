"""Batch interfaces on this machine that take and give what each vendor documents, and count.

`paid` counts how often a question was answered in a batch, whether or not anybody fetched it.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from hengfa.evals.engine.vendors import BATCHES, BatchForm

from .asking import KEY, answer_to
from .server import completion, hang_up
from .vendor_styles import STYLES

Lines = list[dict[str, Any]]
VENDORS = [name for name, form in BATCHES.items() if not form.held and name != "endpoint"]
ENDED = {"completed", "failed", "expired", "cancelled"}


@dataclass
class Made:
    """A batch at the vendor: it is worked on once it is made, and ends some time later."""

    object: dict[str, Any]
    lines: Lines
    ends_at: float
    listed_at: float


@dataclass
class BatchServer:
    """One vendor. What a test changes: limits, how long a batch takes, and what goes wrong.

    `trouble` names calls ("POST files", "POST batches", "GET batches", "GET file") and what they
    meet before all goes well: HTTP statuses, 0 for a connection that is cut. `lost_creates` are
    batches that are made, but the reply is lost. `finish` makes the end of a batch of its lines.
    """

    vendor: str = "openai"
    lines: int = 50_000
    file_bytes: int = 100_000_000
    seconds: float = 0.0
    listed_after: float = 0.0
    lists: bool = True
    trouble: dict[str, list[int]] = field(default_factory=dict)
    lost_creates: int = 0
    finish: Callable[[BatchServer, Made], None] | None = None
    answer: Callable[[dict[str, Any]], tuple[int, dict[str, Any]]] | None = None
    redirect_to: str = ""
    echoes: bool = False
    url: str = ""
    port: int = 0  # the same one when it is started again
    paid: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    headers: list[dict[str, str]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    made: dict[str, Made] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    _runner: web.AppRunner | None = None

    @property
    def form(self) -> BatchForm:
        return BATCHES[self.vendor]

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=2**30)
        app.router.add_post("/v1/files", self._upload)
        app.router.add_get("/v1/files/{file}/content", self._content)
        app.router.add_post("/v1/batches", self._create)
        app.router.add_get("/v1/batches", self._list)
        app.router.add_get("/v1/batches/{batch}", self._show)
        app.router.add_post("/v1/chat/completions", self._live)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.05)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        self.port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    def _met(self, request: web.Request, call: str) -> web.Response | None:
        """The trouble that a call meets, if any is left."""
        self.calls[call] += 1
        self.headers.append(dict(request.headers))
        if not self.trouble.get(call):
            return None
        status = self.trouble[call].pop(0)
        if status == 0:
            hang_up(request)
        body = STYLES[self.vendor].error(status or 500)
        if self.echoes:
            body = {"error": {"message": f"no: {request.headers['Authorization']}"}}
        return web.json_response(body, status=status or 500)

    def refuse(self, status: int, problem: str) -> web.Response:
        self.problems.append(problem)
        return web.json_response({"error": {"message": problem}}, status=status)

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        if (met := self._met(request, "POST files")) is not None:
            return met
        file = form["file"]
        assert isinstance(file, web.FileField)
        content = file.file.read()
        if form["purpose"] != "batch" or not file.filename.endswith(".jsonl"):
            return self.refuse(400, "a file for a batch is .jsonl, with the purpose batch")
        if len(content) > self.file_bytes:
            return self.refuse(413, f"more than {self.file_bytes} bytes")
        id_ = f"file-{len(self.files)}"
        self.files[id_] = content
        return web.json_response({"id": id_, "object": "file", "bytes": len(content)})

    async def _create(self, request: web.Request) -> web.Response:
        asked = await request.json()
        if (met := self._met(request, "POST batches")) is not None:
            return met
        window = asked.get("completion_window")
        if asked["endpoint"] != self.form.url or (self.vendor != "glm" and window != "24h"):
            return self.refuse(400, f"no such endpoint or window: {asked}")
        lines = [json.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
        id_ = f"batch_{len(self.made)}"
        now = time.monotonic()
        made = Made({"id": id_, "object": "batch", **asked}, lines, now + self.seconds, now)
        made.listed_at += self.listed_after
        self.made[id_] = made
        (self.finish or complete)(self, made)
        if self.lost_creates:
            self.lost_creates -= 1
            hang_up(request)
        return web.json_response(self._as_shown(made))

    async def _show(self, request: web.Request) -> web.Response:
        if (met := self._met(request, "GET batches")) is not None:
            return met
        made = self.made.get(request.match_info["batch"])
        if made is None:
            return web.json_response({"error": {"message": "no such batch"}}, status=404)
        return web.json_response(self._as_shown(made))

    def _as_shown(self, made: Made) -> dict[str, Any]:
        if time.monotonic() < made.ends_at:
            hidden = {"status", "output_file_id", "error_file_id", "errors"}
            shown = {name: of for name, of in made.object.items() if name not in hidden}
            shown = {"status": "in_progress", "output_file_id": None, **shown}
        else:
            shown = made.object
        counts = {"total": len(made.lines), "completed": 0, "failed": 0}
        if self.echoes:
            shown = {**shown, "id": f"{shown['id']}-{KEY}"}
        if self.vendor == "glm":  # whose reference shows them beside each other
            return {**shown, "request_counts": len(made.lines), **counts}
        return {**shown, "request_counts": counts}

    async def _list(self, request: web.Request) -> web.Response:
        if (met := self._met(request, "GET list")) is not None:
            return met
        if not self.lists:
            return web.json_response({"error": {"message": "not found"}}, status=404)
        now = time.monotonic()
        listed = [made.object for made in self.made.values() if made.listed_at <= now][::-1]
        after = request.query.get("after")
        start = [made["id"] for made in listed].index(after) + 1 if after else 0
        size = min(int(request.query["limit"]), 2)  # small pages, so that there are several
        page = listed[start : start + size]
        return web.json_response(
            {"object": "list", "data": page, "has_more": start + size < len(listed)}
        )

    async def _content(self, request: web.Request) -> web.StreamResponse:
        if (met := self._met(request, "GET file")) is not None:
            return met
        if self.redirect_to:
            raise web.HTTPFound(f"{self.redirect_to}{request.path}")
        content = self.files.get(request.match_info["file"])
        if content is None:
            return web.json_response({"error": {"message": "No such File"}}, status=404)
        return web.Response(body=content)

    async def _live(self, request: web.Request) -> web.Response:
        self.calls["live"] += 1
        body = await request.json()
        self.paid[prompt_of(body)] += 1
        status, reply = self.answered(body)
        return web.json_response(reply, status=status)

    def answered(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if self.answer is not None:
            return self.answer(body)
        return 200, completion(answer_to(prompt_of(body)))

    def check(self, lines: Lines) -> list[dict[str, Any]]:
        """What a vendor looks at before a batch begins."""
        ids = [line["custom_id"] for line in lines]
        wrong = len(lines) > self.lines or len({line["body"]["model"] for line in lines}) != 1
        if wrong or len(set(ids)) != len(ids) or min(map(len, ids)) < 6:
            self.problems.append("a file that no vendor takes")
        return [
            {"code": "invalid_line", "line": number, "message": f"line {number} is not allowed"}
            for number, line in enumerate(lines, 1)
            if line["method"] != "POST" or line["url"] != self.form.url or "stream" in line["body"]
        ]

    def keep(self, name: str, lines: list[bytes]) -> str | None:
        """A file of the vendor's own; there is none of no lines."""
        self.files[name] = b"".join(line + b"\n" for line in lines)
        return name if lines else None


def prompt_of(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"] if "messages" in body else body["prompt"])


def result(line: dict[str, Any], status: int, body: dict[str, Any]) -> bytes:
    """A line of an output or error file."""
    response = {"status_code": status, "request_id": "r", "body": body}
    said = {"id": "b", "custom_id": line["custom_id"], "response": response, "error": None}
    return json.dumps(said, ensure_ascii=False).encode()


def complete(server: BatchServer, made: Made, *, status: str = "completed", most: int = -1) -> None:
    """Answer the lines, at most so many of them, in any order; error lines have their own file."""
    if errors := server.check(made.lines):
        made.object |= {"status": "failed", "errors": {"object": "list", "data": errors}}
        return
    output: list[bytes] = []
    failed: list[bytes] = []
    for line in made.lines if most < 0 else made.lines[:most]:
        http, body = server.answered(line["body"])
        server.paid[prompt_of(line["body"])] += http == 200
        (output if http == 200 else failed).append(result(line, http, body))
    random.Random(made.object["id"]).shuffle(output)
    made.object |= {
        "status": status,
        "output_file_id": server.keep(f"{made.object['id']}-output", output),
        "error_file_id": server.keep(f"{made.object['id']}-error", failed),
    }
