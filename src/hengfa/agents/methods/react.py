"""ReAct: think, act, look; thought and action are two separate questions (specification, 4.3)."""

from __future__ import annotations

from typing import Final

from hengfa.agents.methods.desk import Desk
from hengfa.agents.methods.frame import Shown, act
from hengfa.agents.methods.texts import one_line
from hengfa.agents.methods.words import react_prompt
from hengfa.agents.trajectory import Ended

STEPS: Final = 10


async def react(desk: Desk, question: str, shown: Shown) -> Ended:
    """At most ten rounds, unless the limits say otherwise."""
    prompt = react_prompt(shown.tools, shown.described, shown.tables, question)
    record = desk.record
    for step in range(1, (desk.limits.steps or STEPS) + 1):
        if desk.meter.over:
            return Ended.BUDGET
        record.write(f"思考 {step}:")
        thought = await desk.say(f"thought-{step}", prompt + record.text)
        record.write(f"{one_line(thought.text)}\n行动 {step}:")
        action = await desk.say(f"action-{step}", prompt + record.text)
        record.write(f"{one_line(action.text)}\n")
        observation = await act(desk, action.text)
        if not isinstance(observation, str):
            return Ended.FINISHED
        record.write(f"观察 {step}:{observation}\n")
    return Ended.STEP_LIMIT
