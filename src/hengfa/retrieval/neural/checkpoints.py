"""Keeps a training that is under way, so that it can go on exactly where it stopped."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hengfa.errors import DataError, UsageError
from hengfa.retrieval.neural.libraries import library

CHECKPOINT = "checkpoint.pt"
REPORT = "training.json"
Settings = Mapping[str, str | int | float | bool | None]


@dataclass
class Progress:
    """What is carried from one sitting to the next besides the weights."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0


def begin(folder: Path, resume: bool) -> None:
    """Make the folder, and refuse to mix a new training with one that lies there."""
    if (folder / REPORT).exists():
        raise UsageError(f"{folder} holds a finished training: name another folder")
    if (folder / CHECKPOINT).exists() and not resume:
        raise UsageError(f"{folder} holds a training under way: --resume goes on with it")
    if resume and not (folder / CHECKPOINT).exists():
        raise UsageError(f"{folder} has no {CHECKPOINT} to resume from: leave --resume away")
    if not resume and folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty: name a new folder")
    folder.mkdir(parents=True, exist_ok=True)


def save(
    folder: Path, model: Any, optimiser: Any, scaler: Any, progress: Progress, settings: Settings
) -> None:
    """Put the whole state under its name, or leave what was there."""
    state = {
        "weights": {name: value.detach() for name, value in trained_weights(model).items()},
        "optimiser": optimiser.state_dict(),
        "scaler": scaler.state_dict(),
        "progress": vars(progress),
        "settings": dict(settings),
    }
    new = folder / f".{CHECKPOINT}.{os.getpid()}.new"
    try:
        library("torch").save(state, new)
        new.replace(folder / CHECKPOINT)
    finally:
        new.unlink(missing_ok=True)


def restore(
    folder: Path, model: Any, optimiser: Any, scaler: Any, settings: Settings, device: str
) -> Progress:
    """Take the state up again; other settings or other data are refused, not mixed."""
    torch = library("torch")
    file = folder / CHECKPOINT
    try:
        state = torch.load(file, map_location=device, weights_only=True)
        before = state["settings"]
    except Exception as error:  # torch has no common class for what a broken file raises
        raise DataError(f"is no checkpoint: {error}", file=file) from error
    for name in sorted({*before, *settings}):
        if before.get(name) != settings.get(name):
            raise UsageError(
                f"{folder} was begun with {name} = {before.get(name)}, not {settings.get(name)}: "
                "resume with the same settings and data"
            )
    ours = trained_weights(model)
    with torch.no_grad():
        for name, value in state["weights"].items():
            ours[name].copy_(value)
    optimiser.load_state_dict(state["optimiser"])
    scaler.load_state_dict(state["scaler"])
    return Progress(**state["progress"])


def trained_weights(model: Any) -> dict[str, Any]:
    """The weights that learn; frozen ones come from the base model again."""
    return {name: value for name, value in model.named_parameters() if value.requires_grad}
