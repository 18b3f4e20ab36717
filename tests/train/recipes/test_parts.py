"""The parts of training that need no model: candidates, vocabulary, schedule, files."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.errors import DataError, UsageError
from hengfa.train.recipes.files import read_targets
from hengfa.train.recipes.fine_tuning import TargetRow
from hengfa.train.recipes.pretraining import (
    NOT_GUESSED,
    SPECIAL,
    blanked,
    build_vocabulary,
    sentences,
)
from hengfa.train.recipes.retrievers import CandidateChoice, LabelledQuery, fingerprint
from hengfa.train.recipes.schedule import Schedule
from tests.conftest import REPOSITORY
from tests.train.recipes.tiny_models import ARTICLES, FACTS


@settings(deadline=None)
@given(st.integers(0, 5), st.integers(0, 10_000), st.booleans())
def test_no_relevant_or_unjudged_passage_is_ever_a_negative(
    negatives: int, seed: int, hard: bool
) -> None:
    queries = [FACTS[0], LabelledQuery("f", "己", frozenset({"2"}), frozenset({"5", "6"}))]
    ranked = {"a": ["6", "2", "1", "5"], "f": ["5", "3", "2"]} if hard else None
    choice = CandidateChoice(queries, list(ARTICLES), negatives, ranked)
    drawn = choice.batch([0, 1], random.Random(seed))
    names = [list(ARTICLES)[place] for place in drawn.pool]
    for query, positive, negative in zip(queries, drawn.positive, drawn.negative, strict=True):
        good = {name for name, yes in zip(names, positive, strict=True) if yes}
        bad = {name for name, yes in zip(names, negative, strict=True) if yes}
        assert len(good) == 1
        assert good <= query.relevant
        assert not bad & (query.relevant | query.unjudged)


def test_hard_negatives_come_from_the_run() -> None:
    choice = CandidateChoice(FACTS[:1], list(ARTICLES), 2, {"a": ["6", "5", "1", "2"]})
    for seed in range(20):
        positive, *negatives = choice.group(0, random.Random(seed))
        assert positive in {0, 5}
        assert set(negatives) == {4, 1}


def test_all_passages_are_candidates_and_all_relevant_ones_positive() -> None:
    drawn = CandidateChoice(FACTS, list(ARTICLES), None).batch([0, 1], random.Random(0))
    assert drawn.pool == [0, 1, 2, 3, 4, 5]
    assert drawn.positive[0] == [True, False, False, False, False, True]
    assert drawn.negative[0] == [False, True, True, True, True, False]
    assert drawn.positive[1] == [False, True, False, False, False, False]


def test_a_query_without_a_relevant_passage_is_refused() -> None:
    with pytest.raises(UsageError, match="query x has no relevant passage"):
        CandidateChoice([LabelledQuery("x", "庚", frozenset({"99"}))], list(ARTICLES), 1)


def test_the_fingerprint_changes_with_labels_and_texts() -> None:
    whole = fingerprint(FACTS, ARTICLES)
    assert fingerprint(FACTS[:-1], ARTICLES) != whole
    assert fingerprint(FACTS, {**ARTICLES, "1": "略"}) != whole
    swapped = [LabelledQuery("a", FACTS[0].text, frozenset({"1"}), frozenset({"6"})), *FACTS[1:]]
    assert fingerprint(swapped, ARTICLES) != whole


def test_an_epoch_ends_with_a_step_that_reads_what_is_left() -> None:
    assert Schedule(epochs=2, accumulate=2).steps(rows=5, batch=2) == 4
    assert Schedule(epochs=0.1).steps(rows=5, batch=2) == 1


@pytest.mark.parametrize("wrong", [{"epochs": 0}, {"warmup": 1.0}, {"precision": "int8"}])
def test_an_impossible_schedule_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Schedule(**{"epochs": 10, **wrong})  # type: ignore[arg-type]


def test_the_vocabulary_has_characters_by_frequency_and_word_parts_for_signs() -> None:
    vocabulary = build_vocabulary(["渡渡船2A。 \n"])
    assert vocabulary[: len(SPECIAL)] == list(SPECIAL)
    assert vocabulary[len(SPECIAL)] == "渡"
    assert {"2", "##2", "a", "##a", "船", "。"} < set(vocabulary)
    assert not {"##渡", "##。", " ", "\n", "A"} & set(vocabulary)
    assert build_vocabulary(["渡渡船"], size=len(SPECIAL) + 1)[-1] == "渡"
    with pytest.raises(UsageError, match="no character"):
        build_vocabulary(["  "])


def test_sentences_keep_their_ends_and_what_closes_them() -> None:
    assert sentences("甲。乙；“丙！”丁，戊") == ["甲。", "乙；", "“丙！”", "丁，戊"]
    assert sentences(" \n ") == []


@given(st.text(alphabet="甲乙。；！？\n”“，", max_size=40))
def test_no_sentence_loses_a_character(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_a_seventh_of_the_tokens_is_to_be_guessed_and_marks_never_are() -> None:
    rows = np.full((200, 100), 9, dtype=np.int64)
    rows[:, 0], rows[:, -1] = 2, 0
    read, guess = blanked(rows, mask=4, vocabulary=50, seed=(1, 2))
    asked = guess != NOT_GUESSED
    assert not asked[:, 0].any()
    assert not asked[:, -1].any()
    assert (read == rows)[~asked].all()
    assert (guess[asked] == 9).all()
    assert asked[:, 1:-1].mean() == pytest.approx(0.15, abs=0.01)
    assert (read[asked] == 4).mean() == pytest.approx(0.8, abs=0.02)
    again = blanked(rows, mask=4, vocabulary=50, seed=(1, 2))
    assert (again[0] == read).all()
    assert (blanked(rows, mask=4, vocabulary=50, seed=(1, 3))[1] != guess).any()


def test_rows_are_read_and_bad_ones_named(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(
        '{"prompt": "甲", "target": "乙"}\n'
        '{"messages": [{"role": "user", "content": "丙"}], "target": "丁"}\n',
        "utf-8",
    )
    assert read_targets([file]) == [
        TargetRow("乙", prompt="甲"),
        TargetRow("丁", messages=(("user", "丙"),)),
    ]
    file.write_text('{"target": "乙"}\n', "utf-8")
    with pytest.raises(DataError, match="row 1: give either"):
        read_targets([file])
    file.write_text('{"prompt": "甲", "target": " "}\n', "utf-8")
    with pytest.raises(DataError, match="field 'target': nothing to learn"):
        read_targets([file])


def test_importing_the_modules_does_not_import_torch() -> None:
    """Nor msgspec, polars and the like: a machine for training has torch and little else."""
    data = ("retrievers", "pretraining", "fine_tuning", "schedule")
    parts = (*(f"train.recipes.{part}" for part in data), "train.retrieval.neural")
    named = [f"hengfa.{part}" for part in (*parts, "law.retrieval.measures")]
    code = (
        f"import sys, {', '.join(named)}; "
        "sys.exit(bool({'torch', 'msgspec', 'polars', 'click'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src")},
        check=False,
    )
    assert done.returncode == 0
