"""Commands that wings register by their path, each imported only when it is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import click

from hengfa.base.hooks import Command, load, offered
from hengfa.base.options import TEXT, say

GROUPS = ("Start", "Evaluate", "Results", "Law", "Grading", "World", "Train", "Extend")
"""The overview in the order in which people come to it; groups of others stand below."""
_DEEPEST = 4
"""Words of the longest path, one that moved: `grade people label-studio export`."""


class Registered(click.Group):
    """What stands in its module, and what wings register below its path: help is instant.

    A path is looked up as a whole, so that `results` may be a command and `results repeats`
    another. What is registered without a group of the overview is listed by what it stands below.
    """

    def list_commands(self, context: click.Context) -> list[str]:
        return [*super().list_commands(context), *self._below(context)]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        registered = offered("commands").get(_path(context, name))
        if registered is None:
            return super().get_command(context, name)
        command: click.Command = load(registered.object)
        _prepare(command, [load(option) for option in registered.options])
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        for words in range(min(_DEEPEST, len(args)), 0, -1):
            name, rest = " ".join(args[:words]), args[words:]
            path = _path(context, name)
            if new := offered("moved").get(path):
                say(f"`hengfa {path}` is now `hengfa {new}`")
                return self.resolve_command(context, [*new.split(), *rest])
            if path in offered("commands"):
                return name, self.get_command(context, name), rest
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {
            group: [] for group in ("", *GROUPS) if context.parent is None or not group
        }
        for name in super().list_commands(context):
            groups[""].append((name, self.commands[name].get_short_help_str(limit=80)))
        for name, command in self._below(context).items():
            groups.setdefault(command.group, []).append((name, command.line))
        for group, rows in groups.items():
            if rows:
                with formatter.section(group or "Commands"):
                    formatter.write_dl(rows)

    def _below(self, context: click.Context) -> Mapping[str, Command]:
        """What is registered here: in the overview what has a group, below that what has none."""
        start = _path(context, "")
        return {
            path.removeprefix(start): command
            for path, command in offered("commands").items()
            if path.startswith(start) and bool(command.group) == (not start)
        }


def leaves(group: click.Group, above: click.Context | None = None) -> Iterator[click.Context]:
    """Every command below a group that is no group itself, in a context that knows its path."""
    here = above or click.Context(group)
    for name in group.list_commands(here):
        command = group.get_command(here, name)
        if command is not None:
            context = click.Context(command, info_name=name, parent=here)
            if isinstance(command, click.Group):
                yield from leaves(command, context)
            else:
                yield context


def path_of(context: click.Context) -> str:
    """The words of a command, without that of the program."""
    words: list[str] = []
    while context.parent is not None:
        words.insert(0, context.info_name or "")
        context = context.parent
    return " ".join(words)


def _path(context: click.Context, name: str) -> str:
    return f"{path_of(context)} {name}".lstrip()


def _prepare(command: click.Command, options: Sequence[click.Option]) -> None:
    """What no command may forget: texts are checked, and it has the options that it shares."""
    if isinstance(command, click.Group):
        for below in command.commands.values():
            _prepare(below, options)
        return
    command.params += [option for option in options if option not in command.params]
    for parameter in command.params:
        if parameter.type is click.STRING:
            parameter.type = TEXT
        if isinstance(parameter, click.Option) and parameter.default == "":
            parameter.show_default = False
