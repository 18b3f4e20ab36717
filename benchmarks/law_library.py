"""How long it takes to build the law library, to look a provision up, and to search.

    python benchmarks/law_library.py [FOLDER]

FOLDER holds texts of law as `hengfa law build` takes them. CPU time of one process, which other
work on the machine does not change. Beside each figure, in the same run, what one would do without
a library: read the exported lines into a list and go through it, or ask SQLite for LIKE.

Needs FOLDER, or the statutes of the shared data (HENGFA_SHARED, or next to the checkout).
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import msgspec

from hengfa.law.grammar.citation_positions import parse_position
from hengfa.law.library import FoundVersion, Library, Position, Version, find_law, in_force_on
from hengfa.law.library.building.build import build_library
from hengfa.law.library.export import Exported, export_provisions
from hengfa.law.library.history import history
from hengfa.law.library.search import search
from shared_data import read_arguments, shared_folder

QUERIES = {
    "a phrase of 8": "故意伤害他人身体",
    "a word of 3": "抚养费",
    "a word of 2": "离婚",
    "a word of 1": "罪",
    "two words": "经济补偿 劳动合同",
    "a question": "劳动者试用期最长是多久",
    "a long question": "房屋租赁合同没有约定租期的，房东可以随时让我搬走吗",
}
ON = date(2025, 4, 8)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER")
    folder = read_arguments(parser).folder or shared_folder() / "data" / "statutes"
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "law.sqlite"
        began, wall = time.process_time(), time.perf_counter()
        built = build_library([folder], file)
        spent, waited = time.process_time() - began, time.perf_counter() - wall
        size = file.stat().st_size / 1e6
        print(f"build: {spent:.1f} s of CPU ({waited:.1f} s on the clock), {size:.0f} MB,")
        print(f"  {built.versions:,} versions, {built.leaves:,} leaves of statutes\n")
        with Library.open(file) as library:
            lines = [
                msgspec.json.decode(line, type=Exported)
                for line in export_provisions(library, library.versions())
            ]
            row("", "library", "without", "")
            measure_opening(file, lines)
            measure_lookups(library, lines)
            measure_searches(library, lines)
            measure_history(library)


def measure_opening(file: Path, lines: Sequence[Exported]) -> None:
    encoded = b"\n".join(msgspec.json.encode(line) for line in lines).splitlines()

    def open_it() -> None:
        with Library.open(file):
            pass

    def read_all() -> None:
        for line in encoded:
            msgspec.json.decode(line, type=Exported)

    row("open", best(open_it), best(read_all, 2), "decode all lines")

    def first_answer() -> None:
        with Library.open(file) as library:
            find_law(library, "民法典")

    row("open and find a law", best(first_answer), None, "")


def measure_lookups(library: Library, lines: Sequence[Exported]) -> None:
    chosen = random.Random(1).sample(range(len(lines)), 2000)
    keys: list[tuple[Version, Position]] = []
    versions = {(v.law, str(v.promulgated)): v for v in library.versions()}
    for index in chosen:
        one = lines[index]
        position = Position(one.article, one.article_sub or None, one.paragraph, one.item)
        keys.append((versions[one.law, one.version], position))

    def look_up() -> None:
        for version, position in keys:
            library.provision(version, position)

    def compose() -> None:
        for version, position in keys:
            library.text(version, Position(position.article, position.article_sub))

    def by_citation() -> None:
        for _ in range(500):
            law = find_law(library, "《民法典》")
            answer = in_force_on(library, law, ON)
            position = parse_position("第二十七条第二款第（一）项")
            if isinstance(answer, FoundVersion) and position:
                library.text(answer.version, position)

    def scan() -> None:
        for version, position in keys[:5]:
            day = str(version.promulgated)
            next(
                line
                for line in lines
                if line.law == version.law
                and line.version == day
                and line.article == position.article
                and line.article_sub == (position.article_sub or 0)
                and line.paragraph == position.paragraph
                and line.item == position.item
            )

    scanned = best(scan, 2) / 5
    row("a provision by key", best(look_up) / len(keys), scanned, "go through the list")
    row("an article, put together", best(compose) / len(keys), None, "")
    row("name, day and citation", best(by_citation) / 500, None, "")


def measure_searches(library: Library, lines: Sequence[Exported]) -> None:
    for name, query in QUERIES.items():
        words = query.split()

        def find(query: str = query) -> None:
            search(library, query, on=ON)

        def like(words: Sequence[str] = words) -> None:
            held = " AND ".join("text LIKE ?" for _ in words)
            sql = f"SELECT id FROM texts WHERE {held}"
            library.connection.execute(sql, [f"%{word}%" for word in words]).fetchall()

        row(f"search: {name}", best(find), best(like, 2), "LIKE, no ranking")
    del lines


def measure_history(library: Library) -> None:
    law = find_law(library, "民事诉讼法")
    latest = library.versions(law)[-1]

    def follow() -> None:
        history(library, law, latest, Position(55))

    row("history, 6 versions of 民事诉讼法", best(follow, 2), None, "")


def best(do: Callable[[], None], times: int = 5) -> float:
    """Seconds of CPU of the quickest of some tries, the first of which warms up."""
    do()
    spent = []
    for _ in range(times):
        began = time.process_time()
        do()
        spent.append(time.process_time() - began)
    return min(spent)


def row(name: str, ours: float | str, other: float | str | None, what: str) -> None:
    shown = [
        value if isinstance(value, str) else "" if value is None else duration(value)
        for value in (ours, other)
    ]
    print(f"{name:<36}{shown[0]:>12}{shown[1]:>12}  {what}".rstrip())


def duration(seconds: float) -> str:
    """A time as people read it.

    >>> duration(0.0000123), duration(0.0123), duration(12.3)
    ('12.3 µs', '12.3 ms', '12.3 s')
    """
    for factor, unit in ((1e6, "µs"), (1e3, "ms")):
        if seconds * factor < 1000:
            return f"{seconds * factor:.1f} {unit}"
    return f"{seconds:.1f} s"


if __name__ == "__main__":
    main()
