"""Saved predictions of CLaw: JSON lines; an id is that of a sample, 民法典/2020-05-28/27.2.1."""

from __future__ import annotations

from functools import partial

from hengfa.suites.line_predictions import read_line_predictions

read_predictions = partial(read_line_predictions, "claw")
