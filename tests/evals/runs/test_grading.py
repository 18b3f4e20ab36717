"""Runs whose answers are graded: by a scripted grader behind a real endpoint."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.evals.engine.server import LocalServer, Seen, completion, in_thread

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import EndpointDown, JournalError, RunStopped, UsageError
from hengfa.evals.engine.budget import Limits
from hengfa.evals.engine.messages import Options, Response, Status
from hengfa.evals.engine.session import RetryPolicy, Sitting
from hengfa.evals.grading.graded import How
from hengfa.evals.results.figures import Band
from hengfa.evals.results.tables import read_records
from hengfa.evals.results.trace import read_trace
from hengfa.evals.runs.evaluate import evaluate, grade, grade_and_score
from hengfa.evals.runs.folder import IMPORTED, RunFigures, graders_of
from hengfa.evals.runs.grading import GraderChoice, open_grader, submission_of
from hengfa.evals.runs.look import tell
from hengfa.evals.runs.models import Connection
from hengfa.evals.runs.predictions import score
from hengfa.evals.runs.score import score_run
from hengfa.evals.suites.base import Attempt, Rules
from hengfa.evals.suites.claw_cases.dataset import load_samples
from hengfa.evals.suites.claw_cases.rules import DIMENSIONS, submission

QUICK = RetryPolicy(attempts=2, first_delay=0.001, longest_delay=0.01)
Handler = Callable[[web.Request, Seen], Any]


CODE = "THE CODE OF THE QUESTION"


def verdict(level: str = "Normal", overall: float = 60, evidence: str = "本案") -> str:
    awards: list[dict[str, object]] = [
        {"id": name, "level": level, "evidence": [evidence], "reason": "理由"}
        for name in DIMENSIONS
    ]
    awards.append({"id": "overall", "points": overall, "evidence": [evidence], "reason": "理由"})
    return json.dumps({"awards": awards, "code": CODE}, ensure_ascii=False)


def saying(*texts: str) -> Handler:
    """A grader that says these texts to the first, second, … turn, and the last ever after."""

    async def answer(_request: web.Request, seen: Seen) -> web.StreamResponse:
        turn = sum(message["role"] == "user" for message in seen.body["messages"]) - 1
        (code,) = re.findall("^核对码：(.+)$", seen.body["messages"][1]["content"], re.MULTILINE)
        return web.json_response(completion(texts[min(turn, len(texts) - 1)].replace(CODE, code)))

    return answer


@pytest.fixture
def serve() -> Iterator[Callable[[Handler], LocalServer]]:
    running: list[Any] = []

    def start(handler: Handler) -> LocalServer:
        context = in_thread(LocalServer(handler))
        running.append(context)
        server: LocalServer = context.__enter__()
        return server

    yield start
    for context in running:
        context.__exit__(None, None, None)


def choice(server: LocalServer, name: str = "endpoint:g", **more: Any) -> GraderChoice:
    sitting = more.pop("sitting", Sitting(retry=QUICK, progress=False))
    connection = Connection(base_url=f"{server.url}/v1", timeout=20)
    return GraderChoice(name, connection, sitting=sitting, **more)


def run(runs: Path, *graders: GraderChoice, model: str = "ceiling") -> tuple[Path, RunFigures]:
    done = evaluate("claw-cases", model, data="sample", runs=runs, graders=graders, ungraded=True)
    (outcome,) = done.scores.outcomes
    return done.folder, outcome


def test_answers_are_graded_once_and_scored_from_what_was_said(
    tmp_path: Path, serve: Callable[[Handler], LocalServer]
) -> None:
    server = serve(saying(verdict()))
    folder, outcome = run(tmp_path, choice(server))
    figure = outcome.tasks["case"]
    assert figure.score == 0.6
    assert {name: figure.more[name] for name in DIMENSIONS} == dict.fromkeys(DIMENSIONS, 0.5)
    assert (figure.ungraded, figure.band) == (0, None)
    assert len(server.seen) == 3
    assert server.seen[0].body["temperature"] == 0
    assert list(graders_of(folder)) == ["endpoint:g"]
    run(tmp_path, choice(server))
    assert len(server.seen) == 3
    (again,) = score_run(folder, [Rules.OFFICIAL])
    assert again.tasks["case"].score == 0.6
    records = read_records([folder])
    assert set(records["grader"]) == {"endpoint:g"}
    (instrument,) = set(records["instrument"])
    assert re.fullmatch(
        r'endpoint:g, prompt 3, rubric [0-9a-f]{8}, {"temperature":0.0}', instrument
    )


def test_without_a_grader_there_is_no_score_and_no_zero(tmp_path: Path) -> None:
    _, outcome = run(tmp_path)
    assert outcome.tasks["case"].score is None
    assert outcome.figures == {}


def test_a_broken_reply_is_repaired_by_a_second_turn(
    tmp_path: Path, serve: Callable[[Handler], LocalServer]
) -> None:
    server = serve(saying("我认为很好，给满分。", verdict(overall=70)))
    _, outcome = run(tmp_path, choice(server))
    assert outcome.tasks["case"].score == pytest.approx(0.7)
    assert len(server.seen) == 6
    repair = server.seen[-1].body["messages"]
    assert [message["role"] for message in repair][-2:] == ["assistant", "user"]


def test_what_cannot_be_read_three_times_is_ungraded_and_the_figure_is_a_band(
    tmp_path: Path, serve: Callable[[Handler], LocalServer]
) -> None:
    server = serve(saying("好"))
    _, outcome = run(tmp_path, choice(server))
    figure = outcome.tasks["case"]
    assert len(server.seen) == 9
    assert (figure.score, figure.band, figure.more) == (None, Band(0, 1, 1), {})
    assert (outcome.figures, outcome.bands) == ({}, {"overall": Band(0, 1, 1)})


def test_points_beyond_the_maximum_leave_only_that_item_ungraded(
    tmp_path: Path, serve: Callable[[Handler], LocalServer]
) -> None:
    server = serve(saying(verdict(overall=101)))
    _, outcome = run(tmp_path, choice(server))
    figure = outcome.tasks["case"]
    assert (figure.score, figure.band) == (None, Band(0, 1, 1 / 6))


def both(runs: Path, *graders: GraderChoice, panel: How | None = None) -> dict[str, RunFigures]:
    """The scores of a run, by grader."""
    done = evaluate("claw-cases", "ceiling", data="sample", runs=runs, graders=graders, panel=panel)
    return {outcome.grader: outcome for outcome in done.scores.outcomes}


def scores(outcomes: dict[str, RunFigures]) -> dict[str, float | None]:
    return {name: outcome.tasks["case"].score for name, outcome in outcomes.items()}


def test_two_graders_are_two_scores_and_a_panel_is_asked_for_by_name(
    tmp_path: Path, serve: Callable[[Handler], LocalServer]
) -> None:
    strict = choice(serve(saying(verdict(overall=40))), "endpoint:a")
    kind = choice(serve(saying(verdict("Good", 80))), "endpoint:b")
    alone = both(tmp_path, strict)
    assert scores(alone) == pytest.approx({"endpoint:a": 0.4})
    (folder,) = [file.parent for file in tmp_path.rglob("run.json")]
    before = {file: file.read_bytes() for file in (folder / "grades").rglob("figures.*")}
    apart = both(tmp_path, strict, kind)
    assert scores(apart) == pytest.approx({"endpoint:a": 0.4, "endpoint:b": 0.8})
    assert all(file.read_bytes() == content for file, content in before.items())
    panel = both(tmp_path, strict, kind, panel="mean")["mean of endpoint:a, endpoint:b"]
    assert panel.tasks["case"].score == pytest.approx(0.6)
    assert panel.tasks["case"].more["clarity"] == pytest.approx(0.75)
    place = graders_of(folder)["mean of endpoint:a, endpoint:b"]
    trace = read_trace(tell(place, "case/1")[Rules.OFFICIAL].row.trace)
    overall = [finding for finding in trace.findings if finding.maximum == 100]
    assert {finding.note.partition(";")[0]: finding.points for finding in overall} == {
        "endpoint:a": 40,
        "endpoint:b": 80,
    }
    third = choice(serve(saying(verdict(overall=0))), "endpoint:c")
    later = both(tmp_path, third)
    assert len(later) == 4
    assert later["mean of endpoint:a, endpoint:b"].tasks == panel.tasks


def test_a_panel_needs_two_graders(tmp_path: Path, serve: Callable[[Handler], LocalServer]) -> None:
    with pytest.raises(UsageError, match="two graders or more"):
        both(tmp_path, choice(serve(saying(verdict()))), panel="median")
    assert not list(tmp_path.iterdir())  # before anything is asked


def test_a_panel_scores_only_what_all_its_graders_graded(
    tmp_path: Path, serve: Callable[[Handler], LocalServer]
) -> None:
    """A grader that answered nothing on a response has no say, and the others are no panel."""
    strict = choice(serve(saying(verdict(overall=40))), "endpoint:a")
    kind = choice(serve(saying(verdict("Good", 80))), "endpoint:b")
    both(tmp_path, strict, kind, panel="mean")
    (folder,) = [file.parent for file in tmp_path.rglob("run.json")]
    journal = folder / "grades" / "endpoint_b" / "journal.jsonl"
    lines = journal.read_text("utf-8").splitlines(keepends=True)
    journal.write_text("".join(line for line in lines if "/default/1@" not in line), "utf-8")
    scores = {one.grader: one.tasks["case"] for one in score_run(folder, [Rules.OFFICIAL])}
    assert {name: figure.band and figure.band.ungraded for name, figure in scores.items()} == {
        "endpoint:a": None,
        "endpoint:b": 1 / 3,
        "mean of endpoint:a, endpoint:b": 1 / 3,
    }


def test_a_grader_asked_otherwise_is_another_instrument(
    tmp_path: Path, serve: Callable[[Handler], LocalServer]
) -> None:
    server = serve(saying(verdict()))
    folder, _ = run(tmp_path, choice(server))
    warmer = Options(temperature=1.0)
    with pytest.raises(JournalError, match=r"temperature=0.*--regrade"):
        run(tmp_path, choice(server, options=warmer))
    run(tmp_path, choice(server, options=warmer, anew=True))
    assert len(server.seen) == 6
    assert list(graders_of(folder)) == ["endpoint:g"]
    assert list((folder / "grades" / ".old").iterdir())  # paid for, so kept


def test_grades_of_the_first_prompt_are_read_as_they_were(
    tmp_path: Path, serve: Callable[[Handler], LocalServer]
) -> None:
    """It asked for no code; going on under another prompt is refused."""
    server = serve(saying(verdict().replace(f', "code": "{CODE}"', "")))
    folder, uncoded = run(tmp_path, choice(server))
    assert uncoded.tasks["case"].ungraded == 1
    (manifest,) = (folder / "grades").glob("*/grader.json")
    old = manifest.read_text("utf-8").replace('"prompt": "3"', '"prompt": "1"')
    manifest.write_text(old, "utf-8")
    os.utime(manifest.with_name("journal.jsonl"))
    (outcome,) = score_run(folder, [Rules.OFFICIAL])
    assert outcome.tasks["case"].score == 0.6
    (instrument,) = set(read_records([folder])["instrument"])
    assert instrument.startswith("endpoint:g, prompt 1, rubric ")
    with pytest.raises(JournalError, match="prompt: 1 → 3"):
        run(tmp_path, choice(server))


def test_a_second_model_says_which_sentences_talk_to_the_grader(
    tmp_path: Path, serve: Callable[[Handler], LocalServer]
) -> None:
    folder, plain = run(tmp_path, choice(serve(saying(verdict()))))
    found = json.dumps({"sentences": ["本案"], "talks": True, "code": CODE}, ensure_ascii=False)
    screening = choice(server := serve(saying(found)), "endpoint:s", screens=True)
    notices: list[str] = []
    grade_and_score(folder, [screening], [Rules.OFFICIAL], notify=notices.append)
    assert notices == [
        "endpoint:s: 1 of 3 responses talk to their grader; of 2 it said nothing that counts"
    ]
    (outcome,) = score_run(folder, [Rules.OFFICIAL])
    before, after = plain.tasks["case"], outcome.tasks["case"]
    assert after.score == before.score == 0.6
    assert (before.more["overall_backed"], after.more["overall_backed"]) == (0.6, 0)
    grade_and_score(folder, [screening], [Rules.OFFICIAL])
    assert len(server.seen) == 3
    assert list(graders_of(folder)) == ["endpoint:g"]


def test_a_rule_cannot_screen(tmp_path: Path) -> None:
    folder, _ = run(tmp_path, GraderChoice("keywords", sitting=Sitting(progress=False)))
    with pytest.raises(UsageError, match="--screen: 'keywords' is not a model name"):
        grade_and_score(folder, [GraderChoice("keywords", screens=True)], [Rules.OFFICIAL])


def test_a_grader_that_is_down_loses_nothing(
    tmp_path: Path, serve: Callable[[Handler], LocalServer]
) -> None:
    async def down(_request: web.Request, _seen: Seen) -> web.StreamResponse:
        return web.json_response({"error": {"message": "no such model"}}, status=404)

    with pytest.raises(EndpointDown, match="answered nothing"):
        run(tmp_path, choice(serve(down)))
    _, outcome = run(tmp_path, choice(serve(saying(verdict()))))
    assert outcome.tasks["case"].score == 0.6


def test_a_grader_has_a_budget_of_its_own(
    tmp_path: Path, serve: Callable[[Handler], LocalServer]
) -> None:
    server = serve(saying(verdict()))
    tight = Sitting(retry=QUICK, progress=False, lanes=1, limits=Limits(tokens=10))
    with pytest.raises(RunStopped):
        run(tmp_path, choice(server, sitting=tight))
    assert len(server.seen) < 3
    _, outcome = run(tmp_path, choice(server))
    assert outcome.tasks["case"].score == 0.6
    assert len(server.seen) == 3


def test_another_answer_has_other_grades() -> None:
    sample = load_samples(sample_root() / "claw-cases")[0]
    one, other = (
        submission_of(submission, "k", Attempt(sample, Response(Status.ANSWERED, text=text)))
        for text in ("甲说", "乙说")
    )
    assert one.key.startswith("k@")
    assert one.key != other.key


def test_saved_predictions_can_be_graded_and_some_of_them_alone(
    tmp_path: Path, serve: Callable[[Handler], LocalServer]
) -> None:
    """What was not predicted is not asked, and no failure."""
    file = tmp_path / "mine.jsonl"
    line = {"task": "case", "id": "1", "prediction": "本案应当如此判决。"}
    file.write_text(json.dumps(line, ensure_ascii=False))
    grader = choice(serve(saying(verdict())))
    scores = evaluate(
        "claw-cases", f"saved:{file}", data="sample", limit=2, runs=tmp_path, graders=[grader]
    )
    assert scores.model == "mine"
    assert scores.tasks["case"].statuses == {"answered": 1}
    assert scores.tasks["case"].score == 0.6
    with pytest.raises(UsageError, match="has no answer to what plawbench/plaintiff asks"):
        other = {"task": "case", "id": "0", "prediction": "本案应当如此判决。"}
        file.write_text(json.dumps(other, ensure_ascii=False))
        evaluate(
            "plawbench/plaintiff", f"saved:{file}", data="sample", runs=tmp_path, ungraded=True
        )


def test_predictions_that_were_scored_in_part_can_be_graded(
    tmp_path: Path, serve: Callable[[Handler], LocalServer]
) -> None:
    file = tmp_path / "mine.jsonl"
    line = {"task": "case", "id": "1", "prediction": "本案应当如此判决。"}
    file.write_text(json.dumps(line, ensure_ascii=False))
    out = tmp_path / "out"
    score("claw-cases", file, data="sample", partial=True, out=out)
    (folder,) = out.iterdir()
    graded = grade(folder, choice(serve(saying(verdict()))))
    assert graded.tasks["case"].score == 0.6
    assert graded.manifest.address == IMPORTED


@pytest.mark.parametrize("name", ["floor", "saved:x", "nobody:x", "keyword"])
def test_who_cannot_grade_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="--grader"):
        open_grader(name, [], Connection())
