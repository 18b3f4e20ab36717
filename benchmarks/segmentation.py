"""How fast Chinese text is cut into words: jieba, rjieba and ours, on the same texts in one run.

    python benchmarks/segmentation.py [MEGABYTES]

So many megabytes of real texts, 8 unless told. Times are CPU seconds of one thread, dictionaries
already loaded. Writes nothing but the table.

Needs the shared data (HENGFA_SHARED, or next to the checkout).
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from hengfa.law.text import segmentation
from shared_data import read_arguments, shared_folder

SOURCES = (
    "LawBench/data/zero_shot/*.json",
    "LawBench/predictions/synthetic/synthetic-mixed.jsonl.gz",
    "JuDGE/data/test.json",
    "JuDGE/baseline_outputs/*.jsonl.gz",
    "corpora/*/*.jsonl.gz",
    "guiding_cases/cases.jsonl",
)

GAP = "\ud800"

Cut = Callable[[str], list[str]]


def rows(file: Path) -> Iterator[Any]:
    raw = file.read_bytes()
    content = (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode()
    if content.startswith("["):
        yield from json.loads(content)
    else:
        yield from map(json.loads, filter(None, content.split("\n")))


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def sample(data: Path, megabytes: float) -> list[str]:
    """Distinct texts in turn from every source, so that each kind is there."""
    streams = [rows(file) for pattern in SOURCES for file in sorted(data.glob(pattern))]
    texts: dict[str, None] = {}
    size = 0.0
    for turn in zip_longest(*streams):
        for text in strings([row for row in turn if row is not None]):
            if text not in texts:
                texts[text] = None
                size += len(text.encode()) / 1e6
        if size >= megabytes:
            break
    return list(texts)


def load_jieba(folder: str) -> Cut:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba
    jieba.setLogLevel(logging.ERROR)
    tokenizer = jieba.Tokenizer()
    tokenizer.tmp_dir = folder
    tokenizer.initialize()
    lcut: Cut = tokenizer.lcut
    return lcut


def load_rjieba() -> Cut:
    import rjieba

    cut: Cut = rjieba.cut
    return cut


def cpu_seconds(cut: Cut, texts: list[str]) -> float:
    start = time.process_time()
    for text in texts:
        cut(text)
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("megabytes", type=float, nargs="?", default=8.0, metavar="MEGABYTES")
    given = read_arguments(parser, quick="0.2")
    texts = sample(shared_folder() / "data", given.megabytes)
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    with tempfile.TemporaryDirectory() as folder:
        jieba_cut, rjieba_cut = load_jieba(folder), load_rjieba()
    segmentation.cut("被告人郑某")  # loads dictionary and probabilities
    contenders = [
        ("jieba 0.42.1", jieba_cut),
        ("rjieba alone", rjieba_cut),
        ("ours, first pass", segmentation.cut),
        ("ours, runs cached", segmentation.cut),
    ]
    # As strings: many live lists would slow the garbage collector for whoever is timed.
    expected = [GAP.join(jieba_cut(text)) for text in texts]
    print(f"{len(texts)} texts, {megabytes:.1f} MB; {segmentation.instrument()}\n")
    print("| segmenter | MB/s | times jieba | texts that differ |")
    print("| --- | ---: | ---: | ---: |")
    baseline = 0.0
    for name, cut in contenders:
        speed = megabytes / cpu_seconds(cut, texts)
        baseline = baseline or speed
        differing = sum(GAP.join(cut(text)) != e for text, e in zip(texts, expected, strict=True))
        print(f"| {name} | {speed:.2f} | {speed / baseline:.1f} | {differing} |")


if __name__ == "__main__":
    main()
