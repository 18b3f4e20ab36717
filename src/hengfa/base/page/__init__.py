"""What every page of ours stands on: `dom.js` puts the texts of others in as text, and the tables
here do so for notebooks: HTML in which nothing that a model said is markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Final

DOM: Final = Path(__file__).with_name("dom.js")


def html_table(
    headings: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = ""
) -> str:
    """A table with its title above it; None is a dash, a line break in a cell is one."""
    head = "".join(f"<th>{_text(heading)}</th>" for heading in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    caption = f"<caption>{_text(title)}</caption>" if title else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_list(lines: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{_text(line)}</li>" for line in lines) + "</ul>"


def points(score: float | None, error: float | None = None) -> str | None:
    """A fraction as it is quoted, with its standard error: `15.86 ±1.02`."""
    if score is None:
        return None
    return f"{round(score * 100, 2) + 0.0:.2f}" + (f" ±{error * 100:.2f}" if error else "")


def _text(cell: object) -> str:
    return "–" if cell is None else escape(str(cell)).replace("\n", "<br>")
