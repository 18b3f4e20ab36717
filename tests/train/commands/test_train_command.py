"""`hengfa train` from files to models, and what it says where something is missing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.train.recipes.tiny_models import (
    ARTICLES,
    FACTS,
    ROWS,
    needs_trainers,
    needs_trl,
    one_thread,
    write_tiny_encoder,
    write_tiny_model,
)

from hengfa.base.errors import DataError, MissingExtra, UsageError
from hengfa.cli.main import cli
from hengfa.evals.runs.telling_classifier import is_classifier, read_settings

__all__ = ["one_thread"]  # used by every test here
FEW = ["--epochs", "2", "--batch", "2", "--checkpoint-every", "0", "--json"]


def call(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["train", *map(str, arguments)])


def trained(*arguments: object) -> dict[str, object]:
    result = call(*arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    document = json.loads(result.stdout)
    assert isinstance(document, dict)
    return document


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Articles, labelled facts and a first run."""
    articles, facts, run = (tmp_path / name for name in ("a.jsonl", "f.jsonl", "first.run"))
    rows = [{"id": name, "text": text} for name, text in ARTICLES.items()]
    articles.write_text("".join(json.dumps(row) + "\n" for row in rows))
    cases = [{"id": one.id, "text": one.text, "labels": sorted(one.relevant)} for one in FACTS]
    facts.write_text("".join(json.dumps(row) + "\n" for row in cases))
    lines = (
        f"{fact.id} Q0 {name} 1 {score} first\n"
        for fact in FACTS
        for score, name in enumerate(ARTICLES)
    )
    run.write_text("".join(lines))
    return articles, facts, run


@needs_trainers
def test_from_nothing_to_a_retriever_and_a_reranker(
    files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    articles, facts, run = files
    encoder = tmp_path / "encoder"
    small = ["--layers", 1, "--width", 16, "--heads", 2, "--tokens", 32]
    done = trained("encoder", articles, facts, "-o", encoder, *small, *FEW)
    assert done["folder"] == str(encoder)
    shared = [articles, facts, "--base", encoder, *FEW]
    done = trained("retriever", *shared, "-o", tmp_path / "retriever", "--negatives", "all")
    assert done["steps"] == 6  # five facts in batches of two, twice
    trained("retriever", *shared, "-o", tmp_path / "hard", "--run", run, "--depth", 4)
    trained("reranker", *shared, "-o", tmp_path / "reranker", "--run", run)
    assert (tmp_path / "retriever" / "hengfa_encoder.json").is_file()


@needs_trainers
def test_a_reader_of_tellings(tmp_path: Path) -> None:
    base = write_tiny_encoder(tmp_path / "base")
    few = ["--data", "sample", "--rows", 20, *FEW]
    result = call("reader", "--base", base, "-o", tmp_path / "reader", *few)
    assert result.exit_code == 0, (result.output, result.exception)
    assert "too long for the model" in result.stderr  # of 64 tokens
    assert "pairs held out it settles" in result.stderr
    settings, means = read_settings(tmp_path / "reader")
    assert means == ["faithful", "differs"]
    assert settings.at_least.keys() == {"faithful", "differs"}
    assert is_classifier(tmp_path / "reader")


@needs_trainers
def test_progress_goes_to_standard_error_and_the_result_is_said(
    files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    base = write_tiny_encoder(tmp_path / "base")
    done = call("retriever", *files[:2], "--base", base, "-o", tmp_path / "out", "--epochs", 2)
    assert "step 2/2  loss " in done.stderr
    assert "tokens/s" in done.stdout
    assert f"model in {tmp_path / 'out'}" in done.stdout
    again = call("retriever", *files[:2], "--base", base, "-o", tmp_path / "out")
    assert isinstance(again.exception, UsageError)


@needs_trl
def test_fine_tuning_says_what_was_cut(tmp_path: Path) -> None:
    base = write_tiny_model(tmp_path / "base")
    rows = tmp_path / "rows.jsonl"
    lines = [json.dumps({"prompt": row.prompt, "target": row.target}) + "\n" for row in ROWS]
    rows.write_text("".join(lines))
    done = call("sft", rows, "--base", base, "-o", tmp_path / "out", "--max-tokens", 45, *FEW)
    assert done.exit_code == 0, done.exception
    assert "of 2 targets lost their beginning" in done.stderr


@needs_trainers
def test_bad_calls_and_bad_rows_are_named(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    articles, facts, _ = files
    out = ["-o", tmp_path / "out"]
    wrong = call("retriever", articles, facts, "--base", tmp_path, *out)
    assert isinstance(wrong.exception, UsageError)
    assert "models are not downloaded" in str(wrong.exception)
    only = call("retriever", articles, "--base", tmp_path, *out)
    assert "there are 6 and 0" in str(only.exception)
    unknown = call("retriever", articles, facts, "--base", tmp_path, *out, "--negatives", "few")
    assert unknown.exit_code == 2
    no_field = call("encoder", articles, "--field", "fact", *out)
    assert isinstance(no_field.exception, DataError)
    assert "there are id, text" in str(no_field.exception)
    number = tmp_path / "number.jsonl"
    number.write_text('{"text": 5}\n')
    assert isinstance(call("encoder", number, *out).exception, DataError)


@pytest.mark.parametrize("kind", ["encoder", "retriever", "reranker", "sft"])
def test_a_missing_extra_is_named_before_anything_is_read(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    file = tmp_path / "broken.jsonl"
    file.write_text("{")
    base = [] if kind == "encoder" else ["--base", tmp_path]
    run = ["--run", file] if kind == "reranker" else []
    result = call(kind, file, *base, *run, "-o", tmp_path / "out")
    assert isinstance(result.exception, MissingExtra)
    assert 'pip install ".[train]"' in str(result.exception)
