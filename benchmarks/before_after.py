"""That a change of the code moves no number: everything in the shared folder, before and after.

    python benchmarks/before_after.py record OUT [--src PATH] [--only lawbench,claw]
    python benchmarks/before_after.py compare A B [--only lawbench,claw]

`record` runs the command line over the shared data and writes what it says below OUT: a folder for
each section, in it files of one value a line, a name, a tab, the value at full precision. A long
text is kept as its sum only. PATH is the `src` folder of any checkout; without it the installed
Hengfa is recorded. Nothing is used but commands, their `--json` and exported files, so that code of
different ages can be compared. `compare` prints every value that differs, and its exit status is 1
if there are any. A section that fails says so, and the others go on.

Needs the shared data (HENGFA_SHARED, or next to the checkout), and hengfa[retrieval] for the
sections `retrieval` and `table`.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared_data import shared_folder

CALL = "import sys; sys.argv[0] = 'hengfa'; from hengfa.cli.main import main; main()"
SCRIPT = (
    "import pathlib, runpy, sys; sys.argv[:1] = []; "
    "sys.path.append(str(pathlib.Path(sys.argv[0]).parent)); "
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)
"""Runs a script with its folder last on the path: in older checkouts one was called coverage.py,
which hid the library of that name."""

LONGEST = 200
"""Texts with more characters than this are kept as a sum."""

RECORD = ("value", "counted", "status", "answer_status", "instrument", "cluster")
"""What of an exported record is compared, beside its name."""

Values = Iterable[tuple[str, object]]
Section = Callable[["House"], Iterator[tuple[str, Values]]]
"""Yields tables: the name of a file, and its values by name."""


class Failed(Exception):
    """A command did not do its work; the message ends with what it said last."""


@dataclass(frozen=True)
class House:
    """The command line of one tree, the data it is run on, and a folder to work in."""

    src: Path | None
    data: Path
    work: Path

    def run(self, *arguments: object) -> str:
        """What `hengfa ARGUMENTS` prints on standard output."""
        return self.python("-c", CALL, *arguments)

    def json(self, *arguments: object) -> Any:
        return json.loads(self.run(*arguments, "--json"))

    def python(self, *arguments: object) -> str:
        own = {"HENGFA_HOME": str(self.work / "home"), "HENGFA_SHARED": str(self.data.parent)}
        if self.src is not None:
            own["PYTHONPATH"] = str(self.src)
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=self.work, env={**os.environ, **own}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise Failed(f"exit status {done.returncode}: {done.stderr.strip()[-2000:]}")
        return done.stdout

    def library(self) -> None:
        """Build the law library of the work folder, if no section did so before."""
        if not (self.work / "home" / "law.sqlite").is_file():
            self.run("law", "build", self.data / "statutes")


# --- sections ---


def lawbench(house: House) -> Iterator[tuple[str, Values]]:
    """The released runs and the synthetic models."""
    root, saved = house.data / "LawBench", house.work / "lawbench"
    for archive in sorted((root / "predictions").glob("*.tar.xz")):
        with tarfile.open(archive) as packed:
            packed.extractall(saved, filter="data")
    synthetic = sorted((root / "predictions" / "synthetic").glob("*.jsonl.gz"))
    yield from scored(house, "lawbench", root, saved, *synthetic)


def legalagentbench(house: House) -> Iterator[tuple[str, Values]]:
    """The released runs: two models, three methods."""
    root = house.data / "LegalAgentBench"
    yield from scored(house, "legalagentbench", root, root / "runs")


def judgment(house: House) -> Iterator[tuple[str, Values]]:
    """JuDGE's example and systems, by both evaluators, and what is read out of each document."""
    root = house.data / "JuDGE"
    outputs = (root / "Example_Output.jsonl", root / "baseline_outputs")
    yield from scored(house, "judgment", root, *outputs)
    legacy = house.json("score", "judgment", *outputs, "--data", root, "--set", "version=legacy")
    yield "figures.legacy", figures(legacy)
    for rules in ("official", "corrected"):
        read = house.json(
            "suite", "judgment", "compare", outputs[0], "--data", root, "--rules", rules
        )
        yield f"documents.{rules}", flat(read)


def plawbench(house: House) -> Iterator[tuple[str, Values]]:
    """Floor, retrieval and ceiling, graded by keywords; and how the rubrics are read."""
    root = house.data / "PLawbench"
    for model in ("floor", "retrieval", "ceiling"):
        yield from answered(house, "plawbench", root, model, "--grader", "keywords")
    yield "rubrics", flat(house.json("suite", "plawbench", "lint", "--all", "--data", root))


def claw(house: House) -> Iterator[tuple[str, Values]]:
    """Floor and retrieval on a share of all provisions of all statutes."""
    for model in ("floor", "retrieval"):
        yield from answered(house, "claw", house.data / "statutes", model, "--limit", "4000")


def law(house: House) -> Iterator[tuple[str, Values]]:
    """The library: its counts, and every provision."""
    house.library()
    for name, more in (("stats", ()), ("stats.2025", ("--until", "2025-04-08"))):
        counted = house.json("law", "stats", *more)
        yield name, flat({key: value for key, value in counted.items() if key != "file"})
    house.run("law", "export", "-o", house.work / "provisions.jsonl")
    yield "provisions", provisions(house.work / "provisions.jsonl")


def citations(house: House) -> Iterator[tuple[str, Values]]:
    """Every citation of the 501 judgments of JuDGE."""
    house.library()
    folder = house.work / "judgments"
    folder.mkdir()
    for number, row in enumerate(rows(house.data / "JuDGE" / "data" / "test.json")):
        (folder / f"{number:03}.txt").write_text(row["fd"], encoding="utf-8")
    checked = house.json("cite", "check", *sorted(folder.iterdir()))
    yield "library", [("library", checked["library"])]
    yield "citations", cited(checked["documents"])


def retrieval(house: House) -> Iterator[tuple[str, Values]]:
    """Articles for the facts of JuDGE, by each method of the command line.

    Every second fact teaches those methods that learn, the others are searched for.
    """
    source, folder = house.data / "JuDGE" / "data", house.work / "retrieval"
    folder.mkdir()
    relevant: dict[str, list[str]] = {}
    for line in (source / "qrels_file_test").read_text("utf-8").splitlines():
        query, _, document, _ = line.split()
        relevant.setdefault(query, []).append(document)
    facts = [{"id": row["text_id"], "text": row["text"]} for row in rows(source / "test.json")]
    learned = [{**fact, "labels": relevant[fact["id"]]} for fact in facts[::2]]
    articles = [
        {"id": row["text_id"], "text": row["text"], "name": row["name"]}
        for row in rows(source / "law_corpus.jsonl")
    ]
    queries, qrels, corpus = folder / "q.jsonl", folder / "qrels", folder / "corpus.jsonl"
    write_rows(queries, facts[1::2])
    write_rows(corpus, [*articles, *learned])
    asked = {fact["id"] for fact in facts[1::2]}
    judged = [f"{name} 0 {one} 1\n" for name in relevant if name in asked for one in relevant[name]]
    qrels.write_text("".join(judged), encoding="utf-8")
    for method in ("bm25-bigrams", "bm25-words", "tfidf", "frequency", "knn", "linear", "fusion"):
        index = Path(folder.name, f"{method}.index")  # relative: it names the measures
        run = folder / f"{method}.run"
        house.run("retrieve", "build", corpus, "-o", index, "--method", method)
        measured = house.json(
            "retrieve", "evaluate", index, "--queries", queries, "--qrels", qrels, "--run", run
        )
        yield f"measures.{method}", measures(measured)
        yield f"rankings.{method}", rankings(run)


def table(house: House) -> Iterator[tuple[str, Values]]:
    """The table of retrieval benchmarks, as the benchmark of the same checkout prints it."""
    if house.src is None:
        raise Failed("the table is made by a checkout, not by an installation: give --src")
    printed = house.python("-c", SCRIPT, house.src.parent / "benchmarks" / "retrieval.py", "table")
    yield "table", ((line[:52].strip(), line[52:].strip()) for line in printed.splitlines())


SECTIONS: dict[str, Section] = {
    section.__name__: section
    for section in (
        lawbench, legalagentbench, judgment, plawbench, claw, law, citations, retrieval, table,
    )
}  # fmt: skip


# --- what commands print, by name ---


def scored(
    house: House, suite: str, data: Path, *predictions: Path
) -> Iterator[tuple[str, Values]]:
    """Saved predictions under both rule sets: figures, and the record of every sample."""
    runs = house.work / f"{suite}-runs"
    said = house.json(
        "score", suite, *predictions, "--data", data, "--rules", "both", "--out", runs
    )
    yield "figures", figures(said)
    for run in sorted(runs.iterdir()):
        yield f"records.{run.name}", records(house, run)


def answered(
    house: House, suite: str, data: Path, model: str, *options: str
) -> Iterator[tuple[str, Values]]:
    """A built-in model, asked and scored under both rule sets."""
    runs = house.work / f"{suite}-{model}"
    said = house.json(
        "eval", suite, "--model", model, "--data", data, "--rules", "both", "--runs", runs, *options
    )
    yield f"figures.{model}", figures(said)
    for run in sorted(runs.iterdir()):
        yield f"records.{model}", records(house, run)


def figures(said: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Everything about tasks, and the suite's figures, by setting, model and rules."""
    for run in said["runs"]:
        name = f"{run['setting']} {run['model']} {run['rules']}"
        yield from flat(run["tasks"], f"{name} tasks")
        yield from flat(run["figures"], f"{name} figures")


def records(house: House, run: Path) -> Iterator[tuple[str, object]]:
    """Of each sample each metric: its value, and whatever decides how it counts."""
    file = house.work / "records.csv"
    file.unlink(missing_ok=True)  # of the run before
    house.run("export", "csv", run, "-o", file)
    with file.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            name = " ".join(row[part] for part in ("rules", "task", "sample", "metric"))
            yield name, " | ".join(row[part] for part in RECORD)


def provisions(file: Path) -> Iterator[tuple[str, object]]:
    for row in rows(file):
        place = "{article}-{article_sub}.{paragraph}.{item} {role}".format_map(row)
        yield f"{row['law']} {row['version']} {place}", row["text"]


def cited(documents: Iterable[dict[str, Any]]) -> Iterator[tuple[str, object]]:
    """By document and place; a day that is today's is none of the document's."""
    for document in documents:
        name = Path(document["name"]).stem
        yield from flat(document["counts"], f"{name} counts")
        yield from flat(_day(document["day"]), f"{name} day")
        for citation in document["citations"]:
            known = {**citation, "day": _day(citation["day"])}
            yield from flat(known, f"{name} {citation['start']}-{citation['end']}")


def _day(day: dict[str, Any] | None) -> dict[str, Any] | None:
    return {"basis": "today"} if day and day["basis"] == "today" else day


def measures(said: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Without intervals: how they are drawn is no property of a retriever."""
    for name, value in flat(said):
        if "interval" not in name and not isinstance(value, str):
            yield name, value


def rankings(run: Path) -> Iterator[tuple[str, object]]:
    """Of each query the documents found and their scores, as one sum."""
    found: dict[str, list[str]] = {}
    for line in run.read_text("utf-8").splitlines():
        query, _, document, rank, score, _ = line.split()
        found.setdefault(query, []).append(f"{rank} {document} {score}")
    for query, lines in found.items():
        yield query, "\n".join(lines)


# --- values and files ---


def flat(value: Any, name: str = "") -> Iterator[tuple[str, object]]:
    """The leaves of a JSON document, each named by the way to it."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from flat(below, f"{name} {key}".strip())
    elif isinstance(value, list):
        for place, below in enumerate(value):
            yield from flat(below, f"{name} {place}".strip())
    else:
        yield name, value


def shown(value: object) -> str:
    """One line of JSON, with every digit; of a long text its sum."""
    if isinstance(value, str) and len(value) > LONGEST:
        return f"{len(value)} characters, sha256 {hashlib.sha256(value.encode()).hexdigest()}"
    return json.dumps(value, ensure_ascii=False)


def rows(file: Path) -> Iterator[dict[str, Any]]:
    content = file.read_bytes()
    if file.suffix == ".gz":
        content = gzip.decompress(content)
    for line in content.decode().split("\n"):
        if line:
            yield json.loads(line)


def write_rows(file: Path, written: Iterable[dict[str, Any]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in written)
    file.write_text("".join(lines), encoding="utf-8")


def write_values(file: Path, values: Values) -> int:
    """One line for each value; of a name that comes again, each time counts. How many there are."""
    seen: Counter[str] = Counter()
    with file.open("w", encoding="utf-8") as stream:
        for name, value in values:
            once = " ".join(name.split())
            seen[once] += 1
            again = f" #{seen[once]}" if seen[once] > 1 else ""
            stream.write(f"{once}{again}\t{shown(value)}\n")
    return seen.total()


def read_values(file: Path) -> dict[str, str]:
    """By name; none where the file is not there."""
    if not file.is_file():
        return {}
    lines = file.read_text("utf-8").split("\n")
    return dict(line.split("\t", 1) for line in lines if line)


# --- the two commands ---


def record(out: Path, src: Path | None, chosen: list[str]) -> bool:
    """Whether all sections were recorded."""
    done = True
    with tempfile.TemporaryDirectory(prefix="before-after-") as work:
        house = House(src, shared_folder() / "data", Path(work))
        for name in chosen:
            begun = time.monotonic()
            shutil.rmtree(out / name, ignore_errors=True)
            (out / name).mkdir(parents=True)
            try:
                counted = sum(
                    write_values(out / name / f"{file}.tsv", values)
                    for file, values in SECTIONS[name](house)
                )
                said = f"{counted:,} values"
            except (Failed, OSError, LookupError, TypeError, ValueError) as error:
                shutil.rmtree(out / name)
                done, said = False, f"FAILED, not recorded: {type(error).__name__}: {error}"
            print(f"{name}: {said}, {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    return done


def compare(before: Path, after: Path, chosen: list[str]) -> bool:
    """Whether both folders say the same; prints each value that differs."""
    different = total = 0
    for section in chosen:
        sides = [{file.name for file in (one / section).glob("*.tsv")} for one in (before, after)]
        for folder, files in zip((before, after), sides, strict=True):
            if not files:
                print(f"{section}: nothing was recorded in {folder}")
                different += 1
        for file in sorted(sides[0] | sides[1]) if all(sides) else ():
            old, new = (read_values(one / section / file) for one in (before, after))
            for name in dict.fromkeys([*old, *new]):
                total += 1
                if old.get(name) != new.get(name):
                    different += 1
                    was, now = (one.get(name, "not there") for one in (old, new))
                    print(f"{section}/{file}: {name}: {was} -> {now}")
    print(f"{total:,} values compared, {different:,} differences", file=sys.stderr)
    return not different


def _sections(names: str) -> list[str]:
    chosen = names.split(",")
    if unknown := [name for name in chosen if name not in SECTIONS]:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: choose from {', '.join(SECTIONS)}")
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="write what a tree says below OUT")
    recording.add_argument("out", type=Path, metavar="OUT")
    recording.add_argument("--src", type=Path, metavar="PATH", help="the src folder of a checkout")
    comparing = commands.add_parser("compare", help="print what differs between two recordings")
    comparing.add_argument("before", type=Path, metavar="A")
    comparing.add_argument("after", type=Path, metavar="B")
    for command in (recording, comparing):
        command.add_argument(
            "--only", type=_sections, default=list(SECTIONS), metavar="SECTION,…",
            help=f"of {', '.join(SECTIONS)}",
        )  # fmt: skip
    given = parser.parse_args()
    if given.command == "record":
        if given.src and not (given.src / "hengfa").is_dir():
            parser.error(f"--src: {given.src} has no package hengfa")
        same = record(given.out, given.src and given.src.resolve(), given.only)
    else:
        same = compare(given.before, given.after, given.only)
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        main()
