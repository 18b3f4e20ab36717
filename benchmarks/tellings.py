"""Whether the checker knows a faithful telling of a provision from an unfaithful one.

    python benchmarks/tellings.py [--library FILE] [--pairs] [--cases] [--reader MODEL]

Without `--pairs`: tellings in real prose that were written by hand, labelled by kind, before the
reader was made (tests/law/library/tellings.tsv). Which half a row is in is told by its SHA-256;
only the first half was looked at, and `--cases` lists what went wrong there. With `--pairs`:
minimal pairs that are made of all laws of the library; the words of the reader were chosen with
those of one half of the laws. Intervals are Wilson's, at 95 %.

With `--reader` (as for `hengfa cite check`) a second reader reads what the checker left open; with
`--pairs` too it reads all pairs alone, of the laws held back: the others are to train it on.
`--exchanged` gives it provisions of other pairs: who says the same then reads only the telling.

Needs the shared data (HENGFA_SHARED, or next to the checkout).
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import date
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from hengfa.evals.runs.telling_reader import open_reader
from hengfa.law.library.building.build import build_library
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.faithfulness import compare
from hengfa.law.library.citing.minimal_pairs import groups_of, is_held_back
from hengfa.law.library.citing.second_reader import Reader, ToRead, read_again
from hengfa.law.library.store import Library
from shared_data import read_arguments, shared_folder

ROWS = Path(__file__).resolve().parents[1] / "tests" / "law" / "library" / "tellings.tsv"
DAY = date(2026, 1, 1)
SEED = 7


class Case(NamedTuple):
    """What a reader said of a telling, and what is true of it."""

    half: str
    kind: str
    good: bool
    said: str
    text: str


def half_of(name: str) -> str:
    return "held back" if is_held_back(name) else "seen"


def read_by_hand(library: Library, reader: Reader | None) -> Iterator[Case]:
    checker = Checker(library)
    lines = [line for line in ROWS.read_text("utf-8").splitlines() if not line.startswith("#")]
    rows = [line.split("\t") for line in lines]
    reports = [checker.check(text, as_of=DAY) for *_, text in rows]
    if reader:
        reports = read_again(reports, reader)
    for (kind, _, _, text), report in zip(rows, reports, strict=True):
        own = [c for c in report.citations if not c.inside]
        said = own[-1].status if own else "missed"
        yield Case(half_of(text), kind, kind == "good", said, text)


def read_pairs(
    library: Library, reader: Reader | None, *, exchanged: bool = False
) -> Iterator[Case]:
    passages = Checker(library).passages
    groups = [
        (law.name, group)
        for law in library.shelf.by_name.values()
        if not reader or is_held_back(law.name)
        for version in library.versions(law)[-1:]
        for group in groups_of(passages, version, seed=SEED)
    ]
    pairs = [
        ToRead("\n".join(unit.text for unit in group.units), told.words)
        for _, group in groups
        for told in group.tellings
    ]
    if exchanged:
        others = random.Random(SEED).sample(pairs, len(pairs))
        both = zip(others, pairs, strict=True)
        pairs = [ToRead(other.provision, pair.telling) for other, pair in both]
    opinions = iter(reader.read(pairs) if reader else ())
    for law, group in groups:
        right = True
        for told in group.tellings:
            said: str = compare(told.words, group.units).mark if not reader else "not decided"
            if reader and (opinion := next(opinions)):
                said = opinion.answer
            right &= (said == "faithful") == told.faithful
            yield Case(half_of(law), told.kind, told.faithful, said, told.words)
        yield Case(
            f"{half_of(law)} groups", "", True, "all right" if right else "not all right", ""
        )


def interval(part: int, whole: int) -> str:
    """`.012 [.003, .041]`."""
    if not whole:
        return "–"
    z, share = 1.96, part / whole
    centre = (share + z * z / (2 * whole)) / (1 + z * z / whole)
    reach = z * sqrt(share * (1 - share) / whole + z * z / (4 * whole**2)) / (1 + z * z / whole)
    return f"{share:.3f} [{max(0.0, centre - reach):.3f}, {min(1.0, centre + reach):.3f}]"


def print_table(cases: Iterable[Case], right: str) -> None:
    """By half and kind, how often what was said; first of all good ones and all bad ones."""
    counted: defaultdict[tuple[str, bool, str], Counter[str]] = defaultdict(Counter)
    for case in cases:
        counted[case.half, case.good, ""][case.said] += 1
        counted[case.half, case.good, case.kind][case.said] += 1
    said = list(dict.fromkeys(word for counts in counted.values() for word in counts))
    print(f"| half | | kind | of | {right} | {' | '.join(said)} |")
    print(f"| --- | --- | --- | ---: | --- |{' ---: |' * len(said)}")
    for (half, good, kind), counts in sorted(counted.items()):
        if kind or not half.endswith("groups"):
            label = "faithful" if good else "unfaithful"
            figures = " | ".join(str(counts[word] or "") for word in said)
            share = interval(counts[right], counts.total())
            print(
                f"| {half} | {label} | {kind or 'all'} | {counts.total()} | {share} | {figures} |"
            )
    for half in ("seen groups", "held back groups"):
        counts = counted[half, True, ""]
        if counts:
            print(f"\n{half} all right: {interval(counts['all right'], counts.total())}")


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--library", type=Path, help="a library file, instead of building one")
    options.add_argument("--pairs", action="store_true", help="minimal pairs instead")
    options.add_argument("--cases", action="store_true", help="list failures of the seen half")
    options.add_argument("--reader", help="a second reader, such as hf:DIR")
    options.add_argument("--exchanged", action="store_true", help="with --pairs and --reader")
    chosen = read_arguments(options)
    reader = open_reader(chosen.reader) if chosen.reader else None
    with tempfile.TemporaryDirectory() as folder:
        file = chosen.library or Path(folder) / "law.sqlite"
        if chosen.library is None:
            build_library([shared_folder() / "data" / "statutes"], file)
        with Library.open(file) as library:
            if chosen.pairs:
                cases = list(read_pairs(library, reader, exchanged=chosen.exchanged))
            else:
                cases = list(read_by_hand(library, reader))
    right = "faithful" if chosen.pairs else "right"
    print_table(cases, right)
    for case in cases if chosen.cases else ():
        if case.half == "seen" and (case.said == right) != case.good:
            print(f"{case.kind}\t{case.said}\t{case.text}", file=sys.stdout)


if __name__ == "__main__":
    main()
