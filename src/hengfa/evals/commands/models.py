"""`hengfa models`: which models can be named, and where keys and prices come from."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import click
from rich.table import Table

from hengfa.base.errors import UsageError
from hengfa.base.options import Number
from hengfa.base.secrets import show_address
from hengfa.base.terminal.console import plain_console
from hengfa.evals.engine.budget import Price, set_price, user_table
from hengfa.evals.engine.vendors import BATCHES, PROVIDERS, config_file, find_key, read_config
from hengfa.evals.runs.models import FORMS

_AMOUNT = Number(0, 1e9)


@click.group("models", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Show how models are named, the known providers, and where keys and prices are read from.

    \b
    Example:
      hengfa models
      hengfa models price deepseek:deepseek-chat --input 2 --output 8
    """
    if context.invoked_subcommand is not None:
        return
    config = read_config()
    click.echo(f"--model takes:\n{FORMS}\n")
    table = Table()
    for heading in ("provider", "service", "address", "batch", "key from", "key"):
        table.add_column(heading, overflow="fold")
    for name, provider in PROVIDERS.items():
        own = config.providers.get(name)
        table.add_row(
            name,
            provider.title,
            show_address((own.base_url if own else None) or provider.base_url or "--base-url"),
            f"at {BATCHES[name].share:.0%}" if name in BATCHES else "–",
            " or ".join(provider.key_variables),
            "found" if find_key(name, config) else "–",
        )
    plain_console().print(table)
    click.echo(f"keys and addresses: the environment, then {config_file()} (mode 600)")
    click.echo(f"prices:             {user_table()}, then the table that ships with Hengfa\n")
    click.echo("`hengfa models price NAME --input … --output …` sets a price.")


@command.command("price")
@click.argument("name")
@click.option("--input", "per_input", type=_AMOUNT, required=True, help="Of prompt tokens.")
@click.option("--output", "per_output", type=_AMOUNT, required=True, help="Of answers.")
@click.option("--cached", type=_AMOUNT, help="Of prompt tokens from the vendor's cache.")
@click.option("--batch-input", type=_AMOUNT, help="Of prompt tokens in the batch interface.")
@click.option("--batch-output", type=_AMOUNT, help="Of answers in the batch interface.")
@click.option("--currency", type=click.Choice(["CNY", "USD"]), default="CNY", help="¥, $.")
def price_(
    name: str,
    per_input: float,
    per_output: float,
    cached: float | None,
    batch_input: float | None,
    batch_output: float | None,
    currency: Literal["CNY", "USD"],
) -> None:
    """Set the price of the model NAME, per million tokens, in your own table.

    Hengfa ships no prices, because they change. NAME is what --model takes, and may end in * for
    every model that begins so. The row is dated with today.

    \b
    Example:
      hengfa models price deepseek:deepseek-chat --input 2 --output 8 --cached 0.2
      hengfa models price "openrouter:*" --input 3 --output 15 --currency USD
    """
    if ":" not in name or not name.isprintable():
        raise UsageError(f"{name!r}: a price is for PROVIDER:MODEL, as --model takes it")
    today = datetime.now().astimezone().date()
    price = Price(currency, per_input, per_output, cached, batch_input, batch_output, today)
    click.echo(f"{name}: written into {set_price(name, price)}")
    form = BATCHES.get(name.partition(":")[0])
    if form is not None and None in (batch_input, batch_output):
        click.echo(f"by batch it is taken to cost {form.share:.0%} of that where you give no other")
