"""An agent that knows the gold path: it calls the published tools along it and answers from them.

It sees what every agent sees, the tools' answers, and never the keys. If it does not succeed, the
task is wrong, or the way from an answer to its score loses something.
"""

from __future__ import annotations

import msgspec

from hengfa.evals.engine.messages import ToolUse
from hengfa.world.factory.follow import LookThroughTools, follow
from hengfa.world.factory.question import answer_to
from hengfa.world.factory.task import AnyPlan, WritingPlan
from hengfa.world.factory.writing import WrittenLaw, draft, firm_facts, party_facts
from hengfa.world.tables.world import World
from hengfa.world.tools.toolbox import Toolbox


class Solved(msgspec.Struct, frozen=True):
    """The two closing texts of an agent, and the calls that led to them."""

    res: str
    summary: str
    calls: tuple[ToolUse, ...]


class Oracle:
    def __init__(self, world: World) -> None:
        self._toolbox = Toolbox(world, "strict")
        self._law = WrittenLaw(world)

    def solve(self, plan: AnyPlan) -> Solved:
        look = LookThroughTools(self._toolbox.call, self._toolbox.schema)
        if isinstance(plan, WritingPlan):
            parties = {name: party_facts(look, name) for name in plan.defendants}
            firm = firm_facts(look, plan.firm)
            answer = summary = draft(plan, parties, firm, self._law.citations(plan))
        else:
            outcome = follow(plan, look)
            answer = summary = answer_to(outcome)
            if outcome.middle:
                summary = f"依次查得：{'；'.join(outcome.middle)}。{answer}"
        return Solved(answer, summary, tuple(look.calls))
