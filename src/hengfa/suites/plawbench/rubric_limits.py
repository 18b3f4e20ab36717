"""How large a rubric can be: what is larger is no rubric, and is refused before it is read."""

from __future__ import annotations

from typing import Final

from hengfa.errors import DataError

MOST_CHARACTERS: Final = 100_000
"""The longest released text has about 9,000."""
MOST_ITEMS: Final = 500
"""The most in one section of the release are 16; pairs of steps grow with the square."""


def check_size(text: str, rubric_id: str, field: str) -> None:
    """Refuse a text that is too long."""
    if len(text) > MOST_CHARACTERS:
        problem = f"{len(text):,} characters: a rubric has at most {MOST_CHARACTERS:,}"
        raise DataError(problem, file=rubric_id, field=field)


def check_items(number: int, rubric_id: str, field: str) -> None:
    """Refuse more items than anybody grades."""
    if number > MOST_ITEMS:
        problem = f"{number:,} items: a section has at most {MOST_ITEMS:,}"
        raise DataError(problem, file=rubric_id, field=field)
