"""A vendor's batch interface as a model: many requests at once, for later and for less.

`generate` puts a request into a waiting room. When no other has come for a moment, those in it are
written into files, uploaded, made into batches and waited for, and each gets its own answer. So who
asks need not know of it: suites, graders, and agents turn by turn.

Beside the journal, `batches.jsonl` says what became of each batch. It is in there before the vendor
is told to make it, and an answer in the journal names its batch. So it is known of every question
whether it waits in a batch, whenever a process was killed, and none is sent twice (decision 0023).
"""

from __future__ import annotations

import asyncio
import codecs
import hashlib
import secrets
from collections.abc import Awaitable, Callable, Container, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, ParamSpec, TypeAlias, TypeVar
from urllib.parse import quote

import msgspec

from hengfa.base.data.appended import Appended
from hengfa.base.data.jsonfile import encode_json, json_decoder
from hengfa.base.errors import BatchesWaiting, EndpointDown, UsageError, counted
from hengfa.evals.engine.journal import read_entries
from hengfa.evals.engine.messages import JSONObject, Refused, Request, Response, Status, Unavailable
from hengfa.evals.engine.replies import one_line, without_tools
from hengfa.evals.engine.vendors import BatchForm

if TYPE_CHECKING:
    from hengfa.evals.engine.endpoint import Endpoint

P = ParamSpec("P")
T = TypeVar("T")
Read: TypeAlias = Callable[[int, object], Response]
"""How the body of a reply is read, by its HTTP status."""
Outcome: TypeAlias = Response | Unavailable

LEDGER = "batches.jsonl"
HELD = "held"
"""The batch of an answer for which a connection was held."""
HELD_SECONDS = 24 * 3600.0
ROOM = 200_000  # questions that wait at a time
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_OTHERWISE = "remove it if you know why it is there"
_PAGE, _PAGES = 100, 100  # of the vendor's list of batches


class Pauses(msgspec.Struct, frozen=True):
    """Seconds to wait, and how often something is tried."""

    room: float = 1.0  # without a new request, until those in the room go
    poll: float = 10.0  # at first, then half as long again each time
    longest_poll: float = 300.0
    trouble: float = 2.0  # after the first trouble, then twice as long each time
    tries: int = 12  # with these pauses, some twenty minutes
    look: float = 10.0  # between two looks for a batch that may have been made
    looks: int = 3


# --- lines ---


class Line(NamedTuple):
    """A request as it stands in a file, and by what it is found in a journal."""

    key: str
    prompt_hash: str
    content: bytes = b""


def line_id(key: str, prompt_hash: str) -> str:
    """The `custom_id` of a question: the same whenever it is asked."""
    return hashlib.blake2b(f"{key}\n{prompt_hash}".encode(), digest_size=12).hexdigest()


def write_line(request: Request, body: JSONObject, url: str) -> Line:
    """A request as all vendors, and `vllm run-batch`, take it."""
    prompt_hash = request.prompt_hash()
    id_ = line_id(request.key, prompt_hash)
    content = encode_json({"custom_id": id_, "method": "POST", "url": url, "body": body})
    return Line(request.key, prompt_hash, content + b"\n")


class _OutputLine(msgspec.Struct):
    """A line of an output or error file."""

    custom_id: str
    response: Any = None
    error: Any = None


_decode_line = json_decoder(_OutputLine)


class Answers:
    """What the lines of output and error files say, in whatever order and however often.

    The first line that settles a question stands; `torn` counts what is no such line.
    """

    def __init__(self, ids: Container[str], read: Read) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self.torn = 0
        self._ids = ids
        self._read = read

    def add(self, line: bytes) -> None:
        if not (line := line.removeprefix(codecs.BOM_UTF8).strip()):
            return
        try:
            said = _decode_line(line)
        except msgspec.DecodeError:
            self.torn += 1
            return
        settled = isinstance(self.outcomes.get(said.custom_id), Response)
        if said.custom_id in self._ids and not settled:
            self.outcomes[said.custom_id] = self._outcome(said.response, said.error)

    def _outcome(self, reply: object, error: object) -> Outcome:
        """An error stands alone, or beside a reply that has the words for it."""
        status, body = 200, reply
        if isinstance(reply, dict):
            code, body = reply.get("status_code"), reply.get("body", reply)
            status = code if isinstance(code, int) else 200
        if error:
            body = {**(body if isinstance(body, dict) else {}), "error": error}
        try:
            return self._read(status, body)
        except Unavailable as trouble:
            return Unavailable(trouble.reason)


# --- the ledger ---

Kind = Literal["written", "uploaded", "created", "ended", "fetched"]


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the ledger: what was done with a batch, which goes by a name of our own.

    `file` is the uploaded one, `id` the vendor's name for the batch, `files` those with output and
    errors. `requests` are keys and prompt hashes by the id of their line, `problems` the vendor's
    words by the number of a line, 0 for the whole file.
    """

    batch: str
    step: Kind
    at: str = ""
    address: str = ""
    file: str = ""
    requests: dict[str, tuple[str, str]] = {}
    id: str = ""
    status: str = ""
    files: tuple[str, ...] = ()
    problems: dict[int, str] = {}


@dataclass(eq=False)
class Batch:
    """A batch, with the steps that it has gone, and how far the vendor is with it."""

    name: str
    steps: dict[Kind, Step] = field(default_factory=dict)
    done: int = 0
    settled: frozenset[str] | None = None
    """The questions that its output settles, once that was read."""

    @property
    def requests(self) -> Mapping[str, tuple[str, str]]:
        return next(iter(self.steps.values())).requests

    def at(self, step: Kind, field_: str) -> str:
        """A field of a step, empty if that was not gone."""
        return getattr(self.steps[step], field_) if step in self.steps else ""


class Ledger:
    """The batches of a run, in a file that is only appended to. Who opens it locks the journal."""

    def __init__(self, path: Path) -> None:
        self._file = Appended(path, json_decoder(Step), _OTHERWISE)
        self.batches: dict[str, Batch] = {}
        for _, step in self._file:
            self._batch(step)

    def note(self, step: Step) -> Batch:
        """Write a step down; on return it would survive a power cut."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        step = msgspec.structs.replace(step, at=now)
        self._file.append(encode_json(step) + b"\n")
        self._file.flush()
        return self._batch(step)

    def _batch(self, step: Step) -> Batch:
        batch = self.batches.setdefault(step.batch, Batch(step.batch))
        batch.steps[step.step] = step
        return batch

    def waiting(self, kept: Container[tuple[str, str]]) -> dict[str, Batch]:
        """Of each question that waits in a batch the last one; `kept` are answers by batch."""
        waiting: dict[str, Batch] = {}
        for batch in self.batches.values():
            for id_ in batch.requests if "uploaded" in batch.steps else ():
                if "fetched" in batch.steps or (id_, batch.name) in kept:
                    waiting.pop(id_, None)
                else:
                    waiting[id_] = batch
        return waiting

    def close(self) -> None:
        self._file.close()


def kept_by_batch(journal: Path) -> set[tuple[str, str]]:
    """The answers in a journal that came by batch: the ids of their lines, and the batches."""
    entries = read_entries(journal) if journal.is_file() else ()
    by_batch = ((entry, batch) for entry in entries if (batch := entry.response.batch))
    return {(line_id(entry.key, entry.prompt_hash), batch) for entry, batch in by_batch}


def refuse_waiting(journal: Path) -> None:
    """An error where questions of a run wait in batches: asked otherwise, they are paid twice."""
    if not (path := journal.with_name(LEDGER)).is_file():
        return
    ledger = Ledger(path)
    ledger.close()
    if waiting := ledger.waiting(kept_by_batch(journal)):
        batches = ", ".join(dict.fromkeys(batch.name for batch in waiting.values()))
        raise UsageError(
            f"{journal.parent}: {counted(len(waiting), 'question')} in batches ({batches}): give "
            f"--batch to fetch their answers; who gives them up can remove {path}"
        )


# --- the model ---


class BatchModel:
    """An endpoint that is asked through the batch interface of its vendor.

    With `detach` nobody waits: once all is submitted, `generate` raises `BatchesWaiting`.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        form: BatchForm,
        *,
        lanes: int = 64,
        detach: bool = False,
        pauses: Pauses | None = None,
    ) -> None:
        self.name = endpoint.name
        self.address = endpoint.address
        self.lanes = lanes if form.held else ROOM
        self._endpoint = endpoint
        self._form = form
        self._pauses = pauses or Pauses()
        self._journal = Path()
        self._ledger: Ledger | None = None
        self._known: dict[str, Batch] = {}
        self._answering: dict[str, asyncio.Task[dict[str, Outcome]]] = {}
        self._tasks: set[asyncio.Task[dict[str, Outcome]]] = set()
        self._room: dict[str, Line] = {}
        self._closing: asyncio.Task[None] | None = None
        self._stopped = False
        self._uploading = asyncio.Lock()
        self._leaving = asyncio.Event()
        if detach:
            self._leaving.set()

    def open(self, journal: Path) -> None:
        """Begin a sitting, whose answers this journal keeps."""
        if not self._form.held:
            self._journal = journal
            self._ledger = Ledger(journal.with_name(LEDGER))
            self._known = self._ledger.waiting(kept_by_batch(journal))

    @property
    def ledger(self) -> Ledger:
        if self._ledger is None:
            raise RuntimeError("a sitting begins with open()")
        return self._ledger

    async def generate(self, request: Request) -> Response:
        if self._form.held:
            response = await self._endpoint.generate(request)
            return msgspec.structs.replace(response, batch=HELD)
        id_ = line_id(request.key, request.prompt_hash())
        answering = self._answering.get(id_)
        if answering is None and id_ in self._known:
            batch = self._known[id_]
            ids = [known for known, of in self._known.items() if of is batch]
            answering = self._start(ids, self._follow(batch))
        if answering is None:
            self._room[id_] = write_line(request, self._endpoint.body(request), self._form.url)
            if self._closing is None or self._closing.done():
                self._closing = asyncio.create_task(self._close_room())
            await asyncio.shield(self._closing)
            answering = self._answering[id_]
        outcome = (await asyncio.shield(answering))[id_]
        if self._answering.get(id_) is answering:
            del self._answering[id_]  # asked again, it goes into another batch
        if isinstance(outcome, Unavailable):
            raise Unavailable(outcome.reason)
        return outcome if request.options.tools else without_tools(outcome)

    def leave(self) -> bool:
        """Send nothing more, and wait for nothing that was sent; whether that can be."""
        self._stopped = True
        self._leaving.set()
        return not self._form.held

    async def close(self) -> None:
        """Note which batches have all their answers in the journal."""
        closing = [self._closing] if self._closing else []
        for task in (*self._tasks, *closing):
            task.cancel()
        await asyncio.gather(*self._tasks, *closing, return_exceptions=True)
        await self._endpoint.close()
        if self._ledger is None:
            return
        kept = kept_by_batch(self._journal)
        for name, batch in self._ledger.batches.items():
            if batch.settled is not None and all((id_, name) in kept for id_ in batch.settled):
                self._ledger.note(Step(name, "fetched"))
        self._ledger.close()
        self._ledger = None

    def waiting(self) -> str:
        """How far the vendor is, for people; empty if nothing is there."""
        if self._ledger is None:
            return ""
        made = [batch for batch in self._ledger.batches.values() if "created" in batch.steps]
        there = [batch for batch in made if not {"ended", "fetched"} & batch.steps.keys()]
        asked = sum(len(batch.requests) for batch in there)
        names = ", ".join(batch.at("created", "id") for batch in there)
        done = sum(batch.done for batch in there)
        since = min((batch.at("created", "at") for batch in there), default="")
        return f"{done} of {asked} done in {names} since {since}" if there else ""

    # --- from the room into batches ---

    async def _close_room(self) -> None:
        """Wait until nobody comes any more; then all go, each into a batch."""
        before = -1
        while len(self._room) != before:
            before = len(self._room)
            await asyncio.sleep(self._pauses.room)
        lines, self._room = self._room, {}
        if self._stopped:
            raise BatchesWaiting("nothing more is sent")
        for lot in self._lots(lines):
            self._start(lot, self._carry(lot))

    def _lots(self, lines: Mapping[str, Line]) -> Iterator[dict[str, Line]]:
        lot: dict[str, Line] = {}
        size = 0
        for id_, line in lines.items():
            size += len(line.content)
            if lot and (len(lot) == self._form.lines or size > self._form.file_bytes):
                yield lot
                lot, size = {}, len(line.content)
            lot[id_] = line
        yield lot

    def _start(
        self, ids: Iterable[str], work: Coroutine[Any, Any, dict[str, Outcome]]
    ) -> asyncio.Task[dict[str, Outcome]]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        self._answering.update(dict.fromkeys(ids, task))
        for id_ in ids:
            self._known.pop(id_, None)
        return task

    async def _carry(self, lot: Mapping[str, Line]) -> dict[str, Outcome]:
        """Upload the lines, and follow the batch that is made of them."""
        name = secrets.token_hex(8)
        try:
            file = await self._persist(self._upload, name, lot)
        except Refused as refused:
            if refused.status == 413:
                return await self._carry_halves(lot, str(refused))
            raise self._down(f"the server does not take the file of a batch: {refused}") from None
        requests = {id_: (line.key, line.prompt_hash) for id_, line in lot.items()}
        del lot  # which can be large, and the batch may take a day
        step = Step(name, "uploaded", address=self.address, file=file, requests=requests)
        return await self._follow(self.ledger.note(step), made=False)

    async def _upload(self, name: str, lot: Mapping[str, Line]) -> str:
        """The id of the file, of which there is one at a time."""
        async with self._uploading:
            content = b"".join(line.content for line in lot.values())
            if len(content) > self._form.file_bytes:
                raise Refused(f"more than {self._form.file_bytes} bytes", 413)
            said = await self._endpoint.call(
                "POST", "files", sent={"purpose": "batch"}, file=(f"hengfa-{name}.jsonl", content)
            )
        return _text(said, "id")

    async def _carry_halves(self, lot: Mapping[str, Line], reason: str) -> dict[str, Outcome]:
        """A file that is too large for this server is parted."""
        if len(lot) == 1:
            too_long = f"the question is too long for a batch: {reason}"
            return dict.fromkeys(lot, _failed(too_long, this_question_only=True))
        lines = list(lot.items())
        middle = len(lines) // 2
        halves = (dict(lines[:middle]), dict(lines[middle:]))
        first, second = await asyncio.gather(*map(self._carry, halves))
        return first | second

    # --- from a batch to its answers ---

    async def _follow(self, batch: Batch, *, made: bool = True) -> dict[str, Outcome]:
        """Its answers, from wherever it is; `made` is whether the vendor may have been told."""
        if (at := batch.at("uploaded", "address")) != self.address:
            raise self._down(f"batch {batch.name} is at {at}: give that --base-url to fetch it")
        if "created" not in batch.steps:
            await self._create(batch, made=made)
        if "ended" not in batch.steps:
            await self._wait(batch)
        answers = await self._fetch(batch)
        settled = (id_ for id_, outcome in answers.items() if isinstance(outcome, Response))
        batch.settled = frozenset(settled)
        return answers

    async def _create(self, batch: Batch, *, made: bool) -> None:
        """Have it made, once: whenever that may have happened already, look first."""
        asked: dict[str, object] = {
            "input_file_id": batch.at("uploaded", "file"),
            "endpoint": self._form.url,
            "metadata": {"hengfa": batch.name},
        }
        if self._form.window:
            asked["completion_window"] = self._form.window

        async def attempt() -> str:
            nonlocal made
            id_ = await self._find(batch) if made else ""
            made = True
            return id_ or _text(await self._endpoint.call("POST", "batches", sent=asked), "id")

        try:
            id_ = await self._persist(attempt)
        except Refused as refused:
            self.ledger.note(Step(batch.name, "fetched", status="refused"))
            raise self._down(f"the server does not make the batch: {refused}") from None
        self.ledger.note(Step(batch.name, "created", id=id_))

    async def _find(self, batch: Batch) -> str:
        """The vendor's id of a batch that may have been made; empty if it is not in the list. A
        batch may stand there a while after it was made, so it is looked for more than once."""
        file = batch.at("uploaded", "file")
        for look in range(self._pauses.looks):
            await asyncio.sleep(self._pauses.look if look else 0)
            query = {"limit": str(_PAGE)}
            for _ in range(_PAGES):
                try:
                    page = await self._endpoint.call("GET", "batches", query=query)
                except Refused as refused:
                    raise self._down(
                        f"whether batch {batch.name} (file {file}) was made is not known, for the "
                        f"server does not list its batches ({refused}). Nothing is sent again: "
                        f"look there, and if it was not made, remove its line from {LEDGER}"
                    ) from None
                listed = [one for one in page.get("data") or () if isinstance(one, dict)]
                for one in listed:
                    named = one.get("metadata")
                    ours = isinstance(named, dict) and named.get("hengfa") == batch.name
                    if ours or one.get("input_file_id") == file:
                        return _text(one, "id")
                if not listed or not page.get("has_more"):
                    break
                query["after"] = _text(listed[-1], "id")
        return ""

    async def _wait(self, batch: Batch) -> None:
        id_, pause = batch.at("created", "id"), self._pauses.poll
        path = f"batches/{quote(id_, safe='')}"
        while True:
            try:
                said = await self._persist(self._endpoint.call, "GET", path)
            except Refused as refused:
                raise self._down(f"batch {id_} is not shown: {refused}") from None
            batch.done = _done(said)
            status = str(said.get("status")).lower()
            named = (said.get("output_file_id"), said.get("error_file_id"))
            files = tuple(file for file in named if isinstance(file, str) and file)
            if status in ENDED and (files or status != "completed"):
                break
            if self._leaving.is_set():
                raise BatchesWaiting(f"batch {id_} waits")
            try:
                await asyncio.wait_for(self._leaving.wait(), pause)
            except TimeoutError:
                pause = min(pause * 1.5, self._pauses.longest_poll)
        problems = _problems(said.get("errors"))
        self.ledger.note(Step(batch.name, "ended", status=status, files=files, problems=problems))

    async def _fetch(self, batch: Batch) -> dict[str, Outcome]:
        """What became of each question. Where the output of a batch is gone nothing is asked again
        by itself, for it was paid."""
        end = batch.steps["ended"]
        title = f"batch {batch.at('created', 'id')} {end.status}"
        missing: Outcome = Unavailable(f"{title} without an answer to this")
        for look in range(self._pauses.looks):
            await asyncio.sleep(self._pauses.look if look else 0)
            answers = Answers(batch.requests, self._endpoint.read)
            for file in end.files:
                try:
                    await self._persist(self._read_file, file, answers)
                except Refused as refused:
                    missing = _failed(f"{title}, but its file {file} is gone: {refused}")
            whole = end.status != "completed" or len(answers.outcomes) == len(batch.requests)
            if isinstance(missing, Response) or (whole and not answers.torn):
                break
        said = dict(_ends(batch.requests, end.problems, title, missing)) | answers.outcomes
        for id_, outcome in said.items():
            if isinstance(outcome, Response):
                said[id_] = msgspec.structs.replace(outcome, batch=batch.name)
        return said

    async def _read_file(self, file: str, answers: Answers) -> None:
        async for line in self._endpoint.lines(f"files/{quote(file, safe='')}/content"):
            answers.add(line)

    async def _persist(
        self, call: Callable[P, Awaitable[T]], *given: P.args, **named: P.kwargs
    ) -> T:
        """What a call gives at last, however often the server is in trouble."""
        pause = self._pauses.trouble
        for _ in range(self._pauses.tries - 1):
            try:
                return await call(*given, **named)
            except Unavailable as trouble:
                await asyncio.sleep(max(pause, min(trouble.retry_after or 0.0, 60.0)))
                pause = min(pause * 2, self._pauses.longest_poll)
        try:
            return await call(*given, **named)
        except Unavailable as trouble:
            raise self._down(f"the batch interface gives no answer: {trouble.reason}") from None

    def _down(self, reason: str) -> EndpointDown:
        kept = "All answers and batches so far are kept; the same command goes on"
        return EndpointDown(f"{self.address}: {reason}. {kept}")


def _text(said: JSONObject, name: str) -> str:
    """A text that a reply must have."""
    value = said.get(name)
    if not isinstance(value, str) or not value:
        raise Unavailable(f"the reply has no {name}")
    return value


def _failed(reason: str, *, this_question_only: bool = False) -> Response:
    return Response(Status.FAILED, reason=one_line(reason), this_question_only=this_question_only)


def _done(said: JSONObject) -> int:
    """How many requests are done; some vendors count in an object, some beside it."""
    counts = said.get("request_counts")
    counted = counts if isinstance(counts, dict) else said
    numbers = [counted.get("completed"), counted.get("failed")]
    return sum(number for number in numbers if isinstance(number, int))


def _problems(errors: object) -> dict[int, str]:
    """What the vendor says is wrong with a file, by the number of the line; 0 for all of it."""
    listed = errors.get("data") if isinstance(errors, dict) else errors
    problems: dict[int, str] = {}
    for error in listed if isinstance(listed, list) else [listed] if listed else []:
        words = error if isinstance(error, dict) else {"message": error}
        line = words.get("line")
        said = one_line(str(words.get("message") or words.get("code")))
        problems.setdefault(line if isinstance(line, int) and line > 0 else 0, said)
    return problems


def _ends(
    ids: Mapping[str, object], problems: Mapping[int, str], title: str, missing: Outcome
) -> Iterator[tuple[str, Outcome]]:
    """What is to be said of each question of a batch that its output says nothing of.

    A line that the vendor names is at fault by itself; where it names none, all are. The others are
    `missing`, and asked again where that may help.
    """
    named = {line: words for line, words in problems.items() if line}
    for number, id_ in enumerate(ids, 1):
        if number in named:
            yield id_, _failed(f"{title}: {named[number]}", this_question_only=True)
        elif problems and not named:
            yield id_, _failed(f"{title}: {problems[0]}")
        else:
            yield id_, missing
