"""The suites by name, each imported only when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from hengfa.errors import UsageError
from hengfa.suites.base import Suite

SUITES = {
    "lawbench": "hengfa.suites.lawbench.suite",
    "claw": "hengfa.suites.claw.suite",
    "claw-cases": "hengfa.suites.claw_cases.suite",
    "plawbench": "hengfa.suites.plawbench.suite",
    "legalagentbench": "hengfa.suites.legalagentbench.suite",
    "judgment": "hengfa.suites.judgment.suite",
}
"""Suite name to the module whose `SUITE` declares it."""


def get_suite(name: str) -> Suite:
    module = SUITES.get(name)
    if module is None:
        raise UsageError(f"there is no suite {name!r}; there is: {', '.join(SUITES)}")
    return cast("Suite", import_module(module).SUITE)
