"""What the built-in models answer: the reference, the trivial answer, and what search finds.

A statute has its conventions: article 1 says why it was made, article 2 what it is about. And a
string of commas and particles shares more words in order with a provision than half of the
published models' recitations do: the floor is not zero.

Search never sees the sample itself. It sees the rest of the corpus, so where a law is at hand in
several versions it finds the same text, or the same position, in another of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from hengfa.evals.suites.base import Baselines, Offer, Search
from hengfa.evals.suites.claw.dataset import ClawSample
from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import format_citation

CONVENTIONS: Final = (("制定本", 1), ("本法所称", 2), ("适用本法", 2))
"""Words that stand in the same article of most statutes."""

FILLER: Final = "的，、或者和的，、的，；。"
"""What provisions have most in common."""


def id_form(position: Position) -> str:
    """A position in the form that the prompt asks for."""
    paragraph, item = (
        "None" if number is None else str(number) for number in (position.paragraph, position.item)
    )
    article = format_citation(None, Position(position.article, position.article_sub))
    return f"```markdown\n条序号：{article}\n款序号：{paragraph}\n项序号：{item}\n```"


def commonest_place(samples: Sequence[ClawSample]) -> Callable[[ClawSample], str]:
    """The commonest article, or the one that convention reserves for such a text; and of its
    positions the commonest."""
    articles = Counter(sample.position.article for sample in samples)
    usual = max(articles, key=lambda article: (articles[article], -(article or 0)))
    counted = Counter(sample.position for sample in samples)
    commonest = {
        position.article: id_form(position)
        for position in sorted(counted, key=lambda at: (counted[at], id_form(at)))
    }

    def answer(sample: ClawSample) -> str:
        by_convention = (number for words, number in CONVENTIONS if words in sample.text)
        article = next(by_convention, usual)
        return commonest.get(article) or id_form(Position(article))

    return answer


def id_baselines() -> Baselines[ClawSample]:
    """Retrieval: where the text that is most alike stands, in another version if there is one."""

    def answer(sample: ClawSample, found: Sequence[ClawSample]) -> str:
        known = [there for there in found if there.law == sample.law]
        others = [there for there in known if there.version != sample.version]
        best = next(iter(others or known), None)
        return id_form(best.position if best else Position(1))

    return Baselines(
        lambda sample: id_form(sample.position),
        commonest_place,
        Search(
            lambda sample: sample.law + sample.text,
            lambda sample: Offer(sample.law + sample.text, sample),
            answer,
        ),
    )


def content_baselines() -> Baselines[ClawSample]:
    """Retrieval: what stands at the same position in another version, else near to it."""

    def answer(sample: ClawSample, found: Sequence[ClawSample]) -> str:
        known = [there for there in found if there.law == sample.law]
        same = [there for there in known if there.position == sample.position]
        best = next(iter(same or known), None)
        return best.text if best else FILLER

    def place(sample: ClawSample) -> str:
        return format_citation(sample.law, sample.position)

    return Baselines(
        lambda sample: sample.text,
        lambda _samples: lambda _sample: FILLER,
        Search(
            place,
            lambda sample: Offer(place(sample), sample),
            answer,
        ),
    )
