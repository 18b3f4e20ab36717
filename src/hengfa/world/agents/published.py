"""The three published methods: tables first, then the method's loop, then two closing texts.

The prompts are in our own words (`prompts.toml`). The order of their parts is that of
legalagentbench.md 4.1: rules, names of the valid actions, tools, columns, the form of an action,
two examples, then the question and the transcript.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import msgspec

from hengfa.evals.engine.messages import Response
from hengfa.world.agents.booth import Booth, Stopped, close, hand_in, hand_in_silence
from hengfa.world.agents.prompts import PROMPTS, Method
from hengfa.world.agents.reading import Action, clean, one_line, read_action, read_json
from hengfa.world.agents.trajectory import Ended
from hengfa.world.tables.schema import PUBLISHED, Schema
from hengfa.world.tools.catalogue import EXPOSED_ALWAYS, FINAL_ANSWER, FINISH, tools_of_tables
from hengfa.world.tools.observation import Observation, Status
from hengfa.world.tools.texts import CORPUS_OF_TOOL


class ToolView(msgspec.Struct, frozen=True):
    """What the agent is shown after the table filter; both tables of a pair list tools twice."""

    tools: tuple[str, ...]
    descriptions: str
    columns: str


Loop = Callable[[Booth, str, ToolView], Awaitable[Ended]]
"""A method: works on the question until it ends, and leaves its transcript on record."""


async def work(
    loop: Loop, booth: Booth, question: str, *, retrievers: bool = True, every_tool: bool = False
) -> Response:
    """Solve one task by a published method; with `every_tool` no tables are chosen before."""
    try:
        tables = None if every_tool else await _choose_tables(booth, question)
        shown = _show(booth, tables, retrievers=retrievers)
        ended = await loop(booth, question, shown)
        texts = await close(booth, question)
    except Stopped as stop:
        return hand_in_silence(stop, booth.record)
    return hand_in(texts.answer, texts.summary, booth.record, ended, texts.status)


def _show(booth: Booth, tables: tuple[str, ...] | None, *, retrievers: bool) -> ToolView:
    """The tools of the tables, then those that are always there.

    Without tables all of them and every tool once, also those that published agents never see; the
    last of the 37, which ends the task, is the action of the final answer.
    """
    toolbox, schema = booth.toolbox, booth.toolbox.schema
    if tables is None:
        tools = tuple(name for name in toolbox.names if name != FINISH)
    else:
        always = [name for name in EXPOSED_ALWAYS if retrievers or name not in CORPUS_OF_TOOL]
        tools = (*tools_of_tables(tables, schema), *always)
    columns = columns_of(schema.table_of if tables is None else tables, schema)
    return ToolView(tools, toolbox.described(tools), columns)


_HINTS: Final = {
    Status.NO_DATA: PROMPTS.actions.no_data,
    Status.BAD_COLUMN: PROMPTS.actions.bad_column,
}


async def act(booth: Booth, reply: str) -> Action | str:
    """Carry out the action in a reply: the observation, or the action itself if it is final."""
    action = read_action(reply)
    if action is None:
        booth.record.unparsable()
        return PROMPTS.actions.unreadable
    if action.final:
        return action
    return with_hint(await booth.call(action.tool, action.given))


def with_hint(seen: Observation) -> str:
    hint = _HINTS.get(seen.status)
    return f"{seen.text} {hint}" if hint else seen.text


# --- the table filter: the model says which tables it needs, and sees only their tools ---

_ATTEMPTS: Final = 3
_KEY: Final = "名称"
_ALWAYS: Final = ("CompanyInfo", "AddrInfo")


async def _choose_tables(booth: Booth, question: str) -> tuple[str, ...]:
    """The tables whose tools the agent gets, in the order in which they were named.

    Up to three attempts; where none can be read, all fourteen tables. CompanyInfo and AddrInfo are
    always appended (legalagentbench.md 4.1). A name that is no table is passed over: published
    agents lost the task over it (7.8).
    """
    schema = booth.toolbox.schema
    columns, texts = columns_of(schema.table_of, schema), PROMPTS.tables
    prompt = f"{texts.rules}\n\n{columns}\n\n例子：\n{texts.examples}\n\n问题：{question}\n"
    for attempt in range(1, _ATTEMPTS + 1):
        response = await booth.say(f"filter-{attempt}", prompt)
        if named := read_tables(response.text, schema):
            return tuple(dict.fromkeys((*named, *_ALWAYS)))
    return tuple(dict.fromkeys((*schema.table_of, *_ALWAYS)))


def read_tables(reply: str, schema: Schema = PUBLISHED) -> tuple[str, ...]:
    text = clean(reply)
    chosen = read_json(text[text.find("{") : text.rfind("}") + 1])
    names = chosen.get(_KEY) if isinstance(chosen, dict) else None
    if not isinstance(names, list):
        return ()
    return tuple(name for name in names if isinstance(name, str) and name in schema.table_of)


def _prompt(method: Method, shown: ToolView, **words: str) -> str:
    """Rules, names of valid actions, tools and columns, examples, and what is asked."""
    actions = "、".join((*shown.tools, FINAL_ANSWER))
    rules = method.rules.replace("{form}", PROMPTS.plan.form)
    rules = rules.replace("{cautions}", PROMPTS.actions.cautions)
    form = f"\n\n{PROMPTS.actions.form}" if method.acts else ""
    return (
        f"{rules}\n\n可用的行动：{actions}\n\n工具：\n{shown.descriptions}\n\n"
        f"各表的列：\n{shown.columns}{form}\n\n{method.examples}\n\n现在开始。\n"
        f"{method.end.format(**words)}"
    )


def columns_of(tables: Iterable[str], schema: Schema) -> str:
    named = (schema.table_of[name] for name in tables)
    return "\n".join(f"{table.name}（{table.title}）：{'、'.join(table.names)}" for table in named)


# --- ReAct: think, act, look; two separate questions a round (legalagentbench.md 4.3) ---

STEPS: Final = 10  # at most, unless the limits say otherwise


async def react(booth: Booth, question: str, shown: ToolView) -> Ended:
    prompt = _prompt(PROMPTS.react, shown, question=question)
    record = booth.record
    for step in range(1, (booth.limits.steps or STEPS) + 1):
        if booth.meter.over:
            return Ended.BUDGET
        record.write(f"思考 {step}:")
        thought = await booth.say(f"thought-{step}", prompt + record.text)
        record.write(f"{one_line(thought.text)}\n行动 {step}:")
        action = await booth.say(f"action-{step}", prompt + record.text)
        record.write(f"{one_line(action.text)}\n")
        observation = await act(booth, action.text)
        if not isinstance(observation, str):
            return Ended.FINISHED
        record.write(f"观察 {step}:{observation}\n")
    return Ended.STEP_LIMIT


# --- plan-and-solve and plan-and-execute (legalagentbench.md 4.4 and 4.5) ---
#
# The first never repairs its plan; the second writes a whole new one after every step. The new plan
# is read more strictly than the first, as published: its colons stay as they are, so a plan with
# full-width colons has no steps and ends the loop. `mended` reads every plan alike, whatever the
# colons.

# "第1步：", "第 2 步:", the marks that a plan may have; not "第1步" in "第1步的结果"
_ANY_MARK: Final = re.compile(r"第\s*([0-9]{1,4})\s*步\s*[:：]\s*")


async def plan_solve(
    booth: Booth, question: str, shown: ToolView, *, mended: bool = False
) -> Ended:
    """As many steps as the plan has, unless the limits say fewer."""
    steps = split_plan(await _first_plan(booth, question, shown, mended=mended))
    for number, step in enumerate(steps, start=1):
        if number > (booth.limits.steps or len(steps)):
            return Ended.STEP_LIMIT
        if booth.meter.over:
            return Ended.BUDGET
        if await _carry_out(booth, shown, number, step):
            return Ended.FINISHED
    return Ended.PLAN_OVER


async def plan_execute(
    booth: Booth, question: str, shown: ToolView, *, mended: bool = False
) -> Ended:
    """While the newest plan has a next step, at most ten."""
    plan = await _first_plan(booth, question, shown, mended=mended)
    most = booth.limits.steps or STEPS
    done = 0
    while done < len(steps := split_plan(plan)):
        if done >= most:
            return Ended.STEP_LIMIT
        if booth.meter.over:
            return Ended.BUDGET
        if await _carry_out(booth, shown, done + 1, steps[done]):
            return Ended.FINISHED
        done += 1
        words = {"question": question, "plan": plan, "done": booth.record.text}
        prompt = _prompt(PROMPTS.replan, shown, **words)
        plan = clean((await booth.say(f"replan-{done}", prompt)).text)
        plan = mend_plan(plan) if mended else plan
    return Ended.PLAN_OVER


async def _first_plan(booth: Booth, question: str, shown: ToolView, *, mended: bool) -> str:
    """The plan as the model wrote it, with full-width colons made half-width."""
    prompt = _prompt(PROMPTS.plan, shown, question=question)
    plan = clean((await booth.say("plan", prompt)).text)
    return mend_plan(plan) if mended else plan.replace("：", ": ")


def mend_plan(plan: str) -> str:
    """The plan with the marks that `split_plan` looks for, however their colons and blanks are."""
    return _ANY_MARK.sub(lambda mark: _mark(int(mark[1])), plan)


def split_plan(plan: str) -> list[str]:
    """The steps after `第1步: `, `第2步: `, …; a number that is missing ends the plan."""
    steps: list[str] = []
    place = plan.find(_mark(1))
    while place >= 0:
        start = place + len(_mark(len(steps) + 1))
        place = plan.find(_mark(len(steps) + 2), start)
        steps.append(one_line(plan[start : place if place >= 0 else len(plan)]))
    return steps


def _mark(number: int) -> str:
    return f"第{number}步: "


async def _carry_out(booth: Booth, shown: ToolView, number: int, step: str) -> bool:
    """Do one step of a plan; whether it was the final answer."""
    record = booth.record
    # the question is not in it (legalagentbench.md 4.4)
    prompt = _prompt(PROMPTS.solve, shown, done=record.text or "无", step=step)
    action = await booth.say(f"solve-{number}", prompt)
    result = await act(booth, action.text)
    final = not isinstance(result, str)
    words = result if isinstance(result, str) else one_line(f"{result.tool}: {result.answer}")
    record.write(f"第{number}步计划: {step} 执行结果: {words}\n")
    return final
