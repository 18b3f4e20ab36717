"""Agents work in the small world of the world's own tests."""

from __future__ import annotations

from tests.world.conftest import tiny

__all__ = ["tiny"]
