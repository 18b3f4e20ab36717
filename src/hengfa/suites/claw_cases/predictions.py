"""Saved predictions: JSON lines of `{task, id, prediction}`; an id is the number of the case."""

from __future__ import annotations

from functools import partial

from hengfa.suites.line_predictions import read_line_predictions

read_predictions = partial(read_line_predictions, "claw-cases")
