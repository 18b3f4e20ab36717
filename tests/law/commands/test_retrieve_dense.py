"""`hengfa retrieve` with vectors and a reranker, from files to what is printed."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import numpy as np
import pytest
from tests.cli.test_cli import Done, hengfa
from tests.law.library.fictional import CALENDAR, ROWS, TEA
from tests.law.library.fictional import write_rows as write_laws
from tests.train.recipes.tiny_models import (
    ARTICLES,
    FACTS,
    needs_torch,
    one_thread,
    write_tiny_encoder,
)

from hengfa.law.commands.retrieve import command
from hengfa.law.retrieval.evaluating import read_run
from hengfa.train.retrieval.neural import ENCODER_SETTINGS, CrossEncoder, TextEncoder

__all__ = ["one_thread"]  # used by every test here
QUERY = FACTS[2].text
NAMES = {name: f"岛律第{name}条" for name in ARTICLES}
MEASURED = ("--queries", "q.jsonl", "--qrels", "qrels.txt")


def write_rows(file: Path, rows: Sequence[Mapping[str, object]]) -> None:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def done(folder: Path, *arguments: str) -> Done:
    ended = hengfa(*arguments, cwd=folder)
    assert ended.returncode == 0, ended.stderr
    return ended


def hits(folder: Path, *arguments: str) -> list[tuple[str, float]]:
    printed = json.loads(done(folder, "retrieve", *arguments, "--json").stdout)
    return [(hit["id"], hit["score"]) for hit in printed["hits"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained retriever and reranker beside their texts, and an index of each kind."""
    folder = tmp_path_factory.mktemp("dense")
    rows = [{"id": name, "text": text, "name": NAMES[name]} for name, text in ARTICLES.items()]
    write_rows(folder / "articles.jsonl", rows)
    facts = [{"id": one.id, "text": one.text, "labels": sorted(one.relevant)} for one in FACTS]
    write_rows(folder / "facts.jsonl", facts)
    write_rows(folder / "q.jsonl", [{"id": one.id, "text": one.text} for one in FACTS])
    lines = (f"{one.id} 0 {name} 1\n" for one in FACTS for name in one.relevant)
    (folder / "qrels.txt").write_text("".join(lines))
    (folder / "facts.txt").write_text(QUERY)
    lines = (f"{one.id} Q0 {name} 1 1 first\n" for one in FACTS for name in ARTICLES)
    (folder / "first.run").write_text("".join(lines))
    write_tiny_encoder(folder / "encoder")
    shared = ("articles.jsonl", "facts.jsonl", "--base", "encoder", "--checkpoint-every", "0")
    quick = ("--batch", "5", "--rate", "5e-3", "--query-tokens", "32", "--passage-tokens", "32")
    done(
        folder, "train", "retriever", *shared, *quick, "--epochs", "60", "--pooling", "mean",
        "--likeness", "cosine", "--temperature", "0.1", "--negatives", "all", "-o", "retriever",
    )  # fmt: skip
    done(
        folder, "train", "reranker", *shared, *quick, "--epochs", "60", "--pair-tokens", "48",
        "--run", "first.run", "-o", "reranker",
    )  # fmt: skip
    done(folder, "retrieve", "build", "articles.jsonl", "-o", "articles.index")
    done(folder, *BUILD)
    return folder


BUILD = shlex.split(
    "retrieve build articles.jsonl -o dense.index --method dense --encoder retriever"
)


@needs_torch
def test_exact_search_by_vectors_is_comparing_with_all_of_them(folder: Path) -> None:
    encoder = TextEncoder.load(folder / "retriever")
    passages = encoder.encode_passages([NAMES[name] + text for name, text in ARTICLES.items()])
    scores = passages @ encoder.encode_queries([QUERY])[0]
    expected = [list(ARTICLES)[place] for place in np.argsort(-scores)]
    found = hits(folder, QUERY, "--index", "dense.index")
    assert [name for name, _ in found] == expected
    assert [score for _, score in found] == pytest.approx(sorted(scores, reverse=True), abs=1e-5)
    assert found[0][0] in FACTS[2].relevant


@needs_torch
def test_building_says_what_was_built(folder: Path) -> None:
    said = done(folder, *BUILD, "--json")
    assert json.loads(said.stdout) == {
        "index": "dense.index", "method": "dense", "encoder": "retriever", "fields": "name+text",
        "targets": 6, "documents": 6, "examples": 0,
    }  # fmt: skip
    build = ("retrieve", "build", "articles.jsonl", "facts.jsonl", "--method", "dense")
    said = done(folder, *build, "-o", "raw.index", "--encoder", "encoder")
    assert said.stdout == "6 targets by their vectors of encoder, in raw.index\n"
    assert "5 labelled rows left out" in said.stderr
    assert f"does not say how its vectors are made ({ENCODER_SETTINGS}" in said.stderr


@needs_torch
def test_fields_of_an_index_are_those_it_was_built_with(folder: Path) -> None:
    done(folder, *BUILD, "--fields", "text", "-o", "text.index")
    encoder = TextEncoder.load(folder / "retriever")
    scores = encoder.encode_passages(list(ARTICLES.values())) @ encoder.encode_queries([QUERY])[0]
    found = hits(folder, QUERY, "--index", "text.index")
    assert [score for _, score in found] == pytest.approx(sorted(scores, reverse=True), abs=1e-5)


@needs_torch
def test_a_reranker_orders_the_first_hits_and_the_others_follow(folder: Path) -> None:
    query = "岛律：" + QUERY  # in the name of every article
    words = [name for name, _ in hits(folder, query, "--index", "articles.index")]
    assert len(words) == 6
    reranker = CrossEncoder.open(folder / "reranker")
    assert reranker.lengths.pair_tokens == 48  # as it was trained
    first = {name: NAMES[name] + ARTICLES[name] for name in words[:2]}
    expected = reranker.rerank(query, first)
    with_reranker = ("--index", "articles.index", "--rerank", "reranker", "--rerank-depth", "2")
    found = hits(folder, query, *with_reranker)
    assert [name for name, _ in found] == [name for name, _ in expected] + words[2:]
    assert [score for _, score in found[:2]] == pytest.approx([one for _, one in expected])
    assert found[2][1] == found[1][1] - 1
    texts = hits(folder, query, *with_reranker, "--rerank-fields", "text")
    assert [score for _, score in texts[:2]] != [score for _, score in found[:2]]


@needs_torch
def test_all_are_reranked_before_the_best_is_shown(folder: Path) -> None:
    (best,) = hits(folder, QUERY, "--index", "dense.index", "--rerank", "reranker", "--k", "1")
    read = {name: NAMES[name] + text for name, text in ARTICLES.items()}
    (name, score), *_ = CrossEncoder.open(folder / "reranker").rerank(QUERY, read)
    assert best[0] == name
    assert best[1] == pytest.approx(score)


@needs_torch
def test_articles_of_the_law_library_can_be_reranked(folder: Path, tmp_path: Path) -> None:
    write_laws(tmp_path / "laws", ROWS, CALENDAR)
    done(tmp_path, "law", "build", "laws")
    plain = hits(tmp_path, "茶馆", "--law", TEA)
    ordered = hits(tmp_path, "茶馆", "--law", TEA, "--rerank", str(folder / "reranker"))
    assert len(plain) > 1
    assert {name for name, _ in ordered} == {name for name, _ in plain}
    assert [score for _, score in ordered] != [score for _, score in plain]


@needs_torch
def test_evaluation_takes_indexes_of_any_kind_and_a_reranker(folder: Path) -> None:
    indexes = ("articles.index", "dense.index")
    done(folder, "retrieve", "evaluate", *indexes, *MEASURED, "--run", "runs")
    run = read_run(folder / "runs" / "dense.index.run")
    assert dict(run["c"]) == pytest.approx(dict(hits(folder, QUERY, "--index", "dense.index")))
    again = ("dense.index", "--rerank", "reranker", "--rerank-depth", "3", "--run", "reranked.run")
    said = done(folder, "retrieve", "evaluate", "runs/dense.index.run", *again, *MEASURED, "--json")
    first, second = (one["figures"] for one in json.loads(said.stdout)["evaluations"])
    assert first["MRR@100"]["value"] == 1  # five facts, learnt by heart
    assert second["MRR@100"]["value"] == 1
    reranked = read_run(folder / "reranked.run")
    for query, found in run.items():
        before, after = ([name for name, _ in one] for one in (found, reranked[query]))
        assert set(after[:3]) == set(before[:3])
        assert after[3:] == before[3:]


@needs_torch
@pytest.mark.optional("faiss")
def test_approximate_search_keeps_its_graph(folder: Path, own_home: Path) -> None:
    exact = hits(folder, QUERY, "--index", "dense.index")
    for _ in range(2):  # six vectors are all linked, so nothing is missed
        near = hits(folder, QUERY, "--index", "dense.index", "--approximate")
        assert [name for name, _ in near] == [name for name, _ in exact]
    (kept,) = (own_home / "indexes").iterdir()
    assert kept.suffix == ".faiss"


@needs_torch
def test_an_encoder_may_move_but_must_be_the_same(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "retriever", tmp_path / "old")
    shutil.copy(folder / "articles.jsonl", tmp_path)
    build = ("retrieve", "build", "articles.jsonl", "-o", "i", "--method", "dense")
    done(tmp_path, *build, "--encoder", "old")
    (tmp_path / "old").rename(tmp_path / "new")
    gone = hengfa("retrieve", QUERY, "--index", "i", cwd=tmp_path)
    assert gone.returncode == 2
    assert f"encoder {tmp_path / 'old'}, which is not there any more" in gone.stderr
    assert "--encoder" in gone.stderr
    moved = hits(tmp_path, QUERY, "--index", "i", "--encoder", "new")
    assert moved == hits(folder, QUERY, "--index", "dense.index")
    other = hengfa(
        "retrieve", QUERY, "--index", "i", "--encoder", str(folder / "encoder"), cwd=tmp_path
    )
    assert (other.returncode, "it gives other vectors" in other.stderr) == (2, True)
    small = ("--layers", "1", "--width", "16", "--heads", "2", "--tokens", "32", "--epochs", "1")
    done(tmp_path, "train", "encoder", "articles.jsonl", "-o", "small", *small)
    narrow = hengfa("retrieve", QUERY, "--index", "i", "--encoder", "small", cwd=tmp_path)
    assert narrow.returncode == 2
    assert "its vectors have 16 numbers, those of the index 32" in narrow.stderr


@needs_torch
def test_a_wrong_call_says_what_is_wrong(folder: Path) -> None:
    dense = ("build", "articles.jsonl", "-o", "x.index", "--method", "dense")
    for arguments, words in (
        (dense, "needs --encoder DIR"),
        ((*dense, "--encoder", "nowhere"), "nowhere is no folder of a model"),
        (("build", "articles.jsonl", "-o", "x", "--encoder", "retriever"), "--method dense"),
        (("build", "articles.jsonl", "-o", "x", "--fields", "text"), "--method dense"),
        (("build", "facts.jsonl", *dense[2:], "--encoder", "retriever"), "at least one document"),
        (("船", "--index", "articles.index", "--encoder", "retriever"), "--encoder is for"),
        (("船", "--index", "articles.index", "--approximate"), "--approximate is for"),
        (("船", "--approximate"), "--approximate is for an index of vectors"),
        (("船", "--index", "articles.index", "--rerank", "encoder"), "is no reranker but Bert"),
        (("船", "--index", "articles.index", "--rerank", "nowhere"), "nowhere is no folder"),
        (("evaluate", "first.run", *MEASURED, "--rerank", "reranker"), "a run has none"),
        (("evaluate", "articles.index", *MEASURED, "--approximate"), "--approximate is for"),
    ):
        ended = hengfa("retrieve", *arguments, cwd=folder)
        assert (ended.returncode, words in ended.stderr) == (2, True), ended.stderr
        assert not (folder / "x.index").exists()


@needs_torch
@pytest.mark.parametrize(
    ("library", "extra", "arguments"),
    [
        ("torch", "train", BUILD[1:]),
        ("torch", "train", ["船", "--index", "dense.index"]),
        ("torch", "train", ["船", "--index", "articles.index", "--rerank", "reranker"]),
        ("faiss", "dense", ["船", "--index", "dense.index", "--approximate"]),
        ("torch", "train", ["evaluate", "dense.index", *MEASURED]),
    ],
)
def test_a_missing_extra_is_named(
    library: str, extra: str, arguments: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    ended = hengfa("retrieve", *arguments, cwd=folder)
    assert ended.returncode == 1
    assert f'needs an optional part: in the checkout, pip install ".[{extra}]"' in ended.stderr
    assert "training" not in ended.stderr


def examples(*names: str) -> list[str]:
    """The commands under `Example:` of these helps; a line that ends in a backslash goes on."""
    found: list[str] = []
    for one in (command, *(command.commands[name] for name in names)):
        shown = click.unstyle(one.help or "").replace("\\\n", " ")
        found += [line.strip() for line in shown.splitlines() if line.strip().startswith("hengfa ")]
    return found


@needs_torch
def test_the_examples_of_the_help_work(folder: Path) -> None:
    lines = examples("build", "evaluate", "search")
    assert len(lines) == 13
    shutil.rmtree(folder / "runs", ignore_errors=True)  # of other tests: nothing is replaced
    # Without an index the law library is searched, which is tested with one of its own.
    for line in lines:
        if any(word in line for word in (" build ", " evaluate ", "--index")):
            done(folder, *shlex.split(line)[1:])


@pytest.mark.parametrize("arguments", [[], ["search"], ["build"], ["evaluate"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from hengfa.cli.main import cli; "
        f"cli.main(['retrieve', *{arguments}, '--help'], standalone_mode=False); "
        "sys.exit(bool({'torch', 'transformers', 'faiss'} & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert ended.returncode == 0
