"""What the built-in models write: what the rubric asks for, what fits anything, what search finds.

The ceiling is put together from the rubric itself, so that a perfect grader gives full marks. Each
item is led in by a phrase: a rubric copied item after item is what the evidence check calls an
echo, and nobody who answers has seen it. The floor has not understood anything: it asks stock
questions, and it repeats the facts that it was given, which is what an analysis is partly graded
for. Search gives what the rubrics of other, similar samples ask for; the sample's own rubric is
never among it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hengfa.evals.grading.rubric import Item, Rubric
from hengfa.evals.suites.base import Baselines, Offer, Search
from hengfa.evals.suites.kit.tasks import always
from hengfa.evals.suites.plawbench.dataset import WORDS, PLawBenchSample
from hengfa.evals.suites.plawbench.extract import (
    CONCLUSION,
    FACTS,
    PARTS,
    REASONING,
    STATUTES,
    TITLES,
)

STOCK: Final = WORDS.stock


def listing(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def analysis(parts: Mapping[str, str]) -> str:
    """Four titled parts in the order that is asked for."""
    return "\n".join(f"【{TITLES[part][0]}】\n{parts[part]}" for part in PARTS)


def item_line(lead_in: str, item: Item) -> str:
    """All that an item asks for, in one line, led in as a question, a remark or a statement."""
    best = [level.name for level in item.levels if level.points == item.maximum]
    asked = "；".join(" ".join(text.split()) for text in (item.text, *item.elements, *best))
    return WORDS.lead_in[lead_in] + asked


# --- consultation ---


def consultation_baselines() -> Baselines[PLawBenchSample]:
    """Questions: the rubric's own, stock ones, or those of similar narratives."""

    def reference(sample: PLawBenchSample) -> str:
        asked = _questions(sample.rubric)
        spare = [question for question in STOCK.questions if question not in asked]
        short = max(sample.asked.least - len(asked), 0)
        return listing([*asked, *spare[:short]])

    def answer(sample: PLawBenchSample, found: Sequence[list[str]]) -> str:
        asked = [question for questions in found for question in questions]
        both = dict.fromkeys([*asked, *STOCK.questions])
        return listing(list(both)[: sample.asked.most])

    def offer(sample: PLawBenchSample) -> Offer:
        return Offer(sample.facts, _questions(sample.rubric))

    stock = always(lambda _sample: listing(STOCK.questions))
    return Baselines(reference, stock, Search(_facts, offer, answer))


def _questions(rubric: Rubric) -> list[str]:
    return [item_line("ask", item) for item in rubric.items()]


# --- case ---


def case_baselines() -> Baselines[PLawBenchSample]:
    """Four parts: the rubric's own items, the facts repeated, or those of similar cases."""

    def reference(sample: PLawBenchSample) -> str:
        return analysis({part: listing(lines) for part, lines in _by_part(sample.rubric).items()})

    def answer(sample: PLawBenchSample, found: Sequence[str | dict[str, list[str]]]) -> str:
        cases = [case for case in found if isinstance(case, dict)]
        law = [text for text in found if isinstance(text, str)]
        parts = _stock(sample)
        if cases:
            parts[CONCLUSION] = listing(cases[0][CONCLUSION])
            parts[REASONING] = listing([line for case in cases for line in case[REASONING]])
        statutes = [*law, *(line for case in cases for line in case[STATUTES])]
        if statutes:
            parts[STATUTES] = listing(list(dict.fromkeys(statutes)))
        return analysis(parts)

    def offer(sample: PLawBenchSample) -> Offer:
        return Offer(_facts(sample), _by_part(sample.rubric))

    return Baselines(
        reference,
        always(lambda sample: analysis(_stock(sample))),
        Search(_facts, offer, answer, law=True),
    )


def _by_part(rubric: Rubric) -> dict[str, list[str]]:
    sections = zip(PARTS, rubric.sections, strict=True)
    return {part: [item_line("note", item) for item in of.items] for part, of in sections}


def _stock(sample: PLawBenchSample) -> dict[str, str]:
    return {
        CONCLUSION: STOCK.conclusion,
        FACTS: sample.facts,
        REASONING: STOCK.reasoning,
        STATUTES: STOCK.statutes,
    }


# --- documents ---


def document_baselines(form: str) -> Baselines[PLawBenchSample]:
    """A document: the rubric's own items, the narrative in a form, or items of other matters."""

    def answer(sample: PLawBenchSample, found: Sequence[list[str]]) -> str:
        others = [line for points in found for line in points]
        return form.format(facts="\n".join([sample.facts, *others]))

    def offer(sample: PLawBenchSample) -> Offer:
        return Offer(sample.label + sample.facts, _points(sample.rubric))

    return Baselines(
        lambda sample: form.format(facts="\n".join(_points(sample.rubric))),
        always(lambda sample: form.format(facts=sample.facts)),
        Search(_facts, offer, answer),
    )


def _points(rubric: Rubric) -> list[str]:
    return [item_line("state", item) for item in rubric.items()]


def _facts(sample: PLawBenchSample) -> str:
    return sample.label + sample.facts + sample.question
