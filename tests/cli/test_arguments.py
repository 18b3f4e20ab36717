"""Whatever is given to whatever option, a command ends with 0, 1 or 2 and says why."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from itertools import product
from pathlib import Path
from typing import Any

import click
import pytest
from tests.cli.test_outputs import CALLS, command_of, things

from hengfa.base.commands import leaves, path_of
from hengfa.base.data.jsonfile import read_lines
from hengfa.base.errors import UsageError
from hengfa.base.options import Number, Place, Text, Whole
from hengfa.cli.main import cli, main
from hengfa.law.library.documents import read_document
from hengfa.world.tables.declaration import read_declaration

_ = things  # the fixture, with something to read for every command
ODD = os.fsdecode(b"\xff\xfe.jsonl")
"""The name of a file that is not UTF-8."""
HOSTILE = (
    "nan", "inf", "-inf", "-1", str(10**30), "9" * 5000, "", "a\0b", "\ud800", ODD, "x" * 100_000,
    "../..", "tables", "texts.jsonl", "nothing-here", "http://[::1", "http://exa mple", "a=b",
    "saved:" + ODD, "[" * 5000,
)  # fmt: skip
LAW = "--library law.sqlite"
SERVER = "--model openai:m --base-url http://127.0.0.1:9/v1"
BASE = {
    path: [call.words for name, call in CALLS.items() if command_of(name) == path]
    for path in map(command_of, CALLS)
} | {
    "demo": ["demo"],
    "data add": ["data add lawbench tables"],
    "data pull": [
        "data pull lawbench --base-url http://127.0.0.1:9",
        "data pull lawbench --from tables",
    ],
    "data status": ["data status", "data status --verify lawbench"],
    "data update": ["data update lawbench --from tables"],
    "law get": ["law get --base-url http://127.0.0.1:9", "law get --from tables"],
    "law history": [f"law history 月湖养蜂法 1 {LAW}"],
    "law report": [f"law report {LAW}"],
    "law search": [f"law search 合同 {LAW}"],
    "law show": [f"law show 月湖养蜂法 1 {LAW}"],
    "law stats": [f"law stats {LAW}"],
    "cite check": [
        f"cite check texts.jsonl {LAW}",
        f"cite check texts.jsonl {LAW} -o report.html --lang zh --force",
        CALLS["cite check"].words,
    ],
    "cite cases": ["cite cases texts.jsonl"],
    "mcp": [
        f"mcp --http --port 0 {LAW}",
        f"mcp --http --port 0 --tasks sample --record records {LAW}",
    ],
    "suite claw diagnose": [
        f"suite claw diagnose texts.jsonl {LAW}",
        CALLS["suite claw diagnose"].words,
    ],
    "suite plawbench breakdown": ["suite plawbench breakdown p"],
    "suite plawbench lint": ["suite plawbench lint --data sample"],
    "suite judgment agreement": ["suite judgment agreement annotations.jsonl annotations.jsonl"],
    "suite judgment compare": ["suite judgment compare texts.jsonl --data sample --json"],
    "suite judgment leakage": [
        "suite judgment leakage texts.jsonl --data sample",
        CALLS["suite judgment leakage"].words,
    ],
    "suite judgment parse": [
        "suite judgment parse texts.jsonl",
        CALLS["suite judgment parse"].words,
    ],
    "grade attack": ["grade attack --grader keywords --submissions submissions.jsonl --limit 1"],
    "grade errors": ["grade errors p --grader replay:runs/p"],
    "grade probe": ["grade probe length --grader keywords --submissions submissions.jsonl"],
    "retrieve search": ["retrieve search 茶叶 --index index"],
    "world serve": [
        "world serve --world tiny.sqlite --port 0",
        "world serve --tasks sample --record records --port 0",
    ],
    "world stats": ["world stats --world tiny.sqlite"],
    "world texts": ["world texts LegalArticle --world tiny.sqlite -o out"],
    "world matters": ["world matters --world moon.sqlite --count 1 -o out"],
    "world tasks": ["world tasks --world tiny.sqlite --hops 1 --per-hop 1 -o out"],
    "eval": [
        "eval lawbench/1-1 --data sample --model floor --limit 1",
        f"eval lawbench/1-1 --data sample --limit 1 --attempts 1 {SERVER}",
    ],
    "train check": ["train check rows lawbench/1-1 --data sample"],
    "results": ["results lawbench"],
    "paper check": ["paper check lawbench"],
    "paper correlate": ["paper correlate lawbench --x 1-1 --y 1-2"],
    "paper figures": ["paper figures lawbench"],
    "results suspects": ["results suspects runs/a"],
    "compare": ["compare a a"],
    "results repeats": ["results repeats a"],
    "parts read": ["parts read b batch.jsonl"],
    "parts merge": ["parts merge a --run whole", CALLS["parts merge"].words],
    "parts slurm": ["parts slurm --run j --shards 2 -o out -- eval lawbench --model floor"],
    "parts k8s": [
        "parts k8s --run j --shards 2 --image i --claim c -o out -- eval lawbench --model floor"
    ],
    "show": ["show a 1-1/0"],
    "serve": [f"serve --no-browser --port 0 {LAW}"],
    "suite check": ["suite check texts.jsonl --data tables"],
    "models price": ["models price a:b --input 1 --output 2"],
}
"""Calls that get somewhere, for each command."""
SLOW = {"demo", "grade attack", "grade probe", "train encoder"}
"""Commands that take a second or more: they get only the worst of the values."""


COMMANDS = {path_of(context): context.command for context in leaves(cli)}


def test_one_idea_has_one_name() -> None:
    """A language is chosen by --lang; the other name is that of an earlier version, and hidden."""
    chosen = [
        (path, option)
        for path, command in COMMANDS.items()
        for option in command.params
        if isinstance(option.type, click.Choice) and {*option.type.choices} == {"zh", "en"}
    ]
    assert len(chosen) >= 4
    for path, option in chosen:
        assert option.opts == ["--lang", "--language"], path
        record = option.get_help_record(click.Context(COMMANDS[path]))
        assert record is not None
        assert record[0].startswith("--lang ")
        assert "--language" not in record[0]


class _Hangs(BaseException):
    """Raised out of a call that takes too long."""


def call(arguments: list[str]) -> tuple[int, str]:
    """The exit status and what was printed, on streams that encode as those of a terminal do."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in "12")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["hengfa", *arguments])
        with pytest.raises(SystemExit) as ended, _alarm(120):
            main()
        for stream in (out, err):
            stream.flush()
    return int(ended.value.code or 0), (out.buffer.getvalue() + err.buffer.getvalue()).decode()


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise _Hangs

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class _Rung(asyncio.Event):
    """A server that waits for its end is ended by Ctrl-C."""

    async def wait(self) -> Any:
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(60)


@pytest.fixture
def place(things: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the things, deep enough for `../..` to be ours."""
    folder = tmp_path / "deep" / "down" / "place"
    shutil.copytree(things, folder)
    (folder / ODD).write_text('{"id": "1", "text": "茶叶", "document": "茶叶", "target": "茶"}\n')
    shutil.copy(folder / ODD, folder / "texts.jsonl")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(socket, "getaddrinfo", _no_names)
    monkeypatch.setattr(asyncio, "Event", _Rung)
    return folder


def _no_names(host: object, *_: object, **__: object) -> Any:
    str(host).encode("idna")  # as the real one does
    raise socket.gaierror(socket.EAI_NONAME, f"no names are looked up here: {host!r}")


def hostile_calls(path: str, step: int) -> Iterator[list[str]]:
    """Each parameter of a command with each value, one at a time; or with every so manieth, the
    next parameter with the next ones, so that every command meets every value."""
    parameters = COMMANDS[path].params
    places: list[click.Parameter] = [
        parameter for parameter in parameters if isinstance(parameter, click.Argument)
    ]
    as_json = ["--json"] if any("--json" in parameter.opts for parameter in parameters) else []
    for number, (line, parameter) in enumerate(product(BASE[path], parameters)):
        words = line.split()
        if isinstance(parameter, click.Option) and parameter.is_flag:
            continue
        for value in (HOSTILE[5:11] if path in SLOW else HOSTILE)[number % step :: step]:
            more = as_json if value == ODD else []
            if isinstance(parameter, click.Option):
                yield [*words, f"{parameter.opts[-1]}={value}", *more]
            else:
                at = len(path.split()) + places.index(parameter)
                yield [*words[:at], *words[at + 1 :], *more, "--", value]


def test_no_command_is_forgotten_here() -> None:
    assert set(BASE) == set(COMMANDS)


def test_every_option_has_a_type_with_bounds() -> None:
    """A number without bounds, or a place that may be empty, is an oversight."""
    bare = (click.types.IntParamType, click.types.FloatParamType, click.types.StringParamType)
    for path, command in COMMANDS.items():
        for parameter in command.params:
            kind = parameter.type
            checked = isinstance(kind, Whole | Number | Text | Place)
            assert checked or not isinstance(kind, (*bare, click.Path)), f"{path} {parameter.opts}"


@pytest.mark.parametrize("path", sorted(BASE))
def test_hostile_values_end_in_a_plain_error(path: str, place: Path, deep: bool) -> None:
    before = set(place.iterdir())
    trouble = []
    for arguments in hostile_calls(path, 1 if deep else 10):
        try:
            status, printed = call(arguments)
        except (Exception, _Hangs) as error:  # noqa: BLE001 - all of them are told at the end
            status, printed = -1, f"{type(error).__name__}: {error}"
        if status not in {0, 1, 2} or "Traceback" in printed:
            trouble.append(f"{[word[:60] for word in arguments]}: {status} {printed[-300:]}")
        for made in set(place.iterdir()) - before:
            shutil.rmtree(made) if made.is_dir() else made.unlink()
    assert not trouble, "\n".join(trouble)


@pytest.mark.parametrize(
    "words",
    [
        ["eval", "lawbench/1-1", "--data", "sample", "--model", "floor", "--timeout", "nan"],
        ["eval", "lawbench/1-1", "--data", "sample", "--model", "floor", "--timeout", "inf"],
        ["suite", "judgment", "leakage", "texts.jsonl", "--data", "sample", "--threshold", "nan"],
        ["grade", "calibrate", "human.csv", "graded.csv", "--seed", "-1"],
        [
            "grade",
            "people",
            "serve",
            "submissions.jsonl",
            "-o",
            "out",
            "--no-browser",
            "--port",
            "65536",
        ],
        [
            "grade",
            "people",
            "serve",
            "submissions.jsonl",
            "-o",
            "out",
            "--no-browser",
            "--rater",
            "\udcff",
        ],
        ["grade", "people", "export", "submissions.jsonl", "-o", ""],
        ["report", "runs", "-o", ""],
        ["world", "call", "get_sum", "[1]", "--world", "http://[::1"],
        ["world", "call", "get_sum", "[1]", "--world", "http://exa mple"],
        ["law", "show", "a\0b"],
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("place")
def test_what_no_option_can_mean_is_a_wrong_call(words: list[str]) -> None:
    status, printed = call(words)
    assert status == 2, printed


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_no_command_waits_for_a_pipe_or_reads_a_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    for path, command in COMMANDS.items():
        for parameter in command.params:
            if isinstance(parameter.type, Place):
                with pytest.raises(UsageError, match="pipe or a device"):
                    parameter.type.convert("pipe", parameter, click.Context(command))
                    pytest.fail(f"{path} {parameter.opts}")
    asking = ["eval", "lawbench/1-1", "--data", "sample", "--limit", "1", "--model"]
    for words in (
        ["cite", "check", "/dev/zero"],
        [*asking, "floor", "--ids", "@pipe"],
        [*asking, "endpoint:x", "--base-url", "@pipe"],
        ["retrieve", "search", "@/dev/zero"],
    ):
        status, printed = call(words)
        assert status == 2 and "is a pipe or a device" in printed, (words, printed)
    for read in (read_document, read_declaration, lambda file: [*read_lines(file, dict)]):
        with pytest.raises(UsageError, match="pipe or a device"):
            read(tmp_path / "pipe")


def test_a_run_in_a_folder_whose_name_is_not_utf_8_is_read(place: Path) -> None:
    runs = place / os.fsdecode(b"\xff")
    (place / "runs").rename(runs)
    for words in ("results", "results --json", "show a 1-1/0", "export csv a -o out", "report a"):
        status, printed = call([*words.split(), "--runs", str(runs)])
        assert status == 0, printed
