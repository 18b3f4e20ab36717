"""Prompts of the user's own are part of a run: kept, shown, continued, compared if asked for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_cli import hengfa as command
from tests.conftest import REPOSITORY

import hengfa
from hengfa.base.errors import DataError, JournalError, UsageError
from hengfa.evals.engine.messages import Request, Response, Status
from hengfa.evals.report.site.boards import boards, gather
from hengfa.evals.runs.folder import MANIFEST, PROMPTS, read_manifest
from hengfa.evals.runs.leaderboard import leaderboard
from hengfa.evals.runs.look import tell
from hengfa.evals.suites.registry import get_suite

TASK = "lawbench/1-2"
BRIEF = """name = "brief"

[tasks.1-2]
system = "你是律师。"
user = "{question}\\n只写字母。"
"""


class Letters:
    """Answers B, and remembers what it was asked."""

    name = "letters"
    address = "memory"

    def __init__(self) -> None:
        self.asked: list[Request] = []

    async def generate(self, request: Request) -> Response:
        self.asked.append(request)
        return Response(Status.ANSWERED, "[正确答案]B<eoa>")

    async def close(self) -> None:
        return


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "brief.toml").write_text(BRIEF, "utf-8")
    return tmp_path


def evaluate(prompts: str | None = "brief.toml", **more: Any) -> tuple[hengfa.Run, Letters]:
    model = Letters()
    return hengfa.evaluate(TASK, model, data="sample", prompts=prompts, **more), model


def test_a_run_keeps_its_prompts_and_shows_them_as_they_were_sent(folder: Path) -> None:
    run, model = evaluate()
    assert run.folder == Path("runs/lawbench-zero_shot-letters-sample-brief")
    assert (run.folder / PROMPTS).read_text("utf-8") == BRIEF
    name, _, digest = read_manifest(run.folder).prompts.partition("#")
    assert name == "brief"
    assert len(digest) == 8
    system, user = model.asked[0].messages
    assert (system.role, system.content, user.role) == ("system", "你是律师。", "user")
    assert user.content.endswith("\n只写字母。")
    rows = run.scores.responses()
    sent = f"[system]\n{system.content}\n\n[user]\n{user.content}"
    assert rows.filter(rows["sample"] == "0")["prompt"].to_list() == [sent]
    shutil.rmtree(run.folder / "responses")  # as before it was scored
    assert {reading.row.prompt for reading in tell(run.folder, "1-2/0").values()} == {sent}
    (folder / "brief.toml").unlink()
    assert hengfa.score("lawbench", run.folder).responses()["prompt"][0] == sent


def test_the_same_prompts_continue_a_run_and_others_are_another_run(folder: Path) -> None:
    run, first = evaluate(limit=4)
    shutil.move(folder / "brief.toml", folder / "moved.toml")
    _, second = evaluate("moved.toml")
    assert (len(first.asked), len(second.asked)) == (4, 8)
    (folder / "moved.toml").write_text(BRIEF.replace("律师", "法官"), "utf-8")
    with pytest.raises(JournalError, match=r'another run.*prompts: "brief#.*" → "brief#'):
        evaluate("moved.toml")
    assert (run.folder / PROMPTS).read_text("utf-8") == BRIEF
    with pytest.raises(JournalError, match=r'prompts: "brief#.*" → ""'):
        evaluate(None, name=run.folder.name)
    own, third = evaluate(None)
    assert own.folder.name == "lawbench-zero_shot-letters-sample"
    assert not (own.folder / PROMPTS).exists()
    assert read_manifest(own.folder).prompts == ""
    assert len(third.asked) == 12


def test_a_run_cut_off_before_its_prompts_were_kept_goes_on() -> None:
    run, _ = evaluate()
    (run.folder / PROMPTS).unlink()
    with pytest.raises(DataError, match=PROMPTS):
        hengfa.score("lawbench", run.folder)
    _, model = evaluate()
    assert not model.asked
    assert (run.folder / PROMPTS).read_text("utf-8") == BRIEF


def test_prompts_that_were_changed_in_a_run_are_refused() -> None:
    run, _ = evaluate()
    (run.folder / PROMPTS).write_text(BRIEF + "\n", "utf-8")
    with pytest.raises(DataError, match=r"these are brief#.*but the run was asked by brief#"):
        hengfa.score("lawbench", run.folder)


def test_a_name_that_would_move_the_cursor_is_refused() -> None:
    file = evaluate()[0].folder / MANIFEST
    file.write_text(file.read_text("utf-8").replace("brief#", "\\u001b[2J#"), "utf-8")
    with pytest.raises(DataError, match="field 'prompts'"):
        read_manifest(file.parent)


def test_nothing_is_asked_or_written_where_a_template_is_wrong(folder: Path) -> None:
    (folder / "wrong.toml").write_text(BRIEF.replace("question", "answer"), "utf-8")
    model = Letters()
    with pytest.raises(DataError, match="task '1-2' has no field 'answer'"):
        hengfa.evaluate(TASK, model, data="sample", prompts="wrong.toml")
    assert not model.asked
    assert not (folder / "runs").exists()


def test_runs_of_other_prompts_are_compared_only_if_asked_for(folder: Path) -> None:
    brief, own = evaluate()[0], evaluate(None)[0]
    with pytest.raises(UsageError, match=r"their prompts are brief#\w{8} and the suite's own"):
        hengfa.compare(brief.folder, own.folder)
    compared = hengfa.compare(brief.folder, own.folder, across_prompts=True)
    assert compared.rows["1-2"].estimates[0].value == compared.rows["1-2"].estimates[1].value
    (warning,) = compared.as_json()["warnings"]
    assert "asked by different prompts, brief#" in warning
    (folder / "saved.jsonl").write_text('{"task": "1-2", "id": "0", "prediction": "B"}\n')
    hengfa.score("lawbench", folder / "saved.jsonl", data="sample", partial=True, out="runs")
    assert not hengfa.compare(brief.folder, "lawbench-zero_shot-saved").warnings


def test_boards_and_lists_say_by_which_prompts_runs_were_asked(folder: Path) -> None:
    evaluate()
    evaluate(None)
    board = leaderboard(get_suite("lawbench"), Path("runs"), tasks=["1-2"])
    named = {str(row["run"]): row.get("prompts", "") for row in board.as_json()["rows"]}
    asked_by = named["lawbench-zero_shot-letters-sample-brief"]
    assert asked_by.startswith("brief#")
    assert named["lawbench-zero_shot-letters-sample"] == ""
    for words in (["results"], ["results", "lawbench", "--task", "1-2"]):
        printed = command(*words, cwd=folder, COLUMNS="200").stdout
        assert printed.count(f"prompts {asked_by}") == 1
    listed = json.loads(command("results", "--json", cwd=folder).stdout)
    assert {run["run"]: run["prompts"] for run in listed} == named
    told = command("show", "lawbench-zero_shot-letters-sample-brief", "1-2/0", cwd=folder).stdout
    assert f"prompt by {asked_by}" in told
    assert "你是律师。" in told
    assert [board.setting for board in boards(gather(["runs"]))] == [
        "zero_shot",
        f"zero_shot-{asked_by.replace('#', '_')}",
    ]


def test_an_estimate_counts_the_template(folder: Path) -> None:
    (folder / "long.toml").write_text(
        f"name = 'long'\n[tasks.'*']\nuser = '{'请仔细。' * 500}{{prompt}}'", "utf-8"
    )
    model = "deepseek:deepseek-chat"
    own = hengfa.estimate(TASK, model, data="sample").asked[0].effort
    long = hengfa.estimate(TASK, model, data="sample", prompts="long.toml").asked[0].effort
    assert long.input.low == own.input.low + 12 * 1000
    words = ("eval", TASK, "--model", model, "--data", "sample", "--dry-run", "--json")
    printed = command(*words, "--prompts", "long.toml", cwd=folder)
    assert json.loads(printed.stdout)["input_tokens"] == list(long.input)


@pytest.mark.parametrize("model", ["floor", "ceiling"])
def test_claw_asked_in_english_scores_the_built_in_models_the_same(
    folder: Path, model: str
) -> None:
    words = ("eval", "claw", "--model", model, "--data", "sample", "--json")
    english, chinese = (
        command(*words, *more, cwd=folder) for more in (["--prompts", "english"], [])
    )
    assert english.returncode == chinese.returncode == 0, english.stderr
    assert json.loads(english.stdout) == json.loads(chinese.stdout)
    run = folder / "runs" / f"claw-all-{model}-sample-english"
    shipped = REPOSITORY / "src" / "hengfa" / "evals" / "suites" / "claw" / "prompts_english.toml"
    assert (run / PROMPTS).read_bytes() == shipped.read_bytes()
    prompts = hengfa.load_run(run).scores.responses()["prompt"].to_list()
    assert all("version of a Chinese law" in p or "word for word" in p for p in prompts)


def test_cases_asked_in_english_are_graded() -> None:
    scores = {}
    for prompts in ("english", None):
        run = hengfa.evaluate(
            "claw-cases", "ceiling", data="sample", prompts=prompts, graders=["keywords"]
        )
        scores[prompts] = run.scores.tasks["case"].score
        text = run.scores.responses()["prompt"][0]
        assert ("decided" in text) == (prompts == "english")
    assert scores["english"] == scores[None]
    assert scores[None] is not None
