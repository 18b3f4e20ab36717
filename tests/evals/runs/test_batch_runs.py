"""Runs, graders and agents by batch: the same figures as live, and nothing asked twice."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from click.testing import CliRunner, Result
from tests.evals.engine.batch_server import BatchServer, prompt_of
from tests.evals.engine.server import LocalServer, Seen, completion, in_thread
from tests.evals.engine.test_batches import QUICK

import hengfa
from hengfa.base.errors import BatchesWaiting, UsageError
from hengfa.cli.main import cli, main
from hengfa.evals.engine import batches
from hengfa.evals.engine.batches import LEDGER
from hengfa.evals.engine.journal import read_entries
from hengfa.evals.runs.folder import read_figures
from hengfa.evals.runs.merge import merge


def said(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """A letter that depends on the question, so that scores differ from question to question."""
    letter = "ABCD"[sum(map(ord, prompt_of(body))) % 4]
    return 200, completion(f"[正确答案]{letter}<eoa>")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "Pauses", lambda: QUICK)


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with in_thread(BatchServer("openai", answer=said)) as server:
        yield server


def evaluate(server: BatchServer, runs: Path, target: str, **settings: Any) -> hengfa.Run:
    return hengfa.evaluate(
        target, "endpoint:m", data="sample", base_url=f"{server.url}/v1", runs=runs, **settings
    )


def figures(run: hengfa.Run) -> Any:
    return figures_in(Path(run.folder))


def figures_in(folder: Path) -> Any:
    return {rules: (of.tasks, of.figures) for rules, of in read_figures(folder).items()}


def test_figures_equal_those_of_the_live_run(server: BatchServer, tmp_path: Path) -> None:
    asked: Any = {"target": "lawbench/1-2,3-6", "repeats": 2, "temperature": None}
    live = evaluate(server, tmp_path / "live", **asked)
    by_batch = evaluate(server, tmp_path / "batch", **asked, batch=True)
    assert figures(live) == figures(by_batch)
    assert set(server.paid.values()) == {4}, "twice live, twice by batch"
    assert len(server.made) == 1


def test_a_run_goes_on_the_other_way(server: BatchServer, tmp_path: Path) -> None:
    evaluate(server, tmp_path, "lawbench/1-2", limit=1)
    evaluate(server, tmp_path, "lawbench/1-2", limit=2, batch=True)
    run = evaluate(server, tmp_path, "lawbench/1-2", limit=3)
    entries = list(read_entries(Path(run.folder) / "journal.jsonl"))
    assert [bool(entry.response.batch) for entry in entries] == [False, True, False]
    assert set(server.paid.values()) == {1}


def test_shards_by_batch_merge_into_the_whole(server: BatchServer, tmp_path: Path) -> None:
    whole = evaluate(server, tmp_path, "lawbench/1-2,3-6", name="whole")
    for part in ("1/2", "2/2"):
        evaluate(server, tmp_path, "lawbench/1-2,3-6", name="part", shard=part, batch=True)
    parts = ("part-shard-1-of-2", "part-shard-2-of-2")
    assert figures(merge(*parts, name="merged", runs=tmp_path)) == figures(whole)


def test_graders_panels_and_screens_go_by_batch(server: BatchServer, tmp_path: Path) -> None:
    def graders(*, batch: bool) -> list[Any]:
        settings: dict[str, Any] = {"base_url": f"{server.url}/v1", "batch": batch}
        models = [hengfa.grader(name, **settings) for name in ("endpoint:g", "endpoint:h")]
        screen = hengfa.grader("endpoint:s", **settings, screens=True)
        return [*models, screen, hengfa.grader("keywords", batch=batch)]

    verdict = completion('{"items": []}')
    server.answer = lambda _body: (200, verdict)
    scores = {}
    for batch in (False, True):
        run = evaluate(
            server, tmp_path / str(batch), "claw-cases", batch=batch, panel="mean",
            graders=graders(batch=batch),
        )  # fmt: skip
        folders = sorted(Path(run.folder).glob("grades/*"))
        scores[batch] = {place.name: figures_in(place) for place in folders}
        ledgers = sorted(file.parent.name for file in Path(run.folder).rglob(LEDGER))
        names = ["endpoint_g", "endpoint_h", "endpoint_s", Path(run.folder).name]
        assert ledgers == (sorted(names) if batch else [])
    assert scores[True] == scores[False]


def test_the_turns_of_an_agent_are_batches(server: BatchServer, tmp_path: Path) -> None:
    notices: list[str] = []
    run = evaluate(
        server, tmp_path, "legalagentbench/1-hop", setting="react", limit=3, batch=True,
        notify=notices.append,
    )  # fmt: skip
    assert any("every turn" in notice for notice in notices)
    entries = list(read_entries(Path(run.folder) / "journal.jsonl"))
    turns = [entry for entry in entries if "#" in entry.key]
    assert len({entry.response.batch for entry in turns}) == len(server.made) > 1
    assert server.calls["live"] == 0


def test_doubao_is_asked_on_connections_that_are_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def choose_b(_request: web.Request, _seen: Seen) -> web.StreamResponse:
        return web.json_response(completion("[正确答案]B<eoa>"))

    monkeypatch.setenv("ARK_API_KEY", "sk-local")
    with in_thread(LocalServer(choose_b)) as server:
        run = hengfa.evaluate(
            "lawbench/1-2", "doubao:ep-bi-1", data="sample", base_url=f"{server.url}/api/v3",
            runs=tmp_path, batch=True, lanes=12,
        )  # fmt: skip
        assert {seen.path for seen in server.seen} == {"/api/v3/batch/chat/completions"}
    entries = list(read_entries(Path(run.folder) / "journal.jsonl"))
    assert {entry.response.batch for entry in entries} == {"held"}
    assert not (Path(run.folder) / LEDGER).exists()


def command(server: BatchServer, runs: Path, *more: str) -> Result:
    words = ["eval", "lawbench/1-2", "--model", "endpoint:m", "--data", "sample", "--json"]
    where = ["--base-url", f"{server.url}/v1", "--runs", str(runs), "--run", "r"]
    return CliRunner().invoke(cli, [*words, *where, *more])


def test_who_detaches_comes_back(server: BatchServer, tmp_path: Path) -> None:
    server.seconds = 60.0
    for _ in range(2):
        left = command(server, tmp_path, "--batch", "--detach")
        assert isinstance(left.exception, BatchesWaiting)
        assert "0 of 12 done in batch_0 since 20" in str(left.exception)
    live = command(server, tmp_path)
    assert isinstance(live.exception, UsageError)
    assert "12 questions in batches" in str(live.exception)
    for made in server.made.values():
        made.ends_at = 0.0
    assert command(server, tmp_path, "--batch").exit_code == 0
    assert command(server, tmp_path).exit_code == 0
    assert set(server.paid.values()) == {1}


def test_waiting_is_no_error(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    server.seconds = 60.0
    words = f"eval lawbench/1-2 --model endpoint:m --data sample --base-url {server.url}/v1"
    monkeypatch.setattr(
        "sys.argv", ["hengfa", *words.split(), "--runs", str(tmp_path), "--batch", "--detach"]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("0 of 12 done in batch_0")
    assert "Give the same command again" in last


def test_ctrl_c_leaves_the_batches_where_they_are(server: BatchServer, tmp_path: Path) -> None:
    server.seconds = 60.0

    def interrupt() -> None:
        while not server.calls["GET batches"]:
            threading.Event().wait(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    left = command(server, tmp_path, "--batch")
    assert isinstance(left.exception, BatchesWaiting)
    assert len(server.made) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--model floor", "floor has no batch interface"),
        ("--model deepseek:deepseek-chat", "doubao, endpoint, glm, kimi, openai, qwen have one"),
        ("--model vllm:m", "vllm:m has no batch interface"),
        ("--model hf:folder", "hf:folder has no batch interface"),
        ("--model replay:run", "replay:run has no batch interface"),
        ("--model inspect:a/b", "inspect:a/b has no batch interface"),
        ("--model saved:file", "saved:file has no batch interface"),
        ("--model floor --grader deepseek:m", "deepseek:m has no batch interface"),
        ("--model doubao:ep-1 --detach", "answers only who waits"),
        ("--model openai:m --base-url http://a/v1 --base-url http://b/v1", "one --base-url"),
    ],
)
def test_what_has_no_batch_interface_says_so(words: str, said: str, tmp_path: Path) -> None:
    asked = f"eval lawbench --data sample --batch --runs {tmp_path} {words}".split()
    refused = CliRunner().invoke(cli, asked)
    assert isinstance(refused.exception, UsageError)
    assert said in str(refused.exception)
    assert not list(tmp_path.iterdir())


def test_so_does_an_estimate() -> None:
    with pytest.raises(UsageError, match="deepseek:m has no batch interface"):
        hengfa.estimate("lawbench", "deepseek:m", data="sample", batch=True)


def test_detach_alone_and_models_of_ones_own_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--detach is for --batch"):
        hengfa.evaluate("lawbench/1-2", "floor", data="sample", runs=tmp_path, detach=True)
    with pytest.raises(UsageError, match="a function has no batch interface"):
        hengfa.evaluate("lawbench/1-2", str, data="sample", runs=tmp_path, batch=True)


def test_prices_of_batches_are_in_the_estimate_and_in_the_records(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HENGFA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-local")
    price = ["models", "price", "openai:m", "--input", "2", "--output", "8"]
    assert "50% of that" in CliRunner().invoke(cli, price).output
    costs = {}
    for batch in (False, True):
        expected = hengfa.estimate("lawbench/1-2", "openai:m", data="sample", batch=batch)
        ((low, high),) = expected.total().values()
        run = hengfa.evaluate(
            "lawbench/1-2", "openai:m", data="sample", base_url=f"{server.url}/v1", batch=batch,
            runs=tmp_path / str(batch),
        )  # fmt: skip
        costs[batch] = low, high, run.responses()["cost"].sum()
    assert [live / 2 for live in costs[False]] == pytest.approx(costs[True])
