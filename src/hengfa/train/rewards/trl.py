"""TRL's `reward_funcs`, for rows with the columns `answer_key` and `reward` (trl 1.16).

    GRPOTrainer(model, reward_funcs=RewardFunction(), train_dataset=rows, ...)

TRL hands over a whole batch with every column of the rows, and masks a completion for which all
reward functions say None: it moves neither the policy nor the baseline of its group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hengfa.evals.engine.messages import Response, Status
from hengfa.train.rewards.chats import chat_response
from hengfa.train.rewards.named import reads_calls, row_rewards
from hengfa.train.rewards.shapes import Shape, Silence

Completion = str | Sequence[Mapping[str, Any]]
"""A text, or where prompts are conversations the messages that followed."""


@dataclass(frozen=True)
class RewardFunction:
    """What completions earn, in the form that TRL's trainers call.

    With `only`, rows of other rewards get None: one function for each name gives each its own curve
    in TRL's logs. With `ends`, the ids of the tokens that end a reply, a completion that lacks one
    was cut at the length limit, and is no answer; otherwise it is judged as it stands.
    """

    only: str = ""
    shape: Shape = Shape.GRADED
    silence: Silence = Silence.MASK
    ends: frozenset[int] = frozenset()

    @property
    def __name__(self) -> str:
        """By which TRL logs it."""
        return self.only or f"hengfa_{self.shape}"

    def __call__(
        self,
        completions: Sequence[Completion],
        completion_ids: Sequence[Sequence[int]] = (),
        *,
        answer_key: Sequence[str],
        reward: Sequence[str],
        log_metric: Callable[[str, float], None] | None = None,
        **_columns: object,
    ) -> list[float | None]:
        """One value for each completion, None where there is nothing to judge."""
        ids = completion_ids if self.ends else [()] * len(completions)
        said = [self._said(*row) for row in zip(reward, completions, ids, strict=True)]
        mine = [place for place, name in enumerate(reward) if self.only in ("", name)]
        earned = row_rewards(
            [reward[place] for place in mine],
            [answer_key[place] for place in mine],
            [said[place] for place in mine],
            self.shape,
            self.silence,
        )
        values: list[float | None] = [None] * len(said)
        for place, one in zip(mine, earned, strict=True):
            values[place] = one.value
        if log_metric is not None and earned:
            masked = sum(one.value is None for one in earned) / len(earned)
            log_metric(f"{self.__name__}/masked", masked)
        return values

    def _said(self, name: str, completion: Completion, ids: Sequence[int]) -> str | Response:
        """Of a chat the last message; where calls count, all of them."""
        text = completion if isinstance(completion, str) else str(completion[-1]["content"] or "")
        if self.ends and not self.ends.intersection(ids):
            return Response(text=text, status=Status.TRUNCATED, reason="cut at the length limit")
        if isinstance(completion, str) or not reads_calls(name):
            return text
        return chat_response(completion)
