"""Articles by number, 之一 being an article of its own, and back to corpora that have no such.

The corpus of the published judgment task has the 452 articles of the Criminal Law by their plain
number: 第一百三十三条之一 (dangerous driving) is held against 133 there (judgment.md 1). Here it is
133-1; to compare with those labels it is taken for 133.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hengfa.law.grammar.numerals import parse_article

_NUMBER: Final = r"[一二三四五六七八九十百千零〇两0-9０-９]+"

# 第二百六十六条, 第133条之一第二款第（三）项; not 第三款 alone, not 第二次
_MENTION: Final = re.compile(
    rf"第{_NUMBER}条(?:之{_NUMBER})?(?:第{_NUMBER}款)?(?:第[（(]?{_NUMBER}[）)]?项)?"
)


def article_id(article: str) -> str | None:
    """`第一百三十三条之一` to `133-1`, `第六条` to `6`; None for what is no article."""
    read = parse_article(article)
    if read is None:
        return None
    return f"{read.number}-{read.sub}" if read.sub else str(read.number)


def base_article(name: str) -> str:
    """`133-1` to `133`; what has no 之 stays."""
    return name.partition("-")[0]


def merged(
    scores: NDArray[np.float32], ids: Sequence[str], bases: Sequence[str]
) -> NDArray[np.float32]:
    """Scores of ``bases``: each the highest of the articles of ``ids`` that belong to it."""
    column = {base: place for place, base in enumerate(bases)}
    together = np.zeros((len(scores), len(bases)), np.float32)
    for place, name in enumerate(ids):
        base = column.get(base_article(name))
        if base is not None:
            np.maximum(together[:, base], scores[:, place], out=together[:, base])
    return together


def without_articles(text: str) -> str:
    """The text with every mention of an article left out, whatever law it is of.

    Facts that quote the prosecutor name the articles that are to be found; what a retriever finds
    without them is beside every figure.
    """
    return _MENTION.sub("", text)
