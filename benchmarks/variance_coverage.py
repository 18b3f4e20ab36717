"""How often the 95 % intervals of the parts of the variance of graded scores hold the truth.

Answers are graded by rules whose parts are known, a thousand times; a good interval holds each part
in 95 of 100. Prints the table of docs/statistics.md, and Student's interval beside ours.

    python benchmarks/variance_coverage.py [--repetitions 4000] [--seed 1] [KIND…]

Needs no data; --repetitions 200 is a quick look.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from hengfa.base.statistics.evidence import Array
from hengfa.base.statistics.intervals import t_quantile
from hengfa.base.statistics.variance import PARTS, crossed
from shared_data import read_arguments

ANSWERS, GRADINGS = 5, 3
MANY = 100_000
Throw = Callable[[np.random.Generator, tuple[int, ...]], Array]


def normal(random: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return random.standard_normal(shape)


def skewed(random: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return random.exponential(1.0, shape) - 1.0


def rarely(random: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Mostly nothing."""
    thrown: Array = random.choice([-5.0, 0.0, 5.0], shape, p=[0.02, 0.96, 0.02])
    return thrown


@dataclass(frozen=True)
class Kind:
    """How scores come about: standard deviations of the parts, biases and noise of each grader.

    `points` is into how many equal steps from 0 to 1 scores are rounded and cut off, if any;
    `together` how many questions are about the same case, which makes half of what they are worth.
    """

    name: str
    questions: int = 100
    spread: tuple[float, float, float, float] = (0.15, 0.08, 0.05, 0.03)
    biases: tuple[float, ...] = (-0.05, 0.0, 0.06)
    noise: tuple[float, ...] = (0.04, 0.04, 0.04)
    throw: Throw = normal
    waver: Throw = normal
    points: int = 0
    together: int = 1

    def scores(self, random: np.random.Generator, questions: int) -> Array:
        graders = len(self.biases)
        asked, answered, by_question, by_answer = self.spread
        cases = self.throw(random, (questions // self.together, 1, 1, 1))
        own = self.throw(random, (questions, 1, 1, 1))
        level = (cases.repeat(self.together, axis=0) + own) * math.sqrt(0.5)
        scores: Array = 0.6 + asked * (level if self.together > 1 else own)
        scores = scores + answered * self.throw(random, (questions, ANSWERS, 1, 1))
        scores = scores + by_question * self.throw(random, (questions, 1, graders, 1))
        scores = scores + by_answer * self.throw(random, (questions, ANSWERS, graders, 1))
        noise = self.waver(random, (questions, ANSWERS, graders, GRADINGS))
        scores = scores + noise * np.array(self.noise)[:, None] + np.array(self.biases)[:, None]
        if self.points:
            scores = np.clip(np.round(scores * self.points) / self.points, 0, 1)
        return scores

    def truth(self) -> dict[str, float]:
        """Of scores that are rounded and cut off, as good as known from very many questions."""
        if self.points:
            names = [str(number) for number in range(MANY)]
            found = crossed(self.scores(np.random.default_rng(0), MANY), names)
            assert found is not None
            return {part.of[0]: part.estimate.value for part in found.parts}
        asked, answered, by_question, by_answer = (deviation**2 for deviation in self.spread)
        biases, noise = float(np.var(self.biases, ddof=1)), float(np.square(self.noise).mean())
        return dict(
            zip(PARTS, (asked, answered, biases, by_question, by_answer, noise), strict=True)
        )


def kinds() -> Iterator[Kind]:
    yield Kind("normal")
    yield Kind("graders of unequal noise", noise=(0.01, 0.04, 0.12))
    yield Kind(
        "shares in steps of 0.05, cut off at 0 and 1",
        spread=(0.3, 0.15, 0.1, 0.08),
        noise=(0.1, 0.1, 0.1),
        points=20,
    )
    yield Kind("graders who change 4 % of their marks", waver=rarely)
    yield Kind("skewed", throw=skewed)
    yield Kind(
        "graders who hardly differ", spread=(0.15, 0.08, 0.02, 0.01), biases=(-0.01, 0.0, 0.006)
    )
    yield Kind(
        "one grader noisier than biases are large",
        spread=(0.15, 0.08, 0.02, 0.03),
        biases=(-0.01, 0.0, 0.01),
        noise=(0.01, 0.02, 0.3),
    )
    yield Kind("100 questions in 25 cases", together=4)
    yield Kind("30 questions", questions=30)


def coverage(kind: Kind, repetitions: int, seed: int) -> dict[str, dict[str, float]]:
    """Method to part to the share of intervals that hold the truth."""
    random = np.random.default_rng(seed)
    truth = kind.truth()
    held = {method: dict.fromkeys(PARTS, 0) for method in ("Student", "Hengfa")}
    names = [str(number) for number in range(kind.questions)]
    cases = [str(number // kind.together) for number in range(kind.questions)]
    for _ in range(repetitions):
        found = crossed(kind.scores(random, kind.questions), names, cases, seed=seed)
        assert found is not None
        t = t_quantile(0.975, found.clusters - 1)
        for name, part in zip(PARTS, found.parts, strict=True):
            shown = part.estimate
            assert shown.low is not None
            assert shown.high is not None
            held["Hengfa"][name] += shown.low <= truth[name] <= shown.high
            held["Student"][name] += abs(shown.value - truth[name]) <= t * shown.standard_error
    return {
        method: {name: number / repetitions for name, number in by_part.items()}
        for method, by_part in held.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kinds", nargs="*", help="only kinds whose name has this in it")
    parser.add_argument("--repetitions", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    given = read_arguments(parser, quick="--repetitions 10")
    began = time.process_time()
    print("| scores | interval | " + " | ".join(PARTS) + " |")
    print("| --- | --- |" + " ---: |" * len(PARTS))
    for kind in kinds():
        if not given.kinds or any(word in kind.name for word in given.kinds):
            for method, by_part in coverage(kind, given.repetitions, given.seed).items():
                cells = " | ".join(f"{share * 100:.1f}" for share in by_part.values())
                print(f"| {kind.name} | {method} | {cells} |", flush=True)
    print(f"\n{given.repetitions:,} repetitions, {time.process_time() - began:.0f} s of CPU")


if __name__ == "__main__":
    main()
