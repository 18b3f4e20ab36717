"""Build time, queries per second and memory over 58,908 articles, beside bm25s and a plain loop.

Each contender runs in a process of its own, so that memory is its own. CPU seconds of one thread.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from hengfa.law.retrieval.corpus import Corpus
from hengfa.law.retrieval.index import Index
from hengfa.law.retrieval.methods import BM25, LEXICAL, Part
from retrieval_experiments.data import Questions

DEPTH = 100
PLAIN_QUERIES = 20

Search = Callable[[list[str]], object]


def print_speed() -> None:
    """A row for each contender."""
    print(f"{'':<34}{'build s':>9}{'open s':>9}{'queries/s':>11}{'MB':>7}{'disk MB':>9}")
    for name in CONTENDERS:
        done = subprocess.run(
            [sys.executable, "-m", "retrieval_experiments.speed", name],
            cwd=Path(__file__).resolve().parents[1],
            check=True,
            capture_output=True,
            text=True,
        )
        row = json.loads(done.stdout)
        shown = ["" if row[key] is None else f"{row[key]:,.2f}" for key in ("build", "open")]
        disk = "" if row["disk"] is None else f"{row['disk']:,.0f}"
        print(
            f"{name:<34}{shown[0]:>9}{shown[1]:>9}{row['rate']:>11,.0f}{row['memory']:>7,.0f}"
            f"{disk:>9}",
            flush=True,
        )


def ours(plan: tuple[Part, ...], questions: Questions) -> tuple[float, float, int, Search]:
    """Build, write, open again: what is searched is the mapped index."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "index"
        began = time.process_time()
        Index.build(Corpus(tuple(questions.documents)), plan).write(folder)
        built = time.process_time() - began
        size = sum(file.stat().st_size for file in folder.iterdir())
        began = time.process_time()
        index = Index.open(folder)
        opened = time.process_time() - began
    return built, opened, size, lambda texts: index.search(texts, DEPTH)


def with_bm25s(questions: Questions) -> tuple[float, None, None, Search]:
    """bm25s, its numba backend, over the same pairs of characters."""
    import bm25s

    def pairs(text: str) -> list[str]:
        joined = "".join(text.split())
        return [joined[place : place + 2] for place in range(len(joined) - 1)]

    began = time.process_time()
    index = bm25s.BM25(k1=1.2, b=0.75, backend="numba")
    index.index([pairs(one.name + one.text) for one in questions.documents], show_progress=False)
    built = time.process_time() - began

    def search(texts: list[str]) -> object:
        return index.retrieve([pairs(text) for text in texts], k=DEPTH, show_progress=False)

    return built, None, None, search


def plain_loop(questions: Questions) -> tuple[float, None, None, Search]:
    """Counters and a loop over all documents, as rank_bm25 and many scripts do."""
    began = time.process_time()
    counts = []
    for one in questions.documents:
        text = "".join((one.name + one.text).split())
        counts.append(Counter(text[place : place + 2] for place in range(len(text) - 1)))
    held = Counter(pair for count in counts for pair in count)
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / len(lengths)
    built = time.process_time() - began

    def search(texts: list[str]) -> object:
        answers = []
        for text in texts:
            pairs = [text[place : place + 2] for place in range(len(text) - 1)]
            idf = {p: math.log1p((len(counts) - held[p] + 0.5) / (held[p] + 0.5)) for p in pairs}
            scores = [
                sum(
                    idf[p] * count[p] * 2.2 / (count[p] + 1.2 * (0.25 + 0.75 * length / mean))
                    for p in pairs
                    if p in count
                )
                for count, length in zip(counts, lengths, strict=True)
            ]
            answers.append(sorted(range(len(scores)), key=scores.__getitem__)[-DEPTH:])
        return answers

    return built, None, None, search


CONTENDERS: dict[str, Callable[[Questions], tuple[float, float | None, int | None, Search]]] = {
    "pairs, ours": lambda questions: ours((Part(BM25(k1=1.2, b=0.75)),), questions),
    "words, ours": lambda questions: ours((Part(BM25("words", k1=1.2, b=0.75)),), questions),
    "fusion of both, ours": lambda questions: ours(LEXICAL, questions),
    "pairs, bm25s": with_bm25s,
    "pairs, a plain loop": plain_loop,
}


def measure_one(name: str) -> None:
    questions = Questions()
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    built, opened, size, search = CONTENDERS[name](questions)
    texts = [query.text for query in questions.queries]
    texts = texts[:PLAIN_QUERIES] if name.endswith("loop") else texts
    search(texts[:2])  # loads dictionaries; bm25s compiles
    spent = []
    for _ in range(1 if name.endswith("loop") else 3):
        began = time.process_time()
        search(texts)
        spent.append(time.process_time() - began)
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - held) / 1024
    disk = None if size is None else size / 1e6
    row = {"build": built, "open": opened, "rate": len(texts) / min(spent)}
    print(json.dumps(row | {"memory": memory, "disk": disk}))


if __name__ == "__main__":
    measure_one(sys.argv[1])
