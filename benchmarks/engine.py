"""What an engine adds to the cost of asking: ours, a bare loop, and three harnesses, in one run.

    python benchmarks/engine.py --install     # once: the harnesses, each in a venv under .bench/
    python benchmarks/engine.py               # 5,000 samples, 50 requests in flight; minutes
    python benchmarks/engine.py --rounds 3    # medians of three rounds, for a loaded machine
    python benchmarks/engine.py --quick       # 200 samples: does it work? The figures mean nothing

Every contender runs in its own process against the same stub server (its own process too), which
answers at once; so all the time is the client's. Each is run on 50 samples (its start) and on N;
the CPU time between the two, divided by N - 50, is the cost of a sample, free of imports.
All compare the answer with a reference and leave the answers on disk; ours alone has each of them
flushed to the disk before going on. Prints only.

Needs Linux, and a package index for --install; contenders that are not installed are left out.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from statistics import median

from engine_contenders.measuring import Cost, ProgramFailed, StubServer, run
from engine_contenders.programs import BASELINE, BENCH, OURS, PROGRAMS, Program, install

START = 50  # samples of the run that counts as start-up: every lane is used once
MOST_MS, LEAST_FACTOR = 1.0, 4.0  # the target: CPU per sample, and how far below every harness


@dataclass(frozen=True)
class Figures:
    """What a contender took in all rounds; `costs` holds pairs of a start and a full run."""

    program: Program
    version: str
    samples: int
    costs: list[tuple[Cost, Cost]]

    @property
    def slopes(self) -> list[float]:
        """CPU milliseconds per sample, one for each pair of runs, smallest first."""
        cpu = [many.cpu_seconds - few.cpu_seconds for few, many in self.costs]
        return sorted(seconds / (self.samples - START) * 1000 for seconds in cpu)

    @property
    def ms(self) -> float:
        return median(self.slopes)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--install", action="store_true", help="install the harnesses first")
    parser.add_argument("--quick", action="store_true", help="200 samples, to see that it works")
    parser.add_argument("--samples", type=int, default=5000, help=f"more than {START}")
    parser.add_argument("--rounds", type=int, default=1, help="medians over so many rounds")
    arguments = parser.parse_args()
    samples = 200 if arguments.quick else arguments.samples
    if samples <= START or arguments.rounds < 1:
        parser.error(f"--samples must be more than {START}, --rounds at least 1")
    if arguments.install:
        install()
    BENCH.mkdir(exist_ok=True)
    with StubServer() as server:
        measured, remarks = compare(samples, arguments.rounds, server)
        print(f"\n{samples:,} samples, 50 in flight, medians of {arguments.rounds} round(s)\n")
        print_table(comparison_rows(measured), words=2)
        words = verdict(measured) if samples >= 1000 else ["too few samples for a verdict"]
        print("", *remarks, *words, "", sep="\n")
        print_table(scale_rows([samples, 4 * samples, 20 * samples], server))
    per_request = server.cpu_seconds / server.requests * 1000
    print(f"\nstub server: {per_request:.3f} ms CPU per request, in its own process")
    return 1 if any(remark.startswith("failed") for remark in remarks) else 0


def compare(samples: int, rounds: int, server: StubServer) -> tuple[list[Figures], list[str]]:
    """The figures of every contender, and a remark on each that has none.

    Rounds are interleaved, so that a busy minute of the machine does not fall on one contender.
    """
    measured: list[Figures] = []
    remarks: list[str] = []
    for program in PROGRAMS:
        if version := program.version():
            measured.append(Figures(program, version, samples, []))
        else:
            remarks.append(f"{program.title}: not installed (--install)")
    for number in range(rounds):
        for figures in list(measured):
            program = figures.program
            print(f"round {number + 1}: {program.title} …", file=sys.stderr, flush=True)
            try:
                for _ in range(program.per_round):
                    start = run(program, START, server)
                    figures.costs.append((start, run(program, samples, server)))
            except ProgramFailed as failure:
                remarks.append(f"failed: {failure}")
                measured.remove(figures)
    return measured, remarks


def comparison_rows(measured: list[Figures]) -> list[list[str]]:
    """The first table."""
    ms = {figures.program: figures.ms for figures in measured}
    words = "contender|version|CPU ms per sample|lowest - highest|CPU s at start|CPU s in all"
    rows = [f"{words}|wall s|peak MB|connections|x baseline|x ours".split("|")]
    for figures in measured:
        starts, fulls = zip(*figures.costs, strict=True)
        rows.append(
            [
                figures.program.title,
                figures.version,
                f"{figures.ms:.2f}",
                f"{figures.slopes[0]:.2f} - {figures.slopes[-1]:.2f}",
                f"{median(cost.cpu_seconds for cost in starts):.2f}",
                f"{median(cost.cpu_seconds for cost in fulls):.2f}",
                f"{median(cost.wall_seconds for cost in fulls):.1f}",
                f"{max(cost.peak_mb for cost in fulls):.0f}",
                str(max(cost.connections for cost in fulls)),
                *(ratio(figures.ms, ms.get(other)) for other in (BASELINE, OURS)),
            ]
        )
    return rows


def verdict(measured: list[Figures]) -> list[str]:
    """Whether the target is met, in words; `at worst` sets their lowest against our highest."""
    ours = next((figures for figures in measured if figures.program == OURS), None)
    if ours is None:
        return ["our engine has no figure"]
    said = [
        f"our engine: {ours.ms:.2f} ms (target: at most {MOST_MS:g}): {met(ours.ms <= MOST_MS)}"
    ]
    for figures in measured:
        if figures.program.is_harness:
            factor, worst = figures.ms / ours.ms, figures.slopes[0] / ours.slopes[-1]
            below = f"{factor:.1f} times below {figures.program.title}, at worst {worst:.1f}"
            said.append(
                f"{below} (target: at least {LEAST_FACTOR:g}): {met(factor >= LEAST_FACTOR)}"
            )
    return said


def scale_rows(sizes: list[int], server: StubServer) -> list[list[str]]:
    """The second table: our engine on ever more samples; memory must stay flat."""
    rows = [["our engine, samples", "CPU ms per sample (start-up included)", "wall s", "peak MB"]]
    for size in sizes:
        cost = run(OURS, size, server)
        per_sample = cost.cpu_seconds / size * 1000
        wall, peak = f"{cost.wall_seconds:.1f}", f"{cost.peak_mb:.1f}"
        rows.append([f"{size:,}", f"{per_sample:.2f}", wall, peak])
    return rows


def ratio(figure: float, other: float | None) -> str:
    return f"{figure / other:.1f}" if other and other > 0 else "-"


def met(yes: bool) -> str:
    return "met" if yes else "MISSED"


def print_table(rows: list[list[str]], *, words: int = 0) -> None:
    """Columns side by side; the first `words` of them hold words, the others figures."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        cells[:words] = [cell.ljust(widths[i]) for i, cell in enumerate(row[:words])]
        print("  ".join(cells))


if __name__ == "__main__":
    sys.exit(main())
