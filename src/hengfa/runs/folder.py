"""The folder of a run: what was asked of whom, the journal, the records.

runs/lawbench-zero_shot-deepseek-chat/
  run.json         what this run is: suite, setting, model, options, data
  journal.jsonl    every response
  grades/          what graders said of them, a folder each
  records/         scores, one Parquet file per task and rules
  responses/       what was asked and answered and how it was read, likewise
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import msgspec

import hengfa
from hengfa.data.jsonfile import write_atomically
from hengfa.engine.journal import lock_journal
from hengfa.engine.messages import Model, Options
from hengfa.errors import DataError, JournalError, UsageError
from hengfa.suites.plan import Plan

MANIFEST, JOURNAL = "run.json", "journal.jsonl"
IMPORTED = "imported"
"""The address of predictions that another tool made."""
# What may stand in a folder name. Matches "qwen2.5-7b" and "通义"; not "/" or ":".
_UNSAFE = re.compile(r"[^\w.+=-]+")


_IDENTITY = (
    "suite", "setting", "model", "options", "data", "max_input_tokens", "suite_options",
)  # fmt: skip


class Manifest(msgspec.Struct, frozen=True):
    """What a run is. A run cannot be continued as a different one."""

    suite: str
    setting: str
    model: str
    address: str
    options: Options
    data: str
    data_source: str | None
    created: str
    hengfa: str
    max_input_tokens: int | None = None
    suite_options: dict[str, str] = {}

    def differences(self, other: Manifest) -> list[str]:
        """In what the other manifest is another run; when and with which version do not matter."""
        return [
            f"{field}: {_show(before)} → {_show(now)}"
            for field in _IDENTITY
            if (before := getattr(self, field)) != (now := getattr(other, field))
        ]


def new_manifest(plan: Plan, model: Model, options: Options) -> Manifest:
    return Manifest(
        suite=plan.suite.name,
        setting=plan.setting,
        model=model.name,
        address=model.address,
        options=options,
        data=plan.data.fingerprint,
        data_source=plan.source,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        hengfa=hengfa.__version__,
        max_input_tokens=plan.max_input_tokens,
        suite_options=dict(plan.options),
    )


def write_imported(folder: Path, suite: str, setting: str, model: str, source: str | None) -> None:
    """The manifest of another tool's predictions: listed like a run, but without a journal."""
    manifest = Manifest(
        suite=suite,
        setting=setting,
        model=model,
        address=IMPORTED,
        options=Options(),
        data="",
        data_source=source,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        hengfa=hengfa.__version__,
    )
    _write_manifest(folder, manifest)


def run_name(plan: Plan, model: str) -> str:
    """The folder that the same command finds again; data is named if it is not the usual."""
    parts = [plan.suite.name, plan.setting, model, Path(plan.source or "").name]
    return "-".join(safe_name(part) for part in parts if part)


def safe_name(name: str) -> str:
    """A name as it can stand in a path."""
    return _UNSAFE.sub("_", name)


def named_folder(runs: Path, name: str) -> Path:
    """The folder of a run by its name, which must not lead out of `runs`."""
    if not name.strip() or Path(name).is_absolute() or ".." in Path(name).parts:
        raise UsageError(f"--run: {name!r} is not a name below {runs}")
    return runs / name


def open_folder(folder: Path, manifest: Manifest, *, fresh: bool) -> Manifest | None:
    """Make the folder, or check that it is the same run; `fresh` moves an old one aside.

    Returns the manifest that was there before, if any.
    """
    if fresh and folder.exists():
        move_aside(folder)
    file = folder / MANIFEST
    if file.is_file():
        before = read_manifest(folder)
        if differences := before.differences(manifest):
            raise JournalError(
                f"{folder} is another run than this command asks for ({'; '.join(differences)}). "
                "Use --run NAME for a run of its own, or --fresh to start this one over "
                "(its answers are kept aside)"
            )
        return before
    _write_manifest(folder, manifest)
    return None


def _write_manifest(folder: Path, manifest: Manifest) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    content = msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
    write_atomically(folder / MANIFEST, content)


def read_manifest(folder: Path) -> Manifest:
    file = folder / MANIFEST
    try:
        return msgspec.json.decode(file.read_bytes(), type=Manifest)
    except FileNotFoundError:
        raise UsageError(f"{folder} is not a run: it has no {MANIFEST}") from None
    except msgspec.DecodeError as error:
        raise DataError(f"not a run manifest: {error}", file=file) from error


def move_aside(folder: Path) -> None:
    """Paid-for answers are never deleted, only put where no listing or glob finds them."""
    lock = lock_journal(folder / JOURNAL)
    try:
        number = 1
        while (aside := folder.parent / ".old" / f"{folder.name}.{number}").exists():
            number += 1
        aside.parent.mkdir(exist_ok=True)
        folder.rename(aside)
    finally:
        lock.release()


def _show(value: object) -> str:
    return msgspec.json.encode(value).decode()
