"""Citations in real judgments, guiding cases and statutes: how many are found, and which law."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.citation_model import Citation
from hengfa.law.grammar.law_names import normalise_name

pytestmark = pytest.mark.shared

# The crudest way to find an article, to see what the grammar misses.
CRUDE = re.compile(r"第[〇零○一二三四五六七八九十百千0-9０-９]+条")

PARTS = ("keywords", "holding", "statutes", "facts", "result", "reasoning")


def read_jsonl(file: Path) -> Iterator[dict[str, Any]]:
    text = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    for line in text.decode().splitlines():
        yield json.loads(line)


def missed(text: str, found: list[Citation]) -> list[str]:
    """What stands around the articles that no citation covers."""
    spans = [(citation.start, citation.end) for citation in found]
    return [
        text[max(0, article.start() - 12) : article.end() + 12]
        for article in CRUDE.finditer(text)
        if not any(start <= article.start() < end for start, end in spans)
    ]


@pytest.fixture(scope="module")
def judgments(shared: Path) -> list[tuple[str, set[int], list[Citation]]]:
    rows = read_jsonl(shared / "data" / "JuDGE" / "data" / "test.json")
    return [(row["fd"], set(row["la"]), find_citations(row["fd"])) for row in rows]


def test_citations_of_501_judgments(
    judgments: list[tuple[str, set[int], list[Citation]]],
) -> None:
    bases = Counter(c.basis for _, _, found in judgments for c in found)
    total = sum(bases.values())
    named = sum(c.law is not None for _, _, found in judgments for c in found)
    assert (len(judgments), total, named) == (501, 4129, 4109)
    assert bases == {
        "named": 1117,
        "carried": 2102,
        "context": 606,
        "relative": 269,
        "this": 17,
        "above": 2,
        "none": 16,
    }
    left_out = [around for text, _, found in judgments for around in missed(text, found)]
    assert len(left_out) == 3
    assert all("第二条街" in around or "条辩护意见" in around for around in left_out)


def test_every_article_that_a_judgment_applied_is_found(
    judgments: list[tuple[str, set[int], list[Citation]]],
) -> None:
    """The benchmark lists the articles of the Criminal Law that each judgment cites."""
    lacking = [
        article
        for _, applied, found in judgments
        for article in applied
        - {c.position.article for c in found if c.law and normalise_name(c.law) == "刑法"}
    ]
    # One list takes the slip 第七十三条第二条款 for an article 2.
    assert lacking == [2]


def test_appended_provisions_are_quotations(
    judgments: list[tuple[str, set[int], list[Citation]]],
) -> None:
    marks = Counter(c.quoted.mark for _, _, found in judgments for c in found if c.quoted)
    assert marks["heading"] > 860
    for text, _, found in judgments:
        for citation in found:
            if citation.quoted and citation.quoted.mark == "heading":
                words = text[citation.quoted.start : citation.quoted.end]
                assert words == words.strip()
                assert not CRUDE.match(words)


def test_citations_of_246_guiding_cases(shared: Path) -> None:
    total: Counter[str] = Counter()
    left_out: list[str] = []
    machine_readable = 0
    for case in read_jsonl(shared / "data" / "guiding_cases" / "cases.jsonl"):
        text = "\n".join(case[part] for part in PARTS)
        found = find_citations(text)
        total.update(c.kind if c.law is None else "named" for c in found)
        left_out += missed(text, found)
        machine_readable += any(c.law for c in find_citations(case["statutes"]))
    assert sum(total.values()) > 1450
    assert total["named"] > 1390
    # Positions inside the title of an interpretation of two articles, twice.
    assert len(left_out) == 4
    assert all("民法通则" in around or "婚姻法" in around for around in left_out)
    assert machine_readable == 246


def test_cross_references_inside_statutes(shared: Path) -> None:
    bases: Counter[str] = Counter()
    left_out = 0
    for row in read_jsonl(shared / "data" / "statutes" / "statutes.jsonl.gz"):
        if row["role"] == "primary" and row["kind"] == "statute" and row["version"] >= "2021":
            found = find_citations(row["text"])
            bases.update(c.basis for c in found)
            left_out += len(missed(row["text"], found))
            assert not any(c.basis == "this" and c.law for c in found if c.within is None)
    assert left_out <= 4
    assert bases["this"] > 1000
    assert bases["relative"] > 1000
