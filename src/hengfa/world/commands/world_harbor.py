"""`hengfa world harbor`: tasks as folders that Harbor runs agents on."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.base.errors import counted
from hengfa.base.options import Place, force_option, say


@click.command("harbor")
@click.argument("tasks", type=Place(exists=True, dir_okay=False))
@click.option("--world", "name", default="recovered", metavar="recovered|FILE")
@click.option(
    "-o",
    "--output",
    "folder",
    type=Place(file_okay=False),
    required=True,
    help="Write a folder for each task below this one.",
)
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
