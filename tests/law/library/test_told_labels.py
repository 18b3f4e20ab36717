"""The labels of told content stand where they say, and are as many as the figures need."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.citation_positions import format_position
from tests.law.library.told_labels import labelled_answers, read_labels


def test_both_halves_have_as_many_of_each_label() -> None:
    labels = read_labels()
    halves = Counter((label.half, label.label) for label in labels)
    for kind in {label.label for label in labels}:
        assert abs(halves["choose", kind] - halves["judge", kind]) <= 2
    assert sum(label.label in {"like", "slip", "unlike"} for label in labels) >= 220


def test_told_words_follow_their_citation_unless_nothing_is_told() -> None:
    for label in read_labels():
        if label.label == "nothing told":
            assert label.told_start is label.told_end is None
        else:
            assert label.told_start is not None
            assert label.told_end is not None
            assert label.start < label.end <= label.told_start < label.told_end


def test_a_citation_is_labelled_once() -> None:
    labels = read_labels()
    assert len({(label.file, label.sample, label.start) for label in labels}) == len(labels)


@pytest.mark.shared
def test_the_words_stand_where_the_labels_say(shared: Path) -> None:
    for labelled in labelled_answers(shared):
        label = labelled.label
        assert labelled.digest == label.sha256, label
        (citation,) = find_citations(labelled.cited)
        assert format_position(citation.position) == label.position
