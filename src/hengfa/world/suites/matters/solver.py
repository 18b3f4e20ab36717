"""Agent methods over the file of a matter: the tools of its world, and three that read the file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hengfa.evals.engine.messages import Message
from hengfa.evals.suites.base import Chosen
from hengfa.world.matters import file_tools
from hengfa.world.matters.matter import WORLD_FILE
from hengfa.world.suites.legalagentbench.solver import METHODS, TOOLS, Agents, open_toolbox
from hengfa.world.suites.matters.rules import Sample
from hengfa.world.tools.toolbox import Toolbox

SETTINGS: Final = (TOOLS, *METHODS)


def prompt(sample: Sample, _setting: str) -> tuple[Message, ...]:
    """What a model without tools is asked; agents build their own prompts around it."""
    return (Message("user", sample.matter.question),)


def _toolbox(root: Path, setting: str, options: Chosen) -> Toolbox:
    """The tools of the world that lies beside the matters; the sample pack has one for all."""
    beside = root.parent / "legalagentbench"
    shared = not (root / WORLD_FILE).is_file() and beside.is_dir()
    return open_toolbox(beside if shared else root, setting, options)


def _with_file(toolbox: Toolbox, sample: Sample) -> Toolbox:
    return toolbox.with_tools(file_tools(sample.matter.documents))


AGENTS: Final = Agents[Sample](_toolbox, _with_file, lambda _setting, _sample: True, True)
