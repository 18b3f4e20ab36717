"""What Inspect finds through the entry point `inspect_ai`: our tasks and their scorer."""

from __future__ import annotations

from hengfa.bridge.inspect_tasks import hengfa_score, lawbench

__all__ = ["hengfa_score", "lawbench"]
