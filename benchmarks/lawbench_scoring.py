"""How long LawBench's official rules take on one model's predictions, task by task.

    python benchmarks/lawbench_scoring.py [FOLDER] [--samples N]

FOLDER holds one model's files in LawBench's own layout (`…/zero_shot/GPT4`). Without it, GPT-4's
released answers in the shared folder are unpacked.
CPU seconds of one process, files read, dictionaries loaded. Beside them:

- ROUGE-L tasks: jieba and rouge-chinese, measured here in the same run;
- 3-1, 3-4, 3-5: cn2an's numerals alone, measured here in the same run;
- 2-1: what the virtual clock of lawbench.md 3.6 says the published evaluator would take, ten
  seconds for an answer that times out;
- the rest: the published evaluator on another machine (`reference/lawbench_scores.csv`).

Needs the shared data (HENGFA_SHARED, or next to the checkout) and hengfa[bench].
"""

from __future__ import annotations

import argparse
import csv
import gc
import logging
import os
import sys
import tarfile
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from hengfa.evals.engine.messages import Response
from hengfa.evals.runs.cells import score_task
from hengfa.evals.suites.base import PredictionContext, Rules
from hengfa.evals.suites.lawbench import gold
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.evals.suites.lawbench.proofreading import SIMILARITY_FOLDER
from hengfa.evals.suites.lawbench.suite import SUITE
from hengfa.evals.suites.predictions import read_predictions
from shared_data import read_arguments, shared_folder

Pairs = Sequence[tuple[LawBenchSample, Response]]
ROUGE_TASKS: dict[str, Callable[[str], str]] = {
    "1-1": gold.without(gold.RECITED),
    "2-7": gold.as_it_is,
    "3-2": gold.as_it_is,
    "3-8": gold.as_it_is,
}
NUMERAL_TASKS = ("3-1", "3-4", "3-5")
PROOFREADING = "2-1"
TIME_OUT = 10.0


class Baseline(NamedTuple):
    seconds: float
    what: str


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER")
    parser.add_argument("--samples", type=int, help="the first of each task, instead of all")
    given = read_arguments(parser, quick="--samples 5")
    warnings.simplefilter("ignore")
    logging.getLogger("jieba").setLevel(logging.ERROR)
    shared = shared_folder()
    with tempfile.TemporaryDirectory() as scratch:
        measure(given.folder or unpack(shared, Path(scratch)), shared, given.samples)


def measure(folder: Path, shared: Path, samples: int | None) -> None:
    data = shared / "data" / "LawBench"
    (saved,) = read_predictions(SUITE, folder, PredictionContext("zero_shot", data))
    elsewhere = seconds_elsewhere(shared, saved.setting, saved.model)
    print(
        f"{saved.setting}/{saved.model}, {os.cpu_count()} cores, Python {sys.version.split()[0]}\n"
    )
    print("task    hengfa s   baseline s    ratio   baseline")
    own, others = 0.0, 0.0
    for task in SUITE.tasks.values():
        if task.id not in saved.tasks():
            continue
        attempts = saved.attempts(task.id)[:samples]
        pairs: Pairs = [(attempt.sample, attempt.response) for attempt in attempts]  # type: ignore[misc]
        rule_set = task.rule_set(Rules.OFFICIAL, data)
        score_task(task, rule_set, attempts[:20])
        mine = seconds(partial(score_task, task, rule_set, attempts))
        other = baseline(task.id, pairs, data, elsewhere)
        ratio = other.seconds / mine
        print(f"{task.id:5} {mine:10.3f} {other.seconds:12.3f} {ratio:8.1f}   {other.what}")
        if task.id != PROOFREADING:
            own, others = own + mine, others + other.seconds
    print(f"\nall but 2-1 {own:.2f} s, baselines {others:.2f} s, ratio {others / own:.1f}")


def baseline(task: str, pairs: Pairs, data: Path, elsewhere: dict[str, float]) -> Baseline:
    if task in ROUGE_TASKS:
        work = partial(rouge_chinese, pairs, ROUGE_TASKS[task])
        rouge_chinese(pairs[:1], ROUGE_TASKS[task])
        return Baseline(seconds(work), "jieba + rouge-chinese, here")
    if task in NUMERAL_TASKS:
        return Baseline(seconds(partial(cn2an, pairs)), "cn2an alone, here")
    if task == PROOFREADING:
        return Baseline(virtual_clock(pairs, data), "published evaluator, by the virtual clock")
    return Baseline(elsewhere.get(task, 0.0), "published evaluator, elsewhere")


def seconds(work: Callable[[], object]) -> float:
    gc.collect()  # of what came before
    before = time.process_time()
    work()
    return time.process_time() - before


def rouge_chinese(pairs: Pairs, reference: Callable[[str], str]) -> None:
    import jieba
    from rouge_chinese import Rouge

    rouge = Rouge()
    for sample, response in pairs:
        words = " ".join(jieba.cut(response.text)).strip() or "无内容"
        rouge.get_scores([words], [" ".join(jieba.cut(reference(sample.answer)))])


def cn2an(pairs: Pairs) -> None:
    from cn2an import transform

    for _, response in pairs:
        transform(response.text, "cn2an")


def virtual_clock(pairs: Pairs, data: Path) -> float:
    from hengfa.law.text.proofreading import Similarity, alignment, score, source_of_prompt

    similarity = Similarity.read(data / SIMILARITY_FOLDER)
    total = 0.0
    for sample, response in pairs:
        source = score.source_text(source_of_prompt(sample.sent or sample.prompt) or "")
        answer = score.prediction_text(response.text, sample.answer, whole=False)
        for target in (answer, score.gold_text(sample.answer)):
            if target != source:
                took = alignment.all_alignments(source, target, similarity, limit=TIME_OUT).seconds
                total += min(took, TIME_OUT)
    return total


def seconds_elsewhere(shared: Path, setting: str, model: str) -> dict[str, float]:
    with (shared / "reference" / "lawbench_scores.csv").open(encoding="utf-8") as file:
        return {
            row["task"]: float(row["cpu_seconds"])
            for row in csv.DictReader(file)
            if (row["setting"], row["model"]) == (setting, model) and row["cpu_seconds"]
        }


def unpack(shared: Path, scratch: Path) -> Path:
    with tarfile.open(shared / "data" / "LawBench" / "predictions" / "dev.tar.xz") as archive:
        for member in archive.getmembers():
            if "zero_shot/GPT4/" in member.name:
                archive.extract(member, scratch, filter="data")
    return next(scratch.rglob("GPT4"))


if __name__ == "__main__":
    main()
