"""What the corrected rules repair, each by name with one sentence.

Upstream leaves order and evidence to the judge: it may award a step that stands in the wrong place,
and words that nobody wrote.
"""

from __future__ import annotations

ORDER = "order"
EVIDENCE = "evidence"

SENTENCES = {
    ORDER: "a step that stands before one that must precede it earns nothing, whatever was awarded",
    EVIDENCE: "an award whose quoted words are missing or not in the response earns nothing",
}


def sentences(*fixes: str) -> dict[str, str]:
    """The fixes of a task, by name."""
    return {fix: SENTENCES[fix] for fix in fixes}
