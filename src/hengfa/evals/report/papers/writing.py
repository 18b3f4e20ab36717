"""Exhibits as files: Markdown, LaTeX, CSV and JSON, or drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import write_atomically
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import UsageError
from hengfa.evals.report.charts.vega import Drawing
from hengfa.evals.report.paper_tables import (
    as_csv,
    as_latex,
    as_markdown,
    escape_latex,
    escape_markdown,
)
from hengfa.evals.report.papers.exhibit import Exhibit
from hengfa.evals.report.words import Language

TABLES: Final = (".md", ".tex", ".csv")
TEXTS: Final = (*TABLES, ".json")
PICTURES: Final = (".svg", ".png", ".html")


def write_exhibit(exhibit: Exhibit, file: Path, language: Language) -> list[str]:
    """Write an exhibit in the form that the ending of the file names; what to know is returned."""
    kind = file.suffix.lower()
    if kind in PICTURES:
        draw = exhibit.drawn
        if draw is None:
            raise UsageError(f"{exhibit.plate.id} has nothing to draw: {_why(exhibit)}")
        return Drawing().save({**draw(language), "title": exhibit.title(language)}, file)
    if kind not in TEXTS:
        raise UsageError(f"{file}: the name must end in {', '.join((*TEXTS, *PICTURES))}")
    with disk_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, content_of(exhibit, kind, language))
    return []


def content_of(exhibit: Exhibit, kind: str, language: Language) -> bytes:
    """An exhibit as the content of a file with this ending."""
    told = exhibit.remarks(language)
    match kind:
        case ".md":
            below = "\n" + "".join(f"- {escape_markdown(remark)}\n" for remark in told)
            return (as_markdown([exhibit.table(language)]) + below).encode()
        case ".tex":
            below = "".join(f"% {escape_latex(remark)}\n" for remark in told)
            return (as_latex([exhibit.table(language)]) + below).encode()
        case ".csv":
            return as_csv(exhibit.frame())
        case _:
            return msgspec.json.format(msgspec.json.encode(exhibit.as_json())) + b"\n"


def _why(exhibit: Exhibit) -> str:
    return "; ".join(needed.en for needed in exhibit.content.needs) or "it has no rows"


def files_of(exhibit: Exhibit, folder: Path) -> list[Path]:
    """Where an exhibit goes that is written in every form: as a table, and as a picture."""
    kinds = (*TABLES, *((".svg",) if exhibit.drawn else ()))
    return [folder / f"{exhibit.plate.id}{kind}" for kind in kinds]
