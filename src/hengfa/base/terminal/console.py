"""What all that is printed shares: a console, text that is safe on it, and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Console

GAP = 2
"""Between the columns of a table."""


def plain_console() -> Console:
    """A console that takes nothing for markup: `[b]` is an option, `:A:` is no emoji."""
    return Console(markup=False, emoji=False, highlight=False)


def printable(text: str) -> str:
    """Text without control characters: a response must not move the cursor or recolour."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def one_line(name: str) -> str:
    """A name that cannot steer the terminal or break a line."""
    return " ".join(printable(name).split())


def fitting(widths: Mapping[str, int], room: int) -> Iterator[list[str]]:
    """Columns in as many parts as it takes for each to fit; at least one in a part."""
    part: list[str] = []
    for name in widths:
        if part and sum(GAP + widths[column] for column in (*part, name)) > room:
            yield part
            part = []
        part.append(name)
    yield part


def show_score(value: float) -> str:
    """A fraction as it is quoted: 0.1586 → 15.86."""
    return f"{no_minus_zero(value * 100):.2f}"


def no_minus_zero(value: float, digits: int = 2) -> float:
    """Rounded, and 0 where that makes -0."""
    return round(value, digits) + 0.0
