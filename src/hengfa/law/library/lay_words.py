"""What laypeople call things, and what the law calls them: a table that a question is read by.

`lay_words.tsv` has a line for each expression: the expression, a tab, legal terms with blanks
between them. It was written by hand from general knowledge, not from the questions that it is
measured on: who adds to it does not look at them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

_TABLE: Final = Path(__file__).with_name("lay_words.tsv")
_BETWEEN: Final = "\0"
"""Stands in no text, so that two terms side by side make no third."""


@cache
def lay_words() -> dict[str, tuple[str, ...]]:
    """Legal terms by the expression that stands for them."""
    rows = (line.split("\t") for line in _TABLE.read_text("utf-8").splitlines())
    return {lay: tuple(legal.split(" ")) for lay, legal in rows}


def legal_words(query: str) -> list[str]:
    """The legal terms for what a query says, without those that it says itself.

    >>> legal_words("房东不退钱")
    ['出租人']
    """
    terms = (term for lay, legal in lay_words().items() if lay in query for term in legal)
    return [term for term in dict.fromkeys(terms) if term not in query]


def with_legal_words(query: str) -> str:
    """The query, and behind it the legal terms for what it says."""
    return _BETWEEN.join([query, *legal_words(query)])
