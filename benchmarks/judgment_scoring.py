"""How long JuDGE's official rules take on one system's output, METEOR included.

    python benchmarks/judgment_scoring.py [OUTPUT.jsonl [DATA]]

Without arguments, the example output and the data in the shared folder. CPU seconds of one process.
Files and the dictionary are loaded before, nothing else: every document, references included, is
read and cut for the first time. Beside them:

- METEOR: NLTK's on the same tokens, in the same run, its WordNet replaced by the numerals;
- all: the published evaluator on another machine (`reference/judge_scores.json`).

Needs the shared data (HENGFA_SHARED, or next to the checkout) and hengfa[bench].
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from hengfa.evals.runs.cells import score_task
from hengfa.evals.suites.base import AnyRuleSet, PredictionContext, Rules
from hengfa.evals.suites.judgment.dataset import JudgmentSample
from hengfa.evals.suites.judgment.reading import Reading
from hengfa.evals.suites.judgment.suite import SUITE
from hengfa.evals.suites.predictions import read_predictions
from hengfa.evals.suites.scoring import Scored
from hengfa.law.text.meteor import NUMERALS, meteor
from hengfa.law.text.segmentation import cut
from shared_data import read_arguments, shared_folder

Tokens = Sequence[tuple[list[str], list[str]]]


class Numerals:
    """What NLTK asks of WordNet."""

    def synsets(self, word: str) -> list[Synset]:
        return [Synset(word)] if word in NUMERALS else []


class Synset:
    def __init__(self, word: str) -> None:
        self._word = word

    def lemmas(self) -> list[Lemma]:
        return [Lemma(name) for name in NUMERALS[self._word]]


class Lemma:
    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output", type=Path, nargs="?", metavar="OUTPUT.jsonl")
    parser.add_argument("data", type=Path, nargs="?", metavar="DATA")
    given = read_arguments(parser)
    shared = shared_folder()
    output = given.output or shared / "data" / "JuDGE" / "Example_Output.jsonl"
    data = given.data or shared / "data" / "JuDGE"
    (saved,) = read_predictions(SUITE, output, PredictionContext("direct", data))
    attempts = saved.attempts("document")
    cut("词典")
    task = SUITE.tasks["document"]
    rules = task.rule_set(Rules.OFFICIAL, data)
    seconds, (figure, scored) = timed(lambda: score_task(task, rules, attempts))
    print(f"{output.name}: {len(attempts)} documents, CPU seconds of one process\n")
    row("all metrics", seconds, published(shared), "published evaluator, another machine")
    tokens = sections(scored, rules)
    found: list[float] = []
    ours, _ = timed(lambda: found.extend(meteor(mine, other) for mine, other in tokens))
    theirs, expected = timed(lambda: nltk_scores(tokens))
    row("METEOR alone, on tokens", ours, theirs, "NLTK, same run")
    print(f"\nequal to NLTK in all {len(found)} sections: {found == expected}")
    for name, value in SUITE.further({"document": figure}).items() if SUITE.further else ():
        print(f"  {name:24} {value:.6g}")


def sections(scored: Sequence[Scored], rules: AnyRuleSet) -> Tokens:
    """The tokens of all pairs of sections that METEOR compares."""
    found = []
    for one in scored:
        mine = one.answer and one.answer.value
        other = isinstance(one.sample, JudgmentSample) and rules.read(one.sample.document).value
        if isinstance(mine, Reading) and isinstance(other, Reading):
            texts = [(mine.elements.reason, other.elements.reason)]
            texts.append((mine.elements.judgment, other.elements.judgment))
            if all(text for pair in texts for text in pair):
                found += [(cut(text), cut(gold)) for text, gold in texts]
    return found


def nltk_scores(tokens: Tokens) -> list[float]:
    nltk = import_module("nltk.translate.meteor_score")
    words = Numerals()
    return [nltk.single_meteor_score(other, mine, wordnet=words) for mine, other in tokens]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def row(name: str, ours: float, theirs: float, what: str) -> None:
    print(f"{name:26} {ours:6.2f}   {what}: {theirs:.2f} ({theirs / ours:.1f} times)")


def published(shared: Path) -> float:
    file = shared / "reference" / "judge_scores.json"
    seconds = json.loads(file.read_text("utf-8"))["example_output"]["seconds_cpu"]
    return float(sum(seconds.values()))


if __name__ == "__main__":
    main()
