"""What tokens cost, from a table the user can edit, and limits for a whole run.

A request is let through only if the run stays within its limits even when all requests in flight
turn out as long as they may be; so a limit is kept, not noticed afterwards. Where the length of an
answer is not limited (no --max-new-tokens), an ordinary length is assumed; where a server does not
count its tokens, they are estimated.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
import tomllib
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from hengfa.base.data.jsonfile import read_toml, write_atomically
from hengfa.base.data.paths import home
from hengfa.base.errors import BudgetReached, UsageError
from hengfa.evals.engine import vendors
from hengfa.evals.engine.messages import Request, Response, Status, Usage
from hengfa.evals.engine.tokens import ASSUMED_ANSWER, estimate_reply, estimate_request

SIGNS = {"CNY": "¥", "USD": "$"}
_SHIPPED = Path(__file__).with_name("prices.toml")
# Where a row begins, with the remarks above it: "# mine\\n[…"; not "# mine" alone.
_ROWS = re.compile(r"^(?=(?:#.*\n)*\[)", re.MULTILINE)
Amount = Annotated[float, msgspec.Meta(ge=0, le=1e9)]


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Prices per million tokens."""

    currency: Literal["CNY", "USD"]
    input: Amount
    output: Amount
    cached: Amount | None = None
    """Prompt tokens from the vendor's cache."""
    batch_input: Amount | None = None
    batch_output: Amount | None = None
    """Of the vendor's batch interface."""
    checked: date | None = None
    """When somebody looked the prices up."""

    def cost(self, usage: Usage, *, batch: bool = False) -> float:
        read, cached, written = self.input, self.cached, self.output
        if batch:  # without what a cache saves: batches may have none
            read = self.input if self.batch_input is None else self.batch_input
            written = self.output if self.batch_output is None else self.batch_output
            cached = None
        fresh, cached_price = max(0, usage.input - usage.cached), read if cached is None else cached
        return (fresh * read + usage.cached * cached_price + usage.output * written) / 1e6

    def show(self, amount: float) -> str:
        return show_amount(amount, self.currency)


def show_amount(amount: float, currency: str) -> str:
    """`¥1.2345` for small amounts, `¥12.34` for larger ones."""
    return f"{SIGNS.get(currency, currency)}{amount:.{4 if amount < 10 else 2}f}"


def user_table() -> Path:
    return home() / "prices.toml"


def find_price(model: str) -> Price | None:
    """The price of `provider:model`: the user's table first, an exact name before a pattern.

    Where no row says what batches cost, it is the share that the vendor names.
    """
    price = _listed_price(model)
    form = vendors.BATCHES.get(model.partition(":")[0])
    if price is None or form is None:
        return price
    shares = {"batch_input": price.input * form.share, "batch_output": price.output * form.share}
    unsaid = {name: share for name, share in shares.items() if getattr(price, name) is None}
    return msgspec.structs.replace(price, **unsaid)


def _listed_price(model: str) -> Price | None:
    tables = [user_table()] if user_table().is_file() else []
    for table in (read_toml(file, dict[str, Price]) for file in (*tables, _SHIPPED)):
        if model in table:
            return table[model]
        patterns = [name for name in table if name.endswith("*") and model.startswith(name[:-1])]
        if patterns:
            return table[max(patterns, key=len)]
    return None


def no_price(model: str) -> str:
    """What to do about a model whose price is not known."""
    return f"no price for {model}: hengfa models price {model} --input … --output …"


def set_price(model: str, price: Price) -> Path:
    """Put a price into the user's table, in place of an older one; all else stays as it is."""
    file = user_table()
    rows: list[str] = []
    if file.is_file():
        read_toml(file, dict[str, Price])  # or it is not touched
        rows = _ROWS.split(file.read_text("utf-8"))
    # Python reads TOML but does not write it; a JSON string is a TOML string.
    lines = (
        f"{name} = {json.dumps(value) if isinstance(value, str) else value}\n"
        for name, value in msgspec.to_builtins(price, builtin_types=(date,)).items()
    )
    row = f"[{json.dumps(model, ensure_ascii=False)}]\n{''.join(lines)}"
    place = next((n for n, old in enumerate(rows) if model in tomllib.loads(old)), len(rows))
    rows[place : place + 1] = [row]
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, "".join(row.rstrip("\n") + "\n" for row in rows if row).encode())
    return file


class Limits(msgspec.Struct, frozen=True):
    """What a run may spend; None means no limit."""

    cost: float | None = None
    tokens: int | None = None
    seconds: float | None = None


class Budget:
    """Keeps a run within its limits. What earlier sittings of the run spent counts too."""

    def __init__(
        self, limits: Limits, price: Price | None, *, model: str = "", batch: bool = False
    ) -> None:
        if limits.cost is not None and price is None:
            raise UsageError(f"--max-cost: {no_price(model)}")
        self.limits = limits
        self.price = price
        self.batch = batch
        self.tokens = 0
        self.cost = 0.0
        self._reserved = Usage()
        self._started = time.monotonic()
        self._changed = asyncio.Event()
        self.active = limits.cost is not None or limits.tokens is not None

    def with_usage(self, request: Request, response: Response) -> Response:
        """The response with an estimated usage, where there is a limit and the server counts not.

        The estimate goes into the journal with it, so that later sittings count the same.
        """
        if not self.active or response.usage is not None or response.status is Status.FAILED:
            return response
        read, written = estimate_request(request).high, estimate_reply(response).high
        usage = Usage(input=read, output=written, estimated=True)
        return msgspec.structs.replace(response, usage=usage)

    def spend(self, response: Response) -> None:
        """Count what a response took."""
        if (usage := response.usage) is not None:
            self.tokens += usage.total
            if self.price is not None:
                self.cost += self.price.cost(usage, batch=bool(response.batch))

    async def reserve(self, request: Request) -> Usage:
        """Wait until the request fits; `BudgetReached` when it never will."""
        self.check_clock()
        if not self.active:
            return Usage()
        longest = request.options.max_new_tokens or ASSUMED_ANSWER
        estimate = Usage(input=estimate_request(request).high, output=longest)
        while (limit := self._passed_by(estimate)) is not None:
            if self._reserved == Usage():
                raise BudgetReached(
                    f"the next request could pass the limit of {limit}; all answers so far are "
                    "kept. Raise the limit and give the same command again to go on"
                )
            self._changed.clear()
            await self._changed.wait()
            self.check_clock()
        self._reserved = _plus(self._reserved, estimate, 1)
        return estimate

    def settle(self, reserved: Usage) -> None:
        """Give back what `reserve` took, once the response has been counted."""
        if self.active:
            self._reserved = _plus(self._reserved, reserved, -1)
            self._changed.set()

    def _passed_by(self, estimate: Usage) -> str | None:
        planned = _plus(self._reserved, estimate, 1)
        if self.limits.tokens is not None and self.tokens + planned.total > self.limits.tokens:
            return f"{self.limits.tokens} tokens"
        if self.limits.cost is None or self.price is None:
            return None
        passed = self.cost + self.price.cost(planned, batch=self.batch) > self.limits.cost
        return self.price.show(self.limits.cost) if passed else None

    def check_clock(self) -> None:
        """`BudgetReached` once the seconds are over."""
        seconds = self.limits.seconds
        if seconds is not None and time.monotonic() - self._started > seconds:
            raise BudgetReached(
                f"the limit of {seconds:g} seconds is reached; all answers so far are kept. "
                "Give the same command again to go on"
            )


def _plus(one: Usage, other: Usage, sign: int) -> Usage:
    return Usage(input=one.input + sign * other.input, output=one.output + sign * other.output)
