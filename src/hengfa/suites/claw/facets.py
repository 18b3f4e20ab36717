"""The kinds of which CLaw samples are, by which figures can be taken apart.

Provisions of one law are asked for many times, so its samples are drawn together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from hengfa.suites.claw.dataset import ClawSample

LAW: Final = "law"
PERIODS: Final = (1980, 1990, 2000, 2005, 2010, 2015, 2020, 2023)
"""The years in which periods of promulgation begin."""


def period(sample: ClawSample) -> str:
    """When the version was promulgated: 2015–2019."""
    year = sample.version.year
    begin = max((one for one in PERIODS if one <= year), default=None)
    if begin is None:
        return f"1949–{PERIODS[0] - 1}"
    after = next((one for one in PERIODS if one > year), None)
    return f"{begin}–" if after is None else f"{begin}–{after - 1}"


GROUPS: Final[Mapping[str, Callable[[ClawSample], str]]] = {
    "level": lambda sample: sample.level,
    "promulgated": period,
    "version": lambda sample: "superseded" if sample.superseded else "latest",
    "in force on that day": lambda sample: sample.in_force,
    "law": lambda sample: sample.law,
}
"""What samples are grouped by."""


def facets_of(sample: ClawSample) -> dict[str, str]:
    """Level, period and age of the version, what was in force, and the law."""
    return {name: group(sample) for name, group in GROUPS.items()}
