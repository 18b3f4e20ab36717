"""What a run would take, before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hengfa.engine.budget import Price, find_price
from hengfa.engine.messages import Options, Usage
from hengfa.engine.tokens import ASSUMED_ANSWER, TokenRange, estimate_prompt, estimate_text
from hengfa.suites.plan import Plan


@dataclass(frozen=True, slots=True)
class Estimate:
    """Samples, tokens and cost, as ranges."""

    model: str
    samples: dict[str, int]
    input: TokenRange
    output: TokenRange
    price: Price | None
    assumed: bool

    def cost(self) -> tuple[float, float] | None:
        if self.price is None:
            return None
        return (
            self.price.cost(Usage(input=self.input.low, output=self.output.low)),
            self.price.cost(Usage(input=self.input.high, output=self.output.high)),
        )

    def text(self) -> str:
        """For people."""
        lines = [f"{task}: {number} samples" for task, number in self.samples.items()]
        lines.append(f"input:  {self.input.low:,} to {self.input.high:,} tokens")
        lines.append(f"output: {self.output.low:,} to {self.output.high:,} tokens")
        cost = self.cost()
        if self.price is None or cost is None:
            lines.append(f"cost:   unknown: no price for {self.model} (see `hengfa models`)")
        else:
            lines.append(f"cost:   {self.price.show(cost[0])} to {self.price.show(cost[1])}")
        if self.assumed:
            lines.append(
                f"        (answers of at most {ASSUMED_ANSWER:,} tokens assumed; "
                "--max-new-tokens sets it)"
            )
        lines.append("nothing was sent")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        cost = self.cost()
        return {
            "model": self.model,
            "samples": self.samples,
            "input_tokens": list(self.input),
            "output_tokens": list(self.output),
            "cost": list(cost) if cost else None,
            "currency": self.price.currency if self.price else None,
        }


def estimate(plan: Plan, model: str, options: Options) -> Estimate:
    """Answers are at least as long as the references, at most as long as they may be."""
    asked = TokenRange(0, 0)
    answered = TokenRange(0, 0)
    samples: dict[str, int] = {}
    longest = options.max_new_tokens or ASSUMED_ANSWER
    for questions in plan.questions:
        chosen = plan.samples(questions.task.id)
        samples[questions.task.id] = len(chosen)
        for sample in chosen:
            asked = asked.plus(estimate_prompt(questions.task.prompt(sample, questions.setting)))
            reference = estimate_text(questions.task.baselines.reference(sample))
            answered = answered.plus(
                TokenRange(min(reference.low, longest), max(reference.low, longest))
            )
    assumed = options.max_new_tokens is None
    return Estimate(model, samples, asked, answered, find_price(model), assumed)
