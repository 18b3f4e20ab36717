"""Trainings on a tiny encoder: they learn, and one that was resumed ends like one that was not."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hengfa.base.errors import DataError, UsageError
from hengfa.evals.runs.telling_classifier import ClassifierReader
from hengfa.law.library.citing.second_reader import ToRead
from hengfa.law.text.token_rows import TokenBudget
from hengfa.train.recipes.pretraining import build_vocabulary, make_tokenizer, pack
from hengfa.train.recipes.readers import Pair, least_chance, set_thresholds
from hengfa.train.recipes.retrievers import Contrast
from hengfa.train.recipes.schedule import CHECKPOINT, REPORT, Schedule
from hengfa.train.retrieval import neural
from hengfa.train.retrieval.neural import (
    CrossEncoder,
    EncoderSettings,
    PairLengths,
    TextEncoder,
    load_tokenizer,
)
from tests.train.recipes.tiny_models import (
    ARTICLES,
    FACTS,
    TINY,
    needs_trainers,
    no_network,
    one_thread,
    trainers,
    write_tiny_encoder,
)

__all__ = ["no_network", "one_thread"]  # fixtures
pytestmark = needs_trainers
HARD = {fact.id: ["6", "5", "4", "3", "2", "1"] for fact in FACTS}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_encoder(tmp_path_factory.mktemp("tiny-encoder"))


def retriever(base: Path, **changed: Any) -> Any:
    encoder = TextEncoder.load(base, EncoderSettings(query_tokens=32, passage_tokens=32), seed=1)
    given = {"queries": FACTS, "seed": 1, "contrast": Contrast(batch=1, negatives=2), **changed}
    return trainers.DualEncoderTraining(encoder, passages=ARTICLES, **given)


def reranker(base: Path) -> Any:
    encoder = CrossEncoder(base, PairLengths(32, 32, 48), seed=1)
    return trainers.RerankerTraining(
        encoder, FACTS, ARTICLES, hard=HARD, negatives=3, groups=1, seed=1
    )


def told() -> list[Pair]:
    """Rules word for word, and with the one character that makes each another rule."""
    rules = [text for text in ARTICLES.values() if "处" in text]
    right: list[Pair] = [(ToRead(rule, rule), "faithful") for rule in rules]
    return [*right, *((ToRead(rule, rule.replace("处", "免")), "differs") for rule in rules)]


def reader(base: Path) -> Any:
    return trainers.ReaderTraining(base, told()[3:8], batch=1, seed=1)


def pretraining(_base: Path) -> Any:
    tokenizer = make_tokenizer(build_vocabulary(ARTICLES.values()), TINY.longest)
    rows = pack(ARTICLES.values(), tokenizer, 24)
    return trainers.Pretraining(rows, tokenizer, TINY, batch=1, seed=1)


def weights(task: Any) -> dict[str, Any]:
    return {name: value.detach().cpu() for name, value in task.model.named_parameters()}


class Stopped(Exception):
    """Somebody pulled the plug."""


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize(
    ("make", "every"),
    [(retriever, 3), (retriever, 4), (reranker, 4), (reader, 4), (pretraining, 4)],
)
def test_interrupted_and_resumed_ends_with_the_same_weights(
    make: Callable[[Path], Any], every: int, base: Path, tmp_path: Path
) -> None:
    """After a whole epoch of three steps, and within one."""
    schedule = Schedule(epochs=3, learning_rate=1e-3, accumulate=2, checkpoint_every=every)
    whole = make(base)
    trainers.train(whole, schedule, tmp_path / "whole")

    def stop_at_five(step: int, _line: str) -> None:
        if step == 5:
            raise Stopped

    watched = replace(schedule, report_every=1)
    with pytest.raises(Stopped):
        trainers.train(make(base), watched, tmp_path / "broken", watch=stop_at_five)
    resumed = make(base)
    report = trainers.train(resumed, schedule, tmp_path / "broken", resume=True)
    torch = import_module("torch")
    expected = weights(whole)
    assert report.steps == 9
    assert report.tokens == json.loads((tmp_path / "whole" / REPORT).read_text("utf-8"))["tokens"]
    assert all(torch.equal(value, expected[name]) for name, value in weights(resumed).items())
    assert not (tmp_path / "broken" / CHECKPOINT).exists()


def test_a_reader_learns_and_says_from_where_on_it_counts(base: Path, tmp_path: Path) -> None:
    task = trainers.ReaderTraining(base, told(), batch=4, seed=1)
    trainers.train(task, Schedule(epochs=60, learning_rate=3e-3), tmp_path)
    assert set_thresholds(tmp_path, told(), 0.0) == {"faithful": 1.0, "differs": 1.0}
    opinions = ClassifierReader(tmp_path).read([pair for pair, _ in told()])
    assert [opinion and opinion.answer for opinion in opinions] == [true for _, true in told()]


@pytest.mark.parametrize(
    ("mistakes", "called_so"), [(0.0, 0), (0.2, 1), (0.4, 2), (0.59, 2), (0.99, 4)]
)
def test_no_more_mistakes_than_allowed(mistakes: float, called_so: int) -> None:
    others = [0.3, 1.0, 0.7, 0.9, 0.6]
    least = least_chance(others, mistakes)
    assert sum(chance >= least for chance in others) == called_so
    assert least >= 0.5


def test_another_seed_or_other_data_cannot_be_resumed(base: Path, tmp_path: Path) -> None:
    schedule = Schedule(epochs=2, checkpoint_every=2, report_every=3)

    def stop(_step: int, _line: str) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        trainers.train(retriever(base), schedule, tmp_path, watch=stop)
    with pytest.raises(UsageError, match="begun with data = "):
        trainers.train(retriever(base, queries=FACTS[:4]), schedule, tmp_path, resume=True)
    with pytest.raises(UsageError, match="begun with seed = 42, not 9"):
        trainers.train(retriever(base), replace(schedule, seed=9), tmp_path, resume=True)
    with pytest.raises(UsageError, match="--resume goes on"):
        trainers.train(retriever(base), schedule, tmp_path)
    (tmp_path / CHECKPOINT / "checkpoint-2" / "optimizer.pt").write_bytes(b"broken")
    with pytest.raises(DataError, match="is no checkpoint"):
        trainers.train(retriever(base), schedule, tmp_path, resume=True)


def test_folders_that_hold_something_are_left_alone(base: Path, tmp_path: Path) -> None:
    once = Schedule(epochs=1)
    with pytest.raises(UsageError, match="no checkpoint to resume from"):
        trainers.train(retriever(base), once, tmp_path / "new", resume=True)
    trainers.train(retriever(base), once, tmp_path / "done")
    with pytest.raises(UsageError, match="finished training"):
        trainers.train(retriever(base), once, tmp_path / "done", resume=True)
    with pytest.raises(UsageError, match="not empty"):
        trainers.train(retriever(base), once, tmp_path)
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "checkpoint.pt").write_bytes(b"")
    with pytest.raises(UsageError, match="older version"):
        trainers.train(retriever(base), once, tmp_path / "old", resume=True)


def test_what_ended_before_its_first_checkpoint_begins_anew(base: Path, tmp_path: Path) -> None:
    def stop(_step: int, _line: str) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        trainers.train(retriever(base), Schedule(epochs=1, report_every=1), tmp_path, watch=stop)
    assert trainers.train(retriever(base), Schedule(epochs=1), tmp_path).steps == 5


@pytest.mark.parametrize("negatives", [2, None])
@pytest.mark.parametrize(("pooling", "likeness"), [("cls", "dot"), ("mean", "cosine")])
def test_a_retriever_learns_its_cases(
    negatives: int | None, pooling: str, likeness: str, base: Path, tmp_path: Path
) -> None:
    kind = EncoderSettings(pooling, likeness, 0.1 if likeness == "cosine" else 1.0, 32, 32)
    encoder = TextEncoder.load(base, kind, seed=1)
    task = trainers.DualEncoderTraining(encoder, FACTS, ARTICLES, Contrast(5, negatives), seed=1)
    schedule = Schedule(epochs=100, learning_rate=5e-3, report_every=20, seed=2)
    report = trainers.train(task, schedule, tmp_path / "trained")
    assert report.last_loss is not None
    assert report.first_loss is not None
    assert report.last_loss < report.first_loss
    loaded = TextEncoder.load(tmp_path / "trained")
    assert loaded.settings == kind
    passages = loaded.encode_passages(list(ARTICLES.values()))
    loaded.budget = TokenBudget(40)
    queries = loaded.encode_queries([fact.text for fact in FACTS])
    best = (queries @ passages.T).argmax(axis=1)
    assert all(
        list(ARTICLES)[place] in fact.relevant for place, fact in zip(best, FACTS, strict=True)
    )
    theirs = import_module("sentence_transformers").SentenceTransformer(str(tmp_path / "trained"))
    assert np.allclose(theirs.encode(list(ARTICLES.values())), passages, atol=1e-5)
    kept = json.loads((tmp_path / "trained" / "training.json").read_text("utf-8"))
    assert kept["settings"]["pooling"] == pooling
    assert kept["steps"] == 100


def test_the_contrastive_loss_is_the_formula() -> None:
    torch = import_module("torch")
    scores = torch.tensor([[2.0, 1.0, 0.0], [0.5, 0.5, 3.0]])
    positive = torch.tensor([[True, True, False], [True, False, False]])
    negative = torch.tensor([[False, False, True], [False, True, False]])
    first = -math.log(math.exp(2) / (math.exp(2) + 1)) - math.log(math.e / (math.e + 1))
    second = math.log(2)  # two equal scores; the third passage does not count
    assert trainers.contrastive_loss(scores, positive, negative).item() == pytest.approx(
        (first / 2 + second) / 2
    )


def test_a_row_without_negatives_has_no_loss_and_a_gradient() -> None:
    torch = import_module("torch")
    scores = torch.tensor([[1.0, 2.0]], requires_grad=True)
    mask = torch.tensor([[True, False]])
    loss = trainers.contrastive_loss(scores, mask, torch.zeros(1, 2, dtype=torch.bool))
    loss.backward()
    assert loss.item() == 0
    assert scores.grad is not None
    assert torch.isfinite(scores.grad).all()


def test_vectors_do_not_depend_on_the_batch(base: Path) -> None:
    for pooling in ("cls", "mean"):
        encoder = TextEncoder.load(base, EncoderSettings(pooling=pooling))
        texts = [fact.text for fact in FACTS]
        together = encoder.encode_queries(texts)
        alone = [encoder.encode_queries([text])[0] for text in texts]
        assert np.allclose(together, alone, atol=1e-5)


def test_a_text_has_its_vector_whatever_its_place_and_progress_is_told(base: Path) -> None:
    encoder = TextEncoder.load(base)
    texts = [str(number) + "渡船" * (number * 7 % 20) for number in range(300)]
    told: list[tuple[int, int]] = []
    vectors = encoder.encode_passages(texts, lambda *counts: told.append(counts))
    assert told == [(0, 300), (128, 300), (256, 300)]
    for number in (0, 150, 299):
        (alone,) = encoder.encode_passages([texts[number]])
        assert np.allclose(vectors[number], alone, atol=1e-5)
    assert encoder.encode_passages([]).shape == (0, 32)


def test_on_a_card_half_of_the_precision_is_for_reading_alone(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The precision of a card, here on the processor."""
    torch = import_module("torch")
    encoder, judge = TextEncoder.load(base), CrossEncoder(base, PairLengths(32, 32, 48), seed=1)
    texts = list(ARTICLES.values())
    exact, ranked = encoder.encode_passages(texts), dict(judge.rerank(FACTS[0].text, ARTICLES))
    monkeypatch.setattr(neural, "precision", lambda _device: torch.bfloat16)
    rounded = encoder.encode_passages(texts)
    apart = np.linalg.norm(rounded - exact, axis=1) / np.linalg.norm(exact, axis=1)
    assert 0 < apart.max() < 0.02
    scores = dict(judge.rerank(FACTS[0].text, ARTICLES))
    assert scores != ranked
    assert scores == pytest.approx(ranked, abs=0.02)
    # The last layer keeps full precision, so that scores do not fall together.
    assert any(torch.tensor(score).bfloat16().item() != score for score in scores.values())
    for model in (encoder.model, judge.model):
        assert {weight.dtype for weight in model.parameters()} == {torch.float32}


def test_a_reranker_learns_to_pick(base: Path, tmp_path: Path) -> None:
    report = trainers.train(
        reranker(base),
        Schedule(epochs=30, learning_rate=2e-3, report_every=20),
        tmp_path / "trained",
    )
    assert report.last_loss is not None
    assert report.last_loss < math.log(4) / 2  # a guess among four is log 4
    loaded = CrossEncoder(tmp_path / "trained", PairLengths(32, 32, 48))
    for fact in FACTS:
        ranked = loaded.rerank(fact.text, ARTICLES)
        assert ranked[0][0] in fact.relevant
        assert [score for _, score in ranked] == sorted((s for _, s in ranked), reverse=True)
    assert loaded.rerank("略", {}) == []


def test_a_long_passage_is_cut_before_the_pair_is(base: Path) -> None:
    encoder = CrossEncoder(base, PairLengths(query_tokens=3, passage_tokens=7, pair_tokens=12))
    ((ids, kinds),) = encoder.pairs(["渡船" * 20], ["风筝" * 20])
    assert len(ids) == 12
    assert (kinds.count(0), kinds.count(1)) == (5, 7)  # 3 + [CLS] [SEP], and 7 - 1 + [SEP]


def test_pretraining_learns_and_its_encoder_can_be_loaded(tmp_path: Path) -> None:
    task = pretraining(tmp_path)
    report = trainers.train(
        task, Schedule(epochs=20, learning_rate=5e-3, report_every=20), tmp_path / "encoder"
    )
    assert report.first_loss is not None
    assert report.last_loss is not None
    assert report.last_loss < 0.8 * report.first_loss
    assert report.tokens_per_second > 0
    encoder = TextEncoder.load(tmp_path / "encoder")
    assert encoder.tokenizer.tokenize("渡船。") == ["渡", "船", "。"]
    assert encoder.encode_queries(["渡船。"]).shape == (1, 32)


def test_rows_hold_whole_sentences() -> None:
    tokenizer = make_tokenizer(build_vocabulary(["甲乙丙丁。"]), 64)
    rows = pack(["甲乙。丙丁。", "甲甲甲甲甲甲甲甲。", "丁。"], tokenizer, 8)
    read = [
        [token for token in tokenizer.convert_ids_to_tokens(row) if token != "[PAD]"]
        for row in rows.tolist()
    ]
    assert read == [
        ["[CLS]", *"甲乙。", *"丙丁。", "[SEP]"],
        ["[CLS]", *"甲甲甲甲甲甲甲"],
        ["[CLS]", "甲", "。", "[SEP]", "丁", "。", "[SEP]"],
    ]


def test_a_loss_that_is_no_number_ends_the_training(base: Path, tmp_path: Path) -> None:
    task = retriever(base)
    with import_module("torch").no_grad():
        next(task.model.parameters()).fill_(math.nan)
    with pytest.raises(UsageError, match="no number at step 2"):
        trainers.train(task, Schedule(epochs=1, report_every=2), tmp_path / "nan")


def test_a_tokenizer_is_the_same_when_it_is_loaded_again(base: Path) -> None:
    made = make_tokenizer(build_vocabulary(["渡船2017年A×1，。"]), 64)
    text = "2017年，渡船a×1。\n 甲"
    assert made.tokenize(text) == [
        *("2", "##0", "##1", "##7", "年", "，", "渡", "船", "a", "##×", "##1", "。", "[UNK]")
    ]
    folder = base.parent / "tokenizer"
    made.save_pretrained(folder)
    (folder / "config.json").write_bytes((base / "config.json").read_bytes())
    loaded = load_tokenizer(folder)
    assert loaded(text)["input_ids"] == made(text)["input_ids"]
    kinds = loaded(text, "船", return_token_type_ids=True)["token_type_ids"]
    assert kinds == [0] * 15 + [1] * 2  # 13 tokens, [CLS] and [SEP]; then one token and [SEP]


def test_bf16_works_and_fp16_wants_a_gpu(base: Path, tmp_path: Path) -> None:
    report = trainers.train(
        retriever(base), Schedule(epochs=1, precision="bf16"), tmp_path / "half"
    )
    assert report.precision == "bf16"
    if not import_module("torch").cuda.is_available():
        with pytest.raises(UsageError, match="fp16 needs a GPU"):
            trainers.train(
                retriever(base), Schedule(epochs=1, precision="fp16"), tmp_path / "other"
            )
