"""Grading in the terminal: marks, what attacks and probes move, agreement with people, rubrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
from rich.console import Console
from rich.table import Table

from hengfa.base.terminal.console import (
    no_minus_zero,
    one_line,
    plain_console,
    printable,
    show_score,
)
from hengfa.evals.grading.attacks import ALL, RAISED, Move, Movement, movements, worst
from hengfa.evals.report.terminal import CLOSE, PLAIN, folded, number, right, whole

if TYPE_CHECKING:
    from hengfa.evals.grading.attacks import Attack, Interval
    from hengfa.evals.grading.people.calibration import Agreement, Calibration, SameItems
    from hengfa.evals.grading.people.calibration_figures import Estimate
    from hengfa.evals.grading.probes import LengthBias, PositionBias, Slope
    from hengfa.evals.grading.rubric import Mark
    from hengfa.evals.runs.grading import Marking
    from hengfa.evals.suites.plawbench.breakdown import Breakdown, WayRates
    from hengfa.evals.suites.plawbench.lint import Linted

_LABELS: Final = {
    "keywords": "keywords looks for words: what is measured here is a rule, not a judgement.",
    "naive": "naive obeys every attack: it shows what the checks catch, and measures no model.",
}
_BY: Final = {"filler": "neutral words", "repeat": "repeating itself"}
_TITLES: Final = {
    "overall": "overall ratings, which are no sums of items",
    "totals": "totals of submissions, in percent of the maximum",
    "items": "single items, in percent of their maximum",
    "model means": "means of models",
}
_HEADINGS: Final = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "mae": "MAE",
    "bias": "bias",
    "kappa": "κ",
}
_ENDING: Final = 16
"""So many last characters of a clause show its form."""
_LEAST_SHOWN: Final = 5
"""A dimension of fewer submissions is left to --json."""
_TITLED: Final[Mapping[str, Any]] = {"title_justify": "left"}


def print_marking(marking: Marking) -> None:
    """For each grader, and for the panel, one row per response and the rate."""
    console = plain_console()
    for scorer in marking.scorers:
        points = map(right, ("points", "with evidence", "ungraded"))
        table = Table(folded("response"), *points, "flags")
        for marked in marking.marked:
            for nth, mark in enumerate(marked.marks[scorer], 1):
                table.add_row(*_response_row(marked.submission.key, nth, mark))
        console.print(table)
        _print_rate(console, marking, scorer)


def _print_rate(console: Console, marking: Marking, scorer: str) -> None:
    """The rate of a grader: as a band where something is ungraded."""
    if band := marking.band(scorer):
        console.print(printable(f"rate {band}, graded by {scorer}"))
        return
    rate, awarded = marking.rate(scorer), marking.rate(scorer, "points")
    if rate is None or awarded is None:
        return
    error = f" ±{rate.standard_error * 100:.2f}" if rate.standard_error else ""
    console.print(printable(f"rate {show_score(rate.value)}{error}, graded by {scorer}"))
    if awarded.value != rate.value:
        console.print(f"with the awards whose evidence does not hold: {show_score(awarded.value)}")
    if all_pass := marking.all_pass(scorer):
        console.print(
            f"all-pass {show_score(all_pass.value)}: responses that earn every critical item, "
            f"of {all_pass.n}"
        )


def _response_row(key: str, nth: int, mark: Mark) -> tuple[str, ...]:
    again = f" (grading {nth})" if nth > 1 else ""
    band = f"–{mark.lenient:g}" if mark.lenient != mark.points else ""
    flags = Counter(str(flag) for item in mark.items() for flag in item.flags)
    return (
        printable((key.rpartition("@")[0] or key) + again),
        f"{mark.points:g}{band}/{mark.maximum:g}",
        f"{mark.backed:g}",
        str(mark.ungraded or ""),
        ", ".join(f"{name} {count}" for name, count in flags.items()),
    )


def print_attacks(
    grader: str, attacks: Sequence[Attack], moved: Sequence[Move], *, most: int = 10
) -> None:
    """A row for each family, then the worst cases. Shifts are in points of 100."""
    console = plain_console()
    console.print(printable(f"{grader} under {len(attacks)} attacks"), style="italic")
    if grader in _LABELS:
        console.print(_LABELS[grader])
    figures = ("attacks", "pairs", "shift", "95 %", "raised", "flagged", "left", "broken")
    table = Table(whole("family"), *map(number, figures), **CLOSE)
    for family in movements(moved):
        if family.family == ALL:
            table.add_section()
        table.add_row(*_family_row(family))
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
    cases = worst(moved, most)
    if not cases:
        if most:
            console.print("No attack raised a mark.")
        return
    aims = {attack.id: attack.aim for attack in attacks}
    words = map(folded, ("attack", "what it does", "response"))
    numbers = map(number, ("mark", "left"))
    listed = Table(*words, *numbers, title="worst cases", **_TITLED, **PLAIN)
    for case in cases:
        mark = f"{case.before * 100:.1f} → {case.after * 100:.1f}"
        words_of = case.attack, aims[case.attack], printable(case.submission)
        listed.add_row(*words_of, mark, _with_sign(case.backed))
    console.print(listed)


def _family_row(movement: Movement) -> list[str]:
    return [
        movement.family,
        str(movement.attacks) if movement.attacks else "",
        str(movement.pairs)
        if movement.compared == movement.pairs
        else f"{movement.compared} of {movement.pairs}",
        _with_sign(movement.shift),
        _range(movement.interval),
        _share(movement.raised),
        _share(movement.flagged),
        _with_sign(movement.backed),
        _share(movement.broken),
    ]


def attacks_document(
    grader: str, attacks: Sequence[Attack], moved: Sequence[Move]
) -> dict[str, object]:
    """All of it for a program; shares of 1."""
    return {
        "grader": grader,
        "attacks": len(attacks),
        "submissions": len({move.submission for move in moved}),
        "families": movements(moved),
        "worst": worst(moved),
        "pairs": moved,
    }


def print_position(grader: str, bias: PositionBias) -> None:
    console = plain_console()
    console.print(printable(f"{grader}: order of the items"), style="italic")
    console.print(
        f"{bias.compared} awards in other orders, of {bias.submissions} submissions; "
        f"{bias.ungraded} ungraded and left out.\n"
        f"Changed: {_share(bias.changed)} of awards, by {_points(bias.moved)} points of 100 on "
        f"average. Asked again in the same order: {_share(bias.noise_changed)}, "
        f"{_points(bias.noise_moved)}.\n"
        f"Trend: {trend_words(bias.trend, 'an item that stands last instead of first', 'items')}"
    )


def print_length(grader: str, bias: LengthBias) -> None:
    console = plain_console()
    console.print(printable(f"{grader}: length of the response"), style="italic")
    figures = map(number, ("responses", "times as long", "shift"))
    table = Table(whole("variant"), *figures, **PLAIN)
    for row in bias.rows:
        long = "–" if row.times_as_long is None else f"{row.times_as_long:.2f}"
        table.add_row(row.variant, str(row.compared), long, _with_sign(row.shift))
    console.print(table)
    for kind, slope in bias.slopes.items():
        what = "a response twice as long by"
        words = trend_words(slope, f"{what} {_BY[kind]}", "responses")
        console.print(f"{kind}: {words}")
    if bias.ungraded:
        console.print(f"{bias.ungraded} marks have ungraded items and are left out.")


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


def _with_sign(share: float | None) -> str:
    return "–" if share is None else f"{round(share * 100, 1) + 0.0:+.1f}"


def _points(share: float | None) -> str:
    return "–" if share is None else f"{share * 100:.1f}"


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _range(interval: Interval | None) -> str:
    return "–" if interval is None else f"{_with_sign(interval.low)}…{_with_sign(interval.high)}"


def print_calibration(calibration: Calibration) -> None:
    console = plain_console()
    parts = (
        ("Graders against people", calibration.graders),
        ("People among themselves", calibration.people),
        ("Graders among themselves", calibration.between_graders),
    )
    for heading, agreements in parts:
        for level, title in _TITLES.items():
            rows = [agreement for agreement in agreements if agreement.level == level]
            if shown := [*filter(_has_enough, rows)]:
                console.print(f"{heading}: {title}", style="italic")
                console.print(_agreement_table(shown))
            if left := len(rows) - len(shown):
                console.print(
                    f"{left} rows of dimensions with fewer than {_LEAST_SHOWN} submissions: "
                    "--json has them"
                )
    if calibration.same_items:
        console.print("Single items: the same points, and agreement beyond chance", style="italic")
        console.print(_same_table(calibration.same_items))
    for note in _notes(calibration):
        console.print(printable(note))


def _same_table(rows: Sequence[SameItems]) -> Table:
    figures = map(number, ("items", "submissions", "same, %", "α"))
    table = Table(folded("raters"), *figures, **PLAIN, show_edge=False)
    for row in rows:
        same = "–" if row.same is None else show_estimate("same", row.same)
        alpha = "–" if row.alpha is None else f"{no_minus_zero(row.alpha, 2):.2f}"
        raters = printable(" / ".join(row.raters))
        table.add_row(raters, str(row.items), str(row.submissions), same, alpha)
    return table


def _agreement_table(rows: Sequence[Agreement]) -> Table:
    figures = map(number, ("n", *_HEADINGS.values()))
    table = Table(folded("rater"), folded("of"), *figures, **PLAIN, show_edge=False)
    for agreement in rows:
        against = "" if agreement.against == "people" else f"\n/ {agreement.against}"
        rater = agreement.rater + against
        n = f"{agreement.n}{'*' if agreement.few else ''}"
        shown = (show_estimate(name, agreement.figures[name]) for name in _HEADINGS)
        table.add_row(printable(rater), printable(_of(agreement)), n, *shown)
    return table


def _of(agreement: Agreement) -> str:
    return " · ".join(filter(None, (agreement.task, agreement.dimension))) or "all"


def _has_enough(agreement: Agreement) -> bool:
    return agreement.submissions >= _LEAST_SHOWN or not agreement.dimension


def show_estimate(name: str, estimate: Estimate) -> str:
    """`0.81` with its interval below, `–` where it is not defined."""
    if estimate.value is None:
        return "–"
    digits = 1 if name in {"mae", "bias", "same"} else 2
    sign = "+" if name == "bias" else ""
    shown = f"{no_minus_zero(estimate.value, digits):{sign}.{digits}f}"
    if estimate.low is None or estimate.high is None:
        return shown
    low, high = (no_minus_zero(limit, digits) for limit in (estimate.low, estimate.high))
    return f"{shown}\n{low:{sign}.{digits}f}…{high:{sign}.{digits}f}"


def _notes(calibration: Calibration) -> Iterator[str]:
    from hengfa.evals.grading.people.calibration import FEW, GROUP  # noqa: PLC0415 - numpy

    everything = (*calibration.graders, *calibration.people, *calibration.between_graders)
    yield (
        f"Below each figure: its 95 % interval, from {calibration.resamples:,} resamples (seed "
        f"{calibration.seed}). Bias: rater less target."
    )
    if any(agreement.against == GROUP for agreement in everything):
        whose = "the mean of all of them, the rater too, who agrees with it the better for it"
        yield f"{GROUP}: {whose}"
    if any(agreement.few for agreement in everything):
        yield (
            f"* of fewer than {FEW} submissions or models: too few to rely on, and such intervals "
            "are usually too narrow"
        )
    yield from dict.fromkeys(_reasons(everything))
    for rater, count in calibration.blank.items():
        yield f"{rater}: {count} items are not scored; they are compared with nothing"
    for rater, count in calibration.incomplete.items():
        yield f"{rater}: {count} submissions have no total, since items are missing"
    for rater, count in calibration.only_totals.items():
        yield f"{rater}: {count} submissions have a total only: no figure of items or dimensions"
    if calibration.only_totals and calibration.rated:
        yield (
            f"a total of one of the {calibration.rated} submissions that have an overall rating is "
            "taken for such a rating, not for a sum"
        )
    for submission, maxima in list(calibration.rescaled.items())[:1]:
        shown = " and ".join(f"{maximum:g}" for maximum in maxima)
        yield (
            f"{len(calibration.rescaled)} submissions have totals out of different maxima, such as "
            f"{submission} ({shown}): shares of them are compared"
        )
    alone = calibration.unmatched
    for count, who, example in (
        (alone.only_people, "people", alone.example_people),
        (alone.only_graders, "graders", alone.example_graders),
    ):
        if count and example:
            item = f"item {example[1]}" if example[1] else "its total"
            instance = f"submission {example[0]}, {item}"
            yield f"{count} items are scored by {who} only, such as {instance}"


def _reasons(agreements: Iterable[Agreement]) -> Iterable[str]:
    for agreement in agreements:
        reasons: dict[str, list[str]] = {}
        for name, estimate in agreement.figures.items():
            if estimate.why:
                reasons.setdefault(estimate.why, []).append(_HEADINGS[name])
        for why, names in reasons.items() if _has_enough(agreement) else ():
            what = f"{agreement.rater}, {_of(agreement)}, {agreement.level}"
            yield f"{what}: {', '.join(names)}: {why}"


def calibration_document(calibration: Calibration) -> object:
    """All of it for a program; pairs are for pictures."""
    document = msgspec.to_builtins(calibration)
    del document["pairs"]
    return document


def print_breakdown(task: Breakdown, title: str) -> None:
    """What order makes of reasoning, then what became of the items; in per cent."""
    console = plain_console()
    console.print(printable(f"{title}, {task.graded} of {task.n} graded"), style="italic")
    if (order := task.order) is not None:
        table = Table("", number("n"), number("reasoning"), title="Reasoning by order", **_TITLED)
        for name, of in (("bound", order.bound), ("steps", order.steps), ("free", order.free)):
            table.add_row(name, str(of.n), _percent(of.rate), end_section=of is order.free)
        table.add_row("free less bound", "", _percent(order.drop))
        table.add_row("with steps", "", _percent(order.drop_with_steps))
        table.add_row("cost of order", "", _percent(order.cost))
        console.print(table)
    table = Table("", *map(number, task.profile), title="What became of the items", **_TITLED)
    for fate in next(iter(task.profile.values()), ()):
        shares = (_percent(shares[fate]) for shares in task.profile.values())
        table.add_row(fate.replace("_", " "), *shares)
    console.print(table)


def print_ways(tasks: Mapping[str, Breakdown]) -> None:
    """What each way of marking makes of the same verdicts; behind it how far from the default."""
    for title, penalties in (("with penalties", True), ("without penalties", False)):
        heading = f"Rates by way of marking, {title}"
        table = Table("", *map(number, tasks), title=heading, **_TITLED)
        for way in next((task.ways for task in tasks.values()), ()):
            rates = (_rate_by(task.ways[way], penalties=penalties) for task in tasks.values())
            table.add_row(way, *rates)
        plain_console().print(table)


def _rate_by(way: WayRates, *, penalties: bool) -> str:
    rate, less = way.rate, way.less_default
    if not penalties:
        rate, less = way.without_penalties, way.without_less_default
    return _percent(rate) + ("" if less is None else f" {100 * less:+.2f}")


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f}"


def print_lint(linted: Linted, *, everything: bool) -> None:
    """A row for each defect, or with `everything` also for each rubric without one; then sums."""
    console = plain_console()
    for file in dict.fromkeys(row.file for row in linted.rows):
        table = _defect_table(linted, file, everything)
        if table.row_count:
            console.print(table)
    if limits := linted.limits():
        place = folded("file", ratio=1), number("row")
        fault = folded("fault", min_width=8), whole("read as")
        words = folded("in words that end", ratio=2)
        table = Table(*place, *fault, words, title="Tiers and caps", **_TITLED, **PLAIN)
        for limit in limits:
            reading = f"{limit.kind} {limit.points:g} of {limit.maximum:g}"
            ending = one_line(limit.text)[-_ENDING:]
            cells = limit.file, str(limit.row), limit.fault, reading, ending
            table.add_row(*map(printable, cells))
        console.print(table)
    for line in _lint_summary(linted):
        console.print(printable(line), soft_wrap=True)


def _defect_table(linted: Linted, file: str, everything: bool) -> Table:
    defects = folded("where", min_width=8), folded("what", ratio=3), folded("read as", ratio=2)
    table = Table(number("row"), *defects, title=printable(file), **_TITLED, **PLAIN)
    for row in linted.rows:
        if row.file != file:
            continue
        for defect in row.defects:
            what = f"{defect.code}: {defect.text}"
            table.add_row(*map(printable, (str(row.row), defect.where, what, defect.reading)))
        if everything and not row.defects:
            items = sum(1 for _ in row.rubric.items())
            table.add_row(str(row.row), "", "–", f"{items} items, {row.rubric.maximum:g} points")
    return table


def _lint_summary(linted: Linted) -> list[str]:
    counts, cases = linted.counts, linted.counts.cases
    with_defects = sum(bool(row.defects) for row in linted.rows)
    each = (f"{many} of {points}" for points, many in counts.questions_by_points.items())
    points = ", ".join(each)
    orders = ", ".join(f"{kind} {many}" for kind, many in cases.orders.items())
    items = (
        f"{cases.items} items in {cases.steps} steps, {cases.deductions} deductions, {cases.gates}"
        f" gates ({cases.tiers} tiers, {cases.caps} caps other than 0), {cases.elements} elements,"
        f" {cases.alternatives} items with alternatives"
    )
    clean = f"markers add up in {cases.clean_sections} sections and {cases.clean_rows} rows"
    leaves = (
        f"{counts.leaves} leaves, {counts.award_points} award points, {counts.leaf_deductions}"
        f" deductions, {counts.leaf_gates} gates ({counts.leaf_tiers} tiers,"
        f" {counts.leaf_caps} caps other than 0), {counts.penalties} penalties"
    )
    kinds = linted.kinds()
    named = ", ".join(f"{kind} {many}" for kind, many in kinds.most_common())
    return [
        f"{counts.consultations} consultations: {counts.questions} questions ({points})",
        f"{cases.rows} cases: {items}; {clean}",
        f"order of reasoning: {orders}",
        f"{counts.documents} documents: {leaves}",
        f"{kinds.total()} defects in {with_defects} of {len(linted.rows)} rubrics: {named}",
    ]


def lint_document(linted: Linted, *, everything: bool) -> dict[str, object]:
    """The same for a program."""
    rows = [
        {
            "file": row.file,
            "row": row.row,
            "maximum": row.rubric.maximum,
            "items": sum(1 for _ in row.rubric.items()),
            "defects": row.defects,
        }
        for row in linted.rows
        if everything or row.defects
    ]
    return {
        "rows": rows,
        "limits": linted.limits(),
        "counts": linted.counts,
        "defects": dict(linted.kinds()),
    }
