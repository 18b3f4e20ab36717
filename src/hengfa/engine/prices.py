"""What tokens cost: a table the user can edit, in ¥ or $."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path
from typing import Literal

import msgspec

from hengfa.data.paths import home
from hengfa.engine.messages import Usage
from hengfa.errors import DataError

SIGNS = {"CNY": "¥", "USD": "$"}


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Prices per million tokens."""

    currency: Literal["CNY", "USD"]
    input: float
    output: float
    cached: float | None = None

    def cost(self, usage: Usage) -> float:
        cached_price = self.input if self.cached is None else self.cached
        fresh = max(0, usage.input - usage.cached)
        millionths = fresh * self.input + usage.cached * cached_price + usage.output * self.output
        return millionths / 1e6

    def show(self, amount: float) -> str:
        """`¥1.2345` for small amounts, `¥12.34` for larger ones."""
        return (
            f"{SIGNS[self.currency]}{amount:.4f}"
            if amount < 10
            else f"{SIGNS[self.currency]}{amount:.2f}"
        )


def user_table() -> Path:
    return home() / "prices.toml"


def find_price(model: str) -> Price | None:
    """The price of `provider:model`: the user's table first, an exact name before a pattern."""
    shipped = resources.files("hengfa.engine").joinpath("prices.toml")
    tables = [_read(shipped.read_bytes(), "prices.toml")]
    if user_table().is_file():
        tables.insert(0, _read(user_table().read_bytes(), user_table()))
    for table in tables:
        if model in table:
            return table[model]
        patterns = [name for name in table if name.endswith("*") and model.startswith(name[:-1])]
        if patterns:
            return table[max(patterns, key=len)]
    return None


def _read(raw: bytes, file: Path | str) -> dict[str, Price]:
    try:
        return msgspec.convert(tomllib.loads(raw.decode()), dict[str, Price])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise DataError(f"not a price table: {error}", file=file) from error
