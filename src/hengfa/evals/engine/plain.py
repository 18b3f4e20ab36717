"""The reply that nearly all are, read in one step: text, a full stop, nothing that could matter.

`replies.py` says what a reply is, and looks at every field for it; that is most of what a sample
costs. Here is the shape of a reply in which it would find nothing: a field that is not named below,
or another value, makes it none of these, and then it is read there. So nothing is decided twice.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Literal

import msgspec

from hengfa.base.data.jsonfile import json_decoder
from hengfa.evals.engine.messages import JSONObject, Response, Status
from hengfa.evals.engine.replies import THINK_CLOSE, one_line, read_usage

_Empty = Annotated[list[None], msgspec.Meta(max_length=0)] | None
_WORD = re.compile("[0-9A-Za-z一-鿿]")  # a text without any may be one of invisible characters
_served_by = lru_cache(maxsize=16)(one_line)


class _Part(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """An object with no other fields than these."""


class _Message(_Part):
    role: Literal["assistant"]
    content: str
    refusal: None = None
    tool_calls: _Empty = None
    function_call: None = None
    annotations: _Empty = None
    audio: None = None
    reasoning: None = None
    reasoning_content: None = None


class _Choice(_Part):
    message: _Message
    finish_reason: Literal["stop"]
    index: Literal[0] = 0
    logprobs: None = None
    stop_reason: None = None
    token_ids: None = None


class _Reply(_Part):
    choices: Annotated[list[_Choice], msgspec.Meta(min_length=1, max_length=1)]
    model: str = ""
    id: str = ""
    object: Literal["chat.completion"] = "chat.completion"
    created: int = 0
    usage: JSONObject | None = None
    service_tier: str | None = None
    system_fingerprint: str | None = None
    prompt_logprobs: None = None
    prompt_token_ids: None = None
    kv_transfer_params: None = None


_decode = json_decoder(_Reply)


def read_plain(raw: bytes) -> tuple[Response, str] | None:
    """The answer and the id of such a reply; None for any other."""
    try:
        reply = _decode(raw)
    except msgspec.DecodeError:
        return None
    text = reply.choices[0].message.content
    if "<think>" in text or THINK_CLOSE in text or not _WORD.search(text):
        return None
    usage, served_by = read_usage(reply.usage), _served_by(reply.model)
    return Response(Status.ANSWERED, text, usage=usage, served_by=served_by), reply.id
