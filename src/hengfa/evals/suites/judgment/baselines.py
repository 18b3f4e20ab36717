"""What the built-in models answer: the court's own judgment, a stock one, that of a similar case.

The stock judgment convicts everybody of the commonest crime under the commonest articles, to the
term and the fine in the middle, without a look at the facts. It is not worth nothing: courts of
first instance mostly impose short terms, and half of a judgment is form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median_low
from typing import Final

from hengfa.evals.suites.judgment.dataset import JudgmentSample, structure_of
from hengfa.evals.suites.judgment.prompts import WORDS
from hengfa.evals.suites.kit.baselines import text_baselines
from hengfa.law.grammar.judgment.document import Judgment
from hengfa.law.grammar.numerals import format_article, format_number


def stock(samples: Sequence[JudgmentSample]) -> Callable[[JudgmentSample], str]:
    """One judgment for all cases."""
    judgments = [structure_of(sample) for sample in samples]
    articles = _usual_articles(samples)
    text = WORDS["stock"].format(
        charge=_usual_charge(judgments),
        articles="、".join(map(format_article, articles)),
        term=_term(median_low(_terms(judgments) or [6])),
        fine=format_number(median_low(_fines(judgments) or [2000])),
    )
    return lambda _sample: text


def _usual_charge(judgments: Sequence[Judgment]) -> str:
    counted = Counter(charge for judgment in judgments for charge in judgment.charges)
    return max(counted, key=lambda charge: (counted[charge], charge), default="盗窃罪")


def _usual_articles(samples: Sequence[JudgmentSample]) -> list[int]:
    """As many of the commonest articles as a judgment cites on average, in order of number."""
    counted = Counter(article for sample in samples for article in set(sample.articles))
    usual = sorted(counted, key=lambda article: (-counted[article], article))
    return sorted(usual[: max(1, round(counted.total() / len(samples)))]) or [67]


def _terms(judgments: Sequence[Judgment]) -> list[int]:
    finals = (person.final for judgment in judgments for person in judgment.defendants)
    return [final.months for final in finals if final is not None and final.months]


def _fines(judgments: Sequence[Judgment]) -> list[int]:
    totals = (person.fine_total for judgment in judgments for person in judgment.defendants)
    return [int(total) for total in totals if total]


def _term(months: int) -> str:
    years, rest = divmod(months, 12)
    written = f"{format_number(years)}年" if years else ""
    return written + (f"{format_number(rest)}个月" if rest else "")


BASELINES: Final = text_baselines(lambda sample: sample.fact, lambda sample: sample.document, stock)
"""Retrieval copies the judgment of the case whose facts are most alike."""
