"""What servers send, as a table: `reply_shapes.jsonl`. A shape that is new to us is a line there.

`expect` is how the question ends; `again` means that it is asked again first. `seen` says where:
a vendor's documentation, a public thread, or "ours". What is sent is a good reply with `content`
and `finish` in place of its own, and `add`ed fields `at` a place; or a `body`, a `stream` of
objects and of texts, or `raw` text. A shape with `add` is also sent in two ways as a stream, unless
it says something of `whole` replies only. `type` and `status` are those of HTTP, `asked` says
whether a stream was asked for. `text` and `reasoning` are what must be read. `why` a shape that is
wrongly read today is not mended.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from .server import DONE, chunk, completion, event
from .vendor_styles import STYLES

TEXT = "善意取得,是指……"
Fields: TypeAlias = dict[str, Any]
Place = Literal["reply", "choice", "message"]
WAYS = ("plain", "last-piece", "own-piece")


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    seen: str
    expect: Literal["answered", "refused", "filtered", "truncated", "empty", "failed", "again"]
    vendor: str = "endpoint"
    content: Any = TEXT
    finish: Any = "stop"
    at: Place = "reply"
    add: Fields = {}
    whole: bool = False
    body: Any = None
    stream: list[Any] = []
    newline: str = "\n"
    raw: str | None = None
    type: str = ""
    status: int = 200
    asked: bool | None = None
    text: str = TEXT
    reasoning: str = ""
    why: str = ""

    @property
    def ways(self) -> tuple[str, ...]:
        plain = self.content == TEXT and self.finish == "stop" and self.body is None
        return WAYS if self.add and plain and not self.whole else WAYS[:1]

    @property
    def streamed(self) -> bool:
        return bool(self.stream) if self.asked is None else self.asked

    def sent(self, way: str = "plain") -> bytes:
        if self.raw is not None:
            return self.raw.encode()
        if self.stream:
            parts = (p.encode() if isinstance(p, str) else event(p) for p in self.stream)
            return b"".join(parts).replace(b"\n", self.newline.encode())
        if way == "plain":
            body = self.body or completion(self.content, self.finish)
            return json.dumps(add(body, self.add, self.at), ensure_ascii=False).encode()
        first = event(chunk({"role": "assistant", "content": TEXT[:2]}))
        last = chunk({"content": TEXT[2:]}, "stop")
        if way == "last-piece":
            return first + event(add(last, self.add, self.at)) + DONE
        alone = self.add if self.at == "reply" else add(chunk({}), self.add, self.at)
        return first + event(alone) + event(last) + DONE


def add(body: Fields, fields: Fields, place: Place = "reply") -> Fields:
    """A reply, or an event of a stream, with more fields at a place."""
    if place == "reply":
        return {**body, **fields}
    choice = body["choices"][0]
    if place == "choice":
        return {**body, "choices": [{**choice, **fields}]}
    inner = "message" if "message" in choice else "delta"
    return {**body, "choices": [{**choice, inner: {**choice[inner], **fields}}]}


def _errors_of_vendors() -> list[Shape]:
    """The vendors' own errors beside an answer; DeepSeek says by HTTP 402 alone: no money."""
    ends: dict[str, Any] = {"filtered": "filtered", "no_money": "failed", "too_fast": "again"}
    return [
        Shape(f"{vendor}-{kind}", "reference", end, vendor, add=getattr(style, kind)[1])
        for vendor, style in STYLES.items()
        for kind, end in ends.items()
        if (vendor, kind) != ("deepseek", "no_money")
    ]


TABLE = Path(__file__).with_name("reply_shapes.jsonl")
SHAPES = [
    *(msgspec.json.decode(line, type=Shape) for line in TABLE.read_bytes().splitlines()),
    *_errors_of_vendors(),
]
HONEST = [shape for shape in SHAPES if shape.expect == "answered"]
FAULTS = [shape for shape in SHAPES if shape.expect != "answered"]
