"""What a Ray cluster costs against processes, on the same cores, by the size of a block.

    python benchmarks/executors.py                     # two workers, 10,000 documents
    python benchmarks/executors.py --rounds 3          # medians, for a loaded machine
    python benchmarks/executors.py --ray-data          # and Ray Data: pip install "ray[data]"

The work is that of `hengfa cite check`: documents of some 600 characters that cite the fictional
laws of the sample pack, read from Parquet files in blocks. Each way does all of them with each
size of block, from opening the work to the last result; the cluster is started before.
Ways follow each other round by round, so that a loaded machine is loaded for all. Prints only.

Needs hengfa[ray].
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from hengfa.base.workers import Executor, Processes
from hengfa.law.api import Law
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.store import Library
from shared_data import read_arguments

SIZES = (10, 100, 500)
FILES = 20  # Ray Data would take small ones together, and give all to one worker
PARAGRAPH = (
    "依照《月湖养蜂法》第{article}条的规定，养蜂人应当登记。当事人对处理不服的，可以申请复核。"
)


class Checking:
    """The findings of a block of documents, counted."""

    def __init__(self, library: Path) -> None:
        self.files: Mapping[str, Path] = {"library": library}

    def open(self, files: Mapping[str, Path]) -> Callable[[list[str]], int]:
        checker = Checker(Library.open(files["library"]))
        return lambda texts: sum(len(checker.check(text).citations) for text in texts)


class Batches:
    """The same for Ray Data, which makes one of these in each worker."""

    def __init__(self, library: Path) -> None:
        self._check = Checking(library).open({"library": library})

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[int]]:
        return {"findings": [self._check([text]) for text in batch["text"].tolist()]}


def write_corpus(folder: Path, documents: int) -> None:
    articles = "一二三四五六七八九"
    texts = [
        "\n".join(PARAGRAPH.format(article=articles[(n + m) % 9]) for m in range(12)) + f"\n{n}"
        for n in range(documents)
    ]
    for number in range(FILES):
        file = folder / f"{number:02}.parquet"
        pl.DataFrame({"text": texts[number::FILES]}).write_parquet(file)


def blocks(folder: Path, size: int) -> Iterator[list[str]]:
    for file in sorted(folder.iterdir()):
        for part in pl.read_parquet(file).iter_slices(size):
            yield part["text"].to_list()


def by(executor: Executor) -> Callable[[Path, Path, int], Iterable[int]]:
    """Findings, block by block."""

    def run(folder: Path, library: Path, size: int) -> Iterator[int]:
        for _, findings in executor.run(Checking(library), blocks(folder, size)):
            yield findings

    return run


def by_ray_data(folder: Path, library: Path, size: int) -> Iterator[int]:
    data = import_module("ray.data")
    data.DataContext.get_current().execution_options.preserve_order = True
    data.DataContext.get_current().enable_progress_bars = False
    # With a whole core each, none is left for the task that reads, and all wait for ever.
    found = data.read_parquet(str(folder), override_num_blocks=FILES).map_batches(
        Batches, fn_constructor_args=(library,), batch_size=size, concurrency=2, num_cpus=0.5
    )
    for batch in found.iter_batches(batch_size=None):
        yield int(batch["findings"].sum())


def measure(results: Iterable[int]) -> tuple[float, float, int]:
    """Seconds until the first result, and until the last; findings."""
    started = time.perf_counter()
    first, findings = 0.0, 0
    for found in results:
        findings += found
        first = first or time.perf_counter() - started
    return first, time.perf_counter() - started, findings


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1, help="medians over so many rounds")
    parser.add_argument("--ray-data", action="store_true", help="measure Ray Data too")
    arguments = read_arguments(parser, quick="--documents 200")
    from hengfa.evals.bridge.ray_cluster import RayCluster  # not for --help

    cluster = RayCluster(arguments.workers)
    started = time.perf_counter()
    list(cluster.run(Checking(Path()), []))
    print(f"the cluster is up after {time.perf_counter() - started:.1f} s", file=sys.stderr)
    ways = {"processes": by(Processes(arguments.workers)), "Ray": by(cluster)}
    if arguments.ray_data:
        ways["Ray Data"] = by_ray_data
    figures: dict[tuple[str, int], list[tuple[float, float, int]]] = {}
    with TemporaryDirectory() as folder, Law.sample() as law:
        write_corpus(Path(folder), arguments.documents)
        for _ in range(arguments.rounds):
            for size in SIZES:
                for way, run in ways.items():
                    print(f"{way}, blocks of {size} …", file=sys.stderr, flush=True)
                    figures.setdefault((way, size), []).append(
                        measure(run(Path(folder), law.library.path, size))
                    )
    cluster.close()
    assert len({findings for some in figures.values() for *_, findings in some}) == 1
    print(f"{'':12}{'documents':>12}{'seconds to':>12}{'seconds':>12}{'of what':>12}")
    print(f"{'':12}{'in a block':>12}{'the first':>12}{'in all':>12}{'processes take':>16}")
    for (way, size), measured in sorted(figures.items(), key=lambda item: item[0][1]):
        base = median(whole for _, whole, _ in figures["processes", size])
        first, whole = (median(part) for part in list(zip(*measured, strict=True))[:2])
        print(f"{way:12}{size:12}{first:12.1f}{whole:12.1f}{whole / base:12.2f}×")
    return 0


if __name__ == "__main__":
    sys.exit(main())
