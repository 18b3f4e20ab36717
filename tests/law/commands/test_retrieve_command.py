"""`hengfa retrieve` as a person or a script calls it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.cli.test_cli import Done, hengfa
from tests.law.library.fictional import CALENDAR, ROWS, TEA, write_rows
from tests.law.retrieval.fictional import ARTICLES, EXAMPLES, QRELS, QUERIES

from hengfa.law.commands.retrieve import DENSE, METHODS
from hengfa.law.retrieval.methods import NAMED


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus, examples, queries and judgments, with an index of two methods."""
    folder = tmp_path_factory.mktemp("retrieve")
    rows = [{"id": one.id, "text": one.text, "name": one.name} for one in ARTICLES]
    _write(folder / "articles.jsonl", rows)
    examples = [{"id": one.id, "text": one.text, "labels": one.labels} for one in EXAMPLES]
    _write(folder / "facts.jsonl", examples)
    _write(folder / "queries.jsonl", [{"id": one.id, "text": one.text} for one in QUERIES])
    lines = [f"{q}\t0\t{d}\t{gain}\n" for q, judged in QRELS.items() for d, gain in judged.items()]
    (folder / "qrels").write_text("".join(lines))
    for output, arguments in (("pairs.index", ()), ("near.index", ("facts.jsonl", "--method=knn"))):
        done = hengfa("retrieve", "build", "articles.jsonl", *arguments, "-o", output, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def retrieve(folder: Path, *arguments: str) -> Done:
    return hengfa("retrieve", *arguments, cwd=folder)


def test_a_query_needs_no_command(folder: Path) -> None:
    done = retrieve(folder, "偷拿茶叶", "--index", "pairs.index", "--k", "2")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].startswith("  1  1  云山茶律第一条")
    as_json = retrieve(folder, "--index", "pairs.index", "偷拿茶叶", "--json")
    found = json.loads(as_json.stdout)
    assert found["query"] == "偷拿茶叶"
    assert found["hits"][0]["id"] == "1"
    assert found["hits"][0]["text"] == ARTICLES[0].text
    assert retrieve(folder, "search", "偷拿茶叶", "--index", "pairs.index").returncode == 0


def test_a_query_may_lie_in_a_file(folder: Path) -> None:
    (folder / "fact.txt").write_text("某甲醉后驾驶茶车。")
    done = retrieve(folder, "@fact.txt", "--index", "near.index", "--json")
    assert json.loads(done.stdout)["hits"][0]["id"] == "2"
    (folder / "latin.txt").write_bytes(b"\xff\xfe")
    done = retrieve(folder, "@latin.txt", "--index", "near.index")
    assert done.returncode == 2
    assert "not UTF-8" in done.stderr


def test_nothing_found_is_said(folder: Path) -> None:
    done = retrieve(folder, "xyz", "--index", "pairs.index")
    assert (done.returncode, done.stdout) == (0, "")
    assert "nothing found" in done.stderr


def test_building_says_what_was_built(folder: Path) -> None:
    done = retrieve(
        folder, "build", "articles.jsonl", "facts.jsonl", "-o", "f.index", "--method=frequency"
    )
    assert "5 targets from 5 documents and 6 examples, frequency, in f.index" in done.stdout
    done = retrieve(folder, "build", "articles.jsonl", "-o", "g.index", "--json")
    assert json.loads(done.stdout)["documents"] == 5
    done = retrieve(folder, "build", "articles.jsonl", "-o", "h.index", "--method", "knn")
    assert done.returncode == 2
    assert "labels" in done.stderr
    done = retrieve(folder, "build", "articles.jsonl", "-o", ".")
    assert done.returncode == 2
    assert "not ours" in done.stderr


def test_evaluation_prints_intervals_writes_runs_and_compares(folder: Path) -> None:
    measured = ("--queries", "queries.jsonl", "--qrels", "qrels")
    done = retrieve(folder, "evaluate", "pairs.index", "near.index", *measured, "--run", "runs")
    assert done.returncode == 0, done.stderr
    assert "MRR@100" in done.stdout
    assert "near.index less pairs.index, on the same queries" in done.stdout
    assert "3 queries, 4 relevant pairs" in done.stdout
    again = retrieve(folder, "evaluate", "runs/pairs.index.run", "pairs.index", *measured, "--json")
    found = json.loads(again.stdout)
    first, second = (one["figures"] for one in found["evaluations"])
    assert first == second
    assert first["MRR@100"]["value"] == 1
    alone = retrieve(folder, "evaluate", "pairs.index", *measured, "--run", "one.run")
    assert alone.returncode == 0
    assert (folder / "one.run").read_text().startswith("q1 Q0 ")


def test_a_wrong_call_says_what_is_wrong(folder: Path) -> None:
    for arguments, words, status in (
        (("evaluate", "pairs.index", "--qrels", "qrels"), "--queries", 2),
        (("evaluate", "a.run", "--qrels", "qrels"), "a.run", 1),
        (("evaluate", "x", "x", "--qrels", "qrels"), "twice", 2),
        (("evaluate", "x", "--qrels", "qrels", "--measure", "map"), "is no measure", 2),
        (("茶", "--index", "nowhere"), "hengfa retrieve build", 1),
        (("茶", "--index", "pairs.index", "--law", "茶律"), "--law", 2),
        (("茶",), "hengfa law get", 1),
    ):
        done = retrieve(folder, *arguments)
        assert (done.returncode, words in done.stderr) == (status, True), done.stderr


def test_the_law_library_is_searched_by_default(tmp_path: Path) -> None:
    write_rows(tmp_path / "laws", ROWS, CALENDAR)
    home = str(tmp_path / "home")
    assert hengfa("law", "build", "laws", cwd=tmp_path, HENGFA_HOME=home).returncode == 0
    done = hengfa("retrieve", "为了规范茶馆的经营", "--json", cwd=tmp_path, HENGFA_HOME=home)
    assert done.returncode == 0, done.stderr
    assert "this happens once" in done.stderr
    assert json.loads(done.stdout)["hits"][0]["id"] == f"{TEA}/1"
    once = hengfa("retrieve", "茶馆", "--json", cwd=tmp_path, HENGFA_HOME=home)
    assert "this happens once" not in once.stderr
    only = hengfa("retrieve", "茶馆", "--law", TEA, "--json", cwd=tmp_path, HENGFA_HOME=home)
    assert only.returncode == 0, only.stderr
    hits = json.loads(only.stdout)["hits"]
    assert hits
    assert all(hit["id"].startswith(f"{TEA}/") for hit in hits)


def test_the_command_offers_all_methods() -> None:
    assert (*NAMED, DENSE) == METHODS


def _write(file: Path, rows: Sequence[Mapping[str, object]]) -> None:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
