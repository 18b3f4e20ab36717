"""Plan-and-execute: after every step the model writes a whole new plan (specification, 4.5).

The new plan is read more strictly than the first, as published: its colons stay as they are, so a
plan with full-width colons has no steps and ends the loop.
"""

from __future__ import annotations

from typing import Final

from hengfa.agents.methods.desk import Desk
from hengfa.agents.methods.frame import Shown
from hengfa.agents.methods.plan_solve import carry_out, first_plan, split_plan
from hengfa.agents.methods.plan_words import replan_prompt
from hengfa.agents.methods.texts import clean
from hengfa.agents.trajectory import Ended

STEPS: Final = 10


async def plan_execute(desk: Desk, question: str, shown: Shown) -> Ended:
    """While the newest plan has a next step, at most ten."""
    plan = await first_plan(desk, question, shown)
    most = desk.limits.steps or STEPS
    done = 0
    while done < len(steps := split_plan(plan)):
        if done >= most:
            return Ended.STEP_LIMIT
        if desk.meter.over:
            return Ended.BUDGET
        if await carry_out(desk, shown, done + 1, steps[done]):
            return Ended.FINISHED
        done += 1
        prompt = replan_prompt(
            shown.tools, shown.described, shown.tables, question, plan, desk.record.text
        )
        plan = clean((await desk.say(f"replan-{done}", prompt)).text)
    return Ended.PLAN_OVER
