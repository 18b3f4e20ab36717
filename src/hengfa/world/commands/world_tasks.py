"""`hengfa world tasks`, `review`, `harbor` and `matters`: what is made over a world, for agents."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from hengfa.base.data.jsonfile import write_atomically, write_lines
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
    from hengfa.world.factory.task import FreshTask
    from hengfa.world.tables.world import World

RULES, NONE = "rules", "none"  # as in hengfa.world.factory.rewriting, which is imported late
MOST_HOPS: Final = 8
# "3", "1-5"; not "5-", "1,2"
_HOPS: Final = re.compile(r"([0-9]{1,3})(?:-([0-9]{1,3}))?")

world_option = click.option("--world", "name", default="recovered", metavar="recovered|FILE")


def output_option(
    name: str, help_: str | None = None, **more: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`-o`, by the name of what is written: a `folder`, or a file."""
    kind = Place(file_okay=False) if name == "folder" else Place(dir_okay=False)
    return click.option("-o", "--output", name, type=kind, help=help_, **more)


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
@world_option
@click.option(
    "--hops",
    default="1-5",
    callback=_hops,
    metavar="N|N-M",
    help=f"Tools on the path, at most {MOST_HOPS}.",
)
@click.option("--per-hop", type=Whole(0, 100_000), default=20, help="Tasks of each number of hops.")
@click.option(
    "--entities",
    type=Whole(1, 100),
    default=2,
    help="Tasks on the same path, from different starts.",
)
@click.option(
    "--writing", type=Whole(0, 10_000), default=0, help="Statements of defence to be written."
)
@seed_option("Which tasks: the same seed and world give the same bytes.")
@output_option(
    "file",
    "Write the tasks here; as tasks.jsonl they are read by `hengfa eval legalagentbench`.",
    required=True,
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

    if rewrite not in (RULES, NONE):
        from hengfa.evals.runs.models import ENDPOINT_FORMS, check_name  # noqa: PLC0415

        forms = f"rules                            built in, offline\nnone\n{ENDPOINT_FORMS}"
        kinds = ("replay", "inspect")
        check_name(rewrite, option="--rewrite", built_in=(RULES, NONE), kinds=kinds, forms=forms)
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
    _show_report(file, report, short)


def _by_model(
    tasks: list[FreshTask], world: World, name: str, file: Path, *, base_url: str | None, lanes: int
) -> tuple[list[FreshTask], Figures]:
    """The tasks with what a model made of their questions, where that may stand."""
    from hengfa.evals.engine.session import Sitting, sit  # noqa: PLC0415
    from hengfa.evals.runs.models import Connection, open_outside  # noqa: PLC0415
    from hengfa.world.factory.rewriting import (  # noqa: PLC0415
        Checker,
        Rewriting,
        by_model,
        can_be_rewritten,
        figures,
        not_copied,
    )

    chosen = [task for task in tasks if can_be_rewritten(task)]
    checker = Checker(world)
    outcomes: dict[int, Rewriting] = {}

    async def rewrite(session: Session, task: FreshTask) -> None:
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


def _show_report(file: Path, report: Report, short: int) -> None:
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


# --- tasks before people, and for agents of others ---


@click.command("review")
@click.argument("tasks", metavar="TASKS.jsonl", type=Place(exists=True, dir_okay=False))
@click.option("-o", "--out", type=Place(dir_okay=False), required=True, help="File to write.")
@force_option("Replace the file if it exists.")
@click.option(
    "--scores",
    "tables",
    type=Place(exists=True, dir_okay=False),
    multiple=True,
    help="What reviewers said (a table of `hengfa grade people serve`, once for each): write the "
    "tasks that stand.",
)
@json_option
def review_(tasks: Path, out: Path, force: bool, tables: tuple[Path, ...], as_json: bool) -> None:
    """Have generated tasks reviewed by people.

    They do so on the page of `hengfa grade people serve`, where each question stands with its path
    and its answer, and four things to say of it: is it natural, unambiguous, right, to be kept.
    With --scores the tasks are written again, line by line as they were, without those that at
    least half of their reviewers would drop; what nobody reviewed stays. How far reviewers agree is
    printed: which share of pairs of answers is alike, Cohen's kappa and Krippendorff's alpha.

    \b
    Example:
      hengfa world review tasks.jsonl -o review.jsonl
      hengfa grade people serve review.jsonl -o zhang.csv --rater 张三
      hengfa grade people serve review.jsonl -o li.csv --rater 李四
      hengfa world review tasks.jsonl --scores zhang.csv --scores li.csv -o kept.jsonl
    """
    from hengfa.world.suites.legalagentbench.reviewing import (  # noqa: PLC0415
        read_for_review,
        reviewed,
        to_review,
    )

    claim(out, force=force)
    read = read_for_review(tasks)
    if not tables:
        if as_json:
            raise UsageError("--json tells what reviewers said: give --scores")
        write_lines(out, to_review(read))
        say(f"wrote {counted(len(read), 'task')} for `hengfa grade people serve` to {out}")
        return
    review = reviewed(read, tables)
    write_atomically(out, b"".join(task.line + b"\n" for task in review.kept))
    if as_json:
        told = {"dropped": review.dropped, "objected": review.objected, "unseen": review.unseen}
        done = {"file": str(out), "tasks": len(read), "kept": len(review.kept)}
        print_json({**done, **told, "agreement": review.agreement})
        return
    for item, ids in review.objected.items():
        say(f"not {item}: {', '.join(ids)}")
    click.echo(
        f"{'':<14}{'reviewed':>9}{'yes':>8}{'by several':>12}{'alike':>8}{'kappa':>8}{'alpha':>8}"
    )
    for item, one in review.agreement.items():
        shares = f"{_figure(one.yes):>8}{one.several:>12}{_figure(one.alike):>8}"
        click.echo(
            f"{item:<14}{one.reviewed:>9}{shares}{_figure(one.kappa):>8}{_figure(one.alpha):>8}"
        )
    click.echo(f"kept {len(review.kept)} of {len(read)} tasks in {out}")
    if review.unseen:
        say(f"{len(review.unseen)} were not reviewed whole")


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


@click.command("harbor")
@click.argument("tasks", type=Place(exists=True, dir_okay=False))
@world_option
@output_option("folder", "Write a folder for each task below this one.", required=True)
@click.option(
    "--wheel",
    type=Place(exists=True, dir_okay=False),
    help="Install Hengfa in the containers from this wheel.  [default: from the package index]",
)
@force_option("Write beside what is there.")
def harbor_(tasks: Path, name: str, folder: Path, wheel: Path | None, force: bool) -> None:
    """Write TASKS of `hengfa world tasks` in the layout of Harbor.

    Each has task.toml, instruction.md, environment/ (a Dockerfile and the world), tests/ (the
    verifier and the keys) and solution/ (what the oracle answers, tried before it is written).

    \b
    Example:
      hengfa world tasks --world world.sqlite --per-hop 20 -o tasks.jsonl
      hengfa world harbor tasks.jsonl --world world.sqlite -o harbor
      harbor run -p harbor -a oracle
    """
    from hengfa.world.factory.harbor import write_harbor  # noqa: PLC0415 - for those who export
    from hengfa.world.opening import open_local  # noqa: PLC0415

    with open_local(name) as world:
        written = write_harbor(folder, world, tasks, wheel=wheel, force=force)
    say(f"wrote {counted(written, 'task')} into {folder}")
    if wheel is None:
        say("their image takes hengfa from the package index, where there is no release: --wheel")


@click.command("matters")
@world_option
@click.option(
    "--count",
    type=Whole(1, 10_000),
    default=12,
    metavar="N",
    help="How many: claims, defences and opinions in turn.",
)
@seed_option("Which matters: the same seed and world give the same bytes.")
@output_option(
    "folder",
    "Write matters, documents and the world here, for `hengfa eval matters --data`.",
    required=True,
)
@force_option("Write into a folder that holds other files.")
@json_option
def matters_(name: str, count: int, seed: int, folder: Path, force: bool, as_json: bool) -> None:
    """Make matters: folders of documents of fictional cases, each with what is to be written.

    The documents contradict each other as real ones do. An agent reads them with three tools beside
    those of the world and hands in a statement of claim, a defence or an opinion.

    \b
    Example:
      hengfa world build --seed 7 --scale 10000 -o world.sqlite
      hengfa world matters --world world.sqlite --count 12 --seed 1 -o matters
      hengfa eval matters --data matters --model ceiling
    """
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415 - for those who make them
    from hengfa.world.matters.make import make_matters  # noqa: PLC0415
    from hengfa.world.matters.matter import write_matters  # noqa: PLC0415
    from hengfa.world.opening import open_local  # noqa: PLC0415

    with open_local(name) as world, counting("making matters") as watch:
        matters = make_matters(world, count, seed, watch)
        write_matters(folder, matters, world.path, force=force)
        fingerprint = world.fingerprint
    kinds = Counter(matter.kind for matter in matters)
    causes = Counter(matter.cause for matter in matters)
    documents = sum(len(matter.documents) for matter in matters)
    if as_json:
        about = {"folder": str(folder), "seed": seed, "world": fingerprint}
        print_json({**about, "matters": kinds, "causes": causes, "documents": documents})
        return
    for kind, number in kinds.items():
        click.echo(f"  {kind:<10}{number:>7,}")
    click.echo(
        f"{len(matters):,} matters of {len(causes)} causes, {documents:,} documents, in {folder}"
    )
