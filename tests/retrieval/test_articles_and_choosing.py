"""之一 articles and back, masked mentions, folds, scaling. Choosing is in test_nested_choice."""

from __future__ import annotations

import numpy as np
import pytest

from hengfa.retrieval.articles import article_id, base_article, merged, without_articles
from hengfa.retrieval.choosing import folds, scaled


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


def test_folds_measure_everything_once_and_never_on_what_was_learned() -> None:
    parts = folds(23, 5, seed=4)
    assert sorted(place for fold in parts for place in fold.measured.tolist()) == list(range(23))
    for fold in parts:
        assert set(fold.learned) | set(fold.measured) == set(range(23))
        assert not set(fold.learned) & set(fold.measured)
    with pytest.raises(ValueError, match="folds"):
        folds(3, 5)


def test_folds_are_those_of_scikit_learn() -> None:
    selection = pytest.importorskip("sklearn.model_selection")
    for size, seed in ((501, 0), (17, 3)):
        theirs = selection.KFold(5, shuffle=True, random_state=seed).split(np.zeros(size))
        for ours, (learned, measured) in zip(folds(size, 5, seed), theirs, strict=True):
            assert np.array_equal(ours.learned, learned)
            assert np.array_equal(ours.measured, measured)


def test_scaling_leaves_rows_of_nothing_alone() -> None:
    assert scaled(np.array([[2.0, 1.0], [0.0, 0.0]], np.float32)).tolist() == [[1, 0.5], [0, 0]]
