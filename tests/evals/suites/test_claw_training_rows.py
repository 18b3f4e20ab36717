"""Questions of CLaw to train on: without the laws that are held out, and read by a training."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_cli import hengfa
from tests.evals.suites.test_claw_dataset import ROOT, samples
from tests.train.recipes.tiny_models import CHAT, needs_torch, one_thread, write_tiny_model

from hengfa.base.errors import UsageError
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.claw.dataset import is_held_out
from hengfa.evals.suites.claw.suite import SUITE, training_rows
from hengfa.train.recipes.files import read_targets

__all__ = ["one_thread"]  # used by every test here
SHARE = 0.4


def test_what_is_learnt_and_what_is_asked_afterwards_are_apart_and_all_there_is() -> None:
    made = training_rows(ROOT, ("content",), "all", SUITE.choose({}), SHARE)
    asked = samples(held_out=str(SHARE))
    learnt = {row["id"].partition("/all/")[2] for row in made.rows}
    assert learnt.isdisjoint(asked)
    assert learnt | asked.keys() == samples().keys()
    assert {one.law for one in asked.values()} == {*made.held_out}
    assert 0 < len(made.held_out) < made.laws == 5


def test_a_larger_share_holds_out_what_a_smaller_one_does() -> None:
    laws = [f"月湖第{number}法" for number in range(2000)]
    some, more = ({law for law in laws if is_held_out(law, share)} for share in (0.1, 0.3))
    assert some < more
    assert 0.07 < len(some) / len(laws) < 0.13
    assert not any(is_held_out(law, 0) for law in laws)


def test_a_row_is_the_question_of_the_suite_with_what_it_calls_right() -> None:
    made = training_rows(ROOT, ("id", "content"), "all", SUITE.choose({}), 0)
    assert made.held_out == ()
    rows = {row["id"]: row for row in made.rows}
    for name, task in SUITE.tasks.items():
        rule_set = task.rule_set(Rules.OFFICIAL)
        for one in samples(name).values():
            row = rows[SUITE.key(name, "all", one)]
            assert row["messages"] == task.prompt(one, "all")
            scored = rule_set.score(one, rule_set.read(row["target"]))
            assert scored.metrics[task.metric] == pytest.approx(1)


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(UsageError, match="CLaw has no setting 'some'"):
        training_rows(ROOT, ("id",), "some", SUITE.choose({}), 0)


def command(folder: Path, *more: str) -> str:
    call = (
        "suite",
        "claw",
        "training",
        "--data",
        "sample",
        "--task",
        "content",
        "-o",
        "rows.jsonl",
    )
    done = hengfa(*call, "--hold-out", str(SHARE), *more, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_the_command_names_the_laws_that_it_leaves_out(tmp_path: Path) -> None:
    said = command(tmp_path)
    targets = read_targets([tmp_path / "rows.jsonl"])
    assert f"wrote {len(targets)} rows" in said
    held_out = {one.law for one in samples(held_out=str(SHARE)).values()}
    assert f"left out {len(held_out)} of 5 laws" in said
    assert all(law in said for law in held_out)
    for target in targets:
        assert not any(law in target.messages[0][1] for law in held_out)
    command(tmp_path, "--force", "--setting", "rag", "--set", "k=1")
    first = json.loads((tmp_path / "rows.jsonl").read_text("utf-8").splitlines()[0])
    assert first["messages"][0]["content"].startswith("以下是按问题检索到的条文")


@needs_torch
def test_a_training_reads_the_rows(tmp_path: Path) -> None:
    command(tmp_path)
    lines = (tmp_path / "rows.jsonl").read_text("utf-8").splitlines()[:2]
    (tmp_path / "few.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    write_tiny_model(tmp_path / "base", context=512, template=CHAT)
    call = "train sft few.jsonl --base base -o tuned --epochs 1 --max-tokens 512 --batch 2"
    done = hengfa(*call.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tuned" / "model.safetensors").is_file()
