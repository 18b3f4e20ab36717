"""Whether amending acts lead from each text of a law to the next, article by article.

    python benchmarks/derived_versions.py [--library FILE] [LAW]

Each text is derived from the one before it by doing the acts between them, and from the one after
it by undoing them; what reads otherwise is listed. Then, for each version that is not at hand, how
many of its articles are known.

Needs the shared data, or a library.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.library import Library, Position, find_law
from hengfa.law.library.building.build import build_library
from hengfa.law.library.derived import Amendments, Carried, compare
from hengfa.law.library.matching import Passages
from hengfa.law.library.model import LawEntry
from shared_data import read_arguments, shared_folder


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("law", nargs="?", default="刑法", help="default: 刑法")
    parser.add_argument("--library", type=Path, help="A law library, instead of building one.")
    arguments = read_arguments(parser)
    with tempfile.TemporaryDirectory() as folder:
        file: Path | None = arguments.library
        if file is None:
            file = Path(folder) / "law.sqlite"
            build_library([shared_folder() / "data" / "statutes"], file)
        with Library.open(file) as library:
            law = find_law(library, arguments.law)
            compared(library, law)
            known(library, law)


def compared(library: Library, law: LawEntry) -> None:
    for found in compare(Amendments(Passages(library)), law):
        print(
            f"{found.derived} out of {found.out_of}: {found.same} same, {len(found.partly)} partly,"
            f" {len(found.unknown)} unknown, {len(found.differing)} differing"
        )
        for article in found.differing:
            print(f"    {format_position(article)}")


def known(library: Library, law: LawEntry) -> None:
    amendments = Amendments(Passages(library))
    articles = {
        Position(*provision.position[:2])
        for version in library.versions(law)
        for provision in library.entries(version, role=None)
    }
    for occasion in amendments.occasions(law):
        day = occasion.promulgated
        told = Counter(outcome(amendments.after(law, article, day)) for article in articles)
        there = sum(number for what, number in told.items() if what != "not there")
        listed = ", ".join(f"{told[what]} {what}" for what in ("known", "partly", "unknown"))
        print(f"{day}: {there} articles: {listed}")


def outcome(carried: Carried | None) -> str:
    if carried is None or (carried.exists and carried.passage is None):
        return "unknown"
    if not carried.exists:
        return "not there"
    return "partly" if carried.other_paragraphs else "known"


if __name__ == "__main__":
    main()
