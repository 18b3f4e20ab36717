"""Test cases in a collection of judgments are found, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from hengfa.suites.judgment.cases import Case, case_of, other_folds, read_cases
from hengfa.suites.judgment.dataset import DIRECT, all_samples, load
from hengfa.suites.judgment.leaks import find_leaks
from hengfa.suites.plan import sample_root

SAMPLES = load(sample_root() / "judgment", DIRECT, {})
FIRST = SAMPLES[0]
OTHER = Case("other", "某人在湖边放风筝，线断了，打碎了别人的灯笼。" * 4, "另案判决")


def test_each_way_of_being_too_close_is_named_with_the_test_case() -> None:
    same = Case("same", FIRST.fact, "抄来的判决")
    similar = Case("similar", FIRST.fact + "又及，天色已晚。", "改写的判决")
    holding = Case("holding", "事实另见判决。" * 12, FIRST.document)
    leaks = find_leaks(SAMPLES, [OTHER, same, similar, holding])
    found = {leak.case: leak for leak in leaks.found}
    assert {name: leak.closeness for name, leak in found.items()} == {
        "same": "same",
        "similar": "similar",
        "holding": "contains",
    }
    assert {leak.sample for leak in leaks.found} == {FIRST.id}
    assert found["same"].similarity == 1
    assert leaks.refused == {1, 2, 3}
    assert (leaks.remaining, leaks.refused_for(FIRST.id), leaks.refused_for(SAMPLES[1].id)) == (
        1,
        3,
        0,
    )


def test_a_judgment_and_a_test_case_are_told_once() -> None:
    """The facts are the same, and stand in the document too."""
    (leak,) = find_leaks(SAMPLES, [case_of(FIRST)]).found
    assert (leak.place, leak.case, leak.closeness) == (0, FIRST.id, "same")


def test_the_threshold_decides_what_is_similar() -> None:
    fact = "".join(FIRST.fact.split())
    half = Case("half", fact[: len(fact) // 2] + OTHER.fact[: len(fact) // 2], "判决")
    assert find_leaks([FIRST], [half]).found == ()
    assert find_leaks([FIRST], [half], 0.5).refused == {0}


def test_the_test_set_itself_is_refused_whole_and_the_message_is_short() -> None:
    leaks = find_leaks(SAMPLES, [case_of(sample) for sample in SAMPLES])
    assert (len(leaks.refused), leaks.remaining) == (8, 0)
    assert str(leaks).startswith("8 of 8 judgments are refused")
    assert str(leaks).endswith("moon-lake-5, …")


def test_nothing_found_is_said_without_names() -> None:
    told = str(find_leaks(SAMPLES, [OTHER]))
    assert told.startswith("0 of 1 judgments are refused")
    assert told.endswith("0 of 8 test cases")


@pytest.mark.shared
def test_collections_of_real_judgments(shared: Path) -> None:
    """Three facts of the CAIL sample are those of test cases; the folds leak nothing."""
    samples = all_samples(shared / "data" / "JuDGE")
    corpora = shared / "data" / "corpora"
    docs = read_cases(corpora / "criminal_docs" / "caseformer_demo.jsonl.gz")
    assert find_leaks(samples, docs).remaining == 50
    facts = read_cases(corpora / "cail2018_sample" / "cases.jsonl.gz", parts=True)
    leaks = find_leaks(samples, facts)
    assert [leak.place + 1 for leak in leaks.found] == [1191, 3440, 3975]
    assert find_leaks(samples, [case_of(one) for one in samples]).remaining == 0
    assert find_leaks(samples[:100], other_folds(samples[100:], -1)).found == ()
