"""What is asked: options of a suite, strata, and where the sample pack counts as a whole."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.base.errors import UsageError
from hengfa.evals.suites.base import Sample, SuiteOption
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.evals.suites.lawbench.suite import SUITE
from hengfa.evals.suites.plan import choose, sample_pack


def numbered(count: int) -> list[Sample]:
    return [LawBenchSample(str(number), "", "", "") for number in range(count)]


def test_each_stratum_gives_its_share() -> None:
    kept = choose(numbered(1000), 100, lambda sample: "rare" if int(sample.id) < 100 else "common")
    counts = Counter("rare" if int(sample.id) < 100 else "common" for sample in kept)
    assert counts == {"rare": 10, "common": 90}


@given(st.integers(1, 60), st.integers(0, 60), st.integers(0, 60))
def test_a_larger_limit_contains_a_smaller_one(count: int, one: int, other: int) -> None:
    def stratum(sample: Sample) -> str:
        return str(int(sample.id) % 7)

    few, many = sorted((one, other))
    small = {sample.id for sample in choose(numbered(count), few, stratum)}
    large = {sample.id for sample in choose(numbered(count), many, stratum)}
    assert small <= large
    assert len(large) == min(count, many)


def only_small(value: str) -> str:
    if not value.isdecimal():
        raise ValueError(f"{value!r} is no number")
    return str(int(value))


def test_options_are_checked_and_completed() -> None:
    suite = replace(SUITE, options={"size": SuiteOption("3", "how many", only_small)})
    assert suite.choose({}) == {"size": "3"}
    assert suite.choose({"size": "007"}) == {"size": "7"}
    with pytest.raises(UsageError, match="--set size: 'x' is no number"):
        suite.choose({"size": "x"})
    with pytest.raises(UsageError, match="no option 'colour'; there is: size"):
        suite.choose({"colour": "red"})


def test_an_option_that_is_younger_than_a_run_has_its_default_there() -> None:
    """Else no run could be continued, or compared, once its suite has an option more."""
    options = {"old": SuiteOption("1", "", str), "young": SuiteOption("2", "", str)}
    suite = replace(SUITE, options=options | {"how": SuiteOption("3", "", str, scoring=True)})
    assert suite.asked_by({"old": "5", "gone": "6"}) == {"old": "5", "young": "2"}


def test_every_file_of_the_sample_pack_counts() -> None:
    pack = sample_pack("lawbench")
    assert pack.fingerprint
    assert pack.root.joinpath("data", "zero_shot", "1-1.json").is_file()
    assert pack == sample_pack("lawbench")
