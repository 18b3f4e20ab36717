"""Hengfa 衡法 measures how well a model or agent knows, reads and applies Chinese law."""

from __future__ import annotations

__version__ = "0.1.0"
