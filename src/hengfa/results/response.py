"""The other table of a run: one row per response, with the texts that a record has no room for."""

from __future__ import annotations

from typing import ClassVar

import msgspec


class ResponseRow(msgspec.Struct, frozen=True):
    """What was asked, what came back, and how it was read under one set of rules.

    With it a run can be reported on any machine: neither the data nor the suite is needed to show
    a question beside its answer. `facets` and `trace` are JSON: the kinds a sample is of (its law,
    its number of hops), and a :class:`~hengfa.results.trace.Trace`. `cluster` names what samples
    share, `cost` is in `currency`, null where no price is known.
    """

    FOLDER: ClassVar[str] = "responses"

    run: str
    suite: str
    task: str
    setting: str
    rules: str
    model: str
    sample: str
    cluster: str | None
    facets: str
    status: str
    answer_status: str | None
    prompt: str
    reference: str
    response: str
    reasoning: str
    extracted: str
    trace: str
    input_tokens: int | None
    output_tokens: int | None
    seconds: float | None
    cost: float | None
    currency: str | None
