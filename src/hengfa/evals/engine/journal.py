"""The journal of a run: every response on disk before anything is made of it; and what was asked.

One JSON line per response. A line is handed to the system in one write (survives kill -9) and
`append` returns only after it has been flushed to the disk (survives a power cut); responses that
arrive while a flush is under way share the next one. A line that was torn by a crash or a full disk
is moved aside, with a notice, when the journal is opened again (`hengfa.base.data.appended`).
`Replay` is a journal as a model: it answers what was answered before and asks nobody.

The messages that went to the model stand in a file beside it, a prompt in a line, found by the hash
that the journal has of it. An agent's prompts repeat all that was said before, and those of a task
begin with the same rules; so a line names an earlier prompt and says how much of it it begins with.
Of a task that took several questions, a line says in which order they and the calls of tools came.
These lines are not flushed, since nothing in them was paid for: one that a power cut took is passed
over, and what it said is then not known.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import msgspec
from filelock import FileLock, Timeout
from rapidfuzz.distance import Prefix

from hengfa.base.data.appended import Appended, Place, read_appended
from hengfa.base.data.jsonfile import encode_json, json_decoder
from hengfa.base.data.output import whole_file
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import JournalError, RunLocked, UsageError
from hengfa.evals.engine.messages import (
    JSONObject,
    Message,
    Options,
    Request,
    Response,
    Status,
    ToolSpec,
    ToolUse,
)

K = TypeVar("K")
V = TypeVar("V")


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: which question, how it was put, to whom, and what came back.

    Tools and reply schemas are left out of `options`: they can be long, are the same in every turn,
    and are part of the prompt hash. They stand with the messages (`SentFile`).
    """

    key: str
    prompt_hash: str
    model: str
    at: str
    response: Response
    options: Options = Options()


class _Ending(msgspec.Struct):
    status: Status


class _Head(msgspec.Struct):
    """Only what the index needs of a line; the rest is checked to be JSON and skipped."""

    key: str
    response: _Ending


_ENCODER = msgspec.json.Encoder()
_decode = json_decoder(Entry)
_decode_head = json_decoder(_Head)
_OTHERWISE = "remove it if you know why it is there, to ask its question again, or use --fresh"


class Journal:
    """An append-only file of responses, found again by key.

    Only the places of lines that were there when the journal was opened are held in memory, so a
    run of any length costs the same. `ask_again` names the statuses that do not count as settled:
    a question that ended so is put to the model again. `sent` is the file of what went to the
    model.
    """

    def __init__(
        self, path: Path, *, ask_again: frozenset[Status] = frozenset({Status.FAILED})
    ) -> None:
        self.path = path
        self._ask_again = ask_again
        with ExitStack() as opened:
            opened.callback(lock_journal(path).release)
            self._file = Appended(path, _decode_head, _OTHERWISE)
            opened.callback(self._file.close)
            self._places: dict[str, Place] = {}
            for place, head in self._file:
                _let_stand(self._places, head.key, place, head.response.status)
            self.sent = SentFile(path)
            opened.callback(self.sent.close)
            self._opened = opened.pop_all()
        self.notices = self._file.notices
        self._flusher = ThreadPoolExecutor(1, "journal")
        self._unflushed: list[asyncio.Future[None]] = []
        self._flushing: asyncio.Task[None] | None = None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._places)

    def close(self) -> None:
        self._flusher.shutdown()
        self._opened.close()

    def find(self, request: Request, prompt_hash: str) -> Response | None:
        """The settled response to this very question, if there is one.

        A response to the same key under another prompt means that the data, the prompt or the
        options changed since: mixing the two would give a figure of nothing.
        """
        place = self._places.get(request.key)
        if place is None:
            return None
        try:
            entry = _decode(self._file.read(place))
        except msgspec.DecodeError as error:
            raise JournalError(
                f"{self.path}, line {place.line}: not a journal entry: {error}; {_OTHERWISE}"
            ) from error
        return settled(entry, prompt_hash, self._ask_again, self.path)

    async def append(
        self, request: Request, prompt_hash: str, model: str, response: Response
    ) -> None:
        """Write the response; returns when it would survive a power cut."""
        line = _ENCODER.encode(new_entry(request, prompt_hash, model, response)) + b"\n"
        try:
            self._file.append(line)
        except OSError as error:
            raise no_room(self.path, error) from error
        await self._flush()

    async def _flush(self) -> None:
        loop = asyncio.get_running_loop()
        mine = loop.create_future()
        self._unflushed.append(mine)
        if self._flushing is None or self._flushing.done():
            self._flushing = loop.create_task(self._flush_until_clean())
        await mine

    async def _flush_until_clean(self) -> None:
        loop = asyncio.get_running_loop()
        while self._unflushed:
            await asyncio.sleep(0)  # what has arrived with it goes with it
            batch, self._unflushed = self._unflushed, []
            problem = None
            try:
                await loop.run_in_executor(self._flusher, self._file.flush)
            except OSError as error:
                problem = f"{self.path}: could not flush to disk: {error.strerror}"
            for waiting in batch:
                if waiting.done():  # whoever waited was cancelled
                    continue
                if problem is None:
                    waiting.set_result(None)
                else:
                    waiting.set_exception(JournalError(problem))


def new_entry(request: Request, prompt_hash: str, model: str, response: Response) -> Entry:
    """The line of a response that came just now."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    options = msgspec.structs.replace(request.options, tools=(), reply_schema=None)
    return Entry(request.key, prompt_hash, model, at, response, options)


def append_entry(path: Path, entry: Entry) -> None:
    """One more line of a journal that nobody holds open; on disk when this returns.

    A question that has its answer there is answered by another process at the same time.
    """
    with (
        disk_errors(path),
        FileLock(path.with_suffix(".lock")),
        closing(Appended(path, _decode_head, _OTHERWISE)) as opened,
    ):
        for _, head in opened:
            if head.key == entry.key and head.response.status is not Status.FAILED:
                raise RunLocked(f"{path}: another process has answered {entry.key} meanwhile")
        opened.append(_ENCODER.encode(entry) + b"\n")
        opened.flush()


def settled(
    entry: Entry, prompt_hash: str, ask_again: Container[Status], path: Path
) -> Response | None:
    """The response of an entry if it answers this very question, and the question is not open."""
    if entry.response.status in ask_again:
        return None
    if entry.prompt_hash != prompt_hash:
        raise JournalError(
            f"{path}: the question {entry.key} was put differently when it was answered "
            f"({entry.at}): prompt or options have changed. Use --fresh to ask all questions "
            "anew (the old answers are kept aside), or --run NAME for a run of its own"
        )
    return entry.response


def lock_journal(path: Path) -> FileLock:
    """The lock for whoever writes to a journal or moves it; freed when its process dies."""
    lock = FileLock(path.with_suffix(".lock"), blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise RunLocked(
            f"{path.parent}: another process is writing to this run; wait for it to end, "
            "or choose another name with --run"
        ) from None
    return lock


def read_entries(path: Path) -> Iterator[Entry]:
    """All entries of a journal in order, without locking it; a torn end is passed over."""
    return read_appended(path, _decode, _OTHERWISE)


def newest_entries(path: Path) -> Iterator[Entry]:
    """The entry of each key that stands: the last one, and a failure only if there is no other.

    A question that was asked again has several lines.
    """
    last: dict[str, int] = {}
    for number, entry in enumerate(read_entries(path)):
        _let_stand(last, entry.key, number, entry.response.status)
    for number, entry in enumerate(read_entries(path)):
        if last.get(entry.key) == number:  # a writer may have added more meanwhile
            yield entry


def standing(entries: Iterable[Entry]) -> dict[str, Entry]:
    """The same of entries that are at hand, by their keys."""
    stand: dict[str, Entry] = {}
    for entry in entries:
        _let_stand(stand, entry.key, entry, entry.response.status)
    return stand


def _let_stand(stand: dict[str, V], key: str, newer: V, status: Status) -> None:
    """Put the newer of a key in place of the older; a failure never hides what was before it."""
    if status is Status.FAILED:
        stand.setdefault(key, newer)
    else:
        stand[key] = newer


def write_entries(path: Path, entries: Iterable[Entry]) -> None:
    """A journal of what was answered elsewhere, whole or not at all."""
    with whole_file(path) as stream:
        for entry in entries:
            stream.write(_ENCODER.encode(entry) + b"\n")


class Replay:
    """Responses of an earlier run, found by key and prompt hash.

    A question that the journal does not hold, or holds under another prompt, ends as `failed` with
    the reason: a replay never guesses.
    """

    address = ""

    def __init__(self, run: Path) -> None:
        journal = run / "journal.jsonl" if run.is_dir() else run
        if not journal.is_file():
            raise UsageError(f"replay: there is no journal at {journal}")
        self._responses = {
            entry.key: (entry.prompt_hash, entry.response) for entry in newest_entries(journal)
        }
        self.name = f"replay:{run.name}"

    async def generate(self, request: Request) -> Response:
        prompt_hash, response = self._responses.get(request.key, ("", None))
        if response is not None and prompt_hash == request.prompt_hash():
            return response
        why = "has no answer to this" if response is None else "answered another prompt"
        reason = f"the journal of {self.name} {why}"
        return Response(Status.FAILED, reason=reason, this_question_only=True)

    async def close(self) -> None:
        return


# --- what was sent, beside what came back ---

_SHORT: Final = 1_000  # characters; to look for what so short a question shares saves nothing
_WORTH_SHARING: Final = 60  # characters; so long is about what it takes to name another prompt
_STEPS: Final = 3  # of a sample that may be gone on from: plan-and-execute has two that take turns
_HELD: Final = 256  # samples in flight whose last questions are held; kinds, with one of each


class _Offered(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is long among the options, and left out of the journal."""

    tools: tuple[ToolSpec, ...] = ()
    reply_schema: JSONObject | None = None


class _Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """A prompt by its `hash`, or the `events` of a sample by its `key`.

    A prompt begins with the first `same` messages of the prompt `after`. The first of its own goes
    on after `shared` characters of the message that stands there next. What is `offered` is said of
    prompts that go on from no other; with the others it is the same.
    """

    hash: str = ""
    after: str = ""
    same: int = 0
    shared: int = 0
    messages: tuple[Message, ...] = ()
    offered: _Offered | None = None
    key: str = ""
    events: tuple[str | ToolUse, ...] = ()


_decode_line = json_decoder(_Line)


def sent_file(journal: Path) -> Path:
    """What was sent, beside the journal of what came back."""
    return journal.with_suffix(".sent.jsonl")


# --- what was sent: writing ---


class SentFile:
    """The file, open for writing by whoever holds the lock of the journal.

    It is made with the first line. `_known` are the hashes that are in it, so that what is asked
    again, or several times, is there once. `_steps` are the last prompts of samples, and
    `_openings` the first of each task and step.
    """

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._file: Appended[_Line] | None = None
        self._known: set[int] = set()
        self._steps: dict[str, deque[_Line]] = {}
        self._openings: dict[tuple[str, str], _Line] = {}

    def keep(self, request: Request, prompt_hash: str) -> None:
        """Write a prompt that is about to be sent, unless it is there."""
        file = self._file or self._open()
        if (known := hash(prompt_hash)) in self._known:
            return
        self._known.add(known)
        options, offered = request.options, None
        if options.tools or options.reply_schema is not None:
            offered = _Offered(options.tools, options.reply_schema)
        whole = _Line(prompt_hash, messages=request.messages, offered=offered)
        self._write(file, self._shorten(whole, request.key))

    def keep_events(self, key: str, events: tuple[str | ToolUse, ...]) -> None:
        """Write in which order the questions of a sample and its calls of tools came."""
        self._steps.pop(key, None)
        self._write(self._open(), _Line(key=key, events=events))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _open(self) -> Appended[_Line]:
        if self._file is None:
            path = sent_file(self._journal)
            self._known = {hash(line.hash) for _, line in _lines(path)}
            self._file = Appended(path, _decode_line, "it may be deleted")
            with disk_errors(path):
                self._file.end_line()
        return self._file

    def _write(self, file: Appended[_Line], line: _Line) -> None:
        try:
            file.append(encode_json(line) + b"\n")
        except OSError as error:
            raise no_room(self._journal, error) from error

    def _shorten(self, whole: _Line, key: str) -> _Line:
        """A prompt without what an earlier one of the sample has, or the first of its kind."""
        sample, _, step = key.partition("#")
        if not step and len(whole.messages) == 1 and len(whole.messages[0].content) < _SHORT:
            return whole
        parts = sample.split("/", 3)  # of `lawbench/1-1/zero_shot/17` the task is all but the last
        task = "/".join(parts[:3]) if len(parts) > 3 else parts[0]
        opening = _hold(self._openings, (task, step), whole)
        earlier = [] if opening is whole else [opening]
        if step:
            steps = _hold(self._steps, sample, deque(maxlen=_STEPS))
            earlier += steps
            steps.append(whole)
        shorter = (_spare(whole, one) for one in earlier if one.offered == whole.offered)
        gain, line = max(shorter, key=lambda gained: gained[0], default=(0, whole))
        return line if gain >= _WORTH_SHARING else whole


def no_room(journal: Path, error: OSError) -> JournalError:
    """What to say where nothing can be written."""
    return JournalError(
        f"{journal}: could not write: {error.strerror}. All answers up to here are kept; "
        "make room and give the same command again"
    )


def _hold(held: dict[K, V], key: K, new: V) -> V:
    """What is held under a key, where only the newest keys are."""
    found = held.setdefault(key, new)
    if len(held) > _HELD:
        del held[next(iter(held))]
    return found


def _spare(whole: _Line, earlier: _Line) -> tuple[int, _Line]:
    """How many characters an earlier prompt spares, and the prompt without them."""
    pairs = list(zip(whole.messages, earlier.messages, strict=False))
    same = next((at for at, (one, other) in enumerate(pairs) if one != other), len(pairs))
    gain, shared, rest = sum(len(one.content) for one, _ in pairs[:same]), 0, whole.messages[same:]
    if same < len(pairs):
        first, other = pairs[same]
        shared = Prefix.similarity(first.content, other.content)
        rest = (msgspec.structs.replace(first, content=first.content[shared:]), *rest[1:])
    return gain + shared, _Line(whole.hash, earlier.hash, same, shared, rest)


# --- what was sent: reading ---


class Exchange(NamedTuple):
    """A question to the model and its reply; `step` names it where there were several, such as
    `thought-3`."""

    step: str
    request: Request
    response: Response
    at: str


Event = Exchange | ToolUse


def _lines(path: Path) -> Iterator[tuple[Place, _Line]]:
    """The lines with their places; what cannot be read is passed over."""
    offset = 0
    with path.open("rb") if path.is_file() else BytesIO() as stream:
        for number, line in enumerate(stream, start=1):
            with suppress(msgspec.DecodeError):
                yield Place(number, offset, len(line)), _decode_line(line)
            offset += len(line)


class SentMessages:
    """What was sent by the account of the file beside a journal; nothing, where there is none."""

    def __init__(self, journal: Path) -> None:
        self._path = sent_file(journal)
        self.there = self._path.is_file()
        self._after: dict[str, str] = {}
        self._prompts: dict[str, Place] = {}
        self._events: dict[str, Place] = {}
        self._whole: dict[str, _Line] = {}
        for place, line in _lines(self._path):
            if line.key:
                self._events[line.key] = place
            elif line.hash not in self._prompts:
                self._prompts[line.hash], self._after[line.hash] = place, line.after

    def request(self, key: str, prompt_hash: str, options: Options) -> Request | None:
        """The question as it was sent; None where that is not known."""
        for one in reversed(self._chain(prompt_hash)):
            if one not in self._whole:
                line = _decode_line(self._bytes(self._prompts[one]))
                self._whole[one] = _join(self._whole.get(line.after, _Line()), line)
        line = self._whole.get(prompt_hash, _Line())
        if (offered := line.offered) is not None:
            options = msgspec.structs.replace(
                options, tools=offered.tools, reply_schema=offered.reply_schema
            )
        request = Request(key, line.messages, options)
        return request if request.prompt_hash() == prompt_hash else None

    def events(self, key: str) -> tuple[str | ToolUse, ...]:
        """What happened to a sample, in its order; nothing for what took one question."""
        place = self._events.get(key)
        return _decode_line(self._bytes(place)).events if place else ()

    def lines(self, hashes: Mapping[str, str]) -> Iterator[bytes]:
        """The lines of some prompts, given by keys and hashes, with those that they go on from, and
        of what happened to these samples."""
        needed = {one for prompt_hash in hashes.values() for one in self._chain(prompt_hash)}
        yield from (self._bytes(at) for name, at in self._prompts.items() if name in needed)
        yield from (self._bytes(at) for name, at in self._events.items() if name in hashes)

    def _chain(self, prompt_hash: str) -> list[str]:
        """The prompt, that from which it goes on, and so on; nothing where one is missing."""
        chain: list[str] = []
        while prompt_hash and prompt_hash not in chain:
            if prompt_hash not in self._prompts:
                return []
            chain.append(prompt_hash)
            prompt_hash = self._after[prompt_hash]
        return chain

    def _bytes(self, place: Place) -> bytes:
        with self._path.open("rb") as stream:
            return os.pread(stream.fileno(), place.length, place.offset).rstrip(b"\n") + b"\n"


def _join(before: _Line, line: _Line) -> _Line:
    """The whole of a prompt that goes on from another; of one that does not, the same."""
    rest = line.messages
    if line.shared and rest and line.same < len(before.messages):
        shared = before.messages[line.same].content[: line.shared]
        rest = (msgspec.structs.replace(rest[0], content=shared + rest[0].content), *rest[1:])
    messages = (*before.messages[: line.same], *rest)
    return _Line(line.hash, messages=messages, offered=line.offered or before.offered)


def join_sent(journal: Path, parts: Iterable[tuple[Path, Mapping[str, str]]]) -> None:
    """The file of a journal that is put together of others: of each the keys that were taken from
    it, with the hashes of their prompts."""
    readers = [(SentMessages(part), hashes) for part, hashes in parts]
    if any(reader.there for reader, _ in readers):
        with whole_file(sent_file(journal)) as stream:
            for reader, hashes in readers:
                stream.writelines(reader.lines(hashes))
