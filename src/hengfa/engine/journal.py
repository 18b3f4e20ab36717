"""The journal of a run: every response on disk before anything is made of it.

One JSON line per response. A line is handed to the system in one write (survives kill -9) and
`append` returns only after it has been flushed to the disk (survives a power cut); responses that
arrive while a flush is under way share the next one. A line that was torn by a crash or a full disk
is cut off, with a notice, when the journal is opened again. `Replay` is a journal as a model: it
answers what was answered before and asks nobody.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import msgspec
from filelock import FileLock, Timeout

from hengfa.engine.messages import Options, Request, Response, Status
from hengfa.errors import JournalError, RunLocked, UsageError

_CHUNK = 1 << 20


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: which question, how it was put, to whom, and what came back.

    Tools and reply schemas are left out of `options`: they can be long, are the same in every turn,
    and are part of the prompt hash.
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


class _Place(NamedTuple):
    offset: int
    length: int


_ENCODER = msgspec.json.Encoder()

_DECODER = msgspec.json.Decoder(Entry)

_HEAD_DECODER = msgspec.json.Decoder(_Head)


class Journal:
    """An append-only file of responses, found again by key.

    Only the places of lines that were there when the journal was opened are held in memory, so a
    run of any length costs the same. `ask_again` names the statuses that do not count as settled:
    a question that ended so is put to the model again.
    """

    def __init__(
        self, path: Path, *, ask_again: frozenset[Status] = frozenset({Status.FAILED})
    ) -> None:
        self.path = path
        self.notices: list[str] = []
        self._ask_again = ask_again
        self._lock = lock_journal(path)
        self._file = -1
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            self._places = self._index()
            self._end = os.fstat(self._file).st_size
        except BaseException:
            self._release()
            raise
        self._flusher = ThreadPoolExecutor(1, "journal")
        self._unflushed: asyncio.Future[None] | None = None
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
        self._release()

    def find(self, request: Request, prompt_hash: str) -> Response | None:
        """The settled response to this very question, if there is one.

        A response to the same key under another prompt means that the data, the prompt or the
        options changed since: mixing the two would give a figure of nothing.
        """
        place = self._places.get(request.key)
        if place is None:
            return None
        entry = self._read(place)
        if entry.response.status in self._ask_again:
            return None
        if entry.prompt_hash != prompt_hash:
            raise JournalError(
                f"{self.path}: the question {request.key} was put differently when it was answered "
                f"({entry.at}): prompt or options have changed. Use --fresh to ask all questions "
                "anew (the old answers are kept aside), or --run NAME for a run of its own"
            )
        return entry.response

    async def append(
        self, request: Request, prompt_hash: str, model: str, response: Response
    ) -> None:
        """Write the response; returns when it would survive a power cut."""
        entry = Entry(
            key=request.key,
            prompt_hash=prompt_hash,
            model=model,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            response=response,
            options=_without_tools(request.options),
        )
        line = _ENCODER.encode(entry) + b"\n"
        try:
            rest = line
            while rest:  # a short write comes just before the disk is full
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            os.ftruncate(self._file, self._end)
            raise JournalError(
                f"{self.path}: could not write: {error.strerror}. All answers up to here are kept; "
                "make room and give the same command again"
            ) from error
        self._end += len(line)
        await self._flush()

    async def _flush(self) -> None:
        loop = asyncio.get_running_loop()
        if self._unflushed is None:
            self._unflushed = loop.create_future()
        mine = self._unflushed
        if self._flushing is None or self._flushing.done():
            self._flushing = loop.create_task(self._flush_until_clean())
        await asyncio.shield(mine)

    async def _flush_until_clean(self) -> None:
        loop = asyncio.get_running_loop()
        while self._unflushed is not None:
            batch, self._unflushed = self._unflushed, None
            try:
                await loop.run_in_executor(self._flusher, os.fsync, self._file)
            except OSError as error:
                batch.set_exception(
                    JournalError(f"{self.path}: could not flush to disk: {error.strerror}")
                )
            else:
                batch.set_result(None)

    def _index(self) -> dict[str, _Place]:
        """Places of the newest line of each key; cuts off a torn last line.

        A crash tears one line, the last. Any other damage is not ours to repair.
        """
        places: dict[str, _Place] = {}
        good_end = 0
        damaged: int | None = None
        for number, (offset, line) in enumerate(_lines(self._file), start=1):
            if damaged is not None:
                raise JournalError(
                    f"{self.path}, line {damaged}: not a journal entry, though more lines follow; "
                    "remove that line if you know why it is there, or use --fresh"
                )
            try:
                if not line.endswith(b"\n"):
                    raise ValueError("no line end")
                head = _HEAD_DECODER.decode(line)
            except msgspec.ValidationError as error:  # whole, but of another kind
                raise JournalError(
                    f"{self.path}, line {number}: not a journal entry: {error}. Remove that line "
                    "to ask its question again, or use --fresh"
                ) from error
            except (ValueError, msgspec.DecodeError):
                damaged = number
                continue
            if head.response.status is not Status.FAILED:
                places[head.key] = _Place(offset, len(line))
            else:  # a failure never hides an answer that was there before it
                places.setdefault(head.key, _Place(offset, len(line)))
            good_end = offset + len(line)
        if damaged is not None:
            lost = os.fstat(self._file).st_size - good_end
            os.ftruncate(self._file, good_end)
            self.notices.append(
                f"{self.path}: repaired: the last write was torn ({lost} bytes cut off); "
                "its question will be asked again"
            )
        return places

    def _read(self, place: _Place) -> Entry:
        try:
            return _DECODER.decode(os.pread(self._file, place.length, place.offset))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise JournalError(
                f"{self.path}, at byte {place.offset}: not a journal entry: {error}. Remove that "
                "line to ask its question again, or use --fresh"
            ) from error

    def _release(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        self._lock.release()


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
    """All entries of a journal in order, without locking it; a torn last line is passed over."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                yield _DECODER.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise JournalError(
                    f"{path}, line {number}: not a journal entry: {error}"
                ) from error


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
        if last[entry.key] == number:
            yield entry


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


def _lines(file: int) -> Iterator[tuple[int, bytes]]:
    """(offset, line) of an open file, read in chunks so that its size does not matter."""
    offset, rest, position = 0, b"", 0
    while chunk := os.pread(file, _CHUNK, position):
        position += len(chunk)
        pieces = (rest + chunk).split(b"\n")
        rest = pieces.pop()
        for piece in pieces:
            yield offset, piece + b"\n"
            offset += len(piece) + 1
    if rest:
        yield offset, rest
