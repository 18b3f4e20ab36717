"""Saved predictions of PLawBench: JSON lines whose ids are those of the samples.

That is the upstream id of a consultation or a document, and for a case its row, counted from 0.
"""

from __future__ import annotations

from functools import partial

from hengfa.suites.line_predictions import read_line_predictions

read_predictions = partial(read_line_predictions, "plawbench")
