"""The command line as a person meets it: the entry point, what it prints, its exit status."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

from hengfa.base.hooks import offered
from hengfa.base.terminal.console import plain_console, printable
from hengfa.cli.main import main
from hengfa.evals.suites.registry import OWN, get_suite


class Done(NamedTuple):
    """How a command ended and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def hengfa(*arguments: str, cwd: Path, **environment: str) -> Done:
    """Call the entry point as the shell would, in this process to save its start-up."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cwd)
        patch.setattr(sys, "argv", ["hengfa", *arguments])
        for name, value in {"COLUMNS": "100", **environment}.items():
            patch.setenv(name, value)
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main()
    return Done(int(ended.value.code or 0), out.getvalue(), err.getvalue())


def test_the_installed_command_answers(tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("hengfa")
    done = subprocess.run(
        [command, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("hengfa, version")


def test_the_demo_prints_a_table_and_says_what_next(demo: Path) -> None:
    printed = (demo / "out.txt").read_text("utf-8")
    for word in ("floor", "ceiling", "retrieval", "法条背诵", "overall", "What next"):
        assert word in printed
    tasks = sum(len(get_suite(name).tasks) for name in OWN)
    scored = [*demo.glob("runs/demo/*/records/*"), *demo.glob("runs/demo/*/grades/*/records/*")]
    assert len(scored) == 3 * tasks
    site = Path("runs", "demo-site", "index.html")
    assert (demo / site).is_file()
    assert str(site) in printed
    assert "asking floor, ceiling, retrieval" in (demo / "err.txt").read_text("utf-8")


def test_the_demo_can_be_repeated_and_spares_the_runs_of_others(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run in (demo / "runs" / "demo").glob("lawbench*"):
        shutil.copytree(run, tmp_path / "runs" / "demo" / run.name)
    mine = ("eval", "lawbench", "--model", "floor", "--data", "sample", "--run", "demo/mine")
    assert hengfa(*mine, cwd=tmp_path).returncode == 0
    notes = next(tmp_path.glob("runs/demo/lawbench*")) / "notes.txt"
    notes.write_text("论文")
    monkeypatch.setattr(
        "hengfa.evals.commands.demo.OWN", ["lawbench"]
    )  # the other suites go the same way
    assert hengfa("demo", cwd=tmp_path).returncode == 0
    assert (tmp_path / "runs" / "demo" / "mine" / "journal.jsonl").stat().st_size > 0
    kept = [file.read_text() for file in tmp_path.glob("runs/demo/**/notes.txt")]
    assert kept == ["论文"]


def test_json_is_one_document_on_standard_output(demo: Path, tmp_path: Path) -> None:
    run = shutil.copytree(
        demo / "runs" / "demo" / "lawbench-zero_shot-ceiling-sample", tmp_path / "run"
    )
    done = hengfa("score", "lawbench", str(run), "--rules", "both", "--json", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert document["suite"] == "lawbench"
    assert document["rules"] == "both"
    official, corrected = document["runs"]
    assert (official["model"], official["setting"]) == ("ceiling", "zero_shot")
    assert official["tasks"]["1-1"]["score"] == pytest.approx(0.999999995, abs=1e-12)
    assert corrected["tasks"]["1-1"]["score"] == 1.0
    assert corrected["figures"] == pytest.approx(
        dict.fromkeys(["memorization", "understanding", "applying", "overall"], 1.0), abs=1e-9
    )
    listed = json.loads(hengfa("results", "--json", cwd=demo).stdout)
    assert {one["model"] for one in listed} == {"floor", "ceiling", "retrieval"}


def test_one_question_is_shown_from_prompt_to_score(demo: Path) -> None:
    run = "demo/lawbench-zero_shot-retrieval-sample"
    done = hengfa("show", run, "1-1/0", cwd=demo)
    for word in ("prompt", "开办茶馆", "reference", "official rules", "rouge_l"):
        assert word in done.stdout
    assert "read as extracted: A" in hengfa("show", run, "1-2/4", cwd=demo).stdout


@pytest.mark.parametrize(
    ("question", "said"),
    [("1-1/99", "1-1/0, 1-1/1"), ("9-9/0", "no task '9-9'"), ("1-1", "TASK/SAMPLE")],
)
def test_a_question_that_is_not_there_is_answered_with_what_is(
    demo: Path, question: str, said: str
) -> None:
    run = "demo/lawbench-zero_shot-floor-sample"
    done = hengfa("show", run, question, cwd=demo)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_results_lists_runs_and_says_so_when_there_are_none(demo: Path, tmp_path: Path) -> None:
    assert "retrieval" in hengfa("results", cwd=demo).stdout
    assert "hengfa demo" in hengfa("results", cwd=tmp_path).stdout


def test_records_leave_as_csv(demo: Path, tmp_path: Path) -> None:
    run, table = "demo/lawbench-zero_shot-floor-sample", tmp_path / "floor.csv"
    assert hengfa("export", "csv", run, "-o", str(table), cwd=demo).returncode == 0
    header, *rows = table.read_text().splitlines()
    assert header.startswith("run,suite,task,setting,rules,model,sample,metric,value")
    assert sum(",1-1,zero_shot,official,floor," in row for row in rows) == 12
    assert {row.split(",")[2] for row in rows} == set(get_suite("lawbench").tasks)


def test_a_dry_run_shows_tokens_and_cost_and_sends_nothing(tmp_path: Path, own_home: Path) -> None:
    (own_home / "prices.toml").write_text(
        '["deepseek:*"]\ncurrency = "CNY"\ninput = 2.0\noutput = 8.0\n'
    )
    arguments = ("eval", "lawbench", "--model", "deepseek:deepseek-chat", "--data", "sample")
    shown = hengfa(*arguments, "--dry-run", cwd=tmp_path)
    assert shown.returncode == 0
    assert "total: ¥" in shown.stdout
    assert "nothing was sent" in shown.stdout
    document = json.loads(hengfa(*arguments, "--dry-run", "--json", cwd=tmp_path).stdout)
    low, high = document["cost"]
    assert 0 < low < high
    assert not (tmp_path / "runs").exists()


SAMPLE = ["eval", "lawbench", "--data", "sample", "--model"]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["eval", "lawbunch", "--model", "floor"], 2, "there is no suite"),
        (["eval", "lawbench/9-9", "--model", "floor"], 2, "no task '9-9'"),
        (["eval", "lawbench", "--model", "floor"], 1, "hengfa data pull lawbench"),
        (["eval", "lawbench", "--data", "sample"], 2, "--model"),
        ([*SAMPLE, "kimi:k2"], 2, "MOONSHOT_API_KEY"),
        ([*SAMPLE, "endpoint:m"], 2, "--base-url"),
        ([*SAMPLE, "floor", "--extra", "[]"], 2, "--extra"),
        ([*SAMPLE, "floor", "--extra", '{"messages": []}'], 2, "messages"),
        ([*SAMPLE, "floor", "--retry", "x"], 2, "--retry"),
        ([*SAMPLE, "floor", "--run", "../out"], 2, "not a name below"),
        ([*SAMPLE, "floor", "--max-tokens", "-5"], 2, "--max-tokens"),
        ([*SAMPLE, "floor", "--max-cost", "nan"], 2, "--max-cost"),
        ([*SAMPLE, "deepsek:x", "--dry-run"], 2, "no provider"),
        ([*SAMPLE, "floor", "--runs", "/proc/nowhere"], 1, "/proc/nowhere"),
        ([*SAMPLE, "floor", "--max-cost", "1"], 2, "price"),
        ([*SAMPLE, "floor", "--temperature", "hot"], 2, "hot"),
        (["score", "lawbench", "gone"], 2, "gone"),
        (["score", "lawbench", "."], 2, "no lawbench predictions"),
        (["show", "nothing", "1-1/0"], 2, "no run"),
        (["export", "csv", "nothing"], 2, "no run"),
        (["nonsense"], 2, "nonsense"),
    ],
)
def test_a_wrong_call_says_what_to_do_and_writes_nothing(
    tmp_path: Path, arguments: list[str], status: int, said: str
) -> None:
    done = hengfa(*arguments, cwd=tmp_path, MOONSHOT_API_KEY="")
    assert done.returncode == status
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command", [[], *([name] for name in offered("commands")), ["export", "eval"]]
)
def test_every_command_explains_itself_with_an_example(command: list[str], tmp_path: Path) -> None:
    done = hengfa(*command, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "xample" in done.stdout
    assert "hengfa" in done.stdout


def test_models_tells_where_keys_come_from_without_showing_them(tmp_path: Path) -> None:
    done = hengfa("models", cwd=tmp_path, DEEPSEEK_API_KEY="sk-very-secret-0000")
    assert "DEEPSEEK_API_KEY" in done.stdout
    assert "found" in done.stdout
    assert "very-secret" not in done.stdout + done.stderr


def test_a_response_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    plain_console().print("[bold]A:甲;B:乙[/bold] :A: :smile: https://example.org")
    assert capsys.readouterr().out == "[bold]A:甲;B:乙[/bold] :A: :smile: https://example.org\n"


def test_a_response_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b[31mb\u202ec\nd\te\x00") == "a�[31mb�c\nd\te�"


@pytest.mark.parametrize("encoding", ["gbk", "ascii", "latin-1"])
@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("models",),
        ("data", "status"),
        ("paper", "figures", "lawbench"),
        ("eval", "lawbench/1-1", "--data", "sample", "--model", "ceiling"),
        ("show", "r", "1-1/0"),
        ("results", "lawbench"),
        ("results", "lawbench", "--json"),
        ("law", "show", "月湖渡船法", "5"),
    ],
    ids=lambda words: "-".join(words[:2]),
)
def test_every_command_prints_whatever_the_terminal_can_hold(
    tmp_path: Path, encoding: str, words: tuple[str, ...]
) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "HENGFA_HOME": str(tmp_path)}
    command = Path(sys.executable).with_name("hengfa")

    def call(*more: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [command, *more], cwd=tmp_path, env=environment, capture_output=True, check=False
        )

    if words[0] in {"show", "results"}:
        call("eval", "lawbench/1-1", "--data", "sample", "--model", "ceiling", "--run", "r")
    if words[0] == "law":
        call("law", "build", "sample")
    done = call(*words)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert done.stdout
    assert "--json" not in words or json.loads(done.stdout.decode(encoding))
