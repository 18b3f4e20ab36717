"""Job files for clusters: a Slurm array, or a Kubernetes Job with an index, one part of a run each.

Nothing is scheduled here. A file holds the command as it would be typed, with `--run` and `--shard`
put to it, so that a job that is run again goes on where it was; a second file merges the parts.
Keys come from the environment: from that of `sbatch`, or from a Secret that is named.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from hengfa.base.errors import UsageError

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

    name: str
    arguments: Sequence[str]
    shards: int
    cpus: int = 2
    memory: str = "4G"
    gpus: int = 0
    time: str = ""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise UsageError(
                f"--run: {self.name!r} is no name for a job: small letters, digits and - only"
            )
        _check("--memory", self.memory, _MEMORY, "4G")
        if self.time:
            _check("--time", self.time, _TIME, "04:00:00")

    def command(self, index: str) -> str:
        """The shell command of one part; `index` is what the shell knows its number by."""
        words = shlex.join(["hengfa", *self.arguments, "--run", self.name])
        return f'{words} --shard "{index}/{self.shards}"'

    def merge(self) -> list[str]:
        """The command that puts the parts together."""
        parts = [
            f"{self.name}-shard-{number}-of-{self.shards}" for number in range(1, self.shards + 1)
        ]
        return ["hengfa", "parts", "merge", *parts, "--run", self.name, *self._runs()]

    def _runs(self) -> list[str]:
        """Where runs lie, if the command says it."""
        for number, argument in enumerate(self.arguments):
            if argument == "--runs":
                return [argument, *self.arguments[number + 1 : number + 2]]
            if argument.startswith("--runs="):
                return [argument]
        return []


def _check(option: str, value: str, form: re.Pattern[str], such_as: str) -> None:
    if not form.fullmatch(value):
        raise UsageError(f"{option}: {value!r} is nothing such as {such_as}")


def slurm_array(job: Job, partition: str = "") -> str:
    """A script for `sbatch`: one task of the array is one part."""
    if partition:
        _check("--partition", partition, _PARTITION, "gpu")
    return _script(
        [
            f"--job-name={job.name}",
            f"--array=1-{job.shards}",
            f"--cpus-per-task={job.cpus}",
            f"--mem={job.memory}",
            *([f"--gres=gpu:{job.gpus}"] if job.gpus else []),
            *([f"--time={job.time}"] if job.time else []),
            *([f"--partition={partition}"] if partition else []),
            f"--output={job.name}-%A_%a.log",
            "--requeue",
        ],
        job.command(_SHELL_ARRAY),
    )


def slurm_merge(job: Job, partition: str = "") -> str:
    """A script for after the array: `sbatch --dependency=afterok:ARRAY`."""
    return _script(
        [
            f"--job-name={job.name}-merge",
            f"--cpus-per-task={job.cpus}",
            f"--mem={job.memory}",
            *([f"--partition={partition}"] if partition else []),
            f"--output={job.name}-merge-%j.log",
        ],
        shlex.join(job.merge()),
    )


def _script(directives: Sequence[str], command: str) -> str:
    head = "\n".join(f"#SBATCH {directive}" for directive in directives)
    return f"#!/bin/bash\n{head}\nset -euo pipefail\n{command}\n"


@dataclass(frozen=True, slots=True)
class Pod:
    """Where a part runs on Kubernetes: an image that has Hengfa, a claim that holds `runs`, and a
    Secret with the keys as environment variables."""

    image: str
    claim: str
    folder: str = "/work"
    secret: str = ""


def kubernetes_job(job: Job, pod: Pod, parallel: int | None = None) -> dict[str, Any]:
    """A Job with an index: one completion is one part."""
    spec = {
        "completions": job.shards,
        "parallelism": min(parallel or job.shards, job.shards),
        "completionMode": "Indexed",
        "backoffLimit": job.shards * _ALLOWED_AGAIN,
    }
    return _kubernetes(job, pod, job.name, spec, job.command(_SHELL_INDEX))


def kubernetes_merge(job: Job, pod: Pod) -> dict[str, Any]:
    """A Job for after that one."""
    merge = shlex.join(job.merge())
    return _kubernetes(job, pod, f"{job.name}-merge", {"backoffLimit": 1}, merge)


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
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {
            **spec,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [container],
                    "volumes": [
                        {"name": "work", "persistentVolumeClaim": {"claimName": pod.claim}}
                    ],
                }
            },
        },
    }
