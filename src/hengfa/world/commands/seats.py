"""What `hengfa mcp` and `hengfa world serve` share: tasks that agents of others work on."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hengfa.base.errors import UsageError
from hengfa.base.options import Place, several

if TYPE_CHECKING:
    from hengfa.world.agents.seats import OfferedWorld, Seats
    from hengfa.world.tools.catalogue import Mode
    from hengfa.world.tools.toolbox import Toolbox

seats_options = several(
    click.option(
        "--tasks",
        metavar="sample|DIR",
        help="Let agents work on these tasks, those of `eval legalagentbench --data`, in"
        " their own world unless --world names another.",
    ),
    click.option(
        "--record",
        type=Place(file_okay=False),
        help="With --tasks: put every call and answer into this folder, named after the agent, for"
        " `hengfa score legalagentbench`. What is there already goes on.",
    ),
)


def open_seats(
    tasks: str | None, record: Path | None, mode: Mode, world: str | None
) -> Seats | None:
    """The seats that are asked for; None where no tasks are."""
    if (tasks is None) != (record is None):
        raise UsageError("--tasks and --record go together")
    if tasks is None or record is None:
        return None
    from hengfa.base.data.packs import sample_root  # noqa: PLC0415
    from hengfa.evals.suites.plan import SAMPLE_DATA  # noqa: PLC0415
    from hengfa.world.suites.legalagentbench.predictions import open_seats as seats_of  # noqa: PLC0415

    folder = sample_root() / "legalagentbench" if tasks == SAMPLE_DATA else Path(tasks)
    if not folder.is_dir():
        raise UsageError(f"--tasks: there is no folder {tasks}; use 'sample' or a folder")
    return seats_of(folder, record, mode, world)


def open_toolbox(name: str, mode: Mode, stack: ExitStack) -> Toolbox:
    """The tools of a world by its name, file or address; closed with the stack."""
    from hengfa.law.library.store import Library, default_file  # noqa: PLC0415
    from hengfa.world.opening import open_world  # noqa: PLC0415
    from hengfa.world.tables.world import World  # noqa: PLC0415
    from hengfa.world.tools.toolbox import Toolbox  # noqa: PLC0415

    world = open_world(name)
    if isinstance(world, World):
        stack.enter_context(world)
    installed = mode == "helpful" and default_file().is_file()
    library = stack.enter_context(Library.open()) if installed else None
    return Toolbox(world, mode, library=library)


class _WorldTools:
    """What `hengfa mcp` offers beside the law: a world's tools, and tasks to work on."""

    options = staticmethod(
        several(
            click.option(
                "--world",
                "name",
                metavar="recovered|FILE|URL",
                help="Offer the tools of a legal world beside the law's; these then need no"
                " library.",
            ),
            click.option(
                "--mode",
                type=click.Choice(["strict", "helpful"]),
                default="helpful",
                help="With a world: answer as the published tools did, or with typed JSON, paging"
                " and advice.",
            ),
            seats_options,
            click.option(
                "--task",
                metavar="ID",
                envvar="HENGFA_TASK",
                help="With --tasks: which of them this client works on (also HENGFA_TASK); with"
                " --http the address says it, /tasks/ID/mcp.",
            ),
        )
    )

    def check(self, *, http: bool, tasks: str | None, task: str | None, **_others: object) -> None:
        if task is not None and (tasks is None or http):
            raise UsageError(
                "--task goes with --tasks and without --http, where the address says it"
            )
        if tasks is not None and task is None and not http:
            raise UsageError(
                "--tasks: which of them is the client's? Say it with --task, or use --http"
            )

    def open(
        self,
        stack: ExitStack,
        *,
        name: str | None,
        mode: Mode,
        tasks: str | None,
        record: Path | None,
        task: str | None,
    ) -> OfferedWorld | None:
        from hengfa.world.agents.seats import OfferedWorld  # noqa: PLC0415

        seats = open_seats(tasks, record, mode, name)
        if seats is not None:
            return OfferedWorld(seats.toolbox, seats, seats.seat(task).id if task else "")
        return OfferedWorld(open_toolbox(name, mode, stack)) if name else None


DESK_TOOLS = _WorldTools()
