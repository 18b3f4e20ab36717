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
from hengfa.evals.suites.kit.baselines import text_baselines
from hengfa.law.grammar.judgment.document import Judgment
from hengfa.law.grammar.numerals import format_article, format_number

_STOCK: Final = (
    "刑事判决书\n\n公诉机关指控被告人犯{charge}，本院依法公开开庭审理了本案。现已审理终结。\n\n"
    "经审理查明，公诉机关指控的事实清楚，证据确实、充分。\n\n"
    "本院认为，被告人的行为已构成{charge}，公诉机关指控的罪名成立，本院予以支持。被告人到案后能如实"
    "供述自己的罪行，自愿认罪，依法可以从轻处罚。依照《中华人民共和国刑法》{articles}之规定，判决如下：\n\n"
    "被告人犯{charge}，判处有期徒刑{term}，并处罚金人民币{fine}元。\n"
    "（刑期从判决执行之日起计算。判决执行以前先行羁押的，羁押一日折抵刑期一日。）\n\n"
    "如不服本判决，可在接到判决书的第二日起十日内，通过本院或者直接向上一级人民法院提出上诉。\n\n"
    "审判员\n书记员"
)


def stock(samples: Sequence[JudgmentSample]) -> Callable[[JudgmentSample], str]:
    """One judgment for all cases."""
    judgments = [structure_of(sample) for sample in samples]
    articles = _usual_articles(samples)
    text = _STOCK.format(
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
