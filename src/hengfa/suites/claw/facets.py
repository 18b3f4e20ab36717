"""The kinds of which CLaw samples are: those by which `hengfa claw breakdown` groups them.

Provisions of one law are asked for many times, so its samples are drawn together.
"""

from __future__ import annotations

from typing import Final

from hengfa.suites.claw.breakdown import GROUPS
from hengfa.suites.claw.dataset import ClawSample

LAW: Final = "law"


def facets_of(sample: ClawSample) -> dict[str, str]:
    """Level, period and age of the version, what was in force, and the law."""
    return {name: group(sample) for name, group in GROUPS.items()}
