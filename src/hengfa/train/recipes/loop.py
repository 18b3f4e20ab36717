"""What every training shares: batches, AdamW, warm-up and decay, precision, checkpoints, resuming.

Each step seeds the random generators from the seed and its own number, and which rows a batch holds
follows from the seed and the batch's number alone. So a training that was interrupted and resumed
makes the same choices (batches, negatives, masks, dropout) as one that was not, no state of a
random generator has to be kept, and on a CPU it ends with the same weights to the last bit.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol

from hengfa.base.errors import DataError, UsageError
from hengfa.train.retrieval.neural import best_device, library

CHECKPOINT = "checkpoint.pt"
REPORT = "training.json"
PRECISIONS = ("auto", "fp32", "bf16", "fp16")
Settings = Mapping[str, str | int | float | bool | None]


class Loss(NamedTuple):
    """The mean loss of a batch, and how many tokens it read."""

    value: Any
    tokens: int


class Objective(Protocol):
    """What is trained: a model, its batches by number, and how it is kept."""

    model: Any
    settings: Settings
    """All that a resumed training must share, the fingerprint of its data included."""

    def loss(self, number: int, device: str) -> Loss: ...
    def save(self, folder: Path) -> None: ...


class Batches:
    """Rows in batches, in a new order each time round; the last batch of a round may be smaller."""

    def __init__(self, rows: int, size: int, seed: int) -> None:
        self.rows, self.size, self.seed = rows, size, seed
        self.per_round = -(-rows // size)
        self._order = lru_cache(maxsize=2)(self._shuffled)

    def __getitem__(self, number: int) -> list[int]:
        turn, place = divmod(number, self.per_round)
        return self._order(turn)[place * self.size : (place + 1) * self.size]

    def _shuffled(self, turn: int) -> list[int]:
        order = list(range(self.rows))
        random.Random(f"order {self.seed} {turn}").shuffle(order)
        return order


def dice(seed: int, number: int) -> random.Random:
    """The random choices within one batch."""
    return random.Random(f"batch {seed} {number}")


@dataclass(frozen=True)
class Schedule:
    """How long and how fast. A step is one change of the weights, after `accumulate` batches."""

    steps: int
    learning_rate: float = 5e-5
    warmup: float = 0.1
    weight_decay: float = 0.01
    accumulate: int = 1
    largest_gradient: float = 1.0
    precision: str = "auto"
    seed: int = 42
    checkpoint_every: int = 0
    report_every: int = 50
    seconds: float | None = None
    """A limit of time. The rate then decays with whichever runs out first, steps or seconds."""

    def __post_init__(self) -> None:
        if self.steps < 1 or self.accumulate < 1:
            raise UsageError("a training has at least one step, and a step at least one batch")
        if not 0 <= self.warmup < 1:
            raise UsageError(
                f"the warm-up is a share of the steps, from 0 to below 1: {self.warmup}"
            )
        if self.precision not in PRECISIONS:
            raise UsageError(
                f"{self.precision!r} is none of the precisions {', '.join(PRECISIONS)}"
            )

    def rate(self, position: float) -> float:
        """The learning rate of the step at this position: up linearly, then down to nothing."""
        rising = self.warmup * self.steps
        up = (position + 1) / rising if rising else 1.0
        down = (self.steps - position) / (self.steps - rising)
        return self.learning_rate * max(0.0, min(up, down, 1.0))


@dataclass(frozen=True)
class StepReport:
    """Where a training stands; the loss is the mean since the last report."""

    step: int
    steps: int
    loss: float
    rate: float
    tokens_per_second: float
    seconds: float

    def line(self) -> str:
        return (
            f"step {self.step:,}/{self.steps:,}  loss {self.loss:.4f}  rate {self.rate:.2e}  "
            f"{self.tokens_per_second:,.0f} tokens/s  {self.seconds:.0f} s"
        )


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


def nobody(_report: StepReport) -> None:
    """Watches nothing."""


def train(
    task: Objective,
    schedule: Schedule,
    folder: Path,
    *,
    resume: bool = False,
    watch: Callable[[StepReport], None] = nobody,
) -> TrainingReport:
    """Train, keep the model in the folder, and say what was done.

    `watch` is told every `report_every` steps and at the end. What it raises ends the training;
    the last checkpoint stays and `resume` goes on from there.
    """
    device = best_device()
    precision = _precision(schedule.precision, device)
    check_folder(folder, resume)
    settings = {**_lasting(schedule), "precision": precision, **task.settings}
    task.model.to(device).train()
    weights = _Weights(task, schedule, device, precision)
    state = weights.restore(folder, settings) if resume else TrainingState()
    meter, rate = _Meter(schedule, state), 0.0
    for step in _steps(state, schedule, meter.began):
        rate = schedule.rate(_position(step, state.seconds, schedule))
        for loss in weights.change(step, rate):
            meter.add(loss)
        state.step, state.tokens, state.seconds = step + 1, meter.tokens, meter.seconds()
        due = schedule.checkpoint_every and state.step % schedule.checkpoint_every == 0
        if due and state.step < schedule.steps:
            weights.keep(folder, state, settings)
        if state.step % schedule.report_every == 0:
            watch(meter.report(state.step, rate))
    if meter.unreported:
        watch(meter.report(state.step, rate))
    task.model.eval()
    with _whole(folder) as new:
        task.save(new)
        done = TrainingReport(
            steps=state.step,
            tokens=meter.tokens,
            seconds=meter.seconds(),
            device=device,
            precision=precision,
            first_loss=meter.losses[0] if meter.losses else None,
            last_loss=meter.losses[-1] if meter.losses else None,
            settings=settings,
        )
        text = json.dumps(asdict(done), ensure_ascii=False, indent=2) + "\n"
        (new / REPORT).write_text(text, "utf-8")
    (folder / CHECKPOINT).unlink(missing_ok=True)
    return done


@dataclass
class TrainingState:
    """What is carried from one sitting to the next besides the weights."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0


def check_folder(folder: Path, resume: bool) -> None:
    """Refuse to mix a new training with one that lies there, or with somebody else's files."""
    if (folder / REPORT).exists():
        raise UsageError(f"{folder} holds a finished training: name another folder")
    if (folder / CHECKPOINT).exists() and not resume:
        raise UsageError(f"{folder} holds a training under way: --resume goes on with it")
    if resume and not (folder / CHECKPOINT).exists():
        raise UsageError(f"{folder} has no {CHECKPOINT} to resume from: leave --resume away")
    others = [path.name for path in folder.iterdir()] if folder.exists() else []
    if others and not resume:
        raise UsageError(f"{folder} is not empty: name a new folder")
    if foreign := sorted(name for name in others if name != CHECKPOINT and name[0] != "."):
        raise UsageError(
            f"{folder} holds more than the {CHECKPOINT} to resume from, such as {foreign[0]}: move "
            "it away, so that the model does not replace it"
        )


@contextmanager
def _whole(folder: Path) -> Iterator[Path]:
    """A folder for files that get their place in `folder`, each whole, once all are written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".new-", dir=folder) as temporary:
            yield Path(temporary)
            for file in sorted(Path(temporary).iterdir()):
                file.replace(folder / file.name)
    except OSError as error:
        raise DataError(error.strerror or str(error), file=error.filename or folder) from error


class _Weights:
    """The model with its optimiser: one step at a time, kept and taken up again."""

    def __init__(self, task: Objective, schedule: Schedule, device: str, precision: str) -> None:
        self._torch = library("torch")
        self._task, self._schedule, self._device = task, schedule, device
        self._precision = precision
        self._optimiser = _adamw(task.model, schedule, device)
        self._scaler = self._torch.amp.GradScaler(device, enabled=precision == "fp16")

    def change(self, step: int, rate: float) -> Iterator[Loss]:
        """Read the batches of a step, then change the weights once."""
        self._torch.manual_seed(self._schedule.seed * 1_000_003 + step)
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        for part in range(self._schedule.accumulate):
            with _autocast(self._torch, self._device, self._precision):
                number = step * self._schedule.accumulate + part
                loss = self._task.loss(number, self._device)
            self._scaler.scale(loss.value / self._schedule.accumulate).backward()
            yield loss
        self._scaler.unscale_(self._optimiser)
        self._torch.nn.utils.clip_grad_norm_(
            self._task.model.parameters(), self._schedule.largest_gradient
        )
        self._scaler.step(self._optimiser)
        self._scaler.update()
        self._optimiser.zero_grad(set_to_none=True)

    def keep(self, folder: Path, state: TrainingState, settings: Settings) -> None:
        """Put the whole state under its name, or leave what was there."""
        everything = {
            "weights": {name: value.detach() for name, value in self._trained().items()},
            "optimiser": self._optimiser.state_dict(),
            "scaler": self._scaler.state_dict(),
            "progress": vars(state),
            "settings": dict(settings),
        }
        with _whole(folder) as new, (new / CHECKPOINT).open("wb") as stream:
            self._torch.save(everything, stream)

    def restore(self, folder: Path, settings: Settings) -> TrainingState:
        """Take the state up again; other settings or other data are refused, not mixed."""
        file = folder / CHECKPOINT
        try:
            state = self._torch.load(file, map_location=self._device, weights_only=True)
            before = state["settings"]
        except Exception as error:  # torch has no common class for what a broken file raises
            raise DataError(f"is no checkpoint: {error}", file=file) from error
        for name in sorted({*before, *settings}):
            if before.get(name) != settings.get(name):
                raise UsageError(
                    f"{folder} was begun with {name} = {before.get(name)}, not "
                    f"{settings.get(name)}: resume with the same settings and data"
                )
        ours = self._trained()
        with self._torch.no_grad():
            for name, value in state["weights"].items():
                ours[name].copy_(value)
        self._optimiser.load_state_dict(state["optimiser"])
        self._scaler.load_state_dict(state["scaler"])
        return TrainingState(**state["progress"])

    def _trained(self) -> dict[str, Any]:
        """The weights that learn; frozen ones come from the base model again."""
        weights = self._task.model.named_parameters()
        return {name: value for name, value in weights if value.requires_grad}


def _adamw(model: Any, schedule: Schedule, device: str) -> Any:
    """AdamW; biases and the scales of normalisation are not drawn towards zero."""
    weights = [value for value in model.parameters() if value.requires_grad]
    groups = [
        {
            "params": [value for value in weights if value.ndim >= 2],
            "weight_decay": schedule.weight_decay,
        },
        {"params": [value for value in weights if value.ndim < 2], "weight_decay": 0.0},
    ]
    return library("torch").optim.AdamW(groups, lr=schedule.learning_rate, fused=device == "cuda")


def _autocast(torch: Any, device: str, precision: str) -> AbstractContextManager[Any]:
    if precision == "fp32":
        return nullcontext()
    kind = torch.bfloat16 if precision == "bf16" else torch.float16
    cast: AbstractContextManager[Any] = torch.autocast(device, dtype=kind)
    return cast


def _precision(asked: str, device: str) -> str:
    if asked == "fp16" and device == "cpu":
        raise UsageError("fp16 needs a GPU: use fp32 or bf16")
    if asked != "auto":
        return asked
    if device == "cpu":
        return "fp32"
    return "bf16" if library("torch").cuda.is_bf16_supported() else "fp16"


class _Meter:
    """Losses, tokens and time. A loss is read from the GPU only when it is reported."""

    def __init__(self, schedule: Schedule, before: TrainingState) -> None:
        self.began = time.perf_counter() - before.seconds
        self.tokens = self._reported_tokens = before.tokens
        self.losses: list[float] = []
        self.unreported = False
        self._steps = schedule.steps
        self._window: list[Any] = []
        self._reported_at = time.perf_counter()

    def add(self, loss: Loss) -> None:
        self._window.append(loss.value.detach())
        self.unreported = True
        self.tokens += loss.tokens

    def seconds(self) -> float:
        return time.perf_counter() - self.began

    def report(self, step: int, rate: float) -> StepReport:
        """The mean loss since the last report. With fp16 a loss may overflow: such are left out."""
        self.unreported = False
        self.losses.append(library("torch").stack(self._window).float().nanmean().item())
        self._window.clear()
        now = time.perf_counter()
        speed = (self.tokens - self._reported_tokens) / max(now - self._reported_at, 1e-9)
        self._reported_tokens, self._reported_at = self.tokens, now
        if math.isnan(self.losses[-1]):
            raise UsageError(
                f"the loss is no number at step {step}: lower the rate, use another precision, "
                "or look for rows with nothing to learn"
            )
        return StepReport(step, self._steps, self.losses[-1], rate, speed, self.seconds())


def _steps(state: TrainingState, schedule: Schedule, began: float) -> Iterator[int]:
    """The steps that are left, until the time is up."""
    for step in range(state.step, schedule.steps):
        if schedule.seconds is not None and time.perf_counter() - began >= schedule.seconds:
            return
        yield step


def _position(step: int, seconds: float, schedule: Schedule) -> float:
    """How far the training is, in steps: by steps, or by time where that runs out first."""
    if schedule.seconds is None:
        return step
    return max(step, schedule.steps * min(1.0, seconds / schedule.seconds))


def _lasting(schedule: Schedule) -> dict[str, Any]:
    """What of a schedule makes the weights; when to report or keep them does not."""
    passing = {"checkpoint_every", "report_every", "precision"}
    return {name: value for name, value in asdict(schedule).items() if name not in passing}
