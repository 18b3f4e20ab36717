"""Questions that are asked again: a key for each asking, figures of samples, kills."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.evals.engine.processes import Sittings, alive
from tests.evals.engine.server import LocalServer, Seen, completion, in_thread
from tests.evals.grading.scripted import asking, use_graders

from hengfa.base.errors import UsageError
from hengfa.evals.engine.journal import read_entries
from hengfa.evals.engine.messages import Options, parse_key
from hengfa.evals.results.figures import COMPARED, FLIPPED, Recipe
from hengfa.evals.results.tables import read_records, read_table
from hengfa.evals.runs.ask import grader
from hengfa.evals.runs.compare import compare
from hengfa.evals.runs.evaluate import evaluate, grade
from hengfa.evals.runs.look import find_scored, load_run, tell
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.plan import make_plan

KILLS, FEW_KILLS = 20, 6


def changing() -> Callable[[Any], str]:
    """A model that is right every second time it is asked the same."""
    times: Counter[str] = Counter()

    def answer(messages: Any) -> str:
        asked = messages[-1]["content"]
        times[asked] += 1
        return "[正确答案]A<eoa>" if times[asked] % 2 else "[正确答案]B<eoa>"

    return answer


def test_each_asking_has_a_key_of_its_own_and_all_are_asked_once_first(tmp_path: Path) -> None:
    run = evaluate(
        "lawbench/1-2", changing(), data="sample", repeats=3, runs=tmp_path, name="r", lanes=1
    )
    keys = [entry.key for entry in read_entries(run.folder / "journal.jsonl")]
    samples = len(keys) // 3
    assert len(set(keys)) == len(keys)
    parts = [parse_key(key) for key in keys]
    assert [part.repeat for part in parts if part] == [1] * samples + [2] * samples + [3] * samples
    assert {part.task for part in parts if part} == {"1-2"}
    again = [key for key in keys if "~2" in key]
    assert again[0].startswith("lawbench/1-2/zero_shot~2/")


def test_a_figure_is_one_of_samples_not_of_answers(tmp_path: Path) -> None:
    """The mean over repeats; the error treats the answers to a sample as one."""
    once = evaluate("lawbench/1-2", changing(), data="sample", runs=tmp_path, name="once")
    run = evaluate("lawbench/1-2", changing(), data="sample", repeats=4, runs=tmp_path, name="four")
    table = read_table(run.folder, "1-2", Rules.OFFICIAL)
    samples = len(set(table.samples))
    assert len(table.samples) == 4 * samples
    assert table.repeats[:4] == (1, 2, 3, 4)
    tries = table.tries("accuracy")
    means = [sum(values) / 4 for values in tries.values()]
    assert run.tasks["1-2"].score == pytest.approx(sum(means) / samples)
    assert run.tasks["1-2"].n == samples == once.tasks["1-2"].n
    evidence = table.evidence(Recipe("accuracy"))
    assert evidence is not None
    assert evidence.values.tolist() == pytest.approx(means)
    assert compare("once", "four", runs=tmp_path).rows["1-2"].estimates[1].samples == samples
    first, second = (tell(run.folder, "1-2/0", repeat)[Rules.OFFICIAL] for repeat in (1, 2))
    assert (first.row.repeat, second.row.repeat) == (1, 2)
    assert first.row.response != second.row.response


def test_more_repeats_go_on_with_the_run(tmp_path: Path) -> None:
    model = changing()
    evaluate("lawbench/1-2", model, data="sample", repeats=2, runs=tmp_path, name="r", fresh=False)
    run = evaluate("lawbench/1-2", model, data="sample", repeats=3, runs=tmp_path, name="r",
                   fresh=False)  # fmt: skip
    keys = Counter(entry.key for entry in read_entries(run.folder / "journal.jsonl"))
    assert set(keys.values()) == {1}
    assert len(keys) == 3 * run.tasks["1-2"].n


def test_temperature_0_gets_a_warning(tmp_path: Path) -> None:
    said: list[str] = []
    evaluate("lawbench/1-2", "floor", data="sample", limit=1, repeats=2, runs=tmp_path,
             notify=said.append)  # fmt: skip
    assert [line for line in said if "temperature 0" in line]


def test_each_repeat_has_a_seed_of_its_own() -> None:
    plan = make_plan("lawbench/1-2", data="sample", limit=1, repeats=3)
    seeds = [request.options.seed for request in plan.requests(Options(seed=7))]
    assert seeds == [7, 8, 9]


def test_saved_answers_cannot_be_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(json.dumps({"task": "1-2", "id": "0", "prediction": "A"}), "utf-8")
    with pytest.raises(UsageError, match="--repeats"):
        evaluate("lawbench/1-2", f"saved:{file}", data="sample", repeats=2, runs=tmp_path)


def test_a_grader_that_is_asked_again_is_scored_by_the_mean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every grading is kept, and how many items have other points in another."""
    use_graders(monkeypatch, {"endpoint:g": lambda one, _item: 0.5 if asking(one) == 1 else 1.0})
    run = evaluate("plawbench/case", "floor", data="sample", limit=2, runs=tmp_path, name="r",
                   graders=[grader("endpoint:g", repeats=3)])  # fmt: skip
    assert run.tasks["case"].score == pytest.approx((0.5 + 1 + 1) / 3)
    assert not any(name.startswith("grading.") for name in run.tasks["case"].more)
    place = find_scored("r", tmp_path)
    table = read_table(place, "case", Rules.OFFICIAL)
    assert table.columns["grading.1"].tolist() == pytest.approx([0.5, 0.5])
    assert table.columns["grading.3"].tolist() == pytest.approx([1.0, 1.0])
    assert table.columns[FLIPPED].tolist() == table.columns[COMPARED].tolist()
    notes = {finding["note"].partition(";")[0] for finding in _findings(place)}
    assert notes == {"grading 1", "grading 2", "grading 3"}
    asked = (place / "journal.jsonl").read_text("utf-8").count("\n")
    grade(run, grader("endpoint:g", repeats=3))
    assert (place / "journal.jsonl").read_text("utf-8").count("\n") == asked == 6


def _findings(place: Path) -> list[dict[str, Any]]:
    row = tell(place, "case/1")[Rules.OFFICIAL].row
    found: list[dict[str, Any]] = json.loads(row.trace)["findings"]
    return found


# --- kills ---


async def answering(_request: web.Request, seen: Seen) -> web.StreamResponse:
    """A model, and two graders; each answer bears a hash of the very question."""
    await asyncio.sleep(random.uniform(0.0, 0.01))
    body = seen.body
    mark = hashlib.sha256(json.dumps([body["messages"], body["model"], body.get("seed")]).encode())
    asked = "\n".join(message["content"] for message in body["messages"])
    if body["model"] == "m":
        return web.json_response(completion(f"【结论】{mark.hexdigest()}"))
    (code,) = re.findall("^核对码：(.+)$", asked, re.MULTILINE)
    half = int(mark.hexdigest(), 16) % 2
    ids = re.findall(r'"id": "([^"]+)",\s+"满分"', asked)
    awards = [
        {"id": id_, "points": half, "evidence": [], "reason": mark.hexdigest()}
        for id_ in dict.fromkeys(ids)
    ]
    verdict = {"awards": awards, "faults": [], "code": code, "mark": mark.hexdigest()}
    return web.json_response(completion(json.dumps(verdict, ensure_ascii=False)))


@pytest.fixture
def sittings() -> Iterator[Sittings]:
    starter = Sittings("grading")
    yield starter
    starter.close()


def kept(runs: Path) -> set[str]:
    """The hashes of the questions whose answers are in some journal."""
    return {
        mark
        for journal in runs.rglob("journal.jsonl")
        for entry in read_entries(journal)
        for mark in re.findall("[0-9a-f]{64}", entry.response.text)[:1]
    }


def asked_of(server: LocalServer) -> list[str]:
    return [
        hashlib.sha256(
            json.dumps([seen.body["messages"], seen.body["model"], seen.body.get("seed")]).encode()
        ).hexdigest()
        for seen in list(server.seen)
    ]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs kill -9")
def test_kills_ask_nothing_twice_and_change_no_figure(
    tmp_path: Path, sittings: Sittings, deep: bool
) -> None:
    """Five repeats, two graders; killed at any moment, while asking or grading, and continued."""
    with in_thread(LocalServer(answering)) as server:

        def sit(runs: Path, *, kill_after: int | None = None) -> int:
            before = len(server.seen)
            process = sittings.start(url=f"{server.url}/v1", runs=str(runs))
            if kill_after is not None:
                while len(server.seen) < before + kill_after and alive(process):
                    time.sleep(0.001)
                os.kill(process, signal.SIGKILL)
            return sittings.wait()

        killed, whole = tmp_path / "killed", tmp_path / "whole"
        kills, most = 0, KILLS if deep else FEW_KILLS
        for _ in count():
            settled = kept(killed)
            server.seen.clear()
            ended = sit(killed, kill_after=random.randint(1, 9) if kills < most else None)
            assert not settled & set(asked_of(server)), "what was kept is not asked again"
            assert settled <= kept(killed), "what was kept stays"
            kills += ended != 0
            if ended == 0:
                break
        assert kills == most
        keys = [
            Counter(entry.key for entry in read_entries(journal))
            for journal in killed.rglob("journal.jsonl")
        ]
        assert all(set(times.values()) == {1} for times in keys)
        assert sit(whole) == 0
    runs = [load_run("run", runs=place) for place in (killed, whole)]
    graders = [f"endpoint:{name}" for name in "ab"]
    for name in graders:
        one, other = (run.scores.by(name) for run in runs)
        assert 0 < one.figures["overall"] < 1
        assert one.figures == other.figures
        assert one.tasks == other.tasks
    frames = [
        read_records([place / "run"])
        .drop("seconds")
        .sort("task", "sample", "repeat", "metric", "grader")
        for place in (killed, whole)
    ]
    assert frames[0].equals(frames[1])
