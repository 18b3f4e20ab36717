"""The site of some runs, written whole or not at all: pages, the charting library, data files.

All that it says of runs is read from their tables, task by task: each run gets its cells, figures
and rank; each board its comparisons, pictures, the rows of the paper and hints for a review of
contamination.

A page opened from disk can load scripts but nothing else, so `data/NAME.js` calls
`hengfa.put("NAME", "…")` with base64 of gzip of JSON. The same value makes the same bytes, so that
two sites of the same runs can be compared file by file.
"""

from __future__ import annotations

import base64
import gzip
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib import resources
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

import hengfa
from hengfa.base.data.jsonfile import decode_json, read_json
from hengfa.base.data.output import MANIFEST, files_below, whole_folder
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.base.page import DOM
from hengfa.base.progress import Notify, Progress, quiet
from hengfa.base.statistics.intervals import Estimate
from hengfa.evals.report import MOST_SAMPLES
from hengfa.evals.report.charts.vega import charting_library
from hengfa.evals.report.papers.exhibit import NAMES, Exhibit, get_paper
from hengfa.evals.report.site.boards import (
    SAMPLE_SETTING,
    Board,
    Source,
    board_views,
    boards,
    figures_of,
    gather,
)
from hengfa.evals.report.site.model import (
    ExhibitInfo,
    FigureInfo,
    PaperInfo,
    PublishedInfo,
    Put,
    RunInfo,
    Scores,
    Site,
    SiteFigure,
    SuiteInfo,
    Suspect,
    TaskCell,
    TaskInfo,
    TextTable,
)
from hengfa.evals.report.site.pictures import Picture, Pictures, all_pictures
from hengfa.evals.report.site.statistics import Statistics, statistics_of
from hengfa.evals.report.site.tasks import CellExtras, read_task
from hengfa.evals.report.words import ERRORS, FACETS, KINDS, LANGUAGES, NOTHING, Words, words_of
from hengfa.evals.results.figures import TaskFigures
from hengfa.evals.results.published.papers import paper_of, published
from hengfa.evals.runs.leaderboard import printed_figures
from hengfa.evals.runs.suspicion import Identical, Unexpected, Verbatim, run_hints
from hengfa.evals.suites.base import Rules, Suite

TITLE = Words("衡法评测报告", "Hengfa report")
_HINTS = words_of("suspects")
START = "index.html"
"""The page to open."""
FORMAT = "hengfa-site-1"
PAGES = Path(str(resources.files("hengfa.evals.report.site").joinpath("assets")))


class Written(NamedTuple):
    """The page to open of a site, and how many runs it is about."""

    page: Path
    runs: int


def write_report(
    named: Sequence[str | os.PathLike[str]],
    out: Path,
    runs: Path,
    *,
    force: bool = False,
    samples: int = MOST_SAMPLES,
    notify: Callable[[str], None] | None = None,
    watch: Progress | None = None,
) -> Written:
    """Find runs by their names and write their site as of now."""
    notify = notify or quiet
    sources = gather([os.fspath(name) for name in named], runs, notify)
    built = datetime.now(UTC).isoformat(timespec="seconds")
    build_site(sources, out, built=built, force=force, samples=samples, notify=notify, watch=watch)
    return Written((out / START).absolute(), len(sources))


def build_site(
    sources: Sequence[Source],
    target: Path,
    *,
    built: str,
    force: bool = False,
    samples: int = MOST_SAMPLES,
    notify: Notify = quiet,
    watch: Progress | None = None,
) -> None:
    """Write the site of these runs; what was there of ours before is replaced.

    Other people's files in the folder are refused; with `force` the site is written beside them.
    `built` is when, as the site says it: everything else depends on the runs, and on how many
    `samples` of a task have their texts there.
    """
    with whole_or_nothing(target, force=force) as folder:
        copy_pages(folder)
        put = partial(put_data, folder)
        collected = collect(sources, put, notify, watch, samples)
        papers = put_papers(put, collected, sources)
        for picture in collected.pictures.drawn.values():
            specs = {language: picture.draw(language) for language in LANGUAGES}
            put(f"pictures/{picture.id}", specs)
        put("site", _site(collected, built, papers))


def _site(collected: Collected, built: str, papers: list[PaperInfo]) -> Site:
    return Site(
        title=TITLE,
        built=built,
        hengfa=hengfa.__version__,
        rules=[
            str(rules) for rules in Rules if any(str(rules) in run.scores for run in collected.runs)
        ],
        suites=[_suite_info(suite, collected) for suite in collected.suites],
        tasks=collected.tasks,
        runs=collected.runs,
        published=collected.published,
        pictures=collected.pictures.infos(),
        overview=collected.pictures.overview,
        models=collected.pictures.models,
        suspects=suspects_of(collected.boards),
        papers=papers,
        names={"facets": FACETS, "kinds": KINDS, "errors": ERRORS},
    )


def _suite_info(suite: Suite, collected: Collected) -> SuiteInfo:
    return SuiteInfo(
        name=suite.name,
        title=Words(suite.title, suite.title_en),
        settings=[board.setting for board in collected.boards if board.suite.name == suite.name],
        figures=[
            FigureInfo(name, title, ability=name in suite.abilities)
            for name, title in figures_of(suite).items()
        ],
        pictures=collected.pictures.suites[suite.name],
        headline=suite.headline,
    )


# --- what the pages are about, but for texts ---


@dataclass(frozen=True, slots=True)
class Collected:
    """What the pages of a site are about, but for its texts."""

    boards: list[Board]
    tasks: list[TaskInfo]
    runs: list[RunInfo]
    published: list[PublishedInfo]
    pictures: Pictures

    @property
    def suites(self) -> list[Suite]:
        return list({board.suite.name: board.suite for board in self.boards}.values())


def collect(
    sources: Sequence[Source],
    put: Put | None = None,
    notify: Notify = quiet,
    watch: Progress | None = None,
    samples: int = MOST_SAMPLES,
) -> Collected:
    """Read the tables of all runs; with `put`, write the files of tasks and comparisons, with
    the texts of so many samples of each task.

    A step that is watched is a task that was read, or the statistics of a board.
    """
    by_board = boards(sources)
    steps = count(1)
    number = sum(len(board.tasks) + 1 for board in by_board)

    def step() -> None:
        if watch is not None:
            watch(next(steps), number)

    tasks: list[TaskInfo] = []
    runs: list[RunInfo] = []
    for board in by_board:
        extras: dict[int, dict[str, CellExtras]] = {source.number: {} for source in board.sources}
        for task_id in board.tasks:
            task = read_task(board, board.suite.tasks[task_id], len(tasks), put, samples)
            tasks.append(task.info)
            for run, of_task in task.extras.items():
                extras[run][task_id] = of_task
            step()
        statistics = {rules: statistics_of(board, rules, notify) for rules in board.rules}
        if put is not None:
            for rules, known in statistics.items():
                put(f"compare/{board.suite.name}/{board.setting}/{rules}", known.comparisons)
        step()
        for source in board.sources:
            of_run = extras[source.number]
            runs.append(_run_info(source, _scores_of(board, source, of_run, statistics), of_run))
    rows = [row for board in by_board for row in _published_rows(board)]
    pictures = all_pictures(board_views(by_board, runs, tasks, rows))
    return Collected(by_board, tasks, runs, rows, pictures)


def _run_info(
    source: Source, scores: dict[str, Scores], extras: Mapping[str, CellExtras]
) -> RunInfo:
    used = list(extras.values())
    currencies = {cell.currency for cell in used if cell.currency is not None}
    manifest = source.manifest
    return RunInfo(
        number=source.number,
        name=source.name,
        model=manifest.model,
        suite=manifest.suite,
        setting=source.setting,
        created=manifest.created,
        samples=max(run.samples for run in source.figures.values()),
        scores=scores,
        builtin=source.builtin,
        sample=source.sample,
        trained=manifest.seen_in_training,
        input_tokens=_whole(_total(cell.input_tokens for cell in used)),
        output_tokens=_whole(_total(cell.output_tokens for cell in used)),
        seconds=_total(cell.seconds for cell in used),
        cost=_total(cell.cost for cell in used) if len(currencies) == 1 else None,
        currency=currencies.pop() if len(currencies) == 1 else None,
    )


def _published_rows(board: Board) -> list[PublishedInfo]:
    """The rows of the paper that can be shown beside the runs of a board, each with its grader.

    Figures that the paper leaves out are made of what it has, where that is enough. Who
    asked other questions, or by other prompts, has none beside it.
    """
    manifest = board.sources[0].manifest
    if board.setting.endswith(SAMPLE_SETTING) or manifest.prompts or manifest.ids:
        return []
    return [
        PublishedInfo(
            suite=board.suite.name,
            setting=board.setting,
            model=row.model,
            title=f"{row.title} ({row.grader})" if row.grader else row.title,
            source=f"{row.source}, graded by {row.grader}" if row.grader else row.source,
            tasks=row.tasks,
            figures=figures,
            computed=[name for name in figures if name not in row.figures],
        )
        for row in published(board.suite.name, manifest.setting)
        for figures in (printed_figures(board.suite, row),)
    ]


def _total(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def _scores_of(
    board: Board,
    source: Source,
    extras: Mapping[str, CellExtras],
    statistics: Mapping[Rules, Statistics],
) -> dict[str, Scores]:
    scores: dict[str, Scores] = {}
    for rules, run in source.figures.items():
        known = statistics[rules]
        estimates = known.estimates.get(source.number, {})
        rank = known.ranks.get(source.number)
        whole = run.completed(board.suite)
        scores[str(rules)] = Scores(
            cells={
                task: _cell_of(run.tasks[task], extras[task], rules, estimates.get(task))
                for task in board.suite.tasks
                if task in run.tasks
            },
            figures={
                name: _with_interval(whole.figures[name], estimates.get(name))
                for name in figures_of(board.suite)
                if name in whole.figures
            },
            rank=rank.rank if rank else None,
            rank_low=rank.low if rank else None,
            rank_high=rank.high if rank else None,
            bands=whole.bands,
        )
    return scores


def _cell_of(
    task: TaskFigures, extras: CellExtras, rules: Rules, estimate: Estimate | None
) -> TaskCell:
    return TaskCell(
        score=None if task.score is None else _with_interval(task.score, estimate),
        n=task.n,
        lenient=task.lenient,
        abstention=task.abstention,
        floor=task.floor,
        ceiling=task.ceiling,
        statuses=task.statuses,
        answers=task.answers,
        errors=extras.errors[rules],
        more=task.more,
        parts=extras.parts[rules],
    )


def _with_interval(value: float, estimate: Estimate | None) -> SiteFigure:
    """The value as it was printed when it was scored, with the interval of its estimate."""
    return SiteFigure(value) if estimate is None else SiteFigure(value, estimate.low, estimate.high)


_Hint = Unexpected | Verbatim | Identical


def suspects_of(boards: Iterable[Board]) -> list[Suspect]:
    """Everything that is flagged about the models of these boards, by the official rules."""
    suspects: list[Suspect] = []
    for board in boards:
        folders = [source.folder for source in board.under(Rules.OFFICIAL) if not source.builtin]
        for hints in run_hints(folders) if folders else ():
            every: list[_Hint] = [*hints.unexpected, *hints.verbatim, *hints.identical]
            suspects += [_suspect(board, hint) for hint in every if hint.flagged]
    return suspects


def _suspect(board: Board, hint: _Hint) -> Suspect:
    def points(share: float) -> str:
        return f"{share * 100:.1f}"

    suite, setting = board.suite.name, board.setting
    if isinstance(hint, Unexpected):
        shares = {name: points(getattr(hint, name)) for name in ("score", "predicted", "limit")}
        text = _HINTS["unexpected"].format(**shares, models=hint.models)
        return Suspect("unexpected", suite, [hint.model], hint.task, text, "", setting)
    kind = "verbatim" if isinstance(hint, Verbatim) else "identical"
    usual = NOTHING
    if hint.usual is not None:
        usual = _HINTS[f"{kind} usual"].format(usual=points(hint.usual))
    share = points(hint.share)
    text = _HINTS[kind].format(n=hint.n, count=hint.count, share=share, usual=usual)
    if isinstance(hint, Verbatim):
        return Suspect(kind, suite, [hint.model], hint.task, text, hint.sample, setting)
    task, _, sample = hint.sample.partition("/")
    return Suspect(kind, suite, [hint.one, hint.other], task, text, sample, setting)


# --- papers ---


def put_papers(put: Put, collected: Collected, sources: Sequence[Source]) -> list[PaperInfo]:
    """Write a file for each paper; its pictures are added to those of the site."""
    asked = {suite.name for suite in collected.suites}
    every = map(get_paper, NAMES)
    papers = [paper for paper in every if asked & {paper.suite, *paper.also}]
    for paper in papers:
        made = paper.exhibits(paper.shelf(sources))
        put(f"papers/{paper.suite}", [_info(exhibit, collected) for exhibit in made])
    return [PaperInfo(paper.suite, paper_of(paper.suite)) for paper in papers]


def _info(exhibit: Exhibit, collected: Collected) -> ExhibitInfo:
    title = Words(exhibit.title("zh"), exhibit.title("en"))
    picture = ""
    if exhibit.chart is not None:
        picture = f"paper-{exhibit.suite}-{exhibit.plate.id}"
        collected.pictures.add([Picture(picture, title, NOTHING, exhibit.chart)])
    tables: dict[str, TextTable] = {}
    for language in LANGUAGES:
        table = exhibit.table(language)
        tables[language] = TextTable(table.head, list(table.rows))
    remarks: dict[str, list[str]] = {of: exhibit.remarks(of) for of in LANGUAGES}
    return ExhibitInfo(exhibit.plate.id, title, tables, remarks, picture)


# --- on disk ---


class SiteManifest(msgspec.Struct, frozen=True):
    """Which files of a folder are the site; all others are somebody else's."""

    format: str
    files: dict[str, int]


@contextmanager
def whole_or_nothing(target: Path, *, force: bool = False) -> Iterator[Path]:
    """A folder to write a site into, which then takes the place of `target`.

    An older site of ours is replaced; anything else in the folder is not touched.
    """
    with whole_folder(target, _files_of, force=force) as folder:
        yield folder
        manifest = SiteManifest(FORMAT, files_below(folder))
        content = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        (folder / MANIFEST).write_bytes(content + b"\n")


def _files_of(site: Path) -> dict[str, int]:
    file = site / MANIFEST
    try:
        manifest = read_json(file, SiteManifest)
    except DataError:  # none, or of something else
        return {}
    return {**manifest.files, MANIFEST: file.stat().st_size} if manifest.format == FORMAT else {}


def copy_pages(site: Path) -> None:
    """Pages to the root of the site, all that they load to its `assets` folder."""
    folder = site / "assets"
    folder.mkdir()
    for file in sorted([DOM, *PAGES.iterdir()]):
        if file.is_file() and not file.name.startswith("."):
            target = site if file.suffix == ".html" else folder
            (target / file.name).write_bytes(file.read_bytes())
    (folder / "vega.js").write_bytes(charting_library())


def put_data(site: Path, name: str, value: Any) -> None:
    """Write a data file below the `data` folder of a site."""
    file = site / "data" / f"{safe(name)}.js"
    with disk_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pack(name, value))


# What every file system and URL takes as it is, and no other. Matches "G", "法", " "; not "a", "/".
_UNSAFE = re.compile(r"[^a-z0-9_./-]")
# Matches "tasks/3/runs/12", "all-by-~47_2_"; not "../x", "a.".
_NAME = re.compile(
    r"[a-z0-9~](?:[a-z0-9_.~-]*[a-z0-9_])?(?:/[a-z0-9~](?:[a-z0-9_.~-]*[a-z0-9_])?)*"
)
_LEVEL = 6


def safe(name: str) -> str:
    """A name as a file has it, which the names of graders, prompts and settings may be part of:
    signs that are not safe by their bytes, `~47` for `G`. The pages do the same (store.js)."""
    return _UNSAFE.sub(lambda sign: "".join(f"~{byte:02x}" for byte in sign[0].encode()), name)


def pack(name: str, value: Any) -> bytes:
    """The script that hands a value to the page."""
    name = safe(name)
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot be the name of a data file")
    packed = gzip.compress(msgspec.json.encode(value), _LEVEL, mtime=0)
    return b'hengfa.put("' + name.encode() + b'","' + base64.b64encode(packed) + b'");\n'


def unpack(content: bytes) -> tuple[str, Any]:
    """The name and the value in a script."""
    name, packed = content.removeprefix(b'hengfa.put("').removesuffix(b'");\n').split(b'","')
    return name.decode(), decode_json(gzip.decompress(base64.b64decode(packed)))
