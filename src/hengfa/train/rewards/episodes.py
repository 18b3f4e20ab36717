"""Environments: a task worked on with tools, turn by turn, by a model that is being trained.

    environment = Environment(world_tools("fresh"), Limits(steps=12), record="episodes")
    episode = environment.episode(row)
    turn = episode.reset()
    while not turn.done:
        turn = episode.step(policy(turn.messages, turn.tools))
    earned = episode.reward()

The loop is that of `hengfa eval --setting tools` (`agents/native.py`), not another one like it: it
is stopped wherever it asks the model, and goes on with the reply. So a policy is asked in training
what it is asked in an evaluation, with the same limits, repairs and closing texts.

Every reply is on disk before its calls are made, in the form of a journal. An episode that begins
anew where it has a record makes the same calls again, asks nothing that was answered, and goes on
where it was. Same replies, same episode: tokens and seconds are counted from the replies too.
"""

from __future__ import annotations

import asyncio
import time
import types
from collections.abc import Callable, Coroutine, Generator, Mapping
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import msgspec

from hengfa.base.errors import DataError, JournalError, UsageError
from hengfa.evals.engine.endpoint import chat_message
from hengfa.evals.engine.journal import append_entry, new_entry, read_entries, standing
from hengfa.evals.engine.messages import JSONObject, Message, Options, Request, Response, Status
from hengfa.train.rewards.chats import Said, read_said
from hengfa.train.rewards.named import Rewarder, reads_calls
from hengfa.train.rewards.shapes import Reward
from hengfa.world.agents.booth import Ask, Booth, Limits, Meter, overflowed
from hengfa.world.agents.native import TURNS, Protocol, work_with_tools
from hengfa.world.agents.solver import MODE, TOOLS, WORLD, open_toolbox
from hengfa.world.agents.trajectory import Ended, read_reply
from hengfa.world.opening import ADDRESSES
from hengfa.world.tables.world import RECOVERED
from hengfa.world.tools.catalogue import Mode
from hengfa.world.tools.toolbox import Toolbox

AGENT: Final = "agent"
_POLICY: Final = "policy"
"""The model in a record: which weights replied, the trainer knows."""


class Why(StrEnum):
    """Why an episode is over."""

    ANSWERED = "answered"
    STEPS = "steps"
    TOKENS = "tokens"
    TIME = "time"
    LOOP = "loop"  # turns without a new call
    CONTEXT = "context"  # the conversation became too long for the model
    FAILED = "failed"  # a reply was no answer, or a service was down


class Row(msgspec.Struct, frozen=True):
    """A row as trainers carry it; other columns are passed over. `format_key` is an answer key of
    the reward `format`, by which the value is multiplied."""

    id: str
    prompt: tuple[Message, ...]
    answer_key: str
    reward: str = AGENT
    format_key: str = ""


class Turn(msgspec.Struct, frozen=True):
    """What the model is asked next; nothing where the episode is done.

    `new` is what came since its last reply: the results of its calls. Where `continues` is false
    the conversation is another one, and `new` is all of it: after the plan, for closing texts, and
    where old results were left out to make room.
    """

    request: Request | None
    new: tuple[Message, ...] = ()
    continues: bool = False
    why: Why | None = None

    @property
    def done(self) -> bool:
        return self.request is None

    @property
    def messages(self) -> list[JSONObject]:
        """The whole conversation, as chat interfaces take it."""
        return [chat_message(message) for message in self.request.messages] if self.request else []

    @property
    def observations(self) -> list[JSONObject]:
        """What is new of it."""
        return [chat_message(message) for message in self.new]

    @property
    def tools(self) -> list[JSONObject]:
        """The functions that the model is offered in this turn; a plan has none."""
        offered = self.request.options.tools if self.request else ()
        return [{"type": "function", "function": msgspec.to_builtins(tool)} for tool in offered]


class Environment(msgspec.Struct, frozen=True):
    """What episodes have in common; it opens nothing itself, and may be sent to other processes.

    `tools` opens the tools, once in a process. Without `functions` they are told as text, and
    calls are read from the text of replies. `single` makes one conversation of an episode, for
    trainers that know no other: no plan before it and no closing texts after it. `record` is a
    folder of records; without it a killed episode begins anew. `rewarder` says by which rules and
    in which shape the reward of a row is given.
    """

    tools: Callable[[], Toolbox]
    limits: Limits = Limits()
    rewarder: Rewarder = Rewarder(AGENT)
    functions: bool = True
    single: bool = False
    options: Options = Options()
    record: str | Path | None = None

    def episode(self, row: Row | Mapping[str, Any], number: int = 0) -> Episode:
        """The task of a row; `number` tells several episodes of one row apart."""
        return Episode(self, row if isinstance(row, Row) else _read_row(row), number)


def world_tools(world: str | Path, mode: Mode = "helpful") -> Callable[[], Toolbox]:
    """The tools of a world: that of a data folder, a file, or the address of a service."""
    if str(world).startswith(ADDRESSES):
        return partial(open_toolbox, Path(), TOOLS, {WORLD: str(world), MODE: mode})
    place = Path(world).absolute()
    named = RECOVERED if place.is_dir() else str(place)
    return partial(open_toolbox, place, TOOLS, {WORLD: named, MODE: mode})


class _Loop(NamedTuple):
    """The loop of an agent, stopped wherever it asks; and where it works."""

    desk: Booth
    work: Coroutine[Request, Response | None, Response]


class Episode:
    """One task, and all that was asked and replied about it. It is for one thread at a time."""

    def __init__(self, environment: Environment, row: Row, number: int = 0) -> None:
        self.environment = environment
        self.row = row
        self.key = f"{row.id}@{number}"
        self.asked: list[tuple[Request, Response]] = []
        """Each question with its reply: what there is to be trained on."""
        self.response: Response | None = None
        """What is handed in, once the episode is over."""
        self._loop: _Loop | None = None
        self._turn = Turn(None)
        self._limit: Why | None = None
        self._since = 0.0

    def reset(self) -> Turn:
        """Begin, or go on after what is on record."""
        if self._loop is not None:
            self._loop.work.close()
        self.asked, self.response, self._limit = [], None, None
        self._loop = loop = self._begin()
        self._turn = self._go_on(loop, None)
        self._recall(loop)
        if (request := self._turn.request) is not None:
            self._turn = Turn(request, request.messages)
        return self._turn

    def step(self, reply: Said) -> Turn:
        """Make the calls of a reply, and say what comes next."""
        loop, request = self._loop, self._turn.request
        if loop is None or request is None:
            raise UsageError(f"episode {self.key} is over, or was not begun: reset it")
        response = read_said(reply).whole()
        if not response.seconds:
            waited = round(time.perf_counter() - self._since, 4)
            response = msgspec.structs.replace(response, seconds=waited)
        if (file := self._file) is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            append_entry(file, new_entry(request, request.prompt_hash(), _POLICY, response))
        self._turn = self._go_on(loop, response)
        return self._turn

    def reward(self) -> Reward:
        """What the episode earned; an agent's reward sees the calls, all others the answer alone.
        What failed has no value, as anywhere: the trainer masks it."""
        if self.response is None:
            raise UsageError(f"episode {self.key} is not over yet")
        given = replace(self.environment.rewarder, name=self.row.reward)
        said = self.response if reads_calls(given.name) else _answer(self.response)
        earned = given(self.row.answer_key, said)
        return self._in_form(earned, _answer(said)) if self.row.format_key else earned

    def _in_form(self, earned: Reward, said: Response) -> Reward:
        formed = replace(self.environment.rewarder, name="format")(self.row.format_key, said)
        parts = {**earned.parts, "format": formed.value}
        none = earned.value is None or formed.value is None
        value = None if none else (earned.value or 0.0) * (formed.value or 0.0)
        return Reward(value, parts, earned.status, earned.reason or formed.reason)

    # --- the loop, from one question to the next ---

    def _begin(self) -> _Loop:
        environment, messages = self.environment, self.row.prompt
        request = Request(self.key, messages, environment.options)
        toolbox, limits = environment.tools(), environment.limits
        desk = Booth(_hand_out, request, toolbox, limits, threads=False)
        question = "\n\n".join(message.content for message in messages)
        protocol = Protocol()
        protocol.native = environment.functions
        work = work_with_tools(desk, question, protocol, single=environment.single)
        return _Loop(desk, work)

    def _go_on(self, loop: _Loop, response: Response | None) -> Turn:
        """Send a reply in, and take the next question out; without a reply, the first."""
        before = self._turn.request if response is not None else None
        if before is not None and response is not None:
            self.asked.append((before, response))
        try:
            turn = _turn(before, loop.work.send(response))
        except StopIteration as end:
            self.response = end.value
            turn = Turn(None, why=self._why(loop, end.value))
        if self._limit is None:  # closing texts take more, and are not why they were asked for
            self._limit = _reached(loop.desk.meter)
        self._since = time.perf_counter()
        return turn

    def _why(self, loop: _Loop, response: Response) -> Why:
        reply = read_reply(response.text)
        ended = reply.ended if reply else None
        if ended is Ended.STEP_LIMIT:
            turns = {_turn_number(request) for request, _ in self.asked}
            most = self.environment.limits.steps or TURNS
            return Why.STEPS if max(turns) >= most else Why.LOOP
        if ended is Ended.BUDGET:
            return self._limit or _reached(loop.desk.meter) or Why.FAILED
        reasons = {Ended.FINISHED: Why.ANSWERED, Ended.CONTEXT_OVERFLOW: Why.CONTEXT}
        return reasons.get(ended, Why.FAILED) if ended else Why.FAILED

    # --- the record ---

    @property
    def _file(self) -> Path | None:
        folder = self.environment.record
        return None if folder is None else Path(folder) / f"{quote(self.key, safe='@')}.jsonl"

    def _recall(self, loop: _Loop) -> None:
        file = self._file
        if file is None or not file.is_file():
            return
        kept = standing(read_entries(file))
        while (request := self._turn.request) is not None:
            entry = kept.get(request.key)
            if entry is None:
                return
            # what failed may not fail again; a conversation that was too long is so for ever
            if entry.response.status is Status.FAILED and not overflowed(entry.response):
                return
            if entry.prompt_hash != request.prompt_hash():
                raise JournalError(
                    f"{file}: {request.key} was put differently when it was answered ({entry.at}): "
                    "the task, the tools or the limits have changed; name another folder"
                )
            self._turn = self._go_on(loop, entry.response)


async def play(episode: Episode, ask: Ask) -> Reward:
    """Have a model of the engine play an episode: `ask` is that of a session, or any other. Tools
    are called in a thread, so that many episodes may be played at once."""
    turn = await asyncio.to_thread(episode.reset)
    while turn.request is not None:
        turn = await asyncio.to_thread(episode.step, await ask(turn.request))
    return episode.reward()


@types.coroutine
def _hand_out(request: Request) -> Generator[Request, Response, Response]:
    """Asks by stopping the loop here, until a reply is sent into it."""
    return (yield request)


def _turn(before: Request | None, request: Request) -> Turn:
    """What is new since the request before, whose reply stands behind it if it was kept."""
    known = before.messages if before is not None else ()
    if not known or request.messages[: len(known)] != known:
        return Turn(request, request.messages)
    new = request.messages[len(known) :]
    return Turn(request, new[1:] if new and new[0].role == "assistant" else new, continues=True)


def _reached(meter: Meter) -> Why | None:
    most = meter.limits.tokens
    if most is not None and meter.tokens >= most:
        return Why.TOKENS
    return Why.TIME if meter.over else None


def _turn_number(request: Request) -> int:
    """3 of `…#turn-3-short-1`; 0 of what is no turn."""
    kind, _, rest = request.key.rpartition("#")[2].partition("-")
    return int(rest.partition("-")[0]) if kind == "turn" else 0


def _read_row(row: Mapping[str, Any]) -> Row:
    try:
        return msgspec.convert(row, Row)
    except msgspec.ValidationError as error:
        raise DataError(f"no row of a trainer: {error}", file=str(row.get("id", "row"))) from error


def _answer(response: Response) -> Response:
    """The answer alone, without the calls and the account of them."""
    reply = read_reply(response.text)
    return response if reply is None else msgspec.structs.replace(response, text=reply.answer)
