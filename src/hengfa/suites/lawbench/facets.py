"""The kinds of which LawBench samples are, where the data says more than the task.

Recitations (1-1) and scenes (3-2) come from some sixty laws, several from each: who knows a law
knows it in all of them, so their samples depend on each other.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from hengfa.law.citation import find_citations
from hengfa.suites.lawbench import gold
from hengfa.suites.lawbench.dataset import LawBenchSample

LAW: Final = "law"
_REPUBLIC: Final = "中华人民共和国"
_CLASS: Final = "类中的"
"""After the class that some references of 3-2 put before a law: 公安部类中的…规范."""


def recited_law(sample: LawBenchSample) -> dict[str, str]:
    """1-1: the law that the question names; predictions saved without questions have none."""
    return _law(sample.question)


def applied_law(sample: LawBenchSample) -> dict[str, str]:
    """3-2: the first law that the reference names."""
    return _law(sample.answer)


def focus(sample: LawBenchSample) -> dict[str, str]:
    """2-2."""
    return {"focus": gold.focus(sample.answer)}


def topic(sample: LawBenchSample) -> dict[str, str]:
    """2-4."""
    return {"topic": sample.answer}


def _law(text: str) -> dict[str, str]:
    law = _first_law(text)
    return {LAW: law} if law else {}


@lru_cache(maxsize=2048)
def _first_law(text: str) -> str:
    named = next((one.law for one in find_citations(text) if one.law), "")
    return named.rpartition(_CLASS)[2].removeprefix(_REPUBLIC)
