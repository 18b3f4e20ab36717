"""`hengfa parts`: job files for clusters, Slurm arrays or Kubernetes Jobs, one part of a run each.

Nothing is scheduled here. A file holds the command as it would be typed, with `--run` and `--shard`
put to it, so that a job that is run again goes on where it was; a second file merges the parts.
Keys come from the environment: from that of `sbatch`, or from a Secret that is named.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from hengfa.base.data.jsonfile import json_decoder, write_atomically, write_in_folder
from hengfa.base.errors import UsageError
from hengfa.base.options import Place, Whole, claim, force_option, say, several
from hengfa.base.secrets import part_fields, show_address
from hengfa.base.shards import MOST_SHARDS
from hengfa.evals.commands.eval import command as evaluating

# A name that Slurm and Kubernetes take: "lawbench-kimi"; not "Lawbench_Kimi" or "-x".
_NAME: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,50}[a-z0-9])?")
# How much memory: "4G", "512Mi"; not "4 G".
_MEMORY: Final = re.compile(r"[0-9]{1,9}(?:[KMGT]i?)?")
# How long: "04:00:00", "1-12:00", "90"; not "4h".
_TIME: Final = re.compile(r"(?:[0-9]{1,4}-)?[0-9]{1,4}(?::[0-9]{2}){0,2}")
# A partition: "gpu", "gpu,long"; not "gpu long".
_PARTITION: Final = re.compile(r"[\w.,-]{1,100}")
_SHELL_ARRAY: Final = "$SLURM_ARRAY_TASK_ID"
_SHELL_INDEX: Final = "$((JOB_COMPLETION_INDEX + 1))"
_ALLOWED_AGAIN: Final = 6
"""How many times a part may fail before Kubernetes gives up; each time it goes on where it was."""


@dataclass(frozen=True, slots=True)
class Job:
    """A command of `hengfa eval` in so many parts, and what each of them needs."""

    words: Sequence[str]
    name: str
    shards: int
    cpus: int
    memory: str
    gpus: int
    time: str = ""

    def __post_init__(self) -> None:
        _check_words(self.words)
        if not _NAME.fullmatch(self.name):
            raise UsageError(
                f"--run: {self.name!r} is no name for a job: small letters, digits and - only"
            )
        _check("--memory", self.memory, _MEMORY, "4G")
        if self.time:
            _check("--time", self.time, _TIME, "04:00:00")

    def command(self, index: str) -> str:
        """The shell command of one part; `index` is what the shell knows its number by."""
        words = shlex.join(["hengfa", *self.words, "--run", self.name])
        return f'{words} --shard "{index}/{self.shards}"'

    def merge(self) -> list[str]:
        """The command that puts the parts together."""
        numbers = range(1, self.shards + 1)
        parts = [f"{self.name}-shard-{number}-of-{self.shards}" for number in numbers]
        return ["hengfa", "parts", "merge", *parts, "--run", self.name, *self._runs()]

    def _runs(self) -> list[str]:
        """Where runs lie, if the command says it."""
        for number, word in enumerate(self.words):
            if word == "--runs":
                return [word, *self.words[number + 1 : number + 2]]
            if word.startswith("--runs="):
                return [word]
        return []


def _check(option: str, value: str, form: re.Pattern[str], such_as: str) -> None:
    if not form.fullmatch(value):
        raise UsageError(f"{option}: {value!r} is nothing such as {such_as}")


def slurm_scripts(job: Job, partition: str) -> tuple[str, str]:
    """For `sbatch`: an array of which one task is one part, and what merges them after it."""
    if partition:
        _check("--partition", partition, _PARTITION, "gpu")
    needs = [f"--cpus-per-task={job.cpus}", f"--mem={job.memory}"]
    where = [f"--partition={partition}"] if partition else []
    array = [
        f"--job-name={job.name}",
        f"--array=1-{job.shards}",
        *needs,
        *([f"--gres=gpu:{job.gpus}"] if job.gpus else []),
        *([f"--time={job.time}"] if job.time else []),
        *where,
        f"--output={job.name}-%A_%a.log",
        "--requeue",
    ]
    merge = [f"--job-name={job.name}-merge", *needs, *where, f"--output={job.name}-merge-%j.log"]
    return _script(array, job.command(_SHELL_ARRAY)), _script(merge, shlex.join(job.merge()))


def _script(directives: Sequence[str], command: str) -> str:
    head = "\n".join(f"#SBATCH {directive}" for directive in directives)
    return f"#!/bin/bash\n{head}\nset -euo pipefail\n{command}\n"


@dataclass(frozen=True, slots=True)
class Pod:
    """Where a part runs on Kubernetes: an image that has Hengfa, a claim that holds `runs`, and a
    Secret with the keys as environment variables."""

    image: str
    claim: str
    folder: str
    secret: str


def kubernetes_jobs(
    job: Job, pod: Pod, parallel: int | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A Job with an index, of which one completion is one part, and a Job for after it."""
    spec = {
        "completions": job.shards,
        "parallelism": min(parallel or job.shards, job.shards),
        "completionMode": "Indexed",
        "backoffLimit": job.shards * _ALLOWED_AGAIN,
    }
    merge = shlex.join(job.merge())
    return (
        _kubernetes(job, pod, job.name, spec, job.command(_SHELL_INDEX)),
        _kubernetes(job, pod, f"{job.name}-merge", {"backoffLimit": 1}, merge),
    )


def _kubernetes(
    job: Job, pod: Pod, name: str, spec: dict[str, Any], command: str
) -> dict[str, Any]:
    needs: dict[str, Any] = {"cpu": str(job.cpus), "memory": job.memory}
    if job.gpus:
        needs["nvidia.com/gpu"] = str(job.gpus)
    container = {
        "name": "hengfa",
        "image": pod.image,
        "command": ["/bin/sh", "-ec", f"exec {command}"],
        "workingDir": pod.folder,
        "resources": {"requests": needs, "limits": needs},
        "volumeMounts": [{"name": "work", "mountPath": pod.folder}],
    }
    if pod.secret:
        container["envFrom"] = [{"secretRef": {"name": pod.secret}}]
    volume = {"name": "work", "persistentVolumeClaim": {"claimName": pod.claim}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {
            **spec,
            "template": {
                "spec": {"restartPolicy": "Never", "containers": [container], "volumes": [volume]}
            },
        },
    }


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
def slurm_(*, out: Path, force: bool, partition: str, **given: Any) -> None:
    """Write a Slurm array, and a script that merges its parts.

    Keys are taken from the environment in which `sbatch` is called.

    \b
    Example:
      hengfa parts slurm --run kimi --shards 8 -o kimi.sbatch -- eval lawbench --model kimi:kimi-k2
    """
    merge = _write(out, *slurm_scripts(Job(**given), partition), force=force)
    say(f"sbatch {out}, then sbatch --dependency=afterok:JOB {merge}")


@click.command("k8s")
@_job_options
@click.option("--image", required=True, help="An image that has hengfa on its path.")
@click.option("--claim", "claim_name", required=True, help="A volume claim that all parts share.")
@click.option("--folder", default="/work", help="Where it is mounted.")
@click.option("--secret", default="", help="A Secret whose entries are the keys' variables.")
@click.option("--parallel", type=Whole(1), help="Parts at a time.  [default: all]")
def k8s_(
    *, out: Path, force: bool, image: str, claim_name: str, folder: str, secret: str,
    parallel: int | None, **given: Any,
) -> None:  # fmt: skip
    """Write a Kubernetes Job with an index, and one that merges its parts, as JSON.

    \b
    Example:
      hengfa parts k8s --run kimi --shards 8 --image lab/hengfa:1 --claim work --secret keys \\
        -o kimi.json -- eval lawbench --model kimi:kimi-k2
    """
    pod = Pod(image, claim_name, folder, secret)
    merge = _write(out, *map(_json, kubernetes_jobs(Job(**given), pod, parallel)), force=force)
    say(f"kubectl apply -f {out}; when it is complete: kubectl apply -f {merge}")


def _check_words(words: Sequence[str]) -> None:
    """Parse the command of the parts now: a mistake is better found here than on all machines."""
    if words[0] != "eval":
        raise UsageError(f"after -- stands hengfa's command eval, not {words[0]!r}")
    arguments = list(words[1:])
    context = evaluating.make_context("eval", [*arguments])
    if any(context.params.get(option) for option in ("name", "shard", "dry_run", "fresh")):
        raise UsageError(
            "leave out --run, --shard, --fresh and --dry-run: that is what jobs are for"
        )
    if any(show_address(word) != word or _holds_key(word) for word in arguments):
        raise UsageError(
            "the command holds a key or password, which a file would show to others: put it into "
            "the environment or into config.toml (docs/models.md)"
        )


def _holds_key(word: str) -> bool:
    """Whether it is a JSON object, as --extra takes, with a field that is secret."""
    try:
        return bool(part_fields(json_decoder(dict[str, object])(word))[1])
    except msgspec.DecodeError:
        return False


def _json(document: dict[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def _write(out: Path, first: str, second: str, *, force: bool) -> Path:
    """Both files; returns where the one is that merges."""
    merge = out.with_name(f"{out.stem}.merge{out.suffix}")
    for file in (out, merge):
        claim(file, force=force)
    write_in_folder(out, first.encode())
    write_atomically(merge, second.encode())
    say(f"wrote {out} and {merge}")
    return merge
