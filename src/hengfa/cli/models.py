"""`hengfa models`: which models can be named, and where keys and prices come from."""

from __future__ import annotations

import click
from rich.table import Table

from hengfa.engine.budget import user_table
from hengfa.engine.config import config_file, find_key, read_config
from hengfa.engine.vendors import PROVIDERS
from hengfa.report.terminal.console import plain_console
from hengfa.runs.models import FORMS
from hengfa.secrets import show_address


@click.command("models", epilog="Example: hengfa models")
def command() -> None:
    """Show how models are named, the known providers, and where keys and prices are read from."""
    config = read_config()
    click.echo(f"--model takes:\n{FORMS}\n")
    table = Table()
    for heading in ("provider", "service", "address", "key from", "key"):
        table.add_column(heading, overflow="fold")
    for name, provider in PROVIDERS.items():
        own = config.providers.get(name)
        table.add_row(
            name,
            provider.title,
            show_address((own.base_url if own else None) or provider.base_url or "--base-url"),
            " or ".join(provider.key_variables),
            "found" if find_key(name, config) else "–",
        )
    plain_console().print(table)
    click.echo(f"keys and addresses: the environment, then {config_file()} (mode 600)")
    click.echo(f"prices:             {user_table()}, then the table that ships with Hengfa\n")
    click.echo('A price is a row like this, per million tokens:\n\n  ["deepseek:deepseek-chat"]')
    click.echo('  currency = "CNY"    # or "USD"\n  input = 2.0\n  output = 8.0')
