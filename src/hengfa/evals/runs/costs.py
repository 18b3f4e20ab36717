"""Tokens and cost: of all who would be asked, as `--dry-run` shows them, and of answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from hengfa.base.errors import counted
from hengfa.evals.engine.budget import Price, no_price, show_amount
from hengfa.evals.engine.messages import Response, Usage
from hengfa.evals.engine.tokens import Range

MODEL, GRADER, SCREEN = "model", "grader", "screen"
_ITEMS = {MODEL: "answers", GRADER: "gradings", SCREEN: "screenings"}


class Spent(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the answers of a run took, without their grading: `counted` of the `responses` say their
    tokens. The cost is in `currency`; there is none where no price is known."""

    responses: int
    counted: int
    input_tokens: int
    output_tokens: int
    cost: float | None = None
    currency: str | None = None

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def show_cost(self) -> str:
        """`¥1.23`; a dash where it is not known."""
        return "–" if self.cost is None else show_amount(self.cost, self.currency or "")


def spent_by(responses: Iterable[Response], price: Price | None) -> Spent | None:
    """What responses took; None where none of them says its tokens."""
    every = list(responses)
    known = [(response, response.usage) for response in every if response.usage is not None]
    if not known:
        return None
    return Spent(
        responses=len(every),
        counted=len(known),
        input_tokens=sum(usage.input for _, usage in known),
        output_tokens=sum(usage.output for _, usage in known),
        cost=None
        if price is None
        else sum(price.cost(usage, batch=bool(response.batch)) for response, usage in known),
        currency=None if price is None else price.currency,
    )


def together(parts: Iterable[Spent]) -> Spent | None:
    """What tasks took together, all at one price; None of nothing."""
    several = list(parts)
    if not several:
        return None
    costs = [part.cost for part in several if part.cost is not None]
    return Spent(
        responses=sum(part.responses for part in several),
        counted=sum(part.counted for part in several),
        input_tokens=sum(part.input_tokens for part in several),
        output_tokens=sum(part.output_tokens for part in several),
        cost=sum(costs) if costs else None,
        currency=several[0].currency,
    )


class Effort(NamedTuple):
    """Requests and tokens."""

    requests: Range = Range()
    input: Range = Range()
    output: Range = Range()

    def plus(self, other: Effort) -> Effort:
        return Effort(*(mine.plus(its) for mine, its in zip(self, other, strict=True)))

    def times(self, number: int) -> Effort:
        return Effort(*(part.times(number) for part in self))


@dataclass(frozen=True, slots=True)
class Expected:
    """What one who is asked would take: the model, a grader, a model that screens.

    Of the `items`, which are answers or gradings, `held` are in the journal of a folder; of
    `unknown` ones nobody can tell what they take. With `batch` it is paid as batches are.
    """

    role: str
    name: str
    effort: Effort
    items: int
    held: int = 0
    folder: Path | None = None
    unknown: int = 0
    free: bool = False
    price: Price | None = None
    batch: bool = False

    def cost(self) -> tuple[float, float] | None:
        """In the currency of the price, without what caches save; None if unknown."""
        if self.free:
            return 0.0, 0.0
        if self.price is None or self.unknown:
            return None
        _, asked, said = self.effort
        return (
            self.price.cost(Usage(input=asked.low, output=said.low), batch=self.batch),
            self.price.cost(Usage(input=asked.high, output=said.high), batch=self.batch),
        )

    def row(self) -> tuple[str, ...]:
        """Who, and the figures, for people."""
        if self.free:
            return f"{self.role} {self.name}", "", "", "", "built in or saved: costs nothing"
        cost = self.cost()
        shown = "not known"
        if cost is not None and self.price is not None:
            shown = _show_cost(self.price, cost)
        who = f"{self.role} {self.name}{', by batch' if self.batch else ''}"
        return who, *map(_show, self.effort), shown

    def notes(self) -> list[str]:
        """What a person should know of the figures."""
        things = _ITEMS[self.role]
        notes = []
        if self.held:
            notes.append(
                f"{self.held:,} of {self.items:,} {things} are in the journal of {self.folder}"
            )
        if self.unknown:
            notes.append(
                f"{self.unknown:,} {things} are the work of an agent of your own: what it takes is "
                "not known, and not counted here"
            )
        if self.price is None and not self.free:
            notes.append(no_price(self.name))
        return notes

    def as_json(self) -> dict[str, Any]:
        cost = self.cost()
        return {
            "requests": list(self.effort.requests),
            "input_tokens": list(self.effort.input),
            "output_tokens": list(self.effort.output),
            "cost": list(cost) if cost else None,
            "currency": self.price.currency if self.price else None,
            "free": self.free,
            "batch": self.batch,
            "items": self.items,
            "held": self.held,
            "unknown": self.unknown,
        }


@dataclass(frozen=True, slots=True)
class Estimate:
    """Samples, and for all who are asked requests, tokens and cost, as ranges."""

    samples: Mapping[str, int]
    asked: Sequence[Expected]
    repeats: int = 1
    assumed: Sequence[str] = field(default_factory=list)

    def total(self) -> dict[str, tuple[float, float]]:
        """The costs that are known, by currency."""
        total: dict[str, tuple[float, float]] = {}
        for expected in self.asked:
            cost, price = expected.cost(), expected.price
            if cost is not None and price is not None and not expected.free:
                low, high = total.get(price.currency, (0.0, 0.0))
                total[price.currency] = low + cost[0], high + cost[1]
        return total

    def text(self) -> str:
        """For people."""
        times = f", each {self.repeats} times" if self.repeats > 1 else ""
        lines = [
            f"{task}: {counted(number, 'sample')}{times}" for task, number in self.samples.items()
        ]
        lines += _table([expected.row() for expected in self.asked])
        prices: dict[str, Price] = {
            expected.price.currency: expected.price for expected in self.asked if expected.price
        }
        total = self.total()
        missing = [expected.name for expected in self.asked if expected.cost() is None]
        for currency, cost in total.items():
            without = f", without {', '.join(missing)}" if missing else ""
            lines.append(f"total: {_show_cost(prices[currency], cost)}{without}")
        lines += (note for expected in self.asked for note in expected.notes())
        lines += (f"assumed: {assumption}" for assumption in self.assumed)
        return "\n".join([*lines, "nothing was sent"])

    def as_json(self) -> dict[str, Any]:
        """The figures of the model stand at the top."""
        model = next((expected for expected in self.asked if expected.role == MODEL), None)
        screen = next((expected for expected in self.asked if expected.role == SCREEN), None)
        return {
            **({"model": model.name, **model.as_json()} if model else {}),
            "samples": dict(self.samples),
            "repeats": self.repeats,
            "graders": [
                {"grader": expected.name, **expected.as_json()}
                for expected in self.asked
                if expected.role == GRADER
            ],
            "screen": {"screen": screen.name, **screen.as_json()} if screen else None,
            "total": {currency: list(cost) for currency, cost in self.total().items()},
            "unpriced": [expected.name for expected in self.asked if expected.cost() is None],
            "assumed": list(self.assumed),
        }


def _show(part: Range) -> str:
    return f"{part.low:,}" if part.low == part.high else f"{part.low:,} to {part.high:,}"


def _show_cost(price: Price, cost: tuple[float, float]) -> str:
    low, high = map(price.show, cost)
    return low if low == high else f"{low} to {high}"


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows below a heading, each column as wide as its longest entry."""
    table = [("", "requests", "input tokens", "output tokens", "cost"), *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
