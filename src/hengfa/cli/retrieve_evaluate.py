"""`hengfa retrieve evaluate`: measure indexes and runs on judged queries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hengfa.cli.options import json_option, print_json, say
from hengfa.cli.retrieve_options import Neural, neural_options
from hengfa.errors import UsageError

if TYPE_CHECKING:
    from hengfa.retrieval.measures import Run


@click.command("evaluate")
@click.argument(
    "places", metavar="INDEX|RUN...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--queries",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="Q.jsonl",
    help="JSON lines with `id` and `text`; not needed for runs.",
)
@click.option(
    "--qrels",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    metavar="FILE",
    help="Judgments as trec_eval reads them: query 0 document relevance.",
)
@click.option(
    "--run",
    "output",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write what was found as a TREC run; of several indexes into this folder.",
)
@click.option(
    "--measure", "measures", multiple=True, metavar="M", help="Such as MRR@100, P@5, R@10, nDCG@10."
)
@click.option("--depth", type=click.IntRange(1, 100_000), default=100, show_default=True)
@neural_options
@json_option
def evaluate_(
    places: tuple[Path, ...],
    queries: Path | None,
    qrels: Path,
    output: Path | None,
    measures: tuple[str, ...],
    depth: int,
    as_json: bool,
    **neural: Any,
) -> None:
    """Measure indexes and TREC runs on judged queries, as trec_eval does, and compare them.

    Every judged query counts; one without an answer scores 0. Several are compared with the first
    on the same queries. --rerank is for the indexes, so what it adds is seen beside a run that was
    written without it.

    \b
    Example:
      hengfa retrieve evaluate bm25.index dense.index --queries q.jsonl --qrels qrels.txt --run runs
      hengfa retrieve evaluate runs/bm25.index.run bm25.index --queries q.jsonl \\
          --qrels qrels.txt --rerank reranker
      hengfa retrieve evaluate runs/bm25.index.run --qrels qrels.txt --measure R@100
    """
    from hengfa.report.terminal.retrieval import print_measured  # noqa: PLC0415
    from hengfa.retrieval.evaluating import evaluate  # noqa: PLC0415
    from hengfa.retrieval.measures import STANDARD, parse_measure  # noqa: PLC0415
    from hengfa.retrieval.trec import read_qrels  # noqa: PLC0415

    wanted = [parse_measure(one) for one in measures] or STANDARD
    judged = read_qrels(qrels)
    runs = _runs(places, queries, depth, output, Neural(**neural))
    measured = evaluate(runs, judged, wanted)
    if as_json:
        print_json(measured)
        return
    print_measured(measured)


def _runs(
    places: tuple[Path, ...], queries: Path | None, depth: int, output: Path | None, neural: Neural
) -> dict[str, Run]:
    """What each index finds, and what each run says was found, by the name of its place."""
    from hengfa.report.terminal.console import counting  # noqa: PLC0415
    from hengfa.retrieval.corpus import read_queries  # noqa: PLC0415
    from hengfa.retrieval.evaluating import run_of  # noqa: PLC0415
    from hengfa.retrieval.trec import read_run, write_run  # noqa: PLC0415

    if len(set(places)) < len(places):
        raise UsageError("the same place is named twice")
    indexes = [place for place in places if place.is_dir()]
    if indexes and queries is None:
        raise UsageError("an index is measured on --queries")
    if neural.rerank and not indexes:
        raise UsageError("--rerank reads the texts of an index: a run has none")
    neural.check(indexes)
    asked = read_queries(queries) if queries else []
    runs: dict[str, Run] = {}
    reranker = neural.reranker()
    for place in places:
        if place not in indexes:
            runs[str(place)] = read_run(place)
            continue
        index = neural.reranked(neural.open(place), reranker)
        with counting(f"searching {place.name}") as watch:
            runs[str(place)] = run_of(index, asked, depth, watch)
        if output is not None:
            target = output if len(indexes) == 1 else output / f"{place.name}.run"
            target.parent.mkdir(parents=True, exist_ok=True)
            write_run(target, runs[str(place)], place.name)
            say(f"run written to {target}")
    return runs
