"""Questions as laypeople ask them: how often `law search` finds the provision that answers them."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

from hengfa.law.library import Library, find_law, in_force_on
from hengfa.law.library.lookup import read_position
from hengfa.law.library.search import search
from hengfa.law.library.versions import FoundVersion

QUESTIONS = [
    json.loads(line)
    for line in Path(__file__).with_name("lay_questions.jsonl").read_text("utf-8").splitlines()
    if "条例" not in line  # regulations are not in the collection of the tests
]
ON = date(2026, 3, 1)
LEAST_FOUND = 150
"""Of 172 on statutes, which `benchmarks/lay_search.py` tells apart by how they were used."""


def test_no_question_is_there_twice() -> None:
    assert len({row["id"] for row in QUESTIONS}) == len(QUESTIONS)
    assert len({row["question"] for row in QUESTIONS}) == len(QUESTIONS)


def test_the_provisions_that_answer_them_are_in_force(corpus: Library) -> None:
    for row in QUESTIONS:
        answer = in_force_on(corpus, find_law(corpus, row["law"]), ON)
        assert isinstance(answer, FoundVersion), row
        for article in row["articles"]:
            assert corpus.text(answer.version, read_position(article)), row


def test_the_right_provision_is_among_the_first_ten(corpus: Library) -> None:
    found = [row["id"] for row in QUESTIONS if _is_found(corpus, row["law"], row)]
    assert len(found) >= LEAST_FOUND, found


def _is_found(library: Library, law: str, row: dict[str, str]) -> bool:
    right = {(law, *read_position(article)[:2]) for article in row["articles"]}
    hits = search(library, row["question"], on=ON)
    return any((hit.version.law, *hit.position[:2]) in right for hit in hits)
