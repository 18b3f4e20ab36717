"""What the built-in models answer to tasks of the usual kinds.

The reference is the gold in the form that the prompt asks for. The floor is the best trivial
answer: skill is measured from there. Retrieval repeats what the most similar sample has; a sample
never finds itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from statistics import median_low
from typing import TypeVar

from hengfa.evals.suites.base import Baselines, Floor, Offer, Sample, Search
from hengfa.evals.suites.kit.rules import Wrapper
from hengfa.law.retrieval.terms import character_pairs

S = TypeVar("S", bound=Sample)
TextOf = Callable[[S], str]
Form = Callable[[Iterable[object]], str]
"""Puts names into the form that the prompt asks for."""


def form_of(wrapper: Wrapper | None, separator: str = "") -> Form:
    """Names one after the other, in the wrapper where there is one."""

    def form(names: Iterable[object]) -> str:
        joined = separator.join(map(str, names))
        return wrapper.around(joined) if wrapper else joined

    return form


def always(answer: TextOf[S]) -> Floor[S]:
    """A trivial answer that does not look at the other samples."""
    return lambda _samples: answer


def first_found(_sample: S, texts: Sequence[str]) -> str:
    """What is most alike, as it is."""
    return texts[0] if texts else ""


def text_baselines(
    question: TextOf[S],
    reference: TextOf[S],
    floor: Floor[S] | None = None,
    *,
    own: TextOf[S] | None = None,
    law: bool = False,
) -> Baselines[S]:
    """Free text; the floor is the question back. `own` is a retrieval answer that is made from the
    question alone.

    Where law text is searched, references are searched like law; else questions like questions.
    """
    return Baselines(
        reference,
        floor or always(question),
        Search(
            question,
            lambda sample: Offer((reference if law else question)(sample), reference(sample)),
            first_found if own is None else lambda sample, _texts: own(sample),
            law,
        ),
    )


def label_baselines(
    question: TextOf[S],
    names: Callable[[S], Iterable[object]],
    form: Form,
    floor: Floor[S] | int = 1,
) -> Baselines[S]:
    """One or more labels. Floor: so many of the commonest. Retrieval: the neighbour's."""

    def commonest(samples: Sequence[S]) -> TextOf[S]:
        counted = Counter(name for sample in samples for name in names(sample))
        ranked = sorted(counted, key=lambda name: (-counted[name], str(name)))
        trivial = form(ranked[: floor if isinstance(floor, int) else 1])
        return lambda _sample: trivial

    def reference(sample: S) -> str:
        named = names(sample)
        return form(sorted(named, key=str) if isinstance(named, frozenset) else named)

    return Baselines(
        reference,
        commonest if isinstance(floor, int) else floor,
        Search(question, lambda sample: Offer(question(sample), reference(sample)), first_found),
    )


def choice_baselines(
    question: TextOf[S],
    letter: Callable[[S], str],
    form: Form,
    options: Callable[[S], Mapping[str, str]] | None = None,
) -> Baselines[S]:
    """Floor: the commonest letter. Retrieval: the option that shares most with what was found, or
    the neighbour's letter where nobody says what the options are."""
    plain = label_baselines(question, lambda sample: [letter(sample)], form)
    if options is None:
        return plain

    def likeliest(sample: S, texts: Sequence[str]) -> str:
        offered = options(sample)
        if not offered:
            return ""
        seen = {pair for passage in texts for pair in character_pairs(passage)}
        best = max(offered, key=lambda name: _share(set(character_pairs(offered[name])), seen))
        return form([best])

    return Baselines(
        plain.reference,
        plain.floor,
        Search(
            question,
            lambda sample: Offer(question(sample), question(sample)),
            likeliest,
            law=True,
        ),
    )


def number_baselines(
    question: TextOf[S], number: Callable[[S], float | None], form: Form
) -> Baselines[S]:
    """Floor: the number in the middle. Retrieval: the neighbour's."""

    def middle(samples: Sequence[S]) -> TextOf[S]:
        numbers = [value for sample in samples if (value := number(sample)) is not None]
        trivial = form([_plain(median_low(numbers))]) if numbers else ""
        return lambda _sample: trivial

    def names(sample: S) -> list[str]:
        value = number(sample)
        return [] if value is None else [_plain(value)]

    return label_baselines(question, names, form, middle)


def _plain(value: float) -> str:
    """A number as people write it: 3900, 0.5; never 1e+15."""
    return f"{Decimal(repr(value)).normalize():f}"


def _share(option: set[str], seen: set[str]) -> float:
    return len(option & seen) / len(option) if option else 0.0
