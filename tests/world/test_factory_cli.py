"""`hengfa world tasks` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from hengfa.base.errors import UsageError
from hengfa.evals.engine.messages import Request, Response, Status
from hengfa.world.commands.world_tasks import tasks_
from hengfa.world.factory.task import read_tasks
from tests.world.test_factory_worlds import generated_file, hand_world


def run(*arguments: object) -> Result:
    return CliRunner().invoke(tasks_, [str(one) for one in arguments])


def small(file: Path, *more: object) -> Result:
    return run("--world", generated_file(), "--hops", "1-2", "--per-hop", 4, "-o", file, *more)


def test_tasks_coverage_and_refusals_are_shown(tmp_path: Path) -> None:
    done = small(tmp_path / "tasks.jsonl", "--writing", 1)
    assert done.exit_code == 0, done.output
    assert len(read_tasks(tmp_path / "tasks.jsonl")) == 9
    for said in ("1-hop", "writing", "tools ", "edges ", "refused", "rewritten by rules: 8 of 8"):
        assert said in done.output


def test_json_is_one_document(tmp_path: Path) -> None:
    done = small(tmp_path / "tasks.jsonl", "--json", "--rewrite", "none")
    found = json.loads(done.stdout)
    assert found["tasks"] == {"1-hop": 4, "2-hop": 4}
    assert found["missing"] == 0
    assert found["rewriting"]["asked"] == 0
    assert found["edges"] > 0
    assert found["tried"] >= 8


def test_the_same_command_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert small(tmp_path / name, "--seed", 9).exit_code == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("hops", ["0", "5-1", "1-9", "a", "1,2"])
def test_hops_that_are_none(tmp_path: Path, hops: str) -> None:
    done = run("--world", generated_file(), "--hops", hops, "-o", tmp_path / "tasks.jsonl")
    assert done.exit_code == 2
    assert "1-5" in done.output


def test_a_rewriter_that_is_none_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    done = small(tmp_path / "tasks.jsonl", "--rewrite", "nobody")
    assert isinstance(done.exception, UsageError | click.ClickException)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    done = small(tmp_path / "none" / "tasks.jsonl")
    assert isinstance(done.exception, UsageError)


def test_a_world_without_tasks_leaves_an_older_file_alone(tmp_path: Path) -> None:
    with hand_world(tmp_path, SubCompanyInfo=[], LegalDoc=[], CourtCode=[]) as world:
        file = tmp_path / "tasks.jsonl"
        file.write_text("old")
        done = run("--world", world.path, "-o", file)
    assert isinstance(done.exception, UsageError)
    assert file.read_text() == "old"


class Polite:
    """A model that puts a greeting before the question, and is down when told."""

    name = "test:polite"
    address = ""
    asked = 0

    async def generate(self, request: Request) -> Response:
        type(self).asked += 1
        question = request.messages[0].content.split("问题：")[1].split("\n\n只输出")[0]
        return Response(Status.ANSWERED, f"您好，我是一名律师。{question}")

    async def close(self) -> None:
        return


def test_a_model_rewrites_and_the_same_command_again_asks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "hengfa.evals.runs.models.open_outside", lambda _name, _connection: Polite()
    )
    monkeypatch.setattr(Polite, "asked", 0)
    file = tmp_path / "tasks.jsonl"
    model = ("--rewrite", "endpoint:polite", "--base-url", "http://localhost:1/v1")
    first = small(file, *model)
    assert first.exit_code == 0, first.output
    assert "rewritten by endpoint:polite: 8 of 8 passed" in first.output
    tasks = read_tasks(file)
    assert all(task.question == f"您好，我是一名律师。{task.template}" for task in tasks)
    assert Polite.asked == 8
    bytes_before = file.read_bytes()
    file.unlink()
    assert small(file, *model).exit_code == 0
    assert Polite.asked == 8
    assert file.read_bytes() == bytes_before
