"""What the corrected rules repair, each by name with one sentence.

The paper leaves open how None is compared, and does not say that a text may stand at several places
of a law or that models refuse. The official rules take the strict reading of each.
"""

from __future__ import annotations

TOLERANT = "tolerant"
IDENTICAL = "identical"
REFUSALS = "refusals"

SENTENCES = {
    TOLERANT: "in an article of one paragraph, take paragraph 1 for None and None for 1",
    IDENTICAL: "accept every position of the version that has the same text",
    REFUSALS: "a refusal earns nothing, whatever words it shares with the provision",
}


def sentences(*fixes: str) -> dict[str, str]:
    """The fixes of a task, by name."""
    return {fix: SENTENCES[fix] for fix in fixes}
