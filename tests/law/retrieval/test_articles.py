"""Articles with 之一 and back to those without, and masked mentions."""

from __future__ import annotations

import numpy as np
import pytest

from retrieval_experiments.articles import article_id, base_article, merged, without_articles


def test_articles_with_zhi_are_articles_of_their_own() -> None:
    assert article_id("第一百三十三条之一") == "133-1"
    assert article_id("第六条") == "6"
    assert article_id("附则") is None
    assert base_article("133-1") == "133"
    assert base_article("133") == "133"


def test_scores_go_to_the_base_article_where_they_are_higher() -> None:
    scores = np.array([[1.0, 3.0, 2.0, 5.0]], np.float32)
    found = merged(scores, ["133", "133-1", "134", "999"], ["134", "133", "135"])
    assert found.tolist() == [[2, 3, 0]]


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("应以第二百六十六条之规定", "应以之规定"),
        ("第133条之一第一款第（二）项的", "的"),
        ("第三款、第二次", "第三款、第二次"),
        ("", ""),
    ],
)
def test_mentions_of_articles_are_masked(text: str, masked: str) -> None:
    assert without_articles(text) == masked
