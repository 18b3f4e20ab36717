"""What asking again says of a run, from its own files: tries, graders, gradings."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.evals.grading.scripted import asking, use_graders

from hengfa.base.errors import UsageError
from hengfa.base.statistics.variance import ANSWERS, GRADERS, NOISE, QUESTIONS
from hengfa.cli.main import cli
from hengfa.evals.grading.rubric import Item
from hengfa.evals.grading.submission import Submission
from hengfa.evals.runs.ask import grader
from hengfa.evals.runs.compare import Support, compare
from hengfa.evals.runs.evaluate import evaluate
from hengfa.evals.runs.folder import graders_of, read_figures
from hengfa.evals.runs.repeats import asked_again
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.plan import make_plan

KIND, HARSH = "endpoint:kind", "endpoint:harsh"


def dice(*parts: object) -> float:
    """A number from 0 to 1 that these parts always have."""
    digest = hashlib.blake2b("/".join(map(str, parts)).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") / 2**32


def gives(share: float, noise: float) -> object:
    def given(submission: Submission, item: Item) -> float:
        asked = dice(submission.key.partition("@")[0], item.id)
        again = dice(submission.key, item.id, asking(submission))
        return min(1.0, max(0.0, share + 0.2 * (asked - 0.5) + noise * (again - 0.5)))

    return given


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Four cases, three answers to each, two graders who are asked twice."""
    graders = {KIND: gives(0.7, 0.0), HARSH: gives(0.4, 0.2)}
    with pytest.MonkeyPatch.context() as patching:
        use_graders(patching, graders)  # type: ignore[arg-type]
        made = evaluate(
            "plawbench", "floor", data="sample", repeats=3, temperature=1.0,
            runs=tmp_path_factory.mktemp("runs"), name="run",
            graders=[grader(name, repeats=2) for name in graders], panel="mean",
            options={"penalties": "off"},
        )  # fmt: skip
        yield made.folder


def test_tries_are_those_of_each_grader_and_their_mean_is_the_score(run: Path) -> None:
    said = asked_again(run, pass_at=0.55)
    assert set(said.tries) == {KIND, HARSH, f"mean of {HARSH}, {KIND}"}
    for name, place in graders_of(run).items():
        figures = said.tries[name]["case"]
        assert (figures.fewest, figures.most, figures.threshold) == (3, 3, 0.55)
        score = read_figures(place)[Rules.OFFICIAL].tasks["case"].score
        assert figures.mean.value == pytest.approx(score)
        chances = [at.any_right.value for at in figures.at]
        assert chances == sorted(chances)
        certain = [at.all_right.value for at in figures.at]
        assert certain == sorted(certain, reverse=True)
    assert said.tries[KIND]["case"].at[0].any_right.value == 1
    assert said.tries[HARSH]["case"].at[-1].any_right.value == 0


def test_the_variance_has_its_parts(run: Path) -> None:
    """The graders are 30 points apart; only the harsh one says something else when asked again."""
    said = asked_again(run, tasks=["case"]).graders["case"]
    assert list(said.names) == [HARSH, KIND]  # panels are no graders
    whole = said.crossed
    assert whole is not None
    assert (whole.questions, whole.answers, whole.graders, whole.gradings) == (4, 3, 2, 2)
    parts = {part.of[0]: part.estimate.value for part in whole.parts}
    assert {QUESTIONS, ANSWERS, GRADERS, NOISE} <= parts.keys()
    assert parts[GRADERS] == pytest.approx(0.3**2 / 2, rel=0.2)
    assert parts[GRADERS] > 10 * parts[NOISE] > 0
    (apart,) = said.apart
    assert (apart.one, apart.other) == (HARSH, KIND)
    assert apart.difference.estimate.value == pytest.approx(-0.3, abs=0.05)
    assert said.flips[KIND].value == 0
    assert said.flips[HARSH].value == 1
    assert {more.of for more in whole.more_of()} == {"questions", "answers", "gradings"}


def test_the_command_prints_it_and_has_it_as_json(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    cli.main(["results", "repeats", str(run), "--task", "case", "--json"], standalone_mode=False)
    said = json.loads(capsys.readouterr().out)
    assert said["tries"][KIND]["case"]["threshold"] == 0.6
    assert said["graders"]["case"]["graders"] == [HARSH, KIND]
    cli.main(["results", "repeats", str(run), "--task", "case"], standalone_mode=False)
    shown = capsys.readouterr().out
    for words in ("pass^k", "where graded scores scatter", "twice the answers", "other points"):
        assert words in shown
    gap = r"[23]\d\.\d\d \[[\d.]+, [\d.]+\]"
    assert re.search(rf"{KIND} gives {gap} points more than {HARSH}", shown)


def test_where_nothing_was_asked_twice_there_is_nothing_to_say(tmp_path: Path) -> None:
    once = evaluate("lawbench/1-2", "floor", data="sample", limit=3, runs=tmp_path)
    with pytest.raises(UsageError, match="asked more than once"):
        asked_again(once.folder)
    with pytest.raises(UsageError, match="has no task 'x'"):
        asked_again(once.folder, tasks=["x"])


def test_an_accuracy_is_right_at_1_and_an_agent_that_found_everything(tmp_path: Path) -> None:
    again = evaluate("lawbench/1-2,1-1", "floor", data="sample", limit=3, repeats=2, runs=tmp_path)
    tries = asked_again(again.folder).tries[""]
    assert {task: figures.threshold for task, figures in tries.items()} == {"1-1": 0.6, "1-2": 1.0}
    agent = evaluate("legalagentbench/1-hop", "ceiling", data="sample", limit=3, repeats=2,
                     runs=tmp_path)  # fmt: skip
    figures = asked_again(agent.folder).tries[""]["1-hop"]
    assert (figures.threshold, figures.at[1].all_right.value) == (1.0, 1.0)


def right_in(tries: Mapping[str, Sequence[bool]]) -> Callable[[Any], str]:
    """A model that is right or wrong at a question, try by try, as is said for its sample."""
    (asked,) = make_plan("lawbench/1-2", data="sample").questions
    samples = {asked.task.prompt(s, asked.setting)[-1].content: s for s in asked.samples}
    times: Counter[str] = Counter()

    def answer(messages: Any) -> str:
        sample = samples[messages[-1]["content"]]
        times[sample.id] += 1
        right: str = asked.task.baselines.reference(sample)
        return right if tries[sample.id][times[sample.id] - 1] else "不知道"

    return answer


def test_runs_are_compared_in_what_their_tries_are_good_for(tmp_path: Path) -> None:
    """One model is right once of three times everywhere, the other always on a third of it."""
    (asked,) = make_plan("lawbench/1-2", data="sample").questions
    ids = [sample.id for sample in asked.samples]
    once = right_in(dict.fromkeys(ids, (False, True, False)))
    some = right_in({id_: (place < len(ids) // 3,) * 3 for place, id_ in enumerate(ids)})
    runs = [
        evaluate("lawbench/1-2", model, data="sample", repeats=3, temperature=1.0, runs=tmp_path,
                 name=name)
        for name, model in (("once", once), ("some", some))
    ]  # fmt: skip
    scores = compare(*runs)
    assert scores.pairs[0].rows["1-2"].difference.estimate.value == pytest.approx(0)
    for tries, values in {"pass@1": (1 / 3, 1 / 3), "pass@2": (2 / 3, 1 / 3), "pass@3": (1, 1 / 3),
                          "pass^2": (0, 1 / 3), "pass^3": (0, 1 / 3)}.items():  # fmt: skip
        compared = compare(*runs, tries=tries)
        row, contrast = compared.rows["1-2"], compared.pairs[0].rows["1-2"]
        assert [estimate.value for estimate in row.estimates] == pytest.approx(values)
        gap = contrast.difference
        assert gap.estimate.value == pytest.approx(values[0] - values[1])
        assert (gap.wins, gap.ties, gap.losses) == {
            "pass@1": (8, 0, 4), "pass@2": (8, 0, 4), "pass@3": (8, 4, 0),
            "pass^2": (0, 8, 4), "pass^3": (0, 8, 4),
        }[tries]  # fmt: skip
        at = asked_again(runs[0].folder).tries[""]["1-2"].at[int(tries[-1]) - 1]
        one, same = row.estimates[0], at.all_right if "^" in tries else at.any_right
        assert (one.value, one.low, one.high) == (same.value, same.low, same.high)
    assert compare(*runs, tries="pass@3").pairs[0].rows["1-2"].verdict is Support.BETTER
    assert compare(*runs, tries="pass@3").title.endswith("rules, pass@3, rates right from 0.6")


def test_tries_that_were_not_made_or_mean_nothing_are_refused(tmp_path: Path) -> None:
    runs = [
        evaluate("lawbench/1-2", "floor", data="sample", repeats=2, temperature=1.0, runs=tmp_path,
                 name=name)
        for name in "ab"
    ]  # fmt: skip
    with pytest.raises(UsageError, match="no question was asked 3 times"):
        compare(*runs, tries="pass@3")
    for text in ("pass", "pass@0", "pass@", "pass@-1", "worst@2"):
        with pytest.raises(UsageError, match="--tries"):
            compare(*runs, tries=text)


def test_the_command_compares_tries_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, model in (("a", "floor"), ("b", "ceiling")):
        evaluate("lawbench/1-2,1-1", model, data="sample", limit=6, repeats=2, temperature=1.0,
                 runs=tmp_path, name=name)  # fmt: skip
    command = [
        "compare",
        "a",
        "b",
        "--runs",
        str(tmp_path),
        "--tries",
        "pass^2",
        "--pass-at",
        "0.9",
    ]
    cli.main(command, standalone_mode=False)
    assert "official rules, pass^2, rates right from 0.9" in capsys.readouterr().out
    cli.main([*command, "--json"], standalone_mode=False)
    document = json.loads(capsys.readouterr().out)
    assert (document["tries"], document["pass_at"]) == ("pass^2", 0.9)
    assert {"1-1", "1-2"} <= set(document["rows"])
