"""Agent methods over the file of a matter: the tools of its world, and three that read the file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from hengfa.agents.desk import Ask, Desk
from hengfa.agents.native import FIRST_TURN, LONGEST_OBSERVATION, TURNS, Protocol, work_with_tools
from hengfa.agents.plug_in import Agent, load_agent, work_with_agent
from hengfa.agents.published import work
from hengfa.agents.rehearsal import STEPS, SeemingTools, long_reply, short_reply
from hengfa.engine.messages import Message, Request, Response
from hengfa.suites.base import Chosen, Course, Rehearsal, Solve, Telling
from hengfa.suites.legalagentbench.options import (
    ADDRESSES,
    AGENT,
    ENDPOINT,
    SINGLE,
    TALK,
    WORLD,
    limits_of,
)
from hengfa.suites.legalagentbench.solver import METHODS, TOOLS, mode_of, open_toolbox
from hengfa.suites.matters.rules import Sample
from hengfa.world.matters import file_tools
from hengfa.world.matters.matter import WORLD_FILE
from hengfa.world.remote import RemoteWorld
from hengfa.world.tools.toolbox import Toolbox
from hengfa.world.world import RECOVERED

SETTINGS: Final = (TOOLS, *METHODS)


def prompt(sample: Sample, _setting: str) -> tuple[Message, ...]:
    """What a model without tools is asked; agents build their own prompts around it."""
    return (Message("user", sample.matter.question),)


def solver(root: Path, setting: str, options: Chosen) -> Solve[Sample]:
    """Works on the matters of a folder with the method of a setting, or the user's own agent."""
    named = options.get(AGENT, "")
    if named == ENDPOINT:
        return _endpoint
    agent = load_agent(named) if named else None
    return _solve(_toolbox(root, setting, options), setting, options, agent)


def retold(root: Path, setting: str, options: Chosen, telling: Telling) -> Solve[Sample] | None:
    """The solver for whoever tells what it asked; None for what is not ours to run again."""
    named = options.get(AGENT, "")
    if named == ENDPOINT:
        return _endpoint
    if named or options.get(WORLD, RECOVERED).startswith(ADDRESSES):
        return None
    return _solve(_toolbox(root, setting, options), setting, options, telling=telling)


def rehearsal(setting: str, options: Chosen) -> Rehearsal[Sample] | None:
    """The same with tools that only seem to answer; None for an agent of the user's own."""
    if options.get(AGENT):
        return None
    world, mode = options.get(WORLD, RECOVERED), mode_of(setting, options)
    remote = RemoteWorld(world) if world.startswith(ADDRESSES) else None
    limits = limits_of(options)
    most = limits.steps or (TURNS if setting == TOOLS else STEPS)
    short, long = (
        _solve(SeemingTools(mode, length, remote), setting, options)
        for length in (0, LONGEST_OBSERVATION)
    )
    return Rehearsal(
        Course(short, short_reply),
        Course(long, partial(long_reply, steps=limits.steps)),
        f"from 1 step to {most}, results of tools of up to {LONGEST_OBSERVATION:,} characters, and "
        "all that was said before in every prompt",
    )


def _solve(
    toolbox: Toolbox,
    setting: str,
    options: Chosen,
    agent: Agent | None = None,
    telling: Telling | None = None,
) -> Solve[Sample]:
    protocol, limits = Protocol(), limits_of(options)

    async def solve(ask: Ask, sample: Sample, request: Request) -> Response:
        tools = toolbox.with_tools(file_tools(sample.matter.documents))
        desk = Desk(ask, request, tools, limits, telling.heard if telling else None)
        question = request.messages[-1].content
        if agent is not None:
            return await work_with_agent(agent, desk, question)
        if setting != TOOLS:
            return await work(METHODS[setting], desk, question, every_tool=True)
        if telling is not None:  # what an earlier task had taught is not learned again
            protocol.native = telling.knows(f"{request.key}#{FIRST_TURN}")
        single = options.get(TALK) == SINGLE
        return await work_with_tools(desk, question, protocol, single=single)

    return solve


async def _endpoint(ask: Ask, _sample: Sample, request: Request) -> Response:
    """An agent behind the endpoint: it gets the bare question, and its text is the answer."""
    return await ask(msgspec.structs.replace(request, key=f"{request.key}#answer"))


def _toolbox(root: Path, setting: str, options: Chosen) -> Toolbox:
    """The tools of the world that lies beside the matters; the sample pack has one for all."""
    beside = root.parent / "legalagentbench"
    shared = not (root / WORLD_FILE).is_file() and beside.is_dir()
    return open_toolbox(beside if shared else root, setting, options)
