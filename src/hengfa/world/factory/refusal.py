"""Why a candidate did not become a task; reports count these."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """One word for each reason."""

    EMPTY = "a call finds nothing"
    SEVERAL_ROWS = "an identifier finds several rows"
    UNOBSERVED = "a cell was never observed"
    MISSING = "a cell says nothing"
    SEVERAL_VALUES = "a cell names several"
    TIE = "two rows are first"
    TOO_MANY = "a list is too long"
    LOOP = "the path comes back to where it was"
    TRIVIAL = "the answer is trivial"
    INEXACT = "the answer cannot be written exactly"
    TOLD = "the question tells the answer"
    TWICE = "the same task is there already"
    NO_PROVISION = "no provision fits"


class Refused(Exception):
    """This candidate is no task."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason
