"""`tools`: our own method. A short plan, then search and computation in one loop of function calls.

Several calls may be made in a turn. A call that was made before is refused with advice; errors come
back with suggestions; long results are cut and say how to see the rest; old results leave the
conversation when it gets too long. The answer is the agent's own, and whatever in it nothing seen
accounts for is put to the model once before it counts (legalagentbench.md 9.3).
"""

from __future__ import annotations

import difflib
import json
import re
from typing import Any, Final

import msgspec

from hengfa.evals.engine.messages import Message, Options, Response, Status, ToolCall, ToolSpec
from hengfa.world.agents.answer_check import unsupported
from hengfa.world.agents.booth import (
    Booth,
    Stopped,
    close,
    hand_in,
    hand_in_silence,
    overflowed,
    summarise,
)
from hengfa.world.agents.prompts import PROMPTS
from hengfa.world.agents.published import columns_of, with_hint
from hengfa.world.agents.reading import AskedCall, clean, kept_arguments, read_calls
from hengfa.world.agents.trajectory import SILENCE, Ended, Texts
from hengfa.world.tools.catalogue import FINISH
from hengfa.world.tools.observation import Observation
from hengfa.world.tools.observation import Status as ToolStatus
from hengfa.world.tools.toolbox import Toolbox

TURNS: Final = 20
MOST_CALLS: Final = 16
"""So many calls of a turn are made; more are put off, and whoever writes hundreds is cut short."""

_MOST_ECHOED: Final = 64
IDLE_TURNS: Final = 3
"""So many turns in a row without a new call, and the agent is asked for its answer."""

_WARNED: Final = 3
_SHRINKS: Final = 4
_CLOSING: Final = 60_000
"""Characters of the transcript from which closing texts are written; the end of it counts."""

# "does not support tools", '"auto" tool choice requires …', "function calling is not supported"
_NO_FUNCTIONS: Final = re.compile(r"\btools?\b|function", re.IGNORECASE)

TEXTS: Final = PROMPTS.tools
FINISH_SPEC: Final = ToolSpec(
    FINISH,
    TEXTS.finish,
    {
        "type": "object",
        "properties": {
            "answer": {"type": "string", "description": TEXTS.answer},
            "summary": {"type": "string", "description": TEXTS.summary},
        },
        "required": ["answer", "summary"],
        "additionalProperties": False,
    },
)
SAME: Final = frozenset({"同上", "同answer", "同答案"})
"""Summaries that say that they are the answer."""


def duties(toolbox: Toolbox) -> str:
    return TEXTS.duties + (f"\n{TEXTS.lists}" if "filter_rows" in toolbox.names else "")


def catalogue(toolbox: Toolbox) -> str:
    """Tools and columns as text, for a plan and for models that cannot call functions."""
    tools = [name for name in toolbox.names if name != FINISH]
    columns = columns_of(toolbox.schema.table_of, toolbox.schema)
    return f"工具：\n{toolbox.described(tools)}\n\n各表的列：\n{columns}"


def text_duties(toolbox: Toolbox) -> str:
    """The system message for models that cannot call functions."""
    return f"{duties(toolbox)}\n\n{catalogue(toolbox)}\n\n{TEXTS.calls_as_text}"


def refuse_repeat(turn: int) -> str:
    refusal = {"error": "repeated call", "message": TEXTS.repeated.format(turn=turn)}
    return json.dumps(refusal, ensure_ascii=False)


class Protocol:
    """Whether the model can call functions; learned from one task for all others of a run."""

    def __init__(self) -> None:
        self.native = True


async def work_with_tools(
    booth: Booth, question: str, protocol: Protocol, *, single: bool = False
) -> Response:
    """Solve one task by function calls.

    With `single` all of it is one conversation: no plan is asked for before it, and no closing
    texts after it. A text without calls, twice in a row, is the answer; whoever comes to a limit
    hands in silence.
    """
    try:
        return await _Agent(booth, question, protocol, single=single).work()
    except Stopped as stop:
        return hand_in_silence(stop, booth.record)


class _Agent:
    def __init__(self, booth: Booth, question: str, protocol: Protocol, *, single: bool) -> None:
        self.booth = booth
        self.question = question
        self.protocol = protocol
        self.single = single
        self.native = protocol.native
        self.made: dict[str, tuple[int, ToolStatus]] = {}
        """Calls whose results are in the conversation, with the turn and how they ended."""
        self.seen = [question]
        self.doubted = False
        self.conversation = Conversation("", "")
        names = [name for name in booth.toolbox.names if name != FINISH]
        self.options: Options = msgspec.structs.replace(
            booth.options, tools=(*booth.toolbox.specs(names), FINISH_SPEC)
        )

    async def work(self) -> Response:
        booth, record = self.booth, self.booth.record
        task = f"问题：{self.question}"
        system = duties(booth.toolbox) if self.native else text_duties(booth.toolbox)
        if not self.single:
            told = f"{duties(booth.toolbox)}\n\n{catalogue(booth.toolbox)}"
            messages = (Message("system", told), Message("user", f"{task}\n\n{TEXTS.plan}"))
            response = await booth.converse("plan", messages, booth.options)
            plan = clean(response.text).strip()
            record.write(f"【计划】\n{plan}\n")
            task += f"\n\n计划（可以修改）：\n{plan}"
        self.conversation = Conversation(system, task)
        ended, texts = await self._turns()
        if self.single:
            texts = texts or Texts(SILENCE, SILENCE)
            return hand_in(texts.answer, texts.summary or texts.answer, record, ended)
        if texts is None:
            closing = await close(self.booth, self.question, _CLOSING)
            return hand_in(closing.answer, closing.summary, record, ended, closing.status)
        summary = texts.summary or await summarise(self.booth, self.question, _CLOSING)
        return hand_in(texts.answer, summary, record, ended)

    async def _turns(self) -> tuple[Ended, Texts | None]:
        """Until there is an answer, or the closing texts have to be written from what is there."""
        most = self.booth.limits.steps or TURNS
        idle = plain = 0
        for turn in range(1, most + 1):
            if self.booth.meter.over:
                return Ended.BUDGET, None
            response = await self._ask(turn)
            calls = read_calls(response)[:_MOST_ECHOED]
            self.booth.record.write(f"【第{turn}轮】{clean(response.text).strip()}\n")
            if not calls:
                spoke = bool(response.text.strip())
                plain += spoke
                if spoke and (plain > 1 or turn == most):
                    text = clean(response.text).strip()
                    return Ended.FINISHED, Texts(text, text) if self.single else None
                if text := clean(response.text).strip():
                    self.conversation.add(Message("assistant", text))
                self.conversation.add(Message("user", TEXTS.nudge))
                fresh = spoke
            else:
                plain = 0
                submitted, fresh = await self._answer_calls(turn, most, response, calls)
                if submitted is not None:
                    return Ended.FINISHED, submitted
            idle = 0 if fresh else idle + 1
            if idle >= IDLE_TURNS:
                break
        return Ended.STEP_LIMIT, None

    async def _ask(self, turn: int) -> Response:
        """The model's next turn; shorter where its context is too small, as text where it must."""
        step = f"turn-{turn}"
        self._forget(self.conversation.shorten())
        response = await self._attempt(step, first=turn == 1)
        for again in range(1, _SHRINKS + 1):
            if not overflowed(response) or not self.conversation.shrink():
                break
            self._forget(self.conversation.shorten())
            response = await self._attempt(f"{step}-short-{again}", first=False)
        return response if response.status is Status.EMPTY else self.booth.accept(step, response)

    async def _attempt(self, step: str, *, first: bool) -> Response:
        if self.native:
            response = await self.booth.attempt(step, self.conversation.messages, self.options)
            refused = response.status is Status.FAILED and response.this_question_only
            refused = refused and not overflowed(response)
            if not (first and refused and _NO_FUNCTIONS.search(response.reason)):
                return response
            self.native = self.protocol.native = False
            self.conversation.replace_system(text_duties(self.booth.toolbox))
        messages = self.conversation.messages
        return await self.booth.attempt(f"{step}-text", messages, self.booth.options)

    def _forget(self, calls: set[str]) -> None:
        for call in calls:
            self.made.pop(call, None)

    async def _answer_calls(
        self, turn: int, most: int, response: Response, calls: tuple[AskedCall, ...]
    ) -> tuple[Texts | None, bool]:
        """Make the calls of a turn; what was submitted, and whether anything was new."""
        fresh = False
        answers: list[str] = []
        keys: list[tuple[str, ...]] = []
        for place, call in enumerate(calls):
            key = f"{call.tool} {_json(kept_arguments(call.arguments))}"
            keys.append(() if key in self.made or call.tool == FINISH else (key,))
            if call.tool == FINISH:
                outcome = self._submit(call, alone=len(calls) == 1, last=turn == most)
                if isinstance(outcome, Texts):
                    self.booth.record.write(f"提交 {outcome.answer}\n")
                    return outcome, True
                answers.append(outcome)
            elif place >= MOST_CALLS:
                answers.append(TEXTS.too_many)
            elif call.arguments is None:
                self.booth.record.unparsable()
                answers.append(TEXTS.unreadable)
            elif key in self.made:
                earlier, status = self.made[key]
                self.booth.record.called(call.tool, call.arguments, Observation("", status))
                answers.append(refuse_repeat(earlier))
            else:
                seen = await self.booth.call(call.tool, call.arguments)
                self.made[key] = turn, seen.status
                self.seen.append(seen.text)
                answers.append(self._for_model(call, seen))
                fresh = True
            self.booth.record.write(f"调用 {key}\n结果 {answers[-1]}\n")
        if most - turn <= _WARNED:
            answers[-1] += TEXTS.remaining.format(turns=most - turn)
        self._add(response, calls, answers, keys)
        return None, fresh

    def _submit(self, call: AskedCall, *, alone: bool, last: bool) -> Texts | str:
        if not alone and not last:
            return TEXTS.finish_alone
        given = call.arguments if isinstance(call.arguments, dict) else {}
        answer, summary = _text(given.get("answer")), _text(given.get("summary"))
        if not answer:
            return TEXTS.no_answer
        if summary in SAME:
            summary = answer
        if not self.doubted and not last and (items := unsupported(answer, self.seen)):
            self.doubted = True
            return TEXTS.doubtful.format(items="、".join(items))
        return Texts(answer, summary)

    def _for_model(self, call: AskedCall, seen: Observation) -> str:
        toolbox = self.booth.toolbox
        if toolbox.mode == "strict":
            seen = msgspec.structs.replace(seen, text=with_hint(seen))
        text = shortened(seen)
        if seen.status is ToolStatus.UNKNOWN_TOOL:
            near = difflib.get_close_matches(call.tool, toolbox.names, n=3)
            text += f"相近的工具：{'、'.join(near)}" if near else ""
        return text

    def _add(
        self,
        response: Response,
        calls: tuple[AskedCall, ...],
        answers: list[str],
        keys: list[tuple[str, ...]],
    ) -> None:
        """Put calls and results into the conversation, in the form in which they were made."""
        text = clean(response.text)
        if response.tool_calls:
            echoed = tuple(
                ToolCall(call.id, call.tool, _json(kept_arguments(call.arguments or {})))
                for call in calls
            )
            turn = Message("assistant", text, tool_calls=echoed, reasoning=response.reasoning)
            self.conversation.add(turn)
            for call, answer, key in zip(calls, answers, keys, strict=True):
                self.conversation.add(Message("tool", answer, tool_call_id=call.id), key)
        else:
            self.conversation.add(Message("assistant", text))
            results = (
                f"【{call.tool}】{answer}" for call, answer in zip(calls, answers, strict=True)
            )
            made = tuple(name for key in keys for name in key)
            self.conversation.add(Message("user", "\n\n".join(results)), made)


def _text(value: object) -> str:
    """A text as it is; a number or list as JSON, since the model meant it as its answer."""
    if value is None:
        return ""
    return (clean(value) if isinstance(value, str) else _json(value)).strip()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


# --- the conversation, kept within what a model can read ---

LONGEST_CONVERSATION: Final = 80_000  # characters; about 40,000 to 65,000 tokens
KEPT: Final = 4
"""The last so many observations stay unless the server itself says that it is too much."""


class _Line(msgspec.Struct):
    message: Message
    calls: tuple[str, ...] = ()
    """The calls whose observations it holds; such a message may be left out."""
    dropped: bool = False


class Conversation:
    """A system message, the task, and what was said and seen since.

    When the messages become too long, the oldest observations are left out first; a call whose
    observation is gone may be made again. What is left out depends on the messages alone, so that
    an interrupted run asks the same questions when it goes on.
    """

    def __init__(self, system: str, task: str) -> None:
        self._lines = [_Line(Message("system", system)), _Line(Message("user", task))]
        self._most = LONGEST_CONVERSATION
        self._kept = KEPT

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(line.message for line in self._lines)

    def add(self, message: Message, calls: tuple[str, ...] = ()) -> None:
        """Go on; `calls` names the calls whose observations this message holds."""
        self._lines.append(_Line(message, calls))

    def replace_system(self, system: str) -> None:
        self._lines[0].message = Message("system", system)

    def shorten(self) -> set[str]:
        """Leave out old observations until the rest fits; the calls that may be made again."""
        gone: set[str] = set()
        droppable = self._droppable()
        total = self._size()
        for line in droppable[: max(0, len(droppable) - self._kept)]:
            if total <= self._most:
                break
            total -= len(line.message.content) - len(TEXTS.dropped)
            line.message = msgspec.structs.replace(line.message, content=TEXTS.dropped)
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


# --- long observations ---

LONGEST_OBSERVATION: Final = 6_000
LONGEST_WHOLE: Final = 24_000
"""Of what has no pages: strict tools, and services. The rest of it cannot be had at all."""

_ROOM: Final = 400  # for counts and advice
_LISTS: Final = ("rows", "texts", "groups")


def shortened(seen: Observation, most: int | None = None) -> str:
    """The text of an observation, at most about so many characters.

    It says how many items there are and how to get the rest. Published agents put lists of several
    hundred documents into the prompt and lost tasks to it (legalagentbench.md 7.11).
    """
    if most is None:
        most = LONGEST_OBSERVATION if isinstance(seen.value, dict) else LONGEST_WHOLE
    if len(seen.text) <= most:
        return seen.text
    if isinstance(seen.value, dict):
        for name in _LISTS:
            if isinstance(items := seen.value.get(name), list) and len(items) > 1:
                return _part(seen.value, name, items, most)
    return _head(seen.text, most)


def _part(value: dict[str, Any], name: str, items: list[Any], most: int) -> str:
    """As many items of a list as fit, at least one."""
    left = most - _ROOM
    part: list[Any] = []
    for item in items:
        left -= len(_compact(item))
        if left < 0 and part:
            break
        part.append(item)
    offset = value.get("offset")
    start = offset if isinstance(offset, int) else 0
    total = value.get("count", len(items))
    advice = "可以用columns只取需要的列"
    more: dict[str, Any] = {}
    if name == "rows":
        more["next_offset"] = start + len(part)
        advice = f"用offset={start + len(part)}看后面的，{advice}，或用aggregate_rows统计"
    note = f"共{total}条，因篇幅只显示其中{len(part)}条；{advice}"
    text = _compact({**value, name: part, **more, "note": note})
    return text if len(text) <= most + _ROOM else _head(text, most)


def _head(text: str, most: int) -> str:
    return f"{text[:most]}……（全长{len(text)}字，因篇幅只显示开头；可以用columns只取需要的列）"


def _compact(value: Any) -> str:
    return msgspec.json.encode(value).decode()
