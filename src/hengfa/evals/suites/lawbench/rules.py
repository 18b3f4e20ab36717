"""What all rules of LawBench share: fixes by name, the wrappers around an answer, silence.

Tasks of the usual kinds are made of the kit's rules; what LawBench has of its own is in `texts.py`,
`labels.py`, `numbers.py`, `entities.py`, `proofreading.py`. Without fixes a rule does what the
published evaluator does, and its quirks are named where they are (docs/benchmarks/lawbench.md); a
fix repairs one of them.
"""

from __future__ import annotations

from typing import Final, TypeVar

from hengfa.evals.results.figures import ABSTAINED
from hengfa.evals.suites.base import Fixes, Metrics
from hengfa.evals.suites.kit.rules import PlainRules
from hengfa.evals.suites.kit.wrapper import Wrapper
from hengfa.evals.suites.lawbench import fixes as fix
from hengfa.evals.suites.lawbench.dataset import LawBenchSample

END: Final = "<eoa>"
CHOICE, FOCUS, LABELS = (Wrapper(mark, END) for mark in ("[正确答案]", "[争议焦点]", "[类别]"))
ARTICLE, CHARGE = Wrapper("[法条]", END), Wrapper("[罪名]", END)
TERM, AMOUNT = Wrapper("[刑期]", END), Wrapper("[金额]", END)

V = TypeVar("V")


LawBenchRules = PlainRules[LawBenchSample, V]
"""What rules that only LawBench has are made of."""


def left_out(metric: str, fixes: Fixes) -> Metrics:
    """A sample that is not judged. Quirk: it still counts where abstentions are divided."""
    return {metric: None, ABSTAINED: None if fix.JUDGED in fixes else 0.0}
