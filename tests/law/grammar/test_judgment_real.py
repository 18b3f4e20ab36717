"""Real judgments: what is found in 501 references and 50 segmented documents, in figures.

The figures are those of the corrected rules, checked by hand where several people, a combined
sentence or another judgment are involved (docs/judgments.md). A change of one is a change of what
is read, for better or worse.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hengfa.law.grammar.judgment.charges import Charges, read_charges
from hengfa.law.grammar.judgment.document import Judgment
from hengfa.law.grammar.judgment.parse import parse_judgment

pytestmark = pytest.mark.shared

Parsed = list[tuple[dict[str, Any], Judgment]]


@pytest.fixture(scope="module")
def charges(shared: Path) -> Charges:
    return read_charges(shared / "data" / "JuDGE")


@pytest.fixture(scope="module")
def references(shared: Path, charges: Charges) -> Parsed:
    lines = (shared / "data" / "JuDGE" / "data" / "test.json").read_text("utf-8").splitlines()
    return [(row, parse_judgment(row["fd"], charges)) for row in map(json.loads, lines)]


@pytest.fixture(scope="module")
def segmented(shared: Path) -> Parsed:
    file = shared / "data" / "corpora" / "criminal_docs" / "caseformer_demo.jsonl.gz"
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    return [(row, parse_judgment(row["content"])) for row in map(json.loads, lines)]


def test_what_can_be_placed_in_the_references(references: Parsed) -> None:
    made = [one for _, one in references]
    assert len(made) == 501
    remarks = Counter(remark.code for one in made for remark in one.remarks)
    assert remarks == {
        "second instance": 21,
        "several judgments": 1,
        "civil orders": 2,
        "withdrawn": 1,
        "upheld": 4,
        "unread term": 1,
        "unread words": 1,
    }
    assert all(len(one.sections) == 5 for one in made)
    known = [(one.court is None, one.number is None, one.date is None) for one in made]
    assert [sum(missing) for missing in zip(*known, strict=True)] == [0, 0, 1]


def test_defendants_and_sentences_of_the_references(references: Parsed) -> None:
    made = [one for _, one in references]
    people = [person for one in made for person in one.defendants]
    assert Counter(len(one.defendants) for one in made) == {1: 448, 2: 35, 3: 9, 4: 9}
    assert sum(person.unit for person in people) == 2
    assert all(person.final is not None for person in people)
    verdicts = [verdict for person in people for verdict in person.verdicts]
    assert Counter(verdict.kind for verdict in verdicts) == {
        "有期徒刑": 468,
        "拘役": 120,
        "免予刑事处罚": 6,
        "附加刑": 3,
        "管制": 1,
    }
    assert sum(verdict.probation is not None for verdict in verdicts) == 145
    assert sum(verdict.fine is not None for verdict in verdicts) == 418
    assert all(verdict.charge for verdict in verdicts)
    marks = ("barred", "injunction", "community")
    assert [sum(getattr(one, mark) for one in verdicts) for mark in marks] == [1, 3, 5]


def test_combined_and_earlier_sentences_of_the_references(references: Parsed) -> None:
    people = [person for _, one in references for person in one.defendants]
    executed = [person.executed for person in people if person.executed]
    assert len(executed) == 28
    assert sum(one.months or 0 for one in executed) == 1_111
    assert sum(bool(person.earlier) for person in people) == 10
    assert sum(person.revoked for person in people) == 4


def test_parts_against_the_fact_sections_given_with_the_references(references: Parsed) -> None:
    """`text` is the fact section as the data give it; docs/judgments.md names the two others."""
    begins = ends = 0
    for row, made in references:
        facts = made.text_of(row["fd"], "facts").strip()
        begins += row["text"].strip()[:20] == facts[:20]
        ends += row["text"].strip()[-20:] == facts[-20:]
    assert (begins, ends) == (500, 500)


def test_parts_against_the_given_segmentation(segmented: Parsed) -> None:
    agreed: Counter[str] = Counter()
    for row, made in segmented:
        text = row["content"]
        starts = {one.kind: one.start for one in made.sections}
        agreed["reasoning"] += starts.get("reasoning") == _found(text, row["reason"][:30])
        agreed["result"] += starts.get("result") == _found(text, row["result"])
        result = made.text_of(text, "result")
        agreed["end"] += result.rstrip("）。 ") == row["result"].rstrip("）。 ")
        agreed["facts"] += row["fact"] in made.text_of(text, "facts")
        agreed["number"] += made.number == row["id"]
        agreed["court"] += made.court is not None
        agreed["date"] += made.date is not None
    assert agreed == {
        "reasoning": 50,
        "result": 48,
        "end": 46,
        "facts": 44,
        "number": 50,
        "court": 50,
        "date": 50,
    }


def test_sentences_of_the_segmented_documents(segmented: Parsed) -> None:
    people = [person for _, one in segmented for person in one.defendants]
    assert len(people) == 70
    assert all(person.final is not None for person in people)
    assert sum(person.executed is not None for person in people) == 2
    codes = Counter(remark.code for _, one in segmented for remark in one.remarks)
    assert codes == {"no heading": 2, "no reasoning": 2, "civil orders": 1}


def test_statutes_of_the_references(references: Parsed) -> None:
    statutes = [one for _, made in references for one in made.statutes]
    assert len(statutes) == 2_602
    assert sum(one.criminal for one in statutes) == 2_426
    assert sum(one.article_sub > 0 for one in statutes if one.criminal) == 61
    same = sum(
        set(row["la"]) == {one.article for one in made.statutes if one.criminal}
        for row, made in references
    )
    assert same == 481  # two more write 和六十七条, which the data set passes over


@pytest.mark.parametrize(
    ("name", "without_result"),
    [
        ("direct_qwen2.5-3B-Instruct-direct", 35),
        ("finetune_qwen2.5-7B", 61),
        ("law_llm_hanfei_hanfei-finetune", 61),
        ("law_llm_lexilaw_lexilaw-direct", 497),
        ("multi_qwen2.5-3B", 32),
    ],
)
def test_outputs_of_models(shared: Path, name: str, without_result: int) -> None:
    """Broken documents have a remark; all others sentence somebody."""
    file = shared / "data" / "JuDGE" / "baseline_outputs" / f"{name}.jsonl.gz"
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    made = [parse_judgment(json.loads(line)["document"]) for line in lines]
    assert len(made) == 501
    assert sum(one.has("no result") for one in made) == without_result
    whole = [one for one in made if not one.remarks]
    assert all(person.final is not None for one in whole for person in one.defendants[:1])


def _found(text: str, part: str) -> int | None:
    """Where a given part stands; of reasonings the first words, as one leaves some out later."""
    place = text.find(part)
    return None if place < 0 else place
