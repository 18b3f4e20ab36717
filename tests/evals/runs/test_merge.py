"""Parts of a run that several machines asked, put together: equal to the run as a whole."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evals.grading.scripted import use_graders

from hengfa.base.errors import HengfaError, JournalError, UsageError
from hengfa.base.shards import Shard, parse_shard
from hengfa.cli.main import cli
from hengfa.evals.engine.journal import SentMessages, read_entries
from hengfa.evals.engine.messages import Request, Status
from hengfa.evals.results.tables import read_records
from hengfa.evals.runs.ask import grader
from hengfa.evals.runs.evaluate import evaluate, grade
from hengfa.evals.runs.folder import read_figures, read_manifest
from hengfa.evals.runs.look import Run
from hengfa.evals.runs.merge import merge, take_part
from hengfa.evals.runs.predictions import score
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.plan import make_plan

TARGET = "plawbench"
J1, J2 = "endpoint:J1", "endpoint:J2"


@pytest.fixture(autouse=True)
def graders(monkeypatch: pytest.MonkeyPatch) -> None:
    use_graders(monkeypatch, {J1: lambda _one, _item: 0.5, J2: lambda _one, _item: 0.75})


def part(runs: Path, number: int, of: int = 3, **more: object) -> Run:
    asked = {"data": "sample", "repeats": 2, "temperature": 1.0, **more}
    return evaluate(TARGET, "floor", runs=runs, shard=f"{number}/{of}", graders=[J1, J2],
                    panel="mean", **asked)  # type: ignore[arg-type]  # fmt: skip


def parts(runs: Path, of: int = 3) -> list[Run]:
    return [part(runs, number, of) for number in range(1, of + 1)]


def test_the_parts_merged_are_the_run(tmp_path: Path) -> None:
    """Two repeats, two graders and their panel: journals, records and figures."""
    whole = evaluate(TARGET, "floor", data="sample", repeats=2, temperature=1.0, runs=tmp_path,
                     name="whole", graders=[J1, J2], panel="mean")  # fmt: skip
    of_parts = parts(tmp_path)
    assert [run.name for run in of_parts] == [
        f"plawbench-all-floor-sample-shard-{number}-of-3" for number in (1, 2, 3)
    ]
    merged = merge(*of_parts, name="merged", runs=tmp_path)
    keys = [
        {file.relative_to(run.folder): Counter(entry.key for entry in read_entries(file))
         for file in run.folder.rglob("journal.jsonl")}
        for run in (whole, merged)
    ]  # fmt: skip
    assert keys[0] == keys[1]
    assert all(set(times.values()) == {1} for times in keys[1].values())
    sent = [
        {file.relative_to(run.folder): what_was_sent(file)
         for file in run.folder.rglob("journal.jsonl")}
        for run in (whole, merged)
    ]  # fmt: skip
    assert sent[0] == sent[1]
    for one, other in zip(whole.scores, merged.scores, strict=True):
        assert (one.grader, one.figures, one.tasks) == (other.grader, other.figures, other.tasks)
    frames = [
        read_records([run.folder]).drop("run", "seconds").sort("grader", "task", "sample", "repeat",
                                                             "metric")
        for run in (whole, merged)
    ]  # fmt: skip
    assert frames[0].equals(frames[1])
    assert read_manifest(merged.folder).shard == ""


def what_was_sent(journal: Path) -> dict[str, Request]:
    messages = SentMessages(journal)
    found = {
        entry.key: messages.request(entry.key, entry.prompt_hash, entry.options)
        for entry in read_entries(journal)
    }
    assert None not in found.values()
    return {key: request for key, request in found.items() if request is not None}


def test_a_part_that_is_taken_has_what_was_sent_for_its_own_questions(tmp_path: Path) -> None:
    whole = evaluate(TARGET, "floor", data="sample", runs=tmp_path, name="whole", graders=[J1])
    first, second = (take_part(whole.folder, Shard(number, 2)) for number in (1, 2))
    for journal in ("journal.jsonl", "grades/endpoint_J1/journal.jsonl"):
        of_whole = what_was_sent(whole.folder / journal)
        one, other = what_was_sent(first / journal), what_was_sent(second / journal)
        assert {**one, **other} == of_whole
        assert one and other and not one.keys() & other.keys()
        assert take_part(whole.folder, Shard(1, 2)) == first  # again, into what is there
        assert what_was_sent(first / journal) == one


def test_the_whole_is_scored_as_its_parts_were(tmp_path: Path) -> None:
    """Texts that were cut are answers, and steps are marked as they were chosen to be."""
    of_parts = [part(tmp_path, number, 2, accept_truncated=True) for number in (1, 2)]
    score(TARGET, of_parts, options={"marking": "longest"}, accept_truncated=True)
    merged = merge(*of_parts, name="merged", runs=tmp_path)
    (figures,) = read_figures(merged.folder / "grades" / "endpoint_J1").values()
    assert Status.TRUNCATED in figures.accept
    assert figures.options is not None and figures.options["marking"] == "longest"


def test_a_part_that_is_missing_is_named(tmp_path: Path) -> None:
    first, _, third = parts(tmp_path)
    with pytest.raises(UsageError, match="of 3 parts there is none for 2; --partial"):
        merge(first, third, name="merged", runs=tmp_path)
    assert not (tmp_path / "merged").exists()
    said: list[str] = []
    some = merge(first, third, name="merged", partial=True, runs=tmp_path, notify=said.append)
    assert said == ["of 3 parts there is none for 2"]
    assert sum(task.n for task in some.scores.by(J1).tasks.values()) < 8
    with pytest.raises(UsageError, match="is there already"):
        merge(first, third, name="merged", partial=True, runs=tmp_path)


def test_parts_of_different_runs_are_refused(tmp_path: Path) -> None:
    first = part(tmp_path, 1, 2)
    other = evaluate(TARGET, "retrieval", data="sample", runs=tmp_path, shard="2/2", ungraded=True)
    with pytest.raises(UsageError, match=r"no parts of one run: model: .*floor.*retrieval"):
        merge(first, other, name="merged", runs=tmp_path)
    with pytest.raises(UsageError, match="named twice"):
        merge(first, first, name="merged", runs=tmp_path)
    with pytest.raises(UsageError, match="other numbers of parts: 1/2, 2/3"):
        merge(first, part(tmp_path, 2, 3), name="merged", runs=tmp_path)
    second = part(tmp_path, 2, 2, seed=7, name="seeded")
    with pytest.raises(HengfaError, match="no parts of one run"):
        merge(first, second, name="merged", runs=tmp_path)
    assert not (tmp_path / "merged").exists()


def test_a_grader_that_was_asked_otherwise_is_refused(tmp_path: Path) -> None:
    first, second = parts(tmp_path, 2)
    file = second.folder / "grades" / "endpoint_J1" / "grader.json"
    file.write_text(file.read_text("utf-8").replace('"prompt": "3"', '"prompt": "2"'), "utf-8")
    with pytest.raises(JournalError, match="asked otherwise than in"):
        merge(first, second, name="merged", runs=tmp_path)


def test_a_grader_that_saw_some_parts_is_said(tmp_path: Path) -> None:
    bare = [
        evaluate(TARGET, "floor", data="sample", runs=tmp_path, shard=f"{number}/2", ungraded=True)
        for number in (1, 2)
    ]
    grade(bare[0], J1)
    said: list[str] = []
    merge(*bare, name="merged", runs=tmp_path, notify=said.append)
    assert said == ["endpoint_J1 was asked about 1 of 2 parts"]


def test_a_part_stays_one_when_it_is_continued(tmp_path: Path) -> None:
    """More repeats go on with it; the whole run does not, and another part has another folder."""
    run = evaluate("lawbench/1-2", "floor", data="sample", runs=tmp_path, name="p", shard="1/2")
    before = {entry.key for entry in read_entries(run.folder / "journal.jsonl")}
    again = evaluate("lawbench/1-2", "floor", data="sample", runs=tmp_path, name="p", shard="1/2",
                     repeats=2)  # fmt: skip
    keys = [entry.key for entry in read_entries(again.folder / "journal.jsonl")]
    assert before <= set(keys)
    assert len(keys) == 2 * len(before)
    other = evaluate("lawbench/1-2", "floor", data="sample", runs=tmp_path, name="p", shard="2/2")
    assert [run.name for run in (again, other)] == ["p-shard-1-of-2", "p-shard-2-of-2"]
    with pytest.raises(JournalError, match=r"shard: .*1/2.* → .*"):
        evaluate("lawbench/1-2", "floor", data="sample", runs=tmp_path, name="p-shard-1-of-2")


@given(st.integers(1, 40))
def test_each_question_is_in_one_part(of: int) -> None:
    plan = make_plan("lawbench/1-2,3-1", data="sample")
    held = [
        key for number in range(1, of + 1) for key in plan.chosen if Shard(number, of).holds(key)
    ]
    assert sorted(held) == sorted(plan.chosen)


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1/999999"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--shard"):
        parse_shard(text)


# --- parts of a run that is graded ---


@pytest.fixture
def answered(tmp_path: Path) -> Run:
    """All answers, two to each question, and what one grader said of them before."""
    run = evaluate(TARGET, "floor", data="sample", repeats=2, temperature=1.0, runs=tmp_path,
                   name="answered", accept_truncated=True, ungraded=True)  # fmt: skip
    grade(run, "keywords")
    score(TARGET, run, options={"marking": "longest"}, accept_truncated=True)
    return run


def graded_parts(run: Run, of: int = 3) -> list[Run]:
    twice = [grader(name, repeats=2) for name in (J1, J2)]
    return [grade(run, *twice, panel="mean", shard=f"{number}/{of}") for number in range(1, of + 1)]


def lines(run: Run) -> dict[str, list[tuple[str, str, str]]]:
    """What journals hold, in any order, but for how long it took."""
    return {
        file.relative_to(run.folder).as_posix(): sorted(
            (entry.key, entry.prompt_hash, entry.response.text) for entry in read_entries(file)
        )
        for file in run.folder.rglob("journal.jsonl")
    }


def test_the_parts_of_a_graded_run_merged_are_the_run(answered: Run, tmp_path: Path) -> None:
    """Journals, records and figures are those of the same answers graded at once."""
    shutil.copytree(answered.folder, tmp_path / "at-once")
    of_parts = graded_parts(answered)
    assert [run.name for run in of_parts] == [f"answered-shard-{n}-of-3" for n in (1, 2, 3)]
    twice = [grader(name, repeats=2) for name in (J1, J2)]
    whole = grade(tmp_path / "at-once", *twice, panel="mean")
    merged = merge(*of_parts, name="merged", runs=tmp_path)
    assert lines(merged) == lines(whole)
    assert len(lines(merged)) == 4, "the model, and three graders"
    figures = [
        {file.relative_to(run.folder): file.read_bytes() for file in run.folder.rglob("figures.*")}
        for run in (whole, merged)
    ]
    assert figures[0] == figures[1]
    assert len(figures[0]) == 4, "three graders, and their panel"
    frames = [read_records([run.folder]).drop("run") for run in (whole, merged)]
    assert frames[0].equals(frames[1])
    assert "grades/endpoint_J1/journal.jsonl" not in lines(answered), "the run stays as it is"


def test_a_part_that_is_graded_again_asks_nothing_twice_and_takes_in_what_is_new(
    answered: Run, tmp_path: Path
) -> None:
    of_parts = graded_parts(answered)
    before = [lines(run) for run in of_parts]
    assert [lines(run) for run in graded_parts(answered)] == before
    more = evaluate(TARGET, "floor", data="sample", repeats=3, temperature=1.0, runs=tmp_path,
                    name="answered", accept_truncated=True, ungraded=True)  # fmt: skip
    again = graded_parts(more)
    assert sum(len(lines(run)["journal.jsonl"]) for run in again) == 24
    for run, was in zip(again, before, strict=True):
        for journal, entries in was.items():
            assert set(entries) <= set(lines(run)[journal])


def test_a_part_of_a_part_and_of_another_run_are_refused(answered: Run, tmp_path: Path) -> None:
    first = grade(answered, J1, shard="1/2")
    with pytest.raises(UsageError, match="is itself a part, 1/2"):
        grade(first, J1, shard="1/2")
    with pytest.raises(UsageError, match="has no answers in it"):
        grade(answered, J1, shard="40000/50000")
    other = evaluate(TARGET, "retrieval", data="sample", runs=tmp_path, name="other", ungraded=True)
    shutil.copytree(first.folder, tmp_path / "other-shard-1-of-2")
    with pytest.raises(JournalError, match="is no part of other: model"):
        grade(other, J1, shard="1/2")
    assert not list(tmp_path.glob(".*")), "nothing is left half made"


def test_grading_in_parts_from_the_command_line(
    answered: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["grade", "run", "answered", "--runs", str(tmp_path), "--grader", J1, "--shard"]

    def told(number: int, *more: str) -> str:
        cli.main([*command, f"{number}/2", *more], standalone_mode=False)
        said = capsys.readouterr()
        return said.out + said.err

    capsys.readouterr()
    expected = [json.loads(told(number, "--dry-run", "--json"))["graders"][0] for number in (1, 2)]
    assert [about["held"] for about in expected] == [0, 0]
    assert sum(about["items"] for about in expected) == 16
    assert not list(tmp_path.glob("answered-shard-*")), "nothing is written"
    for number in (1, 2):
        assert f"answered-shard-{number}-of-2" in told(number)
        (about,) = json.loads(told(number, "--dry-run", "--json"))["graders"]
        assert about["held"] == about["items"] == expected[number - 1]["items"]
    responses = tmp_path / "mine.jsonl"
    responses.write_text("", "utf-8")
    with pytest.raises(UsageError, match="--shard is for a run"):
        cli.main(["grade", "run", str(responses), *command[5:], "1/2"], standalone_mode=False)


def test_many_runs_are_scored_by_several_machines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [
        evaluate("lawbench/1-2", "floor", data="sample", runs=tmp_path, name=name).folder
        for name in "abc"
    ]

    def scored(shard: str, named: Sequence[Path]) -> None:
        cli.main(["score", "lawbench", *map(str, named), "--rules", "corrected", "--shard", shard],
                 standalone_mode=False)  # fmt: skip

    scored("2/2", runs)
    assert [Rules.CORRECTED in read_figures(run) for run in runs] == [False, True, False]
    scored("1/2", runs[::-1])
    assert all(Rules.CORRECTED in read_figures(run) for run in runs)
    with pytest.raises(UsageError, match="--shard 4/4: there are only 3 PREDICTIONS"):
        scored("4/4", runs)


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in ("1/2", "2/2"):
        cli.main(["eval", "lawbench/1-2", "--model", "floor", "--data", "sample", "--shard", number,
                  "--runs", str(tmp_path)], standalone_mode=False)  # fmt: skip
    capsys.readouterr()
    names = [f"lawbench-zero_shot-floor-sample-shard-{number}-of-2" for number in (1, 2)]
    cli.main(
        ["parts", "merge", *names, "--run", "whole", "--runs", str(tmp_path)], standalone_mode=False
    )
    printed = capsys.readouterr()
    assert "知识问答" in printed.out
    assert str(tmp_path / "whole") in printed.err
