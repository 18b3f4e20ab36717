"""Who stands where: order, ties, what is missing, and what is passed over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import msgspec
import pytest

from hengfa.base.errors import UsageError
from hengfa.evals.engine.messages import Options
from hengfa.evals.results.published.papers import published
from hengfa.evals.runs.evidence import OVERALL
from hengfa.evals.runs.folder import Manifest
from hengfa.evals.runs.leaderboard import Entry, Place, leaderboard, rank
from hengfa.evals.suites.base import Rules, Suite
from hengfa.evals.suites.registry import OWN, get_suite

TASKS = tuple(published("lawbench")[0].tasks)


def figures(scores: Mapping[str, float]) -> dict[str, float]:
    """Memorization and overall of the twenty tasks, each only if nothing is missing."""
    groups = {"memorization": TASKS[:2], "overall": TASKS}
    return {
        name: fmean(scores[task] for task in group)
        for name, group in groups.items()
        if all(task in scores for task in group)
    }


@pytest.fixture(scope="module")
def suite() -> Suite:
    """LawBench with the tasks of the paper, which is all that a leaderboard looks at."""
    lawbench = get_suite("lawbench")
    some_task = next(iter(lawbench.tasks.values()))
    tasks = dict.fromkeys(TASKS, some_task)
    return replace(lawbench, tasks=tasks, figures=figures, abilities={})


def save_run(
    runs: Path,
    name: str,
    scores: Mapping[str, float | None],
    *,
    setting: str = "zero_shot",
    suite: str = "lawbench",
    rules: Rules = Rules.OFFICIAL,
    further: Mapping[str, float] | None = None,
) -> None:
    """A run folder as far as a leaderboard reads it."""
    folder = runs / name
    folder.mkdir(parents=True, exist_ok=True)
    manifest = Manifest(
        suite=suite,
        setting=setting,
        model=f"endpoint:{name}",
        address="local",
        options=Options(),
        data="0123",
        data_source=None,
        created="2025-01-01T00:00:00+00:00",
        hengfa="0",
    )
    (folder / "run.json").write_bytes(msgspec.json.encode(manifest))
    document = {
        "tasks": {task: {"score": score, "n": 5} for task, score in scores.items()},
        "figures": {"overall": 0.99},
        "samples": 5 * len(scores),
        "accept": ["answered"],
        "further": further or {},
    }
    (folder / f"figures.{rules}.json").write_bytes(msgspec.json.encode(document))


def entry(name: str, overall: float | None = None, **tasks: float) -> Entry:
    found = {} if overall is None else {"overall": overall}
    return Entry(name, name, {task.replace("_", "-"): v for task, v in tasks.items()}, found)


def order(places: list[Place]) -> list[tuple[int | None, str]]:
    return [(place.rank, place.entry.model) for place in places]


def test_the_highest_overall_comes_first() -> None:
    entries = [entry("low", 0.1), entry("high", 0.9), entry("middle", 0.5)]
    assert order(rank(entries, ["1-1"], by_tasks=False)) == [
        (1, "high"),
        (2, "middle"),
        (3, "low"),
    ]


def test_equals_share_a_rank_and_the_next_one_skips() -> None:
    entries = [entry("d", 0.2), entry("c", 0.5), entry("B", 0.5), entry("a", 0.9)]
    places = rank(entries, [], by_tasks=False)
    assert order(places) == [(1, "a"), (2, "B"), (2, "c"), (4, "d")]


def test_nobody_is_ahead_beyond_the_two_decimals_that_papers_print() -> None:
    printed, measured, ahead = entry("p", 52.35 / 100), entry("m", 0.523549), entry("a", 0.52356)
    places = rank([printed, measured, ahead], [], by_tasks=False)
    assert order(places) == [(1, "a"), (2, "m"), (2, "p")]


def test_who_lacks_a_task_comes_last_without_a_rank_the_fuller_first() -> None:
    entries = [
        entry("one", **{"1_1": 1.0}),
        entry("two", **{"1_1": 0.0, "1_2": 0.0}),
        entry("none"),
        entry("all", 0.1, **{"1_1": 0.1, "1_2": 0.1, "2_1": 0.1}),
    ]
    places = rank(entries, ["1-1", "1-2", "2-1"], by_tasks=False)
    assert order(places) == [(1, "all"), (None, "two"), (None, "one"), (None, "none")]
    assert [(place.has, place.of) for place in places] == [(3, 3), (2, 3), (1, 3), (0, 3)]


def test_by_tasks_the_first_decides_and_the_next_only_among_equals() -> None:
    entries = [
        entry("x", 0.9, **{"1_1": 0.5, "1_2": 0.1}),
        entry("y", 0.1, **{"1_1": 0.5, "1_2": 0.2}),
        entry("z", 0.0, **{"1_1": 0.6, "1_2": 0.0}),
        entry("only", 0.5, **{"1_1": 0.7}),
    ]
    places = rank(entries, ["1-1", "1-2"], by_tasks=True)
    assert order(places) == [(1, "z"), (2, "y"), (3, "x"), (None, "only")]
    assert (places[-1].has, places[-1].of) == (1, 2)


def test_a_score_of_nothing_is_a_score() -> None:
    assert order(rank([entry("zero", 0.0)], [], by_tasks=False)) == [(1, "zero")]


def test_without_runs_the_published_models_stand_in_the_order_of_the_paper(
    suite: Suite, tmp_path: Path
) -> None:
    board = leaderboard(suite, tmp_path / "runs", with_published=True)
    assert board.columns == ("memorization", "overall")
    assert len(board.places) == 51
    assert [place.entry.title for place in board.places[:3]] == [
        "GPT-4",
        "ChatGPT",
        "StableBeluga2",
    ]
    one_shot = leaderboard(suite, tmp_path, setting="one_shot", with_published=True)
    assert one_shot.places[0].entry.figures["overall"] == 53.85 / 100
    assert leaderboard(suite, tmp_path / "runs").places == []


def test_a_run_stands_between_the_published_models(suite: Suite, tmp_path: Path) -> None:
    save_run(tmp_path, "mine", dict.fromkeys(TASKS, 0.45))
    save_run(tmp_path, "deep/some", {"1-1": 1.0, "1-2": 1.0, "2-1": None})
    board = leaderboard(suite, tmp_path, with_published=True)
    assert [(p.rank, p.entry.title) for p in board.places[:3]] == [
        (1, "GPT-4"),
        (2, "endpoint:mine"),
        (3, "ChatGPT"),
    ]
    last = board.places[-1]
    assert (last.rank, last.entry.run, last.has, last.of) == (None, "deep/some", 2, 20)
    assert last.entry.figures == {"memorization": 1.0}


def test_figures_are_made_anew_from_the_tasks(suite: Suite, tmp_path: Path) -> None:
    """The saved overall (99 %) is from before the suite had all its tasks."""
    save_run(tmp_path, "old", {"1-1": 0.5})
    save_run(tmp_path, "odd", {**dict.fromkeys(TASKS, 0.5), "0-0": 1.0})
    odd, old = leaderboard(suite, tmp_path).places
    assert odd.entry.figures["overall"] == 0.5
    assert "0-0" not in odd.entry.tasks
    assert "overall" not in old.entry.figures


def test_runs_of_other_suites_and_settings_are_left_out_and_unscored_ones_named(
    suite: Suite, tmp_path: Path
) -> None:
    scores = dict.fromkeys(TASKS, 0.5)
    save_run(tmp_path, "one", scores, setting="one_shot")
    save_run(tmp_path, "claw", scores, suite="claw")
    save_run(tmp_path, "corrected", scores, rules=Rules.CORRECTED)
    save_run(tmp_path, ".old/before", scores)
    said: list[str] = []
    assert leaderboard(suite, tmp_path, notify=said.append).places == []
    assert len(said) == 1
    assert f"hengfa score lawbench {tmp_path / 'corrected'} --rules official" in said[0]
    board = leaderboard(suite, tmp_path, rules=Rules.CORRECTED)
    assert [place.entry.run for place in board.places] == ["corrected"]
    board = leaderboard(suite, tmp_path, setting="one_shot")
    assert [place.entry.run for place in board.places] == ["one"]


def test_a_damaged_file_is_said_and_passed_over(suite: Suite, tmp_path: Path) -> None:
    save_run(tmp_path, "good", dict.fromkeys(TASKS, 0.5))
    save_run(tmp_path, "bad", {})
    (tmp_path / "bad" / "figures.official.json").write_text(
        '{"tasks": {"1-1": {"score": "high"}}, "figures": {}, "samples": 1, "accept": []}'
    )
    save_run(tmp_path, "worse", {})
    (tmp_path / "worse" / "run.json").write_text("{")
    said: list[str] = []
    board = leaderboard(suite, tmp_path, notify=said.append)
    assert [place.entry.run for place in board.places] == ["good"]
    assert len(said) == 2
    assert any("tasks" in line and "bad" in line for line in said)


def test_the_top_says_how_many_there_are_below(suite: Suite, tmp_path: Path) -> None:
    board = leaderboard(suite, tmp_path, with_published=True)
    assert [(len(b.places), b.more) for b in (board.top(10), board.top(99), board.top(None))] == [
        (10, 41),
        (51, 0),
        (51, 0),
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"setting": "nine_shot"}, "no setting 'nine_shot'; there is: zero_shot, one_shot"),
        ({"tasks": ["1-1", "9-9"]}, "no task '9-9'; there is: 1-1, 1-2, 2-1"),
        ({"rules": Rules.CORRECTED, "with_published": True}, "official rules only"),
    ],
)
def test_a_wrong_question_is_answered_with_what_there_is(
    suite: Suite, tmp_path: Path, arguments: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        leaderboard(suite, tmp_path, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [name for name in OWN if published(name)])
def test_papers_and_suites_call_settings_tasks_and_figures_by_the_same_names(name: str) -> None:
    """A suite that has fewer tasks than its paper would rank its runs by another overall."""
    real = get_suite(name)
    for run in published(name):
        assert run.setting in real.settings
        assert set(run.tasks) <= set(real.tasks)
        if OVERALL in run.figures:
            assert OVERALL in real.figures(dict.fromkeys(real.tasks, 0.0))


WITH_PAPERS = [
    (name, setting)
    for name in OWN
    for setting in dict.fromkeys(row.setting for row in published(name))
]


@pytest.mark.parametrize(("name", "setting"), WITH_PAPERS)
def test_every_row_of_every_paper_has_a_rank(name: str, setting: str, tmp_path: Path) -> None:
    board = leaderboard(get_suite(name), tmp_path, setting=setting, with_published=True)
    ranks = [place.rank for place in board.places]
    assert len(ranks) == len(published(name, setting))
    assert None not in ranks
    for group in board.groups:
        ranked = [place.entry for place in board.places if place.group == group]
        values = [board.values(entry)[board.suite.headline] for entry in ranked]
        assert values == sorted(values, reverse=True)


def test_judgments_are_ordered_by_a_mean_of_ours_for_papers_and_runs_alike(tmp_path: Path) -> None:
    six = ("prison", "fine", "charge_f1", "statute_f1", "meteor_reason", "meteor_judgment")
    save_run(
        tmp_path, "mine", {"document": 0.1}, suite="judgment", setting="direct",
        further={**dict.fromkeys(six, 0.7), "n": 501},
    )  # fmt: skip
    board = leaderboard(get_suite("judgment"), tmp_path, setting="direct", with_published=True)
    first, second, third, *_ = board.places
    assert [place.entry.title for place in (first, second)] == ["QW-7B-Chat SFT", "QW-7B-Base SFT"]
    assert (third.rank, third.entry.run, third.entry.computed) == (3, "mine", ())
    assert third.entry.figures["mean_of_six"] == pytest.approx(0.7)
    (printed,) = [row for row in published("judgment", "direct") if row.title == "QW-7B-Chat SFT"]
    mean = fmean(printed.figures[name] for name in six)
    assert first.entry.figures["mean_of_six"] == pytest.approx(mean)
    assert first.entry.computed == ("mean_of_six",)
    said = board.as_json()
    assert said["ordered_by"] == ["mean_of_six"]
    assert said["rows"][0]["computed"] == ["mean_of_six"]
    assert "computed" not in said["rows"][2]


@pytest.mark.parametrize("setting", ["react", "plan-solve", "plan-execute"])
def test_agents_have_the_overall_that_the_paper_prints_as_success(
    setting: str, tmp_path: Path
) -> None:
    suite = get_suite("legalagentbench")
    save_run(tmp_path, "mine", dict.fromkeys(suite.tasks, 0.9), suite=suite.name, setting=setting)
    board = leaderboard(suite, tmp_path, setting=setting, with_published=True)
    assert board.places[0].entry.run == "mine"
    assert len(board.places) == 9
    for place in board.places[1:]:
        printed = place.entry.figures
        assert printed["overall"] == printed["success/all"]
        made = suite.figures(place.entry.tasks)["overall"]
        assert made == pytest.approx(printed["overall"], abs=1.01e-4)
        assert place.entry.computed == ("success/hops",)


def test_a_suite_without_published_tables_says_so(suite: Suite, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no published scores of other"):
        leaderboard(replace(suite, name="other"), tmp_path, with_published=True)
