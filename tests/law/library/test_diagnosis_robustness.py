"""Whatever an answer says: spans cover it, shares add up, and its length is no trap."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hengfa.law.library import Library
from hengfa.law.library.diagnosis.classes import changes
from hengfa.law.library.matching import (
    normalise,
)
from tests.law.library import recited_laws as laws

PROVISIONS = [laws.LIGHT, laws.FOG, laws.CLIMB, laws.FINE, laws.SHORT, laws.FOG_2001, laws.BOAT]
pieces = st.one_of(
    st.sampled_from([*PROVISIONS, *laws.ITEMS]),
    st.tuples(st.sampled_from(PROVISIONS), st.integers(0, 30), st.integers(0, 30)).map(
        lambda cut: cut[0][cut[1] : cut[1] + cut[2]]
    ),
    st.text(max_size=12),
    st.sampled_from(["```markdown\n", "第二条 ", "（一）", "\n1. ", "㎡", "ﬃ", "\u0301", "\ud800"]),
)
answers = st.lists(pieces, max_size=8).map("".join)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library.open(laws.build(tmp_path_factory.mktemp("recited")))


@given(answer=answers, position=st.sampled_from(["2.1", "2", "3..2", "5", "6"]))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_spans_cover_the_answer_and_shares_add_up(
    library: Library, answer: str, position: str
) -> None:
    found = laws.recite(library, position, answer)
    ends = [0, *(span.end for span in found.spans)]
    assert [span.start for span in found.spans] == ends[:-1]
    assert ends[-1] == len(answer)
    assert all(span.start < span.end for span in found.spans)
    assert 0 <= found.gold_recall <= 1
    assert 0 <= found.extra <= 1
    assert sum(found.shares.values()) == pytest.approx(1 if normalise(answer) else 0)
    for span in found.spans:
        assert bool(span.where) == (span.source != "unmatched")


@given(gold=answers, answer=answers)
@settings(deadline=None)
def test_nothing_changes_in_the_same_text(gold: str, answer: str) -> None:
    assert changes(gold, gold) == ()
    changes(gold, answer)


MEGABYTE = 350_000  # of three bytes each


@pytest.mark.deep
@pytest.mark.parametrize(
    "unit",
    [
        laws.LIGHT,
        laws.CLIMB,
        laws.BOAT,
        laws.LIGHT[:9],
        "的",
        "\n",
        " ",
        "第",
        "（一",
        "1.",
        "`",
        "> ",
        "无法提供",
        "“",
        laws.CLIMB[:8] + "甲",
    ],
)
def test_a_megabyte_of_the_worst_is_diagnosed(library: Library, unit: str) -> None:
    answer = (unit * (MEGABYTE // len(unit) + 1))[:MEGABYTE]
    found = laws.recite(library, "2.1", answer)
    assert found.spans[-1].end == MEGABYTE


def test_the_index_of_a_library_goes_with_the_library(tmp_path: Path) -> None:
    from hengfa.law.library.diagnosis.corpus import corpora_of

    opened = Library.open(laws.build(tmp_path))
    laws.recite(opened, "2.1", laws.BOAT)
    kept = corpora_of(opened)
    assert kept is corpora_of(opened)
    assert kept is not corpora_of(Library.open(opened.path))
