"""Random draws: the same everywhere, independent by stream, and distributed as they say."""

from __future__ import annotations

import statistics
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.world.generator.dice import Shuffle, Stream, Weighted, cut, exp2, shares


def test_the_first_draws_of_a_stream_never_change() -> None:
    dice = Stream(7, "test").dice(3)
    assert [dice.below(1000) for _ in range(10)] == [
        155,
        929,
        643,
        216,
        311,
        889,
        821,
        279,
        165,
        855,
    ]


def test_draws_depend_on_seed_stream_and_entity_only() -> None:
    def draws(seed: int, name: str, entity: int) -> list[int]:
        dice = Stream(seed, name).dice(entity)
        return [dice.word() for _ in range(20)]

    first = draws(1, "courts", 5)
    draws(1, "companies", 5)
    assert draws(1, "courts", 5) == first
    others = [draws(2, "courts", 5), draws(1, "companies", 5), draws(1, "courts", 6)]
    assert all(set(other).isdisjoint(first) for other in others)


@given(st.integers(1, 3_000), st.integers(0, 2**40))
@settings(max_examples=60, deadline=None)
def test_a_shuffle_takes_every_number_once(size: int, seed: int) -> None:
    shuffle = Shuffle(Stream(seed, "test"), size)
    assert sorted(map(shuffle, range(size))) == list(range(size))


def test_a_shuffle_does_not_keep_the_order() -> None:
    shuffle = Shuffle(Stream(7, "test"), 10_000)
    moved = [shuffle(i) for i in range(10_000)]
    neighbours = sum(abs(a - b) == 1 for a, b in pairwise(moved))
    assert neighbours < 20


@pytest.mark.parametrize("number", [-1, 10, 11])
def test_a_number_outside_a_shuffle_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="not below 10"):
        Shuffle(Stream(7, "test"), 10)(number)


@given(st.floats(-40, 40))
def test_powers_of_two_from_square_roots(power: float) -> None:
    assert exp2(power) == pytest.approx(2.0**power, rel=1e-6)


@given(st.integers(0, 10_000), st.lists(st.integers(1, 100), min_size=1, max_size=50))
def test_shares_add_up_and_follow_the_weights(total: int, weights: list[int]) -> None:
    found = shares(total, weights)
    assert sum(found) == total
    for share, weight in zip(found, weights, strict=True):
        assert abs(share - total * weight / sum(weights)) < 1


def test_a_cut_by_hand() -> None:
    assert [cut(10, before, 3) for before in range(4)] == [0, 3, 6, 10]


def test_draws_are_distributed_as_they_say() -> None:
    stream = Stream(11, "distribution")
    normals = [stream.dice(i).normal() for i in range(4_000)]
    assert statistics.mean(normals) == pytest.approx(0, abs=0.06)
    assert statistics.stdev(normals) == pytest.approx(1, abs=0.05)
    amounts = [stream.dice(i).lognormal(300.0, 1.8) for i in range(4_000)]
    assert statistics.median(amounts) == pytest.approx(300, rel=0.12)
    small = sum(stream.dice(i).skewed(64) == 0 for i in range(4_000))
    assert small / 4_000 == pytest.approx(0.25, abs=0.03)
    weighted = Weighted([("often", 9), ("seldom", 1)])
    picked = [weighted.pick(stream.dice(i)) for i in range(4_000)]
    assert picked.count("seldom") / 4_000 == pytest.approx(0.1, abs=0.02)


def test_limits_are_reached_and_kept() -> None:
    stream = Stream(5, "limits")
    assert {stream.dice(i).between(3, 5) for i in range(200)} == {3, 4, 5}
    assert {stream.dice(i).below(2) for i in range(200)} == {0, 1}
    assert not any(stream.dice(i).chance(0.0) for i in range(200))
    assert all(stream.dice(i).chance(1.0) for i in range(200))
