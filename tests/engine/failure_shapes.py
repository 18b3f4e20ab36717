"""How vendors and gateways report trouble with HTTP 200, beside a text, and what looks like it.

`SIGNS` are fields added to an otherwise good reply, `STREAMS` whole streams; each row says how the
question must end. `CALM` are fields of good replies as the vendors' references show them. A shape
that is new to us is a row here.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hengfa.engine.messages import Status

from .server import DONE, chunk, completion, event
from .vendor_styles import STYLES

TEXT = "善意取得,是指……"
Fields = dict[str, Any]
Place = Literal["reply", "choice", "message"]
PLACES: tuple[Place, ...] = ("reply", "choice", "message")


@dataclass(frozen=True)
class Shape:
    """`fields` at a `place`; `again`: the question is asked again before it ends with `status`."""

    name: str
    fields: Fields
    status: Status
    place: Place = "reply"
    vendor: str = "endpoint"
    again: bool = False


@dataclass(frozen=True)
class Stream:
    """The pieces of a stream that is no answer."""

    name: str
    pieces: Sequence[bytes]
    status: Status
    again: bool = False


def add(body: Fields, fields: Fields, place: Place = "reply") -> Fields:
    """A reply, or an event of a stream, with more fields at a place."""
    if place == "reply":
        return {**body, **fields}
    choice = body["choices"][0]
    if place == "choice":
        return {**body, "choices": [{**choice, **fields}]}
    inner = "message" if "message" in choice else "delta"
    return {**body, "choices": [{**choice, inner: {**choice[inner], **fields}}]}


def filtered(name: str, fields: Fields, place: Place = "reply", **more: Any) -> Shape:
    return Shape(name, fields, Status.FILTERED, place, **more)


def final(name: str, fields: Fields, place: Place = "reply", **more: Any) -> Shape:
    return Shape(name, fields, Status.FAILED, place, **more)


def passing(name: str, fields: Fields, place: Place = "reply", **more: Any) -> Shape:
    return Shape(name, fields, Status.FAILED, place, again=True, **more)


def minimax(code: int, words: str) -> Fields:
    return {"base_resp": {"status_code": code, "status_msg": words}}


ERROR = {"error": {"code": 502, "message": "Provider returned error"}}
HATE = {"hate": {"filtered": True, "severity": "high"}}
LEVEL = [{"role": "assistant", "level": 1}]

SIGNS = [
    filtered("minimax-question", minimax(1026, "input new_sensitive")),
    filtered("minimax-question-without-words", minimax(1026, "")),
    filtered("minimax-answer", minimax(1027, "output new_sensitive")),
    filtered("minimax-answer-without-words", minimax(1027, "")),
    filtered("minimax-input-sensitive", {"input_sensitive": True, "input_sensitive_type": 6}),
    filtered("minimax-output-sensitive", {"output_sensitive": True, "output_sensitive_type": 1}),
    passing("minimax-too-fast", minimax(1002, "rate limit")),
    passing("minimax-too-many-tokens", minimax(1039, "token limit")),
    passing("minimax-unknown", minimax(1000, "unknown error")),
    passing("minimax-new", minimax(9999, "")),
    final("minimax-no-money", minimax(1008, "insufficient balance")),
    final("minimax-no-key", minimax(1004, "not authorized")),
    filtered("ark-moderation", {"moderation_hit_type": "violence"}, "choice", vendor="doubao"),
    filtered("glm-content-filter", {"content_filter": LEVEL}, vendor="glm"),
    filtered("glm-content-filter-camel", {"contentFilter": LEVEL}, vendor="glm"),
    filtered("azure-answer", {"content_filter_results": HATE}, "choice", vendor="openai"),
    filtered(
        "azure-question",
        {"prompt_filter_results": [{"prompt_index": 0, "content_filter_results": HATE}]},
        vendor="openai",
    ),
    filtered("qwen-native", {"code": "DataInspectionFailed", "message": "Output data"}),
    final("qwen-no-money", {"code": "Arrearage", "message": "Access denied"}, vendor="qwen"),
    passing("qwen-internal", {"code": "InternalError", "message": "timeout"}, vendor="qwen"),
    passing("openrouter-choice", ERROR, "choice"),
    passing("message-error", ERROR, "message"),
    passing("message-error-text", {"error": "lost"}, "message"),
    filtered("choice-error-filter", {"error": {"code": "content_filter"}}, "choice"),
    passing("error", ERROR),
    passing("error-true", {"error": True}),
    passing("errors", {"errors": [{"message": "lost", "code": 7}]}),
    passing("errors-texts", {"errors": ["lost"]}),
    passing("code", {"code": 50001}),
    passing("code-text", {"code": "500", "msg": "服务繁忙"}),
    passing("code-in-choice", {"code": 500}, "choice"),
    passing("message", {"message": "服务繁忙"}),
    passing("message-camel", {"errorMsg": "busy", "errorCode": "E1"}),
    passing("success-false", {"success": False}),
    passing("success-false-text", {"success": "false", "message": "busy"}),
    passing("status-failed", {"status": "failed"}),
    passing("status-false", {"status": False}),
    passing("status-503", {"status": 503}),
    passing("object-error", {"object": "error"}),
    passing("type-error", {"type": "server_error"}),
    passing("role-error", {"role": "error"}, "message"),
    passing("nested", {"gateway": {"upstream": ERROR}}),
    final("unknown-blocked", {"is_blocked": True}),
    final("unknown-risk", {"risk_level": "high"}, "choice"),
    final("unknown-flag", {"moderation": {"results": [{"flagged": True}]}}),
    final("unknown-list", {"violations": ["politics"]}, "message"),
    final("unknown-chinese", {"错误信息": "系统繁忙"}),
    final("unknown-failure", {"upstream_failure": "reset"}),
    *(
        Shape(
            f"{vendor}-{kind}",
            getattr(style, kind)[1],
            Status.FILTERED if kind == "filtered" else Status.FAILED,
            vendor=vendor,
            again=kind == "too_fast",
        )
        for vendor, style in STYLES.items()
        for kind in ("filtered", "no_money", "too_fast")
        # DeepSeek says with HTTP 402 alone that there is no money.
        if (vendor, kind) != ("deepseek", "no_money")
    ),
]

HALF = event(chunk({"content": TEXT}))
END = event(chunk({}, "stop"))


def finishes(*reasons: str) -> list[bytes]:
    return [HALF, *(event(chunk({}, reason)) for reason in reasons), DONE]


STREAMS = [
    *(
        Stream(f"event-error-{name}", [HALF, b"event: error\n" + data, END, DONE], *ends)
        for name, data, *ends in (
            ("nothing", b"\n", Status.FAILED, True),
            ("empty", b"data:\n\n", Status.FAILED, True),
            ("object", b"data: {}\n\n", Status.FAILED, True),
            ("status", b'data: {"status": 503}\n\n', Status.FAILED, True),
            ("text", b"data: busy\n\n", Status.FAILED, True),
            ("done", b"data: [DONE]\n\n", Status.FAILED, True),
            ("message", event({"message": "lost"}), Status.FAILED, True),
            (
                "filter",
                b":HTTP_STATUS/400\n" + event({"code": "DataInspectionFailed"}),
                Status.FILTERED,
            ),
        )
    ),
    Stream("event-error-last", [HALF, END, b"event: error"], Status.FAILED, True),
    Stream("comment-status", [HALF, b":HTTP_STATUS/500\n\n", END, DONE], Status.FAILED, True),
    Stream("bare-error", [HALF, b'{"error": {"message": "lost"}}\n', END], Status.FAILED, True),
    Stream("bare-code", [HALF, b'{"code": 500}\n\n', END, DONE], Status.FAILED, True),
    Stream("bare-filter", [HALF, b'{"code": "data_inspection_failed"}\n', END], Status.FILTERED),
    Stream("bare-text", [HALF, b"upstream connect error\n\n", END, DONE], Status.FAILED, True),
    Stream("bare-list", [HALF, b'[{"error": "lost"}]\n\n', END, DONE], Status.FAILED, True),
    Stream("indented-data", [b" " + HALF, END, DONE], Status.FAILED, True),
    *(
        Stream(f"odd-piece-{number}", [HALF, event(piece), END, DONE], Status.FAILED, True)
        for number, piece in enumerate(
            (
                {"choices": {"delta": {"content": TEXT}}},
                {"choices": [TEXT]},
                {"choices": [{"delta": TEXT}]},
                chunk({"content": {"text": TEXT}}),
            )
        )
    ),
    Stream("mark-amid", [HALF, codecs.BOM_UTF8 + event(ERROR), END], Status.FAILED, True),
    Stream("filter-then-stop", finishes("content_filter", "stop"), Status.FILTERED),
    Stream("stop-then-filter", finishes("stop", "content_filter"), Status.FILTERED),
    Stream("filter-then-error", [*finishes("sensitive")[:-1], event(ERROR)], Status.FILTERED),
    Stream("length-then-stop", finishes("length", "stop"), Status.TRUNCATED),
    Stream("refusal-then-stop", finishes("refusal", "stop"), Status.REFUSED),
    Stream("unknown-then-stop", finishes("something_new", "stop"), Status.FAILED),
    Stream("unknown-then-length", finishes("something_new", "length"), Status.FAILED),
    Stream("trouble-then-stop", finishes("network_error", "stop"), Status.FAILED, True),
    Stream("done-without-finish", finishes(), Status.FAILED, True),
]

GOOD_NOTES = {
    "hate": {"filtered": False, "severity": "safe"},
    "custom_blocklists": {"filtered": False, "details": []},
    "protected_material_code": {"filtered": False, "detected": False},
    "error": {"code": "content_filter_error", "message": "The contents are not filtered"},
}
CALM: list[tuple[str, Place, Fields]] = [
    (
        "minimax",
        "reply",
        {
            **minimax(0, "success"),
            **dict.fromkeys(("input_sensitive", "output_sensitive"), False),
            **dict.fromkeys(("input_sensitive_type", "output_sensitive_int"), 0),
        },
    ),
    ("minimax-without-words", "reply", minimax(0, "")),
    *((f"code-{code!r}", "reply", {"code": code}) for code in (0, "0", "", None, 200, "200")),
    ("code-zeros", "reply", {"code": "000000", "msg": "OK"}),
    ("spark", "reply", {"code": 0, "message": "Success", "sid": "cha0"}),
    ("siliconflow", "reply", {"code": 20000, "status": True, "message": "Ok"}),
    ("success", "reply", {"success": True, "msg": "请求成功。"}),
    ("error-null", "reply", {"error": None, "errors": []}),
    ("error-empty", "reply", {"error": {"code": None, "message": ""}}),
    ("error-null-in-choice", "choice", {"error": None}),
    ("error-null-in-message", "message", {"error": None, "refusal": None}),
    ("ark", "choice", {"moderation_hit_type": None, "logprobs": None}),
    ("ark-tier", "reply", {"service_tier": "default"}),
    ("glm", "reply", {"request_id": "1", "content_filter": [], "web_search": [{"code": "A1"}]}),
    ("azure", "choice", {"content_filter_results": GOOD_NOTES}),
    (
        "azure-question",
        "reply",
        {"prompt_filter_results": [{"prompt_index": 0, "content_filter_results": GOOD_NOTES}]},
    ),
    ("azure-offsets", "choice", {"content_filter_offsets": {"check_offset": 44}}),
    ("openai", "reply", {"system_fingerprint": "fp_1", "metadata": {"code": "7"}}),
    ("openai-annotations", "message", {"annotations": [{"type": "error_citation"}]}),
    ("openrouter", "choice", {"native_finish_reason": "end_turn"}),
    ("qwen", "reply", {"request_id": "1", "search_info": {"search_results": [{"code": 3}]}}),
    ("vllm", "choice", {"stop_reason": 151645, "token_ids": None}),
    ("vllm-reply", "reply", {"prompt_logprobs": None, "kv_transfer_params": None}),
    ("sglang", "choice", {"matched_stop": "错误"}),
    ("llama-cpp", "reply", {"timings": {"prompt_n": 7}, "__verbose": {"truncated": False}}),
    ("gemini", "choice", {"safety_ratings": [{"category": "HATE", "blocked": False}]}),
    ("score", "reply", {"risk_score": 0.013}),
]

GOOD = completion(TEXT)
LAST = {**chunk({"content": TEXT[2:]}, "stop"), "usage": GOOD["usage"]}
FIRST = event(chunk({"role": "assistant", "content": TEXT[:2]}))
