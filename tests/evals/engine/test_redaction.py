"""A key that a server sends back, in whatever form and place, goes no further than the endpoint."""

from __future__ import annotations

import asyncio
import json
import string
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from hengfa.base.secrets import HIDDEN, Redaction, Secret
from hengfa.evals.engine.messages import Response, Status

from .asking import KEY, Sitting, endpoint, question, questions
from .server import DONE, LocalServer, Seen, chunk, completion, event, send_stream


def each(pattern: str) -> Callable[[str], str]:
    """Every character, or by `{code…}` its number."""
    return lambda key: "".join(pattern.format(c, code=ord(c)) for c in key)


def base64(before: str = "", after: str = "") -> Callable[[str], str]:
    return lambda key: b64encode(f"{before}{key}{after}".encode()).decode()


FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper case": str.upper,
    "swapped case": lambda key: key.title().swapcase(),
    "base64": base64(),
    "base64 without padding": lambda key: base64()(key).rstrip("="),
    "base64url": lambda key: urlsafe_b64encode(key.encode()).decode(),
    "base64 of a header": base64("Key "),
    "base64 of a login": base64("me:"),
    "base64 of JSON": base64('{"":"', '"}'),
    "base64 in lines": lambda key: "\n".join(
        base64()(key)[at : at + 10] for at in range(0, 64, 10)
    ),
    "hexadecimal": lambda key: key.encode().hex(),
    "percent": each("%{code:02X}"),
    "percent, where needed": lambda key: key.replace("-", "%2D"),
    "percent, twice": lambda key: quote(each("%{code:02x}")(key)),
    "percent, here and there": lambda key: key.replace("a", "%61").replace("5", "%35"),
    "JSON": each("\\u{code:04x}"),
    "JSON, here and there": lambda key: key.replace("o", "\\u006f").replace("-0", "\\u002D0"),
    "hexadecimal escapes": each("\\x{code:02x}"),
    "braced escapes": each("\\u{{{code:x}}}"),
    "entities": each("&#{code};"),
    "hexadecimal entities": each("&#x{code:X};"),
    "blanks": each("{} "),
    "line breaks": lambda key: "\n".join((key[:9], key[9:20], key[20:])),
    "written line breaks": lambda key: "\\n".join((key[:9], key[9:20], key[20:])),
    "zero width": each("{}\u200b"),
    "written zero width": each("{}\\u200b"),
    "joiners": each("{}\u2060\ufeff\u00ad"),
    "hyphens": each("{}-"),
    "dots and quotes": each("'{}'，"),
    "no hyphens": lambda key: key.replace("-", ""),
}


def with_message(**message: Any) -> Callable[[str], dict[str, Any]]:
    def body(form: str) -> dict[str, Any]:
        filled = {field: value.replace("KEY", form) for field, value in message.items()}
        return completion(filled.pop("content", "答"), **filled)

    return body


def with_call(**parts: str) -> Callable[[str], dict[str, Any]]:
    def body(form: str) -> dict[str, Any]:
        call = {"id": "call_1", "name": "look", "arguments": "{}"} | {
            field: value.replace("KEY", form) for field, value in parts.items()
        }
        function = {"name": call["name"], "arguments": call["arguments"]}
        return completion("", tool_calls=[{"id": call["id"], "index": 0, "function": function}])

    return body


CHANNELS: dict[str, Callable[[str], dict[str, Any]]] = {
    "content": with_message(content="钥匙是KEY，请记住。"),
    "content and no more": with_message(content="KEY"),
    "reasoning": with_message(reasoning_content="想到KEY。"),
    "thinking": with_message(content="<think>想到KEY。</think>答"),
    "name of a tool": with_call(name="KEY"),
    "arguments": with_call(arguments='{"钥匙": "KEY"}'),
    "id of a call": with_call(id="KEY"),
    "finish reason": lambda form: completion("答", form),
    "refusal": with_message(refusal="KEY is not welcome"),
    "model": lambda form: {**completion("答"), "model": form},
    "id": lambda form: {**completion("答"), "id": form},
    "error": lambda form: {"error": {"message": f"bad key: {form}", "code": form}},
    "error beside choices": lambda form: {**completion("答"), "error": form},
    "name of an error": lambda form: {**completion("答"), f"{form} error": form},
    "cut content": lambda form: completion(f"钥匙是{form}", "length"),
}
STATUSES = {"error 400": 400, "error 401": 401, "error 503": 503}


def letters(text: str) -> str:
    return "".join(c for c in text.lower() if c in string.ascii_lowercase + string.digits)


def leaks(text: str, form: str) -> bool:
    """Whether what stands for five letters of the key, and eight at least, stands in a text."""
    whole, seen = letters(form), letters(text)
    size = max(8, 5 * len(whole) // len(letters(KEY)))
    return any(whole[at : at + size] in seen for at in range(len(whole) - size + 1))


def as_events(body: dict[str, Any]) -> list[bytes]:
    """A reply as a stream in which every text comes in pieces of three characters."""
    if "choices" not in body:
        return [event(body), DONE]
    choice = body.pop("choices")[0]
    deltas: list[dict[str, Any]] = []
    for field, value in choice["message"].items():
        if field == "tool_calls":
            function = value[0]["function"]
            deltas.append({"tool_calls": [{**value[0], "function": {"name": function["name"]}}]})
            deltas += [
                {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}
                for piece in pieces(function["arguments"])
            ]
        else:
            deltas += [{field: piece} for piece in pieces(value)]
    events = [chunk(delta) for delta in deltas] + [chunk({}, choice["finish_reason"])]
    return [*(event({**body, **e} if "id" in body else {**e, **body}) for e in events), DONE]


def pieces(text: str) -> list[str]:
    return [text[at : at + 3] for at in range(0, len(text), 3)]


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("form", FORMS)
def test_a_key_in_any_form_and_place_is_hidden(form: str, streamed: bool, tmp_path: Path) -> None:
    sent = FORMS[form](KEY)
    channels = {f"test/{number:04d}": name for number, name in enumerate([*CHANNELS, *STATUSES])}

    async def handle(request: web.Request, seen: Seen) -> web.StreamResponse:
        name = channels[seen.prompt]
        if name in STATUSES:
            return web.json_response(CHANNELS["error"](sent), status=STATUSES[name])
        body = CHANNELS[name](sent)
        if streamed:
            return await send_stream(request, as_events(body))
        return web.json_response(body)

    async def run() -> dict[str, Response]:
        async with LocalServer(handle) as server:
            asked = [question(number, text=key) for number, key in enumerate(channels)]
            model = endpoint(server.url, stream=streamed)
            return await Sitting(model, tmp_path, failures_in_a_row=99).run(asked)

    responses = asyncio.run(run())
    assert len(responses) == len(channels)
    for line in (tmp_path / "journal.jsonl").read_text("utf-8").splitlines():
        entry = json.loads(line)
        name = channels[entry["key"]]
        assert not leaks(repr(entry) + line, sent), name
        assert not leaks(repr(responses[entry["key"]]), sent), name
        if name not in ("id", "finish reason"):  # read, or turned to small letters, before
            assert HIDDEN in line, name


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("length", range(20, 60, 5))
def test_a_message_that_was_cut_within_the_key_shows_no_piece_of_it(form: str, length: int) -> None:
    redaction = Redaction([Secret(KEY)])
    sent = f"bad key: {FORMS[form](KEY)}"[:length]
    for message in (sent, f"{sent}…", f"finish_reason '{sent}…'"):
        shown = redaction.hide_message(message)
        assert not leaks(shown, FORMS[form](KEY))


@given(st.text(alphabet="sk-local0123\u200b %\\u7n法，", max_size=60))
def test_what_is_hidden_is_the_key_and_nothing_around_it(around: str) -> None:
    redaction = Redaction([Secret(KEY)])
    assert redaction.hide(around) == around
    for form in ("plain", "blanks", "JSON"):
        shown = redaction.hide(f"{around}法{FORMS[form](KEY)}法{around}")
        assert shown.count(HIDDEN) == 1 and not leaks(shown, KEY)
        assert shown.startswith(f"{around}法") and shown.endswith(f"法{around}")


@pytest.mark.parametrize(
    "text",
    [
        "年利率24%的部分，依据《民法典》第六百八十条。\n\n$\\frac{1}{2}$",
        '{"identifier": "\\u4e0a\\u6d77", "columns": ["公司名称"]}',
        "100%25 C:\\new\\table &#20013; sk-local-0123456789 C",
        "2024-01-01",
        "",
    ],
)
def test_other_text_stays_as_it_is(text: str) -> None:
    redaction = Redaction([Secret(KEY), Secret("20240101"), Secret("none")])
    assert redaction.hide(text) == redaction.hide_cut(text) == text
    assert not Redaction([]).finds(text)


def test_several_secrets_are_hidden_at_once() -> None:
    redaction = Redaction([Secret(KEY), Secret("hunter2-hunter2"), None])
    text = f"{KEY}、HUNTER2 hunter2、{KEY}{KEY}"
    assert redaction.hide(text) == "***、***、******"
    assert redaction.hide(KEY + KEY.upper()[:20]) == HIDDEN + KEY.upper()[:20]


def test_answers_without_the_key_are_kept_whole(tmp_path: Path) -> None:
    text = "第一条\n根据%7Eu0041，\\u0041 &#65; 利率24%"

    async def handle(request: web.Request, seen: Seen) -> web.StreamResponse:
        return web.json_response(completion(text))

    async def run() -> dict[str, Response]:
        async with LocalServer(handle) as server:
            return await Sitting(endpoint(server.url), tmp_path).run(questions(2))

    for response in asyncio.run(run()).values():
        assert (response.status, response.text) == (Status.ANSWERED, text)
