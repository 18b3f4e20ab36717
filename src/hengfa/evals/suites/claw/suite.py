"""CLaw's declaration: two tasks, made from the law library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from hengfa.evals.results.figures import TaskFigures
from hengfa.evals.suites.base import Baselines, Chosen, Offer, Search, Suite, Task
from hengfa.evals.suites.claw import dataset, locating, provisions, reciting, twins
from hengfa.evals.suites.claw.dataset import ClawSample
from hengfa.evals.suites.claw.locating import Locating, Place
from hengfa.evals.suites.claw.reciting import Recitation, Reciting
from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import format_citation, format_position
from hengfa.law.library.opening import PACK


def law_of(sample: ClawSample) -> str:
    """A limited run takes its share of every law."""
    return sample.law


# What the built-in models answer. A statute has its conventions: article 1 says why it was made,
# article 2 what it is about. And a string of commas and particles shares more words in order with a
# provision than half of the published models' recitations do: the floor is not zero. Search never
# sees the sample itself, but the rest of the corpus: where a law is at hand in several versions, it
# finds the same text, or the same position, in another of them.

CONVENTIONS: Final = (("制定本", 1), ("本法所称", 2), ("适用本法", 2))
"""Words that stand in the same article of most statutes."""

FILLER: Final = "的，、或者和的，、的，；。"  # what provisions have most in common


def id_form(position: Position) -> str:
    """A position in the form that the prompt asks for."""
    paragraph, item = (
        "None" if number is None else str(number) for number in (position.paragraph, position.item)
    )
    article = format_position(Position(position.article, position.article_sub))
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

    def words(sample: ClawSample) -> str:
        return sample.law + sample.text

    return Baselines(
        lambda sample: id_form(sample.position),
        commonest_place,
        Search(words, lambda sample: Offer(words(sample), sample), answer),
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
        Search(place, lambda sample: Offer(place(sample), sample), answer),
    )


ID = Task[ClawSample, Place](
    id="id",
    title="法条定位",
    title_en="ID retrieval: where does this provision stand",
    metric=locating.ARTICLE,
    load=partial(dataset.load, "id"),
    prompt=locating.prompt,
    fields=locating.FIELDS,
    rules=lambda fixes, _data: Locating(fixes),
    fixes=locating.FIXES,
    baselines=id_baselines(),
    stratum=law_of,
    together=dataset.group_of,
    facets=lambda sample: dataset.facets_of(sample) | provisions.kinds(sample, locating.query),
    cluster=dataset.LAW,
    sample_type=ClawSample,
)

CONTENT = Task[ClawSample, Recitation](
    id="content",
    title="法条背诵",
    title_en="Content retrieval: what does this provision say",
    metric=reciting.ROUGE_L,
    load=partial(dataset.load, "content"),
    prompt=reciting.prompt,
    fields=reciting.FIELDS,
    rules=lambda fixes, _data: Reciting(fixes),
    fixes=reciting.FIXES,
    baselines=content_baselines(),
    stratum=law_of,
    together=dataset.group_of,
    facets=lambda sample: dataset.facets_of(sample) | provisions.kinds(sample, reciting.query),
    cluster=dataset.LAW,
    sample_type=ClawSample,
)


def figures(task_scores: Mapping[str, float]) -> dict[str, float]:
    """The two main metrics under their own names; the paper has no figure over all tasks."""
    return {task.metric: task_scores[task.id] for task in (ID, CONTENT) if task.id in task_scores}


def further(tasks: Mapping[str, TaskFigures]) -> dict[str, float]:
    """What became of the pairs of the setting `twins`, of all pairs."""
    more = tasks[CONTENT.id].more if CONTENT.id in tasks else {}
    return {f"twins/{name}": more[name] for name in twins.OUTCOMES if name in more}


SUITE = Suite(
    name="claw",
    title="CLaw 法条知识评测",
    title_en="CLaw",
    pack=PACK,
    settings=dataset.SETTINGS,
    tasks={task.id: task for task in (ID, CONTENT)},
    figures=figures,
    headline=CONTENT.metric,
    headline_says="the paper has no overall, and prints article_accuracy of four models only",
    further=further,
    options=dataset.OPTIONS,
    abilities={
        locating.ARTICLE: ("法条定位", "locate a provision"),
        reciting.ROUGE_L: ("法条背诵", "recite a provision"),
    },
    titles={
        f"twins/{twins.BOTH}": ("新旧皆对", "both wordings right"),
        f"twins/{twins.ONLY_OLD}": ("仅旧对", "only the old one right"),
        f"twins/{twins.ONLY_NEW}": ("仅新对", "only the new one right"),
        f"twins/{twins.MIXED_UP}": ("新旧相混", "mixed up"),
        f"twins/{twins.NEITHER}": ("新旧皆错", "neither right"),
    },
    prompts={"english": Path(__file__).with_name("prompts_english.toml")},
)


# Rows to train on: the questions with what is right, without the laws held out


class TrainingRows(NamedTuple):
    """The rows, as `hengfa train sft` reads them, how many laws there are, and which were left
    out."""

    rows: list[dict[str, Any]]
    laws: int
    held_out: tuple[str, ...]


def training_rows(
    root: Path, tasks: Sequence[str], setting: str, options: Chosen, share: float
) -> TrainingRows:
    """Every question of some tasks but those on the laws that are held out."""
    rows: list[dict[str, Any]] = []
    laws: dict[str, bool] = {}
    for name in dict.fromkeys(tasks):
        task = SUITE.tasks[name]
        for sample in task.samples(root, setting, options):
            if sample.law not in laws:
                laws[sample.law] = dataset.is_held_out(sample.law, share)
            if not laws[sample.law]:
                key, target = SUITE.key(name, setting, sample), task.baselines.reference(sample)
                messages = task.prompt(sample, setting)
                rows.append({"id": key, "messages": messages, "target": target})
    return TrainingRows(rows, len(laws), tuple(law for law, out in laws.items() if out))
