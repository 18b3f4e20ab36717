"""What attacks and probes found, for a person and for a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich import box
from rich.table import Table

from hengfa.grading.attacks import ALL, RAISED, Attack, Move, Movement, movements, worst
from hengfa.grading.probes import LengthBias, PositionBias, Slope
from hengfa.grading.resampling import Interval
from hengfa.report.table import plain_console, printable

_LABELS: Final = {
    "keywords": "keywords looks for words: what is measured here is a rule, not a judgement.",
    "naive": "naive obeys every attack: it shows what the checks catch, and measures no model.",
}


def print_attacks(
    grader: str, attacks: Sequence[Attack], found: Sequence[Move], *, most: int = 10
) -> None:
    """A row for each family, then the worst cases. Shifts are in points of 100."""
    console = plain_console()
    console.print(printable(f"{grader} under {len(attacks)} attacks"), style="italic")
    if grader in _LABELS:
        console.print(_LABELS[grader])
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("family", no_wrap=True)
    for heading in ("attacks", "pairs", "shift", "95 %", "raised", "flagged", "left", "broken"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in movements(found):
        if one.family == ALL:
            table.add_section()
        table.add_row(*_row(one))
    console.print(table)
    console.print(
        "shift: mean change of the mark in points of 100, over attacks; 95 %: of other attacks of "
        "the kind, on these responses.\n"
        f"raised: share of compared pairs that gained {RAISED:.0%} of the maximum or more. "
        "flagged: that have an award whose evidence does not hold.\n"
        "left: the shift once such awards are taken out; below 0, earned points went with them.\n"
        "broken: share of pairs with ungraded items, which are not compared.\n"
        "asked again: no attack, the same question twice: what moves there is noise."
    )
    cases = worst(found, most)
    if not cases:
        console.print("No attack raised a mark.")
        return
    aims = {attack.id: attack.aim for attack in attacks}
    listed = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="worst cases", title_justify="left")
    for heading in ("attack", "what it does", "response"):
        listed.add_column(heading, overflow="fold")
    for heading in ("mark", "left"):
        listed.add_column(heading, justify="right", no_wrap=True)
    for case in cases:
        listed.add_row(
            case.attack,
            aims[case.attack],
            printable(case.submission),
            f"{case.before * 100:.1f} → {case.after * 100:.1f}",
            _signed(case.backed),
        )
    console.print(listed)


def _row(one: Movement) -> list[str]:
    return [
        one.family,
        str(one.attacks) if one.attacks else "",
        str(one.pairs) if one.compared == one.pairs else f"{one.compared} of {one.pairs}",
        _signed(one.shift),
        _range(one.interval),
        _share(one.raised),
        _share(one.flagged),
        _signed(one.backed),
        _share(one.broken),
    ]


def attacks_document(
    grader: str, attacks: Sequence[Attack], found: Sequence[Move]
) -> dict[str, object]:
    """All of it for a program; shares of 1."""
    return {
        "grader": grader,
        "attacks": len(attacks),
        "submissions": len({move.submission for move in found}),
        "families": movements(found),
        "worst": worst(found),
        "pairs": found,
    }


def print_position(grader: str, found: PositionBias) -> None:
    """The figures, and what they say."""
    console = plain_console()
    console.print(printable(f"{grader}: order of the items"), style="italic")
    console.print(
        f"{found.compared} awards in other orders, of {found.submissions} submissions; "
        f"{found.ungraded} ungraded and left out.\n"
        f"Changed: {_share(found.changed)} of awards, by {_points(found.moved)} points of 100 on "
        f"average. Asked again in the same order: {_share(found.noise_changed)}, "
        f"{_points(found.noise_moved)}.\n"
        f"Trend: {trend_words(found.trend, 'an item that stands last instead of first', 'items')}"
    )


def print_length(grader: str, found: LengthBias) -> None:
    console = plain_console()
    console.print(printable(f"{grader}: length of the response"), style="italic")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("variant", no_wrap=True)
    for heading in ("responses", "times as long", "shift"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in found.rows:
        long = "–" if row.times_as_long is None else f"{row.times_as_long:.2f}"
        table.add_row(row.variant, str(row.compared), long, _signed(row.shift))
    console.print(table)
    for kind, slope in found.slopes.items():
        what = "a response twice as long by"
        words = trend_words(slope, f"{what} {_BY[kind]}", "responses")
        console.print(f"{kind}: {words}")
    if found.ungraded:
        console.print(f"{found.ungraded} marks have ungraded items and are left out.")


_BY: Final = {"filler": "neutral words", "repeat": "repeating itself"}


def trend_words(slope: Slope, who: str, units: str) -> str:
    """A slope in a sentence: `… gains 3.1 points of 100 (95 % -1.0…+7.2, 27 items): may be …`."""
    if slope.value is None:
        return f"not known: there is nothing to compare ({slope.units} {units})."
    points = round(slope.value * 100, 1)
    gains = "loses" if points < 0 else "gains"
    size = f"{who} {gains} {abs(points):.1f} points of 100" if points else f"{who} gains nothing"
    if slope.interval is None:
        return f"{size} ({slope.units} {units}: too few for an interval)."
    verdict = (
        "may be chance"
        if slope.interval.low <= 0 <= slope.interval.high
        else "more than chance explains"
    )
    return f"{size} (95 % {_range(slope.interval)}, {slope.units} {units}): {verdict}."


def _signed(share: float | None) -> str:
    return "–" if share is None else f"{round(share * 100, 1) + 0.0:+.1f}"


def _points(share: float | None) -> str:
    return "–" if share is None else f"{share * 100:.1f}"


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _range(found: Interval | None) -> str:
    return "–" if found is None else f"{_signed(found.low)}…{_signed(found.high)}"
