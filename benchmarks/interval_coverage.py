"""How often 95 % intervals hold the truth, for each kind of figure, ours beside textbook ones.

Data are made by rules whose true figure is known, thousands of times; a good interval holds it in
95 of 100. Prints the table of which docs/statistics.md has some rows.

    python benchmarks/interval_coverage.py [--repetitions 4000] [--draws 2000] [KIND…]

Needs no data; --repetitions 100 is a quick look.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from hengfa.base.statistics.evidence import Array, Evidence, Whole, evidence_of
from hengfa.base.statistics.intervals import (
    Sampled,
    difference_of,
    estimate,
    sampled,
    weighted,
)
from shared_data import read_arguments

AT_ONCE = 100
NORMAL = NormalDist()
Figure = tuple[Sampled, Sequence[Array]]
"""A figure with its draws, and how much each cluster moves it: the jackknife, for BCa."""


@dataclass(frozen=True)
class Kind:
    """A kind of data: its name, the true figure, and figures made of data at random."""

    name: str
    truth: float
    made: Callable[[np.random.Generator, int, int], list[Figure]]
    """Random numbers, how many figures, how many draws."""


Draw = Callable[[np.random.Generator], Array]


def names(n: int) -> list[str]:
    return [str(number) for number in range(n)]


def influence(one: Evidence) -> Array:
    """How much the figure moves, about, for each cluster that is left out."""
    sums = one.cluster_sums.sum(axis=0) - one.cluster_sums
    left = one.figures(sums)
    moved: Array = left.mean() - left
    return moved


def right(n: int, share: float) -> Draw:
    return lambda random: (random.random(n) < share).astype(np.float64)


def skewed(n: int, a: float, b: float) -> Draw:
    return lambda random: random.beta(a, b, n)


def mostly_zero(n: int) -> Draw:
    return lambda random: (random.random(n) < 0.3) * random.beta(4.0, 2.0, n)


def mean_kind(name: str, truth: float, draw: Draw) -> Kind:
    def made(random: np.random.Generator, many: int, draws: int) -> list[Figure]:
        values = [draw(random) for _ in range(many)]
        data = [evidence_of(names(len(one)), one) for one in values]
        found = sampled(data, "task", seed=int(random.integers(2**31)), draws=draws)
        return [(one, [influence(two)]) for one, two in zip(found, data, strict=True)]

    return Kind(name, truth, made)


def clustered_kind(name: str, truth: float, clusters: int, within: Callable[..., Array]) -> Kind:
    """Clusters of unequal size, whose samples resemble each other."""

    def made(random: np.random.Generator, many: int, draws: int) -> list[Figure]:
        sizes = random.integers(1, 20, clusters)
        label = np.repeat(np.arange(clusters), sizes)
        named = [str(one) for one in label]
        data = [
            evidence_of(names(len(label)), within(random, clusters, label), named)
            for _ in range(many)
        ]
        found = sampled(data, "task", seed=int(random.integers(2**31)), draws=draws)
        return [(one, [influence(two)]) for one, two in zip(found, data, strict=True)]

    return Kind(name, truth, made)


def right_or_wrong(random: np.random.Generator, clusters: int, label: Whole) -> Array:
    level = random.beta(3.0, 2.0, clusters)
    right: Array = (random.random(len(label)) < level[label]).astype(np.float64)
    return right


def graded(random: np.random.Generator, clusters: int, label: Whole) -> Array:
    level = random.beta(2.0, 4.0, clusters)[label]
    scores: Array = random.beta(0.2 + 5 * level, 0.2 + 5 * (1 - level))
    return scores


def graded_truth() -> float:
    """The mean of (0.2 + 5 x) / 5.4 where x has the mean 1/3."""
    return (0.2 + 5 / 3) / 5.4


def f_half(tp: float, fp: float, fn: float) -> float:
    whole = 1.25 * tp + fp + 0.25 * fn
    return 1.25 * tp / whole if whole else 0.0


def pooled_kind(n: int) -> Kind:
    """Sentences with more or fewer mistakes, some of them found, and some corrected that were not.

    By sentence there are 1.8 mistakes on average, of which 35 % are found, and 0.96 false ones.
    """

    def made(random: np.random.Generator, many: int, draws: int) -> list[Figure]:
        data = []
        for _ in range(many):
            hard = random.gamma(1.2, 1.0, n)
            wanted = random.poisson(1.5 * hard)
            tp, fp = random.binomial(wanted, 0.35), random.poisson(0.8 * hard)
            parts = np.stack([tp, fp, wanted - tp], axis=1).astype(np.float64)
            data.append(evidence_of(names(n), parts[:, 0], parts=parts, figure=f_half))
        found = sampled(data, "task", seed=int(random.integers(2**31)), draws=draws)
        return [(one, [influence(two)]) for one, two in zip(found, data, strict=True)]

    return Kind(f"pooled F0.5, n = {n}", f_half(0.63, 0.96, 1.17), made)


def overall_kind(name: str, parts: Sequence[Kind], weights: Sequence[float]) -> Kind:
    """A weighted mean of the figures of several tasks."""

    def made(random: np.random.Generator, many: int, draws: int) -> list[Figure]:
        by_task = [part.made(random, many, draws) for part in parts]
        figures: list[Figure] = []
        for several in zip(*by_task, strict=True):
            tasks: Mapping[str, Sampled] = {str(i): one[0] for i, one in enumerate(several)}
            shares = {str(i): weight for i, weight in enumerate(weights)}
            value = sum(shares[task] * one.value for task, one in tasks.items())
            moved = [weight * one[1][0] for weight, one in zip(weights, several, strict=True)]
            figures.append((weighted(tasks, shares, value), moved))
        return figures

    truth = sum(weight * part.truth for weight, part in zip(weights, parts, strict=True))
    return Kind(name, truth, made)


def paired_kind(name: str, truth: float, draw: Callable[..., tuple[Array, Array]]) -> Kind:
    """The difference of two runs on the same samples."""

    def made(random: np.random.Generator, many: int, draws: int) -> list[Figure]:
        pairs = [draw(random) for _ in range(many)]
        data = [evidence_of(names(len(one)), one) for pair in pairs for one in pair]
        seed = int(random.integers(2**31))
        found = sampled(data, "task", seed=seed, draws=draws)
        figures: list[Figure] = []
        for number in range(0, len(found), 2):
            one, other = data[number], data[number + 1]
            apart = difference_of(found[number], found[number + 1], one, str(number), seed=seed)
            figures.append((apart, [influence(one) - influence(other)]))
        return figures

    return Kind(name, truth, made)


def right_both(n: int, slip: float, other: float) -> Callable[..., tuple[Array, Array]]:
    """Two runs right on the same 60 % of the questions but for slips of their own."""

    def draw(random: np.random.Generator) -> tuple[Array, Array]:
        known = random.random(n) < 0.6
        a, b = (known ^ (random.random(n) < share) for share in (slip, other))
        return a.astype(np.float64), b.astype(np.float64)

    return draw


def graded_both(n: int) -> Callable[..., tuple[Array, Array]]:
    """Skewed scores, the second on average 0.02 better on an easy sample than on a hard one."""

    def draw(random: np.random.Generator) -> tuple[Array, Array]:
        level = random.beta(1.0, 2.0, n)
        return random.beta(0.5 + 6 * level, 6.5 - 6 * level), level

    return draw


def kinds() -> Iterator[Kind]:
    for n in (10, 30, 100, 500):
        for p in (0.5, 0.95):
            yield mean_kind(f"right or wrong, {p:.0%}, n = {n}", p, right(n, p))
    for n in (10, 30, 100, 500):
        yield mean_kind(f"skewed scores, n = {n}", 0.2, skewed(n, 0.4, 1.6))
        yield mean_kind(f"mostly zero, n = {n}", 0.2, mostly_zero(n))
    for clusters in (15, 30, 100):
        yield clustered_kind(
            f"right or wrong in {clusters} clusters", 0.6, clusters, right_or_wrong
        )
        yield clustered_kind(f"scores in {clusters} clusters", graded_truth(), clusters, graded)
    for n in (30, 100, 500):
        yield pooled_kind(n)
    for n in (10, 30, 100):
        parts = kinds_of_tasks(n)
        yield overall_kind(f"mean of five tasks, n = {n}", parts, [0.2] * 5)
        yield overall_kind(f"weighted 2:5:3, n = {n}", parts[:3], [0.2, 0.5, 0.3])
    for n in (10, 30, 100, 500):
        slips = 0.6 * 0.9 + 0.4 * 0.1 - (0.6 * 0.95 + 0.4 * 0.05)
        yield paired_kind(f"paired, right or wrong, n = {n}", slips, right_both(n, 0.1, 0.05))
        truth = (0.5 + 6 / 3) / 7 - 1 / 3
        yield paired_kind(f"paired, scores, n = {n}", truth, graded_both(n))


def kinds_of_tasks(n: int) -> list[Kind]:
    """Five tasks as unlike as a suite has them."""
    return [
        mean_kind("", 0.95, right(n, 0.95)),
        mean_kind("", 0.5, right(n, 0.5)),
        mean_kind("", 0.2, skewed(n, 0.4, 1.6)),
        mean_kind("", 0.25, skewed(2 * n, 3.0, 9.0)),
        pooled_kind(n),
    ]


def percentile(one: Sampled, _moved: Sequence[Array]) -> tuple[float, float]:
    low, high = np.quantile(one.draws, [0.025, 0.975])
    return float(low), float(high)


def bca(one: Sampled, moved: Sequence[Array]) -> tuple[float, float]:
    """Percentiles corrected for bias and for skew, as scipy.stats.bootstrap has them."""
    every = np.concatenate(moved)
    squares = float((every**2).sum())
    if not squares:
        return one.value, one.value
    skew = float((every**3).sum()) / (6 * squares**1.5)
    below = float((one.draws < one.value).mean() + (one.draws == one.value).mean() / 2)
    bias = NORMAL.inv_cdf(min(max(below, 1e-4), 1 - 1e-4))
    ends = [bias + z for z in (-1.959964, 1.959964)]
    shares = [NORMAL.cdf(bias + end / (1 - skew * end)) for end in ends]
    low, high = np.quantile(one.draws, shares)
    return float(low), float(high)


def student(one: Sampled, _moved: Sequence[Array]) -> tuple[float, float]:
    error = float(one.draws.std(ddof=1))
    return one.value - 1.96 * error, one.value + 1.96 * error


def ours(one: Sampled, _moved: Sequence[Array]) -> tuple[float, float]:
    found = estimate(one)
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


METHODS = {"percentile": percentile, "BCa": bca, "±1.96 s.e.": student, "Hengfa": ours}


def coverage(
    kind: Kind, repetitions: int, draws: int, methods: Sequence[str] = (*METHODS,), seed: int = 1
) -> dict[str, float]:
    """The share of intervals that hold the truth, by method."""
    random = np.random.default_rng(seed)
    held = dict.fromkeys(methods, 0)
    for start in range(0, repetitions, AT_ONCE):
        for one, moved in kind.made(random, min(AT_ONCE, repetitions - start), draws):
            for name in methods:
                low, high = METHODS[name](one, moved)
                held[name] += low <= kind.truth <= high
    return {name: number / repetitions for name, number in held.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kinds", nargs="*", help="only kinds whose name has this in it")
    parser.add_argument("--repetitions", type=int, default=4000)
    parser.add_argument("--draws", type=int, default=2000)
    given = read_arguments(parser, quick="--repetitions 5 --draws 50")
    began = time.process_time()
    print("| figure | " + " | ".join(METHODS) + " |")
    print("| --- |" + " ---: |" * len(METHODS))
    for kind in kinds():
        if not given.kinds or any(word in kind.name for word in given.kinds):
            found = coverage(kind, given.repetitions, given.draws)
            cells = " | ".join(f"{found[name] * 100:.1f}" for name in METHODS)
            print(f"| {kind.name} | {cells} |", flush=True)
    print(f"\n{given.repetitions:,} repetitions, {time.process_time() - began:.0f} s of CPU")


if __name__ == "__main__":
    main()
