"""Tasks of the usual kinds, and the suite that they make, each declared in a few lines.

Prompt, rules, floor, ceiling, retrieval and findings follow from the kind of task. Whatever is
otherwise in a benchmark replaces one part: `naming` for how answers are read, `baselines` for what
the built-in models say, further fields of `Task` by name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, Generic, TypedDict, TypeVar, Unpack

import msgspec

from hengfa.base.data.catalogue import Entry
from hengfa.base.data.jsonfile import problem_and_field, read_rows
from hengfa.base.errors import DataError
from hengfa.evals.engine.messages import Message
from hengfa.evals.suites.base import (
    Baselines,
    Chosen,
    Fixes,
    Layout,
    Metrics,
    RuleSet,
    Sample,
    Suite,
    SuiteOption,
    Task,
)
from hengfa.evals.suites.kit import rules
from hengfa.evals.suites.kit.baselines import (
    choice_baselines,
    form_of,
    label_baselines,
    number_baselines,
    text_baselines,
)
from hengfa.evals.suites.kit.rules import (
    ACCURACY,
    F1,
    SENTENCES,
    Compared,
    Naming,
    OneNumber,
    OneOf,
    SetOf,
    TextMetric,
    Wrapper,
)

S = TypeVar("S", bound=Sample)
Load = Callable[[Path, str, Chosen], list[S]]
Ask = Callable[[S, str], str]
"""The whole prompt for a sample in a setting: instruction, worked examples, question."""


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


class More(TypedDict, total=False):
    """Further fields of a task."""

    stratum: Callable[[Any], str]
    facets: Callable[[Any], Mapping[str, str]]
    cluster: str
    fields: Mapping[str, Callable[[Any], str]]
    sample_type: type[Any]


def fixes(*names: str) -> dict[str, str]:
    """Some of the repairs that these rules know, by name, each with its sentence."""
    return {name: SENTENCES[name] for name in names}


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
    ask: Ask[S] | None = None,
    gold: Callable[[S], str],
    letters: str = "ABCD",
    options: Callable[[S], Mapping[str, str]] | None = None,
    wrapper: Wrapper | None = None,
    naming: Naming[str] | None = None,
    fixes: Mapping[str, str] | None = None,
    baselines: Baselines[S] | None = None,
    **more: Unpack[More],
) -> Task[S, str]:
    """One of several options by its letter: accuracy. `options` are their texts, for retrieval."""
    naming = naming or partial(rules.letters_in, letters=letters, wrapper=wrapper)
    form = form_of(wrapper)
    return Task(
        task_id, title, title_en, ACCURACY, load, one_turn(question, ask),
        _with_fixes(partial(OneOf[S], what="option", naming=naming, gold=gold), fixes),
        fixes or {},
        baselines or choice_baselines(question, gold, form, options),
        choices=lambda sample: [
            form([letter]) for letter in (options and options(sample)) or letters
        ],
        **_more(question, load, more),
    )  # fmt: skip


def label(
    task_id: str,
    title: str,
    title_en: str,
    *,
    load: Load[S],
    question: Callable[[S], str],
    ask: Ask[S] | None = None,
    gold: Callable[[S], str | None],
    vocabulary: Sequence[str],
    wrapper: Wrapper | None = None,
    naming: Naming[str] | None = None,
    fixes: Mapping[str, str] | None = None,
    baselines: Baselines[S] | None = None,
    **more: Unpack[More],
) -> Task[S, str]:
    """One label of a closed vocabulary: accuracy. A sample whose gold is None is not judged."""
    naming = naming or partial(rules.labels_in, vocabulary=vocabulary, wrapper=wrapper)
    return Task(
        task_id, title, title_en, ACCURACY, load, one_turn(question, ask),
        _with_fixes(partial(OneOf[S], what="label", naming=naming, gold=gold), fixes),
        fixes or {},
        baselines
        or label_baselines(question, lambda sample: filter(None, [gold(sample)]), form_of(wrapper)),
        **_more(question, load, more),
    )  # fmt: skip


def labels(
    task_id: str,
    title: str,
    title_en: str,
    *,
    load: Load[S],
    question: Callable[[S], str],
    ask: Ask[S] | None = None,
    gold: Callable[[S], Collection[str]],
    vocabulary: Sequence[str],
    separator: str = "、",
    wrapper: Wrapper | None = None,
    naming: Naming[str] | None = None,
    fixes: Mapping[str, str] | None = None,
    baselines: Baselines[S] | None = None,
    **more: Unpack[More],
) -> Task[S, frozenset[str]]:
    """Any number of labels of a closed vocabulary: F1 of the two sets."""
    naming = naming or partial(rules.labels_in, vocabulary=vocabulary, wrapper=wrapper)

    def names(sample: S) -> frozenset[str]:
        return frozenset(gold(sample))

    return Task(
        task_id, title, title_en, F1, load, one_turn(question, ask),
        _with_fixes(partial(SetOf[S, str], what="label", naming=naming, gold=names), fixes),
        fixes or {},
        baselines or label_baselines(question, names, form_of(wrapper, separator)),
        **_more(question, load, more),
    )  # fmt: skip


def writing(
    task_id: str,
    title: str,
    title_en: str,
    *,
    load: Load[S],
    question: Callable[[S], str],
    ask: Ask[S] | None = None,
    gold: Callable[[S], str],
    metric: TextMetric = rules.ROUGE_L,
    fixes: Mapping[str, str] | None = None,
    baselines: Baselines[S] | None = None,
    **more: Unpack[More],
) -> Task[S, str]:
    """A text that is compared with a reference."""

    def compare(text: str, reference: str, _fixes: Fixes) -> Metrics:
        return {metric.name: metric.compare(text, reference)}

    build = partial(Compared[S], metric=metric.name, unit=metric.unit, compare=compare, gold=gold)
    return Task(
        task_id, title, title_en, metric.name, load, one_turn(question, ask),
        _with_fixes(build, fixes),
        fixes or {},
        baselines or text_baselines(question, gold),
        **_more(question, load, more),
    )  # fmt: skip


def number(
    task_id: str,
    title: str,
    title_en: str,
    *,
    load: Load[S],
    question: Callable[[S], str],
    ask: Ask[S] | None = None,
    gold: Callable[[S], float | None],
    tolerance: float = 0.0,
    wrapper: Wrapper | None = None,
    naming: Naming[float] | None = None,
    fixes: Mapping[str, str] | None = None,
    baselines: Baselines[S] | None = None,
    **more: Unpack[More],
) -> Task[S, float]:
    """A number, the last that is named: accuracy, within `tolerance` as a share of the gold."""
    naming = naming or partial(rules.numbers_in, wrapper=wrapper)
    return Task(
        task_id, title, title_en, ACCURACY, load, one_turn(question, ask),
        _with_fixes(partial(OneNumber[S], naming=naming, gold=gold, tolerance=tolerance), fixes),
        fixes or {},
        baselines or number_baselines(question, gold, form_of(wrapper)),
        **_more(question, load, more),
    )  # fmt: skip


def _more(question: Callable[[Any], str], load: Load[Any], more: More) -> More:
    """The further fields of a task whose question a template may show; what its samples are is
    known where they are rows."""
    known: More = {"sample_type": load.sample_type} if isinstance(load, rows) else {}
    return {"fields": {"question": question}, **known, **more}


def _with_fixes(
    build: Callable[[Fixes, Path | None], RuleSet[S, Any]], declared: Mapping[str, str] | None
) -> Callable[[Fixes, Path | None], RuleSet[S, Any]]:
    """Rules that make the mistakes of the fixes that are declared and off, and no others."""
    never_made = frozenset(SENTENCES) - frozenset(declared or ())
    return lambda on, data: build(on | never_made, data)


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
    layouts: Sequence[Layout] = (),
    options: Mapping[str, SuiteOption] | None = None,
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
            name=name,
            title=title_en,
            licence=licence,
            homepage=homepage,
            patterns=tuple(files),
        ),
        tables=tables,
    )
