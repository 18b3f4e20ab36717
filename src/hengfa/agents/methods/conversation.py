"""The messages of the `tools` method, kept within what a model can read.

When they become too long, the oldest observations are left out first; a call whose observation is
gone may be made again. What is left out depends on the messages alone, so that an interrupted run
asks the same questions when it goes on.
"""

from __future__ import annotations

from typing import Final

import msgspec

from hengfa.agents.methods.native_words import DROPPED
from hengfa.engine.messages import Message

MOST: Final = 80_000
"""Characters; about 40,000 to 65,000 tokens."""
KEPT: Final = 4
"""The last so many observations stay unless the server itself says that it is too much."""


class _Line(msgspec.Struct):
    message: Message
    calls: tuple[str, ...] = ()
    """The calls whose observations it holds; such a message may be left out."""
    dropped: bool = False


class Conversation:
    """A system message, the task, and what was said and seen since."""

    def __init__(self, system: str, task: str) -> None:
        self._lines = [_Line(Message("system", system)), _Line(Message("user", task))]
        self._most = MOST
        self._kept = KEPT

    @property
    def messages(self) -> tuple[Message, ...]:
        """What goes to the model."""
        return tuple(line.message for line in self._lines)

    def add(self, message: Message, calls: tuple[str, ...] = ()) -> None:
        """Go on; `calls` names the calls whose observations this message holds."""
        self._lines.append(_Line(message, calls))

    def replace_system(self, system: str) -> None:
        """Change what stands above everything."""
        self._lines[0].message = Message("system", system)

    def shorten(self) -> set[str]:
        """Leave out old observations until the rest fits; the calls that may be made again."""
        gone: set[str] = set()
        droppable = self._droppable()
        total = self._size()
        for line in droppable[: max(0, len(droppable) - self._kept)]:
            if total <= self._most:
                break
            total -= len(line.message.content) - len(DROPPED)
            line.message = msgspec.structs.replace(line.message, content=DROPPED)
            line.dropped = True
            gone.update(line.calls)
        return gone

    def shrink(self) -> bool:
        """Halve what may be sent, since the server found it too long; False if nothing can go."""
        self._kept = 1 if self._kept > 1 else 0
        if len(self._droppable()) <= self._kept:
            return False
        self._most = min(self._most, self._size()) // 2
        return True

    def _droppable(self) -> list[_Line]:
        return [line for line in self._lines if line.calls and not line.dropped]

    def _size(self) -> int:
        return sum(
            len(message.content) + sum(len(call.arguments) for call in message.tool_calls)
            for message in self.messages
        )
