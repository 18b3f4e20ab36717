"""The kinds of which PLawBench samples are: the scenario of a case and the order of its reasoning,
the matter of a document; consultations have none.

Some cases are asked about more than once, and both sides of a matter are drafted: such samples are
drawn together.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from hengfa.suites.plawbench.dataset import PLawBenchSample

FACTS, MATTER = "facts", "matter"
_SIZE: Final = 4


def of_case(sample: PLawBenchSample) -> dict[str, str]:
    """The facts go by a short name of their own: cases that share them share it."""
    facts = blake2b(sample.facts.encode("utf-8", "surrogatepass"), digest_size=_SIZE).hexdigest()
    return {"scenario": sample.label, "order": str(sample.order), FACTS: facts}


def of_document(sample: PLawBenchSample) -> dict[str, str]:
    return {MATTER: sample.label}
