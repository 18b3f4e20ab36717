"""Whole runs against a local server: asked once, continued, noticed when changed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web
from tests.evals.engine.server import LocalServer, Seen, completion, in_thread

from hengfa.base.errors import EndpointDown, JournalError, RunLocked, RunStopped, UsageError
from hengfa.evals.engine.budget import Price, set_price
from hengfa.evals.engine.journal import Journal
from hengfa.evals.engine.session import RetryPolicy
from hengfa.evals.results.tables import read_records
from hengfa.evals.runs.evaluate import evaluate
from hengfa.evals.runs.folder import RunFigures, Spent, read_figures
from hengfa.evals.runs.leaderboard import leaderboard
from hengfa.evals.runs.look import list_runs, tell
from hengfa.evals.runs.models import Connection, open_model
from hengfa.evals.runs.score import score_run
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.plan import make_plan
from hengfa.evals.suites.registry import get_suite
from hengfa.evals.suites.scoring import ANSWERS_AND_CUT


async def choose_b(_request: web.Request, _seen: Seen) -> web.StreamResponse:
    return web.json_response(completion("[正确答案]B<eoa>"))


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with in_thread(LocalServer(choose_b)) as running:
        yield running


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = partial(RetryPolicy, first_delay=0.001, longest_delay=0.01)
    monkeypatch.setattr("hengfa.evals.runs.ask.RetryPolicy", policy)


def run(
    server: LocalServer,
    runs: Path,
    target: str = "lawbench/1-2",
    model: str = "endpoint:m",
    **ask: Any,
) -> tuple[Path, list[RunFigures]]:
    done = evaluate(
        target, model, data="sample", rules="both", runs=runs, timeout=20,
        **{"base_url": f"{server.url}/v1", "attempts": 2, **ask},
    )  # fmt: skip
    return done.folder, [*done.scores.outcomes]


def test_answers_are_scored_and_recorded_with_everything_a_record_must_say(
    server: LocalServer, tmp_path: Path
) -> None:
    folder, outcomes = run(server, tmp_path, "lawbench/1-1,1-2")
    assert [(o.rules, o.tasks["1-2"].score) for o in outcomes] == [
        (Rules.OFFICIAL, 4 / 12),
        (Rules.CORRECTED, 4 / 12),
    ]
    frame = read_records([folder])
    assert frame.filter(metric="rouge_l").height == frame.filter(metric="accuracy").height == 24
    row = frame.filter(task="1-1", rules="official", sample="0").row(0, named=True)
    assert row["run"] == "lawbench-zero_shot-endpoint_m-sample"
    assert row["model"] == "endpoint:m"
    assert row["status"] == "answered"
    assert (row["input_tokens"], row["output_tokens"]) == (7, 3)
    assert row["seconds"] > 0
    assert row["instrument"].startswith("jieba-0.42.1/")
    assert row["data"] == make_plan("lawbench", data="sample").data.fingerprint
    assert frame.filter(task="1-2")["instrument"].null_count() == 24


def test_what_answers_took_is_kept_with_the_figures(server: LocalServer, tmp_path: Path) -> None:
    """Twelve questions of seven tokens, with answers of three; another model has no price."""
    set_price("endpoint:m", Price("CNY", input=2.0, output=10.0))
    folder, (outcome, _) = run(server, tmp_path)
    _, (unpriced, _) = run(server, tmp_path, model="endpoint:other")
    assert outcome.spent is not None
    assert outcome.as_json()["spent"] == outcome.spent
    assert msgspec.structs.astuple(outcome.spent) == (12, 12, 84, 36, pytest.approx(528e-6), "CNY")
    assert unpriced.spent == Spent(12, 12, 84, 36)
    nothing = score_run(folder, [Rules.OFFICIAL], tasks=[])
    assert [(one.tasks, one.spent) for one in nothing] == [({}, None)]
    assert [summary.spent for summary in list_runs(tmp_path)] == [outcome.spent, unpriced.spent]
    board = leaderboard(get_suite("lawbench"), tmp_path, tasks=["1-2"])
    assert [row["spent"].cost for row in board.as_json()["rows"]] == [pytest.approx(528e-6), None]


def test_where_nothing_is_counted_nothing_is_said_to_be_spent(tmp_path: Path) -> None:
    done = evaluate("lawbench/1-2", "floor", data="sample", runs=tmp_path)
    assert "spent" not in done.scores.outcomes[0].as_json()
    assert [summary.spent for summary in list_runs(tmp_path)] == [None]


def test_the_same_command_again_asks_nothing(server: LocalServer, tmp_path: Path) -> None:
    first = run(server, tmp_path)
    assert len(server.seen) == 12
    second = run(server, tmp_path)
    assert len(server.seen) == 12
    told = [[{**one.as_json(), "asked": None} for one in done[1]] for done in (first, second)]
    assert told[0] == told[1]
    asked = second[1][0].asked
    assert asked is not None and (asked.now, asked.from_journal) == (0, 12)


def test_a_larger_limit_continues_a_smaller_one(server: LocalServer, tmp_path: Path) -> None:
    run(server, tmp_path, limit=4)
    assert len(server.seen) == 4
    _, outcomes = run(server, tmp_path, limit=9)
    assert len(server.seen) == 9
    assert outcomes[0].tasks["1-2"].n == 9


def test_scoring_one_task_leaves_the_records_of_the_other(
    server: LocalServer, tmp_path: Path
) -> None:
    run(server, tmp_path, "lawbench/1-1")
    folder, _ = run(server, tmp_path, "lawbench/1-2")
    assert set(read_records([folder])["task"]) == {"1-1", "1-2"}


def test_a_changed_option_is_noticed_and_fresh_keeps_the_old_answers(
    server: LocalServer, tmp_path: Path
) -> None:
    folder, _ = run(server, tmp_path)
    with pytest.raises(JournalError, match=r"options: .*0\.0.* → .*0\.7.*--fresh"):
        run(server, tmp_path, temperature=0.7)
    assert len(server.seen) == 12
    run(server, tmp_path, temperature=0.7, fresh=True)
    assert len(server.seen) == 24
    assert (tmp_path / ".old" / f"{folder.name}.1" / "journal.jsonl").stat().st_size > 0


def test_failures_are_counted_not_scored_and_asked_again(
    server: LocalServer, tmp_path: Path
) -> None:
    healthy = server.handler

    async def sometimes(request: web.Request, seen: Seen) -> web.StreamResponse:
        if "龙牌" in seen.prompt:
            raise web.HTTPInternalServerError(text="[正确答案]B<eoa>")
        return await healthy(request, seen)

    server.handler = sometimes
    folder, outcomes = run(server, tmp_path)
    figure = outcomes[0].tasks["1-2"]
    assert figure.statuses == {"answered": 11, "failed": 1}
    assert (figure.score, figure.lenient) == (3 / 12, 3 / 11)
    failed = read_records([folder]).filter(status="failed")
    assert failed["value"].null_count() == failed.height == 2
    server.handler = healthy
    asked = len(server.seen)
    _, outcomes = run(server, tmp_path)
    assert len(server.seen) == asked + 1
    assert outcomes[0].tasks["1-2"].statuses == {"answered": 12}


def test_other_statuses_are_asked_again_on_request(server: LocalServer, tmp_path: Path) -> None:
    healthy = server.handler

    async def empty(_request: web.Request, _seen: Seen) -> web.StreamResponse:
        return web.json_response(completion(""))

    server.handler = empty
    run(server, tmp_path)
    server.handler = healthy
    _, outcomes = run(server, tmp_path)
    assert outcomes[0].tasks["1-2"].statuses == {"empty": 12}
    _, outcomes = run(server, tmp_path, retry=["empty"])
    assert outcomes[0].tasks["1-2"].statuses == {"answered": 12}


def test_a_dead_endpoint_ends_the_run_instead_of_failing_every_sample(
    server: LocalServer, tmp_path: Path
) -> None:
    async def unpaid(_request: web.Request, _seen: Seen) -> web.StreamResponse:
        raise web.HTTPPaymentRequired(text='{"error": {"message": "Insufficient Balance"}}')

    server.handler = unpaid
    said: list[str] = []
    with pytest.raises(EndpointDown, match="Insufficient Balance"):
        run(server, tmp_path, lanes=1, notify=said.append)
    assert said[-1].startswith("what is there can be scored: hengfa score lawbench ")
    assert len(server.seen) == 10


def test_a_token_limit_stops_the_run_and_a_higher_one_continues_it(
    server: LocalServer, tmp_path: Path
) -> None:
    async def dear(_request: web.Request, _seen: Seen) -> web.StreamResponse:
        usage = {"prompt_tokens": 90, "completion_tokens": 8}
        return web.json_response({**completion("[正确答案]B<eoa>"), "usage": usage})

    server.handler = dear
    with pytest.raises(RunStopped, match="tokens"):
        run(server, tmp_path, max_new_tokens=8, max_tokens=800)
    asked = len(server.seen)
    assert 0 < asked < 12
    run(server, tmp_path, max_new_tokens=8, max_tokens=100_000)
    assert len(server.seen) == 12


def test_ctrl_c_waits_for_what_is_in_flight_and_keeps_it(
    server: LocalServer, tmp_path: Path
) -> None:
    release = threading.Event()
    healthy = server.handler

    async def slow(request: web.Request, seen: Seen) -> web.StreamResponse:
        if len(server.seen) == 3:
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
            threading.Timer(0.3, release.set).start()
        await asyncio.to_thread(release.wait)
        return await healthy(request, seen)

    server.handler = slow
    with pytest.raises(RunStopped, match="interrupted"):
        run(server, tmp_path, lanes=3)
    assert len(server.seen) == 3
    server.handler = healthy
    run(server, tmp_path, lanes=3)
    assert len(server.seen) == 12


def test_a_replay_answers_from_an_earlier_run(server: LocalServer, tmp_path: Path) -> None:
    folder, outcomes = run(server, tmp_path)
    server.handler = None  # type: ignore[assignment]  # nobody may be asked now
    _, replayed = run(server, tmp_path, model=f"replay:{folder}")
    assert replayed[0].tasks == outcomes[0].tasks
    assert len(server.seen) == 12


def test_questions_that_are_too_long_do_not_stop_the_others(
    server: LocalServer, tmp_path: Path
) -> None:
    async def too_long(_request: web.Request, seen: Seen) -> web.StreamResponse:
        if "月湖茶馆" not in seen.prompt:
            raise web.HTTPBadRequest(text='{"error": {"code": "context_length_exceeded"}}')
        return await choose_b(_request, seen)

    server.handler = too_long
    _, outcomes = run(server, tmp_path, "lawbench", lanes=1)
    statuses = Counter(outcomes[0].tasks["1-1"].statuses)
    statuses.update(outcomes[0].tasks["1-2"].statuses)
    assert statuses["failed"] > 10
    assert statuses["answered"] > 0


def test_a_failure_never_hides_an_answer_that_was_there(
    server: LocalServer, tmp_path: Path
) -> None:
    async def cut(_request: web.Request, _seen: Seen) -> web.StreamResponse:
        return web.json_response(completion("[正确答案]B<eoa>因为", "length"))

    async def broken(_request: web.Request, _seen: Seen) -> web.StreamResponse:
        raise web.HTTPBadRequest

    server.handler = cut
    run(server, tmp_path)
    server.handler = broken
    with pytest.raises(EndpointDown, match="nothing was answered"):
        run(server, tmp_path, retry=["truncated"])
    (folder,) = tmp_path.iterdir()
    (outcome,) = score_run(folder, [Rules.OFFICIAL], accept=ANSWERS_AND_CUT)
    assert outcome.tasks["1-2"].statuses == {"truncated": 12}
    assert outcome.tasks["1-2"].score == 4 / 12


def test_a_run_that_another_process_writes_to_cannot_be_moved_aside(
    server: LocalServer, tmp_path: Path
) -> None:
    folder, _ = run(server, tmp_path)
    with Journal(folder / "journal.jsonl"), pytest.raises(RunLocked):
        run(server, tmp_path, fresh=True)
    assert (folder / "run.json").is_file()


def test_another_address_is_said(server: LocalServer, tmp_path: Path) -> None:
    said: list[str] = []
    for path in ("/v1", "/elsewhere/v1"):
        run(server, tmp_path, base_url=f"{server.url}{path}", notify=said.append)
    assert [line for line in said if "goes on at" in line and "/elsewhere/v1" in line]


def test_what_was_accepted_is_shown_the_same_everywhere(
    server: LocalServer, tmp_path: Path
) -> None:
    async def cut(_request: web.Request, _seen: Seen) -> web.StreamResponse:
        return web.json_response(completion("[正确答案]B<eoa>因为", "length"))

    server.handler = cut
    folder, outcomes = run(server, tmp_path, accept_truncated=True)
    (summary,) = list_runs(tmp_path)
    assert summary.figures[""]["official"] == outcomes[0].figures
    assert tell(folder, "1-2/4")[Rules.OFFICIAL].metrics == {"accuracy": 1.0}


def test_a_broken_run_is_said_and_passed_over(server: LocalServer, tmp_path: Path) -> None:
    run(server, tmp_path)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text("{")
    said: list[str] = []
    assert len(list_runs(tmp_path, said.append)) == 1
    assert "broken" in said[0]


def test_a_wrong_address_is_an_error_with_a_hint_not_a_zero(
    server: LocalServer, tmp_path: Path
) -> None:
    async def lost(_request: web.Request, _seen: Seen) -> web.StreamResponse:
        raise web.HTTPNotFound

    server.handler = lost
    with pytest.raises(EndpointDown, match=r"HTTP 404.*/v1"):
        run(server, tmp_path, limit=2)


def test_figures_under_other_rules_are_never_older_than_the_answers(
    server: LocalServer, tmp_path: Path
) -> None:
    folder, _ = run(server, tmp_path, limit=4)
    (outcome,) = score_run(folder, [Rules.OFFICIAL])
    run(server, tmp_path, limit=9)
    assert {rules: one.samples for rules, one in read_figures(folder).items()} == {
        Rules.OFFICIAL: 9,
        Rules.CORRECTED: 9,
    }
    assert outcome.rules is Rules.OFFICIAL


def test_a_built_in_model_does_not_pass_over_an_agent_in_silence() -> None:
    plan = make_plan("legalagentbench/1-hop", data="sample", options={"agent": "nosuch:fn"})
    with pytest.raises(UsageError, match="floor answers by itself"):
        open_model("floor", plan, Connection())


OPENED = """
import sys
from collections import Counter
opened = Counter()
def hook(event, arguments):
    if event == "open" and "/sample_pack/plawbench/" in str(arguments[0]):
        opened[arguments[0]] += 1
sys.addaudithook(hook)
sys.argv[1:] = "eval plawbench --data sample --model floor --grader keywords".split()
from hengfa.cli.main import main
try:
    main()
finally:
    print(*sorted(opened.values()), file=sys.stderr)
"""


def test_data_are_summed_once_and_read_once(tmp_path: Path) -> None:
    """For asking, grading and scoring together: the plan is handed on."""
    done = subprocess.run(
        [sys.executable, "-c", OPENED], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1] == "2 2 2 2", done.stderr
