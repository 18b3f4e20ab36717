"""What a training is told and what it says: schedule, progress, report, and the folder it fills.

The loop itself is that of transformers (`hengfa.train.recipes.trainers`), which needs torch; here
nothing does, so that a wrong call is refused before anything is imported or read.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hengfa.base.errors import DataError, UsageError

CHECKPOINT = "checkpoint"
"""The folder of transformers' checkpoints in the output folder, with the settings they share."""

REPORT = "training.json"
PRECISIONS = ("auto", "fp32", "bf16", "fp16")
Settings = Mapping[str, str | int | float | bool | None]


@dataclass(frozen=True)
class Schedule:
    """How long and how fast. A step is one change of the weights, after `accumulate` batches."""

    epochs: float
    learning_rate: float = 5e-5
    warmup: float = 0.1
    weight_decay: float = 0.01
    accumulate: int = 1
    precision: str = "auto"
    seed: int = 42
    checkpoint_every: int = 0
    report_every: int = 50

    def __post_init__(self) -> None:
        if self.epochs <= 0 or self.accumulate < 1:
            raise UsageError("a training reads something, and a step at least one batch")
        if not 0 <= (share := self.warmup) < 1:
            raise UsageError(f"the warm-up is a share of the steps, from 0 to below 1: {share}")
        if (named := self.precision) not in PRECISIONS:
            raise UsageError(f"{named!r} is none of the precisions {', '.join(PRECISIONS)}")

    def steps(self, rows: int, batch: int) -> int:
        return max(1, round(self.epochs * -(-rows // (batch * self.accumulate))))

    def lasting(self) -> dict[str, Any]:
        """What makes the weights; when to report or keep them does not."""
        passing = {"checkpoint_every", "report_every", "precision"}
        return {name: value for name, value in asdict(self).items() if name not in passing}


@dataclass(frozen=True)
class TrainingReport:
    """What a finished training did; lies as training.json beside the model."""

    steps: int
    tokens: int
    seconds: float
    device: str
    precision: str
    first_loss: float | None
    last_loss: float | None
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / self.seconds if self.seconds else 0.0


def check_folder(folder: Path, resume: bool) -> Path | None:
    """The checkpoint to resume from. Refuses to mix a new training with one that lies there, or
    with somebody else's files."""
    if (folder / REPORT).exists():
        raise UsageError(f"{folder} holds a finished training: name another folder")
    if (folder / "checkpoint.pt").exists():
        raise UsageError(
            f"{folder} holds a training that an older version began (checkpoint.pt), which cannot "
            "be resumed: name another folder"
        )
    kept = _last_checkpoint(folder)
    if kept and not resume:
        raise UsageError(f"{folder} holds a training under way: --resume goes on with it")
    if resume and not kept:
        raise UsageError(f"{folder} has no {CHECKPOINT} to resume from: leave --resume away")
    others = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    if not resume and others and not (others == [CHECKPOINT] and _settings(folder).is_file()):
        raise UsageError(f"{folder} is not empty: name a new folder")
    if foreign := [name for name in others if name != CHECKPOINT and name[0] != "."]:
        raise UsageError(
            f"{folder} holds more than the {CHECKPOINT} to resume from, such as {foreign[0]}: move "
            "it away, so that the model does not replace it"
        )
    return kept


def _settings(folder: Path) -> Path:
    return folder / CHECKPOINT / "settings.json"


def _last_checkpoint(folder: Path) -> Path | None:
    """The newest checkpoint that was written to its end: transformers writes this file last."""
    kept = (folder / CHECKPOINT).glob("checkpoint-*/trainer_state.json")
    steps = {int(file.parent.name.rpartition("-")[2]): file.parent for file in kept}
    return steps[max(steps)] if steps else None


def check_settings(folder: Path, settings: Settings) -> None:
    """Other settings or other data than those of the checkpoint are refused, not mixed."""
    file = _settings(folder)
    try:
        before = dict(json.loads(file.read_text("utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise DataError(f"is no checkpoint: {error}", file=file) from error
    for name in sorted({*before, *settings}):
        if before.get(name) != settings.get(name):
            raise UsageError(
                f"{folder} was begun with {name} = {before.get(name)}, not "
                f"{settings.get(name)}: resume with the same settings and data"
            )


def begin_settings(folder: Path, settings: Settings) -> None:
    """Keep the settings; what is left of a training that ended before its first checkpoint goes."""
    shutil.rmtree(folder / CHECKPOINT, ignore_errors=True)
    (folder / CHECKPOINT).mkdir(parents=True)
    _settings(folder).write_text(json.dumps(settings, ensure_ascii=False), "utf-8")
