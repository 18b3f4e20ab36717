"""The law library in the terminal: a law, a provision, its history, what was found, counts.

Without tables, so that looking up a provision is quick.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from hengfa.law.grammar.citation_positions import format_citation, format_position
from hengfa.law.library import lookup
from hengfa.law.library.history import ALIKE
from hengfa.law.library.history import show as show_difference

if TYPE_CHECKING:
    from hengfa.law.library.history import Step
    from hengfa.law.library.lookup import LookedUp
    from hengfa.law.library.model import LawEntry, Remark
    from hengfa.law.library.search import Hit
    from hengfa.law.library.stats import Stats
    from hengfa.law.library.store import Library
    from hengfa.law.library.versions import FoundVersion

_MOST_LETTERS = 200


def print_law(library: Library, law: LawEntry) -> None:
    """What is known of a law: its versions and what the calendar says."""
    click.echo(f"{law.name} ({law.kind})")
    for line in lookup.calendar_lines(library, law):
        click.echo(f"  {line}")


def print_provision(looked_up: LookedUp, answer: FoundVersion) -> None:
    """As a lawyer reads it, and by which reading of the date."""
    version = answer.version
    click.echo(f"{looked_up.law}\n  {lookup.describe(version)}\n  from {looked_up.source}")
    if looked_up.headings:
        click.echo(f"  {' › '.join(looked_up.headings)}")
    if looked_up.cited:
        click.echo(f"\n{looked_up.cited}")
    elif not looked_up.text:
        click.echo(f"  {version.articles} articles: name one of them")
    if looked_up.text:
        click.echo(_indent(looked_up.text) + "\n")
    doubt = "" if answer.sure else f" — not certain: {answer.note}"
    click.echo(f"reading: {looked_up.reading} {looked_up.on}{doubt}")
    for other in looked_up.other_readings:
        click.echo(f"  differs: {other}")


def print_derived(looked_up: LookedUp, why: str) -> None:
    """A provision of a version that is not at hand, as amending acts give it."""
    click.echo(f"{looked_up.law}\n  {why}\n  {looked_up.derived}\n\n{looked_up.cited}")
    click.echo(f"{_indent(looked_up.text)}\n\nreading: {looked_up.reading} {looked_up.on}, derived")


def print_history(law: LawEntry, steps: Sequence[Step], *, full: bool) -> None:
    """A provision in all versions: what changed, or with `full` the text also where nothing did."""
    click.echo(law.name)
    for step in steps:
        for gap in step.missing:
            click.echo(f"\n{gap.promulgated}  {gap.event}; its text is not in the library")
        click.echo(f"\n{_head(step)}")
        unchanged = step.position and step.similarity == 1
        if step.derived and not unchanged:
            click.echo(f"  its text is not in the library; {step.derived}")
        for moved in step.elsewhere:
            of, to = format_position(moved.of), format_position(moved.to)
            click.echo(f"  {of} is {to} here")
        if step.deleted:
            continue
        other_words = step.successor == "known" and (step.similarity or 0) < ALIKE
        if step.changes and not other_words:
            click.echo(_indent(show_difference(step.changes, colours=sys.stdout.isatty())))
        elif step.position and (step.similarity is None or full or other_words):
            click.echo(_indent(step.text))
        elif step.position:
            click.echo("  unchanged, derived" if step.derived else "  unchanged")


def _head(step: Step) -> str:
    """Which version, and where the provision is in it."""
    place = "does not have it" if step.position is None else format_position(step.position)
    deleted = ", deleted" if step.deleted else ""
    law = ""
    if step.successor:
        how = "as is known" if step.successor == "known" else f"found, {step.similarity:.0%} alike"
        law, deleted = f"  {step.version.law}", f" ({how})"
    return f"{step.version.promulgated}  {step.version.event}{law}  {place}{deleted}"


def print_provisions(hits: Sequence[Hit]) -> None:
    for hit in hits:
        more = f"  and {hit.elsewhere} other places" if hit.elsewhere else ""
        click.echo(f"{format_citation(hit.version.law, hit.position)}")
        click.echo(f"  {hit.version.promulgated}  {' › '.join(hit.headings)}{more}")
        click.echo(_indent(hit.text) + "\n")


def print_stats(stats: Stats, *, dates: bool = False) -> None:
    """How much law there is, by kind, and how well its dates are known; with those that are not."""
    click.echo(f"{stats.file}, fingerprint {stats.fingerprint}")
    for kind, counted in {"statutes": stats.statutes, **stats.kinds}.items():
        name = "statutes and constitution" if kind == "statutes" else kind
        click.echo(
            f"  {name:<26}{counted.laws:>6,} laws {counted.versions:>6,} versions"
            f" {counted.articles:>8,} articles {counted.leaves:>8,} leaves"
            f" {counted.leads:>7,} leads"
        )
    occasions, at_hand = stats.occasions, stats.at_hand
    click.echo(f"{stats.several_versions} statutes are at hand in several versions. The calendar")
    click.echo(f"knows {occasions} versions of statutes, of which {at_hand} are at hand;")
    click.echo(f"{stats.effective_later} of these took effect after they were promulgated.")
    click.echo("How well the entry into force is known:")
    for kind, counted in stats.kinds.items():
        sure = ", ".join(f"{number} {how}" for how, number in counted.sure.items())
        click.echo(f"  {kind:<26}{sure}")
    for unsure in stats.unsure if dates else ():
        since = unsure.effective or "not known"
        days = f"{unsure.promulgated}, in force from {since} ({unsure.sure})"
        click.echo(f"  {days:<50}{unsure.law}")


def print_remarks(reasons: Mapping[str, int], remarks: Sequence[Remark]) -> None:
    """Why lines could not be placed, with how many there are of each; then the lines."""
    for reason, number in reasons.items():
        click.echo(f"{number:>7,}  {reason}")
    for remark in remarks:
        row = "" if remark.row is None else f", row {remark.row}"
        line = "" if remark.line is None else f", line {remark.line}"
        law = f" ({remark.law} {remark.promulgated})" if remark.law else ""
        click.echo(f"\n{remark.file}{row}{line}{law}: {remark.reason}")
        if text := " ".join(remark.text.split()):
            click.echo(_indent(text[:_MOST_LETTERS]))


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))
