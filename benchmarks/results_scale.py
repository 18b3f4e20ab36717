"""Millions of responses: how long `results`, `compare` and `report` take, and how much memory.

    python benchmarks/results_scale.py                        # 0.5, 1, 2 and 5 million responses
    python benchmarks/results_scale.py --millions 0.1         # a quick look
    python benchmarks/results_scale.py --only compare,board   # some of the commands

Five models answer LawBench's twenty tasks, each answer read by the official and by the corrected
rules. Rows are those of the built-in models `floor` and `ceiling`, really scored on the sample pack
and repeated under new names, one or the other by chance, so that columns, traces and values are
real; texts are made up, as long as real ones, and hardly any is there twice. Each command runs in a
process of its own, whose time and peak memory are printed, and its seconds of CPU per million as a
part of those at the smallest size: 1.00 is linear. Runs lie in a folder that is removed in the end.

Needs Linux, no data; 5 million responses need 14 GB of disk.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

import hengfa
from hengfa.evals.results.figures import TaskFigures
from hengfa.evals.results.tables import Record, read_table, records_file, responses_file
from hengfa.evals.runs.folder import figures_of, write_figures, write_imported
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.registry import get_suite
from hengfa.evals.suites.scoring import ANSWERS
from shared_data import read_arguments

SUITE, SETTING = "lawbench", "zero_shot"
MODELS = 5
PROMPT, REFERENCE, RESPONSE = 420, 90, 230
"""Mean lengths in characters, as in LawBench and its released predictions."""
BUILT_IN = ("floor", "ceiling")
PIECES = 20_000
"""So many passages, of which two make a text."""


CALL = """
import atexit, re, time
from pathlib import Path
def say():
    peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]
    print(time.process_time(), peak)
atexit.register(say)
from hengfa.cli.main import main
main()
"""


class Measured(NamedTuple):
    """How long a command took, how much time of processors, and how much memory at most."""

    seconds: float
    processors: float
    megabytes: float


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--millions", default="0.5,1,2,5", help="of responses, several with ,")
    arguments.add_argument("--only", help="names of commands, with , between them")
    arguments.add_argument("--folder", type=Path, help="where to keep runs, and find them again")
    given = read_arguments(arguments, quick="--millions 0.005")
    first: dict[str, float] = {}
    print("| responses | records | command | seconds | CPU | against linear | peak memory |")
    print("| ---: | ---: | --- | ---: | ---: | ---: | ---: |")
    for millions in map(float, given.millions.split(",")):
        with TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
            folder = (given.folder or Path(temporary)) / f"{millions:g}"
            records = prepared(folder, millions)
            for name, command in commands(folder).items():
                if given.only and name not in given.only.split(","):
                    continue
                measured = run(command)
                each = measured.processors / millions
                growth = each / first.setdefault(name, each)
                print(
                    f"| {millions:g} million | {records / 1e6:.1f} million | {name} "
                    f"| {measured.seconds:.1f} | {measured.processors:.1f} | {growth:.2f} "
                    f"| {measured.megabytes:,.0f} MB |",
                    flush=True,
                )


def commands(folder: Path) -> dict[str, list[str]]:
    runs = ["--runs", str(folder / "runs")]
    names = [f"model-{number}" for number in range(MODELS)]
    out = str(folder / "site")
    return {
        "list": ["results", *runs, "--json"],
        "board": ["results", SUITE, *runs, "--json"],
        "by law": ["results", SUITE, "--run", names[0], "--by", "law", *runs, "--json"],
        "compare two": ["compare", *names[:2], *runs, "--json"],
        "compare": ["compare", *names, "--all-pairs", *runs, "--json"],
        "report": ["report", str(folder / "runs"), "-o", out],
    }


def run(command: list[str]) -> Measured:
    """A command in a process of its own, which says itself how much memory it had at most: what
    the system says of a child counts its parent."""
    start = time.perf_counter()
    call = [sys.executable, "-c", CALL, *command]
    done = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=True)
    processors, kilobytes = map(float, done.stdout.split()[-2:])
    return Measured(time.perf_counter() - start, processors, kilobytes / 1024)


def prepared(folder: Path, millions: float) -> int:
    """The runs of this size, made if they are not there; returns how many records they have."""
    samples = round(millions * 1e6 / MODELS / len(get_suite(SUITE).tasks))
    if not folder.exists():
        part = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        scored = [evaluated(name, part / "scored") for name in BUILT_IN]
        for number in range(MODELS):
            make_run(part / "runs" / f"model-{number}", number, samples, scored)
        part.rename(folder)
    files = (folder / "runs").rglob(f"{Record.FOLDER}/*.parquet")
    return sum(pl.scan_parquet(file).select(pl.len()).collect().item() for file in files)


def evaluated(model: str, runs: Path) -> Path:
    made = hengfa.evaluate(
        SUITE, model, data="sample", setting=SETTING, rules="both", runs=runs, name=model
    )
    return made.folder


def make_run(run: Path, number: int, samples: int, scored: Sequence[Path]) -> None:
    suite = get_suite(SUITE)
    write_imported(run, SUITE, SETTING, run.name)
    for rules in Rules:
        figures: dict[str, TaskFigures] = {}
        for place, task in enumerate(suite.tasks.values()):
            right = np.random.default_rng([number, place]).random(samples) < 0.3 + number / 20
            texts = {
                "prompt": prose(samples, PROMPT, (place, 0)),
                "reference": prose(samples, REFERENCE, (place, 1)),
                "response": prose(samples, RESPONSE, (place, 2, number)),
            }
            for file_of, others in ((records_file, {}), (responses_file, texts)):
                rows = repeated([file_of(at, task.id, rules) for at in scored], right)
                named = {"run": run.name, "model": run.name}
                file = file_of(run, task.id, rules)
                file.parent.mkdir(parents=True, exist_ok=True)
                rows.with_columns(
                    *(pl.lit(value).alias(name) for name, value in named.items()),
                    *(column.gather(rows["place"]).alias(name) for name, column in others.items()),
                    sample=pl.col("place").cast(pl.String),
                ).drop("place", "right").write_parquet(file, compression="zstd")
            figures[task.id] = read_table(run, task.id, rules).figure(task.recipe(rules))
        asked = dict.fromkeys(figures, samples)
        known = {"model": run.name, "setting": SETTING, "rules": rules, "accept": sorted(ANSWERS)}
        write_figures(run, figures_of(suite, figures, asked, **known))


def repeated(files: Sequence[Path], right: NDArray[np.bool_]) -> pl.DataFrame:
    """The rows of `floor`, or where an answer is right of `ceiling`, sample after sample."""
    scored = pl.concat(
        pl.read_parquet(file).with_columns(right=pl.lit(bool(place)))
        for place, file in enumerate(files)
    )
    samples = scored["sample"].unique(maintain_order=True)
    places = np.arange(len(right))
    drawn = pl.DataFrame(
        {"place": places, "sample": samples.gather(places % len(samples)), "right": right}
    )
    return drawn.join(scored, on=["sample", "right"], maintain_order="left_right")


def prose(number: int, mean: int, seed: Sequence[int]) -> pl.Series:
    """Texts of random characters as frequent as in real ones (Zipf)."""
    random = np.random.default_rng(seed)
    places = random.integers(0, PIECES, (2, number))
    pieces = passages(mean)
    return pieces.gather(places[0]) + pieces.gather(places[1])


@lru_cache
def passages(mean: int) -> pl.Series:
    """Each half as long as a text is in the mean."""
    random = np.random.default_rng(mean)
    weights = 1 / np.arange(1, 3001) ** 0.9
    lengths = 1 + random.gamma(2, mean / 4, PIECES).astype(np.int64)
    signs = np.array([chr(0x4E00 + 5 * place) for place in range(3000)])
    text = "".join(random.choice(signs, int(lengths.sum()), p=weights / weights.sum()))
    ends = np.cumsum(lengths)
    return pl.Series([text[end - length : end] for end, length in zip(ends, lengths, strict=True)])


if __name__ == "__main__":
    main()
