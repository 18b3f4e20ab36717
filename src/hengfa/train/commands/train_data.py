"""`hengfa train data` and `train check`: rows to train on by reward, and whether the test is in
them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from hengfa.base.errors import UsageError, counted
from hengfa.base.options import (
    Number,
    Place,
    Whole,
    data_option,
    force_option,
    json_option,
    print_json,
    say,
    seed_option,
    set_option,
    suite_option,
)

if TYPE_CHECKING:
    from hengfa.train.rewards.overlap import Checked

_SHOWN: Final = 20
"""So many overlaps are printed; all are in the JSON."""


@click.command("data")
@click.argument("name")
@click.option(
    "-o", "--output", "folder", type=Place(file_okay=False), required=True, help="Write here."
)
@seed_option("Which rows: the same seed and source give the same bytes.")
@click.option(
    "--rows",
    type=Whole(1, 1_000_000),
    default=1000,
    help="At most so many, of both splits together.",
)
@click.option(
    "--hold-out",
    type=Number(0, 1, max_open=True),
    default=0.1,
    metavar="SHARE",
    help="Which part is held out: of the laws, of the paths of tools, of the questions.",
)
@click.option(
    "--by",
    type=click.Choice(["law", "article"]),
    help="Of provisions: hold out whole laws, or articles.  [default: law]",
)
@click.option(
    "--world",
    type=Place(exists=True, dir_okay=False),
    help="Of `world`: make tasks over this world.  [default: a fresh one, written beside them]",
)
@set_option
@data_option
@click.option("--contaminate", is_flag=True, help="Write a test set all the same, marked as such.")
@force_option("Write beside files of others, and replace only those of the same name.")
@json_option
def data_(
    name: str, folder: Path, contaminate: bool, force: bool, as_json: bool, **wanted: Any
) -> None:
    """Write rows to train on by reward, in Parquet: prompt, answer key, reward, split.

    NAME is one of: `world` (fresh tasks with tools over a fictional world), `recitation` and
    `location` (what does a provision say, where does it stand), `twins` (which of two wordings),
    `citation_repair` (a wrong citation put right), `minimal_pairs` (does a telling say what the law
    says, and which words do not: of the half of the laws that the suite does not ask about),
    `sentencing` (arithmetic of sentences), `numerals` (numbers, sums, days and articles in both
    scripts).

    Provisions come from the law library, as `hengfa eval claw` asks for them, with its options.
    Laws are held out as by `hengfa suite claw training`: `hengfa eval claw --set held_out=SHARE`
    asks for these alone. A task of a suite is a test, and refused without --contaminate.

    \b
    Example:
      hengfa train data sentencing --seed 7 -o sentencing
      hengfa train data recitation --rows 20000 --hold-out 0.2 -o recitation
      hengfa train check recitation claw --set held_out=0.2
    """
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415 - not for --help
    from hengfa.train.rewards.data import HELD_OUT, TRAIN, Wanted, make_export  # noqa: PLC0415

    with counting("writing rows") as watch:
        manifest = make_export(
            name, folder, Wanted(**wanted), contaminate=contaminate, force=force, watch=watch
        )
    if manifest.contaminates:
        say(f"this is the test set of {name}: whoever is trained on it is no longer measured by it")
    if as_json:
        print_json({"folder": str(folder), **_without(manifest, "files")})
        return
    counts = manifest.rows
    click.echo(
        f"{counted(counts[TRAIN], 'row')} to train on, {counts[HELD_OUT]:,} held out by "
        f"{manifest.held_out_by}, in {folder}"
    )
    if manifest.left_out:
        click.echo(f"{manifest.left_out:,} left out: held-out ones say the same, or nearly so")
    click.echo(f"digest {manifest.digest}")


@click.command("check")
@click.argument("folder", type=Place(exists=True, file_okay=False))
@click.argument("targets", metavar="[SUITE[/TASK,…]]...", nargs=-1)
@set_option
@data_option
@json_option
@click.pass_context
def check_(
    context: click.Context,
    folder: Path,
    targets: tuple[str, ...],
    options: dict[str, str],
    data: str | None,
    as_json: bool,
) -> None:
    """Look for questions of suites, and their answers, in rows to train on.

    Compares the rows of a folder that `hengfa train data` wrote, without those held out, with every
    suite whose data is here, or with those that are named: word by word, and by what is peculiar to
    a question. Exit status 1 if anything is found. What says the same in other words is not.

    \b
    Example:
      hengfa train check recitation
      hengfa train check recitation claw --set held_out=0.2 --json
    """
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415 - not for --help
    from hengfa.train.rewards.data import read_export  # noqa: PLC0415
    from hengfa.train.rewards.overlap import check_suites  # noqa: PLC0415

    if options and len(targets) != 1:
        raise UsageError("--set: name the suite whose option it is")
    export = read_export(folder)
    if export.changed:
        say(f"{folder}: the rows are others than those that were written")
    with counting("comparing tasks") as watch:
        checked = check_suites(export.rows, targets, data=data, options=options, watch=watch)
    contaminates = export.manifest.contaminates
    if as_json:
        print_json(
            {"folder": str(folder), "changed": export.changed, "contaminates": contaminates,
             "seen": checked.seen(), **_without(checked)}
        )  # fmt: skip
    else:
        _show(checked, contaminates)
    context.exit(int(bool(checked.overlaps or contaminates)))


def _without(document: Any, *fields: str) -> dict[str, Any]:
    import msgspec  # noqa: PLC0415 - not for --help

    plain: dict[str, Any] = msgspec.to_builtins(document)
    return {name: value for name, value in plain.items() if name not in fields}


def _show(checked: Checked, contaminates: tuple[str, ...]) -> None:
    for task in contaminates:
        click.echo(f"its manifest says that it is the test set of {task}")
    for task, count in checked.seen().items():
        click.echo(f"{task}: {count:,} of {checked.questions[task]:,} questions")
    for overlap in sorted(checked.overlaps, key=lambda overlap: -overlap.share)[:_SHOWN]:
        task = overlap.task.partition("/")[2]
        click.echo(
            f"  {overlap.closeness} {overlap.share:4.0%}  {overlap.part} of {task}/{overlap.sample}"
            f"  in row {overlap.row}"
        )
    if len(checked.overlaps) > _SHOWN:
        click.echo(f"  and {len(checked.overlaps) - _SHOWN:,} more (--json has all)")
    asked = f"{sum(checked.questions.values()):,} questions of {len(checked.questions)} tasks"
    found = "overlaps" if checked.overlaps else "no overlap"
    click.echo(f"{found} of {checked.rows:,} rows to train on with {asked}")
    for suite, reason in checked.skipped.items():
        say(f"not compared with {suite}: {reason}")


for _command in (data_, check_):
    _command.params.append(suite_option)
