"""A user's own agent: a Python callable that gets the question and the tools, and returns a text.

    def agent(question, tools):
        row = tools.call("get_company_info", {"identifier": "…"})
        return row.text

It may be async; an async one with a third parameter named `ask` also gets the model of the run:
`await ask(messages, tools=())` puts a conversation to it within the run's journal, budget and
retries. Naming an agent runs its code: it can do whatever the user can.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

import msgspec

from hengfa.base.errors import HengfaError, UsageError
from hengfa.evals.engine.messages import Message, Response, Status, ToolSpec
from hengfa.world.agents.booth import Booth, Stopped, hand_in, hand_in_silence, service_down
from hengfa.world.agents.reading import clean
from hengfa.world.agents.trajectory import Ended
from hengfa.world.tools.observation import Observation
from hengfa.world.tools.observation import Status as ToolStatus
from hengfa.world.tools.toolbox import Toolbox

Agent = Callable[..., Any]
ASK: Final = "ask"


class TooManyCalls(Exception):
    """The agent made more calls than the task allows."""


class Tools:
    """The tools of a task as an agent of the user's own gets them; each call is put on record."""

    def __init__(self, booth: Booth) -> None:
        self._booth = booth
        self._lock = threading.Lock()
        self.limited = False

    @property
    def toolbox(self) -> Toolbox:
        """All there is to know about the tools; calls made through it are not on record."""
        return self._booth.toolbox

    def specs(self, names: Iterable[str] | None = None) -> tuple[ToolSpec, ...]:
        return self.toolbox.specs(names)

    def described(self, names: Iterable[str] | None = None) -> str:
        return self.toolbox.described(names)

    def call(self, name: str, arguments: Any) -> Observation:
        """Call a tool; raises :class:`TooManyCalls` past the limit of steps."""
        record, most = self._booth.record, self._booth.limits.steps
        with self._lock:
            if most is not None and len(record.steps) >= most:
                self.limited = True
                raise TooManyCalls(f"the task allows {most} calls")
            seen = self.toolbox.call(name, arguments)
            record.called(str(name), arguments, seen)
            record.write(f"调用 {name} {arguments!r}\n结果 {seen.text}\n")
        if seen.status is ToolStatus.UNAVAILABLE:
            raise service_down(name)
        return seen


def load_agent(name: str) -> Agent:
    """The callable that `module:function` names; modules beside the user come first."""
    module_name, _, attribute = name.partition(":")
    if not module_name or not attribute:
        raise UsageError(f"an agent is named module:function, not {name!r}")
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        agent: Any = importlib.import_module(module_name)
        for part in attribute.split("."):
            agent = getattr(agent, part)
    except Exception as error:  # the module is the user's: it may fail in any way
        raise UsageError(f"agent {name!r} cannot be loaded: {_describe_error(error)}") from error
    finally:
        sys.path.remove(here)
    if not callable(agent):
        raise UsageError(f"agent {name!r} is not a function")
    return agent  # type: ignore[no-any-return]


async def work_with_agent(agent: Agent, booth: Booth, question: str) -> Response:
    """Solve one task with an agent of the user's own.

    A synchronous agent runs in a thread, which cannot be ended: past the limit of seconds its
    result no longer counts, though it may still be running.
    """
    tools = Tools(booth)
    try:
        async with asyncio.timeout(booth.limits.seconds) as clock:
            answer, summary = _texts(await _run(agent, booth, question, tools))
    except HengfaError:  # the run's own limits and troubles
        raise
    except Stopped as stop:
        return hand_in_silence(stop, booth.record)
    except TooManyCalls as error:
        return _failure(booth, Ended.STEP_LIMIT, str(error))
    except Exception as error:  # noqa: BLE001 - the agent is the user's: it may fail in any way
        if clock.expired():
            return _failure(booth, Ended.BUDGET, "no answer within the limit of seconds")
        return _failure(booth, Ended.FAILED, f"the agent failed: {_describe_error(error)}")
    ended = Ended.STEP_LIMIT if tools.limited else Ended.FINISHED
    return hand_in(answer, summary, booth.record, ended)


async def _run(agent: Agent, booth: Booth, question: str, tools: Tools) -> Any:
    numbers = count(1)

    async def ask(messages: Iterable[Message], tools: Iterable[ToolSpec] = ()) -> Response:
        """The model of the run; each question is a step of the task."""
        number = next(numbers)
        options = msgspec.structs.replace(booth.options, tools=tuple(tools))
        return await booth.attempt(f"ask-{number}", tuple(messages), options)

    given = {}
    with suppress(TypeError, ValueError):  # what has no signature wants no model
        given = {ASK: ask} if ASK in inspect.signature(agent).parameters else {}
    if inspect.iscoroutinefunction(agent) or inspect.iscoroutinefunction(
        getattr(agent, "__call__", None)  # noqa: B004 - an object whose call is a coroutine
    ):
        return await agent(question, tools, **given)
    result = await asyncio.to_thread(agent, question, tools, **given)
    return await result if inspect.isawaitable(result) else result


def _texts(result: Any) -> tuple[str, str]:
    """The answer and the summary; a plain text is both."""
    if isinstance(result, str):
        return result, result
    if isinstance(result, Mapping) and isinstance(answer := result.get("answer"), str):
        summary = result.get("summary")
        return answer, summary if isinstance(summary, str) else answer
    kind = type(result).__name__
    raise TypeError(f"it returned {kind}, not a text or a mapping with `answer` and `summary`")


def _failure(booth: Booth, ended: Ended, reason: str) -> Response:
    """A limit is the agent's own failure and counts; a fault is reported and asked again."""
    status = Status.FAILED if ended is Ended.FAILED else Status.ANSWERED
    response = Response(status, reason=reason, this_question_only=True)
    return hand_in_silence(Stopped(ended, response), booth.record)


def _describe_error(error: BaseException) -> str:
    return clean(f"{type(error).__name__}: {error}")[:300]
