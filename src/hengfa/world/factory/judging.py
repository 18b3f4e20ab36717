"""Whether a task is worth asking: its key is right, and nobody gets it without looking things up.

The key must come out again (`recomputed`). Then the lazy try: who gives the same answer always, who
copies the answer to the most similar question, who looks up what is named once, who passes over
every condition, who hands the question to a search. A task that one of them gets is refused.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

import msgspec

from hengfa.law.retrieval.index import BM25Index
from hengfa.world.factory.follow import IS_LISTED, IS_NOT_LISTED, key_of_cell
from hengfa.world.factory.graph import inputs_of
from hengfa.world.factory.recomputed import Recomputation, has_conditions
from hengfa.world.factory.task import FreshTask, Plan, Reason, Refused
from hengfa.world.factory.words import asked_columns, list_words
from hengfa.world.tables.cells import blank
from hengfa.world.tables.schema import CASES, Lookup
from hengfa.world.tables.world import FoundRow, World

PASSAGES: Final = 5  # so many texts a search gives back
ONE_IN: Final = 20  # no answer may get as many as one in so many tasks of a set


class Answers(msgspec.Struct, frozen=True):
    """How the answers of a set are spread: how many different, the commonest and its share, and the
    entropy in bits beside the most that so many tasks can have."""

    tasks: int
    different: int
    commonest: str
    share: float
    entropy: float
    most: float


def spread_of(tasks: Sequence[FreshTask]) -> Answers:
    counts = Counter("、".join(task.key) for task in tasks)
    total = len(tasks)
    (commonest, times), *_ = counts.most_common(1)
    entropy = -sum(n / total * math.log2(n / total) for n in counts.values())
    most = math.log2(total)  # which a sum of equal shares can pass by its last digit
    return Answers(total, len(counts), commonest, times / total, min(entropy + 0.0, most), most)


def alike_in(size: int) -> int:
    """So many tasks of a set may have one answer: under one in twenty, and always one."""
    return max(1, math.ceil(size / ONE_IN) - 1)


def share_in(keys: Sequence[str], text: str) -> float:
    """The share of the keys that a text has: success, as it is scored."""
    if len(keys) == 1:
        return float(keys[0] in text)
    return sum(key in text for key in keys) / len(keys)


class Constants:
    """What each answer of a set would earn if it were given to every task of the set."""

    def __init__(self, size: int) -> None:
        self._most = alike_in(size) + 1e-9
        self._earned = {f"{IS_LISTED}、{IS_NOT_LISTED}": 0.0}  # who says both is right always
        self._keys: Counter[tuple[str, ...]] = Counter()

    def check(self, keys: tuple[str, ...], answer: str) -> None:
        """Refuse a task with which some answer would earn too much."""
        if answer not in self._earned and self._own(answer) + 1 > self._most:
            raise Refused(Reason.COMMON)
        for text, earned in self._earned.items():
            if earned + 1 > self._most and earned + share_in(keys, text) > self._most:
                raise Refused(Reason.COMMON)

    def add(self, keys: tuple[str, ...], answer: str) -> None:
        if answer not in self._earned:
            self._earned[answer] = self._own(answer)
        for text in self._earned:
            self._earned[text] += share_in(keys, text)
        self._keys[keys] += 1

    def remove(self, keys: tuple[str, ...]) -> None:
        for text in self._earned:
            self._earned[text] -= share_in(keys, text)
        self._keys[keys] -= 1

    def _own(self, answer: str) -> float:
        """What a new answer earns with the tasks that are there."""
        there = ((keys, n) for keys, n in self._keys.items() if any(key in answer for key in keys))
        return sum(share_in(keys, answer) * n for keys, n in there)


class Judge:
    def __init__(self, world: World) -> None:
        self._world = world
        self._again = Recomputation(world.connection, world.schema)
        self._found: dict[str, bool] = {}

    def check(self, plan: Plan, keys: tuple[str, ...]) -> None:
        """Refuse a task that is wrong, or that needs no thought."""
        if self._again.keys(plan) != keys:
            raise Refused(Reason.RECOMPUTED)
        if has_conditions(plan) and self._again.keys(plan, heedless=True) == keys:
            raise Refused(Reason.HEEDLESS)
        for lookup in self._world.schema.lookups if len(plan.hops) > 1 else ():
            if plan.start.entity in inputs_of(lookup):
                rows = self._world.find(lookup.table, lookup.match, plan.start.values)
                if rows and share_in(keys, _visible_text(lookup, rows)) == 1:
                    raise Refused(Reason.ONE_CALL)

    def unfit(self, tasks: Sequence[FreshTask]) -> dict[int, Reason]:
        """The places of tasks that a copy or a search gets, among the tasks of one class."""
        if not tasks:
            return {}
        new = [task for task in tasks if task.question not in self._found]
        got = {new[place].question for place in find_searched(new, self._cases)}
        self._found |= {task.question: task.question in got for task in new}
        places = [place for place, task in enumerate(tasks) if self._found[task.question]]
        found = dict.fromkeys(places, Reason.SEARCHED)
        return found | dict.fromkeys(find_copied(tasks), Reason.COPIED)

    @cached_property
    def _cases(self) -> Cases:
        return Cases(self._world.texts(CASES))


def _visible_text(lookup: Lookup, rows: Sequence[FoundRow]) -> str:
    """What one look-up shows: every cell as it is and as a key, and how many rows there are."""
    table = lookup.table
    words = asked_columns(table)
    texts = [f"{len(rows)}{list_words(lookup).measure}"] if lookup.returns == "list" else []
    for row in rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            if blank(cell):
                continue
            texts.append(str(cell))
            if column.kind != "text" and column.name in words:
                asked = words[column.name]
                try:
                    texts.append(key_of_cell(cell, column.kind, asked.unit, asked.before).text)
                except Refused:
                    continue
    return "\n".join(texts)


def find_copied(tasks: Sequence[FreshTask]) -> list[int]:
    """The places of tasks of which the most similar other question, by words, has a key."""
    questions = [task.question for task in tasks]
    places = []
    for number, hits in enumerate(BM25Index(questions).search(questions, 2)):
        nearest = next((hit for hit in hits if hit != number), None)
        if nearest is not None and share_in(tasks[number].key, tasks[nearest].answer):
            places.append(number)
    return places


class Cases:
    """The reported cases of a world, searched by words."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = list(texts)
        self.index = BM25Index(self.texts) if self.texts else None


def find_searched(tasks: Sequence[FreshTask], cases: Cases) -> list[int]:
    """The places of tasks whose keys are all in the texts that their question finds."""
    if cases.index is None or not tasks:
        return []
    found = cases.index.search([task.question for task in tasks], PASSAGES)
    return [
        number
        for number, hits in enumerate(found)
        if share_in(tasks[number].key, "\n".join(cases.texts[hit] for hit in hits)) == 1
    ]
