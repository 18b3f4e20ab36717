"""What all published Chinese judgments would take: a simulation with figures that were measured.

    python benchmarks/all_judgments.py [--nodes 1 8 64 512] [--measured FILE]

Each command that goes through a corpus is simulated block by block: one process reads the files,
hands blocks to workers, and writes what comes back, as `hengfa.base.data.findings` does; nodes fail
at random and lose what they have in hand. Figures are those of `benchmarks/corpora.py` and
`benchmarks/gpu.py` (see `Measured`); prices and failures are assumptions, and are options. It says
what share of the time the reading process is busy: at 100 % more nodes do not help.

Needs nothing.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from shared_data import read_arguments

HOUR = 3600.0
BLOCK = 1000  # documents


@dataclass(frozen=True)
class Measured:
    """Per document of 1,619 characters, in a corpus of 100,000 that are varied from real ones.

    CPU seconds of a worker; documents a second that one process reads from Parquet, and whose
    findings it writes; bytes on disk, of documents and of findings; the standard deviation of their
    lengths by the mean. Passages are a guess.
    """

    cite_check: float = 0.00385
    judgment_parse: float = 0.00082
    judgment_leakage: float = 1 / 461
    read: float = 72_000
    written: float = 318_000
    document_bytes: float = 1_046
    cite_bytes: float = 71
    parse_bytes: float = 62
    leakage_bytes: float = 0
    spread: float = 0.64
    passages: float = 8
    passages_a_second: float = 15_686
    """On one card; a passage has 20 to 250 characters."""
    width: int = 768


@dataclass(frozen=True)
class Cluster:
    """Machines with so many cores, of which one of so many hours each fails for some minutes."""

    nodes: int
    cores: int
    hours_between_failures: float
    minutes_away: float


@dataclass(frozen=True)
class Simulated:
    hours: float
    core_hours: float
    redone: int
    reader: float
    """Share of the time in which the reading process is busy."""


def simulate(blocks: int, seconds: float, spread: float, serial: float, on: Cluster) -> Simulated:
    """Blocks of so many seconds of work each, handed out by one process that needs `serial`."""
    dice = random.Random(140)
    workers = on.nodes * on.cores
    deviation = spread / math.sqrt(BLOCK)
    failures = _failures(on, dice)
    failure = next(failures)
    away = on.minutes_away * 60
    free = [(0.0, worker) for worker in range(min(workers, blocks))]
    heapq.heapify(free)
    reader = busy = worked = last = 0.0
    redone = done = 0
    while done < blocks:
        now, worker = heapq.heappop(free)
        reader = max(reader, now) + serial
        busy += serial
        cost = seconds * max(0.1, dice.gauss(1.0, deviation))
        end = reader + cost
        while failure[0] < reader:
            failure = next(failures)
        if failure[0] < end and failure[1] == worker // on.cores:
            worked += failure[0] - reader
            redone += 1
            heapq.heappush(free, (failure[0] + away, worker))
            continue
        worked += cost
        done += 1
        last = max(last, end)
        heapq.heappush(free, (end, worker))
    return Simulated(last / HOUR, worked / HOUR, redone, busy / last)


def _failures(on: Cluster, dice: random.Random) -> Iterator[tuple[float, int]]:
    """When a node fails, and which; all of them together fail so much more often."""
    time = 0.0
    while True:
        time += dice.expovariate(on.nodes / (on.hours_between_failures * HOUR))
        yield time, dice.randrange(on.nodes)


def commands(measured: Measured) -> dict[str, tuple[float, float]]:
    """CPU seconds and bytes of findings, of a document."""
    return {
        "cite check": (measured.cite_check, measured.cite_bytes),
        "suite judgment parse": (measured.judgment_parse, measured.parse_bytes),
        "suite judgment leakage": (measured.judgment_leakage, measured.leakage_bytes),
    }


def print_commands(given: argparse.Namespace, measured: Measured) -> None:
    blocks = math.ceil(given.documents / BLOCK)
    serial = BLOCK * (1 / measured.read + 1 / measured.written)
    print("| command | nodes | cores | hours | core hours | cost | blocks redone | reader busy |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, (seconds, _) in commands(measured).items():
        for nodes in given.nodes:
            on = Cluster(nodes, given.cores, given.hours_between_failures, given.minutes_away)
            made = simulate(blocks, seconds * BLOCK, measured.spread, serial, on)
            cores = nodes * given.cores
            cost = made.hours * cores * given.core_hour
            print(
                f"| {name} | {nodes} | {cores:,} | {made.hours:,.1f} | {made.core_hours:,.0f} "
                f"| {cost:,.0f} | {made.redone:,} | {made.reader:.0%} |"
            )


def print_disk(given: argparse.Namespace, measured: Measured) -> None:
    tera = 1e12
    print("\n| on disk | TB | a month |")
    print("| --- | ---: | ---: |")
    held = {"the corpus, Parquet": measured.document_bytes}
    held |= {f"findings of {name}": bytes_ for name, (_, bytes_) in commands(measured).items()}
    held["vectors, float32"] = measured.passages * measured.width * 4
    for name, bytes_ in held.items():
        size = given.documents * bytes_ / tera
        print(f"| {name} | {size:,.2f} | {size * given.tb_month:,.0f} |")


def print_cards(given: argparse.Namespace, measured: Measured) -> None:
    passages = given.documents * measured.passages
    hours = passages / measured.passages_a_second / HOUR
    vectors = passages * measured.width * 4
    cards = math.ceil(vectors / given.card_bytes)
    print(
        f"\nEmbedding {passages / 1e6:,.0f} million passages: {hours:,.0f} hours of one card, "
        f"cost {hours * given.card_hour:,.0f}; exact search needs the memory of {cards} cards."
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=140_000_000)
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 8, 64, 512])
    parser.add_argument("--cores", type=int, default=32, help="of a node")
    parser.add_argument("--hours-between-failures", type=float, default=1000.0, help="of a node")
    parser.add_argument("--minutes-away", type=float, default=10.0)
    parser.add_argument("--core-hour", type=float, default=0.04, help="price")
    parser.add_argument("--card-hour", type=float, default=3.5, help="price")
    parser.add_argument("--tb-month", type=float, default=20.0, help="price")
    parser.add_argument("--card-bytes", type=float, default=130e9)
    parser.add_argument("--measured", type=Path, help="JSON with other figures")
    given = read_arguments(parser)
    figures = asdict(Measured())
    if given.measured:
        figures |= json.loads(given.measured.read_text("utf-8"))
    measured = Measured(**{field.name: figures[field.name] for field in fields(Measured)})
    print_commands(given, measured)
    print_disk(given, measured)
    print_cards(given, measured)


if __name__ == "__main__":
    main()
