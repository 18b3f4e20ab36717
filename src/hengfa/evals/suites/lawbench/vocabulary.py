"""LawBench's closed vocabularies: the labels, events, entity types and charges of its prompts."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hengfa.base.data.jsonfile import read_toml

_LISTS: Final = read_toml(Path(__file__).with_suffix(".toml"), dict[str, str])


def _words(name: str) -> tuple[str, ...]:
    return tuple(_LISTS[name].split())


DISPUTE_FOCUSES: Final = _words("dispute_focuses")
"""Task 2-2."""
MARITAL_LABELS: Final = _words("marital_labels")
"""Task 2-3; none contains another."""
TOPICS: Final = _words("topics")
"""Task 2-4."""
ENTITY_TYPES: Final = _words("entity_types")
"""Task 2-6."""
EVENTS: Final = _words("events")
"""Task 2-9; a label with a slash is one label."""
CHARGES: Final = _words("charges")
"""Task 3-3, as the published evaluator lists them; 29 pairs are nested."""
MISSING_CHARGES: Final = _words("missing_charges")
"""Charges that are gold of task 3-3 and that the published list lacks."""
