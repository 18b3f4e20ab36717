"""What the parts of an answer measure: sections of documents by kind, and the paper's abilities.

Every document has sections of its own, named after its matter. By their headings they fall under
what appendix C.3 of the paper asks of all documents: procedure (court, parties, cause of action,
time limits, litigation strategy), claims (for a defence: what it asks for and how it counters),
amounts, facts with their evidence, reasons in law, and form. The heading of a leaf decides where it
is plain, else the one above it. No statement of claim has a section of form: it is what the
unified deductions are for.

Table 1 of the paper names six abilities and attaches them to tasks (3.1.1 to 3.1.3), not to items.
Each part is read here as the one ability whose sentence in the table describes it; that is a
reading of ours, and which points it moves is told by :data:`ABILITY_OF`. Professional norms are
nearly all in the deductions, of which no rate can be made: see `penalised` and the error types.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from hengfa.evals.grading.rubric import Section
from hengfa.evals.results.figures import Aspect
from hengfa.evals.suites.plawbench.dataset import CASE, CONSULTATION, DEFENDANT, PLAINTIFF
from hengfa.evals.suites.plawbench.extract import PARTS

WEIGHTS: Final = ("decisive", "substantial", "detail")
"""The questions of a consultation by their points: 3, 2, 1."""
PROCEDURE, CLAIMS, AMOUNTS, FACTS, REASONS, FORM = (
    "procedure", "claims", "amounts", "facts", "reasons", "form",
)  # fmt: skip
DIMENSIONS: Final[Mapping[str, tuple[str, ...]]] = {
    CONSULTATION: WEIGHTS,
    CASE: PARTS,
    PLAINTIFF: (PROCEDURE, CLAIMS, AMOUNTS, FACTS, REASONS),
    DEFENDANT: (PROCEDURE, CLAIMS, AMOUNTS, FACTS, REASONS, FORM),
}
"""The parts of an answer, by task."""
_PLAIN: Final = (
    (PROCEDURE, r"案由(?:选择|定性)|管辖|送达|主体不适格|保全|^(?:原告|被告|第三人)$"),
    (REASONS, r"论证|法律适用|法律依据|援引"),
    (FACTS, r"事实|证据(?!效力|质疑)"),
    (CLAIMS, r"请求(?!权)"),
)
"""Headings of leaves that say what they are: “管辖法院”, “主请求”; not “反诉请求权”."""
_ABOVE: Final = (
    (FORM, r"格式"),
    (REASONS, r"法理|法律理由|法律论点|法律争议|论证"),
    (PROCEDURE, r"管辖|当事人|诉讼主体|参与人|程序性|程序基础|送达|诉讼策略"),
    (FACTS, r"事实|证据"),
    (AMOUNTS, r"损失|金额|本金|利息|违约金|抵销|汇率"),
)
"""Headings above them: “程序性事项与管辖权”; not “资金流向与清算程序”."""
_AMOUNT: Final = re.compile(r"计算|本金|利息|违约金|金额|数额|汇率")
"""Leaves about sums, below whatever heading of claims: “本金主张”; not “主请求”."""

# A remark to whoever grades: "（注意：证据名称不必相同）"; not "诉讼请求".
_REMARK: Final = re.compile(r"[（(][^（）()]*[）)]")


def heading(section: Section) -> str:
    """The title of a section without remarks."""
    return _REMARK.sub("", section.title)


def section_kind(task: str, section: Section) -> str:
    """What a section of a document is about; claims, where its headings do not say."""
    kinds = DIMENSIONS[task]
    for headings, text in ((_PLAIN, heading(section)), (_ABOVE, section.group)):
        for kind, words in headings:
            if kind in kinds and re.search(words, text):
                return kind
        if _AMOUNT.search(text):
            return AMOUNTS
    return CLAIMS


ISSUES, REASONING, KNOWLEDGE, STRATEGY, OUTCOME, NORMS = ABILITIES = (
    "issues and facts",
    "legal reasoning",
    "knowledge of law",
    "procedure and strategy",
    "claims and outcomes",
    "professional norms",
)
"""Table 1 of the paper, in its order."""
_CONCLUSION, _FACTS, _REASONING, _STATUTES = PARTS
_OF_DOCUMENT: Final = {
    PROCEDURE: STRATEGY,
    CLAIMS: OUTCOME,
    AMOUNTS: OUTCOME,
    FACTS: ISSUES,
    REASONS: REASONING,
    FORM: NORMS,
}
ABILITY_OF: Final[Mapping[str, Mapping[str, str]]] = {
    CONSULTATION: dict.fromkeys(WEIGHTS, ISSUES),
    CASE: {_CONCLUSION: OUTCOME, _FACTS: ISSUES, _REASONING: REASONING, _STATUTES: KNOWLEDGE},
    PLAINTIFF: _OF_DOCUMENT,
    DEFENDANT: _OF_DOCUMENT,
}
"""By task: the ability that each part of an answer measures."""


def aspects(task: str) -> dict[str, dict[str, Aspect]]:
    """By what the figures of a task can be broken down besides kinds of samples."""
    parts = DIMENSIONS[task]
    named = "weight" if task == CONSULTATION else "section"
    of = ABILITY_OF[task]
    abilities = {name: [part for part in parts if of[part] == name] for name in ABILITIES}
    return {
        named: {part: _of([part]) for part in parts},
        "ability": {name: _of(those) for name, those in abilities.items() if those},
    }


def _of(parts: list[str]) -> Aspect:
    points, maxima = ([f"{part}_{of}" for part in parts] for of in ("points", "maximum"))
    return Aspect(tuple(points), tuple(maxima))
