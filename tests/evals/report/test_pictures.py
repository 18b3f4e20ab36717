"""The pictures of each suite, drawn from runs on the sample pack."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import vl_convert

from hengfa.evals.report.site.boards import gather
from hengfa.evals.report.site.build import Collected, collect
from hengfa.evals.report.site.pictures import VIEWS
from hengfa.evals.report.words import ERRORS, LANGUAGES
from hengfa.evals.results.trace import Trace
from hengfa.evals.suites.registry import OWN, get_suite
from tests.evals.report.made import Made, make_run

SETTINGS = {name: get_suite(name).settings[0] for name in OWN}

OF_JUDGMENTS = {
    **dict.fromkeys((f"{of}_{what}" for of in ("charge", "statute")
                     for what in ("recall", "precision", "f1_per_document")), 0.5),
    **dict.fromkeys((f"{of}_counted" for of in ("prison", "fine", "meteor")), 1.0),
}  # fmt: skip
"""What the figures of the judgment suite are made of."""


def made(value: float, number: int) -> Made:
    kinds = {"law": "甲法" if number % 2 else "乙法"}
    trace = Trace("answer", error="wrong article" if value < 0.5 else "")
    levels = {"paragraph_accuracy": value / 2, "conclusion_rate": 0.5, "decisive_rate": 0.25}
    more = {**levels, **OF_JUDGMENTS, "facts_rate": value}
    return Made(value, facets=kinds, trace=trace, more=more, tokens=100 + number, cost=0.5)


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Collected:
    """Two models and a yardstick in every suite; in LegalAgentBench by two methods."""
    root = tmp_path_factory.mktemp("runs")
    judgment = {"charge_f1": 0.5, "statute_f1": 0.25, "prison": 0.75, "overall": 0.5}
    for suite, setting in [*SETTINGS.items(), ("legalagentbench", "plan-solve")]:
        for model, skill in (("甲", 0.8), ("乙", 0.4), ("floor", 0.1)):
            tasks = {
                task: [made(skill if number else 0.0, number) for number in range(4)]
                for task in get_suite(suite).tasks
            }
            make_run(
                root / f"{suite}-{setting}-{model}",
                tasks,
                model=model,
                suite=suite,
                setting=setting,
                further=judgment if suite == "judgment" else {},
                address="" if model == "floor" else "x",
            )
    return collect(gather([str(root)]))


def specs(collected: Collected) -> Mapping[str, dict[str, Any]]:
    return {
        f"{name} {language}": one.draw(language)
        for name, one in collected.pictures.drawn.items()
        for language in LANGUAGES
    }


def test_every_picture_can_be_drawn_in_both_languages(collected: Collected) -> None:
    for name, spec in specs(collected).items():
        width = {} if isinstance(spec["width"], int) else {"width": 300}
        assert vl_convert.vegalite_to_vega({**spec, **width}), name


def test_every_picture_has_a_title_in_both_languages(collected: Collected) -> None:
    for one in collected.pictures.drawn.values():
        assert one.title.zh
        assert one.title.en
        assert one.title.en.isascii(), one.id


@pytest.mark.parametrize(
    ("suite", "kinds"),
    [
        ("lawbench", {"abstention", "tasks", "leaderboard-overall", "cost", "tokens"}),
        ("claw", {"levels", "leaderboard-article_accuracy", "task0-facet0", "errors-id"}),
        ("plawbench", {"dimensions", "dimensions-published", "leaderboard-overall-published"}),
        ("legalagentbench", {"hops", "methods", "errors", "leaderboard-overall"}),
        ("judgment", {"metrics", "metrics-radar", "metrics-published"}),
        ("claw-cases", {"bars", "leaderboard-overall"}),
    ],
)
def test_each_suite_has_its_natural_pictures(
    collected: Collected, suite: str, kinds: set[str]
) -> None:
    key = f"{SETTINGS[suite]}/official"
    start = f"{suite}-{SETTINGS[suite]}-official-"
    found = {one.removeprefix(start) for one in collected.pictures.suites[suite][key]}
    assert kinds <= found


def test_every_suite_has_a_view_of_its_own_or_the_default_one() -> None:
    assert set(VIEWS) <= set(OWN)


def test_pictures_with_published_models_follow_the_switch(collected: Collected) -> None:
    drawn = collected.pictures.drawn
    name = "lawbench-zero_shot-official-leaderboard-overall"
    assert (drawn[name].published, drawn[f"{name}-published"].published) == (False, True)
    rows = drawn[f"{name}-published"].draw("en")["data"]["values"]
    assert {row["kind"] for row in rows} == {"measured here", "built in", "published"}
    assert len(rows) == 51 + 3
    assert drawn["lawbench-zero_shot-official-tasks"].published is None


def test_a_model_stands_between_its_floor_and_ceiling(collected: Collected) -> None:
    first = next(run for run in collected.runs if run.suite == "lawbench" and run.model == "甲")
    tasks, abilities = collected.pictures.models[str(first.number)]
    rows = collected.pictures.drawn[tasks].draw("zh")["data"]["values"]
    assert len(rows) == 20
    assert (rows[0]["floor"], rows[0]["ceiling"]) == (10.0, 100.0)
    axes = {one["axis"] for one in collected.pictures.drawn[abilities].draw("en")["data"]["values"]}
    assert {"memorise", "locate a provision", "convict"} <= axes  # of all suites it was asked


def test_the_first_page_has_one_leaderboard_of_each_suite_and_the_radar(
    collected: Collected,
) -> None:
    overview = collected.pictures.overview
    assert "overview-abilities" in overview
    for suite, setting in SETTINGS.items():
        assert any(one.startswith(f"{suite}-{setting}-official-leaderboard") for one in overview)
    assert not any("plan-solve" in one for one in overview)


def test_classes_of_mistakes_have_names_in_both_languages() -> None:
    for name, words in ERRORS.items():
        assert words.en.isascii(), name
        assert not words.zh.isascii(), name


def test_no_text_of_a_response_is_in_a_picture(collected: Collected, tmp_path: Path) -> None:
    """Pictures hold names and numbers; texts are shown as text, elsewhere."""
    nasty = "<img src=x onerror=alert(1)>"
    tasks = {"1-2": [Made(1.0, response=nasty, prompt=nasty, reference=nasty)]}
    make_run(tmp_path / "a", tasks)
    found = collect(gather([str(tmp_path)]))
    assert not any(nasty in str(spec) for spec in specs(found).values())
