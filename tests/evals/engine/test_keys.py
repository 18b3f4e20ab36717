"""A key goes into one header of one request, and nowhere else."""

from __future__ import annotations

import asyncio
import logging
import traceback
from pathlib import Path

import pytest
from aiohttp import web

from hengfa.base.errors import DataError, EndpointDown, UsageError
from hengfa.base.secrets import Redaction, Secret
from hengfa.evals.engine.messages import Status, Unavailable
from hengfa.evals.engine.vendors import (
    PROVIDERS,
    Config,
    ProviderConfig,
    config_file,
    find_key,
    read_config,
)

from .asking import KEY, answer, endpoint, question, questions, sit
from .server import Handler, LocalServer, Seen, completion

PIECE = KEY[:8]  # even a beginning of the key is too much


def echo(seen: Seen) -> str:
    return seen.headers.get("Authorization", "none")


async def error_with_header(request: web.Request, seen: Seen) -> web.StreamResponse:
    body = {"error": {"message": f"bad credentials: {echo(seen)}", "code": echo(seen)}}
    return web.json_response(body, status=401)


async def busy_with_header(request: web.Request, seen: Seen) -> web.StreamResponse:
    return web.Response(text=f"<h1>busy: {echo(seen)}</h1>", status=503)


async def page_with_header(request: web.Request, seen: Seen) -> web.StreamResponse:
    return web.Response(text=f"<pre>{dict(seen.headers)}</pre>", content_type="text/html")


async def error_with_200(request: web.Request, seen: Seen) -> web.StreamResponse:
    return web.json_response({"error": f"who is {echo(seen)}?"})


async def refusal_with_header(request: web.Request, seen: Seen) -> web.StreamResponse:
    return web.json_response(completion(None, refusal=f"no answer to {echo(seen)}"))


async def model_with_header(request: web.Request, seen: Seen) -> web.StreamResponse:
    return web.json_response({**completion("答"), "model": echo(seen)})


async def broken_header(request: web.Request, seen: Seen) -> web.StreamResponse:
    if isinstance(request.transport, asyncio.WriteTransport):
        request.transport.write(f"HTTP/1.1 200 OK\r\n{echo(seen)}\r\n\r\n".encode())
        request.transport.close()
    return web.Response()


def padded(length: int) -> Handler:
    async def handle(request: web.Request, seen: Seen) -> web.StreamResponse:
        return web.json_response({"error": "长" * length + echo(seen)}, status=400)

    return handle


def padded_page(length: int) -> Handler:
    async def handle(request: web.Request, seen: Seen) -> web.StreamResponse:
        return web.Response(text="x" * length + echo(seen))

    return handle


ECHOES: dict[str, Handler] = {
    "error": error_with_header,
    "busy": busy_with_header,
    "page": page_with_header,
    "error-with-200": error_with_200,
    "refusal": refusal_with_header,
    "model": model_with_header,
    "broken-header": broken_header,
    **{f"cut-{length}": padded(length) for length in range(245, 300, 6)},
    **{f"page-cut-{length}": padded_page(length) for length in range(150, 200, 6)},
}


@pytest.mark.parametrize("name", ECHOES)
def test_a_server_that_repeats_the_key_does_not_get_it_into_the_journal(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    async def run() -> str:
        async with LocalServer(ECHOES[name]) as server:
            responses = await sit(endpoint(server.url), tmp_path, [question(1)])
            return repr(responses)

    shown = asyncio.run(run())
    assert PIECE not in shown
    assert PIECE not in (tmp_path / "journal.jsonl").read_text("utf-8")
    assert PIECE not in caplog.text


@pytest.mark.parametrize("name", ECHOES)
def test_a_server_that_repeats_the_key_does_not_get_it_into_a_traceback(name: str) -> None:
    async def run() -> None:
        async with LocalServer(ECHOES[name]) as server:
            model = endpoint(server.url)
            try:
                response = await model.generate(question(1))
                assert PIECE not in repr(response)
            except Unavailable as trouble:
                lines = traceback.TracebackException.from_exception(trouble, capture_locals=True)
                for text in ("".join(lines.format()), str(trouble), repr(trouble), trouble.reason):
                    assert PIECE not in text
            finally:
                await model.close()

    asyncio.run(run())


def test_the_message_of_a_stopped_run_does_not_show_the_key(tmp_path: Path) -> None:
    async def run() -> None:
        async with LocalServer(error_with_header) as server:
            with pytest.raises(EndpointDown) as stopped:
                await sit(endpoint(server.url), tmp_path, questions(12))
        assert "bad credentials: Bearer ***" in str(stopped.value)
        assert PIECE not in "".join(traceback.format_exception(stopped.value))

    asyncio.run(run())


def test_a_redirect_to_another_host_is_not_followed(tmp_path: Path) -> None:
    async def run() -> None:
        async with LocalServer(answer) as elsewhere:
            location = elsewhere.url.replace("127.0.0.1", "localhost") + "/v1/chat/completions"

            async def redirect(request: web.Request, seen: Seen) -> web.StreamResponse:
                return web.Response(status=308, headers={"Location": location})

            async with LocalServer(redirect) as server:
                responses = await sit(endpoint(server.url), tmp_path, questions(3))
            assert {response.status for response in responses.values()} == {Status.FAILED}
            assert elsewhere.seen == []

    asyncio.run(run())


def test_passwords_in_netrc_neither_travel_nor_get_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("default login someone password secret-of-netrc\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))

    async def run() -> None:
        async with LocalServer(answer) as server:
            for key, expected in ((KEY, f"Bearer {KEY}"), (None, None)):
                model = endpoint(server.url, key=key)
                response = await model.generate(question(1))
                await model.close()
                assert response.status is Status.ANSWERED
                assert server.seen[-1].headers.get("Authorization") == expected

    asyncio.run(run())


@pytest.mark.parametrize(
    ("environment", "through_proxy"),
    [
        ({}, False),
        ({"http_proxy": "http://{proxy}"}, True),
        ({"HTTP_PROXY": "http://{proxy}"}, True),
        ({"http_proxy": "{proxy}"}, True),
        ({"http_proxy": "http://{proxy}", "no_proxy": "127.0.0.1"}, False),
        ({"https_proxy": "http://{proxy}"}, False),
    ],
)
def test_a_proxy_in_the_environment_is_used(
    environment: dict[str, str], through_proxy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        async with LocalServer(answer) as proxy, LocalServer(answer) as vendor:
            for name, value in environment.items():
                monkeypatch.setenv(name, value.format(proxy=proxy.url.removeprefix("http://")))
            model = endpoint(vendor.url)
            response = await model.generate(question(1))
            await model.close()
            assert response.status is Status.ANSWERED
            assert (len(proxy.seen), len(vendor.seen)) == (through_proxy, not through_proxy)

    asyncio.run(run())


@pytest.mark.parametrize("status", [407, 502, 200])
def test_the_password_of_a_proxy_is_not_shown(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(request: web.Request, seen: Seen) -> web.StreamResponse:
        return web.Response(text=f"who is {seen.headers['Proxy-Authorization']}?", status=status)

    async def run() -> None:
        async with LocalServer(refuse) as proxy:
            address = proxy.url.replace("http://", "http://me:word-of-passage-1@")
            monkeypatch.setenv("http_proxy", address)
            model = endpoint("http://vendor.example")
            assert "passage" not in repr(vars(model))
            await sit(model, tmp_path, [question(1)])

    asyncio.run(run())
    journal = (tmp_path / "journal.jsonl").read_text("utf-8")
    assert "Basic ***" in journal and "passage" not in journal


def test_reprs_do_not_show_the_key() -> None:
    model = endpoint("http://127.0.0.1:1")
    for thing in (Secret(KEY), model, [Secret(KEY)], vars(model)):
        assert PIECE not in repr(thing)
        assert PIECE not in str(thing)
    assert PIECE not in f"{Secret(KEY)}"


def test_a_word_that_is_no_secret_stays_readable() -> None:
    assert Redaction([Secret("x")]).hide_message("six boxes") == "six boxes"
    assert Redaction([Secret("EMPTY")]).hide("an EMPTY box") == "an EMPTY box"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o666, 0o601])
def test_a_file_with_keys_that_others_can_read_is_refused(mode: int) -> None:
    config_file().write_text(f'[providers.deepseek]\napi_key = "{KEY}"\n')
    config_file().chmod(mode)
    with pytest.raises(UsageError, match="chmod 600") as refused:
        read_config()
    assert PIECE not in str(refused.value)


def test_a_file_without_keys_may_be_read_by_others() -> None:
    config_file().write_text('[providers.vllm]\nbase_url = "http://gpu:8000/v1"\n')
    config_file().chmod(0o644)
    assert read_config().providers["vllm"].base_url == "http://gpu:8000/v1"


@pytest.mark.parametrize(
    "text",
    [
        f'providers.deepseek = "{KEY}"',
        f'[providers.deepseek]\napi_key = "{KEY}',
        f'[providers.deepseek]\napi_keys = "{KEY}"',
        f'[providers.deepseek]\napi_key = ["{KEY}"]',
        f'api_key = "{KEY}"',
    ],
)
def test_a_broken_file_is_named_without_its_keys(text: str) -> None:
    config_file().write_text(text)
    config_file().chmod(0o600)
    with pytest.raises(DataError, match=r"config\.toml") as refused:
        read_config()
    assert PIECE not in "".join(traceback.format_exception(refused.value))


def test_a_file_that_is_not_unicode_is_named() -> None:
    config_file().write_bytes("[providers.deepseek] # 密钥".encode("gbk"))
    config_file().chmod(0o600)
    with pytest.raises(DataError, match=r"config\.toml"):
        read_config()


def test_the_environment_wins_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    config = Config({"glm": ProviderConfig(api_key=" from-file ")})

    def found() -> str:
        key = find_key("glm", config)
        return key.header() if key is not None else ""

    assert found() == "Bearer from-file"
    monkeypatch.setenv("ZAI_API_KEY", "second")
    assert found() == "Bearer second"
    monkeypatch.setenv("ZHIPUAI_API_KEY", "first")
    assert found() == "Bearer first"
    monkeypatch.setenv("ZHIPUAI_API_KEY", " first\n")
    assert found() == "Bearer first"


def test_one_providers_key_is_never_sent_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in PROVIDERS.values():
        for variable in provider.key_variables:
            monkeypatch.setenv(variable, f"key-in-{variable}")
    for name, provider in PROVIDERS.items():
        key = find_key(name, Config())
        assert key is not None
        assert key.header() == f"Bearer key-in-{provider.key_variables[0]}"


def test_blank_variables_are_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "  ")
    assert find_key("deepseek", read_config()) is None
