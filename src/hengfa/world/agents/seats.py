"""Where agents of others sit down to a task: its question, its tools, and what they did on record.

A seat is one task. Whoever sits there, over MCP or REST, calls tools and hands in an answer. A call
is on disk before its result is given out, so that whatever an agent has seen is on record, however
it or the server ends; who comes back goes on where it was. Nothing is kept in memory: several
servers may serve the seats of one folder.

A folder of records has `record.json`, which says over what they were made, and `ID.jsonl` for each
task that was begun.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

import msgspec
from filelock import FileLock

from hengfa.base.data.appended import Appended, read_appended
from hengfa.base.data.jsonfile import json_decoder, read_json, whole_characters, write_atomically
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import UsageError
from hengfa.evals.engine.messages import Response, ToolSpec
from hengfa.evals.engine.messages import Status as Replied
from hengfa.world.agents.booth import Stopped, Transcript, hand_in, hand_in_silence
from hengfa.world.agents.native import FINISH_SPEC, SAME, TEXTS
from hengfa.world.agents.reading import kept_arguments
from hengfa.world.agents.trajectory import Ended, Step
from hengfa.world.tools.catalogue import FINAL_ANSWER, FINISH, Mode
from hengfa.world.tools.observation import Observation, Status
from hengfa.world.tools.toolbox import Toolbox

MANIFEST: Final = "record.json"
SUBMITTED: Final = "答案已提交，任务结束。"
OVER: Final = "这道题的答案已经提交，不能再调用工具或改答案。"
_OTHERWISE: Final = "remove the line if you know why it is there"
_LINES: Final = ".jsonl"


class Over(msgspec.Struct, frozen=True):
    """What records were made over; those of one folder were all made over the same."""

    tasks: str
    world: str
    mode: Mode
    format: int = 1


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of a record: a call and its result, or the texts that were handed in."""

    at: str
    call: Step | None = None
    result: str = ""
    answer: str | None = None
    summary: str | None = None


class Seat(msgspec.Struct, frozen=True):
    """A task as an agent finds it: `calls` were made by whoever sat here before."""

    id: str
    question: str
    calls: tuple[Step, ...] = ()
    handed_in: bool = False


_decode = json_decoder(Entry)


class Seats:
    """The tasks of one folder of records, by their ids, and the tools to work on them."""

    def __init__(
        self, folder: Path, toolbox: Toolbox, questions: Mapping[str, str], over: Over
    ) -> None:
        self.folder = folder
        self.toolbox = toolbox
        self.questions = questions
        self._begin(over)

    def _begin(self, over: Over) -> None:
        """Make the folder, or go on in one that was begun over the same."""
        folder, lock = self.folder, self.folder / ".lock"
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            with FileLock(lock):
                if not (folder / MANIFEST).is_file():
                    if any(path != lock for path in folder.iterdir()):
                        raise UsageError(f"{folder} holds what is no record: name another folder")
                    write_atomically(folder / MANIFEST, msgspec.json.encode(over) + b"\n")
                    return
        if (before := read_over(folder)) != over:
            asked = msgspec.structs.asdict(over).items()
            found = ((name, getattr(before, name), now) for name, now in asked)
            told = (f"{name} {was!r} instead of {now!r}" for name, was, now in found if was != now)
            raise UsageError(
                f"{folder} was begun over something else: {', '.join(told)}; name another folder"
            )

    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as functions that a model can call; `finish` hands in."""
        names = [name for name in self.toolbox.names if name != FINISH]
        return (*self.toolbox.specs(names), FINISH_SPEC)

    def seat(self, task: str) -> Seat:
        question = self._question(task)
        file = self._file(task)
        entries = list(_entries(file)) if file.is_file() else []
        calls = tuple(entry.call for entry in entries if entry.call is not None)
        return Seat(task, question, calls, any(entry.answer is not None for entry in entries))

    def call(self, task: str, tool: str, arguments: Any) -> Observation:
        """Call one of the world's tools, or hand in."""
        self._question(task)
        if tool not in (FINISH, FINAL_ANSWER):
            return self.keep(task, tool, arguments, self.toolbox.call(tool, arguments))
        given = arguments if isinstance(arguments, dict) else {"answer": arguments}
        answer, summary = given.get("answer"), given.get("summary")
        if not isinstance(answer, str) or not answer.strip():
            nothing = Observation(TEXTS.no_answer, Status.BAD_ARGUMENTS)
            return self.keep(task, FINISH, given, nothing)
        if not isinstance(summary, str) or summary.strip() in ("", *SAME):
            summary = answer
        texts = whole_characters(answer), whole_characters(summary)
        kept = self._append(task, Entry(_now(), answer=texts[0], summary=texts[1]))
        return Observation(SUBMITTED) if kept else Observation(OVER, Status.BAD_ARGUMENTS)

    def keep(self, task: str, tool: str, arguments: Any, seen: Observation) -> Observation:
        """Put a call on record and give its result out, unless the task is over."""
        step = Step(whole_characters(tool), kept_arguments(arguments), seen.status, seen.unobserved)
        kept = self._append(task, Entry(_now(), call=step, result=whole_characters(seen.text)))
        return seen if kept else Observation(OVER, Status.BAD_ARGUMENTS)

    def _append(self, task: str, entry: Entry) -> bool:
        """Put a line on disk for good; False where the task is over."""
        file = self._file(task)
        line = msgspec.json.encode(entry) + b"\n"
        with (
            disk_errors(file),
            FileLock(file.with_suffix(".lock")),
            closing(Appended(file, _decode, _OTHERWISE)) as opened,
        ):
            if any(before.answer is not None for _, before in opened):
                return False
            opened.append(line)
            opened.flush()
        return True

    def _question(self, task: str) -> str:
        if task not in self.questions:
            raise UsageError(f"there is no task {task!r} among these {len(self.questions)}")
        return self.questions[task]

    def _file(self, task: str) -> Path:
        return self.folder / f"{quote(task, safe='')}{_LINES}"


def read_over(folder: Path) -> Over:
    return read_json(folder / MANIFEST, Over)


def recorded(folder: Path) -> dict[str, Response]:
    """The response to every task that was begun, by its id, with the calls and the transcript.
    Where nothing was handed in it failed, with all that was done until then."""
    return {unquote(file.stem): _response(file) for file in sorted(folder.glob(f"*{_LINES}"))}


def _response(file: Path) -> Response:
    record = Transcript()
    for entry in _entries(file):
        if entry.answer is not None:
            return hand_in(entry.answer, entry.summary or "", record, Ended.FINISHED)
        if entry.call is not None:
            record.steps.append(entry.call)
            record.write(f"调用 {entry.call.tool} {entry.call.arguments}\n结果 {entry.result}\n")
    nothing = Response(Replied.FAILED, reason="nothing was handed in", this_question_only=True)
    return hand_in_silence(Stopped(Ended.FAILED, nothing), record)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _entries(file: Path) -> Iterator[Entry]:
    return read_appended(file, _decode, _OTHERWISE)


# --- the tools of a world as `hengfa mcp` offers them beside the law's ---


READ_TASK: Final = ToolSpec(
    "read_task",
    "读取本连接的任务：问题、此前已经作过的调用、是否已经提交答案。开始时先调用。",
    {"type": "object", "properties": {}, "additionalProperties": False},
)
_WORLD: Final = """\
法律世界：公司、法院、律师事务所、裁判文书和案件的表格与文本，用 get_…、…_retriever 等工具查询。
A legal world: tables of companies, courts, law firms, judgments and cases, and texts.
"""
_TASK: Final = """\
本连接对应一道任务：先用 read_task 读题，查清之后用 finish 提交答案；每次调用都会记录。
This connection is one task: `read_task` gives the question, `finish` hands in the answer.
"""


class OfferedWorld:
    """A world's tools, and where tasks are worked on, its seats (`mcp_server.OtherTools`)."""

    def __init__(self, toolbox: Toolbox, seats: Seats | None = None, task: str = "") -> None:
        self._toolbox, self._seats = toolbox, seats
        self.task = task
        self.instructions = _WORLD + (_TASK if seats else "")
        self.path = "/tasks/{task}/mcp" if seats else "/mcp"

    def specs(self) -> Iterable[ToolSpec]:
        """What is offered; nobody hands in where there is no task."""
        if self._seats is not None:
            return (READ_TASK, *self._seats.specs())
        return self._toolbox.specs(name for name in self._toolbox.names if name != FINISH)

    def writes(self, name: str) -> bool:
        return name == FINISH

    def call(self, task: str, name: str, arguments: Any) -> str:
        """What a tool answers; it is put on record where there is a task."""
        if self._seats is None:
            return self._toolbox.call(name, arguments).text
        if name == READ_TASK.name:
            return msgspec.json.encode(self._seats.seat(task)).decode()
        return self._seats.call(task, name, arguments).text

    def begins(self, task: str) -> bool:
        if self._seats is None:
            return False
        self._seats.seat(task)  # there is one
        return True

    def keep(self, task: str, name: str, arguments: Any, told: dict[str, Any] | str) -> str | None:
        if self._seats is None:
            return None
        if isinstance(told, str):
            seen = Observation(told, Status.BAD_ARGUMENTS)
        else:
            seen = observation_of(told)
        kept = self._seats.keep(task, name, arguments, seen)
        return None if kept is seen else kept.text


def observation_of(told: dict[str, Any]) -> Observation:
    """An answer of the law as the result of a call."""
    found = told.get("status", "found") in ("found", "derived")
    return Observation(msgspec.json.encode(told).decode(), Status.OK if found else Status.NO_DATA)
