"""A comparison in words: what the data support, and what they do not."""

from __future__ import annotations

from collections.abc import Sequence

from hengfa.results.statistics.intervals import LEVEL, Estimate
from hengfa.runs.compare import Comparison, Contrast, Pair, Verdict
from hengfa.runs.leaderboard import OVERALL


def conclusions(found: Comparison) -> list[str]:
    """In words, pair by pair, what the data support and what they do not."""
    return [sentence for pair in found.pairs for sentence in _sentences(found, pair)]


def _sentences(found: Comparison, pair: Pair) -> list[str]:
    a, b = found.runs[pair.one].label, found.runs[pair.other].label
    said: list[str] = []
    if OVERALL in pair.rows:
        said.append(_of_row(a, b, "overall", pair.rows[OVERALL]))
    if len(found.tasks) == 1:
        said.append(_of_row(a, b, f"on {found.tasks[0]}", pair.rows[found.tasks[0]]))
        return said
    for first, second, verdict in ((a, b, Verdict.BETTER), (b, a, Verdict.WORSE)):
        if tasks := pair.having(verdict, found.tasks):
            said.append(
                f"The data support that {first} is better than {second} on {_listed(tasks)} "
                f"({len(tasks)} of {len(found.tasks)} tasks)."
            )
    if open_tasks := pair.having(Verdict.NOT_SHOWN, found.tasks):
        limits = [pair.rows[task].difference.smallest * 100 for task in open_tasks]
        one = len(open_tasks) == 1
        below = f"{limits[0]:.1f}" if one else f"{min(limits):.1f} to {max(limits):.1f}"
        said.append(
            f"No difference of {a} and {b} is shown on {_listed(open_tasks)}; one below "
            f"{below} points{'' if one else ', depending on the task,'} could easily be missed."
        )
    alone = [task for task in open_tasks if pair.rows[task].difference.p < LEVEL]
    if alone:
        number = pair.rows[alone[0]].comparisons
        said.append(
            f"Of these, {_listed(alone)} would pass if looked at alone, but among {number} "
            "comparisons some do by chance."
        )
    return said


def _of_row(a: str, b: str, where: str, one: Contrast) -> str:
    found, smallest = one.difference.estimate, one.difference.smallest
    if one.verdict is not Verdict.NOT_SHOWN:
        sign = 1 if one.verdict is Verdict.BETTER else -1
        first, second = (a, b)[::sign]
        apart = _points(found, sign)
        return f"The data support that {first} is better than {second} {where} by {apart}."
    return (
        f"No difference of {a} and {b} is shown {where}: {a} has {_points(found)} more. One below "
        f"{smallest * 100:.1f} points could easily be missed with these samples."
    )


def _points(one: Estimate, sign: int = 1) -> str:
    """`3.2 points (95 % interval 1.1 to 5.3)`, seen from the first run, or with -1 the second."""
    points = f"{sign * one.value * 100:.1f} points"
    if one.low is None or one.high is None:
        return f"{points} ({one.note})"
    low, high = sorted((sign * one.low * 100, sign * one.high * 100))
    return f"{points} (95 % interval {low:.1f} to {high:.1f})"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
