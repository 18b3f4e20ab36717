"""Where an agent works on one task: it asks the model, calls tools, and hears when to stop.

Every question to the model has a key of its own, `KEY#thought-3`, so that an interrupted run goes
on from the journal without asking twice. What a task may take is counted from the journal too:
tokens and seconds are those of the model's replies, also of replies that an earlier sitting got, so
that whoever continues a run stops at the same step as whoever was never interrupted. A reply that
is no answer ends the task with its status; nothing a model or a service does becomes an exception
outside. A task ends with two closing texts (legalagentbench.md 4.1), or with silence.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

import msgspec

from hengfa.evals.engine.messages import Message, Options, Request, Response, Status, ToolUse
from hengfa.evals.engine.tokens import estimate_reply, estimate_request
from hengfa.world.agents.prompts import PROMPTS
from hengfa.world.agents.reading import clean, kept_arguments, without_digit_commas
from hengfa.world.agents.trajectory import SILENCE, Ended, Reply, Step, write_reply
from hengfa.world.tables.remote import RemoteWorld
from hengfa.world.tools.observation import Observation
from hengfa.world.tools.observation import Status as ToolStatus
from hengfa.world.tools.texts import CORPUS_OF_TOOL
from hengfa.world.tools.toolbox import Toolbox

Ask = Callable[[Request], Awaitable[Response]]
"""Puts a request to the model, or finds the answer in the journal."""


class Stopped(Exception):
    """The task cannot go on: why, and the reply to which it came, if it was a reply."""

    def __init__(self, ended: Ended, response: Response) -> None:
        super().__init__(response.reason)
        self.ended = ended
        self.response = response


class Booth:
    """The model, the tools and the record of one task.

    `request` has the key of the task and the options with which the model is asked. Without
    `threads` slow tools are called like all others: whoever drives the task step by step has no
    loop that they could hold up.
    """

    def __init__(
        self, ask: Ask, request: Request, toolbox: Toolbox, limits: Limits, *, threads: bool = True
    ) -> None:
        self.key = request.key
        self.options = request.options
        self.toolbox = toolbox
        self.limits = limits
        self.meter = Meter(limits)
        self.record = Transcript()
        self._ask = ask
        self._threads = threads

    async def say(self, step: str, prompt: str, *, cut: bool = False) -> Response:
        """The answer to a prompt that is a single message, as published agents ask."""
        return await self.converse(step, (Message("user", prompt),), self.options, cut=cut)

    async def converse(
        self, step: str, messages: tuple[Message, ...], options: Options, *, cut: bool = False
    ) -> Response:
        """The answer to a conversation; anything else ends the task. With `cut` a text that was cut
        at the length limit is an answer too."""
        response = await self.attempt(step, messages, options)
        if cut and response.status is Status.TRUNCATED and response.text.strip():
            return response
        return self.accept(step, response)

    def accept(self, step: str, response: Response) -> Response:
        if response.status is Status.ANSWERED:
            return response
        ended = Ended.CONTEXT_OVERFLOW if overflowed(response) else Ended.FAILED
        reason = f"{step}: {response.reason or response.status.value}"
        raise Stopped(ended, msgspec.structs.replace(response, reason=reason))

    async def attempt(self, step: str, messages: tuple[Message, ...], options: Options) -> Response:
        request = Request(f"{self.key}#{step}", messages, options)
        self.record.events.append(step)
        response = await self._ask(request)
        self.meter.add(request, response)
        return response

    async def call(self, tool: str, arguments: Any) -> Observation:
        """What a tool answers; it is put on record. A service that is down ends the task."""
        slow = isinstance(self.toolbox.world, RemoteWorld) or tool in CORPUS_OF_TOOL
        if slow and self._threads:
            seen = await asyncio.to_thread(self.toolbox.call, tool, arguments)
        else:
            seen = self.toolbox.call(tool, arguments)
        self.record.called(tool, arguments, seen)
        if seen.status is ToolStatus.UNAVAILABLE:
            raise service_down(tool)
        return seen


def service_down(tool: str) -> Stopped:
    reason = f"{tool}: the world's service gave no answer"
    return Stopped(Ended.FAILED, Response(Status.FAILED, reason=reason))


# --- what was done, and what it took ---


class Transcript:
    """The transcript of one task and the actions in it.

    The text grows only at its end. Published methods show it to the model as it is; the `tools`
    method keeps it for people and for the closing texts. `events` are the questions to the model
    and the calls of tools, in their order.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.events: list[str | ToolUse] = []
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def write(self, text: str) -> None:
        self._parts.append(text)

    def called(self, tool: str, arguments: Any, seen: Observation) -> None:
        given = kept_arguments(arguments)
        self.steps.append(Step(tool, given, seen.status, seen.unobserved))
        self.events.append(ToolUse(tool, given, seen.text, seen.status))

    def unparsable(self) -> None:
        """What the model wrote could not be read as a call."""
        self.steps.append(Step())


class Limits(msgspec.Struct, frozen=True):
    """Limits of one task; None leaves the number of steps to the method, the rest unlimited."""

    steps: int | None = None
    tokens: int | None = None
    seconds: float | None = None


class Meter:
    """Adds up what a task has taken."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.tokens = 0
        self.seconds = 0.0

    def add(self, request: Request, response: Response) -> None:
        """Count a reply; where the server did not count its tokens they are estimated."""
        self.seconds += response.seconds
        if response.usage is not None:
            self.tokens += response.usage.total
        else:
            self.tokens += estimate_request(request).low + estimate_reply(response).low

    @property
    def over(self) -> bool:
        """Whether a limit is reached, so that only the closing texts may follow."""
        limits = self.limits
        return (limits.tokens is not None and self.tokens >= limits.tokens) or (
            limits.seconds is not None and self.seconds >= limits.seconds
        )


# How servers say that a prompt is too long: "maximum context length is 8192", "prompt is too long",
# "Range of input length should be", "context_length_exceeded", "input token count exceeds", "超长";
# not "max_tokens is too large: it must be at most 4096", which is about the answer
_TOO_LONG: Final = re.compile(
    r"context[ _](?:length|window|size|limit)"
    r"|(?:prompt|input|messages?|request)\b[^.]{0,40}too (?:long|large)"
    r"|input (?:length|tokens?)|too many (?:input |prompt )?tokens"
    r"|超长|超出.{0,8}长度|上下文.{0,6}长度",
    re.IGNORECASE,
)


def overflowed(response: Response) -> bool:
    if response.status is Status.TRUNCATED:
        return "context_window" in response.reason
    return (
        response.status is Status.FAILED
        and response.this_question_only
        and _TOO_LONG.search(response.reason) is not None
    )


# --- the two closing texts, written by the model from question and transcript ---


class Closing(NamedTuple):
    """The concise answer, the detailed summary, and whether one of them was cut."""

    answer: str
    summary: str
    status: Status


async def close(booth: Booth, question: str, most: int | None = None) -> Closing:
    """Ask for both texts; either may be cut at the length limit, which is said. With `most` only
    the end of a longer transcript is given, as many characters as this."""
    prompt = _prompt(PROMPTS.closing.answer, question, booth, most)
    answer = await booth.say("close-answer", prompt, cut=True)
    prompt = _prompt(PROMPTS.closing.summary, question, booth, most)
    summary = await booth.say("close-summary", prompt, cut=True)
    whole = answer.status is summary.status is Status.ANSWERED
    return Closing(answer.text, summary.text, Status.ANSWERED if whole else Status.TRUNCATED)


async def summarise(booth: Booth, question: str, most: int | None = None) -> str:
    """Only the summary, for agents that gave their answer themselves."""
    prompt = _prompt(PROMPTS.closing.summary, question, booth, most)
    return (await booth.say("close-summary", prompt, cut=True)).text


def _prompt(rules: str, question: str, booth: Booth, most: int | None) -> str:
    transcript = booth.record.text
    if most is not None and len(transcript) > most:
        transcript = f"（前略）{transcript[-most:]}"
    return f"{rules}\n\n问题：{question}\n\n查询经过：\n{transcript}\n\n"


# --- handing in: the two texts, the calls and the transcript, or that there is no answer ---


def hand_in(
    answer: str, summary: str, record: Transcript, ended: Ended, status: Status = Status.ANSWERED
) -> Response:
    """A finished task. The transcript stands where a model's thinking does, for `hengfa show`."""
    texts = without_digit_commas(answer), without_digit_commas(summary)
    reply = Reply(*texts, steps=tuple(record.steps), ended=ended)
    cut = "" if status is Status.ANSWERED else "a closing text was cut at the length limit"
    return Response(
        status,
        text=write_reply(reply),
        reasoning=_transcript(record),
        reason=cut,
        events=tuple(record.events),
    )


def hand_in_silence(stop: Stopped, record: Transcript) -> Response:
    """A task that could not go on.

    A transcript that became too long is the agent's own failure: it hands in silence. All else has
    the status of the reply at which it stopped, so that it is reported as that and, where it may
    help, asked again.
    """
    reply = Reply(SILENCE, SILENCE, steps=tuple(record.steps), ended=stop.ended)
    own = stop.ended is Ended.CONTEXT_OVERFLOW
    return Response(
        status=Status.ANSWERED if own else stop.response.status,
        text=write_reply(reply),
        reasoning=_transcript(record),
        reason=stop.response.reason,
        this_question_only=stop.response.this_question_only,
        events=tuple(record.events),
    )


def _transcript(record: Transcript) -> str:
    """The transcript as it is kept."""
    return "\n".join(clean(line) for line in record.text.split("\n"))
