"""`hengfa world build`: make a legal world from a seed."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.cli.options import json_option, print_json
from hengfa.errors import UsageError


@click.command("build")
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="S",
    help="Which world: the same seed gives the same rows everywhere.",
)
@click.option(
    "--scale",
    type=click.IntRange(1_000, 1_000_000),
    default=10_000,
    show_default=True,
    metavar="N",
    help="Rows of the fourteen tables in all, from 1,000 to 1,000,000.",
)
@click.option(
    "--law",
    type=click.Choice(["sample", "library"]),
    default="sample",
    show_default=True,
    help="Articles and knowledge: the fictional law that ships with Hengfa, or the law library.",
)
@click.option(
    "-o",
    "--output",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the world here.  [default: world-S-N.sqlite]",
)
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@json_option
def build_(seed: int, scale: int, law: str, file: Path | None, force: bool, as_json: bool) -> None:
    """Make a legal world: fictional companies, courts, law firms, judgments and their law.

    All tables fit together: a case number leads to its court, a subsidiary to its parent, an
    address to its region. The three collections of texts come on top of the N rows.

    \b
    Example:
      hengfa world build --seed 7 --scale 10000 -o world.sqlite
    """
    # the generator is imported by those who build
    from hengfa.report.progress import counting  # noqa: PLC0415
    from hengfa.suites.plan import sample_root  # noqa: PLC0415
    from hengfa.world.generator import build_world  # noqa: PLC0415
    from hengfa.world.generator.law import library_law, sample_law  # noqa: PLC0415

    file = file or Path(f"world-{seed}-{scale}.sqlite")
    if file.exists() and not force:
        raise UsageError(f"{file} exists: --force replaces it, -o names another file")
    with (
        sample_law(sample_root()) if law == "sample" else library_law() as source,
        counting("writing rows") as watch,
    ):
        built = build_world(file, seed, scale, source, watch)
    if as_json:
        print_json(built)
        return
    for name, rows in {**built.tables, **built.corpora}.items():
        click.echo(f"  {name:<20}{rows:>9,}")
    rows, texts = sum(built.tables.values()), sum(built.corpora.values())
    click.echo(f"{rows:,} rows and {texts:,} texts, law: {built.law}, in {built.file}")
    click.echo(f"fingerprint {built.fingerprint}")
