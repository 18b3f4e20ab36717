"""Runs and judgments in the files of trec_eval: columns apart by blanks or tabs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from hengfa.data.jsonfile import write_atomically
from hengfa.data.paths import disk_errors
from hengfa.errors import DataError
from hengfa.retrieval.measures import Qrels, Run

_MARK: Final = "\ufeff"


def read_qrels(file: Path) -> dict[str, dict[str, int]]:
    """Lines `query 0 document relevance`; a pair judged twice, or differently, is an error."""
    qrels: dict[str, dict[str, int]] = {}
    for number, (query, _, document, relevance) in _columns(file, 4, "query 0 document relevance"):
        try:
            gain = int(relevance)
        except ValueError:
            problem = f"{relevance!r} is no whole number"
            raise DataError(problem, file=file, row=number, field="relevance") from None
        judged = qrels.setdefault(query, {})
        if document in judged:
            raise DataError(f"{query} {document} was judged before", file=file, row=number)
        judged[document] = gain
    if not qrels:
        raise DataError("no judgments in it", file=file)
    return qrels


def read_run(file: Path) -> dict[str, list[tuple[str, float]]]:
    """Lines `query Q0 document rank score name`; the score decides, not the rank."""
    run: dict[str, dict[str, float]] = {}
    for number, columns in _columns(file, 6, "query Q0 document rank score name"):
        query, _, document, _, points, _ = columns
        try:
            score = float(points)
        except ValueError:
            score = math.nan
        if math.isnan(score):
            raise DataError(f"{points!r} is no number", file=file, row=number, field="score")
        found = run.setdefault(query, {})
        if document in found:
            raise DataError(f"{query} {document} was found before", file=file, row=number)
        found[document] = score
    if not run:
        raise DataError("nothing was found in it", file=file)
    return {query: list(found.items()) for query, found in run.items()}


def write_run(file: Path, run: Run, name: str) -> None:
    """The run in trec_eval's order; scores come back as the same single-precision numbers."""
    write_atomically(file, "".join(_lines(run, "".join(name.split()) or "run")).encode())


def write_qrels(file: Path, qrels: Qrels) -> None:
    """The judgments, one a line."""
    lines = (
        f"{query} 0 {document} {gain}\n"
        for query, judged in qrels.items()
        for document, gain in judged.items()
    )
    write_atomically(file, "".join(lines).encode())


def _lines(run: Run, name: str) -> Iterator[str]:
    for query, found in run.items():
        ordered = sorted(((np.float32(score), document) for document, score in found), reverse=True)
        for rank, (score, document) in enumerate(ordered, 1):
            for word in (query, document):
                if not word or word.split() != [word]:
                    raise DataError(f"an id with a blank in it: {word!r}", file="run")
            yield f"{query} Q0 {document} {rank} {score!s} {name}\n"


def _columns(file: Path, wanted: int, layout: str) -> Iterator[tuple[int, list[str]]]:
    with disk_errors(file), file.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            try:
                text = line.decode().removeprefix(_MARK if number == 1 else "")
            except UnicodeDecodeError as error:
                raise DataError(f"not UTF-8: {error}", file=file, row=number) from error
            columns = text.split()
            if not columns:
                continue
            if len(columns) != wanted:
                problem = f"{len(columns)} columns where there must be {wanted}: {layout}"
                raise DataError(problem, file=file, row=number)
            yield number, columns
