"""What the commands of `hengfa train` share: their options, and the training itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hengfa.cli.options import json_option, print_json, say

if TYPE_CHECKING:
    from hengfa.training.loop import Batches, Schedule, Task

Function = TypeVar("Function", bound=Callable[..., Any])
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)

files_argument = click.argument("files", nargs=-1, required=True, type=FILE)
base_option = click.option(
    "--base", type=FOLDER, required=True, help="The folder of the model to start from."
)


def training_options(epochs: float, rate: float, batch: int) -> Callable[[Function], Function]:
    """What all trainings can be told."""
    options = [
        click.option("-o", "--output", type=FOLDER, required=True, help="Write the model here."),
        click.option(
            "--epochs",
            type=click.FloatRange(0, min_open=True),
            default=epochs,
            show_default=True,
            help="How often every row is read.",
        ),
        click.option(
            "--rate",
            type=click.FloatRange(0, min_open=True),
            default=rate,
            show_default=True,
            help="The highest learning rate.",
        ),
        click.option(
            "--warmup",
            type=click.FloatRange(0, 1, max_open=True),
            default=0.1,
            show_default=True,
            help="The share of the steps in which the rate rises; then it falls to 0.",
        ),
        click.option(
            "--batch",
            type=click.IntRange(1),
            default=batch,
            show_default=True,
            help="Rows read at a time.",
        ),
        click.option(
            "--accumulate",
            type=click.IntRange(1),
            default=1,
            show_default=True,
            help="Batches read before the weights change.",
        ),
        click.option(
            "--precision",
            type=click.Choice(["auto", "fp32", "bf16", "fp16"]),
            default="auto",
            show_default=True,
            help="auto: bf16 or fp16 on a GPU, fp32 elsewhere.",
        ),
        click.option("--seed", type=int, default=42, show_default=True),
        click.option(
            "--checkpoint-every",
            type=click.IntRange(0),
            default=500,
            show_default=True,
            metavar="STEPS",
            help="Keep the state of the training; 0 never.",
        ),
        click.option("--resume", is_flag=True, help="Go on from the checkpoint in the folder."),
        json_option,
    ]

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def passage_options(function: Function) -> Function:
    """How passages are read, for retrievers and rerankers."""
    function = click.option(
        "--fields",
        type=click.Choice(["text", "name+text"]),
        default="name+text",
        show_default=True,
        help="Whether a passage begins with its name.",
    )(function)
    return click.option(
        "--depth",
        type=click.IntRange(1),
        default=100,
        show_default=True,
        help="How many passages of --run can be negatives.",
    )(function)


def check_ready(what_for: str, *libraries: str) -> None:
    """Refuse before anything is read where the optional part is missing."""
    from hengfa.retrieval.neural import check_installed  # noqa: PLC0415 - numpy

    check_installed(what_for, *libraries)


def _schedule(batches: Batches, options: dict[str, Any]) -> Schedule:
    from hengfa.training.loop import Schedule  # noqa: PLC0415 - for those who train

    accumulate = options["accumulate"]
    return Schedule(
        steps=max(1, round(options["epochs"] * batches.per_round / accumulate)),
        learning_rate=options["rate"],
        warmup=options["warmup"],
        accumulate=accumulate,
        precision=options["precision"],
        seed=options["seed"],
        checkpoint_every=options["checkpoint_every"],
        report_every=10,
    )


def run_training(task: Task, batches: Batches, options: dict[str, Any]) -> None:
    from hengfa.training.loop import train  # noqa: PLC0415 - for those who train

    folder: Path = options["output"]
    schedule = _schedule(batches, options)
    report = train(
        task,
        schedule,
        folder,
        resume=options["resume"],
        watch=lambda step: say(step.line()),
    )
    if options["as_json"]:
        print_json({"folder": str(folder), **asdict(report)})
        return
    loss = "" if report.last_loss is None else f", loss {report.last_loss:.4f}"
    click.echo(
        f"{report.steps:,} steps, {report.tokens:,} tokens in {report.seconds:.0f} s on "
        f"{report.device} ({report.tokens_per_second:,.0f} tokens/s, {report.precision}){loss}"
    )
    click.echo(f"model in {folder}")
