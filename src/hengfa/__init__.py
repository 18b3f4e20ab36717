"""Hengfa 衡法: measure how well a model or agent knows, reads, applies and practises Chinese law."""

from __future__ import annotations

__version__ = "0.1.0"
