"""Official counts equal the published evaluator's on real predictions (lawbench.md 3, 8)."""

from __future__ import annotations

import csv
import gzip
import json
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.law.text.edits import counts

from hengfa.law.text.proofreading import Counts, Similarity, f_half, source_of_prompt
from hengfa.law.text.proofreading.similarity import CODE_MASK, HAN_FIRST

pytestmark = pytest.mark.shared

TABLES = Path("data", "LawBench", "evaluation", "utils", "data")
Texts = tuple[str, str, str]


class Run(NamedTuple):
    setting: str
    model: str

    def items(self, shared: Path) -> dict[int, str] | None:
        """Reference counts and time-out of each item, where there are any."""
        file = (
            shared / "reference" / "lawbench_item_scores" / f"{self.setting}__{self.model}.csv.gz"
        )
        if not file.exists():
            return None
        with gzip.open(file, "rt") as lines:
            return {
                int(row["id"]): f"{row['score']}/{row['abstain']}"
                for row in csv.DictReader(lines)
                if row["task"] == "2-1"
            }


@pytest.fixture(scope="module")
def similarity(shared: Path) -> Similarity:
    return Similarity.read(shared / TABLES)


@pytest.fixture(scope="module")
def released(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("predictions")
    with tarfile.open(shared / "data" / "LawBench" / "predictions" / "dev.tar.xz") as archive:
        for member in archive.getmembers():
            if member.isfile() and Path(member.name).name == "2-1.json":
                archive.extract(member, folder, filter="data")
    return folder


def read_released(file: Path) -> Iterator[Texts]:
    rows = json.loads(file.read_text("utf-8"))
    for number in range(len(rows)):
        row = rows[str(number)]
        prompt = row["origin_prompt"]
        source = source_of_prompt(prompt if isinstance(prompt, str) else prompt[0]["prompt"])
        assert source is not None
        yield source, row["prediction"], row["refr"]


def read_synthetic(shared: Path, model: str) -> Iterator[Texts]:
    root = shared / "data" / "LawBench"
    questions = json.loads((root / "data" / "zero_shot" / "2-1.json").read_text("utf-8"))
    with gzip.open(root / "predictions" / "synthetic" / f"{model}.jsonl.gz", "rt") as lines:
        for row in map(json.loads, lines):
            if row["task"] == "2-1":
                question = questions[int(row["id"])]
                yield question["question"], row["prediction"], question["answer"]


def score(texts: Iterable[Texts], similarity: Similarity) -> list[Counts]:
    return [counts(*each, similarity) for each in texts]


def totals(found: list[Counts]) -> tuple[int, int, int]:
    return (
        sum(each.tp for each in found),
        sum(each.fp for each in found),
        sum(each.fn for each in found),
    )


def by_item(found: list[Counts]) -> dict[int, str]:
    return {
        number: f"{each.tp}/{each.fp}/{each.fn}/{int(each.timed_out)}"
        for number, each in enumerate(found)
    }


def test_counts_and_time_outs_of_released_runs(
    shared: Path, released: Path, similarity: Similarity, deep: bool
) -> None:
    """Of all; without `--deep`, of two of those of which each item is known."""
    with (shared / "reference" / "lawbench_2-1_virtual_clock.csv").open() as lines:
        rows = {Run(row["setting"], row["model"]): row for row in csv.DictReader(lines)}
    with (shared / "reference" / "lawbench_scores.csv").open() as lines:
        scores = {
            Run(row["setting"], row["model"]): float(row["score"])
            for row in csv.DictReader(lines)
            if row["task"] == "2-1"
        }
    files = {Run(file.parts[-3], file.parts[-2]): file for file in released.rglob("2-1.json")}
    assert len(files) == 13
    with_items = 0
    known = [run for run in sorted(files) if run.items(shared)]
    assert len(known) == 4
    for run in files if deep else known[:2]:
        file = files[run]
        found = score(read_released(file), similarity)
        expected = tuple(int(rows[run][name]) for name in ("tp", "fp", "fn"))
        assert totals(found) == expected, run
        assert round(f_half(*expected), 4) == scores[run], run
        timed_out = [number for number, each in enumerate(found) if each.timed_out]
        assert timed_out == [int(number) for number in rows[run]["timeout_ids"].split()], run
        items = run.items(shared)
        if items is not None:
            assert by_item(found) == items, run
            with_items += 1
    assert with_items == (4 if deep else 2)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("qwen-7b-chat-hf", 0.126),
        ("wisdom-interrogatory-7b-hf", 0.1759),
        ("internlm-chat-7b-8k-hf", 0.2742),
    ],
)
def test_without_the_template_in_the_source(
    shared: Path, released: Path, similarity: Similarity, model: str, expected: float
) -> None:
    """The figures of lawbench.md 3.1 for the question itself as source."""
    (file,) = released.rglob(f"zero_shot/{model}/2-1.json")
    questions = (texts[0] for texts in read_synthetic(shared, "synthetic-oracle"))
    texts = zip(questions, (each[1:] for each in read_released(file)), strict=True)
    found = score(((source, *rest) for source, rest in texts), similarity)
    assert round(f_half(*totals(found)), 4) == expected


def test_counts_of_synthetic_predictions(shared: Path, similarity: Similarity, deep: bool) -> None:
    """Of all; without `--deep`, of the one that mixes ways to be wrong."""
    with (shared / "reference" / "lawbench_scores_synthetic.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["task"] == "2-1"]
    assert len(rows) == 3
    assert "synthetic-mixed" in {row["model"] for row in rows}
    for row in rows:
        if not deep and row["model"] != "synthetic-mixed":
            continue
        found = score(read_synthetic(shared, row["model"]), similarity)
        assert len(found) == 500
        assert round(f_half(*totals(found)), 4) == float(row["score"]), row
        items = Run("synthetic", row["model"]).items(shared)
        assert items is None or by_item(found) == items, row


def test_no_gold_pair_times_out(shared: Path, similarity: Similarity) -> None:
    found = score(read_synthetic(shared, "synthetic-oracle"), similarity)
    assert not any(each.timed_out for each in found)


def test_tables_are_those_of_the_specification(shared: Path, similarity: Similarity) -> None:
    """Of the columns for code and confusions; one row is known to differ (lawbench.md 3.3)."""
    features, _, confusions, at = similarity.tables
    different = []
    with (shared / "data" / "LawBench" / "notes" / "char_table.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            point = ord(row["char"])
            packed = int(features[point]) & CODE_MASK
            code = f"{chr(packed >> 16)}{chr(packed >> 8 & 0xFF)}{packed & 0xFF:02}"
            han = point - HAN_FIRST
            alike = set(map(chr, confusions[at[han] : at[han + 1]]))
            if (code if packed else "") != row["cilin4"] or alike != set(row["confusion"]):
                different.append(row["char"])
    assert len(different) == 1
