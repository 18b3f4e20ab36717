"""What only a reader finds in the released rubrics: words that are wrong, not sums (spec 6).

Each remark is bound to the exact text it was made of, so that it goes when the text changes.
"""

from __future__ import annotations

import hashlib
from typing import Final

from hengfa.suites.plawbench.rubric_defects import Code, Defect, defect

_REMARKS: Final[dict[str, tuple[str, str]]] = {
    "ce78582764b81a19": (
        "4.1.1",
        "swaps items 4 and 5 of Article 52 of the old Contract Law",
    ),
    "7545179b274ddd52": (
        "3.1.3-g1",
        "speaks of a medical examination: a clause from another case",
    ),
    "20e3308ba4a34e42": (
        "1.1.1",
        "limits liability by Articles 106 and 109 of the Maritime Code, not 204 to 215",
    ),
}
"""By the first 16 hexadecimal digits of the SHA-256 of a rubric: where, and what."""


def known(text: str) -> tuple[Defect, ...]:
    """The remarks on a rubric of exactly this text."""
    name = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    found = _REMARKS.get(name)
    return () if found is None else (defect(Code.CONTENT, *found),)
