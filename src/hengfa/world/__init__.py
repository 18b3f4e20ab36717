"""The legal world, in which agents work: its tables, its tools, and fresh tasks over them.

README.md beside this file has the map. The names below are what other wings and users may rely on;
each is imported when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hengfa.base.hooks import Command, Wing
from hengfa.base.lazy import lazily

if TYPE_CHECKING:
    from hengfa.world.agents.plug_in import Tools
    from hengfa.world.factory.make import make_tasks
    from hengfa.world.factory.task import read_tasks, write_tasks
    from hengfa.world.generator.build import build_world
    from hengfa.world.matters.make import make_matters
    from hengfa.world.opening import open_world
    from hengfa.world.tables.world import World
    from hengfa.world.tools.toolbox import Toolbox

__all__ = [
    "WING",
    "Toolbox",
    "Tools",
    "World",
    "build_world",
    "make_matters",
    "make_tasks",
    "open_world",
    "read_tasks",
    "write_tasks",
]

WING: Final = Wing(
    name="world",
    rank=3,
    commands={
        "world": Command(
            "The legal world: build it, call its tools, make tasks.",
            "World",
            "hengfa.world.commands.world",
        )
    },
    suites={
        "legalagentbench": "hengfa.world.suites.legalagentbench.suite",
        "matters": "hengfa.world.suites.matters.suite",
    },
    derivations={"legalagentbench": "hengfa.world.published.recovery"},
    papers={"legalagentbench": "hengfa.world.suites.legalagentbench.paper"},
    reads={"hengfa world --world recovered": "legalagentbench"},
    parts={"desk tools": "hengfa.world.commands.seats:DESK_TOOLS"},
)
"""What it offers to the whole."""

_HOMES: Final = {
    "Toolbox": "tools.toolbox",
    "Tools": "agents.plug_in",
    "World": "tables.world",
    "build_world": "generator.build",
    "make_matters": "matters.make",
    "make_tasks": "factory.make",
    "open_world": "opening",
    "read_tasks": "factory.task",
    "write_tasks": "factory.task",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
