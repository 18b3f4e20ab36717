"""How long a site of half a million responses takes to build, how much memory, how large it is.

    python benchmarks/report_site.py [--models 51] [--samples 500] [--keep DIR]

Runs of LawBench's twenty tasks are made up: texts of random characters as frequent as in Chinese
prose and as long as real ones, values at random. The site is built as `hengfa report` does it, in a
process of its own, whose time and peak memory are printed.

Needs no data; --models 2 is a quick look.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np

from hengfa.evals.report.site.boards import gather
from hengfa.evals.report.site.build import build_site
from hengfa.evals.results.tables import Record, ResponseRow, write_records, write_responses
from hengfa.evals.results.trace import Finding, Trace
from hengfa.evals.runs.folder import write_imported
from hengfa.evals.suites.base import AnyTask, Rules
from hengfa.evals.suites.registry import get_suite
from shared_data import read_arguments

SUITE, SETTING = "lawbench", "zero_shot"
PROMPT, REFERENCE, RESPONSE = 420, 90, 230
"""Mean lengths in characters, as in LawBench and its released predictions."""


class Prose:
    """Random text; characters are as unequal in frequency as in real texts (Zipf)."""

    def __init__(self, seed: int) -> None:
        numbers = np.random.default_rng(seed)
        weights = 1 / np.arange(1, 3001) ** 0.9
        places = numbers.choice(3000, 4_000_000, p=weights / weights.sum())
        signs = np.array([chr(0x4E00 + 5 * place) for place in range(3000)])
        self._text = "".join(signs[places])
        self._dice = random.Random(seed)

    def text(self, mean: int) -> str:
        length = max(1, int(self._dice.gammavariate(2, mean / 2)))
        start = self._dice.randrange(len(self._text) - length)
        return self._text[start : start + length]


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--models", type=int, default=51)
    arguments.add_argument("--samples", type=int, default=500)
    arguments.add_argument("--keep", type=Path, help="leave runs and site in this folder")
    given = read_arguments(arguments, quick="--models 2 --samples 10")
    with TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        size = given.models, given.samples
        in_its_own_process(make_runs, folder / "runs", *size)
        in_its_own_process(build, folder / "runs", folder / "site")
        weigh(folder / "site")


def in_its_own_process(work: Callable[..., None], *given: object) -> None:
    """This process stays small, because a child is charged with the memory of its parent."""
    process = multiprocessing.get_context("spawn").Process(target=measured, args=(work, *given))
    process.start()
    process.join()
    if process.exitcode:
        sys.exit(f"{work.__name__} failed")


def measured(work: Callable[..., None], *given: object) -> None:
    """Print how long it takes and how much memory."""
    start = time.perf_counter()
    work(*given)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(
        f"{work.__name__}: {time.perf_counter() - start:.0f} s, "
        f"CPU {used.ru_utime + used.ru_stime:.0f} s, peak memory {used.ru_maxrss / 1024:,.0f} MB",
        flush=True,
    )


def make_runs(folder: Path, models: int, samples: int) -> None:
    suite, prose = get_suite(SUITE), Prose(1)
    asked = {
        task: [(prose.text(PROMPT), prose.text(REFERENCE)) for _ in range(samples)]
        for task in suite.tasks
    }
    for number in range(models):
        name = f"model-{number:02}"
        run = folder / f"{SUITE}-{SETTING}-{name}"
        write_imported(run, SUITE, SETTING, name)
        scores = {
            task.id: write_task(run, task, name, asked[task.id], prose, number / (2 * models))
            for task in suite.tasks.values()
        }
        write_figures(run, scores, samples)
    print(f"{models * len(suite.tasks) * samples:,} responses")


def write_task(
    run: Path,
    task: AnyTask,
    model: str,
    asked: list[tuple[str, str]],
    prose: Prose,
    skill: float,
) -> float:
    """The two tables of a task; returns its score."""
    pooled = task.rule_set(Rules.OFFICIAL).pooled
    metrics = dict.fromkeys([task.metric, *(pooled.parts if pooled else ())])
    dice = random.Random(f"{model}/{task.id}")
    same: dict[str, Any] = {
        "run": run.name,
        "suite": SUITE,
        "task": task.id,
        "setting": SETTING,
        "model": model,
    }
    records: list[Record] = []
    responses: list[ResponseRow] = []
    for number, (prompt, reference) in enumerate(asked):
        value = min(1.0, max(0.0, dice.gauss(0.25 + skill, 0.2)))
        text = prose.text(RESPONSE)
        trace = Trace("answer", (Finding("answer", text[:20], reference[:20], value > 0.5),))
        response = ResponseRow(
            **same,
            rules=str(Rules.OFFICIAL),
            sample=str(number),
            cluster=None,
            facets="{}",
            status="answered",
            answer_status="extracted",
            prompt=prompt,
            reference=reference,
            response=text,
            reasoning="",
            extracted=text[:40],
            trace=msgspec.json.encode(trace).decode(),
            input_tokens=len(prompt),
            output_tokens=len(text),
            seconds=1.0,
            cost=0.001,
            currency="CNY",
        )
        responses.append(response)
        records += [
            Record(
                **same,
                rules=response.rules,
                sample=response.sample,
                metric=metric,
                value=value,
                strict=value,
                counted=True,
                status=response.status,
                answer_status=response.answer_status,
                input_tokens=response.input_tokens,
                output_tokens=response.output_tokens,
                seconds=response.seconds,
                instrument=None,
                data="",
            )
            for metric in metrics
        ]
    name = f"{task.id}.{Rules.OFFICIAL}.parquet"
    write_records(records, run / Record.FOLDER / name)
    write_responses(responses, run / ResponseRow.FOLDER / name)
    values = [one.value or 0.0 for one in records if one.metric == task.metric]
    sums = [sum(values)] * len(pooled.parts) if pooled else []
    return pooled.figure(*sums) if pooled else sum(values) / len(values)


def write_figures(run: Path, scores: dict[str, float], samples: int) -> None:
    document = {
        "tasks": {
            task: {
                "score": score,
                "lenient": score,
                "n": samples,
                "floor": 0.1,
                "ceiling": 1.0,
                "statuses": {"answered": samples},
                "answers": {"extracted": samples},
            }
            for task, score in scores.items()
        },
        "figures": get_suite(SUITE).figures(scores),
        "samples": samples * len(scores),
        "accept": ["answered"],
    }
    (run / f"figures.{Rules.OFFICIAL}.json").write_bytes(msgspec.json.encode(document))


def build(runs: Path, site: Path) -> None:
    build_site(gather([str(runs)]), site, built="2031-01-01T00:00:00+00:00", notify=print)


def weigh(site: Path) -> None:
    files = [file for file in site.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    first = (site / "data" / "site.js").stat().st_size
    largest = max(files, key=lambda file: file.stat().st_size)
    print(f"site: {size / 1e6:,.0f} MB in {len(files):,} files; data/site.js {first / 1e3:,.0f} kB")
    print(f"largest file: {largest.relative_to(site)} {largest.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
