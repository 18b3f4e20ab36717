"""What wings offer to the whole, found by name and imported only when it is used.

A wing declares itself by an entry point of the group `hengfa.wings`, whose value is a
:class:`Wing`; ours do, and a package of somebody else can in the same way. Nothing here knows what
is offered: who needs a suite, a derivation or a part asks for it by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from hengfa.base.errors import HengfaError, UsageError

GROUP: Final = "hengfa.wings"


@dataclass(frozen=True)
class Command:
    """A command of the command line: what it is for, its group in the overview (none: it is listed
    by the command that it stands below), its module, whose `command` it is if none is named, and
    options that its leaves share with others, as `module:name`."""

    line: str
    group: str
    module: str
    options: tuple[str, ...] = ()

    @property
    def object(self) -> str:
        """The click command, as `module:name`."""
        return self.module if ":" in self.module else f"{self.module}:command"


@dataclass(frozen=True, kw_only=True)
class Wing:
    """What a wing offers; modules and objects are named, as `module` or `module:name`."""

    name: str
    rank: int = 100
    """Where it stands among others in every list; ours come first."""
    commands: Mapping[str, Command] = field(default_factory=dict)
    """By their words: `results`, `results repeats`, `suite claw`."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """Words of a command in the version before: those that it has now."""
    suites: Mapping[str, str] = field(default_factory=dict)
    """Name of a suite: the module whose `SUITE` declares it."""
    derivations: Mapping[str, str] = field(default_factory=dict)
    """Name of a pack: the module with `derive(sources, target)`, and `VERSION`, which goes up when
    its results change."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """Name of a pack whose files stay as they are: the function of its folder, `module:function`,
    that reads out of them, once they were pulled, what evaluations then read."""
    papers: Mapping[str, str] = field(default_factory=dict)
    """Name of a suite with a paper: the module whose `PAPER` has its tables and figures."""
    reads: Mapping[str, str] = field(default_factory=dict)
    """What a person may run that is no suite: the pack that it reads."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """What is declared further down and filled here, by the name that it is asked for."""


@cache
def wings() -> tuple[Wing, ...]:
    found = map(_load_wing, entry_points(group=GROUP))
    return tuple(sorted(found, key=lambda wing: (wing.rank, wing.name)))


def offered(kind: str) -> dict[str, Any]:
    """Everything of a kind, `commands` or `suites`, by its name; who comes first has it."""
    found: dict[str, Any] = {}
    for wing in wings():
        found |= {name: one for name, one in getattr(wing, kind).items() if name not in found}
    return found


def load(name: str) -> Any:
    """`module`, or the object `module:name`."""
    module, _, attribute = name.partition(":")
    loaded = import_module(module)
    return getattr(loaded, attribute) if attribute else loaded


def part(name: str) -> Any:
    """What some wing fills in under this name."""
    parts = offered("parts")
    if name not in parts:
        raise HengfaError(f"no installed part of Hengfa has {name!r}")
    return load(parts[name])


def _load_wing(point: EntryPoint) -> Wing:
    """The wing that an entry point names; whose code fails is said, for it may be anybody's."""
    place = f"entry point {point.value} of {GROUP}"
    try:
        wing = point.load()
    except Exception as error:
        raise UsageError(f"{place} fails with {type(error).__name__}: {error}") from error
    if not isinstance(wing, Wing):
        raise UsageError(f"{place} is no hengfa.base.hooks.Wing")
    return wing
