"""Do published figures agree with each other? Rules that recompute one printed number from others.

A rule looks at one row and says what its figure can be, given that every printed number is rounded:
it stands for all that could have been rounded to it. Arithmetic on such ranges is exact, with
fractions, so whether figures agree is a question with an answer, not one of tolerances. `RULES`
says which rules hold in which table; `claims.py` does the same for what papers say in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import NamedTuple

from hengfa.evals.results.published.papers import PublishedRun


@dataclass(frozen=True, slots=True)
class Range:
    """All numbers from `low` to `high`, both included."""

    low: Fraction
    high: Fraction

    def meets(self, other: Range) -> bool:
        """Whether some number is in both."""
        return self.low <= other.high and other.low <= self.high

    def __mul__(self, other: Range) -> Range:
        """Products of numbers that are not negative, as all of ours are."""
        return Range(self.low * other.low, self.high * other.high)


def exactly(number: int | Fraction) -> Range:
    """A number that is known, such as how many tasks there are."""
    return Range(Fraction(number), Fraction(number))


def printed_range(text: str, unit: Fraction | None = None) -> Range:
    """What a printed number stands for: half of its last digit to both sides.

    `53.5` is 53.45 to 53.55; both ends belong to it, because papers do not say how they round a
    half. `unit` names a coarser step where the last digits are plainly not meant, as in 11,000.
    """
    number = Decimal(text)
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int):
        raise ValueError(f"{text!r} is not a number")
    half = (unit if unit is not None else Fraction(10) ** exponent) / 2
    return Range(Fraction(number) - half, Fraction(number) + half)


def weighted_mean(values: Sequence[Range], weights: Sequence[Range]) -> Range:
    """All means that the values can have with these weights; exact.

    A weighted mean rises with each value, and as a function of one weight it is monotonic. So its
    ends are at ends of the weights, of which all combinations are tried: 64 for six parts.
    """
    choices = [{weight.low, weight.high} for weight in weights]
    lows: list[Fraction] = []
    highs: list[Fraction] = []
    for chosen in product(*choices):
        total, weighted = sum(chosen), list(zip(chosen, values, strict=True))
        lows.append(sum((weight * value.low for weight, value in weighted), _ZERO) / total)
        highs.append(sum((weight * value.high for weight, value in weighted), _ZERO) / total)
    return Range(min(lows), max(highs))


def harmonic_mean(one: Range, other: Range) -> Range:
    """F1 of precision and recall: it rises with both, so its ends are at their ends."""
    return Range(_harmonic(one.low, other.low), _harmonic(one.high, other.high))


def multiples_around(printed: Range, step: Fraction) -> tuple[Range, bool]:
    """The multiples of a step next to a printed number, and whether one may be meant by it.

    A mean of n whole numbers is a multiple of 1/n. Where none of them rounds to the printed number,
    it is not the mean of n such numbers.
    """
    first, last = ceil(printed.low / step), floor(printed.high / step)
    if first <= last:
        return Range(first * step, last * step), True
    return Range(last * step, first * step), False


_ZERO = Fraction(0)


def _harmonic(one: Fraction, other: Fraction) -> Fraction:
    one, other = max(one, _ZERO), max(other, _ZERO)
    return 2 * one * other / (one + other) if one + other else _ZERO


Tables = Mapping[str, Sequence[PublishedRun]]
"""All tables by name, for rules that compare one with another."""


class Outcome(NamedTuple):
    """What is printed, what it can be, and whether the printed number is one of these.

    `possible` is None where there is nothing that it can be.
    """

    printed: str
    possible: Range | None
    fits: bool


COUNTS = frozenset(
    {"documents", "keys_listed", "questions", "records", "test", "tokens", "train"}
    | {f"{part}_{end}" for part in ("input", "output") for end in ("max", "min")}
)
"""Columns that hold counts, which are printed as they are; all other numbers are rounded."""


def number(row: PublishedRun, name: str) -> Range:
    """What the printed number in a column stands for."""
    text = row.printed[name]
    is_count = name in COUNTS or name.startswith("tasks/")
    return exactly(Fraction(text)) if is_count else printed_range(text)


def cells(row: PublishedRun, names: Sequence[str]) -> list[Range] | None:
    """The printed numbers of these names, or None if one is missing."""
    if any(name not in row.printed for name in names):
        return None
    return [number(row, name) for name in names]


def _against(row: PublishedRun, figure: str, possible: Range) -> Outcome:
    return Outcome(row.printed[figure], possible, number(row, figure).meets(possible))


@dataclass(frozen=True, slots=True)
class _Rule:
    """Recomputes `figure`; `certain` is false where that rests on more than arithmetic."""

    figure: str
    certain: bool = field(default=True, kw_only=True)


@dataclass(frozen=True, slots=True)
class Weighted(_Rule):
    """A mean of other columns, with weights that are known, known within limits, or printed.

    A weight is a number, a range, or `(count, name)`: the count times what column `name` prints.
    """

    parts: tuple[str, ...]
    weights: tuple[int | Range | tuple[int, str], ...]
    says: str

    def check(self, row: PublishedRun, _tables: Tables) -> Outcome | None:
        named = [weight[1] for weight in self.weights if isinstance(weight, tuple)]
        values = cells(row, (*self.parts, *named, self.figure))
        if values is None:
            return None
        weights: list[Range] = []
        for weight in self.weights:
            if isinstance(weight, tuple):
                weights.append(exactly(weight[0]) * number(row, weight[1]))
            else:
                weights.append(weight if isinstance(weight, Range) else exactly(weight))
        return _against(row, self.figure, weighted_mean(values[: len(self.parts)], weights))


def mean(figure: str, parts: Sequence[str], says: str) -> Weighted:
    """The plain mean of columns."""
    return Weighted(figure, tuple(parts), (1,) * len(parts), says)


@dataclass(frozen=True, slots=True)
class F1(_Rule):
    """The harmonic mean of a precision and a recall."""

    precision: str
    recall: str

    @property
    def says(self) -> str:
        return f"F1 of {self.precision} and {self.recall}"

    def check(self, row: PublishedRun, _tables: Tables) -> Outcome | None:
        values = cells(row, (self.precision, self.recall, self.figure))
        if values is None:
            return None
        return _against(row, self.figure, harmonic_mean(values[0], values[1]))


@dataclass(frozen=True, slots=True)
class Total(_Rule):
    """A sum, or with `product` a product, of other columns.

    `unit` is the step to which the figure was plainly rounded, where it is coarser than its digits.
    """

    parts: tuple[str, ...]
    says: str
    product: bool = False
    unit: int | None = None

    def check(self, row: PublishedRun, _tables: Tables) -> Outcome | None:
        values = cells(row, self.parts)
        if values is None or self.figure not in row.printed:
            return None
        possible = values[0]
        for value in values[1:]:
            possible = (
                possible * value
                if self.product
                else Range(possible.low + value.low, possible.high + value.high)
            )
        if self.unit is None:
            return _against(row, self.figure, possible)
        meant = printed_range(row.printed[self.figure], Fraction(self.unit))
        return Outcome(row.printed[self.figure], possible, meant.meets(possible))


@dataclass(frozen=True, slots=True)
class Grid(_Rule):
    """A mean of n whole steps, so a multiple of step / n: an accuracy of n questions, for instance.

    `only` names the setting for which that n holds.
    """

    step: Fraction
    says: str
    only: str | None = None

    def check(self, row: PublishedRun, _tables: Tables) -> Outcome | None:
        if self.figure not in row.printed or self.only not in (None, row.setting):
            return None
        around, fits = multiples_around(number(row, self.figure), self.step)
        return Outcome(row.printed[self.figure], around, fits)


@dataclass(frozen=True, slots=True)
class Counted(_Rule):
    """Means of the same n ratings, each a multiple of `step`; the paper says how many ratings.

    What is possible is the smallest and the largest n, up to the stated one, with which all the
    columns can be such means; nothing, if they cannot be of one n. `figure` names that n.
    """

    means: tuple[str, ...]
    step: int
    stated: int
    says: str

    def check(self, row: PublishedRun, _tables: Tables) -> Outcome | None:
        values = cells(row, self.means)
        if values is None:
            return None
        counts = [
            n
            for n in range(1, self.stated + 1)
            if all(multiples_around(value, Fraction(self.step, n))[1] for value in values)
        ]
        possible = Range(Fraction(counts[0]), Fraction(counts[-1])) if counts else None
        return Outcome(str(self.stated), possible, self.stated in counts)


@dataclass(frozen=True, slots=True)
class AtMost(_Rule):
    """A figure that cannot be above another one."""

    other: str
    says: str

    def check(self, row: PublishedRun, _tables: Tables) -> Outcome | None:
        values = cells(row, (self.figure, self.other))
        if values is None:
            return None
        figure, other = values
        possible = Range(Fraction(0), other.high)
        return Outcome(row.printed[self.figure], possible, figure.low <= other.high)


@dataclass(frozen=True, slots=True)
class Same(_Rule):
    """The same number printed a second time: in another table, or in another column.

    Where the other table has one row per version of the evaluator, `versions` is true: the version
    is taken that agrees with most of the columns `among`, and must agree with this one too.
    """

    says: str
    table: str | None = None
    column: str | None = None
    versions: bool = False
    among: tuple[str, ...] = ()

    def check(self, row: PublishedRun, tables: Tables) -> Outcome | None:
        column = self.column or self.figure
        others = [row]
        if self.table is not None:
            of_model = (other for other in tables[self.table] if other.model == row.model)
            others = [o for o in of_model if self.versions or o.setting == row.setting]
        others = [other for other in others if column in other.printed]
        if self.figure not in row.printed or not others:
            return None
        other = max(others, key=lambda candidate: self._agreeing(row, candidate))
        return _against(row, self.figure, number(other, column))

    def _agreeing(self, row: PublishedRun, other: PublishedRun) -> int:
        return sum(
            printed_range(row.printed[name]).meets(printed_range(other.printed[name]))
            for name in self.among
            if name in row.printed and name in other.printed
        )


Rule = Weighted | F1 | Total | Grid | Counted | AtMost | Same
"""`says` how the figure follows, in words; where a number that is needed is not printed, the check
is None."""

_MEMORIZATION = ("1-1", "1-2")
_UNDERSTANDING = tuple(f"2-{number}" for number in range(1, 11))
_APPLYING = tuple(f"3-{number}" for number in range(1, 9))
_LAWBENCH_TASKS = (*_MEMORIZATION, *_UNDERSTANDING, *_APPLYING)
_ACCURACIES = ("1-2", "2-4", "2-8", "3-6", "3-7")
"""Tasks of which every one of the 500 items is right or wrong (lawbench.md 2)."""
_LENGTHS = ("input", "output")

LAWBENCH: tuple[Rule, ...] = (
    mean("memorization", _MEMORIZATION, "mean of its 2 tasks"),
    mean("understanding", _UNDERSTANDING, "mean of its 10 tasks"),
    mean("applying", _APPLYING, "mean of its 8 tasks"),
    mean("overall", _LAWBENCH_TASKS, "mean of the 20 tasks"),
    *(Grid(task, Fraction(100, 500), "accuracy of 500 items") for task in _ACCURACIES),
    # lawbench.md 2-2: 15 of the 500 items of the zero-shot predictions are left out.
    Grid("2-2", Fraction(100, 485), "accuracy of 485 items", only="zero_shot"),
    Grid("2-2", Fraction(100, 500), "accuracy of 500 items", only="one_shot"),
)
_AGAIN: tuple[Rule, ...] = tuple(
    Same(name, "printed again in tables 24-31", table="lawbench")
    for name in (*_LAWBENCH_TASKS, "overall")
)
_LAWBENCH_DATA: tuple[Rule, ...] = tuple(
    rule
    for part in _LENGTHS
    for rule in (
        Grid(f"{part}_mean", Fraction(1, 500), "mean of 500 whole numbers"),
        AtMost(f"{part}_mean", f"{part}_max", "a mean is at most the maximum"),
        AtMost(f"{part}_min", f"{part}_mean", "a minimum is at most the mean"),
    )
)

_GRADERS = ("Gemini-2.5-Pro", "DeepSeek-R1")
_DIMENSIONS = ("reasoning", "knowledge", "structure", "clarity", "conciseness")
_CLAW: tuple[Rule, ...] = (
    AtMost("rouge_l", "rouge_1", "a common subsequence is also common words"),
    *(
        Counted(
            f"case_ratings@{grader}",
            tuple(f"case_{dimension}@{grader}" for dimension in _DIMENSIONS),
            step=10,
            stated=254,
            says="how many ratings of 0, 10 or 20 the five dimensions can be means of",
        )
        for grader in _GRADERS
    ),
)

_SHARES = (("conclusion", 1965), ("facts", 4975), ("reasoning", 7960), ("statutes", 3690))
"""Points of the four dimensions in the 250 public questions of 750 (plawbench.md 3.2)."""
_SHARE_SLACK = Fraction(15, 1000)
"""How far a share of all 750 may be from that of the public 250: assumed, not known."""
_POINTS = sum(points for _, points in _SHARES)
_PLAWBENCH: tuple[Rule, ...] = (
    mean("ldg", ("plaintiff", "defendant"), "mean of plaintiff and defendant"),
    Weighted("overall", ("plc", "pca", "ldg"), (2, 5, 3), "weights 2:5:3"),
    Weighted(
        "pca",
        tuple(f"{name}_rate" for name, _ in _SHARES),
        tuple(
            Range(share - _SHARE_SLACK, share + _SHARE_SLACK)
            for share in (Fraction(points, _POINTS) for _, points in _SHARES)
        ),
        "the four dimensions weighted by points, as in the public questions, give or take 1.5 %",
        certain=False,
    ),
)
_PLAWBENCH_DATA: tuple[Rule, ...] = (
    Total(
        "rubric_items",
        ("questions", "items_per_question"),
        "questions times items per question, to the nearest thousand as 11,000 is",
        product=True,
        unit=1000,
        certain=False,
    ),
)

_GROUPS = {"1-hop": 80, "2-hop": 80, "3-hop": 60, "4-hop": 40, "5-hop": 20, "writing": 20}
"""How many of the 300 tasks are in each group (legalagentbench.md 1)."""


def _over_groups(measure: str) -> Weighted:
    parts = tuple(f"{measure}/{group}" for group in _GROUPS)
    return Weighted(f"{measure}/all", parts, tuple(_GROUPS.values()), "mean over the 300 tasks")


def _over_keys(measure: str, count: str) -> Weighted:
    parts = tuple(f"{measure}/{group}" for group in _GROUPS)
    weights = tuple((tasks, f"{count}/{group}") for group, tasks in _GROUPS.items())
    return Weighted(f"{measure}/all", parts, weights, f"mean over all {count.replace('_', ' ')}")


_LEGALAGENTBENCH: tuple[Rule, ...] = (
    *(_over_groups(measure) for measure in ("success", "process", "bertscore")),
    Same("tokens", "sum of the released run", table="legalagentbench-released"),
)
_LEGALAGENTBENCH_DATA: tuple[Rule, ...] = (
    Total("tasks/all", tuple(f"tasks/{group}" for group in _GROUPS), "sum of the groups"),
    *(_over_groups(name) for name in ("query_length", "answer_length", "keys", "middle_keys")),
    _over_keys("key_length", "keys"),
    _over_keys("middle_key_length", "middle_keys"),
    *(
        Grid(f"{measure}/{group}", Fraction(1, tasks), f"mean of {tasks} whole numbers")
        for measure in ("query_length", "answer_length", "keys", "middle_keys")
        for group, tasks in _GROUPS.items()
    ),
)
_CORPORA: tuple[Rule, ...] = (Same("keys", "how many keys the table lists", column="keys_listed"),)

_EXTRACTED = (
    "prison", "fine", "charge_recall", "charge_precision", "charge_f1",
    "statute_recall", "statute_precision", "statute_f1",
)  # fmt: skip
_RELEASED = "the released output under one version of the evaluator"
_METEOR = ("meteor_reason", "meteor_judgment")
_JUDGMENT: tuple[Rule, ...] = (
    F1("charge_f1", "charge_precision", "charge_recall"),
    F1("statute_f1", "statute_precision", "statute_recall"),
    *(
        Same(name, _RELEASED, table="judgment-released", versions=True, among=among)
        for among in (_EXTRACTED, _METEOR)
        for name in among
    ),
)
_JUDGMENT_RETRIEVAL: tuple[Rule, ...] = (
    Grid("p@5", Fraction(1, 5 * 501), "hits in 5 × 501 places"),
    Grid("p@10", Fraction(1, 10 * 501), "hits in 10 × 501 places"),
    AtMost("r@5", "r@10", "the first 5 are among the first 10"),
)
_JUDGMENT_DATA: tuple[Rule, ...] = (Total("documents", ("train", "test"), "training and test set"),)

RULES: Mapping[str, tuple[Rule, ...]] = {
    "lawbench": LAWBENCH,
    "lawbench-table-3": _AGAIN,
    "lawbench-table-23": _AGAIN,
    "lawbench-data": _LAWBENCH_DATA,
    "claw": _CLAW,
    "plawbench": _PLAWBENCH,
    "plawbench-data": _PLAWBENCH_DATA,
    "legalagentbench": _LEGALAGENTBENCH,
    "legalagentbench-data": _LEGALAGENTBENCH_DATA,
    "legalagentbench-corpora": _CORPORA,
    "judgment": _JUDGMENT,
    "judgment-retrieval": _JUDGMENT_RETRIEVAL,
    "judgment-data": _JUDGMENT_DATA,
}
"""Table to its rules; a table without any is there to be compared with."""
