"""A stand-in for a model: a server that plays an agent by the plan of a generated task.

It has what a model has, the conversation of each request, and beside it only the plans. It
remembers no request but to count its tokens: what it knows of the world it reads in the results
that the conversation holds, so a wrong result makes it answer wrongly. Whom it plays is the name of
the model:

* `competent` makes the calls of the plan, those at once that do not wait for one another, turns
  pages, and answers from what it read.
* `sloppy` does the same with one mistake in most tasks, drawn by a seed. It mends a mistake only
  where a result names what would have been right; else it insists once and gives up. What becomes
  of it measures what results say, not how clever a model is.
* `looping` makes its first call for ever.
"""

from __future__ import annotations

import difflib
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args

import msgspec
from aiohttp import web

from hengfa.evals.engine.endpoint import Endpoint
from hengfa.evals.engine.journal import newest_entries
from hengfa.evals.engine.messages import Response
from hengfa.evals.engine.vendors import PROVIDERS
from hengfa.evals.runs.evaluate import evaluate
from hengfa.evals.runs.score import open_journal
from hengfa.evals.suites.base import Metrics
from hengfa.world.agents.prompts import PROMPTS
from hengfa.world.agents.reading import calls_in_text, read_json
from hengfa.world.factory.follow import Row, follow
from hengfa.world.factory.question import answer_sentence
from hengfa.world.factory.task import FreshTask, Plan, Refused
from hengfa.world.published.logs import read_printed
from hengfa.world.suites.legalagentbench.dataset import AgentSample
from hengfa.world.suites.legalagentbench.rules import KeywordRules
from hengfa.world.tables.schema import LOOKUP_OF, LOOKUPS, PUBLISHED, Lookup
from hengfa.world.tools.catalogue import FINAL_ANSWER, FINISH, MOST_ROWS
from hengfa.world.tools.lookups import NAME
from hengfa.world.tools.observation import BAD_CALL, NO_DATA, Status
from tests.evals.engine.server import LocalServer, Seen, completion

COMPETENT, SLOPPY, LOOPING = PLAYED = ("competent", "sloppy", "looping")

Slip = Literal["name", "column", "tool", "filter", "early"]
"""A name cut short or in narrow brackets; a column that there is not; the tool of another table; a
condition forgotten; an answer made up before this step."""

SLIPS: Final[tuple[Slip, ...]] = get_args(Slip)
Made = tuple[str, dict[str, Any]]


class StandIn(LocalServer):
    """The server. `count` says how many tokens a text has; without `functions` it refuses them."""

    def __init__(
        self,
        tasks: Sequence[FreshTask],
        seed: int = 0,
        count: Callable[[str], int] = len,
        *,
        functions: bool = True,
    ) -> None:
        super().__init__(self._answer)
        self.functions = functions
        self.tasks = {task.id: task for task in tasks if isinstance(task.plan, Plan)}
        self.seed = seed
        self._count = count
        self._prompts: dict[tuple[str, int | str], str] = {}

    def slip(self, task: FreshTask) -> tuple[Slip | None, int]:
        """The mistake that a sloppy agent makes in this task, and at which step."""
        dice = random.Random(f"{self.seed} {task.id}")
        kind = dice.choice((None, *SLIPS))
        hops = _plan(task).hops
        steps = [at for at, hop in enumerate(hops) if hop.filters or kind != "filter"]
        return (kind, dice.choice(steps)) if steps else (None, 0)

    async def _answer(self, _request: web.Request, seen: Seen) -> web.StreamResponse:
        if "tools" in seen.body and not self.functions:
            return web.json_response({"error": {"message": "tools: not supported"}}, status=400)
        heard = hear(seen.body)
        task = self._task(heard)
        slip = self.slip(task) if seen.body["model"] == SLOPPY else (None, 0)
        move = _loop(task) if seen.body["model"] == LOOPING else _move(task, heard, slip)
        plan = _plan(task)
        tables = [LOOKUP_OF[tool].table_name for tool in plan.tools]
        reply = said(heard, move, Course(task.id, len(plan.hops), tables))
        reply["usage"] = self._usage(seen.body, (task.id, heard.wants), reply)
        return web.json_response(reply)

    def _usage(
        self, body: dict[str, Any], about: tuple[int, str], reply: dict[str, Any]
    ) -> dict[str, Any]:
        """Tokens; cached is what began like the last prompt of the task, or of the same kind."""
        messages = (
            (message.get("content") or "") + _json(message.get("tool_calls", ""))
            for message in body["messages"]
        )
        prompt = "\n".join([_json(body.get("tools", "")), *messages])
        known = [self._prompts.get((body["model"], one), "") for one in about]
        self._prompts.update(dict.fromkeys(((body["model"], one) for one in about), prompt))
        same = max((_beginning(prompt, before) for before in known), key=len)
        read, written = self._count(prompt), self._count(_json(reply["choices"][0]["message"]))
        return {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
            "prompt_tokens_details": {"cached_tokens": self._count(same)},
        }

    def _task(self, heard: Heard) -> FreshTask:
        """The task that is named: by its question, or where there is none by the plan's words."""
        if heard.wants == "solve":
            return self.tasks[numbered(heard.told)]
        return next(task for task in self.tasks.values() if task.question in heard.told)


def _beginning(prompt: str, before: str) -> str:
    """The lines with which both begin."""
    lines = zip(prompt.splitlines(keepends=True), before.splitlines(keepends=True), strict=False)
    return "".join(line for line, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], lines))


# --- what a request says ---

Wants = Literal[
    "tables", "outline", "turn", "thought", "action", "plan", "solve", "replan", "answer", "summary"
]
# "（第17题）": the stand-in's own mark in its plans; whoever solves a step is not told the question
_NUMBER: Final = re.compile("（第([0-9]+)题）")
_REACT: Final = re.compile(
    r"^行动 (?P<step>[0-9]+):(?P<action>.*)\n观察 (?P=step):(?P<seen>.*)$", re.MULTILINE
)
_PLANNED: Final = re.compile(r"^(?:.*：)?第[0-9]+步计划: .*? 执行结果: (?P<seen>.*)$", re.MULTILINE)
_CALLED: Final = re.compile(
    r"^调用 (?P<tool>\w+) (?P<given>\{.*\})\n结果 (?P<seen>.*)$", re.MULTILINE
)
_RESULT: Final = re.compile(r"(?:^|\n\n)【\w+】")
_ENDINGS: Final[dict[str, Wants]] = {
    r"新计划：\n": "replan",
    r"计划：\n": "plan",
    r"行动：": "solve",
    r"思考 [0-9]+:": "thought",
    r"行动 [0-9]+:": "action",
}


class Result(NamedTuple):
    """What a call was answered; a plan's transcript has the answer without the call."""

    text: str
    tool: str = ""
    given: Any = None


class Heard(NamedTuple):
    """What is wanted, where the task is named, and the results that are in the conversation."""

    wants: Wants
    told: str
    results: tuple[Result, ...] = ()
    functions: bool = False


def hear(body: dict[str, Any]) -> Heard:
    """Read a request as a model would."""
    messages = body["messages"]
    last = messages[-1]["content"] or ""
    if messages[0]["role"] == "system":
        if "现在不要调用工具" in last:
            return Heard("outline", last)
        results = _of_functions(messages) if "tools" in body else _of_texts(messages)
        return Heard("turn", messages[1]["content"], tuple(results), "tools" in body)
    question, closing, transcript = last.partition("查询经过：\n")
    if closing:
        wants: Wants = "summary" if "请写一段总结" in question else "answer"
        return Heard(wants, question, _of_transcript(transcript))
    told = last.rpartition("现在开始。\n")[2]
    for ending, wants in _ENDINGS.items():
        if re.search(f"{ending}$", last):
            return Heard(wants, told, _of_transcript(told))
    return Heard("tables", last)


def _of_functions(messages: list[dict[str, Any]]) -> Iterator[Result]:
    made = {}
    for message in messages:
        made.update({call["id"]: call["function"] for call in message.get("tool_calls") or ()})
        if message["role"] == "tool":
            call = made[message["tool_call_id"]]
            yield Result(message["content"], call["name"], json.loads(call["arguments"]))


def _of_texts(messages: list[dict[str, Any]]) -> Iterator[Result]:
    for said, told in itertools.pairwise(messages):
        if said["role"] == "assistant":
            texts = _RESULT.split(told["content"])[1:]
            for call, text in zip(calls_in_text(said["content"]), texts, strict=True):
                yield Result(text, call.tool, call.arguments)


def _of_transcript(text: str) -> tuple[Result, ...]:
    """The results in a transcript of any method."""
    steps = [
        Result(step["seen"], call.tool, call.arguments)
        for step in _REACT.finditer(text)
        for call in calls_in_text(step["action"])
    ]
    calls = [
        Result(call["seen"], call["tool"], json.loads(call["given"]))
        for call in _CALLED.finditer(text)
    ]
    planned = [
        Result(step["seen"])
        for step in _PLANNED.finditer(text)
        if not step["seen"].startswith(FINAL_ANSWER)
    ]
    return (*steps, *calls, *planned)


# --- what the agent does next ---


class Answer(NamedTuple):
    """The two texts of an answer."""

    answer: str
    summary: str


Move = list[Made] | Answer
_UNKNOWN: Final = Answer("没有查到，无法回答。", "没有查到，无法回答。")


class _GivesUp(Exception):
    """A call cannot be made to succeed."""


class _MakesUp(Exception):
    """Answers without having looked."""


def _loop(task: FreshTask) -> Move:
    return _move(task, Heard("turn", ""), (None, 0))


def _move(task: FreshTask, heard: Heard, slip: tuple[Slip | None, int]) -> Move:
    """The calls that are still missing, or the answer."""
    plan = _plan(task)
    if slip[0] == "filter":
        hops = list(plan.hops)
        hops[slip[1]] = msgspec.structs.replace(hops[slip[1]], filters=())
        plan = msgspec.structs.replace(plan, hops=tuple(hops))
    look = _Memory(heard.results, slip)
    try:
        outcome = follow(plan, look)
    except (Refused, _GivesUp):
        return look.missing or _UNKNOWN
    except _MakesUp:
        invented = "、".join(map(_invented, task.key))
        return Answer(invented, invented)
    if look.missing:
        return look.missing
    answer = answer_sentence(plan.ask, LOOKUP_OF[plan.tools[-1]].table, outcome.keys)
    return Answer(answer, f"依次查得：{'；'.join(outcome.middle)}。{answer}")


_HINT: Final = " 提示："
"""Published methods put it after an error."""


class _Memory:
    """Looks rows up in the results of a conversation; what is not there has to be called."""

    schema = PUBLISHED

    def __init__(self, results: Sequence[Result], slip: tuple[Slip | None, int]) -> None:
        self.missing: list[Made] = []
        self._results = results
        self._ordered = all(not result.tool for result in results)
        self._slip, self._at = slip
        self._step = -1

    def __call__(
        self, lookup: Lookup, values: tuple[str, ...], columns: Sequence[str]
    ) -> list[Row]:
        self._step += 1
        given: dict[str, Any] = dict(zip(lookup.arguments, values, strict=True))
        if lookup.returns != "name":
            given["columns"] = list(columns)
        right = lookup.name, given
        wanted = columns if lookup.returns != "name" else (NAME,)
        found: list[Row] | Made | None = None
        if self._slip is not None and self._step == self._at:
            found = self._slipped(lookup, right, wanted)
        if found is None:
            found = self._rows(right, wanted)
        if isinstance(found, tuple):
            self.missing.append(found)
            return []
        return found

    def _rows(self, made: Made, columns: Sequence[str]) -> list[Row] | Made:
        """All rows, page after page, or the call that brings the next ones."""
        rows: list[Row] = []
        while True:
            texts = [
                text
                for text in self._texts(made)
                if text not in (PROMPTS.tools.dropped, PROMPTS.tools.too_many)
            ]
            if not texts:
                return made
            page = next((page for page in map(_page, texts) if page is not None), None)
            if page is None or not all(name in row for row in page[0] for name in columns):
                raise _GivesUp
            rows += page[0]
            if page[1] is None:
                return rows
            made = made[0], {**made[1], "offset": page[1], "limit": MOST_ROWS}

    def _texts(self, made: Made) -> list[str]:
        if self._ordered:
            return [result.text for result in self._results[self._step : self._step + 1]]
        return [result.text for result in self._results if (result.tool, result.given) == made]

    def _slipped(
        self, lookup: Lookup, right: Made, columns: Sequence[str]
    ) -> list[Row] | Made | None:
        """What comes of a mistake: rows all the same, or the next call; None if it was mended."""
        if self._slip == "early" and not any(result.tool == FINISH for result in self._results):
            raise _MakesUp
        wrong = _mistaken(self._slip, lookup, right)
        if wrong == right or (not self._ordered and self._texts(right)):
            return None
        if not (texts := self._texts(wrong)):
            return wrong
        try:
            if rows := self._rows(wrong, columns):
                return rows
        except _GivesUp:
            pass
        if _names(texts[0], right, wrong):
            return right
        if len(texts) > 1:
            raise _GivesUp
        return wrong


def _page(text: str) -> tuple[list[Row], int | None] | None:
    """The rows in a result, and where the next page begins; None for what is no result."""
    text = text.partition(_HINT)[0]
    if isinstance(told := read_json(text), dict):
        if "error" in told:
            return ([], None) if told["error"] == Status.NO_DATA else None
        return told.get("rows", [told.get("row")]), told.get("next_offset")
    if text.startswith(NO_DATA):
        return [], None
    printed = read_printed(text)
    if printed is not None:
        rows = [printed] if isinstance(printed, dict) else printed
        return [row for row in rows if isinstance(row, dict)], None
    bare = text and BAD_CALL not in text and len(text) < 100
    return ([{NAME: text}], None) if bare else None


# --- mistakes ---

_ENDS: Final = ("股份有限公司", "有限责任公司", "有限公司", "人民法院", "律师事务所")
_NARROW: Final = str.maketrans("（）", "()")


def _mistaken(slip: Slip | None, lookup: Lookup, right: Made) -> Made:
    """The call with the mistake in it."""
    tool, given = right
    if slip == "name":
        last = lookup.arguments[-1]
        return tool, {**given, last: _misspelt(given[last])}
    if slip == "column" and "columns" in given:
        first, *others = given["columns"]
        return tool, {**given, "columns": [f"{first.partition('（')[0]}情况", *others]}
    if slip == "tool":
        return _other_tool(lookup), given
    return right


def _misspelt(name: str) -> str:
    if "（" in name:
        return name.translate(_NARROW)
    for end in _ENDS:
        if name.endswith(end):
            return name.removesuffix(end) + end[-2:]
    return name[:-1]


def _other_tool(lookup: Lookup) -> str:
    """The tool of another table that takes and gives the same, with the name most alike."""
    others = [
        other.name
        for other in LOOKUPS
        if other.table_name != lookup.table_name
        and (other.arguments, other.returns) == (lookup.arguments, lookup.returns)
    ]
    return next(iter(difflib.get_close_matches(lookup.name, others, 1, 0.0)), lookup.name)


def _names(text: str, right: Made, wrong: Made) -> bool:
    """Whether a result names what the wrong call has otherwise."""
    if right[0] != wrong[0]:
        return right[0] in text
    columns = {*right[1].get("columns", ())} - {*wrong[1].get("columns", ())}
    values = [value for name, value in right[1].items() if value != wrong[1].get(name)]
    return all(one in text for one in columns or values)


def _invented(key: str) -> str:
    """Something like the key that is not so: other digits, or another name."""
    if any(sign.isdecimal() for sign in key):
        return re.sub("[0-9]", lambda digit: str((int(digit[0]) + 3) % 10), key)
    end = next((end for end in _ENDS if key.endswith(end)), key[-2:])
    return f"子虚乌有{end}"


# --- how it is said ---


class Course(NamedTuple):
    """What plans are written of: the number of the task, how many steps it takes, the tables."""

    number: int
    steps: int
    tables: Sequence[str]


def said(heard: Heard, move: Move, course: Course) -> dict[str, Any]:
    """The reply in the form that the method wants."""
    if heard.wants == "turn":
        return _turn(move, functions=heard.functions)
    answer = move if isinstance(move, Answer) else _UNKNOWN
    texts: dict[Wants, Callable[[], str]] = {
        "tables": lambda: _json({"名称": sorted({*course.tables})}),
        "plan": lambda: _steps(course, 0, move),
        "replan": lambda: _steps(course, len(heard.results), move),
        "action": lambda: _action(move),
        "solve": lambda: _action(move),
        "answer": lambda: answer.answer,
        "summary": lambda: answer.summary,
    }
    return completion(texts.get(heard.wants, lambda: "照计划查下一步。")())


def numbered(told: str) -> int:
    """The number of the task whose plan is being carried out."""
    return int(_NUMBER.findall(told)[-1])


def _turn(move: Move, *, functions: bool) -> dict[str, Any]:
    calls = [(FINISH, move._asdict())] if isinstance(move, Answer) else move
    if not functions:
        return completion("\n".join(_block(*call) for call in calls))
    made = [
        {
            "id": f"call_{random.Random(_json(call)).getrandbits(48):x}_{place}",
            "type": "function",
            "function": {"name": call[0], "arguments": _json(call[1])},
        }
        for place, call in enumerate(calls)
    ]
    return completion("", "tool_calls", tool_calls=made)


def _action(move: Move) -> str:
    return _block(FINAL_ANSWER, move.answer) if isinstance(move, Answer) else _block(*move[0])


def _steps(course: Course, done: int, move: Move) -> str:
    """A plan with as many steps as are known to be needed, and the answer."""
    open_ = 0 if isinstance(move, Answer) else len(move)
    last = max(course.steps, done + open_)
    steps = [f"第{at}步: （第{course.number}题）查询" for at in range(1, last + 1)]
    return "\n".join([*steps, f"第{last + 1}步: （第{course.number}题）给出答案"])


def _block(tool: str, given: object) -> str:
    return f"```json\n{_json({'action': tool, 'action_input': given})}\n```"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plan(task: FreshTask) -> Plan:
    assert isinstance(task.plan, Plan)
    return task.plan


# --- a sitting ---


class Sat(NamedTuple):
    """A task as it was worked on: the response, what it scores, and the calls of the model."""

    sample: AgentSample
    response: Response
    metrics: Metrics
    asked: int


def sit(
    server: StandIn, played: str, setting: str, data: Path, runs: Path, **options: str
) -> dict[int, Sat]:
    """Run the tasks of a data folder against the server, through engine, journal and scoring."""
    model = Endpoint(
        f"endpoint:{played}",
        model=played,
        base_url=f"{server.url}/v1",
        provider=PROVIDERS["openai"],
    )
    folder = evaluate(
        "legalagentbench", model, setting=setting, data=data, options=options, runs=runs,
        temperature=None, lanes=1,  # so that the same prompts are kept each time
    ).folder  # fmt: skip
    journal = open_journal(folder)[0]
    steps = (entry.key.partition("#") for entry in newest_entries(folder / "journal.jsonl"))
    asked = Counter(task for task, step, _ in steps if step)
    rules = KeywordRules(frozenset())
    sat = {}
    for task in journal.tasks():
        for sample, response, *_ in journal.attempts(task):
            assert isinstance(sample, AgentSample)
            metrics = rules.score(sample, rules.read(response.text)).metrics
            key = f"legalagentbench/{sample.group}/{setting}/{sample.id}"
            sat[int(sample.id)] = Sat(sample, response, metrics, asked[key])
    return sat
