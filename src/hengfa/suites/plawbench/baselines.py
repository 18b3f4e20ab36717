"""What the built-in models write: what the rubric asks for, what fits anything, what search finds.

The ceiling is put together from the rubric itself, so that a perfect grader gives full marks. Each
item is led in by a phrase: a rubric copied item after item is what the evidence check calls an
echo, and nobody who answers has seen it. The
floor has not understood anything: it asks stock questions, and it repeats the facts that it was
given, which is what an analysis is partly graded for. Search gives what the rubrics of other,
similar samples ask for; the sample's own rubric is never among it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from hengfa.grading.rubric import Item, Rubric
from hengfa.suites.base import Baselines, Offer
from hengfa.suites.plawbench import stock
from hengfa.suites.plawbench.dataset import PLawBenchSample
from hengfa.suites.plawbench.extract import (
    CONCLUSION,
    FACTS,
    PARTS,
    REASONING,
    STATUTES,
    TITLES,
)

_OFFERED = msgspec.json.Decoder(dict[str, list[str]])
QUESTIONS = "questions"


def numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def analysis(parts: Mapping[str, str]) -> str:
    """Four titled parts in the order that is asked for."""
    return "\n".join(f"【{TITLES[part][0]}】\n{parts[part]}" for part in PARTS)


def said(lead_in: str, item: Item) -> str:
    """All that an item asks for, in one line."""
    best = [level.name for level in item.levels if level.points == item.maximum]
    asked = "；".join(" ".join(text.split()) for text in (item.text, *item.elements, *best))
    return lead_in + asked


# --- consultation ---


def consultation_baselines() -> Baselines[PLawBenchSample]:
    """Questions: the rubric's own, stock ones, or those of similar narratives."""

    def reference(sample: PLawBenchSample) -> str:
        asked = _questions(sample.rubric)
        spare = [question for question in stock.QUESTIONS if question not in asked]
        short = max(sample.asked.least - len(asked), 0)
        return numbered([*asked, *spare[:short]])

    def from_found(sample: PLawBenchSample, found: Sequence[str]) -> str:
        asked = [question for text in found for question in _OFFERED.decode(text)[QUESTIONS]]
        both = dict.fromkeys([*asked, *stock.QUESTIONS])
        return numbered(list(both)[: sample.asked.most])

    return Baselines(
        reference=reference,
        floor=lambda _samples: lambda _sample: numbered(stock.QUESTIONS),
        query=_facts,
        offer=lambda sample: Offer(sample.facts, _coded({QUESTIONS: _questions(sample.rubric)})),
        from_found=from_found,
    )


def _questions(rubric: Rubric) -> list[str]:
    return [said(stock.ASK, item) for item in rubric.items()]


# --- case ---


def case_baselines() -> Baselines[PLawBenchSample]:
    """Four parts: the rubric's own items, the facts repeated, or those of similar cases."""

    def reference(sample: PLawBenchSample) -> str:
        return analysis({part: numbered(lines) for part, lines in _by_part(sample.rubric).items()})

    def floor(_samples: Sequence[PLawBenchSample]) -> Callable[[PLawBenchSample], str]:
        return lambda sample: analysis(_stock(sample))

    def from_found(sample: PLawBenchSample, found: Sequence[str]) -> str:
        cases = [_OFFERED.decode(text) for text in found if text.startswith("{")]
        law = [text for text in found if not text.startswith("{")]
        parts = _stock(sample)
        if cases:
            parts[CONCLUSION] = numbered(cases[0][CONCLUSION])
            parts[REASONING] = numbered([line for case in cases for line in case[REASONING]])
        statutes = [*law, *(line for case in cases for line in case[STATUTES])]
        if statutes:
            parts[STATUTES] = numbered(list(dict.fromkeys(statutes)))
        return analysis(parts)

    return Baselines(
        reference=reference,
        floor=floor,
        query=_facts,
        offer=lambda sample: Offer(_facts(sample), _coded(_by_part(sample.rubric))),
        from_found=from_found,
        law=True,
    )


def _by_part(rubric: Rubric) -> dict[str, list[str]]:
    return {
        part: [said(stock.NOTE, item) for item in section.items]
        for part, section in zip(PARTS, rubric.sections, strict=True)
    }


def _stock(sample: PLawBenchSample) -> dict[str, str]:
    return {
        CONCLUSION: stock.CONCLUSION,
        FACTS: sample.facts,
        REASONING: stock.REASONING,
        STATUTES: stock.STATUTES,
    }


# --- documents ---


def document_baselines(form: str) -> Baselines[PLawBenchSample]:
    """A document: the rubric's own items, the narrative in a form, or items of other matters."""

    def filled(text: str) -> str:
        return form.format(facts=text)

    def from_found(sample: PLawBenchSample, found: Sequence[str]) -> str:
        others = [line for text in found for line in _OFFERED.decode(text)[FACTS]]
        return filled("\n".join([sample.facts, *others]))

    return Baselines(
        reference=lambda sample: filled("\n".join(_points(sample.rubric))),
        floor=lambda _samples: lambda sample: filled(sample.facts),
        query=_facts,
        offer=lambda sample: Offer(
            sample.label + sample.facts, _coded({FACTS: _points(sample.rubric)})
        ),
        from_found=from_found,
    )


def _points(rubric: Rubric) -> list[str]:
    return [said(stock.STATE, item) for item in rubric.items()]


def _facts(sample: PLawBenchSample) -> str:
    return sample.label + sample.facts + sample.question


def _coded(found: Mapping[str, list[str]]) -> str:
    return msgspec.json.encode(found).decode()
