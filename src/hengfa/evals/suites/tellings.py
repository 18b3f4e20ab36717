"""Tellings: does a sentence say what a provision says, and which of its words do not?

A sentence of a real provision is told faithfully, or with one edit in one of twelve kinds, so that
the key is known (`hengfa.law.library.citing.minimal_pairs`). A *group* is a sentence with all that
was made of it; it counts as right only as a whole, since whoever calls everything faithful has half
of the tellings. Half of the laws is asked about, the other half is to train on (`laws=seen`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.errors import DataError
from hengfa.evals.results.figures import TaskFigures
from hengfa.evals.suites import kit
from hengfa.evals.suites.base import Chosen, Metrics, Suite, SuiteOption, number_to, one_of
from hengfa.evals.suites.kit.rules import ACCURACY, OneOf
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.library.citing.minimal_pairs import groups_of, is_held_back, words_that_differ
from hengfa.law.library.matching import Passages
from hengfa.law.library.opening import open_library
from hengfa.law.library.store import Library

GROUP: Final = "group_accuracy"
FAITHFUL, UNFAITHFUL = "A", "B"
_LAWS, _GROUPS, _SEED = "laws", "groups", "seed"
OPTIONS: Final = {
    _LAWS: SuiteOption(
        "held-back",
        "Of which laws: those held back, those to train on (seen), or all.",
        one_of("held-back", "seen", "all"),
    ),
    _GROUPS: SuiteOption(
        "4", "At most so many groups of each law, drawn by the seed.", number_to(100, 1)
    ),
    _SEED: SuiteOption("7", "Which articles are drawn, and which edits made.", number_to(10**9)),
}


class TellingSample(msgspec.Struct, frozen=True, gc=False):
    """A telling of a provision; ``differing`` are the words that make it another rule."""

    id: str
    law: str
    group: str
    kind: str
    provision: str
    telling: str
    faithful: bool
    differing: str


def load(root: Path, _setting: str, options: Chosen) -> list[TellingSample]:
    """The tellings of the latest version of each law."""
    library = open_library(root)
    chosen = tuple(options.get(name, option.default) for name, option in OPTIONS.items())
    samples = _read(library.path, library.path.stat().st_mtime_ns, *chosen)
    if not samples:
        raise DataError("no law here has a rule of which tellings could be made", file=root)
    return list(samples)


@lru_cache(maxsize=4)
def _read(file: Path, _changed: int, laws: str, most: str, seed: str) -> tuple[TellingSample, ...]:
    samples: list[TellingSample] = []
    with Library.open(file) as library:
        passages = Passages(library)
        for law in library.laws("constitution", "statute"):
            if laws != "all" and is_held_back(law.name) != (laws == "held-back"):
                continue
            for version in library.versions(law)[-1:]:
                for group in groups_of(passages, version, seed=int(seed), most=int(most)):
                    name = f"{law.short}/{format_position(group.position, 'dotted')}"
                    provision = "\n".join(unit.text for unit in group.units)
                    samples += [
                        TellingSample(
                            f"{name}/{number}-{told.kind}", law.name, name, told.kind, provision,
                            told.words, told.faithful, words_that_differ(group, told),
                        )
                        for number, told in enumerate(group.tellings, 1)
                    ]  # fmt: skip
    return tuple(samples)


def _unfaithful(root: Path, setting: str, options: Chosen) -> list[TellingSample]:
    return [sample for sample in load(root, setting, options) if not sample.faithful]


def both_texts(sample: TellingSample) -> str:
    """What is compared."""
    return f"【规定】\n{sample.provision}\n\n【转述】\n{sample.telling}"


def ask_whether(sample: TellingSample, _setting: str) -> str:
    """The question of the first task."""
    return (
        f"{both_texts(sample)}\n\n【转述】换了说法、次序，或者只说【规定】的一部分，只要没有改变规则，"
        "就是一致；主体、可以与应当与不得、肯定与否定、数字、期限、条件、例外、后果、范围有一处变了，"
        "就是不一致。【转述】与【规定】是否一致？\nA. 一致\nB. 不一致\n只写一个字母。"
    )


def ask_which_words(sample: TellingSample, _setting: str) -> str:
    """The question of the second task."""
    return (
        f"{both_texts(sample)}\n\n【转述】有一处改变了规则。只照抄【转述】中与【规定】不符的词语；"
        "如果是漏掉了【规定】中的词语，照抄被漏掉的词语。不要解释，几处之间用顿号隔开。"
    )


class Pairs(OneOf[TellingSample]):
    """One point for each telling; of a group, one if all its tellings are right."""

    def across(self, scored: Mapping[str, tuple[TellingSample, Metrics]]) -> Mapping[str, Metrics]:
        """Stands with the first telling of each group that is there."""
        groups: defaultdict[str, dict[str, bool]] = defaultdict(dict)
        for key, (sample, metrics) in scored.items():
            groups[sample.group][key] = metrics[ACCURACY] == 1
        return {next(iter(own)): {GROUP: float(all(own.values()))} for own in groups.values()}


def _facets(sample: TellingSample) -> dict[str, str]:
    return {"law": sample.law, "kind": sample.kind}


def _gold(sample: TellingSample) -> str:
    return FAITHFUL if sample.faithful else UNFAITHFUL


_CHOICE: Final = kit.choice(
    "faithful",
    "转述是否属实",
    "Is it what the provision says",
    load=load,
    question=both_texts,
    ask=ask_whether,
    gold=_gold,
    letters=FAITHFUL + UNFAITHFUL,
    stratum=lambda sample: sample.law,
    facets=_facets,
    cluster="law",
    sample_type=TellingSample,
)
WHETHER: Final = replace(
    _CHOICE,
    rules=lambda fixes, data: Pairs(**vars(_CHOICE.rules(fixes, data))),
    together=lambda sample: sample.group,
)
WHICH_WORDS: Final = kit.writing(
    "words",
    "哪些词语不符",
    "Which words differ",
    load=_unfaithful,
    question=both_texts,
    ask=ask_which_words,
    gold=lambda sample: sample.differing,
    metric=kit.CHARACTER_F1,
    stratum=lambda sample: sample.law,
    facets=_facets,
    cluster="law",
    sample_type=TellingSample,
)


def _further(tasks: Mapping[str, TaskFigures]) -> dict[str, float]:
    more = tasks[WHETHER.id].more if WHETHER.id in tasks else {}
    return {GROUP: more[GROUP]} if GROUP in more else {}


SUITE: Final = Suite(
    name="tellings",
    title="法条转述",
    title_en="Tellings",
    pack="statutes",
    settings=("default",),
    tasks={task.id: task for task in (WHETHER, WHICH_WORDS)},
    figures=kit.levels((WHETHER.id, WHICH_WORDS.id)),
    further=_further,
    options=OPTIONS,
    titles={"overall": ("总分", "overall"), GROUP: ("整组全对", "whole groups right")},
    sample="claw",
)
