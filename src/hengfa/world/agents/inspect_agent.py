"""An agent of Inspect AI as an agent of ours, with our tools as its tools.

    # my_agents.py, then: hengfa eval legalagentbench --set agent=my_agents:agent …
    from hengfa.world.agents.inspect_agent import inspect_agent
    from inspect_ai.agent import react

    agent = inspect_agent(lambda tools: react(tools=tools), model="anthropic/…")

The calls go on record like those of any agent. The model is Inspect's, so its tokens are not in our
journal but in Inspect's own log, if one is wanted.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval_async
from inspect_ai.agent import Agent
from inspect_ai.dataset import Sample
from inspect_ai.tool import ToolDef, ToolParams
from inspect_ai.util import display_type

from hengfa.base.data.output import private_folder
from hengfa.evals.engine.messages import ToolSpec
from hengfa.world.agents.plug_in import Tools
from hengfa.world.tools.catalogue import FINISH


def inspect_tools(tools: Tools, names: Iterable[str] | None = None) -> list[ToolDef]:
    """The tools of a task, or some of them; Inspect's agents submit by a tool of their own."""

    def tool(spec: ToolSpec) -> ToolDef:
        async def execute(**kwargs: Any) -> str:
            return (await asyncio.to_thread(tools.call, spec.name, kwargs)).text

        parameters = ToolParams.model_validate(spec.parameters)
        return ToolDef(execute, spec.name, spec.description, parameters)

    return [tool(spec) for spec in tools.specs(names) if spec.name != FINISH]


def inspect_agent(
    build: Callable[[list[ToolDef]], Agent],
    *,
    model: Any,
    names: Iterable[str] | None = None,
    log_dir: Path | None = None,
) -> Callable[[str, Tools], Awaitable[str]]:
    """An agent for `--set agent=`: `build` makes Inspect's agent from the tools of a task.

    Inspect's agents run only inside an evaluation of Inspect's, of which there may be one at a
    time: tasks are worked on one after the other, whatever --lanes says.
    """
    wanted = None if names is None else tuple(names)
    one_at_a_time = asyncio.Lock()
    os.environ.setdefault("INSPECT_DISPLAY", "none")  # standard output is ours
    display_type()  # reads it, and keeps it

    async def agent(question: str, tools: Tools) -> str:
        solver = build(inspect_tools(tools, wanted))
        task = Task(dataset=[Sample(input=question)], solver=solver)
        async with one_at_a_time:
            with private_folder() as temporary:
                place = str(log_dir or temporary)
                (log,) = await eval_async(task, model=model, log_dir=place)
                samples = list(log.samples or ())
        if log.status != "success" or not samples:
            raise RuntimeError(f"Inspect: {log.error.message if log.error else log.status}")
        return str(samples[0].output.completion)

    return agent
