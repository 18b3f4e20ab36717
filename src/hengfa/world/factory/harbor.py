"""Tasks as folders of Harbor: instruction, environment, verifier and solution of each.

The container has the world and its tools, by MCP and as a command, and none of the keys; these are
with the verifier, which Harbor puts beside the answer when the agent is done. The solution is what
the oracle finds by the task's plan, and is tried before it is written.
"""

from __future__ import annotations

import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

import hengfa
from hengfa.base.data.jsonfile import encode_json, read_json, read_lines, read_toml
from hengfa.base.data.output import MANIFEST, files_below, whole_folder
from hengfa.base.errors import DataError, UsageError
from hengfa.world.factory import harbor_verifier
from hengfa.world.factory.harbor_verifier import rewards
from hengfa.world.factory.oracle import Oracle, Solved
from hengfa.world.factory.task import FreshTask, Refused
from hengfa.world.opening import WORLD_FILE
from hengfa.world.tables.world import World

FORMAT: Final = 1
# "hengfa-0.1.0-py3-none-any.whl"; no quotes or blanks, for it stands in a command
_WHEEL: Final = re.compile(r"[A-Za-z0-9_.+-]+\.whl")


class _Texts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    instruction: str
    task: str
    dockerfile: str
    test: str
    solve: str


_TEXTS: Final = read_toml(Path(__file__).with_name("harbor.toml"), _Texts)


class _Manifest(msgspec.Struct, frozen=True):
    harbor: int
    files: dict[str, int]


def write_harbor(
    folder: Path, world: World, tasks: Path, *, wheel: Path | None = None, force: bool = False
) -> int:
    """A folder for each task of a file below this one; returns how many. Hengfa is installed there
    from the package index, as it runs here, or from a wheel."""
    if wheel is not None and not _WHEEL.fullmatch(wheel.name):
        raise UsageError(f"--wheel: {wheel.name!r} is not the name of a wheel")
    solved = _solutions(tasks, Oracle(world))
    brought = [(world.path, WORLD_FILE), *([(wheel, wheel.name)] if wheel else [])]
    with whole_folder(folder, _files_of_export, force=force) as new:
        first: Path | None = None
        for task, solution in solved:
            place = new / f"task-{task.id}"
            for name, content in _files(task, solution, world, wheel).items():
                file = place / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content, "utf-8")
                file.chmod(0o755 if name.endswith(".sh") else 0o644)
            environment = place / "environment"
            for file, name in brought:
                _bring(file, environment / name, first)
            first = first or environment
        manifest = _Manifest(FORMAT, files_below(new))
        (new / MANIFEST).write_bytes(encode_json(manifest) + b"\n")
    return len(solved)


def _solutions(tasks: Path, oracle: Oracle) -> list[tuple[FreshTask, Solved]]:
    """The tasks of a file with what their plans lead to, which has to be worth everything."""
    solved: dict[int, tuple[FreshTask, Solved]] = {}
    for row, task in read_lines(tasks, FreshTask):
        if task.id in solved:
            raise DataError(f"the id {task.id} is there twice", file=tasks, row=row, field="id")
        # the file may be anybody's, and its plans may name tools and columns that are none
        won: dict[str, float] = {}
        with suppress(Refused, LookupError, TypeError, ValueError):
            solution = oracle.solve(task.plan)
            if task.key:
                won = rewards(solution.res, solution.summary, [*task.key], [*task.key_middle])
        if won.get("reward") != 1:
            problem = f"the plan of task {task.id} does not lead to its keys in this world"
            raise DataError(problem, file=tasks, row=row, field="plan")
        solved[task.id] = task, solution
    if not solved:
        raise DataError("there is no task in this file", file=tasks)
    return list(solved.values())


def _files(task: FreshTask, solved: Solved, world: World, wheel: Path | None) -> dict[str, str]:
    install = f'RUN pip install --no-cache-dir "hengfa[mcp]=={hengfa.__version__}"'
    if wheel is not None:
        install = (
            f"COPY {wheel.name} /tmp/\nRUN pip install --no-cache-dir '/tmp/{wheel.name}[mcp]'"
        )
    kind = f"{task.hops}-hop" if task.hops else "writing"
    name = f"{world.fingerprint}-{task.id}"
    return {
        "instruction.md": _TEXTS.instruction.format(question=task.question, world=WORLD_FILE),
        "task.toml": _TEXTS.task.format(
            name=name, kind=kind, hops=task.hops, world=world.fingerprint, file=WORLD_FILE
        ),
        "environment/Dockerfile": _TEXTS.dockerfile.format(install=install, file=WORLD_FILE),
        "tests/test.sh": _TEXTS.test,
        "tests/verify.py": Path(harbor_verifier.__file__).read_text("utf-8"),
        "tests/task.json": encode_json({"key": task.key, "key_middle": task.key_middle}).decode(),
        "solution/solve.sh": _TEXTS.solve,
        "solution/answer.md": solved.res,
        "solution/summary.md": solved.summary,
    }


def _bring(file: Path, to: Path, first: Path | None) -> None:
    """What all tasks have is copied once, then linked where the disk can."""
    if first is not None:
        with suppress(OSError):
            to.hardlink_to(first / to.name)
            return
    shutil.copyfile(file, to)


def _files_of_export(folder: Path) -> dict[str, int]:
    file = folder / MANIFEST
    try:
        manifest = read_json(file, _Manifest)
    except DataError:  # none, or of something else
        return {}
    return {**manifest.files, MANIFEST: file.stat().st_size} if manifest.harbor == FORMAT else {}
