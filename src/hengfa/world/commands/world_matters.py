"""`hengfa world matters`: make matters over a legal world."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from hengfa.base.options import Place, Whole, force_option, json_option, print_json, seed_option


@click.command("matters")
@click.option("--world", "name", default="recovered", metavar="recovered|FILE")
@click.option(
    "--count",
    type=Whole(1, 10_000),
    default=12,
    metavar="N",
    help="How many: claims, defences and opinions in turn.",
)
@seed_option("Which matters: the same seed and world give the same bytes.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=Place(file_okay=False),
    required=True,
    help="Write matters, documents and the world here, for `hengfa eval matters --data`.",
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
        told = {"folder": str(folder), "seed": seed, "world": fingerprint}
        print_json({**told, "matters": kinds, "causes": causes, "documents": documents})
        return
    for kind, number in kinds.items():
        click.echo(f"  {kind:<10}{number:>7,}")
    click.echo(
        f"{len(matters):,} matters of {len(causes)} causes, {documents:,} documents, in {folder}"
    )
