"""The data files of a site, from made-up runs: every figure, text and place as it should be."""

from __future__ import annotations

import operator
import random
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from hengfa.evals.report.charts.vega import charting_library
from hengfa.evals.report.site.boards import boards, gather
from hengfa.evals.report.site.build import build_site, collect, unpack
from hengfa.evals.report.site.statistics import statistics_of
from hengfa.evals.results.published.papers import published
from hengfa.evals.results.trace import Finding, Trace
from hengfa.evals.runs.evaluate import evaluate
from hengfa.evals.suites.base import Rules
from tests.evals.report.made import Made, differing_from_the_command, make_run
from tests.evals.runs.scored import knowing, score_sample_pack, without

taken_out = cache(charting_library)
BUILT = "2031-05-06T07:08:09+00:00"


@pytest.fixture(autouse=True)
def library_taken_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes seconds, and each test has a home of its own."""
    monkeypatch.setattr("hengfa.evals.report.site.build.charting_library", taken_out)


def data(site: Path, name: str) -> Any:
    found, value = unpack((site / "data" / f"{name}.js").read_bytes())
    assert found == name
    return value


def build(runs: Path, target: Path) -> Path:
    build_site(gather([str(runs)]), target, built=BUILT)
    return target


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Two models; the second was asked one sample more, and was silent once."""
    trace = Trace("answer", (Finding("甲", "乙", "丙", False),), error="wrong")
    first = [
        Made(1.0, "<b>一</b>", "问一", "答一", {"law": "甲法"}, tokens=10, cost=0.5),
        Made(0.5, "二", "问二", "答二", {"law": "乙法"}, trace, tokens=30, cost=0.25),
    ]
    second = [
        Made(0.0, "三", "问一", "答一", {"law": "甲法"}),
        Made(None, "", "问二", "答二", {"law": "乙法"}),
        Made(0.25, "五", "问三", "答三", {"law": "甲法"}, more={"abstained": 0.0}),
        Made(0.75, "六", "问四", "答四", {"law": "乙法"}),
    ]
    pack: dict[str, Any] = {"data_source": "sample", "data": ""}
    make_run(tmp_path / "runs" / "a", {"1-2": first}, model="甲", **pack)
    make_run(tmp_path / "runs" / "b", {"1-2": second, "2-2": [Made(1.0)]}, model="乙", **pack)
    return build(tmp_path / "runs", tmp_path / "site")


def test_samples_of_all_runs_stand_once_in_the_order_of_the_fullest(site: Path) -> None:
    found = data(site, "tasks/0/samples")
    assert found == {
        "ids": ["0", "1", "2", "3"],
        "prompts": ["问一", "问二", "问三", "问四"],
        "references": ["答一", "答二", "答三", "答四"],
        "facets": {"law": [1, 0, 1, 0]},
    }
    (first, second) = data(site, "site")["tasks"]
    assert (first["number"], first["id"], first["samples"]) == (0, "1-2", 4)
    assert first["facets"] == {"law": ["乙法", "甲法"]}
    assert (second["id"], second["facets"]) == ("2-2", {})


def test_texts_are_of_the_first_samples_and_figures_of_all(site: Path, tmp_path: Path) -> None:
    build_site(gather([str(tmp_path / "runs")]), tmp_path / "few", built=BUILT, samples=2)
    few = tmp_path / "few"
    assert data(few, "site") == data(site, "site")
    assert data(few, "tasks/0/samples") == {
        "ids": ["0", "1"],
        "prompts": ["问一", "问二"],
        "references": ["答一", "答二"],
        "facets": {"law": [1, 0]},
    }
    whole, part = (
        data(site, "tasks/0/scores")["runs"]["1"],
        data(few, "tasks/0/scores")["runs"]["1"],
    )
    assert part["statuses"] == whole["statuses"][:2]
    assert part["values"] == {rules: of[:2] for rules, of in whole["values"].items()}
    whole, part = data(site, "tasks/0/runs/1"), data(few, "tasks/0/runs/1")
    assert part["responses"] == whole["responses"][:2]
    assert part["readings"]["official"] == {
        name: column[:2] for name, column in whole["readings"]["official"].items()
    }


def test_of_two_samples_of_a_name_only_the_one_with_a_place_is_shown(tmp_path: Path) -> None:
    """The same name with another reference: its data was another."""
    old = [Made(1.0, "旧", reference="旧答"), Made(1.0, "旧二"), Made(1.0, "旧三")]
    new = [Made(0.0, "新", reference="新答"), Made(0.0, "新二")]
    make_run(tmp_path / "runs" / "a", {"1-2": old}, model="甲", data="")
    make_run(tmp_path / "runs" / "b", {"1-2": new}, model="乙", data="")
    build_site(gather([str(tmp_path / "runs")]), tmp_path / "site", built=BUILT, samples=3)
    assert data(tmp_path / "site", "site")["tasks"][0]["samples"] == 4
    assert data(tmp_path / "site", "tasks/0/samples")["references"] == ["旧答", "是。", "是。"]
    runs = {run["model"]: run["number"] for run in data(tmp_path / "site", "site")["runs"]}
    shown = data(tmp_path / "site", f"tasks/0/runs/{runs['乙']}")["responses"]
    assert shown == ["", "新二", ""]


def number_of(site: Path, model: str) -> str:
    return next(str(run["number"]) for run in data(site, "site")["runs"] if run["model"] == model)


def test_scores_have_a_place_for_each_sample(site: Path) -> None:
    runs = data(site, "tasks/0/scores")["runs"]
    asked_less, asked_all = runs[number_of(site, "甲")], runs[number_of(site, "乙")]
    assert asked_less["values"] == {"official": [1.0, 0.5, None, None]}
    assert asked_less["statuses"] == ["answered", "answered", None, None]
    assert asked_all["values"] == {"official": [0.0, None, 0.25, 0.75]}
    assert asked_all["statuses"] == ["answered", "refused", "answered", "answered"]
    assert asked_all["answers"] == {"official": ["extracted", None, "extracted", "extracted"]}


def test_responses_come_as_they_are_with_how_they_were_read(site: Path) -> None:
    found = data(site, f"tasks/0/runs/{number_of(site, '甲')}")
    assert found["responses"] == ["<b>一</b>", "二", "", ""]
    assert found["tokens"] == [10, 30, None, None]
    reading = found["readings"]["official"]
    assert reading["extracted"] == ["<b", "二", "", ""]
    assert reading["metrics"] == [{"accuracy": 1.0}, {"accuracy": 0.5}, {}, {}]
    assert reading["traces"][0] is None
    assert reading["traces"][1]["error"] == "wrong"
    assert reading["traces"][1]["findings"][0]["expected"] == "丙"


def test_a_cell_has_score_parts_errors_and_scale(site: Path) -> None:
    runs = {run["model"]: run for run in data(site, "site")["runs"]}
    cell = runs["甲"]["scores"]["official"]["cells"]["1-2"]
    assert cell["score"]["value"] == 0.75
    assert cell["score"]["low"] < 0.75 < cell["score"]["high"]
    assert (cell["n"], cell["floor"], cell["ceiling"]) == (2, 0.1, 1.0)
    assert cell["errors"] == {"wrong": 1}
    assert cell["parts"] == {
        "law": {"甲法": {"value": 1.0, "n": 1}, "乙法": {"value": 0.5, "n": 1}}
    }
    assert (runs["甲"]["input_tokens"], runs["甲"]["cost"], runs["甲"]["currency"]) == (
        40,
        0.75,
        "CNY",
    )
    assert "cost" not in runs["乙"]
    assert "rank" not in runs["甲"]["scores"]["official"]  # it lacks tasks of the suite


def test_runs_are_compared_on_the_samples_that_both_were_asked(site: Path) -> None:
    less, more = int(number_of(site, "甲")), int(number_of(site, "乙"))
    found = data(site, "compare/lawbench/zero_shot/official")
    first = min(less, more), max(less, more)
    assert list(found["pairs"]) == [f"{first[0]},{first[1]}"]
    difference = found["pairs"][f"{first[0]},{first[1]}"]["rows"]["1-2"]
    sign = 1 if less < more else -1
    assert difference["value"] == pytest.approx(sign * 0.75)  # (1 + 0.5) / 2 less (0 + 0) / 2
    assert difference["n"] == 2


def test_a_site_says_of_two_runs_what_the_command_says(tmp_path: Path) -> None:
    """Also of runs that were asked less, or have their samples in another order."""
    runs = tmp_path / "runs"
    for name, share in (("good", 0.9), ("fair", 0.5), ("same", 0.6)):
        score_sample_pack(runs / name, name, knowing(share, name))
    tasks = ("1-2", "2-1", "3-8")
    score_sample_pack(runs / "few", "few", without(range(3), knowing(0.5)), tasks=tasks)
    for name in ("turned", "turned-too"):
        score_sample_pack(runs / name, name, knowing(0.3, name), tasks=tasks)
        for file in (runs / name).rglob("*.parquet"):
            pl.read_parquet(file).reverse().write_parquet(file)
    assert differing_from_the_command(gather([str(runs)])) == {15: []}


def test_what_the_command_refuses_to_compare_the_site_does_not_compare(tmp_path: Path) -> None:
    for model, of in (("a", "0123"), ("b", "4567")):
        make_run(tmp_path / model, {"1-2": [Made(1.0), Made(0.0)]}, model=model, data=of)
    (board,) = boards(gather([str(tmp_path)]))
    assert statistics_of(board, Rules.OFFICIAL).comparisons.pairs == {}


def test_the_same_runs_make_the_same_bytes(site: Path, tmp_path: Path) -> None:
    again = build(tmp_path / "runs", tmp_path / "again")
    files = sorted(file.relative_to(site) for file in site.rglob("*") if file.is_file())
    assert files == sorted(file.relative_to(again) for file in again.rglob("*") if file.is_file())
    assert [one for one in files if (site / one).read_bytes() != (again / one).read_bytes()] == []


def test_pages_and_library_are_there(site: Path) -> None:
    assert (site / "index.html").is_file()
    assert (site / "assets" / "core.js").is_file()
    assert b"window.vegaEmbed" in (site / "assets" / "vega.js").read_bytes()
    assert not list((site / "assets").glob("*.html"))


def test_every_picture_that_a_page_names_is_there(site: Path) -> None:
    found = data(site, "site")
    (suite,) = found["suites"]
    named = [*found["overview"], *(one for ids in suite["pictures"].values() for one in ids)]
    named += [one for ids in found["models"].values() for one in ids]
    for paper in found["papers"]:
        exhibits = data(site, f"papers/{paper['suite']}")
        named += [exhibit["picture"] for exhibit in exhibits if exhibit["picture"]]
    assert set(named) == set(found["pictures"])
    for one in named:
        assert set(data(site, f"pictures/{one}")) == {"zh", "en"}


def test_the_same_name_with_another_reference_is_another_sample(tmp_path: Path) -> None:
    make_run(tmp_path / "a", {"1-2": [Made(1.0, reference="甲")]}, model="a")
    make_run(tmp_path / "b", {"1-2": [Made(0.0, reference="乙")]}, model="b")
    found = data(build(tmp_path, tmp_path / "site"), "tasks/0/samples")
    assert found["references"] == ["甲", "乙"]
    assert found["ids"][0] == "0"
    assert found["ids"][1].startswith("0~")


def test_both_rule_sets_stand_side_by_side(tmp_path: Path) -> None:
    make_run(tmp_path / "a", {"1-2": [Made(1.0), Made(0.0)]})
    make_run(tmp_path / "a", {"1-2": [Made(1.0), Made(1.0)]}, rules=Rules.CORRECTED)
    site = build(tmp_path, tmp_path / "site")
    found = data(site, "site")
    assert found["rules"] == ["official", "corrected"]
    scores = found["runs"][0]["scores"]
    assert [scores[one]["cells"]["1-2"]["score"]["value"] for one in scores] == [0.5, 1.0]
    assert data(site, "tasks/0/scores")["runs"]["0"]["values"] == {
        "official": [1.0, 0.0],
        "corrected": [1.0, 1.0],
    }
    assert set(data(site, "tasks/0/runs/0")["readings"]) == {"official", "corrected"}


def test_ranks_are_among_models_with_all_tasks_and_leave_yardsticks_out(tmp_path: Path) -> None:
    """LegalAgentBench has six tasks; `part` lacks one."""
    tasks = ("1-hop", "2-hop", "3-hop", "4-hop", "5-hop", "writing")
    dice = random.Random(3)

    def answers(mean: float) -> list[Made]:
        return [Made(min(1.0, max(0.0, dice.gauss(mean, 0.05)))) for _ in range(30)]

    def run(model: str, mean: float, of: tuple[str, ...] = tasks, **more: Any) -> None:
        made = {task: answers(mean) for task in of}
        suite: dict[str, Any] = {"suite": "legalagentbench", "setting": "react"}
        make_run(tmp_path / model, made, model=model, **suite, **more)

    run("good", 0.8)
    run("poor", 0.2)
    run("part", 0.9, tasks[:3])
    run("ceiling", 1.0, address="")
    found = data(build(tmp_path, tmp_path / "site"), "site")
    ranks = {run["model"]: run["scores"]["official"].get("rank") for run in found["runs"]}
    assert ranks == {"good": 1, "poor": 2, "part": None, "ceiling": None}
    good = next(run for run in found["runs"] if run["model"] == "good")["scores"]["official"]
    assert (good["rank_low"], good["rank_high"]) == (1, 1)
    assert good["figures"]["overall"]["low"] < good["figures"]["overall"]["value"]
    assert [one["model"] for one in found["runs"]] == ["good", "part", "poor", "ceiling"]


def test_published_figures_that_follow_from_the_tasks_are_made(tmp_path: Path) -> None:
    made = {"1-hop": [Made(1.0)]}
    make_run(tmp_path / "a", made, suite="legalagentbench", setting="react")
    found = data(build(tmp_path, tmp_path / "site"), "site")
    first = found["published"][0]
    groups = [first["figures"][f"success/{hops}-hop"] for hops in range(1, 6)]
    hops = sum(map(operator.mul, (80, 80, 60, 40, 20), groups)) / 280
    assert first["figures"]["success/hops"] == pytest.approx(hops)
    assert first["computed"] == ["success/hops"]


def test_a_board_without_an_overall_is_ordered_by_the_headline_of_its_suite(tmp_path: Path) -> None:
    """CLaw's is that of its second task."""
    for model, right in (("good", 1.0), ("poor", 0.0)):
        made = {"id": [Made(1 - right)] * 4, "content": [Made(right), Made(0.5)] * 4}
        make_run(tmp_path / model, made, model=model, suite="claw", setting="all")
    found = data(build(tmp_path, tmp_path / "site"), "site")
    assert found["suites"][0]["headline"] == "rouge_l"
    scores = {run["model"]: run["scores"]["official"] for run in found["runs"]}
    assert {model: of["rank"] for model, of in scores.items()} == {"good": 1, "poor": 2}
    assert all("rank_low" in of for of in scores.values())


def test_ranks_by_a_headline_that_is_no_score_of_tasks_have_ranges(tmp_path: Path) -> None:
    """JuDGE's is a mean of figures, one of which is an F of means."""
    for model in ("floor", "ceiling"):
        evaluate("judgment", model, data="sample", runs=tmp_path)
    found = collect(gather([str(tmp_path)]))
    ranks = {
        run.model: (scores.rank, scores.rank_low, scores.rank_high)
        for run in found.runs
        for scores in run.scores.values()
    }
    assert ranks == {"ceiling": (1, 1, 1), "floor": (2, 2, 2)}


def test_without_the_data_tasks_with_silence_have_their_intervals_too(tmp_path: Path) -> None:
    """What silence counts stands in the records; the data is not installed here."""
    answered, silent = [Made(1.0), Made(0.0)], [Made(1.0), Made(None)]
    make_run(tmp_path / "a", {"1-2": answered, "2-2": silent})
    said: list[str] = []
    build_site(gather([str(tmp_path)]), tmp_path / "site", built=BUILT, notify=said.append)
    cells = data(tmp_path / "site", "site")["runs"][0]["scores"]["official"]["cells"]
    assert "low" in cells["1-2"]["score"]
    assert cells["2-2"]["score"]["value"] == 0.5
    assert "low" in cells["2-2"]["score"]
    assert said == []


def test_kinds_stand_in_order_of_their_number_or_by_how_many_there_are(tmp_path: Path) -> None:
    periods = ("2015–2019", "300 or more", "1949–1999", "2015–2019")
    laws = ("乙法", "甲法", "甲法", "甲法")
    made = [
        Made(1.0, facets={"period": period, "law": law})
        for period, law in zip(periods, laws, strict=True)
    ]
    make_run(tmp_path / "a", {"1-2": made})
    (task,) = data(build(tmp_path, tmp_path / "site"), "site")["tasks"]
    assert task["facets"] == {
        "period": ["300 or more", "1949–1999", "2015–2019"],
        "law": ["甲法", "乙法"],
    }


def test_a_score_far_above_the_others_is_a_hint_in_both_languages(tmp_path: Path) -> None:
    """Fuzi-Mingcha on reading comprehension, with the scores that the paper prints."""
    printed = next(
        one for one in published("lawbench", "zero_shot") if one.model == "fuzi-mingcha-7b-hf"
    )
    tasks = {task: [Made(value)] for task, value in printed.tasks.items()}
    make_run(tmp_path / "a", tasks, model=printed.model)
    (hint,) = data(build(tmp_path, tmp_path / "site"), "site")["suspects"]
    assert (hint["kind"], hint["task"], hint["models"]) == ("unexpected", "2-5", [printed.model])
    assert (hint["suite"], hint["setting"]) == ("lawbench", "zero_shot")
    assert hint["text"]["zh"].startswith("得分 97.6；由其他任务推算为 ")
    assert hint["text"]["en"].startswith("scored 97.6; its other tasks predict ")


def test_whoever_watches_is_told_of_every_task_and_board(tmp_path: Path) -> None:
    make_run(tmp_path / "a", {"1-1": [Made(1.0)], "1-2": [Made(0.5)]}, model="甲")
    seen: list[tuple[int, int]] = []
    collect(gather([str(tmp_path)]), watch=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
