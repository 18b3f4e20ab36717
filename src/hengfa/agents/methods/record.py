"""What an agent did so far: the text that it and its readers see, and the calls that are scored."""

from __future__ import annotations

from typing import Any

from hengfa.agents.methods.texts import kept_arguments
from hengfa.agents.trajectory import Step
from hengfa.world.tools.observation import Observation


class Record:
    """The transcript of one task and the actions in it.

    The text grows only at its end. Published methods show it to the model as it is; the `tools`
    method keeps it for people and for the closing texts.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._parts)

    def write(self, text: str) -> None:
        """Go on with this text."""
        self._parts.append(text)

    def called(self, tool: str, arguments: Any, seen: Observation) -> None:
        """A tool was called."""
        self.steps.append(Step(tool, kept_arguments(arguments), seen.status, seen.unobserved))

    def unparsable(self) -> None:
        """What the model wrote could not be read as a call."""
        self.steps.append(Step())
