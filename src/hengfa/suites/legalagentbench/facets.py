"""The kinds of which LegalAgentBench's tasks are: hops, and the tools on their gold path.

A path was used for two questions as a rule, and whoever cannot go it fails on both: such tasks are
drawn together. Writing tasks have no path; each stands alone.
"""

from __future__ import annotations

from typing import Final

from hengfa.suites.legalagentbench.dataset import AgentSample

HOPS, START, PATH = "hops", "start", "path"
_JOINT: Final = " → "


def facets_of(sample: AgentSample) -> dict[str, str]:
    """The group; where there is a path, the tool that it begins with, and the whole of it."""
    if not sample.path:
        return {HOPS: sample.group}
    return {HOPS: sample.group, START: sample.path[0], PATH: _JOINT.join(sample.path)}
