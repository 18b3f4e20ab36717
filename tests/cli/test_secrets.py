"""Keys and passwords that users put into addresses, fields and variables are shown nowhere."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from aiohttp import web
from tests.cli.test_cli import Done
from tests.cli.test_cli import hengfa as call
from tests.evals.engine.server import LocalServer, Seen, completion, in_thread

import hengfa
from hengfa.base.errors import DataError, UsageError
from hengfa.base.secrets import HIDDEN, part_fields, read_address, show_address
from hengfa.evals.engine.vendors import PROVIDERS, Config, ProviderConfig, config_file, read_config
from hengfa.evals.runs.folder import read_manifest
from hengfa.evals.runs.models import Connection, open_outside
from hengfa.world.opening import KEY as WORLD_KEY

SECRET = "Wx7-quiet-Harbour-2291"
BASIC = "Basic " + b64encode(f"me:{SECRET}".encode()).decode()
EVAL = ("eval", "lawbench/1-2", "--data", "sample", "--model", "endpoint:m", "--attempts", "1")


async def tell_all(request: web.Request, seen: Seen) -> web.StreamResponse:
    """A server that sends back whatever it was sent."""
    heard = json.dumps([str(request.url), dict(request.headers), seen.body], ensure_ascii=False)
    if "龙牌" in seen.prompt:
        return web.json_response({"error": {"message": heard}}, status=400)
    return web.json_response(completion(f"[正确答案]B<eoa>{heard}"))


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with in_thread(LocalServer(tell_all)) as running:
        yield running


def everything(folder: Path, *done: Done) -> str:
    """All that was printed and all that was written."""
    files = (file.read_bytes() for file in folder.rglob("*") if file.is_file())
    written = b"\n".join(files).decode("utf-8", "replace")
    return written + "".join(each.stdout + each.stderr for each in done)


@pytest.mark.parametrize(
    ("address", "shown", "authorization"),
    [
        (f"http://me:{SECRET}@HOST/v1", "http://***@HOST/v1", BASIC),
        (f"http://HOST/v1?key={SECRET}", "http://HOST/v1?key=***", None),
        (f"http://HOST/v1/?api-version=1&api_key={SECRET}", None, None),
        (f"http://me:{SECRET}@HOST/v1?sig={SECRET}#{SECRET}", None, BASIC),
    ],
)
def test_a_password_in_the_address_is_sent_and_never_kept(
    address: str, shown: str | None, authorization: str | None, server: LocalServer, tmp_path: Path
) -> None:
    host = server.url.removeprefix("http://")
    command = (*EVAL, "--base-url", address.replace("HOST", host))
    first = call(*command, cwd=tmp_path)
    asked = len(server.seen)
    again = call(*command, cwd=tmp_path)
    elsewhere = call(*EVAL, "--base-url", f"http://x:{SECRET}@{host}/w/v1", cwd=tmp_path)
    assert [first.returncode, again.returncode, elsewhere.returncode] == [0, 0, 0], first.stderr
    assert asked and len(server.seen) <= asked + 2  # only what failed is asked again
    assert server.seen[0].path == "/v1/chat/completions"
    assert server.seen[0].headers.get("Authorization") == authorization
    seen = everything(tmp_path, first, again, elsewhere)
    assert SECRET not in seen and BASIC not in seen and HIDDEN in seen
    assert f"goes on at http://***@{host}/w/v1" in elsewhere.stderr
    if shown is not None:
        (run,) = (tmp_path / "runs").iterdir()
        assert read_manifest(run).address == shown.replace("HOST", host)


def test_a_key_in_a_field_is_sent_and_never_kept(server: LocalServer, tmp_path: Path) -> None:
    fields = {
        "api_key": SECRET,
        "top_k": 5,
        "metadata": {"auth": [{"token": SECRET}], "headers": {"X-Any": SECRET}, "note": "说明"},
    }
    command = (*EVAL, "--base-url", f"{server.url}/v1", "--extra", json.dumps(fields))
    dry = call(*command, "--dry-run", cwd=tmp_path)
    first = call(*command, cwd=tmp_path)
    asked = len(server.seen)
    rotated = json.dumps({**fields, "api_key": SECRET[::-1]})
    again = call(*command[:-1], rotated, cwd=tmp_path)
    assert [dry.returncode, first.returncode, again.returncode] == [0, 0, 0], first.stderr
    assert asked and len(server.seen) <= asked + 1  # another key is the same question
    assert {field: server.seen[0].body[field] for field in fields} == fields
    seen = everything(tmp_path, dry, first, again)
    assert SECRET not in seen and SECRET[::-1] not in seen
    (run,) = (tmp_path / "runs").iterdir()
    kept = read_manifest(run).options.extra
    assert kept == {
        "api_key": HIDDEN,
        "top_k": 5,
        "metadata": {"auth": [{"token": HIDDEN}], "headers": {"X-Any": HIDDEN}, "note": "说明"},
    }
    other = call(*command[:-1], json.dumps({**fields, "top_k": 6}), cwd=tmp_path)
    assert other.returncode == 1 and "another run" in other.stderr and SECRET not in other.stderr


def test_a_model_object_is_not_given_stars_for_a_key(tmp_path: Path) -> None:
    model = open_outside("endpoint:m", Connection("http://127.0.0.1:9/v1"))
    with pytest.raises(UsageError, match="give it to the model itself"):
        hengfa.evaluate(
            "lawbench/1-2", model, data="sample", runs=tmp_path, extra={"api_key": SECRET}
        )


def test_a_run_that_an_early_version_made_shows_no_password(
    server: LocalServer, tmp_path: Path
) -> None:
    call(*EVAL, "--base-url", f"{server.url}/v1", cwd=tmp_path)
    (run,) = (tmp_path / "runs").iterdir()
    file = run / "run.json"
    manifest = msgspec.json.decode(file.read_bytes())
    manifest["address"] = f"http://me:{SECRET}@127.0.0.1/v1"
    file.write_bytes(msgspec.json.encode(manifest))
    again = call(*EVAL, "--base-url", f"{server.url}/v1", cwd=tmp_path)
    assert "begun at http://***@127.0.0.1/v1" in again.stderr
    manifest["options"]["extra"] = {"api_key": SECRET, "top_k": 1}
    file.write_bytes(msgspec.json.encode(manifest))
    other = call(*EVAL, "--base-url", f"{server.url}/v1", cwd=tmp_path)
    listed = call("results", cwd=tmp_path)
    scored = call("score", "lawbench", str(run), cwd=tmp_path)
    assert (other.returncode, listed.returncode, scored.returncode) == (1, 0, 0)
    assert '"api_key":"***"' in other.stderr
    for done in (again, other, listed, scored):
        assert SECRET not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((*EVAL, "--base-url", f"me:{SECRET}@host/v1"), "does not begin with http"),
        ((*EVAL, "--base-url", f"ftp://me:{SECRET}@host/v1"), "does not begin with http"),
        ((*EVAL, "--base-url", f"http://me:{SECRET}@[host/v1"), "not an address"),
        ((*EVAL, "--base-url", f"http://me:{SECRET}@host:x/v1"), "not an address"),
        ((*EVAL, "--base-url", f"http://me:{SECRET}@127.0.0.1:9/v1"), "requests in a row failed"),
        (("data", "pull", "lawbench", "--base-url", f"https://h/?key={SECRET}"), "cannot have"),
        (("data", "pull", "lawbench", "--base-url", f"me:{SECRET}@h"), "base URL"),
        (("world", "call", "get_sum", "[1]", "--world", f"http://a:{SECRET}@h"), WORLD_KEY),
        (("world", "call", "get_sum", "[1]", "--world", f"http://h/?key={SECRET}"), WORLD_KEY),
        (("world", "call", "get_sum", "[1]", "--world", f"http://a:{SECRET}@[h"), "not into its"),
    ],
)
def test_errors_about_an_address_show_no_password(
    arguments: tuple[str, ...], expected: str, tmp_path: Path
) -> None:
    done = call(*arguments, cwd=tmp_path)
    assert done.returncode in (1, 2) and expected in done.stderr, done.stderr
    assert SECRET not in everything(tmp_path, done)


def test_a_world_with_a_key_in_its_address_is_refused_before_a_run_is_made(tmp_path: Path) -> None:
    address = f"world=http://127.0.0.1:9/?key={SECRET}"
    done = call(
        "eval", "legalagentbench", "--data", "sample", "--model", "floor", "--set", address,
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2 and WORLD_KEY in done.stderr
    assert SECRET not in everything(tmp_path, done)


def test_a_name_and_a_key_cannot_both_be_sent(tmp_path: Path) -> None:
    address = f"https://me:{SECRET}@host/v1"
    done = call(*EVAL, "--base-url", address, cwd=tmp_path, HENGFA_API_KEY="key-of-endpoint")
    assert done.returncode == 2 and "HENGFA_API_KEY" in done.stderr
    assert SECRET not in done.stderr and "key-of-endpoint" not in done.stderr


WORLD = ("world", "call", "get_court_info", '{"identifier": "x"}', "--world", "http://127.0.0.1:9")
VARIABLES = {
    WORLD_KEY: WORLD,
    **{
        variable: (*EVAL[:4], "--model", f"{name}:m", "--base-url", "http://127.0.0.1:9/v1")
        for name, provider in PROVIDERS.items()
        for variable in provider.key_variables
    },
}
UNUSABLE = {
    "\r": "a line break",
    "\n": "a line break",
    "\r\nX-Other: ": "a line break",
    "\t": "a control character",
    "\x1b": "a control character",
    "\x7f": "a control character",
    "é": "outside ASCII",
    "钥": "outside ASCII",
    "\u200b": "outside ASCII",
    "\udcff": "outside ASCII",
}


@pytest.mark.parametrize("variable", VARIABLES)
@pytest.mark.parametrize("character", UNUSABLE, ids=ascii)
def test_a_key_that_no_header_can_hold_is_refused_by_the_name_of_its_variable(
    variable: str, character: str, tmp_path: Path
) -> None:
    value = f"sk-front-0123{character}back-4567-sk"
    done = call(*VARIABLES[variable], cwd=tmp_path, **{variable: value})
    assert done.returncode == 2, done.stderr
    assert variable in done.stderr and UNUSABLE[character] in done.stderr
    assert "Traceback" not in done.stderr
    for piece in ("front", "0123", "back", "4567"):
        assert piece not in everything(tmp_path, done)


def test_a_grader_whose_key_is_unusable_is_refused_likewise(tmp_path: Path) -> None:
    done = call(
        "eval", "plawbench", "--data", "sample", "--model", "floor", "--limit", "1",
        "--grader", "kimi:k2", cwd=tmp_path, MOONSHOT_API_KEY=f"{SECRET}\r{SECRET}",
    )  # fmt: skip
    assert done.returncode == 2 and "MOONSHOT_API_KEY" in done.stderr
    assert SECRET not in everything(tmp_path, done)


def test_a_key_of_the_configuration_is_checked_by_the_same_rule() -> None:
    config_file().write_text(f'[providers.glm]\napi_key = "{SECRET}\\u0001x"\n')
    config_file().chmod(0o600)
    with pytest.raises(UsageError, match=r"glm\.api_key: .*a control character") as refused:
        open_outside("glm:m", Connection())
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("address", [f"https://me:{SECRET}@h/v1", f"https://h/v1?key={SECRET}"])
def test_an_address_with_a_password_in_the_configuration_is_a_key(
    address: str, tmp_path: Path
) -> None:
    config_file().write_text(f'[providers.glm]\nbase_url = "{address}"\n')
    config_file().chmod(0o644)
    with pytest.raises(UsageError, match="chmod 600") as refused:
        read_config()
    config_file().chmod(0o600)
    listed = call("models", cwd=tmp_path)
    assert HIDDEN in listed.stdout
    assert SECRET not in str(refused.value) + listed.stdout + listed.stderr


def test_reprs_show_neither_keys_nor_passwords() -> None:
    address = f"http://me:{SECRET}@127.0.0.1/v1?key={SECRET}"
    _, private = part_fields({"api_key": SECRET})
    connection = Connection(address, private=private)
    config = Config({"glm": ProviderConfig(api_key=SECRET, base_url=address)})
    model = open_outside("endpoint:m", connection)
    for thing in (connection, private, config, model, vars(model), read_address(address, "")):
        assert SECRET not in f"{thing!r}{thing}"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://localhost:8000/v1/", "http://localhost:8000/v1"),
        ("https://api.example/@cf/v1", "https://api.example/@cf/v1"),
        ("https://h/v1?api-version=2024-02-01", "https://h/v1?api-version=2024-02-01"),
        ("https://tok@h/v1", "https://***@h/v1"),
        ("https://h/v1?subscription-key=abc&x=1", "https://h/v1?subscription-key=***&x=1"),
        ("https://h/v1?access%5Ftoken=abc", "https://h/v1?access%5Ftoken=***"),
        ("https://h/v1?sk-abcdef", "https://h/v1?***"),
        ("https://h/v1?user=sk-abcdef;code=1", "https://h/v1?user=***;code=***"),
        ("https://h/v1#token", "https://h/v1"),
        ("imported", "imported"),
        ("", ""),
    ],
)
def test_an_address_is_shown_without_what_is_secret_in_it(url: str, shown: str) -> None:
    assert show_address(url) == shown


@pytest.mark.parametrize(
    "name",
    ["max_tokens", "stop_token_ids", "eos_token", "prompt_cache_key", "author", "enable_thinking",
     "skip_special_tokens", "response_format", "keyword", "tokens"],
)  # fmt: skip
def test_switches_that_only_sound_like_keys_are_kept(name: str) -> None:
    fields = {name: "value", "list": [{name: 1}]}
    assert part_fields(fields) == (fields, {})


@pytest.mark.parametrize(
    "name",
    ["api_key", "apiKey", "X-API-Key", "key", "token", "access_token", "hf_token", "secret",
     "client_secret", "password", "passwd", "pwd", "Authorization", "auth", "credentials",
     "headers", "extra_headers", "cookie"],
)  # fmt: skip
def test_fields_with_the_name_of_a_secret_are_hidden(name: str) -> None:
    fields = {"outer": [{name: {"inner": SECRET, "number": 7, "on": True}}], "note": "sk-abcdef"}
    kept, private = part_fields(fields)
    inner = {"inner": HIDDEN, "number": HIDDEN, "on": True}
    assert kept == {"outer": [{name: inner}], "note": HIDDEN}
    assert private == fields


def test_fields_nested_without_end_are_refused() -> None:
    fields: dict[str, object] = {}
    for _ in range(100_000):
        fields = {"a": fields}
    with pytest.raises(UsageError, match="nested more than 100 deep"):
        part_fields(fields)


def test_a_broken_configuration_is_still_named() -> None:
    config_file().write_text(f'[providers.glm]\nbase_url = 7\napi_key = "{SECRET}"\n')
    config_file().chmod(0o600)
    with pytest.raises(DataError) as refused:
        read_config()
    assert SECRET not in str(refused.value)
