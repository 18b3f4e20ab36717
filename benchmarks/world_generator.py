"""How fast worlds are generated, and how much memory it takes, from 1,000 rows to 1,000,000.

    python benchmarks/world_generator.py [SCALE...]

Each figure comes from a process of its own, so that the peak of memory is that of one world. Beside
the rows themselves, in the same run, the whole file: the writer sorts for its indexes, with buffers
of a fixed size that large worlds fill. CPU time, which other work on the machine changes less than
the clock. Ratios are to the smallest scale, per row.

Needs no data.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

from hengfa.base.data.packs import sample_root
from hengfa.world.generator.build import Blueprint, build_world
from hengfa.world.generator.law import sample_law
from shared_data import read_arguments

SCALES = (1_000, 10_000, 100_000, 1_000_000)
SEED = 7


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scales", type=int, nargs="*", default=SCALES, metavar="SCALE")
    parser.add_argument("--one", choices=("rows", "file"), help=argparse.SUPPRESS)
    given = read_arguments(parser, quick="1000")
    scales = given.scales
    if given.one:
        print(json.dumps(measure(given.one, *scales)))
        return
    for what in ("rows", "file"):
        print(
            f"{what:<6}{'N':>10}{'CPU s':>9}{'N/s':>9}{'us each':>9}{'ratio':>7}"
            f"{'peak MB':>9}{'ratio':>7}"
        )
        first: list[float] = []
        for scale in scales:
            seconds, peak = in_process_of_its_own(what, scale)
            each = seconds / scale * 1e6
            first = first or [each, peak]
            print(
                f"{'':<6}{scale:>10,}{seconds:>9.2f}{scale / seconds:>9,.0f}{each:>9.1f}"
                f"{each / first[0]:>7.2f}{peak:>9.1f}{peak / first[1]:>7.2f}",
                flush=True,
            )


def in_process_of_its_own(what: str, scale: int) -> tuple[float, float]:
    command = [sys.executable, __file__, "--one", what, str(scale)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found["seconds"], found["peak"]


def measure(what: str, scale: int) -> dict[str, float]:
    began = time.process_time()
    if what == "rows":
        for rows in Blueprint(SEED, scale).tables().values():
            deque(rows, 0)
    else:
        with tempfile.TemporaryDirectory() as scratch, sample_law(sample_root()) as law:
            began = time.process_time()
            build_world(Path(scratch) / "world.sqlite", SEED, scale, law)
    seconds = time.process_time() - began
    return {"seconds": seconds, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


if __name__ == "__main__":
    main()
