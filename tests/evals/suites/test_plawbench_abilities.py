"""What the parts of an answer measure: kinds of sections, and the paper's abilities."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.evals.suites.test_plawbench_breakdown import NAME, graded_run
from tests.evals.suites.test_plawbench_score import FULL, sample, scored, sheet
from tests.scoring import faceted_table

from hengfa.base.errors import UsageError
from hengfa.cli.main import cli
from hengfa.evals.grading.rubric import Gate, Item, Rubric, Section
from hengfa.evals.runs.breakdown import break_down
from hengfa.evals.suites.plawbench.abilities import (
    ABILITIES,
    ABILITY_OF,
    DIMENSIONS,
    aspects,
    section_kind,
)
from hengfa.evals.suites.plawbench.dataset import (
    CASE,
    CONSULTATION,
    DEFENDANT,
    PLAINTIFF,
    TASKS,
    load,
)

__all__ = ["graded_run"]


def scores(runs: Path) -> Path:
    return runs / NAME / "grades" / "keywords"


def leaf(title: str, group: str = "", points: float = 10, **more: Any) -> Section:
    return Section(title, title, points, (Item(f"{title}.1", title, points),), group=group, **more)


@pytest.mark.parametrize(
    ("task", "group", "title", "kind"),
    [
        (PLAINTIFF, "告谁", "被告", "procedure"),
        (PLAINTIFF, "案由与诉讼请求", "案由选择", "procedure"),
        (PLAINTIFF, "案由与诉讼请求", "请求是否合理", "claims"),
        (PLAINTIFF, "诉讼请求", "利息的起算", "amounts"),
        (PLAINTIFF, "湖水的颜色", "月光", "claims"),
        (PLAINTIFF, "财产线索", "保全申请（注意：证据名称不必相同）", "procedure"),
        (PLAINTIFF, "格式", "标题", "claims"),
        (DEFENDANT, "格式", "标题", "form"),
        (DEFENDANT, "格式", "被告信息", "form"),
        (DEFENDANT, "事实", "被告信息", "facts"),
        (DEFENDANT, "清算程序", "针对减资的程序合规抗辩", "claims"),
        (DEFENDANT, "反诉", "反诉请求权的基础", "claims"),
        (DEFENDANT, "法律争议", "反诉请求权的基础", "reasons"),
        (DEFENDANT, "损失", "停航", "amounts"),
    ],
)
def test_headings_say_what_a_section_is_about(task: str, group: str, title: str, kind: str) -> None:
    assert section_kind(task, leaf(title, group)) == kind


@pytest.mark.parametrize(
    ("task", "sections", "points"),
    [
        (
            PLAINTIFF,
            {"procedure": 25, "claims": 6, "amounts": 7, "facts": 16, "reasons": 8},
            {"procedure": 192, "claims": 85, "amounts": 65, "facts": 148, "reasons": 90},
        ),
        (
            DEFENDANT,
            {"procedure": 6, "claims": 15, "amounts": 11, "facts": 13, "reasons": 11, "form": 4},
            {"procedure": 80, "claims": 145, "amounts": 130, "facts": 55, "reasons": 61, "form": 5},
        ),
    ],
)
def test_the_sections_of_the_release(
    shared: Path, task: str, sections: dict[str, int], points: dict[str, float]
) -> None:
    counted: Counter[str] = Counter()
    worth: Counter[str] = Counter()
    for one in load(task, shared / "data/PLawbench", "all", {}):
        for section in one.rubric.sections:
            counted[section_kind(task, section)] += 1
            worth[section_kind(task, section)] += int(section.maximum * 2)
    assert counted == sections
    assert {kind: doubled / 2 for kind, doubled in worth.items()} == points


def test_every_part_measures_one_ability_of_table_1() -> None:
    for task in TASKS:
        assert set(DIMENSIONS[task]) <= set(ABILITY_OF[task])
        assert set(ABILITY_OF[task].values()) <= set(ABILITIES)
        of_abilities = aspects(task)["ability"].values()
        parts = [name for aspect in of_abilities for name in aspect.points]
        assert sorted(parts) == sorted(f"{part}_points" for part in DIMENSIONS[task])
    every = {ability for task in TASKS for ability in aspects(task)["ability"]}
    assert every == set(ABILITIES)


DOCUMENT = Rubric(
    "d",
    40,
    (
        leaf("管辖法院"),
        leaf("主请求"),
        leaf("利息", "诉讼请求", gates=(Gate("g", "算反了", -5),)),
        leaf("证据清单"),
    ),
)
AWARDS = {
    "管辖法院.1": (10.0, "月湖法院"),
    "主请求.1": (5.0, "还伞"),
    "利息.1": (10.0, "利息三元"),
    "证据清单.1": (0.0, ""),
}
TEXT = "民事起诉状\n月湖法院：请求还伞，利息三元。"


def test_sections_of_a_document_are_its_dimensions() -> None:
    asked = sample(PLAINTIFF, DOCUMENT)
    metrics = scored(asked, sheet(AWARDS), text=TEXT).metrics
    rates = {kind: metrics[f"{kind}_points"] for kind in DIMENSIONS[PLAINTIFF]}
    assert rates == {"procedure": 10, "claims": 5, "amounts": 10, "facts": 0, "reasons": 0}
    below = scored(asked, sheet(AWARDS, ("g",)), text=TEXT).metrics
    assert (below["amounts_points"], below["amounts_maximum"]) == (-5, 10)
    assert (metrics["reasons_maximum"], metrics["procedure_full"]) == (0, 1)


def test_rates_by_ability_are_of_the_points_of_its_parts() -> None:
    asked = sample(PLAINTIFF, DOCUMENT)
    half = AWARDS | {"利息.1": (4.0, "利息三元")}
    table = faceted_table([scored(asked, sheet(of), text=TEXT) for of in (AWARDS, half)], [{}, {}])
    by = aspects(PLAINTIFF)["ability"]

    def rate(ability: str) -> float:
        aspect = by[ability]
        columns = table.having(aspect).columns
        return aspect.rate.of(columns[name].sum() for name in (*aspect.points, *aspect.maximum))

    assert rate("claims and outcomes") == pytest.approx((15 + 9) / 40)
    assert rate("procedure and strategy") == 1
    assert not table.having(by["legal reasoning"]).samples, "no section of it: no rate, not 0"


def test_a_case_has_four_abilities_and_a_consultation_one() -> None:
    of_case = aspects(CASE)["ability"]
    assert list(of_case) == [ABILITIES[0], ABILITIES[1], ABILITIES[2], ABILITIES[4]]
    assert list(aspects(CONSULTATION)["ability"]) == [ABILITIES[0]]
    metrics = scored(sample(), sheet(FULL)).metrics
    for aspect in of_case.values():
        assert aspect.rate.of(metrics[name] or 0 for name in (*aspect.points, *aspect.maximum)) == 1


def test_a_run_is_broken_down_by_section_and_ability(graded_run: Path) -> None:
    asked = ["results", "plawbench", "--run", NAME, "--by", "ability", "--json"]
    told = CliRunner().invoke(cli, [*asked, "--runs", str(graded_run)])
    tasks = json.loads(told.output)["tasks"]
    assert set(tasks) == set(TASKS)
    (only,) = tasks["consultation"]["kinds"].values()
    assert only["value"] == only["score"]
    assert only["score"] == pytest.approx(tasks["consultation"]["whole"]["score"])
    sections = break_down(scores(graded_run), "section", tasks=["case"]).tasks[0]
    assert list(sections.kinds) == ["conclusion", "facts", "reasoning", "statutes"]
    for kind, part in sections.kinds.items():
        assert part.estimate is not None
        assert part.figure.score == pytest.approx(sections.whole.figure.more[f"{kind}_rate"])


def test_parts_of_answers_have_their_rates_only(graded_run: Path) -> None:
    with pytest.raises(UsageError, match="have their rates only"):
        break_down(scores(graded_run), "ability", metric="backed_rate")
    with pytest.raises(UsageError, match=r"there is: .*section"):
        break_down(scores(graded_run), "moon")
