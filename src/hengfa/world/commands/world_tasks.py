"""`hengfa world tasks`: make fresh tasks over a legal world."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import msgspec

from hengfa.base.errors import UsageError, counted
from hengfa.base.options import (
    Place,
    Whole,
    claim,
    force_option,
    json_option,
    print_json,
    say,
    seed_option,
)

if TYPE_CHECKING:
    from hengfa.evals.engine.session import Session
    from hengfa.world.factory.make import Report
    from hengfa.world.factory.rewriting import Figures
    from hengfa.world.factory.task import Task
    from hengfa.world.tables.world import World

RULES, NONE = "rules", "none"  # as in hengfa.world.factory.rewriting, which is imported late
MOST_HOPS: Final = 8
# "3", "1-5"; not "5-", "1,2"
_HOPS: Final = re.compile(r"([0-9]{1,3})(?:-([0-9]{1,3}))?")


def _hops(_context: click.Context, parameter: click.Parameter, value: str) -> tuple[int, ...]:
    matched = _HOPS.fullmatch(value)
    first, last = (int(matched[1]), int(matched[2] or matched[1])) if matched else (0, 0)
    if not 1 <= first <= last <= MOST_HOPS:
        raise click.BadParameter(
            f"{value!r} is neither a number from 1 to {MOST_HOPS} nor a range such as 1-5",
            param=parameter,
        )
    return tuple(range(first, last + 1))


@click.command("tasks")
@click.option("--world", "name", default="recovered", metavar="recovered|FILE")
@click.option(
    "--hops",
    default="1-5",
    callback=_hops,
    metavar="N|N-M",
    help=f"Tools on the path, at most {MOST_HOPS}.",
)
@click.option(
    "--per-hop",
    type=Whole(0, 100_000),
    default=20,
    help="Tasks of each number of hops.",
)
@click.option(
    "--entities",
    type=Whole(1, 100),
    default=2,
    help="Tasks on the same path, from different starts.",
)
@click.option(
    "--writing",
    type=Whole(0, 10_000),
    default=0,
    help="Statements of defence to be written.",
)
@seed_option("Which tasks: the same seed and world give the same bytes.")
@click.option(
    "-o",
    "--output",
    "file",
    type=Place(dir_okay=False),
    required=True,
    help="Write the tasks here; as tasks.jsonl they are read by `hengfa eval legalagentbench`.",
)
@force_option("Replace the tasks if they exist.")
@click.option(
    "--rewrite",
    default=RULES,
    metavar="rules|none|MODEL",
    help="Put questions into other words by rule, not at all, or by a model, with a check that the "
    "answer is unchanged.",
)
@click.option("--base-url", help="Address of the model's server.")
@click.option("--lanes", type=Whole(1), default=16)
@json_option
def tasks_(
    name: str, hops: tuple[int, ...], per_hop: int, entities: int, writing: int, seed: int,
    file: Path, force: bool, rewrite: str, base_url: str | None, lanes: int, as_json: bool,
) -> None:  # fmt: skip
    """Make fresh tasks with gold paths and exact answers over a legal world.

    What a model rewrites is kept in FILE.rewrites.jsonl next to the tasks: the same command again
    asks nothing twice.

    \b
    Example:
      hengfa world build --seed 7 --scale 10000 -o world.sqlite
      hengfa world tasks --world world.sqlite --per-hop 20 --writing 5 --seed 1 -o tasks.jsonl
    """
    # the factory is imported by those who make tasks
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415
    from hengfa.world.factory.make import make_tasks  # noqa: PLC0415
    from hengfa.world.factory.task import Wanted, write_tasks  # noqa: PLC0415
    from hengfa.world.opening import open_local  # noqa: PLC0415

    _check_rewriter(rewrite)
    if not file.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {file.parent}: make it first")
    claim(file, force=force)
    with open_local(name) as world:
        with counting("making tasks") as watch:
            wanted = Wanted(hops, per_hop, writing, entities, seed, rewrite)
            tasks, report = make_tasks(world, wanted, watch)
        if rewrite not in (RULES, NONE):
            tasks, report.rewriting = _by_model(
                tasks, world, rewrite, file, base_url=base_url, lanes=lanes
            )
    if not tasks:
        raise UsageError(f"no task can be made over {name}: {report.refused}")
    write_tasks(file, tasks)
    short = per_hop * len(hops) + writing - len(tasks)
    if as_json:
        done = {"file": str(file), "seed": seed, "missing": short}
        print_json({**done, **msgspec.to_builtins(report)})
        return
    _show(file, report, short)


def _check_rewriter(name: str) -> None:
    if name in (RULES, NONE):
        return
    from hengfa.evals.runs.models import ENDPOINT_FORMS, check_name  # noqa: PLC0415

    forms = f"rules                            built in, offline\nnone\n{ENDPOINT_FORMS}"
    kinds = ("replay", "inspect")
    check_name(name, option="--rewrite", built_in=(RULES, NONE), kinds=kinds, forms=forms)


def _by_model(
    tasks: list[Task], world: World, name: str, file: Path, *, base_url: str | None, lanes: int
) -> tuple[list[Task], Figures]:
    """The tasks with what a model made of their questions, where that may stand."""
    from hengfa.evals.runs.models import Connection, open_outside  # noqa: PLC0415
    from hengfa.evals.runs.sitting import Sitting, sit  # noqa: PLC0415
    from hengfa.world.factory.rewriting import (  # noqa: PLC0415
        Checker,
        Rewritten,
        by_model,
        can_be_rewritten,
        figures,
        not_copied,
    )

    chosen = [task for task in tasks if can_be_rewritten(task)]
    checker = Checker(world)
    outcomes: dict[int, Rewritten] = {}

    async def rewrite(session: Session, task: Task) -> None:
        outcomes[task.id] = await by_model(session.ask, task, checker)

    if chosen:
        model = open_outside(name, Connection(base_url, lanes=lanes))
        journal = file.with_name(f"{file.name}.rewrites.jsonl")
        sitting = Sitting(lanes=lanes)
        total = len(chosen)
        asyncio.run(sit(model, journal, chosen, rewrite, total=total, sitting=sitting, notify=say))
    checked = not_copied([outcomes[task.id] for task in chosen])
    new = {outcome.task.id: outcome.task for outcome in checked}
    return [new.get(task.id, task) for task in tasks], figures(name, checked)


def _show(file: Path, report: Report, short: int) -> None:
    figures = report.rewriting
    for group, number in report.tasks.items():
        click.echo(f"  {group:<10}{number:>7,}")
    total = sum(report.tasks.values())
    click.echo(f"{counted(total, 'task')} on {report.paths:,} paths in {file}")
    click.echo(
        f"tools {report.tools} of {report.tools_in_all}, edges {report.edges} of"
        f" {report.edges_in_all} that a path may take"
    )
    if report.tools_missing:
        click.echo(f"not used: {', '.join(report.tools_missing)}")
    refused = sum(report.refused.values())
    click.echo(f"{report.tried:,} candidates tried, {refused:,} refused:")
    for reason, number in report.refused.items():
        click.echo(f"  {number:>8,}  {reason}")
    for group, spread in report.answers.items():
        click.echo(
            f"answers, {group}: {spread.different:,} of {spread.tasks:,} different, commonest"
            f" {spread.commonest} ({spread.share:.1%}), entropy {spread.entropy:.2f} of"
            f" {spread.most:.2f} bits"
        )
    if figures.asked:
        click.echo(f"rewritten by {figures.by}: {figures.passed:,} of {figures.asked:,} passed")
        for reason, number in figures.refused.items():
            click.echo(f"  {number:>8,}  {reason}")
    if short > 0:
        say(
            f"{short:,} tasks fewer than wanted: this world has no more, or another --seed has them"
        )
