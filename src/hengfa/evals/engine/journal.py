"""The journal of a run: every response on disk before anything is made of it.

One JSON line per response. A line is handed to the system in one write (survives kill -9) and
`append` returns only after it has been flushed to the disk (survives a power cut); responses that
arrive while a flush is under way share the next one. A line that was torn by a crash or a full disk
is moved aside, with a notice, when the journal is opened again (`hengfa.base.data.appended`).
`Replay` is a journal as a model: it answers what was answered before and asks nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Container, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

import msgspec
from filelock import FileLock, Timeout

from hengfa.base.data.appended import Appended, Place, read_appended
from hengfa.base.data.jsonfile import json_decoder
from hengfa.base.data.output import whole_file
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import JournalError, RunLocked, UsageError
from hengfa.evals.engine.messages import Options, Request, Response, Status
from hengfa.evals.engine.sent import SentFile, no_room


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: which question, how it was put, to whom, and what came back.

    Tools and reply schemas are left out of `options`: they can be long, are the same in every turn,
    and are part of the prompt hash. They stand with the messages (`hengfa.evals.engine.sent`).
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
            self._places = self._index()
            self.sent = SentFile(path)
            opened.callback(self.sent.close)
            self._opened = opened.pop_all()
        self.notices = self._file.notices
        self._flusher = ThreadPoolExecutor(1, "journal")
        self._unflushed: list[asyncio.Future[None]] = []
        self._flushing: asyncio.Task[None] | None = None

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
        return settled(self._read(place), prompt_hash, self._ask_again, self.path)

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

    def _index(self) -> dict[str, Place]:
        """Places of the newest entry of each key."""
        places: dict[str, Place] = {}
        for place, head in self._file:
            if head.response.status is not Status.FAILED:
                places[head.key] = place
            else:  # a failure never hides an answer that was there before it
                places.setdefault(head.key, place)
        return places

    def _read(self, place: Place) -> Entry:
        try:
            return _decode(self._file.read(place))
        except msgspec.DecodeError as error:
            raise JournalError(
                f"{self.path}, line {place.line}: not a journal entry: {error}; {_OTHERWISE}"
            ) from error


def new_entry(request: Request, prompt_hash: str, model: str, response: Response) -> Entry:
    """The line of a response that came just now."""
    return Entry(
        key=request.key,
        prompt_hash=prompt_hash,
        model=model,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        response=response,
        options=_without_tools(request.options),
    )


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
        if entry.response.status is Status.FAILED:
            last.setdefault(entry.key, number)
        else:
            last[entry.key] = number
    for number, entry in enumerate(read_entries(path)):
        if last.get(entry.key) == number:  # a writer may have added more meanwhile
            yield entry


def standing(entries: Iterable[Entry]) -> dict[str, Entry]:
    """The same of entries that are at hand, by their keys."""
    stand: dict[str, Entry] = {}
    for entry in entries:
        if entry.response.status is Status.FAILED:
            stand.setdefault(entry.key, entry)
        else:
            stand[entry.key] = entry
    return stand


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
        if response is None:
            return Response(
                status=Status.FAILED,
                reason=f"the journal of {self.name} has no answer to this",
                this_question_only=True,
            )
        if prompt_hash != request.prompt_hash():
            return Response(
                status=Status.FAILED,
                reason=f"the journal of {self.name} answered another prompt",
                this_question_only=True,
            )
        return response

    async def close(self) -> None:
        return


def _without_tools(options: Options) -> Options:
    if not options.tools and options.reply_schema is None:
        return options
    return msgspec.structs.replace(options, tools=(), reply_schema=None)
