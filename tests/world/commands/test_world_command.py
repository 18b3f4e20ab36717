"""`hengfa world` as a person or a script calls it, and its tools served over HTTP."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.cli.test_cli import hengfa
from tests.world import own_tables, tiny_world
from tests.world.tiny_world import COURT, write

from hengfa.world.commands.world import command
from hengfa.world.tables.world import World
from hengfa.world.tools.texts import index_retrievers


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    tiny_world.write(folder / "tiny.sqlite")
    return folder


def test_one_call_prints_what_an_agent_sees(folder: Path) -> None:
    asked = json.dumps({"identifier": "云0101", "columns": ["法院名称"]})
    done = hengfa("world", "call", "get_court_code", asked, "--world", "tiny.sqlite", cwd=folder)
    assert (done.returncode, done.stdout) == (0, f"{{'法院名称': '{tiny_world.COURT}'}}\n")
    helpful = hengfa(
        "world",
        "call",
        "get_court_code",
        asked,
        "--world",
        "tiny.sqlite",
        "--mode",
        "helpful",
        cwd=folder,
    )
    assert json.loads(helpful.stdout) == {"row": {"法院名称": tiny_world.COURT}}
    missing = hengfa(
        "world",
        "call",
        "get_court_code",
        '{"identifier": "无"}',
        "--world",
        "tiny.sqlite",
        cwd=folder,
    )
    assert missing.stdout == "No data found for the specified identifier.\n"
    assert missing.stderr == "no data\n"


def test_many_calls_go_in_and_come_out_as_lines(folder: Path) -> None:
    calls: list[dict[str, object]] = [
        {"tool": "get_sum", "arguments": {"identifier": [1, "2万"]}, "id": 7},
        {"tool": "nothing"},
    ]
    text = "\n".join(json.dumps(call) for call in calls) + "\n"
    (folder / "calls.jsonl").write_text(text, "utf-8")
    options = ("--world", "tiny.sqlite", "--batch", "calls.jsonl")
    done = hengfa("world", "call", *options, "-o", "out.jsonl", cwd=folder)
    assert done.returncode == 0, done.stderr
    written = (folder / "out.jsonl").read_text("utf-8")
    first, second = map(json.loads, written.splitlines())
    assert first == {**calls[0], "observation": "20001.0", "status": "ok"}
    assert second["status"] == "unknown tool"
    assert hengfa("world", "call", *options, cwd=folder).stdout == written


@pytest.mark.parametrize("line", ['{"arguments": {}}', "{", "[]", '{"tool": 5}'])
def test_a_bad_line_is_named_and_nothing_is_written(folder: Path, line: str) -> None:
    (folder / "bad.jsonl").write_text('{"tool": "get_sum"}\n' + line, "utf-8")
    done = hengfa(
        "world",
        "call",
        "--world",
        "tiny.sqlite",
        "--batch",
        "bad.jsonl",
        "-o",
        "none.jsonl",
        cwd=folder,
    )
    assert done.returncode == 1
    assert "bad.jsonl, row 2" in done.stderr
    assert not (folder / "none.jsonl").exists()
    assert not (folder / ".none.jsonl.new").exists()


def test_wrong_calls_say_what_to_do(folder: Path) -> None:
    for arguments in ((), ("get_sum", "{}", "--tools"), ("get_sum", "{not json")):
        done = hengfa("world", "call", *arguments, "--world", "tiny.sqlite", cwd=folder)
        assert done.returncode == 2, arguments
    absent = hengfa("world", "call", "get_sum", cwd=folder)
    assert absent.returncode == 1
    assert "hengfa data add legalagentbench" in absent.stderr


def test_tools_are_listed(folder: Path) -> None:
    done = hengfa("world", "call", "--tools", "--world", "tiny.sqlite", cwd=folder)
    assert len(done.stdout.splitlines()) == 37


def test_tables_are_imported_and_counted(folder: Path) -> None:
    tables = folder / "tables"
    tables.mkdir()
    (tables / "AddrInfo.csv").write_text("地址,省份,城市,区县\n甲路1号,甲省,甲市,甲区\n", "utf-8")
    done = hengfa("world", "import", "tables", "-o", "mine.sqlite", cwd=folder)
    assert "1 rows" in done.stdout
    stats = hengfa("world", "stats", "--world", "mine.sqlite", "--json", cwd=folder)
    told = json.loads(stats.stdout)
    assert told["tables"]["AddrInfo"] == {
        "rows": 1,
        "cells": 4,
        "unobserved": 0,
        "official_rows": 19533,
    }
    assert told["source"] == "folder"
    plain = hengfa("world", "stats", "--world", "mine.sqlite", cwd=folder)
    assert "AddrInfo" in plain.stdout


def test_it_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    world = write(tmp_path / "tiny.sqlite")
    hengfa = Path(sys.executable).with_name("hengfa")
    serving = subprocess.Popen(
        [hengfa, "world", "serve", "--world", world, "--port", "0"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert serving.stderr is not None
    try:
        said = serving.stderr.readline()
        assert said.startswith("37 tools at http://127.0.0.1:")
        address = said.split(" at ")[1].split(";")[0]
        asked = json.dumps({"identifier": "云0101", "columns": ["法院名称"]}).encode()
        with urllib.request.urlopen(f"{address}/get_court_code", asked, timeout=20) as reply:
            assert json.load(reply) == {"法院名称": COURT}
        serving.send_signal(signal.SIGINT)
        assert serving.wait(20) == 0
        assert serving.stderr.read() == ""
    finally:
        serving.kill()
        serving.communicate()


def test_tables_of_ones_own_are_declared_called_and_served(tmp_path: Path) -> None:
    """The commands of docs/world.md."""
    own_tables.write(tmp_path)
    for line in (
        "world import --declare contracts.toml -o mine.sqlite",
        "world build --scale 1000 --declare contracts.toml -o mixed.sqlite",
        "world tasks --world mine.sqlite --hops 1-2 --per-hop 2 -o tasks.jsonl",
        "world review tasks.jsonl -o review.jsonl",
    ):
        assert f"hengfa {line}\n" in own_tables.PAGE.read_text("utf-8")
        done = hengfa(*line.split(), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    asked = '{"identifier": "HT-2024-002"}'
    found = hengfa("world", "call", "get_contract", asked, "--world", "mine.sqlite", cwd=tmp_path)
    assert "'承办人': '陈越'" in found.stdout
    told = hengfa("world", "stats", "--world", "mixed.sqlite", "--json", cwd=tmp_path)
    assert json.loads(told.stdout)["tables"]["PaymentLog"]["rows"] == 3
    program = Path(sys.executable).with_name("hengfa")
    serving = subprocess.Popen(
        [program, "world", "serve", "--world", tmp_path / "mine.sqlite", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert serving.stderr is not None
    try:
        said = serving.stderr.readline()
        assert said.startswith("40 tools at ")
        address = said.split(" at ")[1].split(";")[0]
        asked_for = json.dumps({"identifier": "HT-2024-001", "columns": ["付款编号"]}).encode()
        with urllib.request.urlopen(f"{address}/get_payment_list", asked_for, timeout=20) as reply:
            assert json.load(reply) == [{"付款编号": "FK-0001"}, {"付款编号": "FK-0002"}]
    finally:
        serving.kill()
        serving.communicate()


def test_a_bad_declaration_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    declaration = own_tables.write(tmp_path)
    text = declaration.read_text("utf-8").replace('holds = "company"', 'holds = "customer"')
    declaration.write_text(text, "utf-8")
    for command_ in ("import", "build"):
        words = ("world", command_, "--declare", "contracts.toml", "-o", "mine.sqlite")
        done = hengfa(*words, cwd=tmp_path)
        assert done.returncode == 1
        assert "contracts.toml, field \"table 'ContractInfo', column '相对方'\"" in done.stderr
    assert not (tmp_path / "mine.sqlite").exists()
    assert hengfa("world", "import", "-o", "x.sqlite", cwd=tmp_path).returncode == 2


def test_a_port_in_use_is_said(tmp_path: Path) -> None:
    world = write(tmp_path / "tiny.sqlite")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = CliRunner().invoke(command, ["serve", "--world", str(world), "--port", port])
    assert "cannot listen" in str(done.exception)


def test_a_collection_of_texts_becomes_an_index(tmp_path: Path) -> None:
    tiny_world.write(tmp_path / "tiny.sqlite")
    written = hengfa(
        "world", "texts", "LegalArticle", "--world", "tiny.sqlite", "-o", "texts.jsonl",
        cwd=tmp_path,
    )  # fmt: skip
    assert written.stdout == "2 texts, in texts.jsonl\n"
    built = hengfa(
        "retrieve", "build", "texts.jsonl", "-o", "indexes/LegalArticle", "--method", "bm25-words",
        cwd=tmp_path,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    with World.open(tmp_path / "tiny.sqlite") as world:
        search = index_retrievers(tmp_path / "indexes", world)["LegalArticle"]
        assert search("守塔人不得离岗", 1) == [1]
    wrong = hengfa("world", "texts", "Poems", "--world", "tiny.sqlite", "-o", "x", cwd=tmp_path)
    assert (wrong.returncode, "no collection of texts is called 'Poems'" in wrong.stderr) == (
        2,
        True,
    )
