"""Which figures of the published tables follow from which others: facts, apart from logic."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from hengfa.results.published.consistency import (
    F1,
    AtMost,
    Counted,
    Grid,
    Rule,
    Same,
    Total,
    Weighted,
    mean,
)
from hengfa.results.published.printed import Range

_MEMORIZATION = ("1-1", "1-2")
_UNDERSTANDING = tuple(f"2-{number}" for number in range(1, 11))
_APPLYING = tuple(f"3-{number}" for number in range(1, 9))
_LAWBENCH_TASKS = (*_MEMORIZATION, *_UNDERSTANDING, *_APPLYING)
_ACCURACIES = ("1-2", "2-4", "2-8", "3-6", "3-7")
"""Tasks of which every one of the 500 items is right or wrong (LawBench spec 2)."""
_LENGTHS = ("input", "output")

LAWBENCH: tuple[Rule, ...] = (
    mean("memorization", _MEMORIZATION, "mean of its 2 tasks"),
    mean("understanding", _UNDERSTANDING, "mean of its 10 tasks"),
    mean("applying", _APPLYING, "mean of its 8 tasks"),
    mean("overall", _LAWBENCH_TASKS, "mean of the 20 tasks"),
    *(Grid(task, Fraction(100, 500), "accuracy of 500 items") for task in _ACCURACIES),
    # LawBench spec 2-2: 15 of the 500 items of the zero-shot predictions are left out.
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
"""Points of the four dimensions in the 250 public questions of 750 (PLawBench spec 3.2)."""
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
            Range(
                Fraction(points, _POINTS) - _SHARE_SLACK, Fraction(points, _POINTS) + _SHARE_SLACK
            )
            for _, points in _SHARES
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
"""How many of the 300 tasks are in each group (LegalAgentBench spec 1)."""


def _over_groups(measure: str) -> Weighted:
    return Weighted(
        f"{measure}/all",
        tuple(f"{measure}/{group}" for group in _GROUPS),
        tuple(_GROUPS.values()),
        "mean over the 300 tasks",
    )


def _over_keys(measure: str, count: str) -> Weighted:
    return Weighted(
        f"{measure}/all",
        tuple(f"{measure}/{group}" for group in _GROUPS),
        tuple((tasks, f"{count}/{group}") for group, tasks in _GROUPS.items()),
        f"mean over all {count.replace('_', ' ')}",
    )


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
_METEOR = ("meteor_reason", "meteor_judgment")
_JUDGMENT: tuple[Rule, ...] = (
    F1("charge_f1", "charge_precision", "charge_recall"),
    F1("statute_f1", "statute_precision", "statute_recall"),
    *(
        Same(
            name,
            "the released output under one version of the evaluator",
            table="judgment-released",
            versions=True,
            among=among,
        )
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
