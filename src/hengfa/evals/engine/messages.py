"""What goes to a model and what comes back: the types that every suite, grader and agent shares."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from enum import StrEnum
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from hengfa.base.data.jsonfile import encode_json, whole_characters

JSONObject = dict[str, Any]
Role = Literal["system", "user", "assistant", "tool"]


class ToolCall(msgspec.Struct, frozen=True):
    """A function the model wants called; `arguments` is the JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


class ToolUse(msgspec.Struct, frozen=True):
    """A tool that an agent used, and what it answered; an answer that is empty was not kept."""

    tool: str
    arguments: JSONObject
    answer: str
    status: str

    @property
    def failed(self) -> bool:
        """That nothing was found is an answer too."""
        return self.status not in ("ok", "no data")


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """One turn of a conversation; `reasoning` is what the model thought before its tool calls."""

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    reasoning: str = ""


class ToolSpec(msgspec.Struct, frozen=True):
    """A function offered to the model; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: JSONObject


class Options(msgspec.Struct, frozen=True, omit_defaults=True):
    """How the model is asked. Part of the prompt hash: a change of options is a change of question.

    `extra` goes into the request body as it is, for switches that only one vendor has. `choice` is
    how questions with options are answered; one that has them gives the texts to choose from as
    `candidates`, and the likeliest of them is the response. With `completions` a base model is
    asked to go on with one text, not to answer in a chat.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_new_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    reply_schema: JSONObject | None = None
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: str | None = None
    extra: JSONObject = {}
    choice: str | None = None
    candidates: tuple[str, ...] = ()
    completions: bool = False


class Request(msgspec.Struct, frozen=True):
    """One question to a model.

    `key` names the question within a run (`lawbench/1-1/zero_shot/17`; later turns and graders
    append to it). The journal finds an answer by key and trusts it by `prompt_hash`.
    """

    key: str
    messages: tuple[Message, ...]
    options: Options = Options()

    def text(self) -> str:
        """All messages as one text, for models that know no roles: contents in their order, with a
        blank line between them, and nothing added. A single message is sent as it is."""
        return "\n\n".join(message.content for message in self.messages)

    def prompt_hash(self) -> str:
        """128 bits over everything the model sees, as hexadecimal text; but its own thinking, which
        not every server is sent, stands in the journal already."""
        messages = [
            msgspec.structs.replace(turn, reasoning="") if turn.reasoning else turn
            for turn in self.messages
        ]
        seen = encode_json((messages, self.options), order="sorted")
        return hashlib.blake2b(seen, digest_size=16).hexdigest()


class KeyParts(NamedTuple):
    """What the key of a question says besides its suite and sample."""

    task: str
    repeat: int


def parse_key(key: str) -> KeyParts | None:
    """`lawbench/1-1/zero_shot~2/17` to its task and repeat; None for what is no such key."""
    parts = key.split("/", 3)
    if len(parts) < 4:
        return None
    _, tilde, repeat = parts[2].rpartition("~")
    return KeyParts(parts[1], int(repeat) if tilde and repeat.isdecimal() else 1)


def first_key(key: str) -> str:
    """The key under which the same was asked first: of `lawbench/1-1/zero_shot~2/17`, without the
    `~2`."""
    parts = parse_key(key)
    if parts is None or parts.repeat == 1:
        return key
    suite, task, setting, sample = key.split("/", 3)
    return "/".join([suite, task, setting.rpartition("~")[0], sample])


class Status(StrEnum):
    """How a request ended. Only `answered` may be read as an answer (decision 0003)."""

    ANSWERED = "answered"
    REFUSED = "refused"  # the model declined, and said so in a field made for it
    FILTERED = "filtered"  # the vendor's content filter stopped the question or the answer
    TRUNCATED = "truncated"  # cut at the length limit, or thinking that never ended
    EMPTY = "empty"  # a complete reply without text and without tool calls
    FAILED = "failed"  # no usable reply after all attempts; `reason` says why


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tokens as the server counted them; `reasoning` and `cached` are parts of output and input.

    Where a server does not count, they are `estimated`, on the high side.
    """

    input: int = 0
    output: int = 0
    reasoning: int = 0
    cached: int = 0
    estimated: bool = False

    @property
    def total(self) -> int:
        return self.input + self.output


class Response(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came back, with the status that says whether `text` is an answer.

    `this_question_only` marks a failure that says nothing about the next question, such as a prompt
    that is too long; the others may mean that the endpoint is down or the account empty.
    `served_by` is the model by the server's own account, `server` the address of the one among
    several that was asked last. `batch` is the batch by which it came, at the price of batches.
    `events` is how an agent came to it: its questions by the names of their steps, and the tools it
    used. They stand beside the journal, not in it.
    """

    status: Status
    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    seconds: float = 0.0
    attempts: int = 1
    reason: str = ""
    served_by: str = ""
    server: str = ""
    this_question_only: bool = False
    batch: str = ""
    events: tuple[str | ToolUse, ...] = ()

    def whole(self) -> Response:
        """The same in whole characters: a model may write half of one, which no file can hold."""
        with suppress(UnicodeEncodeError):
            msgspec.json.encode(self)
            return self
        texts = {name: whole_characters(getattr(self, name)) for name in _TEXTS}
        calls = map(msgspec.structs.astuple, self.tool_calls)
        whole = tuple(ToolCall(*map(whole_characters, call)) for call in calls)
        return msgspec.structs.replace(self, tool_calls=whole, **texts)


_TEXTS = ("text", "reasoning", "reason", "served_by")


class Model(Protocol):
    """Anything that answers requests: an endpoint, a journal, a rule.

    `generate` returns a response with a final status, or raises `Unavailable` when asking again
    later may help. Retrying, pacing, budgets and the journal are the session's business, so that
    every model gets them alike.
    """

    @property
    def name(self) -> str:
        """The name in records; two models that answer differently must not share it."""

    @property
    def address(self) -> str:
        """Where it is asked; empty for models that need no server."""

    async def generate(self, request: Request) -> Response:
        """Answer one request."""

    async def close(self) -> None:
        """Release connections."""


class Unavailable(Exception):
    """The request got no usable reply, but may get one if asked again.

    `overloaded` tells the pacing to slow down; `retry_after` is the server's own wish in seconds.
    """

    def __init__(
        self, reason: str, *, overloaded: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.overloaded = overloaded
        self.retry_after = retry_after


class Refused(Exception):
    """The server will not do what it was asked for, however often; `status` is that of HTTP."""

    def __init__(self, reason: str, status: int) -> None:
        super().__init__(reason)
        self.status = status
