"""What laypeople call things, and what the law calls them: a table that a question is read by.

`lay_words.tsv` has a line for each expression: the expression, a tab, legal terms with blanks
between them. An expression may have several parts with blanks between them, which must all be said,
in any order, and a part several ways to say it with `|` between them. It was written by hand from
general knowledge: who adds to it does not look at the half of the questions that is kept back.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

_TABLE: Final = Path(__file__).with_name("lay_words.tsv")
_TIMES: Final = 3
"""So often is the question said, that it is not drowned in legal terms."""
_LONGEST: Final = 200
"""In a longer text, as the facts of a case, the parts of an expression stand together by chance."""
_BETWEEN: Final = "\0"
"""Stands in no text, so that two terms side by side make no third."""


@cache
def lay_words() -> tuple[tuple[tuple[tuple[str, ...], ...], tuple[str, ...]], ...]:
    """Expressions, as parts that have several ways to be said, and the legal terms for each."""
    rows = (line.split("\t") for line in _TABLE.read_text("utf-8").splitlines())
    return tuple(
        (tuple(tuple(part.split("|")) for part in lay.split(" ")), tuple(legal.split(" ")))
        for lay, legal in rows
    )


def legal_words(query: str) -> list[str]:
    """The legal terms for what a query says, without those that it says itself.

    >>> legal_words("房东不退钱")
    ['出租人']
    """
    terms = (
        term
        for parts, legal in lay_words()
        if (len(parts) == 1 or len(query) <= _LONGEST)
        and all(any(way in query for way in ways) for ways in parts)
        for term in legal
    )
    return [term for term in dict.fromkeys(terms) if term not in query]


def with_legal_words(query: str) -> str:
    """The query, and behind it the legal terms for what it says."""
    legal = legal_words(query)
    return _BETWEEN.join([*[query] * (_TIMES if legal else 1), *legal])
