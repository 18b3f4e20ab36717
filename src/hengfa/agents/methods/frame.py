"""What the three published methods share: tables first, then the method's loop, then two texts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from hengfa.agents.methods.actions import Action, read_action
from hengfa.agents.methods.closing import close
from hengfa.agents.methods.desk import Desk, Stopped
from hengfa.agents.methods.handing_in import handed_in, silent
from hengfa.agents.methods.table_filter import choose_tables
from hengfa.agents.methods.texts import one_line
from hengfa.agents.methods.words import BAD_COLUMN_HINT, NO_DATA_HINT, REMINDER
from hengfa.agents.trajectory import Ended
from hengfa.engine.messages import Response
from hengfa.world.tools.catalogue import EXPOSED_ALWAYS, tools_of_tables
from hengfa.world.tools.observation import Observation, Status
from hengfa.world.tools.retrievers import CORPUS_OF_TOOL

_HINTS: Final = {Status.NO_DATA: NO_DATA_HINT, Status.BAD_COLUMN: BAD_COLUMN_HINT}


class Shown(msgspec.Struct, frozen=True):
    """What the agent is shown after the table filter; both tables of a pair list tools twice."""

    tables: tuple[str, ...]
    tools: tuple[str, ...]
    described: str


Loop = Callable[[Desk, str, Shown], Awaitable[Ended]]
"""A method: works on the question until it ends, and leaves its transcript in the desk's record."""


async def work(loop: Loop, desk: Desk, question: str, *, retrievers: bool = True) -> Response:
    """Solve one task by a published method."""
    try:
        shown = show(desk, await choose_tables(desk, question), retrievers=retrievers)
        ended = await loop(desk, question, shown)
        texts = await close(desk, question)
    except Stopped as stop:
        return silent(stop, desk.record)
    return handed_in(texts.answer, texts.summary, desk.record, ended, texts.status)


def show(desk: Desk, tables: tuple[str, ...], *, retrievers: bool) -> Shown:
    """The tools of the tables, then those that are always there."""
    always = [name for name in EXPOSED_ALWAYS if retrievers or name not in CORPUS_OF_TOOL]
    tools = (*tools_of_tables(tables), *always)
    return Shown(tables, tools, desk.toolbox.described(tools))


async def act(desk: Desk, reply: str) -> Action | str:
    """Carry out the action in a reply: the observation, or the action itself if it is final."""
    action = read_action(reply)
    if action is None:
        desk.record.unparsable()
        return REMINDER
    if action.final:
        return action
    return hinted(await desk.call(action.tool, action.given))


def hinted(seen: Observation) -> str:
    """The observation with the advice that follows some of them."""
    hint = _HINTS.get(seen.status)
    return f"{seen.text} {hint}" if hint else seen.text


def final_words(action: Action) -> str:
    """A final answer as it enters the transcript."""
    return one_line(f"{action.tool}: {action.answer}")
