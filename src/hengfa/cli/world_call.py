"""`hengfa world call`: one tool call, or a file of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from hengfa.errors import DataError, UsageError

if TYPE_CHECKING:
    from hengfa.world.tools import Mode, Observation, Toolbox


@click.command()
@click.argument("tool", required=False)
@click.argument("arguments", metavar="[JSON]", required=False)
@click.option(
    "--world",
    "name",
    default="recovered",
    show_default=True,
    metavar="recovered|FILE|URL",
    help="A service's key is read from HENGFA_WORLD_KEY.",
)
@click.option(
    "--mode",
    type=click.Choice(["strict", "helpful"]),
    default="strict",
    show_default=True,
    help="Answer as the published tools did, or with typed JSON, paging and advice.",
)
@click.option(
    "--batch",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='JSON lines {"tool": …, "arguments": …} instead of one call.',
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --batch: write here instead of printing.",
)
@click.option("--tools", "listed", is_flag=True, help="List the tools of this mode and stop.")
def call(
    tool: str | None,
    arguments: str | None,
    name: str,
    mode: Mode,
    batch: Path | None,
    output: Path | None,
    listed: bool,
) -> None:
    """Call TOOL with arguments in JSON and print what an agent would see.

    With --batch every line comes back with `observation` and `status` added, in order.

    \b
    Example:
      hengfa world call get_court_code '{"identifier": "京0108", "columns": ["法院名称"]}'
      hengfa world call --batch calls.jsonl -o answers.jsonl --mode helpful
    """
    if listed + (batch is not None) + (tool is not None) != 1:
        raise UsageError("give a TOOL, or --batch FILE, or --tools")
    with ExitStack() as stack:
        toolbox = open_toolbox(name, mode, stack)
        if listed:
            click.echo(toolbox.described())
        elif batch is not None:
            _answer_all(toolbox, batch, output, stack)
        else:
            _print(toolbox.call(tool, _read(arguments)))


def open_toolbox(name: str, mode: Mode, stack: ExitStack) -> Toolbox:
    """The tools of a world by its name, file or address; closed with the stack."""
    from hengfa.library.store import Library, default_file  # noqa: PLC0415
    from hengfa.world.opening import open_world  # noqa: PLC0415
    from hengfa.world.tools import Toolbox  # noqa: PLC0415
    from hengfa.world.world import World  # noqa: PLC0415

    world = open_world(name)
    if isinstance(world, World):
        stack.enter_context(world)
    installed = mode == "helpful" and default_file().is_file()
    library = stack.enter_context(Library.open()) if installed else None
    return Toolbox(world, mode, library=library)


def _read(arguments: str | None) -> Any:
    try:
        return msgspec.json.decode(arguments or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise UsageError(f"the arguments are not JSON: {error}") from error


def _print(observation: Observation) -> None:
    click.echo(observation.text)
    if observation.status != "ok":
        click.echo(observation.status, err=True)
    if observation.unobserved:
        click.echo(f"{observation.unobserved} cells were never observed", err=True)


def _answer_all(toolbox: Toolbox, batch: Path, output: Path | None, stack: ExitStack) -> None:
    from hengfa.data.paths import disk_errors  # noqa: PLC0415
    from hengfa.report.progress import counting  # noqa: PLC0415

    answers = _answers(toolbox, batch, stack.enter_context(counting("calls")))
    if output is None:
        for line in answers:
            click.echo(line, nl=False)
        return
    new = output.with_name(f".{output.name}.new")
    with disk_errors(output):
        try:
            with new.open("w", encoding="utf-8", newline="") as stream:
                stream.writelines(answers)
            new.replace(output)
        finally:
            new.unlink(missing_ok=True)


def _answers(toolbox: Toolbox, batch: Path, watch: Callable[[int, int], None]) -> Iterator[str]:
    from hengfa.data.jsonfile import read_lines  # noqa: PLC0415

    with batch.open("rb") as stream:
        total = sum(1 for _ in stream)
    for number, line in read_lines(batch, dict[str, Any]):
        if not isinstance(line.get("tool"), str):
            raise DataError("the name of a tool is missing", file=batch, row=number, field="tool")
        found = toolbox.call(line["tool"], line.get("arguments", {}))
        line |= {"observation": found.text, "status": found.status}
        if found.unobserved:
            line["unobserved"] = found.unobserved
        if number % 100 == 0:
            watch(number, total)
        yield msgspec.json.encode(line).decode() + "\n"
