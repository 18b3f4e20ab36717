"""A corpus of any number of documents through `cite check` and `suite judgment parse`: how fast,
how much memory, and what a second worker gives.

    python benchmarks/corpora.py                        # 25,000 and 100,000 documents
    python benchmarks/corpora.py --sizes 2000 8000      # a few minutes
    python benchmarks/corpora.py --jobs 1 2 4           # more workers
    python benchmarks/corpora.py --jobs 1 2 2r          # two processes, and two workers of Ray

The documents are varied from real ones (judgments of courts and of models, guiding cases, criminal
facts, consultations): cut, joined, and with numbers, dates and articles changed by a seeded
generator, so that no two are the same. They are written as Parquet into a folder that is removed in
the end. Each command is called as a person calls it. Memory is the largest sum of what all its
processes hold at a time, which counts what they share several times. That outputs are the same
bytes whatever the number of workers is checked. How fast one process reads blocks, and how much a
document takes on disk, is what `benchmarks/all_judgments.py` goes by. Prints only.

Needs Linux (for memory) and the shared data.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import polars as pl

from hengfa.base.data.corpora import Corpus
from hengfa.law.library.building.build import build_library
from shared_data import read_arguments, shared_folder

SEED = 19
HENGFA = (sys.executable, "-c", "from hengfa.cli.main import main; main()")
SENTENCES = re.compile(r"[^。\n]*[。\n]?")
NUMBER = re.compile(r"\d+|第[一二三四五六七八九]?十?[一二三四五六七八九]条")
DIGITS = "一二三四五六七八九"
PAGE_MB = resource.getpagesize() / 2**20


class Spent(NamedTuple):
    """What a call took."""

    seconds: float
    cpu: float
    megabytes: float
    summary: dict[str, Any]
    table: bytes


def rows(file: Path) -> Iterator[dict[str, Any]]:
    content = file.read_bytes()
    lines = gzip.decompress(content) if file.suffix == ".gz" else content
    yield from map(json.loads, lines.splitlines())


def texts(data: Path) -> list[str]:
    """All documents that are varied, of all kinds."""
    judged = [row["fd"] for row in rows(data / "JuDGE/data/test.json")]
    written = [
        row["document"]
        for file in sorted((data / "JuDGE/baseline_outputs").glob("*.jsonl.gz"))
        for row in rows(file)
    ]
    guiding = [
        "\n".join(str(row[part]) for part in ("title", "facts", "result", "reasoning", "holding"))
        for row in rows(data / "guiding_cases/cases.jsonl")
    ]
    facts = [row["fact"] for row in rows(data / "corpora/cail2018_sample/cases.jsonl.gz")]
    talks = json.loads((data / "PLawbench/public_legal_consultation_18.json").read_text("utf-8"))
    told = [str(talk["conversation"]) for talk in talks]
    # judgments are what a court has most of
    return [
        text for text in (*judged * 8, *written, *guiding * 2, *facts[:1000], *told * 5) if text
    ]


def varied(sources: Sequence[str], count: int) -> Iterator[str]:
    """So many documents, of which no two are the same."""
    rng = random.Random(SEED)
    for number in range(count):
        text = rng.choice(sources)
        kind = rng.random()
        if kind < 0.1:
            sentences = SENTENCES.findall(text)
            text = "".join(sentences[: rng.randrange(1, len(sentences) + 1)])
        elif kind < 0.2:
            text = f"{text}\n{rng.choice(sources)}"
        changed = NUMBER.sub(lambda found: _changed(found[0], rng), text)
        yield f"{changed}\n编号{number}"


def _changed(number: str, rng: random.Random) -> str:
    """A number of the same length, of which the first digit and most articles stay."""
    if number.startswith("第"):
        return number if rng.random() < 0.9 else f"第{rng.choice(DIGITS)}十{rng.choice(DIGITS)}条"
    return number[0] + "".join(rng.choice("0123456789") for _ in number[1:])


def held(process: int) -> float:
    """Megabytes that a process and all below it hold now."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text("utf-8").rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    megabytes, waiting = 0.0, [process]
    while waiting:
        one = waiting.pop()
        waiting += parents.get(one, [])
        try:
            pages = int(Path(f"/proc/{one}/statm").read_text("utf-8").split()[1])
        except OSError:
            continue
        megabytes += pages * PAGE_MB
    return megabytes


def call(words: Sequence[str], out: Path) -> Spent:
    """One call, watched."""
    before, began, most = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic(), 0.0
    with subprocess.Popen(
        [*HENGFA, *words, "-o", str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        while process.poll() is None:
            most = max(most, held(process.pid))
            time.sleep(0.1)
    seconds = time.monotonic() - began
    if process.returncode:
        sys.exit(f"{' '.join(words)} ended with status {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    return Spent(seconds, cpu, most, summary, (out / "findings.parquet").read_bytes())


def measure(corpus: Path, library: Path, jobs: Sequence[str], folder: Path) -> None:
    """One line for each command and number of workers."""
    for words in (
        ("cite", "check", str(corpus), "--library", str(library), "--today", "2026-01-01"),
        ("suite", "judgment", "parse", str(corpus)),
    ):
        first: Spent | None = None
        for workers in jobs:
            out = folder / f"{corpus.stem}-{words[0]}-{workers}"
            ray = ("--executor", "ray") if workers.endswith("r") else ()
            number = workers.rstrip("r")
            spent = call([*words, "--column", "text", "--jobs", number, *ray], out)
            first = first or spent
            count = spent.summary["documents"]
            same = "yes" if spent.table == first.table else "NO"
            print(
                f"| {words[0]} {words[1]} | {count:,} | {workers} | {count / spent.seconds:,.0f} |"
                f" {spent.cpu / count * 1e3:.2f} | {first.seconds / spent.seconds:.2f} |"
                f" {spent.megabytes:,.0f} | {spent.summary['findings']:,} |"
                f" {len(spent.table) / 2**20:.1f} | {spent.summary['unread']} | {same} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[25_000, 100_000])
    parser.add_argument("--jobs", nargs="+", default=["1", "2"], help="as 2; 2r: of Ray")
    chosen = read_arguments(parser, quick="--sizes 500 --jobs 1")
    data = shared_folder() / "data"
    sources = texts(data)
    with TemporaryDirectory() as place:
        folder = Path(place)
        build_library([data / "statutes"], folder / "law.sqlite")
        print(
            "| command | documents | workers | documents/s | CPU ms/document | speed-up | MB |"
            " findings | MB of findings | unread | same bytes |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
        )
        for size in chosen.sizes:
            corpus = folder / f"{size}.parquet"
            documents = pl.DataFrame({"text": list(varied(sources, size))})
            documents.write_parquet(corpus, row_group_size=10_000)
            characters = documents["text"].str.len_chars().sum()
            assert documents["text"].n_unique() == size
            del documents
            began = time.monotonic()
            blocks = sum(1 for _ in Corpus([corpus], "text").blocks())
            rate = size / (time.monotonic() - began)
            print(
                f"| {size:,} documents of {characters / size:,.0f} characters and"
                f" {corpus.stat().st_size / size:,.0f} bytes on average, read at {rate:,.0f} a"
                f" second in {blocks:,} blocks | | | | | | | | | | |"
            )
            measure(corpus, folder / "law.sqlite", chosen.jobs, folder)


if __name__ == "__main__":
    main()
