"""The wrong answers that the CLaw paper prints, decided by the law (claw.md 2 and 5)."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from hengfa.law.grammar.citation_positions import parse_position
from hengfa.law.library import (
    FoundVersion,
    Library,
    Position,
    Unknown,
    find_law,
    in_force_on,
    promulgated_on,
)
from hengfa.law.library.diagnosis.classes import Diagnosis, diagnose
from hengfa.law.library.diagnosis.corpus import corpora_of
from hengfa.law.library.matching import normalise

pytestmark = pytest.mark.shared

OURS = {
    "other paragraph added": "addition: other paragraph",
    "other article added": "addition: other article",
    "minor wording": "minor wording",
    "rewriting and combination": "addition: other article",
    "fabricated": "fabricated",
    "index confusion": "wrong provision: paragraph",
    "wrong version": "wrong provision: version",
    "refusal": "refusal",
}
"""What the paper's classes are called here. It has no class of its own for text that starts with
the gold and goes on with altered words of other articles."""

DIFFERENT = {
    # the gold is there, with the next paragraph after it: nothing is confused but the end
    ("中华人民共和国行政诉讼法", "第二十五条第二款"): "addition: other paragraph",
    # no version of 1989 exists, and the words are those of article 47 of the version asked for
    ("中华人民共和国民事诉讼法", "第四十三条第三款"): "wrong provision: article",
}


@pytest.fixture(scope="session")
def examples(shared: Path) -> list[dict[str, Any]]:
    lines = (shared / "reference" / "claw_examples.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def position_of(example: dict[str, Any]) -> Position:
    found = parse_position(example["position"])
    assert found is not None
    return found


def answered(library: Library, example: dict[str, Any]) -> Diagnosis | None:
    """The diagnosis in the version that was asked for; None where it is not at hand."""
    law = find_law(library, example["law"])
    found = promulgated_on(library, law, date.fromisoformat(example["version"]))
    if not isinstance(found, FoundVersion) or example["answer"] is None:
        assert isinstance(found, FoundVersion | Unknown)
        return None
    return diagnose(library, found.version, position_of(example), example["answer"])


@pytest.mark.deep
def test_examples_whose_version_is_at_hand(corpus: Library, examples: list[dict[str, Any]]) -> None:
    kinds = {
        (example["law"], example["position"]): (example["paper_class"], found.kind)
        for example in examples
        if (found := answered(corpus, example))
    }
    assert len(kinds) == 9
    expected = {key: (paper, DIFFERENT.get(key, OURS[paper])) for key, (paper, _) in kinds.items()}
    assert kinds == expected


def test_examples_in_the_nearest_version_that_has_the_gold(
    corpus: Library, examples: list[dict[str, Any]]
) -> None:
    """Four more, whose version is not at hand: their gold stands in a later one, renumbered."""
    kinds = {}
    for example in examples:
        if example["answer"] is None or answered(corpus, example):
            continue
        law = corpora_of(corpus).of_law(corpus, example["law"])
        (origin,) = law.whole[normalise(example["gold"])]
        text = law.texts[origin.text]
        home = law.homes[origin.text][-1]
        found = diagnose(
            corpus,
            corpus.shelf.version_of[home.version],
            Position(home.article, home.article_sub, *text.part(origin.start, origin.end)),
            example["answer"],
        )
        kinds[example["law"], example["position"]] = (example["paper_class"], found.kind)
    assert len(kinds) == 4
    assert {ours for paper, ours in kinds.values() if ours != OURS[paper]} == set()


def test_the_answer_that_the_paper_takes_for_another_version(
    corpus: Library, examples: list[dict[str, Any]]
) -> None:
    """民事诉讼法 2017 art. 43(3): 95% of the answer is covered by art. 47 of the same version."""
    (example,) = (one for one in examples if one["paper_class"] == "wrong version")
    found = answered(corpus, example)
    assert found is not None
    assert found.shares["same version"] == pytest.approx(0.95, abs=0.005)
    assert found.shares["other version"] == 0
    largest = max(found.spans, key=lambda span: span.end - span.start)
    assert [place.position.article for place in largest.where] == [47]
    # the first two letters are left for the law of 1982, whose art. 43 begins so
    first = found.spans[0]
    assert (first.source, first.where[0].position.article) == ("other law", 43)
    assert first.where[0].version == date(1982, 3, 8)


def test_the_gold_that_the_paper_places_wrongly(
    corpus: Library, examples: list[dict[str, Any]], shared: Path
) -> None:
    """行政诉讼法 2017 art. 11 is the gold; what was in force that day is not at hand."""
    (example,) = (one for one in examples if one["paper_class"] == "appendix B, example 1")
    law = find_law(corpus, example["law"])
    day = date.fromisoformat(example["version"])
    found = promulgated_on(corpus, law, day)
    assert isinstance(found, FoundVersion)
    assert corpus.text(found.version, Position(11)) == example["gold"]
    assert isinstance(in_force_on(corpus, law, day), Unknown)
    assert diagnose(corpus, found.version, Position(11), example["gold"]).kind == "exact"

    (paper,) = (shared / "papers").glob("000_*.txt")
    text = paper.read_text("utf-8")
    start = text.index("Generated Answer by Doubao-1.5-pro (Incorrect):")
    answer = text[text.index("\n", start) : text.index("(Translation", start)]
    wrong = diagnose(corpus, found.version, Position(11), answer)
    assert wrong.kind == "wrong provision: article"
    articles = [
        place.position.article
        for span in wrong.spans
        if span.source == "same version"
        for place in span.where[:1]
        for _ in range(span.end - span.start)
    ]
    assert max(set(articles), key=articles.count) == 12
