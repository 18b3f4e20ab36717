"""Regular expressions that are facts: words in a TOML file beside the code that looks for them."""

from __future__ import annotations

import re

import msgspec

Words = str | list[str]
"""A list matches where one of it does."""


class Patterns(msgspec.Struct, frozen=True):
    """Patterns by name, in which `<NAME>` stands for a fragment."""

    patterns: dict[str, Words]
    fragments: dict[str, Words] = {}

    def __getitem__(self, name: str) -> re.Pattern[str]:
        return self.compiled(self.patterns[name])

    def compiled(self, words: Words) -> re.Pattern[str]:
        return re.compile(self.filled(words))

    def filled(self, words: Words) -> str:
        """A pattern with its fragments in their places, of which later ones may have earlier."""
        pattern = _join(words)
        for name, fragment in reversed(self.fragments.items()):
            pattern = pattern.replace(f"<{name}>", _join(fragment))
        return pattern


def _join(words: Words) -> str:
    return words if isinstance(words, str) else "|".join(words)
