"""The messages that went to the model, in a file beside the journal of what came back.

A line is a prompt, found by the hash that the journal has of it, and written before the prompt is
sent. Whatever is the same is there once: an agent's prompts repeat all that was said before, and
those of a task begin with the same rules. So a line names an earlier prompt and says how much of it
it begins with. Of a task that took several questions, a line says in which order they and the calls
of tools came.

Lines are written at once (they survive kill -9) and not flushed, since nothing in them was paid
for: one that a power cut took is passed over, and what it said is then not known.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import msgspec
from rapidfuzz.distance import Prefix

from hengfa.base.data.appended import Appended
from hengfa.base.data.jsonfile import encode_json, json_decoder
from hengfa.base.data.output import whole_file
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import JournalError
from hengfa.evals.engine.messages import (
    JSONObject,
    Message,
    Options,
    Request,
    Response,
    ToolSpec,
    ToolUse,
)

K = TypeVar("K")
V = TypeVar("V")

_SHORT: Final = 1_000
"""Characters; to look for what so short a question shares would cost more than it saves."""

_WORTH_SHARING: Final = 60
"""Characters; so long is about what it takes to name another prompt."""

_STEPS: Final = 3
"""So many questions of a sample may be gone on from: plan-and-execute has two that take turns."""

_HELD: Final = 256
"""Samples in flight whose last questions are held, and kinds of questions of which one is."""


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


_decode = json_decoder(_Line)


def sent_file(journal: Path) -> Path:
    """What was sent, beside the journal of what came back."""
    return journal.with_suffix(".sent.jsonl")


# --- writing ---


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
        file = self._file or self._opened()
        if (known := hash(prompt_hash)) in self._known:
            return
        self._known.add(known)
        options, offered = request.options, None
        if options.tools or options.reply_schema is not None:
            offered = _Offered(options.tools, options.reply_schema)
        whole = _Line(prompt_hash, messages=request.messages, offered=offered)
        self._write(file, self._shortened(whole, request.key))

    def keep_events(self, key: str, events: tuple[str | ToolUse, ...]) -> None:
        """Write in which order the questions of a sample and its calls of tools came."""
        self._steps.pop(key, None)
        self._write(self._opened(), _Line(key=key, events=events))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _opened(self) -> Appended[_Line]:
        if self._file is None:
            path = sent_file(self._journal)
            self._known = {hash(line.hash) for _, line in _lines(path)}
            self._file = Appended(path, _decode, "it may be deleted")
            with disk_errors(path):
                self._file.end_line()
        return self._file

    def _write(self, file: Appended[_Line], line: _Line) -> None:
        try:
            file.append(encode_json(line) + b"\n")
        except OSError as error:
            raise no_room(self._journal, error) from error

    def _shortened(self, whole: _Line, key: str) -> _Line:
        """A prompt without what an earlier one of the sample has, or the first of its kind."""
        sample, _, step = key.partition("#")
        if not step and len(whole.messages) == 1 and len(whole.messages[0].content) < _SHORT:
            return whole
        opening = _held(self._openings, (_task(sample), step), whole)
        earlier = [] if opening is whole else [opening]
        if step:
            steps = _held(self._steps, sample, deque(maxlen=_STEPS))
            earlier += steps
            steps.append(whole)
        shorter = (_after(whole, one) for one in earlier if one.offered == whole.offered)
        gain, line = max(shorter, key=lambda gained: gained[0], default=(0, whole))
        return line if gain >= _WORTH_SHARING else whole


def no_room(journal: Path, error: OSError) -> JournalError:
    """What to say where nothing can be written."""
    return JournalError(
        f"{journal}: could not write: {error.strerror}. All answers up to here are kept; "
        "make room and give the same command again"
    )


def _held(held: dict[K, V], key: K, new: V) -> V:
    """What is held under a key, where only the newest keys are."""
    found = held.setdefault(key, new)
    if len(held) > _HELD:
        del held[next(iter(held))]
    return found


def _task(sample: str) -> str:
    """`lawbench/1-1/zero_shot` of `lawbench/1-1/zero_shot/17`."""
    parts = sample.split("/", 3)
    return "/".join(parts[:3]) if len(parts) > 3 else parts[0]


def _after(whole: _Line, earlier: _Line) -> tuple[int, _Line]:
    """How many characters an earlier prompt spares, and the prompt without them."""
    pairs = list(zip(whole.messages, earlier.messages, strict=False))
    same = next((at for at, (one, other) in enumerate(pairs) if one != other), len(pairs))
    gain, shared, rest = sum(len(one.content) for one, _ in pairs[:same]), 0, whole.messages[same:]
    if same < len(pairs):
        first, other = pairs[same]
        shared = Prefix.similarity(first.content, other.content)
        rest = (msgspec.structs.replace(first, content=first.content[shared:]), *rest[1:])
    return gain + shared, _Line(whole.hash, earlier.hash, same, shared, rest)


# --- reading ---


class Exchange(NamedTuple):
    """A question to the model and its reply; `step` names it where there were several, such as
    `thought-3`."""

    step: str
    request: Request
    response: Response
    at: str


Event = Exchange | ToolUse


class _Place(NamedTuple):
    offset: int
    length: int


def _lines(path: Path) -> Iterator[tuple[_Place, _Line]]:
    """The lines with their places; what cannot be read is passed over."""
    offset = 0
    with path.open("rb") if path.is_file() else BytesIO() as stream:
        for line in stream:
            with suppress(msgspec.DecodeError):
                yield _Place(offset, len(line)), _decode(line)
            offset += len(line)


class SentMessages:
    """What was sent by the account of the file beside a journal; nothing, where there is none."""

    def __init__(self, journal: Path) -> None:
        self._path = sent_file(journal)
        self.there = self._path.is_file()
        self._after: dict[str, str] = {}
        self._prompts: dict[str, _Place] = {}
        self._events: dict[str, _Place] = {}
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
                line = _decode(self._bytes(self._prompts[one]))
                self._whole[one] = _joined(self._whole.get(line.after, _Line()), line)
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
        return _decode(self._bytes(place)).events if place else ()

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

    def _bytes(self, place: _Place) -> bytes:
        with self._path.open("rb") as stream:
            return os.pread(stream.fileno(), place.length, place.offset).rstrip(b"\n") + b"\n"


def _joined(before: _Line, line: _Line) -> _Line:
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
