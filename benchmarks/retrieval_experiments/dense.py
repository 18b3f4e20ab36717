"""What the scores of a trained encoder add to neighbours, BM25 and the linear classifier.

The encoder is trained elsewhere (examples/train_law_retriever.py, on a GPU): one model for each of
five parts of the facts that has not seen it, and one for each two parts, so that the choice of what
is fused can be nested here as well. Same parts, same masked facts: without the encoder's scores,
with them added to what was chosen without, and with everything chosen together.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hengfa.law.retrieval.evaluating import gains_of
from hengfa.law.retrieval.measures import Values, folds
from hengfa.law.terminal.retrieval import show_difference
from retrieval_experiments.choosing import Asked, Slot, nested
from retrieval_experiments.data import Facts
from retrieval_experiments.facts import (
    AIM,
    SPACE,
    Answers,
    mask,
    remove_leakage,
    show,
    show_choices,
    together,
    values_of,
)
from retrieval_experiments.table import Scores

NAMES = ("dense", "dense neighbours")
LOG = "dense, logarithm"
DENSE = (
    Slot(("dense", LOG), (1.0, 0.1, 0.25, 0.5, 2.0, 4.0)),
    Slot(("dense neighbours",), (1.0, 0.1, 0.25, 0.5, 2.0)),
)
"""What may be chosen besides; the scores of `dense` are chances that sum to 1."""
_LEAST = 1e-6


class Trained:
    """The scores of a file, in our order of facts and articles."""

    def __init__(self, file: Path, facts: Facts) -> None:
        with np.load(file, allow_pickle=False) as kept:
            needed = ("queries", "articles", "fold", "seed", *NAMES, *(f"inner {n}" for n in NAMES))
            if missing := [name for name in needed if name not in kept]:
                sys.exit(f"{file} lacks {', '.join(missing)}: train with --nested")
            rows = _places(kept["queries"].tolist(), [one.id for one in facts.queries], file)
            columns = _places(kept["articles"].tolist(), facts.ids, file)
            self.part_of: NDArray[np.int64] = kept["fold"][rows]
            self.seed = int(kept["seed"])
            self._outer: dict[str, Scores] = {n: kept[n][rows][:, columns] for n in NAMES}
            self._inner: dict[str, Scores] = {
                n: kept[f"inner {n}"][:, rows][:, :, columns] for n in NAMES
            }
        self.parts = [
            fold.measured
            for fold in folds(len(facts.queries), int(self.part_of.max()) + 1, self.seed)
        ]
        for number, part in enumerate(self.parts):
            if not np.array_equal(part, np.flatnonzero(self.part_of == number)):
                sys.exit(f"{file} has other folds than seed {self.seed} gives")

    def scores(self, learned: NDArray[np.int64], rows: NDArray[np.int64]) -> dict[str, Scores]:
        """Of rows of one part, by the models that saw no part but those of the learned rows."""
        unseen = set(range(len(self.parts))) - set(self.part_of[learned].tolist())
        (own,) = set(self.part_of[rows].tolist())
        others = unseen - {own}
        if others:
            (other,) = others
            found = {name: planes[other, rows] for name, planes in self._inner.items()}
        else:
            found = {name: scores[rows] for name, scores in self._outer.items()}
        chance = np.maximum(found["dense"], _LEAST)
        return found | {LOG: (1 - np.log(chance) / np.log(_LEAST)).astype(np.float32)}

    def alone(self, name: str) -> Scores:
        return self._outer[name]


def print_dense(file: Path) -> None:
    """Figures without and with the encoder's scores, on the same facts, and their differences."""
    facts = Facts()
    trained = Trained(file, facts)
    close = remove_leakage(facts)
    mask(facts)
    print(f"facts masked; folds of seed {trained.seed}")
    for name in NAMES:
        show(f"{name} alone", values_of(facts, trained.alone(name)))
    answers = Answers(facts)

    def ask(learned: NDArray[np.int64], rows: NDArray[np.int64]) -> Asked:
        asked = answers.ask(learned, rows)
        return asked._replace(scores={**asked.scores, **trained.scores(learned, rows)})

    without = list(nested(trained.parts, ask, SPACE, AIM, close))
    fixed = [one.weights for one in without]
    fusions = {
        "without dense": without,
        "dense added to what was chosen without it": list(
            nested(trained.parts, ask, DENSE, AIM, close, given=fixed)
        ),
        "all chosen together": list(nested(trained.parts, ask, (*SPACE, *DENSE), AIM, close)),
    }
    first: dict[str, Values] = {}
    for name, done in fusions.items():
        values = values_of(facts, together(facts, done))
        show(f"fusion, {name}", values)
        show_choices(done)
        for key, gain in gains_of(values, first).items() if first else ():
            print(f"    {key:<8} less without: {show_difference(gain)}")
        first = first or values


def _places(named: list[str], wanted: list[str], file: Path) -> list[int]:
    """Where in the file each of what is wanted stands."""
    place = {name: number for number, name in enumerate(named)}
    if place.keys() != set(wanted):
        sys.exit(f"{file} is of other facts or articles")
    return [place[name] for name in wanted]
