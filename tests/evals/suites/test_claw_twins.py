"""Two wordings of one provision: which are twins, whose wording an answer is, what a pair is."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tests.evals.suites.claw_provision import judged, sample, traced
from tests.evals.suites.test_claw_dataset import row, samples, write
from tests.law.library.conftest import shared_file  # noqa: F401 - a fixture

from hengfa.cli.main import cli
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites.base import Attempt, Rules
from hengfa.evals.suites.claw.clean import normalise
from hengfa.evals.suites.claw.dataset import ClawSample, Twin, load, samples_in
from hengfa.evals.suites.claw.likeness import OTHER_VERSION
from hengfa.evals.suites.claw.suite import CONTENT, SUITE
from hengfa.evals.suites.claw.twins import (
    BOTH,
    EARLIER,
    LATER,
    MIXED_UP,
    NEITHER,
    ONLY_NEW,
    ONLY_OLD,
    OUTCOMES,
    OWN,
    with_twins,
    wording,
)
from hengfa.evals.suites.plan import choose
from hengfa.evals.suites.scoring import score_attempts, table_of

OLD = "渡务署应当自收到申请之日起三十日内发给渡船牌；不发的，应当写明缘由。"
NEW = "渡务署应当自收到申请之日起十五日内发给渡船牌；不发的，应当写明缘由。"
OTHER = "渡船夜间不得出航，但是救人的除外。"
WORDS = st.text(alphabet="甲乙丙丁，。", min_size=1, max_size=12).map(normalise)
OLDER = sample(text=OLD, id="old", later=Twin("new", NEW), line="old")
NEWER = sample(text=NEW, id="new", earlier=Twin("old", OLD), line="old")


# --- pairs ---


@pytest.fixture(scope="module")
def twins() -> dict[str, ClawSample]:
    return samples(setting="twins")


def pairs(found: dict[str, ClawSample]) -> set[tuple[str, str]]:
    return {(one.earlier.id, one.id) for one in found.values() if one.earlier is not None}


def test_twins_are_changed_provisions_of_versions_next_to_each_other(
    twins: dict[str, ClawSample],
) -> None:
    found = pairs(twins)
    assert ("月湖养蜂法/2003-05-06/7", "月湖养蜂法/2016-08-15/7") in found
    assert ("月湖渡船法/2008-03-12/5.1", "月湖渡船法/2015-09-20/5.1") in found
    assert "月湖渡船法/2015-09-20/7-1.1" not in twins  # new, and gone in 2021
    for old, new in found:
        assert normalise(twins[old].text) != normalise(twins[new].text)
        assert twins[old].later == Twin(new, twins[new].text)
        assert twins[old].line == twins[new].line
    assert twins.keys() == {id_ for pair in found for id_ in pair}


def test_a_provision_is_found_again_under_another_number(twins: dict[str, ClawSample]) -> None:
    moved = {pair for pair in pairs(twins) if twins[pair[0]].position != twins[pair[1]].position}
    assert ("月湖养蜂法/2016-08-15/4.2", "月湖养蜂法/2023-01-10/5.2") in moved


def test_a_provision_with_three_wordings_is_asked_for_once_in_each(
    twins: dict[str, ClawSample],
) -> None:
    middle = [one for one in twins.values() if one.earlier and one.later]
    assert middle
    assert all(one.earlier and one.line == one.earlier.id for one in middle)


def test_other_punctuation_is_no_other_wording(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        row("月湖某法\n\n第一条　甲、乙应当敲钟。\n第二条　丙应当敲钟三下。\n"),
        row(
            "月湖某法\n\n第一条　甲，乙应当敲钟。\n第二条　丙应当敲钟四下。\n", version="2002-02-02"
        ),
    )
    found = load("content", folder, "twins", SUITE.choose({}))
    assert [one.id for one in found] == ["月湖某法/2001-01-01/2", "月湖某法/2002-02-02/2"]


def test_a_limited_run_takes_whole_pairs(twins: dict[str, ClawSample]) -> None:
    everything = list(twins.values())
    for limit in (10, 20, 31):
        chosen = choose(everything, limit, CONTENT.stratum, CONTENT.together)
        lines = Counter(CONTENT.together(one) for one in chosen)  # type: ignore[misc, arg-type]
        whole = Counter(one.line for one in everything)
        assert len(chosen) == limit
        assert sum(lines[line] != whole[line] for line in lines) <= 1
    first = {one.id for one in choose(everything, 10, CONTENT.stratum, CONTENT.together)}
    assert first < {one.id for one in choose(everything, 20, CONTENT.stratum, CONTENT.together)}


def test_other_settings_choose_and_score_as_if_there_were_no_twins() -> None:
    everything = list(samples().values())
    plain = choose(everything, 40, CONTENT.stratum)
    assert choose(everything, 40, CONTENT.stratum, CONTENT.together) == plain
    assert OWN not in judged("content", sample(), NEW)


# --- answers ---


@pytest.mark.parametrize(
    ("answer", "whose"),
    [
        (NEW, "own"),
        (OLD, "earlier"),
        (f"**第五条第一款**　{OLD}", "earlier"),
        (NEW.replace("申请", "申请书"), "own"),  # a slip that is neither's
        (NEW.replace("十五日", "二十五日"), "none"),  # halfway between the two
        (OTHER, "none"),
        (f"{NEW}{OTHER}", "none"),  # too much besides
        ("抱歉，我无法提供。", "none"),
        ("", "none"),
    ],
)
def test_the_letters_in_which_wordings_differ_decide(answer: str, whose: str) -> None:
    metrics = judged("content", NEWER, answer)
    assert (metrics[OWN], metrics[EARLIER]) == (float(whose == "own"), float(whose == "earlier"))
    assert metrics[LATER] is None  # there is none


def test_the_old_wording_for_the_new_one_is_named_in_the_trace() -> None:
    trace = traced("content", NEWER, OLD)
    assert trace.error == OTHER_VERSION
    assert [(one.given, one.right) for one in trace.findings if one.label == "wording"] == [
        ("earlier", False)
    ]


@given(WORDS, WORDS)
def test_a_wording_is_always_told_from_another(one: str, other: str) -> None:
    pair = sample(text=one, later=Twin("new", other))
    assert wording(pair, one) == "own"
    assert wording(pair, other) == ("own" if one == other else "later")


# --- pairs of answers ---


def outcome(old: str | None, new: str | None) -> str:
    """What a pair is whose questions were answered so; None is no answer."""
    attempts = [
        Attempt(one, Response(Status.ANSWERED if text is not None else Status.REFUSED, text or ""))
        for one, text in ((OLDER, old), (NEWER, new))
    ]
    scored = score_attempts(CONTENT.rule_set(Rules.OFFICIAL), attempts)
    assert not scored[0].metrics.keys() & {*OUTCOMES}  # they stand with the newer sample
    [what] = [name for name in OUTCOMES if scored[1].metrics[name]]
    return what


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (OLD, NEW, BOTH),
        (OLD, OTHER, ONLY_OLD),
        (OTHER, NEW, ONLY_NEW),
        (OLD, OLD, MIXED_UP),  # the old wording for the new question
        (NEW, NEW, MIXED_UP),
        (NEW, OLD, MIXED_UP),
        (OTHER, OLD, MIXED_UP),
        (OTHER, OTHER, NEITHER),
        (None, NEW, ONLY_NEW),
        (None, None, NEITHER),
    ],
)
def test_a_pair_is_what_became_of_both(old: str | None, new: str | None, expected: str) -> None:
    assert outcome(old, new) == expected


def test_half_a_pair_counts_for_no_pair() -> None:
    attempts = [Attempt(NEWER, Response(Status.ANSWERED, NEW))]
    [scored] = score_attempts(CONTENT.rule_set(Rules.OFFICIAL), attempts)
    assert scored.metrics[OWN] == 1 and BOTH not in scored.metrics


def test_each_time_that_a_pair_is_asked_counts_for_itself() -> None:
    said = ((OLDER, 1, OLD), (OLDER, 2, OTHER), (NEWER, 1, NEW), (NEWER, 2, NEW))
    attempts = [
        Attempt(one, Response(Status.ANSWERED, text), repeat=repeat) for one, repeat, text in said
    ]
    scored = score_attempts(CONTENT.rule_set(Rules.OFFICIAL), attempts)
    figure = table_of(scored).figure(CONTENT.recipe(Rules.OFFICIAL))
    assert (figure.more[BOTH], figure.more[ONLY_NEW]) == (0.5, 0.5)


def test_figures_are_shares_of_all_pairs(tmp_path: Path) -> None:
    told = {}
    for model in ("floor", "ceiling", "retrieval"):
        call = ["eval", "claw/content", "--setting", "twins", "--data", "sample", "--json"]
        done = CliRunner().invoke(cli, [*call, "--model", model, "--runs", str(tmp_path)])
        assert done.exit_code == 0, done.output
        told[model] = _twin_figures(json.loads(done.stdout))
    assert told["ceiling"] == dict.fromkeys(OUTCOMES, 0.0) | {BOTH: 1.0}
    assert told["floor"] == dict.fromkeys(OUTCOMES, 0.0) | {NEITHER: 1.0}
    assert sum(told["retrieval"].values()) == pytest.approx(1)
    assert told["retrieval"][MIXED_UP] > 0.5 > told["retrieval"][BOTH]


def _twin_figures(document: object) -> dict[str, float]:
    """Wherever the figures of pairs stand in a document."""
    if isinstance(document, dict):
        if {*document} == {*OUTCOMES}:
            return document
        for value in document.values():
            if found := _twin_figures(value):
                return found
    if isinstance(document, list):
        return next(filter(None, map(_twin_figures, document)), {})
    return {}


# --- on the real statutes ---


@pytest.mark.deep
@pytest.mark.shared
def test_pairs_of_the_real_corpus_are_told_apart(shared_file: Path) -> None:  # noqa: F811
    found = {one.id: one for one in with_twins(shared_file, samples_in(shared_file, {}))}
    assert (len(pairs(found)), len(found)) == (1857, 3685)
    for old, new in pairs(found):
        older, newer = found[old], found[new]
        assert wording(older, normalise(older.text)) == "own", old
        assert wording(newer, normalise(older.text)) == "earlier", new
        assert wording(older, normalise(newer.text)) == "later", old
