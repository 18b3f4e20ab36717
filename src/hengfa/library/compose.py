"""Puts the provisions of an article together again, at the level that is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from hengfa.law.citation_model import Position
from hengfa.library.model import Provision


def compose(article: Sequence[Provision], position: Position) -> str | None:
    """The text of a position from all provisions of its article; None where there is none.

    An item that is asked for is given without its number; inside a paragraph it has it. 第一款 of
    an article with one paragraph is all of it.
    """
    chosen = [one for one in article if _lies_in(one.position, position)]
    if not chosen:
        return None
    if position.item is not None:
        return "\n".join(one.text for one in chosen)
    return "\n".join(one.label + one.text for one in chosen)


def _lies_in(one: Position, asked: Position) -> bool:
    if asked.paragraph is not None and (one.paragraph or 1) != asked.paragraph:
        return False
    if asked.item is None:
        return True
    # 第五条第（三）项 leaves the paragraph open only where there is one
    return one.item == asked.item and (asked.paragraph is not None or one.paragraph is None)
