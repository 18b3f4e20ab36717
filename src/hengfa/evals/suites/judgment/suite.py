"""JuDGE's declaration: one task, which is the whole document, and what is measured of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median_low
from typing import Final

from hengfa.evals.suites.base import Suite, Task
from hengfa.evals.suites.judgment import dataset
from hengfa.evals.suites.judgment.dataset import JudgmentSample
from hengfa.evals.suites.judgment.predictions import Outputs
from hengfa.evals.suites.judgment.prompts import FIELDS, WORDS, sample_prompt
from hengfa.evals.suites.judgment.reading import SENTENCES, Reading
from hengfa.evals.suites.judgment.rules import MEAN, OVERALL, JudgmentRules, combined, further
from hengfa.evals.suites.kit.tasks import text_baselines
from hengfa.law.grammar.numerals import format_article, format_number


def stock(samples: Sequence[JudgmentSample]) -> Callable[[JudgmentSample], str]:
    """One judgment for all cases: everybody is convicted of the commonest crime under the commonest
    articles, to the term and the fine in the middle, without a look at the facts. It is not worth
    nothing: courts of first instance mostly impose short terms, and half of a judgment is form."""
    judgments = [dataset.structure_of(sample) for sample in samples]
    people = [person for judgment in judgments for person in judgment.defendants]
    charges = Counter(charge for judgment in judgments for charge in judgment.charges)
    terms = [final.months for person in people if (final := person.final) and final.months]
    fines = [int(total) for person in people if (total := person.fine_total)]
    # as many articles as a judgment cites on average, in order of number
    cited = Counter(article for sample in samples for article in set(sample.articles))
    usual = sorted(cited, key=lambda article: (-cited[article], article))
    articles = sorted(usual[: max(1, round(cited.total() / len(samples)))]) or [67]
    text = WORDS["stock"].format(
        charge=max(charges, key=lambda charge: (charges[charge], charge), default="盗窃罪"),
        articles="、".join(map(format_article, articles)),
        term=_term(median_low(terms or [6])),
        fine=format_number(median_low(fines or [2000])),
    )
    return lambda _sample: text


def _term(months: int) -> str:
    years, rest = divmod(months, 12)
    written = f"{format_number(years)}年" if years else ""
    return written + (f"{format_number(rest)}个月" if rest else "")


BASELINES: Final = text_baselines(lambda sample: sample.fact, lambda sample: sample.document, stock)
"""Retrieval copies the judgment of the case whose facts are most alike."""


DOCUMENT = Task[JudgmentSample, Reading](
    id=dataset.TASK,
    title="刑事判决书生成",
    title_en="write the judgment of a criminal case from its facts",
    metric=OVERALL,
    load=dataset.load,
    prompt=sample_prompt,
    fields=FIELDS,
    rules=JudgmentRules,
    fixes=SENTENCES,
    baselines=BASELINES,
    facets=dataset.facets_of,
    sample_type=JudgmentSample,
)

SUITE = Suite(
    name=dataset.NAME,
    title="JuDGE 判决书生成评测",
    title_en="JuDGE",
    pack=dataset.PACK,
    settings=dataset.SETTINGS,
    tasks={DOCUMENT.id: DOCUMENT},
    figures=lambda _scores: {},  # none can be told from a task's score alone
    further=further,
    combined=combined,
    headline=MEAN,
    headline_says="ours, since the paper has no overall: the mean of prison, fine, charge_f1, "
    "statute_f1, meteor_reason and meteor_judgment",
    layouts=(Outputs(),),
    options=dataset.OPTIONS,
    abilities={
        "charge_f1": ("定罪", "convict"),
        "statute_f1": ("援引法条", "cite statutes"),
        "prison": ("量刑", "sentence"),
        "meteor_reason": ("裁判说理", "give reasons"),
    },
    titles={
        MEAN: ("六项平均", "mean of six"),
        OVERALL: ("总分", "overall"),
        "fine": ("罚金", "fine"),
        "charge_recall": ("定罪召回", "charges, recall"),
        "charge_precision": ("定罪精确", "charges, precision"),
        "statute_recall": ("法条召回", "statutes, recall"),
        "statute_precision": ("法条精确", "statutes, precision"),
        "meteor_judgment": ("判决结果用语", "wording of the judgment"),
        "bertscore_reason": ("说理语义相似", "reasons, BERTScore"),
        "bertscore_judgment": ("判决语义相似", "judgment, BERTScore"),
    },
)
