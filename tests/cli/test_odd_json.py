"""JSON that no sane program writes ends in a line that says what is wrong, not in a traceback."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import msgspec
import pytest

from hengfa.base.data.packs import sample_root
from hengfa.cli.main import main
from hengfa.evals.engine.journal import Entry, read_entries
from hengfa.evals.engine.messages import Response, Status

DEEP = '{"a":' * 100_000 + "1" + "}" * 100_000
EVAL = ("eval", "lawbench/1-1", "--data", "sample", "--runs", "runs", "--limit", "2", "--model")
RUN = "runs/lawbench-zero_shot-floor-sample"


def hengfa(*arguments: str) -> tuple[int, str]:
    """Exit status and what was said on standard error, of the entry point in this process."""
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["hengfa", *arguments])
        with (
            redirect_stdout(io.StringIO()),
            redirect_stderr(said),
            pytest.raises(SystemExit) as end,
        ):
            main()
    return int(end.value.code or 0), said.getvalue()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Path:
    assert hengfa(*EVAL, "floor")[0] == 0
    return folder / RUN


@pytest.mark.parametrize("depth", [100, 101, *range(900, 1101, 20), 2000])
@pytest.mark.parametrize(("opened", "closed"), [('{"a":', "}"), ("[", "]")])
def test_fields_of_a_request_are_taken_up_to_a_depth_and_then_refused(
    depth: int, opened: str, closed: str
) -> None:
    fields = '{"a":' + opened * (depth - 1) + "{}" + closed * (depth - 1) + "}"
    status, said = hengfa(*EVAL, "floor", "--extra", fields)
    assert (status, "nested" in said) == ((0, False) if depth == 100 else (2, True)), said


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (("score", "lawbench", "deep.jsonl", "--data", "sample"), "deep.jsonl, row 1"),
        (("score", "lawbench", "deep.json", "--data", "sample"), "deep.json"),
        (("score", "judgment", "deep.jsonl", "--data", "sample"), "deep.jsonl, row 1"),
        ((*EVAL, "saved:deep.jsonl"), "deep.jsonl, row 1"),
        ((*EVAL, "replay:deep.jsonl"), "deep.jsonl, line 1"),
        ((*EVAL, "floor", "--extra", DEEP), "--extra"),
        (("suite", "judgment", "parse", "deep.jsonl"), "deep.jsonl, row 1"),
    ],
)
def test_nesting_without_end(folder: Path, arguments: tuple[str, ...], place: str) -> None:
    for name in ("deep.json", "deep.jsonl"):
        (folder / name).write_text(DEEP, "utf-8")
    status, said = hengfa(*arguments)
    assert status in (1, 2)
    assert place in said
    assert len(said.splitlines()) < 5


@pytest.mark.parametrize("command", [("score", "lawbench", RUN), (*EVAL, "floor")])
def test_nesting_without_end_in_a_journal(run: Path, command: tuple[str, ...]) -> None:
    journal = run / "journal.jsonl"
    journal.write_text(DEEP + "\n" + journal.read_text("utf-8"), "utf-8")
    before = journal.read_bytes()
    status, said = hengfa(*command)
    assert (status, "journal.jsonl, line 1: not a journal entry" in said) == (1, True)
    assert journal.read_bytes() == before


def test_nesting_without_end_in_the_table_of_a_run(run: Path) -> None:
    polars = pytest.importorskip("polars")
    table = run / "responses" / "1-1.official.parquet"
    for column in ("trace", "facets"):
        kept = table.read_bytes()
        polars.read_parquet(table).with_columns(polars.lit(DEEP).alias(column)).write_parquet(table)
        status, said = hengfa("report", RUN, "-o", "site")
        assert (status, f"column '{column}': not readable as JSON" in said) == (1, True)
        table.write_bytes(kept)


def test_nesting_without_end_in_the_configuration(folder: Path, own_home: Path) -> None:
    (own_home / "config.toml").write_text("a = " + "[" * 5_000, "utf-8")
    status, said = hengfa(*EVAL, "deepseek:deepseek-chat")
    assert (status, "config.toml: not readable as TOML" in said) == (1, True)


def test_a_journal_whose_keys_name_no_task(run: Path) -> None:
    entry = Entry("x", "", "m", "", Response(status=Status.ANSWERED))
    (run / "journal.jsonl").write_bytes(msgspec.json.encode(entry) + b"\n")
    status, said = hengfa("score", "lawbench", RUN)
    assert (status, "journal.jsonl: 'x' is no question of a suite" in said) == (1, True)


@pytest.mark.parametrize(
    "command",
    [
        ("score", "lawbench", RUN),
        pytest.param(
            ("export", "eval", RUN, "-o", "x.eval"), marks=pytest.mark.optional("inspect_ai")
        ),
    ],
)
@pytest.mark.parametrize("created", ["yesterday", "", "2026-13-45"])
def test_a_run_that_was_made_at_no_time(run: Path, created: str, command: tuple[str, ...]) -> None:
    manifest = json.loads((run / "run.json").read_text("utf-8"))
    (run / "run.json").write_text(json.dumps({**manifest, "created": created}), "utf-8")
    status, said = hengfa(*command)
    assert (status, "run.json, field 'created'" in said) == (1, True)


def test_half_a_character_in_an_answer_is_kept_where_it_can_be_seen(folder: Path) -> None:
    cases = (sample_root() / "judgment" / "data" / "test.json").read_text("utf-8").splitlines()
    rows = [
        {"task": "document", "id": json.loads(case)["text_id"], "prediction": "判决\ud83d如下"}
        for case in cases
    ]
    lines = "\n".join(json.dumps(row) for row in rows)
    (folder / "half.jsonl").write_text(lines, "utf-8")
    model = (
        "eval",
        "judgment",
        "--data",
        "sample",
        "--runs",
        "runs",
        "--model",
        "saved:half.jsonl",
    )
    assert hengfa(*model)[0] == 0
    entries = list(read_entries(folder / "runs/judgment-direct-half-sample/journal.jsonl"))
    assert {entry.response.text for entry in entries} == {"判决\\ud83d如下"}
    assert len(entries) == len(cases)
