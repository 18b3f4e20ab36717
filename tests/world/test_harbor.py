"""Tasks in the layout of Harbor: its own reader takes them, and the oracle's answer is worth 1."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.suites.base import Answer
from hengfa.world.agents.reading import without_digit_commas
from hengfa.world.factory.harbor import write_harbor
from hengfa.world.factory.harbor_verifier import rewards
from hengfa.world.factory.make import make_tasks
from hengfa.world.factory.task import FreshTask, Wanted, write_tasks
from hengfa.world.generator.build import build_world
from hengfa.world.generator.law import sample_law
from hengfa.world.suites.legalagentbench.dataset import AgentSample
from hengfa.world.suites.legalagentbench.rules import (
    EXACT,
    PROCESS,
    SUCCESS,
    KeywordRules,
    Submitted,
)
from hengfa.world.tables.world import World

Made = tuple[Path, list[FreshTask]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("harbor")
    with sample_law(sample_root()) as law:
        build_world(folder / "mine.sqlite", 7, 1_000, law)
    with World.open(folder / "mine.sqlite") as world:
        tasks, _ = make_tasks(world, Wanted(per_hop=1, writing=1))
        write_tasks(folder / "tasks.jsonl", tasks)
        assert write_harbor(folder / "out", world, folder / "tasks.jsonl") == len(tasks) == 6
    return folder / "out", tasks


def verified(task: Path, answers: Path) -> object:
    """What the exported verifier gives for the answers in a folder."""
    logs = answers / "logs"
    given = {**os.environ, "HENGFA_ANSWERS": str(answers), "HENGFA_LOGS": str(logs)}
    subprocess.run([task / "tests" / "test.sh"], env=given, check=True)
    return json.loads((logs / "reward.json").read_text())


def test_the_oracles_answer_is_worth_one_and_none_is_worth_nothing(
    made: Made, tmp_path: Path
) -> None:
    folder, tasks = made
    for task in tasks:
        place, answers = folder / f"task-{task.id}", tmp_path / str(task.id)
        answers.mkdir()
        nothing = {"reward": 0.0, "process": 0.0, "exact": 0.0}
        assert verified(place, answers) == nothing
        given = {**os.environ, "HENGFA_ANSWERS": str(answers)}
        subprocess.run([place / "solution" / "solve.sh"], env=given, check=True)
        worth = verified(place, answers)
        assert isinstance(worth, dict)
        assert (worth["reward"], worth["exact"]) == (1.0, 1.0)
        assert worth["process"] == 1.0 or not task.hops


def test_nothing_that_an_agent_sees_has_the_keys(made: Made) -> None:
    folder, tasks = made
    for task in tasks:
        place = folder / f"task-{task.id}"
        seen = [place / "instruction.md", place / "environment" / "Dockerfile"]
        told = "".join(file.read_text("utf-8") for file in seen)
        assert task.question in told
        assert sorted(file.name for file in (place / "environment").iterdir()) == [
            "Dockerfile",
            "world.sqlite",
        ]
        if task.hops:
            assert not all(key in told for key in task.key)
        assert re.search(r"pip install .*hengfa\[mcp\]==", told)


def test_the_documented_layout(made: Made) -> None:
    folder, tasks = made
    for task in tasks:
        place = folder / f"task-{task.id}"
        for name in ("instruction.md", "environment/Dockerfile"):
            assert (place / name).is_file()
        for name in ("tests/test.sh", "solution/solve.sh"):
            assert os.access(place / name, os.X_OK)
        said = tomllib.loads((place / "task.toml").read_text("utf-8"))
        assert re.fullmatch(r"[a-zA-Z0-9._-]+/[a-zA-Z0-9._-]+", said["task"]["name"])
        assert said["environment"]["mcp_servers"][0]["args"][0] == "mcp"


def test_harbors_own_reader_takes_them(made: Made) -> None:
    reader = pytest.importorskip("harbor.models.task.task", reason="harbor is not installed")
    for place in made[0].glob("task-*"):
        assert reader.Task.is_valid_dir(place)
        task = reader.Task(place)
        assert task.config.environment.mcp_servers[0].command == "hengfa"
        assert task.paths.discovered_solve_path and task.paths.discovered_test_path
        assert "/app/answer.md" in task.instruction


def test_tasks_of_another_world_are_refused(made: Made, tmp_path: Path) -> None:
    _, tasks = made
    file, out = tmp_path / "tasks.jsonl", tmp_path / "out"
    first = tasks[0]
    with World.open(made[0].parent / "mine.sqlite") as world:
        for key, problem in (
            (("别的答案",), "row 2.*the plan of task 9 does not lead"),
            ((), "the plan of task 9 does not lead"),
        ):
            write_tasks(file, [first, msgspec.structs.replace(first, id=9, key=key)])
            with pytest.raises(DataError, match=problem):
                write_harbor(out, world, file)
        write_tasks(file, [first, first])
        with pytest.raises(DataError, match="the id 1 is there twice"):
            write_harbor(out, world, file)
    assert not list(tmp_path.glob("*out*"))


def test_a_wheel_goes_with_every_task(made: Made, tmp_path: Path) -> None:
    tasks, wheel = made[0].parent / "tasks.jsonl", tmp_path / "hengfa-1-py3-none-any.whl"
    wheel.write_bytes(b"wheel")
    with World.open(made[0].parent / "mine.sqlite") as world:
        write_harbor(tmp_path / "out", world, tasks, wheel=wheel)
        with pytest.raises(UsageError, match="not the name of a wheel"):
            write_harbor(tmp_path / "out", world, tasks, wheel=tmp_path / "a'b.whl")
    environment = tmp_path / "out" / "task-2" / "environment"
    assert (environment / wheel.name).read_bytes() == b"wheel"
    assert f"COPY {wheel.name} /tmp/" in (environment / "Dockerfile").read_text("utf-8")


texts = st.text(st.sampled_from("甲乙1,2，元 "), max_size=12)
keys = st.lists(st.text(st.sampled_from("甲乙12"), min_size=1, max_size=3), max_size=4)


@given(answer=texts, summary=texts, key=keys.filter(bool), middle=keys)
def test_the_verifier_scores_as_the_suite_does(
    answer: str, summary: str, key: list[str], middle: list[str]
) -> None:
    sample = AgentSample("1", "1-hop", 1, "", "", tuple(key), tuple(middle), "", ())
    closing = Submitted(without_digit_commas(answer), without_digit_commas(summary))
    metrics = KeywordRules(frozenset()).score(sample, Answer(closing)).metrics
    assert rewards(answer, summary, key, middle) == {
        "reward": metrics[SUCCESS],
        "process": metrics[PROCESS],
        "exact": metrics[EXACT],
    }
