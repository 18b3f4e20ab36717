"""`hengfa cite check --reader hf:DIR` with a classifier: what it decides, and who says so."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_cli import Done, hengfa
from tests.law.commands.test_cite_reader import OPEN, RIGHT, TEXT, WRONG, folder, verdict

from hengfa.base.errors import DataError
from hengfa.evals.runs.telling_classifier import is_classifier, read_settings
from hengfa.train.recipes.pretraining import build_vocabulary, make_tokenizer

__all__ = ["folder"]  # a fixture
needs_torch = pytest.mark.optional("torch", "transformers")
LABELS = ["entailment", "neutral", "contradiction"]
SWAPPED = """[labels]
entailment = "differs"
neutral = "cannot tell"
contradiction = "faithful"
"""
SURE = "[at_least]\nfaithful = 0.4\ndiffers = 0.4\n"


def write_classifier(place: Path, likeliest: str, labels: list[str] = LABELS) -> Path:
    """A tiny BERT with random weights whose head prefers one label, whatever it reads."""
    torch, transformers = import_module("torch"), import_module("transformers")
    tokenizer = make_tokenizer(build_vocabulary([TEXT, OPEN, WRONG]), 128)
    torch.manual_seed(7)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=16, num_hidden_layers=1,
        num_attention_heads=2, max_position_embeddings=128, id2label=dict(enumerate(labels)),
    )  # fmt: skip
    model: Any = transformers.BertForSequenceClassification(config)
    with torch.no_grad():
        model.classifier.bias[labels.index(likeliest)] = 2.0  # some 80 % of three
    model.save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


def check(folder: Path, model: Path, text: str, *more: str) -> Done:
    (folder / "draft.txt").write_text(f"{text}\n2005年5月5日\n", "utf-8")
    named = ("cite", "check", "draft.txt", "--library", "law.sqlite", "--reader", f"hf:{model}")
    return hengfa(*named, *more, cwd=folder, LC_ALL="C")


@needs_torch
@pytest.mark.parametrize(
    ("likeliest", "settings", "text", "found"),
    [
        ("entailment", SURE, OPEN, ("right", "faithful")),
        ("contradiction", SURE, OPEN, ("unlike", "differs")),
        ("contradiction", SURE, RIGHT, ("exists", "not decided")),
        ("entailment", SURE, WRONG, ("unlike", "differs")),  # what is wrong it cannot mend
        ("neutral", SURE, OPEN, ("unclear", "not decided")),
        ("entailment", "", OPEN, ("unclear", "not decided")),  # 80 % is not enough by itself
        # a label means what the file says, not what it is called
        (
            "entailment",
            f"{SURE}{SWAPPED}",
            OPEN,
            ("unlike", "differs"),
        ),
        # cut off it would be another text: no opinion
        ("entailment", SURE, f"{OPEN[:-1]}{'，他赔偿' * 40}。", ("unclear", "not decided")),
    ],
)
def test_what_a_classifier_decides(
    folder: Path, tmp_path: Path, likeliest: str, settings: str, text: str, found: tuple[str, str]
) -> None:
    model = write_classifier(tmp_path / "model", likeliest)
    if settings:
        (model / "reader.toml").write_text(settings, "utf-8")
    done = check(folder, model, text, "--json")
    assert done.returncode == 0, done.stderr
    *verdict_, by = verdict(done)
    assert tuple(verdict_) == found
    decided = text != WRONG and found != ("unclear", "not decided")
    assert by.startswith("hf:model#") == decided
    shown = json.loads(done.stdout)["documents"][0]["citations"][0]["telling"]["content"]
    assert shown["words_shown"] != decided


@needs_torch
def test_the_verdict_says_that_no_words_are_shown(folder: Path, tmp_path: Path) -> None:
    model = write_classifier(tmp_path / "model", "contradiction")
    (model / "reader.toml").write_text(SURE, "utf-8")
    assert "costs nothing" in check(folder, model, OPEN, "--dry-run").stderr
    done = check(folder, model, OPEN, "--lang", "zh")
    assert "分类器" in done.stdout
    assert "不指出" in "".join(done.stdout.split())


@needs_torch
def test_pickled_weights_are_refused(folder: Path, tmp_path: Path) -> None:
    model = write_classifier(tmp_path / "model", "entailment")
    (model / "model.safetensors").unlink()
    torch = import_module("torch")
    torch.save({}, model / "pytorch_model.bin")
    done = check(folder, model, OPEN)
    assert done.returncode == 1
    assert "cannot be loaded as a classifier" in done.stderr
    assert str(model) in done.stderr


def written(folder: Path, labels: list[str], settings: str = "") -> Path:
    """What can be refused before anything is loaded."""
    config = {
        "architectures": ["BertForSequenceClassification"],
        "id2label": dict(enumerate(labels)),
    }
    (folder / "config.json").write_text(json.dumps(config))
    if settings:
        (folder / "reader.toml").write_text(settings, "utf-8")
    return folder


@pytest.mark.parametrize(
    ("labels", "settings", "file", "field"),
    [
        (LABELS, '[labels]\nyes = "faithful"\n', "reader.toml", "labels.yes"),
        (LABELS, '[labels]\nentailment = "perhaps"\n', "reader.toml", "labels"),
        (LABELS, "[at_least]\nfaithful = 0\n", "reader.toml", "at_least.faithful"),
        (LABELS, '[labels]\nentailment = "faithful"\n', "config.json", "id2label"),
        (["LABEL_0", "LABEL_1"], "", "config.json", "id2label"),
        (["entailment"], "", "config.json", "id2label"),
    ],
)
def test_labels_that_nothing_explains_are_refused(
    tmp_path: Path, labels: list[str], settings: str, file: str, field: str
) -> None:
    place = written(tmp_path, labels, settings)
    assert is_classifier(place)
    with pytest.raises(DataError) as refused:
        read_settings(place)
    assert str(tmp_path / file) in str(refused.value)
    assert field in str(refused.value)


def test_usual_labels_need_no_file(tmp_path: Path) -> None:
    settings, means = read_settings(written(tmp_path, ["CONTRADICTION", "Neutral", "entailment"]))
    assert means == ["differs", "cannot tell", "faithful"]
    assert settings.answer({"faithful": 0.89, "differs": 0.11}) == "cannot tell"
    assert settings.answer({"faithful": 0.91, "differs": 0.09}) == "faithful"
