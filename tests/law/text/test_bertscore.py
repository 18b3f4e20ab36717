"""BERTScore on a tiny model made here; skipped where the extra 'bertscore' is not installed."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from hengfa.base.errors import DataError, MissingExtra, UsageError
from hengfa.law.text import bertscore

needs_torch = pytest.mark.optional("torch", "transformers")
GOLD = "渡船应当在每日首航前检查船底。"
PAIRS = [
    (GOLD, GOLD),
    ("渡船应当在每日首航前检查船舵。", GOLD),
    ("", GOLD),
    ("风筝不得越过灯塔。", GOLD),
    (GOLD * 60, GOLD),
    ("渡", "船舶检查，由渡务署负责。"),
]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three layers of random weights that know the characters of the texts above."""
    torch, transformers = import_module("torch"), import_module("transformers")
    folder = tmp_path_factory.mktemp("tiny-bert")
    characters = sorted({c for pair in PAIRS for text in pair for c in text})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", "utf-8")
    torch.manual_seed(7)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
    )
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer = transformers.BertTokenizer(str(folder / "vocab.txt"), model_max_length=128)
    tokenizer.save_pretrained(folder)
    return folder


@needs_torch
def test_equal_texts_score_one_and_silence_nothing(model: Path) -> None:
    same, close, nothing, far, _, _ = bertscore.load_scorer(model).f1(PAIRS)
    assert (same, nothing) == (1.0, 0.0)
    assert 0 < far < close < 1


@needs_torch
def test_a_score_does_not_depend_on_its_batch(model: Path) -> None:
    together = bertscore.BertScorer(model).f1(PAIRS)
    alone = [bertscore.BertScorer(model, batch_tokens=1).f1([pair])[0] for pair in PAIRS]
    assert together == pytest.approx(alone, abs=1e-5)
    assert bertscore.BertScorer(model).f1(PAIRS[::-1])[::-1] == pytest.approx(together, abs=1e-5)


@needs_torch
def test_scores_are_those_of_the_formula(model: Path) -> None:
    """Token by token, one pair at a time, with nothing but the definition."""
    torch, transformers = import_module("torch"), import_module("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(model))
    bert = transformers.AutoModel.from_pretrained(str(model)).eval()

    def vectors(text: str) -> Any:
        with torch.no_grad():
            encoded = tokenizer(text, return_tensors="pt", truncation=True, max_length=128)
            hidden = bert(**encoded, output_hidden_states=True).hidden_states[2][0]
        return hidden / hidden.norm(dim=1, keepdim=True)

    for (mine, gold), score in zip(PAIRS, bertscore.load_scorer(model).f1(PAIRS), strict=True):
        if mine:
            near = vectors(mine) @ vectors(gold).T
            precision = near.max(dim=1).values[1:-1].mean().item()  # without the marks at both ends
            recall = near.max(dim=0).values[1:-1].mean().item()
            assert score == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-5)


@needs_torch
@pytest.mark.skipif(find_spec("bert_score") is None, reason="the package bert-score is not here")
def test_scores_are_those_of_the_package_bert_score(model: Path) -> None:
    reference = import_module("bert_score").BERTScorer(model_type=str(model), num_layers=2)
    shorter = [(mine, gold) for mine, gold in PAIRS if 0 < len(mine) < 100]
    expected = reference.score([mine for mine, _ in shorter], [gold for _, gold in shorter])[2]
    assert bertscore.load_scorer(model).f1(shorter) == pytest.approx(expected.tolist(), abs=1e-5)


@needs_torch
def test_half_of_the_precision_moves_a_score_by_little(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = bertscore.BertScorer(model).f1(PAIRS)
    monkeypatch.setattr(bertscore, "precision", lambda _device: import_module("torch").bfloat16)
    scorer = bertscore.BertScorer(model)
    rounded = scorer.f1(PAIRS)
    assert scorer.name.endswith("/layer-2/bfloat16")
    assert rounded != exact
    assert rounded == pytest.approx(exact, abs=5e-3)


@needs_torch
def test_layers_above_are_left_away_where_that_changes_nothing(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = bertscore.BertScorer(model)
    assert len(cut._model.encoder.layer) == 2
    monkeypatch.setattr(bertscore, "_cut", lambda _model, _layer: False)
    whole = bertscore.BertScorer(model)
    assert len(whole._model.encoder.layer) == 3
    assert whole.f1(PAIRS) == pytest.approx(cut.f1(PAIRS), abs=1e-6)


@needs_torch
def test_a_text_of_several_pairs_is_encoded_once(model: Path) -> None:
    scorer = bertscore.BertScorer(model)
    read: list[int] = []
    scorer._model.register_forward_pre_hook(
        lambda _, __, given: read.append(len(given["input_ids"])), with_kwargs=True
    )
    answers = ["渡船", "渡船检查", "风筝", "渡船"]
    scores = scorer.f1([(answer, GOLD) for answer in answers])
    assert sum(read) == 4  # three answers and what they are compared with
    assert scores[0] == scores[3] != scores[1]


@needs_torch
def test_a_scorer_names_its_model_and_layer(model: Path) -> None:
    scorer = bertscore.BertScorer(model)
    assert scorer.layer == 2
    assert scorer.name == f"bertscore/{model.name}/layer-2"
    assert bertscore.BertScorer(model, layer=3).layer == 3
    with pytest.raises(UsageError, match="layers 1 to 3, not 9"):
        bertscore.BertScorer(model, layer=9)


@needs_torch
def test_a_broken_model_is_an_error_with_its_folder(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(DataError, match="cannot be loaded as a model"):
        bertscore.BertScorer(tmp_path)


def test_a_name_of_a_model_is_not_fetched() -> None:
    with pytest.raises(UsageError, match="models are not downloaded"):
        bertscore.BertScorer(Path("bert-base-chinese"))


def test_what_is_missing_is_named_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r'pip install "\.\[bertscore\]"'):
        bertscore.BertScorer(tmp_path)


def test_importing_the_module_does_not_import_torch() -> None:
    code = "import hengfa.law.text.bertscore, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
