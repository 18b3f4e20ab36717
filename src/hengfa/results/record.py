"""The one record shape: one row per sample and metric, the same for every suite."""

from __future__ import annotations

from typing import ClassVar

import msgspec


class Record(msgspec.Struct, frozen=True):
    """A value and everything needed to know what it is a value of.

    `value` is null where the response is no answer (`status` says why) or where the rule leaves the
    sample out (`counted` is false): a failure never looks like a zero. `instrument` declares the
    segmenter and dictionary a value depends on, `data` the exact files; `cluster` names what
    samples share, such as a law or a case, so that they are not counted as independent.
    """

    FOLDER: ClassVar[str] = "records"

    run: str
    suite: str
    task: str
    setting: str
    rules: str
    model: str
    sample: str
    metric: str
    value: float | None
    counted: bool
    status: str
    answer_status: str | None
    input_tokens: int | None
    output_tokens: int | None
    seconds: float | None
    instrument: str | None
    data: str
    cluster: str | None = None
