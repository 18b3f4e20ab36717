"""`hengfa parts`: job files for clusters, one part of a run each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from hengfa.base.data.jsonfile import json_decoder, write_atomically
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import UsageError
from hengfa.base.options import Place, Whole, claim, force_option, say, several
from hengfa.base.secrets import part_fields, show_address
from hengfa.base.shards import MOST_SHARDS
from hengfa.evals.runs.jobs import (
    Job,
    Pod,
    kubernetes_job,
    kubernetes_merge,
    slurm_array,
    slurm_merge,
)

_job_options = several(
    click.argument("words", metavar="-- eval …", nargs=-1, required=True),
    click.option("--run", "name", required=True, help="Name of the run, of the job and its parts."),
    click.option("--shards", type=Whole(1, MOST_SHARDS), required=True, help="How many parts."),
    click.option("-o", "--out", type=Place(dir_okay=False), required=True, help="File to write."),
    click.option("--cpus", type=Whole(1), default=2, help="Cores of each part."),
    click.option("--memory", default="4G", help="Memory of each part."),
    click.option("--gpus", type=Whole(0), default=0, help="GPUs of each part."),
    force_option("Replace the files if they exist."),
)


@click.command("slurm")
@_job_options
@click.option("--time", default="", metavar="HH:MM:SS", help="Longest time of each part.")
@click.option("--partition", default="", help="Of the cluster.")
def slurm_(
    words: tuple[str, ...], name: str, shards: int, out: Path, cpus: int, memory: str, gpus: int,
    force: bool, time: str, partition: str,
) -> None:  # fmt: skip
    """Write a Slurm array, and a script that merges its parts.

    Keys are taken from the environment in which `sbatch` is called.

    \b
    Example:
      hengfa parts slurm --run kimi --shards 8 -o kimi.sbatch -- eval lawbench --model kimi:kimi-k2
    """
    job = Job(name, _checked(words), shards, cpus, memory, gpus, time)
    merge = out.with_name(f"{out.stem}.merge{out.suffix}")
    _write(out, merge, slurm_array(job, partition), slurm_merge(job, partition), force=force)
    say(f"sbatch {out}, then sbatch --dependency=afterok:JOB {merge}")


@click.command("k8s")
@_job_options
@click.option("--image", required=True, help="An image that has hengfa on its path.")
@click.option("--claim", "claim_name", required=True, help="A volume claim that all parts share.")
@click.option("--folder", default="/work", help="Where it is mounted.")
@click.option("--secret", default="", help="A Secret whose entries are the keys' variables.")
@click.option("--parallel", type=Whole(1), help="Parts at a time.  [default: all]")
def k8s_(
    words: tuple[str, ...], name: str, shards: int, out: Path, cpus: int, memory: str, gpus: int,
    force: bool, image: str, claim_name: str, folder: str, secret: str, parallel: int | None,
) -> None:  # fmt: skip
    """Write a Kubernetes Job with an index, and one that merges its parts, as JSON.

    \b
    Example:
      hengfa parts k8s --run kimi --shards 8 --image lab/hengfa:1 --claim work --secret keys \\
        -o kimi.json -- eval lawbench --model kimi:kimi-k2
    """
    job = Job(name, _checked(words), shards, cpus, memory, gpus)
    pod = Pod(image, claim_name, folder, secret)
    merge = out.with_name(f"{out.stem}.merge{out.suffix}")
    first, second = kubernetes_job(job, pod, parallel), kubernetes_merge(job, pod)
    _write(out, merge, _json(first), _json(second), force=force)
    say(f"kubectl apply -f {out}; when it is complete: kubectl apply -f {merge}")


def _checked(words: tuple[str, ...]) -> list[str]:
    """The command of the parts, parsed now: a mistake is better found here than on all machines."""
    from hengfa.evals.commands.eval import command as evaluating  # noqa: PLC0415 - not for --help

    if words[0] != "eval":
        raise UsageError(f"after -- stands hengfa's command eval, not {words[0]!r}")
    arguments = list(words[1:])
    context = evaluating.make_context("eval", list(arguments), resilient_parsing=False)
    if any(context.params.get(option) for option in ("name", "shard", "dry_run", "fresh")):
        raise UsageError(
            "leave out --run, --shard, --fresh and --dry-run: that is what jobs are for"
        )
    if any(show_address(word) != word or _holds_key(word) for word in arguments):
        raise UsageError(
            "the command holds a key or password, which a file would show to others: put it into "
            "the environment or into config.toml (docs/models.md)"
        )
    return [*words]


def _holds_key(word: str) -> bool:
    """Whether it is a JSON object, as --extra takes, with a field that is secret."""
    try:
        return bool(part_fields(json_decoder(dict[str, object])(word))[1])
    except msgspec.DecodeError:
        return False


def _json(document: dict[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def _write(out: Path, merge: Path, first: str, second: str, *, force: bool) -> None:
    for file in (out, merge):
        claim(file, force=force)
    with disk_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, first.encode())
    write_atomically(merge, second.encode())
    say(f"wrote {out} and {merge}")
