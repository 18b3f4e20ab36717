"""A site of fictional runs for the tests of the pages, written straight from the model of the data.

Its suite is about the harbour of Yungang, which does not exist. The scores are made so that each
test can say beforehand what the pages must show.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hengfa.evals.report.site.build import copy_pages, put_data
from hengfa.evals.report.site.model import (
    ComparedPair,
    Comparisons,
    ExhibitInfo,
    FigureInfo,
    PairDifference,
    PaperInfo,
    Part,
    PictureInfo,
    PublishedInfo,
    RulesReading,
    RunInfo,
    RunResponses,
    RunScores,
    Scores,
    Site,
    SiteFigure,
    SuiteInfo,
    Suspect,
    TaskCell,
    TaskInfo,
    TaskSamples,
    TaskScores,
    TextTable,
)
from hengfa.evals.report.words import Words
from tests.unseen import UNSEEN

SUITE, SETTING, RULES = "harbour", "zero_shot", ("official", "corrected")
KINDS = {"灯塔": "lighthouse", "码头": "pier"}
NASTY = (
    "<script>window.owned = 1</script>",
    '<img src="x" onerror="window.owned = 1">',
    "[点此](javascript:window.owned=1) ![](https://evil.example/x.png) `<b>粗</b>` **粗**",
    "</script><script>window.owned = 1</script> \u2028 \u2029 <!-- ",
    "甲方\u202e方乙\u202c\u200b 终\u0000了" + UNSEEN,
    "𠮷野家的灯塔应当在日落时点亮。",
)
"""Responses that try to be more than text; the last has a character of two units."""
NASTY_NAME = "模型<img src=x onerror=window.owned=1>/a?b#c\u202e%"


@dataclass(frozen=True)
class Size:
    """How much there is of everything; runs count the two built-in ones."""

    models: int = 4
    tasks: int = 3
    samples: int = 40
    with_texts: int = 3


def write_site(folder: Path, size: Size | None = None) -> Path:
    """A whole site in a new folder; gives its first page."""
    size = size or Size()
    folder.mkdir(parents=True)
    copy_pages(folder)
    put = partial(put_data, folder)
    put("site", site(size))
    for task in range(min(size.with_texts, size.tasks)):
        put(f"tasks/{task}/samples", samples(size, task))
        put(f"tasks/{task}/scores", scores(size))
        for run in range(size.models):
            put(f"tasks/{task}/runs/{run}", responses(size, run))
    put(f"papers/{SUITE}", [exhibit()])
    for rules in RULES:
        put(f"compare/{SUITE}/{SETTING}/{rules}", comparisons(size))
    for name in ("bars", "bars-published", "abilities"):
        put(f"pictures/{name}", {language: picture(language) for language in ("zh", "en")})
    return folder / "index.html"


def exhibit() -> ExhibitInfo:
    """A table of a paper with a run in it."""
    table = TextTable(("", "a"), [("GPT-P", "61.00"), (f"{NASTY_NAME} ▸", "50.00 [40.00, 60.00]")])
    return ExhibitInfo(
        "table-1",
        Words("表 1：灯塔", "Table 1: lighthouses"),
        {"zh": table, "en": table},
        {"zh": ["论文公布: table 1"], "en": ["published: table 1"]},
        "bars",
    )


def model_name(run: int) -> str:
    """The names: two built-in ones, one that is an attack, then plain ones."""
    return ("floor", "ceiling", NASTY_NAME)[run] if run < 3 else f"港口-{run}"


def value(run: int, sample: int) -> float:
    """The score of a sample: none for the floor, all for the ceiling, else some of every four."""
    if run < 2:
        return float(run)
    return float(sample % 4 < 1 + run % 3)


def mean(run: int) -> float:
    """The mean of :func:`value` over whole groups of four."""
    return sum(value(run, sample) for sample in range(4)) / 4


def status(run: int, sample: int) -> str:
    return "filtered" if run == 3 and sample == 7 else "answered"


def task_id(task: int) -> str:
    return f"{task // 10 + 1}-{task % 10 + 1}"


def sample_id(sample: int) -> str:
    return f"题/{sample + 1}"


def _figure(run: int) -> SiteFigure:
    score = mean(run)
    if run < 2:
        return SiteFigure(score)
    return SiteFigure(score, max(0.0, score - 0.05), min(1.0, score + 0.05))


def _cell(size: Size, run: int, rules: str) -> TaskCell:
    filtered = run == 3
    return TaskCell(
        _figure(run),
        size.samples,
        lenient=mean(run),
        abstention=0.25 if filtered else 0.0,
        floor=0.0,
        ceiling=1.0,
        statuses={"answered": size.samples - filtered} | ({"filtered": 1} if filtered else {}),
        answers={"extracted": size.samples - filtered},
        errors={"别法": 3} if run == 3 else {},
        more={"rouge_l": 0.5, "edit_distance": 12.0} if rules == "official" else {},
        parts={"place": {kind: Part(mean(run), size.samples // 2) for kind in KINDS}},
    )


def _scores(size: Size, run: int, rules: str) -> Scores:
    cells = {task_id(task): _cell(size, run, rules) for task in range(size.tasks)}
    return Scores(
        cells,
        {"overall": _figure(run), "knowing": _figure(run)},
        rank=run + 1,
        rank_low=max(1, run),
        rank_high=run + 2,
    )


def _run(size: Size, run: int) -> RunInfo:
    return RunInfo(
        run,
        f"harbour-run-{run}",
        model_name(run),
        SUITE,
        SETTING,
        "2026-01-02T03:04:05+00:00",
        size.samples * size.tasks,
        {rules: _scores(size, run, rules) for rules in RULES},
        builtin=run < 2,
        input_tokens=120_000,
        output_tokens=34_000 + run,
        seconds=95.0,
        cost=1.25,
        currency="CNY",
    )


def _task(size: Size, task: int) -> TaskInfo:
    title = Words(f"灯塔任务 {task + 1}", f"lighthouse task {task + 1}")
    facets = {"place": list(KINDS)}
    return TaskInfo(task, SUITE, SETTING, task_id(task), title, "accuracy", size.samples, facets)


def site(size: Size) -> Site:
    """The file that is read first."""
    note = Words("条形是得分。", "Bars are scores.")
    return Site(
        title=Words("云港评测报告", "Report on Yungang"),
        built="2026-01-02T03:04:05+00:00",
        hengfa="0.0",
        rules=list(RULES),
        suites=[
            SuiteInfo(
                SUITE,
                Words("云港评测", "Yungang"),
                [SETTING],
                [
                    FigureInfo("overall", Words("总分", "overall")),
                    FigureInfo("knowing", Words("记忆", "knowing"), ability=True),
                ],
                {f"{SETTING}/{rules}": ["bars", "bars-published"] for rules in RULES},
            )
        ],
        tasks=[_task(size, task) for task in range(size.tasks)],
        runs=[_run(size, run) for run in range(size.models)],
        published=[
            PublishedInfo(
                SUITE, SETTING, "GPT-P", "GPT-P", "Table 3", {task_id(0): 0.61}, {"overall": 0.62}
            )
        ],
        pictures={
            "bars": PictureInfo("bars", Words("图", "Picture"), note, published=False),
            "bars-published": PictureInfo(
                "bars-published", Words("带论文的图", "Picture with papers"), note, published=True
            ),
            "abilities": PictureInfo("abilities", Words("能力", "Abilities"), note),
        },
        overview=["bars", "bars-published", "abilities"],
        models={},
        suspects=[
            Suspect(
                "identical",
                SUITE,
                [model_name(2), model_name(size.models - 1)],
                task_id(0),
                Words("回答相同<b>。", "The same <b>answer."),
                sample_id(1),
                SETTING,
            )
        ],
        papers=[PaperInfo(SUITE, "Yungang, arXiv:0000.00000")],
        names={
            "facets": {"place": Words("地点", "place")},
            "kinds": {kind: Words(kind, english) for kind, english in KINDS.items()},
            "errors": {"别法": Words("别的法律", "another law")},
        },
    )


def prompt(task: int, sample: int) -> str:
    return f"请根据云港灯塔法回答问题。\n第 {sample + 1} 问：任务 {task + 1} 的灯塔何时点亮？"


def samples(size: Size, task: int) -> TaskSamples:
    places = range(size.samples)
    return TaskSamples(
        [sample_id(place) for place in places],
        [prompt(task, place) for place in places],
        [f"日落时点亮第 {place + 1} 盏。" for place in places],
        {"place": [place % 2 for place in places]},
    )


def scores(size: Size) -> TaskScores:
    def of(run: int) -> RunScores:
        ended = [status(run, place) for place in range(size.samples)]
        values = [
            value(run, place) if ended[place] == "answered" else None
            for place in range(size.samples)
        ]
        read = ["extracted" if one == "answered" else None for one in ended]
        return RunScores(
            {rules: list(values) for rules in RULES}, list(ended), dict.fromkeys(RULES, read)
        )

    return TaskScores({str(run): of(run) for run in range(size.models)})


def response(run: int, sample: int) -> str:
    """What a run wrote: the third run attacks with its first words."""
    if status(run, sample) != "answered":
        return ""
    if run == 2 and sample < len(NASTY):
        return NASTY[sample]
    return f"{model_name(run) if run > 2 else '内置'}答：第 {sample + 1} 盏灯在日落时点亮。" * 3


def _trace(run: int, sample: int) -> dict[str, Any] | None:
    if status(run, sample) != "answered":
        return None
    if run == 2 and sample == len(NASTY) - 1:
        return {
            "kind": "items",
            "findings": [
                {
                    "label": "<b>时刻</b>",
                    "given": "日落时",
                    "expected": "日落时",
                    "right": True,
                    "points": 2.0,
                    "maximum": 3.0,
                    "note": "见原文",
                    "spans": [[9, 12]],
                },
                {"label": "地点", "expected": "云港", "right": False, "points": 0, "maximum": 1},
            ],
            "error": "别法",
        }
    return {"kind": "answer", "findings": [{"label": "答案", "given": "日落", "right": run == 1}]}


def responses(size: Size, run: int) -> RunResponses:
    places = range(size.samples)
    texts = [response(run, place) for place in places]
    reading = RulesReading(
        ["日落" if text else "" for text in texts],
        [_trace(run, place) for place in places],
        [{"accuracy": value(run, place)} if texts[place] else {} for place in places],
    )
    thoughts = ["先想一想<i>。" if run == 3 else "" for _ in places]
    return RunResponses(texts, thoughts, [21 for _ in places], dict.fromkeys(RULES, reading))


def comparisons(size: Size) -> Comparisons:
    """Every pair, each with an interval ten points wide."""
    pairs = {}
    for one in range(size.models):
        for two in range(one + 1, size.models):
            difference = mean(one) - mean(two)
            shown = abs(difference) > 0.05
            found = PairDifference(
                difference,
                difference - 0.05,
                difference + 0.05,
                0.001 if shown else 0.8,
                0.002 if shown else 1.0,
                0.04,
                size.samples,
                wins=sum(value(one, place) > value(two, place) for place in range(size.samples)),
                losses=sum(value(one, place) < value(two, place) for place in range(size.samples)),
                verdict=("better" if difference > 0 else "worse") if shown else "",
            )
            names = ("overall", *(task_id(task) for task in range(size.tasks)))
            said = {"en": [f"Of {one} and {two}."], "zh": [f"{one} 与 {two}：<b>如此。"]}
            pairs[f"{one},{two}"] = ComparedPair(dict.fromkeys(names, found), said)
    return Comparisons(pairs)


def picture(language: str) -> dict[str, Any]:
    """A small Vega-Lite picture with expressions, as the real ones have them."""
    title = "得分" if language == "zh" else "score"
    return {
        "data": {"values": [{"model": "<b>甲</b>", "score": 0.4}, {"model": "乙", "score": 0.8}]},
        "transform": [{"calculate": "datum.score * 100", "as": "percent"}],
        "width": 300,
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "y": {"field": "model", "type": "nominal"},
            "x": {"field": "percent", "type": "quantitative", "title": title},
            "color": {
                "condition": {"test": "datum.percent > 50", "value": "#2f6690"},
                "value": "#b9cddb",
            },
        },
    }
