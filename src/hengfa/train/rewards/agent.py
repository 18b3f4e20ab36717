"""`agent`: what an agent's work on a task earned: the answer, the way to it, the calls it took.

The answer key is a sample of LegalAgentBench's kind, such as the tasks of the factory, and what of
the three counts how much. The response is what an agent hands in (`agents/trajectory.py`), as a
`Response` that whoever ran the agent wrote; or the text of a model, which is no record of calls,
whatever it says of them. Success and process are the suite's own. `good_calls` is the share of the
calls that did something: that could be read, were not refused by a tool, and had not been made
before. Who calls nothing where the task has a path has made no good calls.

The suite counts keys that an answer has, and nothing that it has besides: whoever copies all that
tools said has them too. So an answer earns less here, the more it exceeds the length of an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from hengfa.base.data.jsonfile import encode_json
from hengfa.base.errors import DataError
from hengfa.evals.engine.messages import Response
from hengfa.evals.suites.base import Metrics
from hengfa.train.rewards.shapes import Marked, as_response
from hengfa.train.rewards.tasks import key_decoder, marked
from hengfa.world.agents.trajectory import Reply, read_reply, write_reply
from hengfa.world.suites.legalagentbench import rules
from hengfa.world.suites.legalagentbench.dataset import AgentSample
from hengfa.world.suites.legalagentbench.suite import SUITE

if TYPE_CHECKING:
    from hengfa.train.rewards.named import Mark, Rewarder

GOOD_CALLS, CONCISE = "good_calls", "concise"
_NOTHING: Final = rules.Submitted("", "")
_WORDS: Final = 200
"""Characters that every answer may have."""
COUNTED: Final = (rules.SUCCESS, rules.PROCESS, GOOD_CALLS)
_WASTED: Final = (
    rules.UNPARSABLE,
    rules.REPEATS,
    rules.BAD_COLUMN,
    rules.BAD_CALL,
    rules.TOOL_FAILED,
)


class AgentKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A task, and the weights of `success`, `process` and `good_calls`."""

    sample: AgentSample
    weights: Mapping[str, float]


def agent_key(sample: AgentSample, weights: Mapping[str, float] | None = None) -> str:
    """The answer key of `agent`; without weights success alone counts."""
    return encode_json(AgentKey(sample, weights or {rules.SUCCESS: 1.0})).decode()


_decode_key = key_decoder(AgentKey)


def agent(rewarder: Rewarder) -> Mark:
    def mark(key: str, said: str | Response) -> Marked:
        known = _decode_key(key)
        if known.sample.group not in SUITE.tasks:
            problem = f"{known.sample.group!r} is no group of tasks"
            raise DataError(problem, file="answer key", field="sample.group")
        task = SUITE.tasks[known.sample.group]
        response = said if isinstance(said, Response) else _untold(as_response(said))
        rule_set = task.rule_set(rewarder.rules)
        by_suite = marked(task, rule_set, known.sample, response)
        parts = {
            **by_suite.parts,
            CONCISE: _concise(rule_set.read(response.text).value or _NOTHING, known.sample),
            GOOD_CALLS: _good(by_suite.parts, known.sample),
        }
        return by_suite._replace(score=_weighted(parts, known.weights), parts=parts)

    return mark


def _untold(response: Response) -> Response:
    """The same without calls: what a model itself writes of them is no record of any."""
    try:
        reply = read_reply(response.text)
    except ValueError:
        return response
    if reply is None:
        return response
    return replace(response, text=write_reply(Reply(reply.answer, reply.summary)))


def _concise(submitted: rules.Submitted, sample: AgentSample) -> float:
    """1 up to four times the length of the reference and some words; the summary may be longer."""
    allowed = 4 * len(sample.answer) + _WORDS
    length = max(len(submitted.answer), len(submitted.summary) / 4)
    return min(1.0, allowed / max(length, 1))


def _good(metrics: Metrics, sample: AgentSample) -> float:
    """A text without a trajectory made no call, as far as anybody knows."""
    calls = metrics[rules.CALLS] or 0.0
    if not calls:
        return 0.0 if sample.path else 1.0
    wasted = sum(metrics[name] or 0.0 for name in _WASTED)
    return max(0.0, 1.0 - wasted / calls)


def _weighted(parts: Metrics, weights: Mapping[str, float]) -> float:
    total = sum(weights.values())
    if not weights.keys() <= set(COUNTED) or min(weights.values(), default=-1) < 0 or not total:
        problem = f"weights are numbers from 0 of {', '.join(COUNTED)}, not all of them 0"
        raise DataError(problem, file="answer key", field="weights")
    concise = {rules.SUCCESS: parts[CONCISE], rules.PROCESS: parts[CONCISE]}
    earned = (
        weight * (parts[name] or 0.0) * (concise.get(name, 1.0) or 0.0)
        for name, weight in weights.items()
    )
    return sum(earned) / total
