"""The citations of 501 real judgments, checked: how many are found, resolved, there, in force.

    python benchmarks/citations.py [--guiding] [--library FILE] [--list STATUS]

Reads the judgments of JuDGE and the texts of law, and builds a library from these unless one is
given. With ``--guiding`` it reads the guiding cases instead: the provisions that a case lists on
the day of its issue, the rest on the day of its last decision. Times are CPU seconds of one process
with the library open and nothing read from it yet. ``--list wrong`` prints the citations of a
status, to be looked at. Writes nothing but the tables.

Needs the shared data (HENGFA_SHARED, or next to the checkout).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from hengfa.law.grammar.dates import find_days
from hengfa.law.library.building.build import build_library
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import Report
from hengfa.law.library.store import Library
from shared_data import read_arguments, shared_folder

CRIMINAL_LAW = "中华人民共和国刑法"


def judgments(data: Path) -> list[dict[str, Any]]:
    with (data / "JuDGE" / "data" / "test.json").open(encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


class Document(NamedTuple):
    name: str
    text: str
    day: date | None = None  # None for the one that the text bears


def guiding_cases(data: Path) -> Iterator[Document]:
    """Each case in two documents, for it lists provisions as they stand when it is issued."""
    with (data / "guiding_cases" / "cases.jsonl").open(encoding="utf-8") as stream:
        for case in map(json.loads, stream):
            issued = date.fromisoformat(case["issued"])
            decided = [found.day for found in find_days(case["result"] or "")]
            day = max((each for each in decided if each <= issued), default=issued)
            parts = (case[part] for part in ("holding", "facts", "result", "reasoning"))
            yield Document(case["no"], case["statutes"] or "", issued)
            yield Document(case["no"], "\n\n".join(filter(None, parts)), day)


def check_all(library: Library, documents: Iterable[Document]) -> tuple[list[Report], list[float]]:
    """The reports, and the CPU seconds of each."""
    checker = Checker(library)
    reports, seconds = [], []
    for name, text, day in documents:
        start = time.process_time()
        reports.append(checker.check(text, name=name, as_of=day))
        seconds.append(time.process_time() - start)
    return reports, seconds


def articles_of(report: Report) -> set[int]:
    """The articles of the criminal law that a judgment was found to cite."""
    from hengfa.law.grammar.citation import find_citations

    found: set[int] = set()
    for one in report.citations:
        if one.law == CRIMINAL_LAW and one.position:
            for citation in find_citations(one.position):
                found.update(p.article for p in citation.expand() if p.article)
    return found


def print_counts(title: str, counted: Counter[str], total: int) -> None:
    print(f"\n| {title} | citations | share |\n| --- | ---: | ---: |")
    for name, number in counted.most_common():
        print(f"| {name} | {number:,} | {number / total:.1%} |")


def print_found(rows: Sequence[dict[str, Any]], reports: Sequence[Report]) -> None:
    labelled = sum(len(set(row["la"])) for row in rows)
    missed = sum(
        len(set(row["la"]) - articles_of(report)) for row, report in zip(rows, reports, strict=True)
    )
    print(
        f"of {labelled:,} articles of the criminal law that the data set names, {missed} not found"
    )
    dated = Counter(report.day.basis for report in reports)
    print("day taken from:", ", ".join(f"{basis} {number}" for basis, number in dated.items()))


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--guiding", action="store_true", help="read the guiding cases")
    options.add_argument("--library", type=Path, help="a library file, instead of building one")
    options.add_argument("--list", dest="listed", help="print the citations of this status")
    chosen = read_arguments(options)
    data = shared_folder() / "data"
    rows = [] if chosen.guiding else judgments(data)
    documents = [Document(str(number), row["fd"]) for number, row in enumerate(rows)]
    with tempfile.TemporaryDirectory() as folder:
        file = chosen.library or Path(folder) / "law.sqlite"
        if chosen.library is None:
            build_library([data / "statutes"], file)
        with Library.open(file) as library:
            reports, seconds = check_all(library, documents or guiding_cases(data))
    own = [one for report in reports for one in report.citations if not one.inside]
    inside = sum(one.inside for report in reports for one in report.citations)
    print(f"{len(reports)} documents: {len(own):,} citations, and {inside} in quoted law")
    if rows:
        print_found(rows, reports)
    print_counts("law", Counter("resolved" if one.law else one.problem for one in own), len(own))
    print_counts("position", Counter(one.exists or "no law" for one in own), len(own))
    print_counts("in force on the day", Counter(one.in_force or "no law" for one in own), len(own))
    quoted = [one.quotation.verdict for one in own if one.quotation]
    print_counts("quotation", Counter(quoted), len(quoted))
    print_counts("in all", Counter(one.status for one in own), len(own))
    print_counts("what is the matter", Counter(one.problem or "nothing" for one in own), len(own))
    ordered = sorted(seconds)
    print(
        f"\nCPU: {sum(seconds):.2f} s in all; a document {ordered[len(ordered) // 2] * 1e3:.1f} ms"
        f" (median), {ordered[int(len(ordered) * 0.95)] * 1e3:.1f} ms (95 %),"
        f" {ordered[-1] * 1e3:.0f} ms (slowest)"
    )
    for report in reports if chosen.listed else ():
        for one in report.citations:
            if one.status == chosen.listed and not one.inside:
                notes = "; ".join(one.notes)
                print(f"{report.name} {report.day.day} {one.written} | {one.problem} | {notes}")


if __name__ == "__main__":
    main()
