"""Where graded scores scatter: over questions, answers, graders, and gradings asked again.

Each question is answered several times, each answer is graded by several graders, and each of them
is asked several times:

    score = mean + question + answer + grader + grader × question + grader × answer + noise

Questions and answers are draws from many like them. Graders are few and have names: theirs are not
draws but biases, whose part is the variance of just these around their mean. Parts are estimated
from the mean squares of a block in which nothing is missing (analysis of variance), so none is too
high or too low on average, for scores of any distribution and graders of unequal noise.

All parts are figures of sums over questions, so leaving out one cluster of questions at a time
(jackknife) says how sure they are. Their estimates are skewed, as those of variances are, and
Student's interval would mostly miss above: it is bent by the skewness that the jackknife shows
(Hall 1992). Simulation, also with skewed and clipped scores, speaks for it: docs/statistics.md. The
part of the graders, a squared distance of few numbers, is tested for every distance instead: the
interval has those from which the one seen is not too far.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Final

import msgspec
import numpy as np

from hengfa.base.statistics.contest import Difference, difference_between
from hengfa.base.statistics.evidence import SHARE, Array, Bounds, Evidence, Whole, evidence_of
from hengfa.base.statistics.intervals import (
    DRAWS,
    SEED,
    Estimate,
    Sampled,
    dice,
    estimate,
    sampled,
    t_quantile,
)

QUESTIONS: Final = "questions"
ANSWERS: Final = "answers"
GRADERS: Final = "graders"
BY_QUESTION: Final = "grader × question"
BY_ANSWER: Final = "grader × answer"
NOISE: Final = "noise"
GRADINGS: Final = "gradings"
PARTS: Final = (QUESTIONS, ANSWERS, GRADERS, BY_QUESTION, BY_ANSWER, NOISE)

LEAST: Final = 3
"""Clusters; of fewer the jackknife says nothing."""
_TAIL: Final = 0.025
_NOTHING: Final = 1e-12
_SYMMETRIC: Final = 1e-6
_STEPS: Final = 50


class Part(msgspec.Struct, frozen=True):
    """A part of the variance of a single score; an estimate below 0 is shown as 0.

    `of` names what it is made of: more than one of :data:`PARTS` where the design cannot tell them
    apart, the main one first.
    """

    of: tuple[str, ...]
    estimate: Estimate


class More(msgspec.Struct, frozen=True):
    """By which share the interval of a score would narrow with more `of` something. `doubled` with
    twice as many, `at_most` with as many as one likes."""

    of: str
    doubled: float
    at_most: float


class Crossed(msgspec.Struct, frozen=True):
    """Graded scores taken apart.

    Questions, answers (to each), graders and gradings (of each answer by each) are those of the
    complete block; `questions_left_out` and `scores_left_out` count what is not in it.
    """

    questions: int
    clusters: int
    answers: int
    graders: int
    gradings: int
    questions_left_out: int
    scores_left_out: int
    parts: tuple[Part, ...]
    squared_error: float
    """The squared standard error of the score by one of the graders, the mean over them."""

    def part(self, name: str) -> Part | None:
        """The part of which this is the main one."""
        return next((part for part in self.parts if part.of[0] == name), None)

    def variance(self, questions: float, answers: float, gradings: float) -> float:
        """The squared standard error that the score by one grader would have of so many.

        What the design cannot tell apart stays together: where each question was answered once,
        more answers seem to change nothing. Biases of graders are not in it: nothing narrows them.
        """
        by_answer, by_grading = self._of(ANSWERS) + self._of(BY_ANSWER), self._of(NOISE)
        within = by_answer / self.answers + by_grading / (self.answers * self.gradings)
        between = max(0.0, self.squared_error * self.questions - within)
        again = by_answer / answers + by_grading / (answers * gradings)
        return (between + again) / questions

    def more_of(self) -> list[More]:
        """What would narrow the interval of the score by one grader, the most helpful first. Twice
        the questions always help most, and cost most; what cannot be told is left out."""
        sizes = {QUESTIONS: self.questions, ANSWERS: self.answers, GRADINGS: self.gradings}
        told = {QUESTIONS: True, ANSWERS: self.answers > 1, GRADINGS: self.gradings > 1}
        if self.squared_error < _NOTHING:  # all alike
            return []

        def narrowed(name: str, times: float) -> float:
            more = {of: size * times if of == name else size for of, size in sizes.items()}
            left = self.variance(*more.values()) / self.variance(*sizes.values())
            return 1 - math.sqrt(left)

        every = [More(name, narrowed(name, 2), narrowed(name, math.inf)) for name in sizes]
        return sorted((more for more in every if told[more.of]), key=lambda more: -more.doubled)

    def _of(self, name: str) -> float:
        part = self.part(name)
        return part.estimate.value if part is not None else 0.0


def crossed(
    scores: Array,
    questions: Sequence[str],
    clusters: Sequence[str | None] | None = None,
    task: str = "crossed",
    *,
    seed: int = SEED,
    draws: int = DRAWS,
) -> Crossed | None:
    """Take scores apart: by question, answer, grader and grading (four axes), NaN where none is.
    None where fewer than :data:`LEAST` clusters of questions have all that is needed."""
    block, rows = _complete(scores)
    if len(rows) < LEAST:
        return None
    evidence = evidence_of(
        [questions[row] for row in rows],
        block.mean(axis=(1, 2, 3)),
        None if clusters is None else [clusters[row] for row in rows],
        parts=_columns(block),
        bounds=SHARE if block.min() >= 0 and block.max() <= 1 else None,
    )
    if len(evidence.sizes) < LEAST:
        return None
    return Crossed(
        questions=block.shape[0],
        clusters=len(evidence.sizes),
        answers=block.shape[1],
        graders=block.shape[2],
        gradings=block.shape[3],
        questions_left_out=len(scores) - len(rows),
        scores_left_out=int((~np.isnan(scores)).sum()) - block.size,
        parts=_parts(evidence, block.shape[1:], dice(seed, task, "graders"), draws),
        squared_error=_squared_error(evidence),
    )


def _complete(scores: Array) -> tuple[Array, Whole]:
    """The largest block without a gap, and which questions are in it.

    Answers to a question are as good as each other, and so are gradings: of those that a question
    has more of than others, the first are taken. All graders stay in it.
    """
    known = ~np.isnan(scores)
    first = np.argsort(~known, axis=3, kind="stable")
    scores = np.take_along_axis(scores, first, axis=3)
    graded = known.sum(axis=3).min(axis=2)  # by all graders, each answer so often
    sizes = {
        (int(((graded >= r).sum(axis=1) >= a).sum()) * a * r, a * r, a): (a, r)
        for a in range(1, scores.shape[1] + 1)
        for r in range(1, scores.shape[3] + 1)
    }
    answers, gradings = sizes[max(sizes)]
    enough = graded >= gradings
    rows = np.flatnonzero(enough.sum(axis=1) >= answers)
    chosen = np.argsort(~enough[rows], axis=1, kind="stable")[:, :answers, None, None]
    return np.take_along_axis(scores[rows, ..., :gradings], chosen, axis=1), rows


_NUMBER, _NOISE, _BY_ANSWER, _ANSWERS, _SUM, _SQUARES, _LEANINGS, _LEANS = range(8)


def _columns(block: Array) -> Array:
    """What each question adds to the sums that the parts are figures of.

    From :data:`_LEANS` on, how far each grader is from the mean of all. Where a question has one
    answer, or one grader, a column holds what it would be if there were no such part.
    """
    questions, answers, graders, gradings = block.shape
    cells = block.mean(axis=3)
    noise = np.zeros(questions)
    if gradings > 1:
        noise = block.var(axis=3, ddof=1).mean(axis=(1, 2))
    by_answer, by_grader = cells.mean(axis=2), cells.mean(axis=1)
    whole = cells.mean(axis=(1, 2))
    apart = cells - by_answer[:, :, None] - by_grader[:, None, :] + whole[:, None, None]
    between = noise / gradings
    if answers > 1 and graders > 1:
        between = (apart**2).sum(axis=(1, 2)) / ((answers - 1) * (graders - 1))
    answered = by_answer.var(axis=1, ddof=1) if answers > 1 else between / graders
    centred, leans = whole - whole.mean(), by_grader - whole[:, None]
    sums = [np.ones(questions), noise, between, answered, centred, centred**2]
    return np.column_stack([*sums, (leans**2).sum(axis=1), leans])


def _figures(sums: Array, answers: int, graders: int, gradings: int) -> Array:
    """All parts (columns) of each row of sums, also below 0."""
    number = sums[:, _NUMBER]
    noise, by_answer, answered = sums[:, [_NOISE, _BY_ANSWER, _ANSWERS]].T / number
    between = (sums[:, _SQUARES] - sums[:, _SUM] ** 2 / number) / (number - 1)
    biases = (sums[:, _LEANS:] ** 2).sum(axis=1) / number**2
    by_question = by_answer / answers
    if graders > 1:
        squares = sums[:, _LEANINGS] - number * biases
        by_question = squares / ((number - 1) * (graders - 1))
    parts = {
        QUESTIONS: between - by_question / graders - (answered - by_answer / graders) / answers,
        ANSWERS: answered - by_answer / graders,
        GRADERS: biases / max(1, graders - 1) - by_question / number,
        BY_QUESTION: by_question - by_answer / answers,
        BY_ANSWER: by_answer - noise / gradings,
        NOISE: noise,
    }
    return np.column_stack([parts[name] for name in PARTS])


def _told_apart(answers: int, graders: int, gradings: int) -> dict[str, list[str]]:
    """Which parts there are, and what each is made of that the design cannot tell from it."""
    into = {name: name for name in PARTS}
    if gradings == 1:
        into[NOISE] = BY_ANSWER
    if graders == 1:
        into |= {BY_QUESTION: QUESTIONS, BY_ANSWER: ANSWERS}
        del into[GRADERS]
    if answers == 1:
        into |= {ANSWERS: QUESTIONS, BY_ANSWER: into[BY_QUESTION]}
    made: dict[str, list[str]] = {}
    for name in into:
        main = name
        while into[main] != main:
            main = into[main]
        made.setdefault(main, []).append(name)
    return made


def _parts(
    evidence: Evidence, design: tuple[int, ...], random: np.random.Generator, draws: int
) -> tuple[Part, ...]:
    clusters = evidence.cluster_sums
    total = clusters.sum(axis=0)
    values = _figures(total[None], *design)[0]
    without = _figures(total - clusters, *design)
    # The variance of two scores at either end; none of many is larger.
    bounds = evidence.bounds and Bounds(0.0, 0.5)
    parts: list[Part] = []
    for name, made in _told_apart(*design).items():
        place = PARTS.index(name)
        found, left, samples = float(values[place]), without[:, place], len(evidence.samples)
        value = found if found > _NOTHING else 0.0
        figure = Sampled(value, left, left, evidence.freedom, samples, len(clusters), bounds)
        if figure.alike:
            parts.append(Part(tuple(made), estimate(figure)))
            continue
        error, low, high = bent_interval(found, left, evidence.freedom)
        if name == GRADERS:
            low, high = _biases(evidence, random, draws)
        ends = min(value, max(0.0, low)), max(value, high)
        shown = Estimate(value, error, *ends, samples, len(clusters))
        parts.append(Part(tuple(made), shown))
    return tuple(parts)


def bent_interval(value: float, without: Array, freedom: float) -> tuple[float, float, float]:
    """Standard error and 95 % interval from the values with one cluster left out at a time.

    Student's, with its ends moved as the skewness of what clusters add asks for (Hall, Journal of
    the Royal Statistical Society B 54, 1992): T + a T²/3 + a² T³/27 + a/6 has hardly any, and is
    easily inverted.
    """
    moved = without.mean() - without
    squares = float((moved**2).sum())
    error = math.sqrt(squares * (len(without) - 1) / len(without))
    skew = float((moved**3).sum()) / math.pow(squares, 1.5)
    t = t_quantile(1 - _TAIL, freedom)

    def unbent(end: float) -> float:
        if abs(skew) < _SYMMETRIC:
            return end
        root = float(np.cbrt(1 + skew * (end - skew / 6)))
        return 3 * (root - 1) / skew

    return error, value - error * unbent(t), value - error * unbent(-t)


def _covariance(evidence: Evidence, columns: Array) -> Array:
    """Of the means over questions, from the means without one cluster at a time."""
    number, clusters = evidence.cluster_sums[:, _NUMBER], len(columns)
    without = (columns.sum(axis=0) - columns) / (number.sum() - number)[:, None]
    moved = without - without.mean(axis=0)
    covariance: Array = moved.T @ moved * (clusters - 1) / clusters
    return covariance


def _squared_error(evidence: Evidence) -> float:
    """Of the mean score by each grader, the mean over graders."""
    sums = evidence.cluster_sums
    by_grader = sums[:, _SUM, None] + sums[:, _LEANS:]
    return float(np.diag(_covariance(evidence, by_grader)).mean())


def _biases(evidence: Evidence, random: np.random.Generator, draws: int) -> tuple[float, float]:
    """The interval of the variance of biases: all that might well have come out as these did.

    Biases of another size in the same direction are thrown about as those seen are; a size is in
    the interval unless fewer than 2.5 % of the throws end up farther out, or fewer nearer.
    """
    sums, freedom = evidence.cluster_sums, evidence.freedom
    leans = sums[:, _LEANS:].sum(axis=0) / sums[:, _NUMBER].sum()
    spread = _covariance(evidence, sums[:, _LEANS:])
    thrown = random.multivariate_normal(np.zeros(len(leans)), spread, draws, method="eigh")
    thrown /= np.sqrt(random.chisquare(freedom, draws) / freedom)[:, None]
    seen = math.sqrt(float((leans**2).sum()))
    along, squares = thrown @ leans / (seen or 1.0), (thrown**2).sum(axis=1)

    def largest(share: float) -> float:
        """The largest size of which this share of throws ends up no larger than the one seen."""
        near, far = 0.0, seen + float(np.sqrt(squares.max()))
        for _ in range(_STEPS):
            size = (near + far) / 2
            within = (size**2 + 2 * size * along + squares <= seen**2).mean() >= share
            near, far = (size, far) if within else (near, size)
        return near

    low, high = largest(1 - _TAIL), largest(_TAIL)
    return low**2 / (len(leans) - 1), high**2 / (len(leans) - 1)


class Apart(msgspec.Struct, frozen=True):
    """How much more one grader gives than another for the same answers."""

    one: str
    other: str
    difference: Difference


def graders_apart(
    scores: Array,
    questions: Sequence[str],
    graders: Sequence[str],
    clusters: Sequence[str | None] | None = None,
) -> list[Apart]:
    """Each pair of graders on the answers that both graded, the largest difference first.

    Scores by question, answer, grader and grading; paired over questions. More questions make these
    surer, but neither they nor more answers or gradings make them smaller. Each interval is that of
    a pair: the largest of several differences is on the large side.
    """
    number = (~np.isnan(scores)).sum(axis=3)
    means = np.nansum(scores, axis=3) / np.where(number, number, 1)
    pairs: list[Apart] = []
    for one, other in combinations(range(len(graders)), 2):
        both = (number[:, :, one] > 0) & (number[:, :, other] > 0)
        rows = np.flatnonzero(both.any(axis=1)).tolist()
        if not rows:
            continue
        pair = [
            evidence_of(
                [questions[row] for row in rows],
                [float(means[row, both[row], grader].mean()) for row in rows],
                None if clusters is None else [clusters[row] for row in rows],
                bounds=SHARE if np.nanmin(scores) >= 0 and np.nanmax(scores) <= 1 else None,
            )
            for grader in (one, other)
        ]
        if difference := difference_between(*pair):
            pairs.append(Apart(graders[one], graders[other], difference))
    return sorted(pairs, key=lambda pair: -abs(pair.difference.estimate.value))


def flips(
    questions: Sequence[str],
    flipped: Sequence[int],
    items: Sequence[int],
    clusters: Sequence[str | None] | None = None,
) -> Estimate | None:
    """The share of rubric items that get other points when the same answer is graded again.

    One entry for each answer: its question, how many items changed, and how many there are. Answers
    to the same question are drawn together. None where there are no items.
    """
    parts = np.column_stack([flipped, items]).astype(np.float64)
    rows = np.flatnonzero(parts[:, 1]).tolist()
    if not rows:
        return None
    evidence = evidence_of(
        [questions[row] for row in rows],
        parts[rows, 0] / parts[rows, 1],
        [clusters[row] if clusters is not None else None for row in rows],
        parts=parts[rows],
    )
    return estimate(sampled([evidence], "flips")[0])
