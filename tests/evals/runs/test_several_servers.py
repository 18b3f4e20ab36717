"""Runs, graders and agents with several servers: the journal says who answered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web
from click.testing import CliRunner
from tests.evals.engine.server import LocalServer, Seen, completion, in_thread

import hengfa
from hengfa.base.errors import UsageError
from hengfa.base.secrets import show_addresses
from hengfa.cli.main import cli
from hengfa.evals.engine.journal import read_entries
from hengfa.evals.runs.folder import read_manifest
from hengfa.evals.runs.look import entries_of, servers_asked
from hengfa.evals.runs.models import Connection, open_outside

INSPECT = pytest.mark.optional("inspect_ai")


async def choose_b(_request: web.Request, _seen: Seen) -> web.StreamResponse:
    await asyncio.sleep(0.01)
    return web.json_response(completion("[正确答案]B<eoa>"))


@pytest.fixture
def urls() -> Iterator[list[str]]:
    with in_thread(LocalServer(choose_b)) as one, in_thread(LocalServer(choose_b)) as other:
        yield sorted([f"{one.url}/v1", f"{other.url}/v1"])


def asked(journal: Path) -> set[str]:
    return {entry.response.server for entry in read_entries(journal)}


def test_a_run_and_its_grader_are_shared_out_and_go_on_elsewhere(
    urls: list[str], tmp_path: Path
) -> None:
    notices: list[str] = []

    def evaluate(base_url: list[str] | str, limit: int) -> Path:
        run = hengfa.evaluate(
            "claw-cases", "endpoint:m", data="sample", base_url=base_url, limit=limit,
            runs=tmp_path, graders=[hengfa.grader("endpoint:g", base_url=urls)],
            notify=notices.append,
        )  # fmt: skip
        return Path(run.folder)

    folder = evaluate(urls[::-1], 2)
    assert read_manifest(folder).address == ", ".join(urls)
    assert asked(folder / "journal.jsonl") == set(urls)
    assert asked(folder / "grades" / "endpoint_g" / "journal.jsonl") <= set(urls)
    assert not any("goes on at" in notice for notice in notices)
    evaluate(urls[0], 3)
    assert any(f"goes on at {urls[0]}" in notice for notice in notices)
    assert asked(folder / "journal.jsonl") == {*urls, ""}, "one server needs no naming"


def test_the_turns_of_an_agent_are_shared_out(urls: list[str], tmp_path: Path) -> None:
    run = hengfa.evaluate(
        "legalagentbench/1-hop", "endpoint:m", data="sample", setting="react", limit=4,
        base_url=urls, runs=tmp_path,
    )  # fmt: skip
    entries = list(read_entries(Path(run.folder) / "journal.jsonl"))
    turns = [entry for entry in entries if "#" in entry.key]
    assert {entry.response.server for entry in turns} == set(urls)
    question = turns[0].key.split("/", 3)[-1].partition("#")[0]
    servers = servers_asked(entries_of(Path(run.folder), f"1-hop/{question}"))
    assert servers
    assert set(servers) <= set(urls)


def test_a_file_names_the_servers_and_show_says_who_answered(
    urls: list[str], tmp_path: Path
) -> None:
    servers = tmp_path / "servers.txt"
    servers.write_text(f"# two of them\n{urls[0]}\n{urls[1]}\n", encoding="utf-8")
    runs = ["--runs", str(tmp_path / "runs")]
    command = ["eval", "lawbench/1-2", "--data", "sample", "--model", "endpoint:m", "--run", "r"]
    told = CliRunner().invoke(cli, [*command, *runs, "--base-url", f"@{servers}", "--json"])
    assert told.exit_code == 0, told.output
    line = (tmp_path / "runs" / "r" / "journal.jsonl").read_text("utf-8").splitlines()[0]
    entry = json.loads(line)
    sample = entry["key"].rpartition("/")[2]
    shown = CliRunner().invoke(cli, ["show", "r", f"1-2/{sample}", *runs])
    assert f"response: answered by {entry['response']['server']}" in shown.output
    servers.write_text(f"{urls[0]}\nlocalhost:8000\n", encoding="utf-8")
    refused = CliRunner().invoke(cli, [*command, *runs, "--base-url", f"@{servers}"])
    assert "servers.txt, line 2" in str(refused.exception)


def test_addresses_that_were_kept_are_shown_each_without_its_secrets() -> None:
    joined = "http://a:hunter22@x/v1?key=hunter22, https://y/v1/, http://b:hunter22@z/v1"
    shown = "http://***@x/v1?key=***, https://y/v1, http://***@z/v1"
    assert show_addresses(joined) == show_addresses(shown) == shown


@INSPECT
def test_inspect_takes_one_address() -> None:
    with pytest.raises(UsageError, match="one --base-url"):
        open_outside("inspect:mockllm/model", Connection(["http://a/v1", "http://b/v1"]))


@pytest.mark.parametrize(
    ("name", "base_url"),
    [
        ("endpoint:g", None),
        ("endpoint:g", "ftp://host/v1"),
        ("endpoint:g", "http://host:x/v1"),
        ("endpoint:g", "@nowhere.txt"),
        pytest.param("inspect:mockllm/model", "http://host:x/v1", marks=INSPECT),
        pytest.param("inspect:mockllm/model", ["http://a/v1", "http://b/v1"], marks=INSPECT),
    ],
)
def test_an_error_names_the_option_by_which_an_address_came(
    name: str, base_url: str | list[str] | None
) -> None:
    with pytest.raises(UsageError) as refused:
        open_outside(name, Connection(base_url))
    assert "--base-url" in str(refused.value)
    with pytest.raises(UsageError) as refused_of_grader:
        open_outside(name, hengfa.grader(name, base_url=base_url).connection)
    said = str(refused.value).replace("--base-url", "--grader-base-url")
    assert str(refused_of_grader.value) == said


def test_an_address_of_the_configuration_is_called_so(own_home: Path) -> None:
    (own_home / "config.toml").write_text('[providers.vllm]\nbase_url = "host:8000"\n')
    with pytest.raises(UsageError, match=r"^base_url in config\.toml: 'host:8000' does not begin"):
        open_outside("vllm:m", Connection())


def test_forms_of_graders_name_the_option_of_graders() -> None:
    with pytest.raises(UsageError, match="server, at --grader-base-url"):
        hengfa.grader("nobody")
