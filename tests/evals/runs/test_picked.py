"""`--ids`: single questions by the names that `hengfa show` has for them, in every suite."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.base.errors import JournalError, UsageError
from hengfa.cli.main import cli
from hengfa.evals.results.tables import read_records
from hengfa.evals.runs.evaluate import evaluate
from hengfa.evals.runs.folder import read_manifest
from hengfa.evals.runs.leaderboard import leaderboard
from hengfa.evals.runs.look import list_runs, tell
from hengfa.evals.runs.merge import merge
from hengfa.evals.runs.predictions import score
from hengfa.evals.suites.plan import Plan, make_plan
from hengfa.evals.suites.registry import OWN, get_suite


def named(plan: Plan) -> list[str]:
    """Every question of a plan by the name that people use."""
    return [f"{of.task.id}/{sample.id}" for of in plan.questions for sample in of.samples]


@pytest.mark.parametrize("suite", OWN)
def test_every_suite_is_asked_what_was_named_and_shows_it_by_that_name(
    suite: str, tmp_path: Path
) -> None:
    whole = make_plan(suite, data="sample")
    ids = [named(whole)[0], named(whole)[-1]]
    run = evaluate(suite, "ceiling", data="sample", ids=ids, runs=tmp_path, ungraded=True)
    records = read_records([run.folder])
    assert {f"{task}/{sample}" for task, sample in records[["task", "sample"]].rows()} == {*ids}
    for id_ in ids:
        assert tell(run.folder, id_)
    assert "-ids-2-" in run.folder.name
    assert ids[0] in read_manifest(run.folder).ids


WHOLE = make_plan("lawbench", data="sample")


@given(st.lists(st.sampled_from(named(WHOLE)), min_size=1, max_size=8))
def test_the_order_of_names_does_not_matter(ids: list[str]) -> None:
    one, other = (make_plan("lawbench", data="sample", ids=each) for each in (ids, ids[::-1] * 2))
    assert one.chosen == other.chosen
    assert one.chosen <= WHOLE.chosen
    assert len(one) == len({*ids})
    assert one.picked == other.picked


@pytest.mark.parametrize(
    ("target", "ids", "said"),
    [
        ("lawbench", ["1-2/3", "1-2/999", "1-2/x"], r"has no 1-2/999, 1-2/x; .*instance: 1-2/0"),
        ("lawbench", ["9-9/0"], r"'9-9' is no task that is asked of lawbench; there is: 1-1"),
        ("lawbench/1-1", ["1-2/3"], r"'1-2' is no task that is asked"),
        ("lawbench", ["12"], r"as TASK/SAMPLE, such as 1-1/0, not '12'"),
        ("lawbench", [], r"at least one question"),
        ("lawbench", [f"1-2/{n}" for n in range(100, 109)], r"1-2/104 and 4 more"),
    ],
)
def test_what_is_not_there_is_named(target: str, ids: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make_plan(target, data="sample", ids=ids)


def test_a_picked_run_goes_on_and_is_another_than_the_whole(tmp_path: Path) -> None:
    def ask(ids: list[str] | None, **more: object) -> Path:
        given = {"data": "sample", "runs": tmp_path, "ids": ids, **more}
        return evaluate("lawbench/1-2", "floor", **given).folder  # type: ignore[arg-type]

    some = ask(["1-2/1", "1-2/2"])
    assert ask(["1-2/2", "1-2/1"]) == some
    assert ask(None) != some
    assert ask(["1-2/1"], name="mine").name == "mine"
    with pytest.raises(JournalError, match="ids"):
        ask(["1-2/2"], name="mine")
    samples = {summary.name: summary.samples for summary in list_runs(tmp_path)}
    assert samples == {some.name: 2, "lawbench-zero_shot-floor-sample": 12, "mine": 1}


def test_limits_and_parts_are_of_what_was_picked(tmp_path: Path) -> None:
    ids = [f"1-2/{n}" for n in range(8)]
    assert len(make_plan("lawbench", data="sample", ids=ids, limit=3)) == 3
    parts = [
        evaluate("lawbench", "floor", data="sample", ids=ids, shard=part, runs=tmp_path).folder
        for part in ("1/2", "2/2")
    ]
    whole = merge(*parts, name="whole", runs=tmp_path)
    assert set(read_records([whole.folder])["sample"]) == {str(n) for n in range(8)}
    assert read_manifest(whole.folder).ids == read_manifest(parts[0]).ids


def test_a_picked_run_has_no_rank_among_published_models(tmp_path: Path) -> None:
    evaluate("lawbench", "floor", data="sample", ids=["1-2/1"], runs=tmp_path)
    suite = get_suite("lawbench")
    (alone,) = leaderboard(suite, tmp_path, tasks=["1-2"]).places
    assert (alone.rank, alone.entry.picked[:5]) == (1, "1-2/1")
    board = leaderboard(suite, tmp_path, tasks=["1-2"], with_published=True)
    assert board.places[-1].rank is None
    assert board.places[-1].as_json()["ids"].startswith("1-2/1 (ids-1-")


def test_saved_predictions_are_scored_where_they_answer_what_was_picked(tmp_path: Path) -> None:
    rows = [{"id": str(n), "prediction": "[正确答案]B<eoa>"} for n in range(12)]
    given = {"data": "sample", "out": tmp_path}
    (outcome,) = score("lawbench/1-2", rows, ids=["1-2/3", "1-2/4"], **given).outcomes  # type: ignore[arg-type]
    assert outcome.tasks["1-2"].n == 2
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("lawbench-zero_shot-predictions-ids-2-")
    assert read_manifest(folder).ids.startswith("1-2/3, 1-2/4 (")
    with pytest.raises(UsageError, match=r"predictions has no 1-2/77"):
        score("lawbench/1-2", rows, ids=["1-2/77"], data="sample")
    with pytest.raises(UsageError, match=r"hengfa show .* TASK/SAMPLE"):
        run = evaluate("lawbench/1-2", "floor", data="sample", runs=tmp_path)
        score("lawbench/1-2", run.folder, ids=["1-2/3"])


def test_names_with_commas_and_slashes_come_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "ids.txt"
    ids = ["content/月湖养蜂法/2003-05-06/1", "id/月湖养蜂法/2003-05-06/2"]
    file.write_text("\n".join([ids[0], "", f"  {ids[1]} "]), "utf-8")
    words = ["eval", "claw", "--model", "floor", "--data", "sample", "--runs", str(tmp_path)]
    cli.main([*words, "--ids", f"@{file}"], standalone_mode=False)
    (run,) = list_runs(tmp_path)
    assert (run.samples, run.manifest.ids.partition(" (")[0]) == (2, ", ".join(ids))
    with pytest.raises(UsageError, match="cannot read"):
        cli.main([*words, "--ids", f"@{tmp_path / 'nothing'}"], standalone_mode=False)
