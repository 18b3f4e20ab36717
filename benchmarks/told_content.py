"""How well content that is told without quotation marks is called like or unlike its provision.

    python benchmarks/told_content.py [--library FILE]

Labels by a reader (tests/law/library/told_labels.py) on released LawBench consultation answers. The
thresholds were chosen on one half of them and judged on the other.

Needs the shared data.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from hengfa.law.library.building.build import build_library
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.store import Library
from shared_data import read_arguments, shared_folder

sys.path.append(str(Path(__file__).resolve().parents[1]))  # where the labels are

from tests.law.library.told_labels import DAY, labelled_answers

WRONG = ("unlike", "slip")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--library", type=Path, help="A law library, instead of building one.")
    file: Path | None = read_arguments(parser).library
    shared = shared_folder()
    with tempfile.TemporaryDirectory() as folder:
        if file is None:
            file = Path(folder) / "law.sqlite"
            build_library([shared / "data" / "statutes"], file)
        labels: Counter[tuple[str, str]] = Counter()
        called: Counter[tuple[str, str]] = Counter()
        right: Counter[str] = Counter()
        with Library.open(file) as library:
            checker = Checker(library)
            for labelled in labelled_answers(shared):
                label = labelled.label
                labels[label.half, label.label] += 1
                found = next(
                    checked
                    for checked in checker.check(labelled.text, as_of=DAY).citations
                    if checked.start <= label.start < checked.end
                )
                unlike = found.telling is not None and found.telling.verdict == "unlike"
                called[label.half, label.label] += unlike
                right[label.half] += label.label in WRONG and found.status == "right"
    columns = "unlike | slip | like | nothing told | unsure"
    print(f"| half | precision | recall | {columns} | wrong called right |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for half in ("choose", "judge"):
        wrong = sum(labels[half, label] for label in WRONG)
        caught = sum(called[half, label] for label in WRONG)
        precision, recall = caught / (caught + called[half, "like"]), caught / wrong
        each = (
            f"{called[half, label]} of {labels[half, label]}"
            for label in ("unlike", "slip", "like", "nothing told", "unsure")
        )
        told = f"{precision:.3f} | {recall:.3f} | {' | '.join(each)}"
        print(f"| {half} | {told} | {right[half]} of {wrong} |")


if __name__ == "__main__":
    main()
