"""Makes legal worlds: fictional companies, courts, law firms and cases that fit together.

dice                         random draws that are the same everywhere
provinces, syllables, …      data: what names and texts are made of
geography … penalties        one module for each kind of thing, each a pure function of its number
build                        all of it -> a world file
"""

from __future__ import annotations

from hengfa.world.generator.build import Blueprint, Built, build_world
from hengfa.world.generator.sizes import LARGEST, SMALLEST

__all__ = ["LARGEST", "SMALLEST", "Blueprint", "Built", "build_world"]
