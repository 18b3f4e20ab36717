"""The part of the library that is small enough to keep in memory: everything but the texts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import msgspec

from hengfa.library.model import Law, Occasion, Repeal, Version


class Shelf(msgspec.Struct, frozen=True, dict=True):
    """Laws in the order of their names; what is known of each under its full name.

    ``names`` leads from every normalised name, short, old or full, to the laws that bear it.
    """

    laws: tuple[Law, ...]
    names: Mapping[str, tuple[Law, ...]]
    versions: Mapping[str, tuple[Version, ...]]
    calendar: Mapping[str, tuple[Occasion, ...]]
    repeals: Mapping[str, tuple[Repeal, ...]]

    @cached_property
    def by_name(self) -> Mapping[str, Law]:
        """Laws by their full names."""
        return {law.name: law for law in self.laws}

    @cached_property
    def version_of(self) -> Mapping[int, Version]:
        """Versions by their ids, in the order of laws and dates."""
        return {v.id: v for law in self.laws for v in self.versions.get(law.name, ())}
