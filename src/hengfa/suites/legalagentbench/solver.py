"""Agent methods tied to the suite: which world, which tools, which method works on a task."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, get_args

import msgspec

from hengfa.agents.desk import Ask, Desk, Limits
from hengfa.agents.native import (
    LONGEST_OBSERVATION,
    MOST_CALLS,
    TURNS,
    Protocol,
    work_with_tools,
)
from hengfa.agents.plans import plan_execute, plan_solve
from hengfa.agents.plug_in import Agent, load_agent, work_with_agent
from hengfa.agents.published import Loop, work
from hengfa.agents.react import react
from hengfa.agents.rehearsal import STEPS, SeemingTools, long_reply, short_reply
from hengfa.data.packs import folder_pack
from hengfa.data.paths import home
from hengfa.engine.messages import Request, Response
from hengfa.library.store import Library, default_file
from hengfa.suites.base import Chosen, Course, Rehearsal, Solve
from hengfa.suites.legalagentbench.dataset import WRITING, AgentSample
from hengfa.suites.legalagentbench.options import (
    ADDRESSES,
    AGENT,
    AUTO,
    ENDPOINT,
    MODE,
    WORLD,
    limits_of,
)
from hengfa.world.importing import import_world
from hengfa.world.opening import PACK, open_world, recovered_world
from hengfa.world.remote import RemoteWorld
from hengfa.world.tools.catalogue import Mode
from hengfa.world.tools.toolbox import Toolbox
from hengfa.world.world import FORMAT, RECOVERED, World

TOOLS: Final = "tools"
METHODS: Final[Mapping[str, Loop]] = {
    "react": react,
    "plan-solve": plan_solve,
    "plan-execute": plan_execute,
}
"""The published methods by the name of their setting."""

WORLD_FILE, WORLD_FOLDER = "world.sqlite", "world"
"""What a data folder may hold of its own: a world, or its tables as CSV files."""


def solver(root: Path, setting: str, options: Chosen) -> Solve[AgentSample]:
    """Works on the tasks of a data folder with the method of a setting, or the user's own agent."""
    named = options.get(AGENT, "")
    if named == ENDPOINT:
        return _endpoint
    agent = load_agent(named) if named else None
    return _solve(open_toolbox(root, setting, options), setting, limits_of(options), agent)


def rehearsal(setting: str, options: Chosen) -> Rehearsal[AgentSample] | None:
    """The same with tools that only seem to answer; None for an agent of the user's own, here or
    behind the endpoint."""
    if options.get(AGENT):
        return None
    world, mode = options.get(WORLD, RECOVERED), _mode(setting, options)
    remote = RemoteWorld(world) if world.startswith(ADDRESSES) else None
    limits = limits_of(options)
    most = limits.steps or (TURNS if setting == TOOLS else STEPS)
    more = f", up to {MOST_CALLS} calls in each" if setting == TOOLS else ""
    if setting == "plan-solve" and limits.steps is None:
        more = " (a plan may have more)"
    short, long = (
        _solve(SeemingTools(mode, length, remote), setting, limits)
        for length in (0, LONGEST_OBSERVATION)
    )
    return Rehearsal(
        Course(short, short_reply),
        Course(long, partial(long_reply, steps=limits.steps)),
        f"from 1 step to {most}{more}, results of tools of up to {LONGEST_OBSERVATION:,} "
        "characters, and all that was said before in every prompt",
    )


def _solve(
    toolbox: Toolbox, setting: str, limits: Limits, agent: Agent | None = None
) -> Solve[AgentSample]:
    protocol = Protocol()

    async def solve(ask: Ask, sample: AgentSample, request: Request) -> Response:
        desk = Desk(ask, request, toolbox, limits)
        question = request.messages[-1].content
        if agent is not None:
            return await work_with_agent(agent, desk, question)
        if setting == TOOLS:
            return await work_with_tools(desk, question, protocol)
        # Published plan-and-execute runs had retrievers only for writing (legalagentbench.md 4.1).
        retrievers = setting != "plan-execute" or sample.group == WRITING
        return await work(METHODS[setting], desk, question, retrievers=retrievers)

    return solve


async def _endpoint(ask: Ask, _sample: AgentSample, request: Request) -> Response:
    """An agent behind the endpoint: it gets the bare question, and its text is the answer."""
    return await ask(msgspec.structs.replace(request, key=f"{request.key}#answer"))


def open_toolbox(root: Path, setting: str, options: Chosen) -> Toolbox:
    """The tools of the chosen world; opened once for all groups of tasks."""
    return _toolbox(root, options.get(WORLD, RECOVERED), _mode(setting, options))


def _mode(setting: str, options: Chosen) -> Mode:
    chosen = options.get(MODE, AUTO)
    if chosen == AUTO:
        chosen = "helpful" if setting == TOOLS else "strict"
    return next(mode for mode in get_args(Mode) if mode == chosen)


@lru_cache(maxsize=4)
def _toolbox(root: Path, name: str, mode: Mode) -> Toolbox:
    world = _own_world(root) if name == RECOVERED else open_world(name)
    library = Library.open() if mode == "helpful" and default_file().is_file() else None
    return Toolbox(world, mode, library=library)


def _own_world(root: Path) -> World:
    """The world that belongs to a data folder; the recovered one where it brings none."""
    if (root / WORLD_FILE).is_file():
        return World.open(root / WORLD_FILE)
    if (root / WORLD_FOLDER).is_dir():
        return _imported(root / WORLD_FOLDER)
    return recovered_world(folder_pack(PACK, root))


def _imported(folder: Path) -> World:
    """Tables of a folder, made a world of once; other tables have another name."""
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted(folder.iterdir()):
        digest.update(f"{file.name}\0".encode() + file.read_bytes())
    file = home() / "worlds" / f"imported-{digest.hexdigest()}-{FORMAT}.sqlite"
    if not file.is_file():
        import_world(folder, file)
    return World.open(file)
