"""What the built-in models say: the court's reasons, words for any case, another case's reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hengfa.suites.base import Baselines, Offer
from hengfa.suites.claw_cases.dataset import CaseSample

STOCK_REASONS: Final = (
    "本案争议的焦点是双方的权利义务应当如何认定。根据法律规定，当事人应当遵循诚信原则，"
    "按照约定和法律的规定履行义务，违反的应当承担相应责任。结合查明的事实，裁判结果认定事实清楚，"
    "适用法律正确，应当予以支持。"
)
"""What can be said of any case, and says nothing of this one."""


def _from_found(_sample: CaseSample, found: Sequence[str]) -> str:
    return found[0] if found else STOCK_REASONS


BASELINES: Final = Baselines[CaseSample](
    reference=lambda sample: sample.reference,
    floor=lambda _samples: lambda _sample: STOCK_REASONS,
    query=lambda sample: sample.case.facts + sample.question.question,
    offer=lambda sample: Offer(sample.case.facts, sample.reference),
    from_found=_from_found,
)
