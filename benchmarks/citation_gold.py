"""The citation checker against labelled citations: what it misses, and how far its "right" holds.

    python benchmarks/citation_gold.py [--library FILE] [--cases]

Reads the documents in tests/law/library/citing_gold, of which a part is held back: of that only
sums are printed. `--cases` lists what went wrong in the others. A citation that is labelled good
counts as called right if its status is right or wording; unknown, unclear and paper are
abstentions; every other status is a flag. Writes nothing but the tables.

Needs the shared data (HENGFA_SHARED, or next to the checkout).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from hengfa.law.library.building.build import build_library
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.store import Library
from shared_data import read_arguments, shared_folder

sys.path.append(str(Path(__file__).resolve().parents[1]))  # where the documents are

from tests.law.library.citing_gold import Part, read_part
from tests.law.library.citing_gold.comparison import ROWS, Compared, bases, compare, faults


def print_part(name: str, compared: Sequence[Compared]) -> None:
    labelled = [pair.labelled for pair in compared if pair.labelled]
    golds = Counter(label.gold for label in labelled)
    counted = Counter(row for pair in compared for row in faults(pair))
    of = bases(compared)
    print(f"\n| {name} | citations | of | share |\n| --- | ---: | ---: | ---: |")
    print(f"| labelled | {len(labelled)} | | |")
    for gold, number in golds.most_common():
        print(f"| labelled {gold} | {number} | {len(labelled)} | {number / len(labelled):.1%} |")
    for row in ROWS:
        print(f"| {row} | {counted[row]} | {of[row]} | {counted[row] / max(of[row], 1):.1%} |")


def print_styles(compared: Sequence[Compared]) -> None:
    styles = list(dict.fromkeys(pair.document.style for pair in compared))
    print(f"\n| style | labelled | {' | '.join(ROWS)} |")
    print(f"| --- |{' ---: |' * (len(ROWS) + 1)}")
    for style in styles:
        chosen = [pair for pair in compared if pair.document.style == style]
        counted = Counter(row for pair in chosen for row in faults(pair))
        labelled = sum(pair.labelled is not None for pair in chosen)
        print(f"| {style} | {labelled} | {' | '.join(str(counted[row] or '') for row in ROWS)} |")


def print_cases(compared: Sequence[Compared]) -> None:
    for pair in compared:
        for row in faults(pair):
            label, checked = pair.labelled, pair.checked
            print(f"\n{row}: {pair.document.id}")
            if label:
                print(f"  label  {label.written!r} {label.law} {label.position}: {label.why}")
            if checked:
                said = f"{checked.status} ({checked.problem})"
                print(f"  check  {checked.written!r} {checked.law} {checked.position}: {said}")


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--library", type=Path, help="a library file, instead of building one")
    options.add_argument(
        "--cases", action="store_true", help="list the failures of the parts that may be seen"
    )
    chosen = read_arguments(options)
    with tempfile.TemporaryDirectory() as folder:
        file = chosen.library or Path(folder) / "law.sqlite"
        if chosen.library is None:
            build_library([shared_folder() / "data" / "statutes"], file)
        with Library.open(file) as library:
            checker = Checker(library)

            def check(part: Part) -> list[Compared]:
                return [pair for text in read_part(part) for pair in compare(text, checker)]

            seen, held_back, later = check("seen"), check("held_back"), check("later")
    print_part("seen", seen)
    print_part("held back", held_back)
    print_part("later", later)
    print_styles([*seen, *later])
    if chosen.cases:
        print_cases([*seen, *later])


if __name__ == "__main__":
    main()
