"""Plan-and-solve: one plan, carried out step by step and never repaired (specification, 4.4)."""

from __future__ import annotations

from hengfa.agents.methods.desk import Desk
from hengfa.agents.methods.frame import Shown, act, final_words
from hengfa.agents.methods.plan_words import plan_prompt, solve_prompt
from hengfa.agents.methods.texts import clean, one_line
from hengfa.agents.trajectory import Ended


async def plan_solve(desk: Desk, question: str, shown: Shown) -> Ended:
    """As many steps as the plan has, unless the limits say fewer."""
    steps = split_plan(await first_plan(desk, question, shown))
    for number, step in enumerate(steps, start=1):
        if number > (desk.limits.steps or len(steps)):
            return Ended.STEP_LIMIT
        if desk.meter.over:
            return Ended.BUDGET
        if await carry_out(desk, shown, number, step):
            return Ended.FINISHED
    return Ended.PLAN_OVER


async def first_plan(desk: Desk, question: str, shown: Shown) -> str:
    """The plan as the model wrote it, with full-width colons made half-width."""
    prompt = plan_prompt(shown.tools, shown.described, shown.tables, question)
    response = await desk.say("plan", prompt)
    return clean(response.text).replace("：", ": ")


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


async def carry_out(desk: Desk, shown: Shown, number: int, step: str) -> bool:
    """Do one step of a plan; whether it was the final answer."""
    record = desk.record
    prompt = solve_prompt(shown.tools, shown.described, shown.tables, step, record.text)
    action = await desk.say(f"solve-{number}", prompt)
    result = await act(desk, action.text)
    final = not isinstance(result, str)
    words = result if isinstance(result, str) else final_words(result)
    record.write(f"第{number}步计划: {step} 执行结果: {words}\n")
    return final
