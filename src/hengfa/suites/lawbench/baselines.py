"""What the built-in models answer: the reference, the trivial answer, and what search finds.

The trivial answers are those of lawbench.md 7: some of them beat most published models. A
neighbour is the sample whose question is most alike; retrieval mostly repeats its reference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from hengfa.retrieval.terms import character_pairs
from hengfa.suites.base import Baselines, Offer
from hengfa.suites.lawbench import gold
from hengfa.suites.lawbench.dataset import LawBenchSample
from hengfa.suites.lawbench.rules import CHOICE, END, TERM

Reference = Callable[[LawBenchSample], str]
Floor = Callable[[Sequence[LawBenchSample]], Reference]

# Where an option of a multiple-choice question begins. Matches "A:" and "B："; not "DNA:".
_OPTION = re.compile(r"(?<![A-Za-z])([A-E])[:：]")
_CLAUSE_END = re.compile("[,，。；;]")
_LEAD, _SHORT_LEAD = 300, 50
_CONSTANT_TERM = 18


def texts(
    reference: Callable[[str], str] = gold.as_it_is,
    floor: Floor | None = None,
    *,
    own: Reference | None = None,
    law: bool = False,
) -> Baselines[LawBenchSample]:
    """Free text. `own` is a retrieval answer that is made from the question alone.

    Where law text is searched, references are searched like law; else questions like questions.
    """

    def offer(sample: LawBenchSample) -> Offer:
        text = reference(sample.answer)
        return Offer(text if law else sample.question, text)

    def from_found(sample: LawBenchSample, texts: Sequence[str]) -> str:
        if own is not None:
            return own(sample)
        return texts[0] if texts else ""

    return Baselines(
        reference=lambda sample: reference(sample.answer),
        floor=floor or always(echo),
        query=lambda sample: sample.question,
        offer=offer,
        from_found=from_found,
        law=law,
    )


def labels(
    mark: str, parts: Callable[[str], Iterable[object]], separator: str = "", floor: Floor | int = 1
) -> Baselines[LawBenchSample]:
    """One or more labels in a wrapper. Floor: so many of the commonest. Retrieval: the neighbour's.

    Without a mark there is no wrapper around the answer.
    """

    def form(named: Iterable[object]) -> str:
        joined = separator.join(map(str, named))
        return f"{mark}{joined}{END}" if mark else joined

    def commonest(samples: Sequence[LawBenchSample]) -> Reference:
        counted = Counter(part for sample in samples for part in parts(sample.answer))
        ranked = sorted(counted, key=lambda part: (-counted[part], str(part)))
        trivial = form(ranked[: floor if isinstance(floor, int) else 1])
        return lambda _sample: trivial

    def reference(sample: LawBenchSample) -> str:
        named = parts(sample.answer)
        return form(sorted(named) if isinstance(named, frozenset) else named)

    return Baselines(
        reference=reference,
        floor=commonest if isinstance(floor, int) else floor,
        query=lambda sample: sample.question,
        offer=lambda sample: Offer(sample.question, reference(sample)),
        from_found=lambda _sample, texts: texts[0] if texts else "",
    )


def choice(position: int) -> Baselines[LawBenchSample]:
    """Floor: the commonest option. Retrieval: the option that shares most with what was found."""
    plain = labels(CHOICE, lambda answer: [gold.letter(answer, position)])

    def from_found(sample: LawBenchSample, texts: Sequence[str]) -> str:
        options = split_options(sample.question)
        if not options:
            return ""
        seen = {pair for passage in texts for pair in character_pairs(passage)}
        best = max(options, key=lambda letter: _share(set(character_pairs(options[letter])), seen))
        return f"{CHOICE}{best}{END}"

    return Baselines(
        reference=plain.reference,
        floor=plain.floor,
        query=plain.query,
        offer=lambda sample: Offer(sample.question, sample.question),
        from_found=from_found,
        law=True,
    )


def constant_term() -> Floor:
    """Tasks 3-4 and 3-5: 18 months, whatever the case. Only GPT-4 is published as better."""
    return always(lambda _sample: f"{TERM}{_CONSTANT_TERM}个月{END}")


def always(answer: Reference) -> Floor:
    """A trivial answer that does not look at the other samples."""
    return lambda _samples: answer


def echo(sample: LawBenchSample) -> str:
    """The question back."""
    return sample.question


def lead(sample: LawBenchSample) -> str:
    """The first 300 characters: a news report says the main thing first (2-7)."""
    return sample.question[:_LEAD]


def short_lead(sample: LawBenchSample) -> str:
    """The first characters of the passage: who, when, where (2-5)."""
    return sample.question.removeprefix("段落:")[:_SHORT_LEAD]


def nearest_clause(sample: LawBenchSample) -> str:
    """The clause of the passage that shares most with the question (2-5)."""
    passage, _, question = sample.question.rpartition("问题:")
    asked = set(character_pairs(question))
    clauses = [clause for clause in _CLAUSE_END.split(passage) if clause] or [question]
    return max(
        clauses, key=lambda clause: len(asked & set(character_pairs(clause))) / len(clause) ** 0.5
    )


def nothing(_sample: LawBenchSample) -> str:
    """There is nothing to report (2-6)."""
    return "无"


def listed(answer: str) -> str:
    """2-6: one entity type a line, as the prompt asks."""
    return answer.replace(";", "\n") or "无"


def term(answer: str) -> tuple[str, ...]:
    """3-4, 3-5: the term as the data has it; it may be a death or life sentence."""
    return (answer.removeprefix("刑期:"),)


def article_names(answer: str) -> list[str]:
    """3-1: the articles in the form the prompt shows."""
    return [f"刑法第{number}条" for number in sorted(gold.articles(answer))]


def money(answer: str) -> tuple[str, ...]:
    """3-7: the amount without idle decimals."""
    return (f"{gold.amount(answer):.2f}".rstrip("0").rstrip(".") + "元",)


def split_options(question: str) -> dict[str, str]:
    """Option letter to its text, in order of appearance."""
    parts = _OPTION.split(question)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _share(option: set[str], seen: set[str]) -> float:
    return len(option & seen) / len(option) if option else 0.0
