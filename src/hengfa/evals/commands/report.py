"""`hengfa report`: a site of runs that opens from disk."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.base.errors import counted
from hengfa.base.options import Place, Whole, force_option, runs_option, say
from hengfa.evals.report import MOST_SAMPLES

_EPILOG = """\b
Examples:
  hengfa report runs -o site
  hengfa report runs/lawbench-zero_shot-gpt4 runs/lawbench-zero_shot-qwen -o site
"""


@click.command("report", epilog=_EPILOG)
@click.argument("named", metavar="RUNS...", nargs=-1, required=True)
@click.option(
    "-o",
    "--out",
    type=Place(file_okay=False),
    default=Path("site"),
    help="Folder to write; an older site of ours in it is replaced, anything else is refused.",
)
@force_option("Write beside what else is in the folder; only files of the same name are replaced.")
@click.option(
    "--samples",
    type=Whole(min=1),
    default=MOST_SAMPLES,
    help="So many samples of each task have their texts on the site; figures are of all.",
)
@runs_option
def command(named: tuple[str, ...], out: Path, force: bool, samples: int, runs: Path) -> None:
    """Write a site about scored runs: static, in Chinese and English, opened from disk.

    RUNS are run folders, folders that hold runs, or names below --runs. The site needs no server
    and asks no network: it can be put on a stick or any web server as it is.
    """
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415
    from hengfa.evals.report.site.build import write_report  # noqa: PLC0415 - loads much

    with counting("reading tasks") as watch:
        written = write_report(
            named, out, runs, force=force, samples=samples, notify=say, watch=watch
        )
    click.echo(f"a site of {counted(written.runs, 'run')}: open {written.page}")
