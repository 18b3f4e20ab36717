"""The site of some runs, written whole: pages, the charting library, data files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import hengfa
from hengfa.base.progress import Progress
from hengfa.evals.report import MOST_SAMPLES
from hengfa.evals.report.site.collect import Collected, collect, suspects_of
from hengfa.evals.report.site.files import Packer, copy_pages, whole_or_nothing
from hengfa.evals.report.site.gather import Source, gather
from hengfa.evals.report.site.model import FigureInfo, PaperInfo, Site, SuiteInfo, Words
from hengfa.evals.report.site.papers import put_papers
from hengfa.evals.report.site.views import LANGUAGES, figures_of
from hengfa.evals.report.site.words import ERRORS, FACETS, KINDS
from hengfa.evals.runs.sitting import Notify, quiet
from hengfa.evals.suites.base import Rules, Suite

TITLE = Words("衡法评测报告", "Hengfa report")
START = "index.html"
"""The page to open."""


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
        packer = Packer(folder)
        collected = collect(sources, packer, notify, watch, samples)
        papers = put_papers(packer, collected, sources)
        for picture in collected.pictures.drawn.values():
            specs = {language: picture.draw(language) for language in LANGUAGES}
            packer.put(f"pictures/{picture.id}", specs)
        packer.put("site", _site(collected, built, papers))


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
