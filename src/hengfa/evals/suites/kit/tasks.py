"""Tasks of the usual kinds, and the suite that they make, each declared in a few lines.

Prompt, rules, floor, ceiling, retrieval and findings follow from the kind of task. Whatever is
otherwise in a benchmark replaces one part: `naming` for how answers are read, `baselines` for what
the built-in models say, further fields of `Task` by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from statistics import fmean, median_low
from typing import Any, Generic, TypedDict, TypeVar, Unpack

import msgspec

from hengfa.base.data.catalogue import Entry
from hengfa.base.data.jsonfile import problem_and_field, read_rows
from hengfa.base.errors import DataError
from hengfa.evals.engine.messages import Message
from hengfa.evals.suites import base
from hengfa.evals.suites.base import Baselines, Chosen, Offer, Sample, Search, Suite, Task
from hengfa.evals.suites.kit import rules
from hengfa.evals.suites.kit.rules import Naming, TextMetric, Wrapper
from hengfa.law.retrieval.terms import character_pairs

S = TypeVar("S", bound=Sample)
V = TypeVar("V")
Load = Callable[[Path, str, Chosen], list[S]]
Ask = Callable[[S, str], str]
"""The whole prompt for a sample in a setting: instruction, worked examples, question."""


# What the built-in models answer. The reference is the gold in the form that the prompt asks for.
# The floor is the best trivial answer: skill is measured from there. Retrieval repeats what the
# most similar sample has; a sample never finds itself.

TextOf = Callable[[S], str]
Form = Callable[[Iterable[object]], str]
"""Puts names into the form that the prompt asks for."""


def form_of(wrapper: Wrapper | None, separator: str = "") -> Form:
    """Names one after the other, in the wrapper where there is one."""

    def form(names: Iterable[object]) -> str:
        joined = separator.join(map(str, names))
        return wrapper.around(joined) if wrapper else joined

    return form


def always(answer: TextOf[S]) -> base.Floor[S]:
    """A trivial answer that does not look at the other samples."""
    return lambda _samples: answer


def first_found(_sample: S, texts: Sequence[str]) -> str:
    """What is most alike, as it is."""
    return texts[0] if texts else ""


def text_baselines(
    question: TextOf[S],
    reference: TextOf[S],
    floor: base.Floor[S] | None = None,
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
    floor: base.Floor[S] | int = 1,
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
        seen = {pair for passage in texts for pair in character_pairs(passage)}

        def share(name: str) -> float:
            pairs = set(character_pairs(offered[name]))
            return len(pairs & seen) / len(pairs) if pairs else 0.0

        return form([max(offered, key=share)]) if offered else ""

    def offer(sample: S) -> Offer:
        return Offer(question(sample), question(sample))

    return replace(plain, search=Search(question, offer, likeliest, law=True))


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


class Row(msgspec.Struct, kw_only=True):
    """A row of a file as a sample; without an `id` in the file it is the row's number, from 0."""

    id: str = ""


R = TypeVar("R", bound=Row)


@dataclass(frozen=True)
class rows(Generic[R]):  # noqa: N801 - called as a function is
    """Samples from the rows of a file in the data folder: lines, an array or an object. `{setting}`
    in the pattern is the setting; a row that is not as its type says is named."""

    pattern: str
    sample_type: type[R]

    def __call__(self, root: Path, setting: str, _options: Chosen) -> list[R]:
        file = root / self.pattern.replace("{setting}", setting)
        samples = [
            _sample(self.sample_type, key, fields, file, number)
            for key, number, fields in read_rows(file, dict[str, Any])
        ]
        if not samples:
            raise DataError("there is nothing in this file", file=file)
        return samples


def _sample(kind: type[R], key: str, fields: dict[str, Any], file: Path, number: int) -> R:
    try:
        return msgspec.convert(fields | {"id": str(fields.get("id", key))}, kind)
    except msgspec.ValidationError as error:
        problem, field = problem_and_field(str(error))
        raise DataError(problem, file=file, row=number, field=field) from error


class More(TypedDict, Generic[S], total=False):
    """What a task of any kind may say besides: its prompt, fixes and baselines, where they are not
    what the kind has, and further fields of a task."""

    ask: Ask[S] | None
    fixes: Mapping[str, str] | None
    baselines: Baselines[S] | None
    stratum: Callable[[S], str]
    facets: Callable[[S], Mapping[str, str]]
    cluster: str
    fields: Mapping[str, Callable[[S], str]]
    sample_type: type[S]


def fixes(*names: str) -> dict[str, str]:
    """Some of the repairs that these rules know, by name, each with its sentence."""
    return {name: rules.SENTENCES[name] for name in names}


def one_turn(
    question: Callable[[S], str], ask: Ask[S] | None = None
) -> Callable[[S, str], tuple[Message, ...]]:
    """A prompt of one message: what is asked in a setting, or just the question."""

    def prompt(sample: S, setting: str) -> tuple[Message, ...]:
        return (Message("user", question(sample) if ask is None else ask(sample, setting)),)

    return prompt


def choice(
    task_id: str,
    title: str,
    title_en: str,
    *,
    load: Load[S],
    question: Callable[[S], str],
    gold: Callable[[S], str],
    letters: str = "ABCD",
    options: Callable[[S], Mapping[str, str]] | None = None,
    wrapper: Wrapper | None = None,
    naming: Naming[str] | None = None,
    **more: Unpack[More[S]],
) -> Task[S, str]:
    """One of several options by its letter: accuracy. `options` are their texts, for retrieval."""
    naming = naming or partial(rules.letters_in, letters=letters, wrapper=wrapper)
    form = form_of(wrapper)
    task: Task[S, str] = _task(
        (task_id, title, title_en), rules.ACCURACY, load, question,
        partial(rules.OneOf[S], what="option", naming=naming, gold=gold),
        choice_baselines(question, gold, form, options), more,
    )  # fmt: skip
    return replace(
        task,
        choices=lambda sample: [
            form([letter]) for letter in (options and options(sample)) or letters
        ],
    )


def label(
    task_id: str,
    title: str,
    title_en: str,
    *,
    load: Load[S],
    question: Callable[[S], str],
    gold: Callable[[S], str | None],
    vocabulary: Sequence[str],
    wrapper: Wrapper | None = None,
    naming: Naming[str] | None = None,
    **more: Unpack[More[S]],
) -> Task[S, str]:
    """One label of a closed vocabulary: accuracy. A sample whose gold is None is not judged."""
    naming = naming or partial(rules.labels_in, vocabulary=vocabulary, wrapper=wrapper)
    return _task(
        (task_id, title, title_en), rules.ACCURACY, load, question,
        partial(rules.OneOf[S], what="label", naming=naming, gold=gold),
        label_baselines(question, lambda sample: filter(None, [gold(sample)]), form_of(wrapper)),
        more,
    )  # fmt: skip


def labels(
    task_id: str,
    title: str,
    title_en: str,
    *,
    load: Load[S],
    question: Callable[[S], str],
    gold: Callable[[S], Collection[str]],
    vocabulary: Sequence[str],
    separator: str = "、",
    wrapper: Wrapper | None = None,
    naming: Naming[str] | None = None,
    **more: Unpack[More[S]],
) -> Task[S, frozenset[str]]:
    """Any number of labels of a closed vocabulary: F1 of the two sets."""
    naming = naming or partial(rules.labels_in, vocabulary=vocabulary, wrapper=wrapper)

    def names(sample: S) -> frozenset[str]:
        return frozenset(gold(sample))

    return _task(
        (task_id, title, title_en), rules.F1, load, question,
        partial(rules.SetOf[S, str], what="label", naming=naming, gold=names),
        label_baselines(question, names, form_of(wrapper, separator)), more,
    )  # fmt: skip


def writing(
    task_id: str,
    title: str,
    title_en: str,
    *,
    load: Load[S],
    question: Callable[[S], str],
    gold: Callable[[S], str],
    metric: TextMetric = rules.ROUGE_L,
    **more: Unpack[More[S]],
) -> Task[S, str]:
    """A text that is compared with a reference."""

    def compare(text: str, reference: str, _fixes: base.Fixes) -> base.Metrics:
        return {metric.name: metric.compare(text, reference)}

    return _task(
        (task_id, title, title_en), metric.name, load, question,
        partial(
            rules.Compared[S], metric=metric.name, unit=metric.unit, compare=compare, gold=gold
        ),
        text_baselines(question, gold), more,
    )  # fmt: skip


def number(
    task_id: str,
    title: str,
    title_en: str,
    *,
    load: Load[S],
    question: Callable[[S], str],
    gold: Callable[[S], float | None],
    tolerance: float = 0.0,
    wrapper: Wrapper | None = None,
    naming: Naming[float] | None = None,
    **more: Unpack[More[S]],
) -> Task[S, float]:
    """A number, the last that is named: accuracy, within `tolerance` as a share of the gold."""
    naming = naming or partial(rules.numbers_in, wrapper=wrapper)
    return _task(
        (task_id, title, title_en), rules.ACCURACY, load, question,
        partial(rules.OneNumber[S], naming=naming, gold=gold, tolerance=tolerance),
        number_baselines(question, gold, form_of(wrapper)), more,
    )  # fmt: skip


def _task(
    names: tuple[str, str, str],
    metric: str,
    load: Load[S],
    question: Callable[[S], str],
    build: Callable[[base.Fixes, Path | None], base.RuleSet[S, V]],
    usual: Baselines[S],
    more: More[S],
) -> Task[S, V]:
    """A task whose question a template may show. Its rules make the mistakes of the fixes that are
    declared and off, and no others; what its samples are is known where they are rows."""
    ask, fixes = more.pop("ask", None), more.pop("fixes", None) or {}
    baselines = more.pop("baselines", None) or usual
    never_made = frozenset(rules.SENTENCES) - frozenset(fixes)
    further: dict[str, Any] = {"fields": {"question": question}, **more}
    if isinstance(load, rows):
        further.setdefault("sample_type", load.sample_type)
    return Task(
        *names, metric, load, one_turn(question, ask),
        lambda on, data: build(on | never_made, data), fixes, baselines, **further,
    )  # fmt: skip


Figures = Callable[[Mapping[str, float]], dict[str, float]]


def levels(tasks: Sequence[str], prefixes: Mapping[str, str] | None = None) -> Figures:
    """The mean of the tasks of each level, by the prefix of their ids; overall is the mean of
    tasks, not of levels.

    A level of which a task is missing has no figure: a mean of some tasks is not the level's.
    """
    groups = {
        level: [task for task in tasks if task.startswith(prefix)]
        for level, prefix in (prefixes or {}).items()
    } | {"overall": list(tasks)}

    def figures(scores: Mapping[str, float]) -> dict[str, float]:
        return {
            name: fmean(scores[task] for task in group)
            for name, group in groups.items()
            if group and all(task in scores for task in group)
        }

    return figures


def suite(
    name: str,
    title: str,
    title_en: str,
    tasks: Sequence[Task[Any, Any]],
    *,
    files: Sequence[str],
    licence: str,
    homepage: str = "",
    settings: Sequence[str] = ("default",),
    level_prefixes: Mapping[str, str] | None = None,
    level_titles: Mapping[str, tuple[str, str]] | None = None,
    layouts: Sequence[base.Layout] = (),
    options: Mapping[str, base.SuiteOption] | None = None,
    tables: Path | None = None,
) -> Suite:
    """A suite whose data is a pack of its own name: the `files` of a folder, by patterns.

    `tables` is a folder with what papers have printed (docs/papers.md).
    """
    by_id = {task.id: task for task in tasks}
    if len(by_id) < len(tasks):
        twice = next(task.id for task in tasks if by_id[task.id] is not task)
        raise DataError(f"two tasks have the id {twice!r}", file=name, field="tasks")
    return Suite(
        name=name,
        title=title,
        title_en=title_en,
        pack=name,
        settings=tuple(settings),
        tasks=by_id,
        figures=levels(tuple(by_id), level_prefixes),
        layouts=tuple(layouts),
        options=options or {},
        abilities=level_titles or {},
        titles={"overall": ("总分", "overall")},
        entry=Entry(
            name=name, title=title_en, licence=licence, homepage=homepage, patterns=tuple(files)
        ),
        tables=tables,
    )
