"""Tellings of our own laws: keys by construction, groups as wholes, held-back laws."""

from __future__ import annotations

from collections import defaultdict

import pytest

from hengfa import evaluate
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.plan import make_plan
from hengfa.evals.suites.tellings import FAITHFUL, GROUP, WHETHER, TellingSample
from hengfa.law.library.citing.minimal_pairs import is_held_back


def samples(target: str = "tellings/faithful", **options: str) -> list[TellingSample]:
    [asked] = make_plan(target, data="sample", options=options).questions
    return [sample for sample in asked.samples if isinstance(sample, TellingSample)]


def test_each_group_has_both_kinds_one_edit_apart() -> None:
    groups = defaultdict(list)
    for sample in samples():
        groups[sample.group].append(sample)
        assert bool(sample.differing) is not sample.faithful
        told = all(part in sample.telling for part in sample.differing.split("、"))
        assert told or all(part in sample.provision for part in sample.differing.split("、"))
    assert len(groups) > 4
    for group in groups.values():
        assert {sample.faithful for sample in group} == {True, False}
        assert group[0].kind == "verbatim"
        assert group[0].telling in "".join(group[0].provision.split("\n"))


def test_laws_are_held_back_by_name_and_drawn_by_seed() -> None:
    assert all(is_held_back(sample.law) for sample in samples())
    assert not any(is_held_back(sample.law) for sample in samples(laws="seen"))
    every = samples(laws="all")
    assert {s.id for s in every} == {s.id for s in samples()} | {s.id for s in samples(laws="seen")}
    assert samples() == samples(seed="7") != samples(seed="8")
    assert len(samples(groups="1")) < len(samples())


def test_a_group_is_right_only_as_a_whole() -> None:
    rules = WHETHER.rule_set(Rules.OFFICIAL)
    groups = defaultdict(list)
    for sample in samples():
        groups[sample.group].append(sample)
    one, two, *_ = groups.values()
    # the whole of one group right; the other called faithful throughout
    replies = {s.id: FAITHFUL if s.faithful else "B" for s in one} | {s.id: FAITHFUL for s in two}
    scored = {
        sample.id: (sample, rules.score(sample, rules.read(replies[sample.id])).metrics)
        for sample in (*one, *two)
    }
    assert rules.across(scored) == {one[0].id: {GROUP: 1.0}, two[0].id: {GROUP: 0.0}}


@pytest.mark.parametrize(("model", "group", "words"), [("ceiling", 1.0, 1.0), ("floor", 0.0, None)])
def test_a_run_has_groups_and_words(model: str, group: float, words: float | None) -> None:
    run = evaluate("tellings", model, data="sample")
    [scored] = run.scores
    assert scored.further[GROUP] == group
    assert words is None or scored.tasks["words"].score == words


def test_both_letters_are_no_answer() -> None:
    rules = WHETHER.rule_set(Rules.CORRECTED)
    sample = samples()[0]
    assert rules.score(sample, rules.read("A，也可能是B")).metrics["accuracy"] == 0
    assert rules.score(sample, rules.read("答案：A")).metrics["accuracy"] == 1
