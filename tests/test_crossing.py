"""The crossing: the whole way of a real model, in every suite and setting, by the command line.

Two models and a grader behind a server (`tests/played.py`) are evaluated once on the sample pack.
Every stage to which a user goes on from there is a test of its own: none may crash, each ends with
the status that is documented, and wherever a figure is told, it is the one that `hengfa eval` told.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec import to_builtins

import hengfa
from hengfa.evals.report.papers import NAMES as PAPERS
from hengfa.evals.report.papers import get_paper
from hengfa.evals.report.site.build import unpack
from hengfa.evals.results.figures import TaskTable
from hengfa.evals.runs.evidence import RunEvidence
from hengfa.evals.runs.folder import safe_name
from hengfa.evals.suites.plan import make_plan
from hengfa.evals.suites.registry import OWN, get_suite
from tests.cli.test_cli import Done
from tests.cli.test_cli import hengfa as command
from tests.evals.engine.server import in_thread
from tests.evals.report.browser import NEEDS_CHROMIUM, go, launched, opened
from tests.played import GRADER, STRONG, STUBBORN, WEAK, Played

G, KEYWORDS = f"endpoint:{GRADER}", "keywords"
GRADERS = {"claw-cases": (G,), "matters": (G,), "plawbench": (G, KEYWORDS)}
PANELS = {"plawbench": f"mean of {G}, {KEYWORDS}"}
LIMITS = {"claw": 24, "lawbench": 4}
DRAWS = 40
"""Of the bootstraps that ask Python for each draw; what is drawn changes no figure."""


class Place(NamedTuple):
    """A suite in a setting: what can be compared."""

    suite: str
    setting: str

    @property
    def runs(self) -> list[str]:
        return [self.run(STRONG), self.run(WEAK)]

    def run(self, model: str) -> str:
        return f"{self.suite}-{self.setting}-endpoint_{model}-sample"

    @property
    def scored_by(self) -> tuple[str, ...]:
        """Whose scores its runs have: those of graders and panels, or nobody's."""
        panel = PANELS.get(self.suite)
        return (*GRADERS.get(self.suite, ("",)), *([panel] if panel else []))

    @property
    def names(self) -> set[str]:
        """The scores that no stage may leave out: of the tasks, and of the suite."""
        suite = get_suite(self.suite)
        return {*suite.tasks, *suite.figures(dict.fromkeys(suite.tasks, 0.0))}


class Score(NamedTuple):
    """A run as it is scored by somebody."""

    run: str
    by: str = ""

    def __str__(self) -> str:
        return f"{self.run}@{self.by}" if self.by else self.run


Told = dict[Score, dict[str, float]]
"""The scores of tasks and the figures of suites, as a stage tells them."""
PLACES = [Place(suite, setting) for suite in OWN for setting in get_suite(suite).settings]
BY_SHELL = Place("claw-cases", "default")
"""Walked by processes of their own too, as a shell starts them."""
each_place = pytest.mark.parametrize("place", PLACES, ids="-".join)


class Crossing:
    """The folder in which it happens, the server, and how each `hengfa eval` ended."""

    def __init__(self, folder: Path, server: Played) -> None:
        self.folder, self.runs, self.server = folder, folder / "runs", server
        self.evals: dict[str, Done] = {}
        self.told: Told = {}
        """All figures, as `hengfa eval --json` tells them."""
        self.asked_twice = 0
        """How many questions the same commands asked that had been asked before."""

    def __call__(self, *arguments: str) -> str:
        """What a command prints that has to end well."""
        done = command(*arguments, cwd=self.folder)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def json(self, *arguments: str) -> Any:
        return json.loads(self(*arguments, "--json"))

    def eval(self, target: str, model: str, *more: str, graders: tuple[str, ...] = ()) -> list[str]:
        """`hengfa eval …` as a user types it."""
        url = f"{self.server.url}/v1"
        named = [word for name in graders for word in ("--grader", name)]
        return [
            *("eval", target, "--model", f"endpoint:{model}", "--base-url", url),
            *("--data", "sample", *more, *(["--grader-base-url", url, *named] if named else [])),
        ]

    def evaluate(self, place: Place, model: str) -> None:
        limit, panel = LIMITS.get(place.suite), place.suite in PANELS
        arguments = self.eval(
            place.suite,
            model,
            *("--setting", place.setting),
            *(["--limit", str(limit)] if limit else []),
            *(["--panel", "mean", "--screen", G] if panel else []),
            graders=GRADERS.get(place.suite, ()),
        )
        called = process if place == BY_SHELL else command
        run = place.run(model)
        self.evals[run] = called(*arguments, cwd=self.folder)
        asked = len(self.server.seen)
        again = command(*arguments, "--json", cwd=self.folder)
        self.asked_twice += len(self.server.seen) - asked
        if again.returncode == 0:
            self.told |= told_by_eval(run, json.loads(again.stdout))

    def at(self, place: Place) -> Told:
        """The figures of the runs of a place."""
        told = {score: values for score, values in self.told.items() if score.run in place.runs}
        assert {*told} == {Score(run, by) for run in place.runs for by in place.scored_by}
        assert all(values.keys() >= place.names for values in told.values())
        return told


def process(*arguments: str, cwd: Path) -> Done:
    """The same as `command`, by the installed script."""
    script = Path(sys.executable).with_name("hengfa")
    done = subprocess.run(
        [script, *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    return Done(done.returncode, done.stdout, done.stderr)


def told_by_eval(run: str, document: dict[str, Any]) -> Told:
    return {
        Score(run, told.get("grader", "")): _tasks(told["tasks"]) | _flat(told["figures"])
        for told in document["runs"]
    }


def _tasks(tasks: Mapping[str, Any]) -> dict[str, float]:
    return {name: task["score"] for name, task in tasks.items()}


def _flat(figures: Mapping[str, Any]) -> dict[str, float]:
    """`success/1-hop` for what is nested below `success`."""
    flat: dict[str, float] = {}
    for name, value in figures.items():
        inner = value.items() if isinstance(value, dict) else [("", value)]
        flat |= {f"{name}/{below}" if below else name: number for below, number in inner}
    return flat


def check_same(told: Told, expected: Told, names: set[str]) -> None:
    """These names are told of every score, and what is told is what was expected."""
    assert told.keys() == expected.keys()
    for score, values in told.items():
        assert values.keys() >= names, score
        shared = values.keys() & expected[score].keys()
        assert {name: values[name] for name in shared} == pytest.approx(
            {name: expected[score][name] for name in shared}, abs=1e-12
        ), score


@pytest.fixture(scope="module")
def crossing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crossing]:
    """All runs, made once; whether that went well is for the tests to say."""
    plans = [
        make_plan(place.suite, setting=place.setting, data="sample", limit=LIMITS.get(place.suite))
        for place in PLACES
    ]
    with in_thread(Played(plans)) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HENGFA_HOME", str(tmp_path_factory.mktemp("home")))
        for drawn in (RunEvidence.drawn, TaskTable.drawn):
            assert drawn.__kwdefaults__ is not None
            patch.setitem(drawn.__kwdefaults__, "draws", DRAWS)
        crossing = Crossing(tmp_path_factory.mktemp("crossing"), server)
        for place in PLACES:
            for model in (STRONG, WEAK):
                crossing.evaluate(place, model)
        yield crossing


# --- eval ---------------------------------------------------------------------------------------


@each_place
def test_eval_ends_well_and_prints_its_figures(crossing: Crossing, place: Place) -> None:
    for run in place.runs:
        assert crossing.evals[run].returncode == 0, crossing.evals[run].stderr
    for score, values in crossing.at(place).items():
        for name in place.names:
            assert f"{values[name] * 100:.2f}" in crossing.evals[score.run].stdout, (score, name)


def test_there_was_all_the_trouble_that_a_server_makes(crossing: Crossing) -> None:
    assert {"429", "500", "refused", "cut", "malformed"} <= {*crossing.server.odd}
    said = crossing.evals[PLACES[0].run(WEAK)].stderr
    assert "filtered 1, truncated 1, 2 retries" in said


def test_the_same_command_asks_nothing_twice(crossing: Crossing) -> None:
    assert crossing.asked_twice == 0


# --- results, compare, show ---------------------------------------------------------------------


def test_results_lists_every_run_with_its_figures(crossing: Crossing) -> None:
    told = {
        Score(row["run"], by): by_rules["official"]
        for row in crossing.json("results")
        for by, by_rules in (row["graded"] or {"": row["figures"]}).items()
    }
    check_same(told, crossing.told, set())
    table = command("results", cwd=crossing.folder, COLUMNS="80").stdout
    assert [run for run in crossing.evals if run not in table] == []
    for place in PLACES:
        headline = get_suite(place.suite).headline
        for score, values in crossing.at(place).items():
            assert f" {values[headline] * 100:.2f}" in table, score


@each_place
def test_results_ranks_the_runs_of_a_suite(crossing: Crossing, place: Place) -> None:
    arguments = ("results", place.suite, "--setting", place.setting)
    told = {
        Score(row["run"], row.get("grader", "")): {**row["figures"], **row["tasks"]}
        for row in crossing.json(*arguments)["rows"]
    }
    check_same(told, crossing.at(place), place.names)
    assert f"endpoint:{STRONG}" in crossing(*arguments)


@each_place
def test_results_takes_a_run_apart(crossing: Crossing, place: Place) -> None:
    rows = hengfa.load_run(place.run(WEAK), runs=crossing.runs).responses()
    facets = {facet for text in rows["facets"].drop_nulls() for facet in json.loads(text)}
    run = ("results", place.suite, "--run", str(Score(place.run(WEAK), place.scored_by[0])))
    for facet in sorted(facets):
        assert crossing(*run, "--by", facet)


@each_place
def test_compare_tells_the_same_figures(crossing: Crossing, place: Place) -> None:
    told: Told = {}
    for by in place.scored_by:
        scores = [Score(run, by) for run in place.runs]
        rows = crossing.json("compare", *map(str, scores))["rows"]
        for number, score in enumerate(scores):
            told[score] = {name: row["scores"][number]["value"] for name, row in rows.items()}
        assert crossing("compare", *map(str, scores))
    check_same(told, crossing.at(place), {*get_suite(place.suite).tasks})


@each_place
def test_show_tells_a_question_of_every_task_and_status(crossing: Crossing, place: Place) -> None:
    for run, model in zip(place.runs, (STRONG, WEAK), strict=True):
        rows = hengfa.load_run(run, runs=crossing.runs).responses()
        asked = rows.select("task", "status", "sample").unique(["task", "status"], keep="first")
        for task, status, sample in asked.rows():
            for by in place.scored_by:
                question = ("show", str(Score(run, by)), f"{task}/{sample}")
                if model == STRONG:
                    assert crossing.json(*question)["status"] == status
                else:
                    assert crossing(*question).startswith("prompt")


# --- luck, hints, parts -------------------------------------------------------------------------


def test_repeats_tells_of_several_tries_and_gradings(crossing: Crossing) -> None:
    place = ("--runs", "luck")
    again = (*place, "--limit", "4", "--repeats", "3", "--seed", "1", "--temperature", "0.7")
    crossing(*crossing.eval("lawbench/1-2,3-6", WEAK, *again))
    graded = (*place, "--grader-repeats", "2")
    crossing(*crossing.eval("plawbench/case", WEAK, *graded, graders=(G, KEYWORDS)))
    for run in ("lawbench-zero_shot-endpoint_weak-sample", "plawbench-all-endpoint_weak-sample"):
        assert crossing("results", "repeats", run, *place)
        assert crossing.json("results", "repeats", run, *place)
    crossing("report", "luck", "-o", "luck-site")


def test_suspects_looks_at_every_board(crossing: Crossing) -> None:
    looked_at = {
        Place(hints["suite"], hints["setting"])
        for hints in crossing.json("results", "suspects", "runs")
    }
    assert looked_at == {*PLACES}
    assert crossing("results", "suspects", "runs")


@pytest.mark.parametrize("place", [PLACES[0], Place("claw-cases", "default")], ids="-".join)
def test_merged_parts_are_the_whole(crossing: Crossing, place: Place) -> None:
    limit, graders = LIMITS.get(place.suite), GRADERS.get(place.suite, ())
    more = ("--runs", "parts", *(["--limit", str(limit)] if limit else []))
    for part in ("1/2", "2/2"):
        crossing(*crossing.eval(place.suite, WEAK, *more, "--shard", part, graders=graders))
    parts = [f"{place.run(WEAK)}-shard-{part}-of-2" for part in (1, 2)]
    merged = crossing.json(
        "parts", "merge", *parts, "--run", f"{place.suite}-whole", "--runs", "parts"
    )
    run = place.run(WEAK)
    whole = {score: values for score, values in crossing.at(place).items() if score.run == run}
    check_same(told_by_eval(run, merged), whole, place.names)
    assert crossing("results", place.suite, "--runs", "parts")


# --- what is taken elsewhere --------------------------------------------------------------------


def test_export_writes_the_records_of_all_runs(crossing: Crossing) -> None:
    import polars as pl

    for kind in ("csv", "parquet"):
        crossing("export", kind, "runs", "-o", f"records.{kind}")
    records = pl.read_parquet(crossing.folder / "records.parquet")
    assert len(pl.read_csv(crossing.folder / "records.csv", infer_schema=False)) == len(records)
    exported = records.select("suite", "setting", "model").unique().rows()
    asked = {(*place, f"endpoint:{model}") for place in PLACES for model in (STRONG, WEAK)}
    assert {*exported} == asked


@pytest.mark.parametrize("kind", ["markdown", "latex"])
def test_export_writes_leaderboards(crossing: Crossing, kind: str) -> None:
    places = [place for place in PLACES if place.suite in ("lawbench", "judgment", *GRADERS)]
    crossing("export", kind, *(run for place in places for run in place.runs), "-o", kind)
    text = (crossing.folder / kind).read_text("utf-8")
    for place in places:
        headline = get_suite(place.suite).headline
        for score, values in crossing.at(place).items():
            assert f"{values[headline] * 100:.2f}" in text, score


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_export_draws_charts(crossing: Crossing, kind: str) -> None:
    runs = Place("claw-cases", "default").runs
    crossing("export", "charts", *runs, "-o", kind, "--format", kind)
    assert [*(crossing.folder / kind).glob(f"*.{kind}")]


@pytest.mark.optional("inspect_ai")
@each_place
def test_export_writes_a_log_for_inspect(crossing: Crossing, place: Place) -> None:
    for by in place.scored_by:
        crossing("export", "eval", str(Score(place.run(WEAK), by)), "--force")


@pytest.mark.parametrize("suite", PAPERS)
def test_papers_have_the_runs_among_their_rows(crossing: Crossing, suite: str) -> None:
    exhibits = crossing.json("paper", suite, "runs")
    assert len(exhibits) == len(get_paper(suite).plates)
    assert f"endpoint:{STRONG}" in json.dumps(exhibits, ensure_ascii=False)


@pytest.mark.parametrize("ending", ["md", "tex", "csv", "json", "svg", "png", "html"])
def test_an_exhibit_is_written_in_every_format(crossing: Crossing, ending: str) -> None:
    exhibit = ("paper", "claw", "figure-2", *Place("claw", "all").runs)
    assert f"endpoint:{STRONG}" in crossing(*exhibit)
    crossing(*exhibit, "-o", f"exhibit.{ending}")
    assert (crossing.folder / f"exhibit.{ending}").stat().st_size


# --- the site -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(crossing: Crossing) -> Path:
    done = command("report", "runs", "-o", "site", cwd=crossing.folder)
    assert done.returncode == 0, done.stderr
    return crossing.folder / "site"


def test_report_tells_the_same_figures(crossing: Crossing, site: Path) -> None:
    files = dict(unpack(file.read_bytes()) for file in (site / "data").rglob("*.js"))
    told = {}
    for run in files["site"]["runs"]:
        setting, _, grader = run["setting"].partition("-by-")
        place = Place(run["suite"], setting)
        by = next(name for name in place.scored_by if safe_name(name) == grader)
        scores = run["scores"]["official"]
        figures = {name: {"score": figure} for name, figure in scores["figures"].items()}
        values = {
            name: cell["score"]["value"] for name, cell in (scores["cells"] | figures).items()
        }
        assert values.keys() >= place.names
        told[Score(run["name"], by)] = values
    check_same(told, crossing.told, set())


@NEEDS_CHROMIUM
def test_every_kind_of_page_of_the_site_stands(crossing: Crossing, site: Path) -> None:
    with launched() as browser, opened(browser, site / "index.html") as page:
        waiting, seen = ["#/"], set[str]()
        while waiting:
            address = waiting.pop(0)
            go(page, address)
            if address.startswith(("#/suite", "#/papers")):
                page.evaluate("hengfa.drawAll()")
                assert page.locator(".picture-place .notice").all_inner_texts() == [], address
            for link in page.locator("a").evaluate_all("(all) => all.map((one) => one.hash)"):
                parts = link.partition("?")[0].split("/")
                kind = "/".join(parts[: 4 if "suite" in parts else 3])
                if kind not in seen:
                    seen.add(kind)
                    waiting.append(link)


# --- import hengfa ------------------------------------------------------------------------------


@each_place
def test_python_tells_the_same_figures(crossing: Crossing, place: Place) -> None:
    told: Told = {}
    for run in place.runs:
        loaded = hengfa.load_run(run, runs=crossing.runs)
        for item in loaded.scores:
            told[Score(run, item.grader)] = (
                _tasks(to_builtins(item.tasks)) | item.figures | item.further
            )
        frame = loaded.frame()
        scores = {
            (by, task): score for by, task, score in frame.select("grader", "task", "score").rows()
        }
        assert scores == {
            (by, task): told[Score(run, by)][task]
            for by in place.scored_by
            for task in get_suite(place.suite).tasks
        }
        assert {*loaded.records()["task"]} == {*loaded.responses()["task"]} == {*frame["task"]}
        assert loaded._repr_html_()
    check_same(told, crossing.at(place), place.names)


@each_place
def test_python_scores_again_and_compares_as_the_commands_do(
    crossing: Crossing, place: Place
) -> None:
    by = place.scored_by[0]
    compared = hengfa.compare(*place.runs, grader=by or None, runs=crossing.runs)
    said = crossing.json("compare", *(str(Score(run, by)) for run in place.runs))
    assert said | json.loads(json.dumps(compared.as_json())) == said
    run = place.run(WEAK)
    again = hengfa.score(place.suite, [crossing.runs / run])
    told = {
        Score(run, item.grader): _tasks(to_builtins(item.tasks)) | item.figures for item in again
    }
    weak = {score: values for score, values in crossing.at(place).items() if score.run == run}
    check_same(told, weak, place.names)


def test_python_makes_exhibits_and_sites(crossing: Crossing) -> None:
    exhibit = hengfa.paper("claw", "figure-2", crossing.runs)
    assert f"endpoint:{WEAK}" in json.dumps(exhibit.as_json(), ensure_ascii=False)
    runs = [crossing.runs / run for run in BY_SHELL.runs]
    assert hengfa.report(*runs, out=crossing.folder / "python-site").is_file()


# --- by processes, and with a grader that cannot be used ------------------------------------------


def test_a_shell_goes_the_same_way(crossing: Crossing) -> None:
    for arguments in (
        ("results", BY_SHELL.suite),
        ("compare", *BY_SHELL.runs),
        ("report", *BY_SHELL.runs, "-o", "shell-site"),
    ):
        done = process(*arguments, cwd=crossing.folder)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr


def test_a_verdict_that_stays_malformed_stops_no_stage(crossing: Crossing) -> None:
    """What is told of such runs: tests/cli/test_ungraded.py."""
    place, aside = Place("claw-cases", "default"), ("--runs", "stubborn")
    for model in (STRONG, WEAK):
        asked = crossing.eval(place.suite, model, *aside, graders=(f"endpoint:{STUBBORN}",))
        done = command(*asked, cwd=crossing.folder)
        assert done.returncode == (1 if model == STRONG else 0), done.stderr
        assert ("ungraded" in done.stdout) is (model == STRONG)
    compared = command("compare", *place.runs, *aside, cwd=crossing.folder)
    assert (compared.returncode, "hengfa grade run" in compared.stderr) == (2, True)
    for arguments in (
        ("results", *aside),
        ("results", place.suite, *aside),
        ("show", place.run(STRONG), "case/1", *aside),
        ("export", "csv", "stubborn", "-o", "stubborn.csv"),
        ("export", "markdown", "stubborn", "-o", "stubborn.md"),
        ("export", "latex", "stubborn", "-o", "stubborn.tex"),
        ("results", "suspects", "stubborn"),
        ("report", "stubborn", "-o", "stubborn-site"),
    ):
        crossing(*arguments)
    assert hengfa.load_run(place.run(STRONG), runs=crossing.folder / "stubborn").frame().height == 1
