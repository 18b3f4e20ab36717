"""Results for people: in the terminal, as pictures, as a site, as tables for a paper."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from hengfa.base.progress import Progress

MOST_SAMPLES = 10_000
"""So many samples of a task have their texts on a site, unless it is said otherwise: with more, its
files take a page long to load."""


def report(
    *named: str | os.PathLike[str],
    out: str | os.PathLike[str] = "site",
    runs: str | os.PathLike[str] = "runs",
    force: bool = False,
    samples: int = MOST_SAMPLES,
    progress: Progress | None = None,
    notify: Callable[[str], None] | None = None,
) -> Path:
    """Write a static site about scored runs, in Chinese and English; returns the page to open.

    Named are runs, folders that hold runs, or names below `runs`. An older site of ours in `out` is
    replaced. Anything else there is refused; with `force` the site is written beside it, and only
    files of the same name are replaced. Of a task with more samples the texts of the first
    `samples` are written; figures are of all.
    """
    from hengfa.evals.report.site.build import write_report  # noqa: PLC0415 - loads much

    return write_report(
        named, Path(out), Path(runs), force=force, samples=samples, notify=notify, watch=progress
    ).page
