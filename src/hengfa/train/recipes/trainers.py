"""The trainings, as thin trainers of transformers, sentence-transformers and TRL.

Those do the loop: AdamW, schedule, precision, gradients, checkpoints, resuming. What is ours is
which rows make a batch (`hengfa.train.recipes.retrievers`, `.pretraining`, `.fine_tuning`), and the
losses: each of many positives against what is no positive, a list of candidates, blanks.

What is drawn for a batch (negatives, masks) follows from the seed, the epoch and its rows alone, so
that a training that was interrupted and resumed draws what one that was not would have.
"""

from __future__ import annotations

import json
import math
import random
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import datasets
import numpy as np
import sentence_transformers as st
import torch
import transformers
from huggingface_hub import constants
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from torch.nn.functional import cross_entropy, softplus
from torch.nn.utils.rnn import pad_sequence

from hengfa.base.errors import DataError, UsageError
from hengfa.train.recipes import pretraining, schedule
from hengfa.train.recipes.fine_tuning import Lora, TargetRow, learning_rows
from hengfa.train.recipes.readers import LABELS, Pair
from hengfa.train.recipes.retrievers import (
    CandidateChoice,
    Contrast,
    LabelledQuery,
    fingerprint,
    fingerprint_of,
)
from hengfa.train.recipes.schedule import Schedule, TrainingReport
from hengfa.train.retrieval.neural import (
    HEAD,
    CrossEncoder,
    TextEncoder,
    best_device,
    library,
    load_model,
    load_tokenizer,
    longest_input,
)

Batch: TypeAlias = dict[str, Any]
Arguments: TypeAlias = dict[str, Any]
Watch: TypeAlias = Callable[[int, str], None]
"""Is told the number of the step, and in a line how the training goes."""

_NO_CANDIDATE = -1e9
"""Instead of minus infinity, whose gradient is no number where a row has no negative at all."""


class Training:
    """What is trained: a model, the batches that it reads, and how it is kept."""

    model: Any
    _tokenizer: Any
    settings: schedule.Settings
    """All that a resumed training must share, the fingerprint of its data included."""

    epoch = 0
    valid_label_columns: Sequence[str] = ()  # sentence-transformers asks; labels come with a batch

    def __init__(self, rows: int, batch: int, seed: int) -> None:
        self.rows, self.batch_size, self._seed = rows, batch, seed

    def __call__(self, rows: Iterable[Mapping[str, int]]) -> Batch:
        """The batch of these rows, as a data loader asks for it."""
        numbers = [row["row"] for row in rows]
        chance = random.Random(f"{self._seed} {self.epoch} {numbers}")
        return self.batch(numbers, chance)

    def batch(self, rows: list[int], chance: random.Random) -> Batch:
        raise NotImplementedError

    def trainer(self, arguments: Arguments) -> Any:
        raise NotImplementedError

    def save(self, folder: Path) -> None:
        self.model.save_pretrained(folder)
        self._tokenizer.save_pretrained(folder)

    @property
    def data(self) -> Arguments:
        """The rows by number, and this as what makes batches of them."""
        rows = datasets.Dataset.from_dict({"row": range(self.rows)})
        return {"train_dataset": rows, "data_collator": self}


class _Counting:
    """A trainer that counts the tokens of its batches."""

    state: Any

    def training_step(self, model: Any, inputs: Batch, *more: Any) -> Any:
        self.state.num_input_tokens_seen += inputs.pop("tokens")
        return super().training_step(model, inputs, *more)  # type: ignore[misc]

    def add_model_card_callback(self, _defaults: Arguments) -> None:
        """No card: sentence-transformers would compute examples for it."""


def one_card(arguments: Any) -> Any:
    """Of several cards the first: the losses here are not made to be divided among them."""
    arguments._n_gpu = min(arguments.n_gpu, 1)
    return arguments


def _features(rows: Sequence[Sequence[int]], filler: int, side: str = "") -> Batch:
    """Token ids as one rectangle, and where in it there is a token."""
    there = _rectangle([[1] * len(row) for row in rows])
    return {f"{side}input_ids": _rectangle(rows, filler), f"{side}attention_mask": there}


def _rectangle(rows: Sequence[Sequence[int]], filler: int = 0) -> Any:
    whole = [torch.tensor(row, dtype=torch.long) for row in rows]
    return pad_sequence(whole, batch_first=True, padding_value=filler)


# --- an encoder from nothing ---


class Pretraining(Training):
    """Filling in blanks."""

    def __init__(
        self,
        rows: pretraining.Tokens,
        tokenizer: Any,
        shape: pretraining.EncoderShape,
        *,
        batch: int,
        seed: int,
    ) -> None:
        super().__init__(len(rows), batch, seed)
        self._tokens, self._tokenizer = rows, tokenizer
        self.model = pretraining.new_encoder(shape, len(tokenizer), seed)
        self.settings = {
            "task": "pre-training",
            "batch": batch,
            **asdict(shape),
            "data": fingerprint_of([rows.tobytes()]),
        }

    def batch(self, rows: list[int], chance: random.Random) -> Batch:
        whole, tokenizer = self._tokens[rows], self._tokenizer
        seed = chance.getrandbits(64)
        read, guess = pretraining.blanked(whole, tokenizer.mask_token_id, len(tokenizer), [seed])
        there = whole != tokenizer.pad_token_id
        arrays = {"input_ids": read, "attention_mask": there.astype(np.int64), "wanted": guess}
        return {
            **{name: torch.from_numpy(array) for name, array in arrays.items()},
            "tokens": int(there.sum()),
        }

    def trainer(self, arguments: Arguments) -> Any:
        return _BlankTrainer(
            self.model, one_card(transformers.TrainingArguments(**arguments)), **self.data
        )


class _BlankTrainer(_Counting, transformers.Trainer):
    def compute_loss(self, model: Any, inputs: Batch, *_: Any, **_more: Any) -> Any:
        wanted = inputs.pop("wanted")
        places = (wanted != pretraining.NOT_GUESSED).nonzero(as_tuple=True)
        # What is called here is not the whole model, which alone knows the precision by itself.
        with self.accelerator.autocast():
            hidden = model.bert(**inputs)[0]
            # Only the tokens to be guessed go through the head: a seventh of the work of all.
            logits = model.cls(hidden[places])
        loss = cross_entropy(logits.float(), wanted[places], reduction="sum")
        return loss / max(len(places[0]), 1)


# --- retrievers ---


class DualEncoderTraining(Training):
    """Contrastive training of one encoder for queries and passages."""

    def __init__(
        self,
        encoder: TextEncoder,
        queries: Sequence[LabelledQuery],
        passages: Mapping[str, str],
        contrast: Contrast,
        *,
        seed: int,
        hard: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        super().__init__(len(queries), contrast.batch, seed)
        self._encoder, kind = encoder, encoder.settings
        self._choice = CandidateChoice(queries, list(passages), contrast.negatives, hard)
        self._queries = encoder.tokens([query.text for query in queries], kind.query_tokens)
        self._passages = encoder.tokens(list(passages.values()), kind.passage_tokens)
        self.model = as_sentence_transformer(encoder)
        self.settings = {
            "task": "dual encoder",
            **asdict(contrast),
            **asdict(kind),
            "hard": hard is not None,
            "data": fingerprint(queries, passages),
        }

    def batch(self, rows: list[int], chance: random.Random) -> Batch:
        drawn = self._choice.batch(rows, chance)
        asked = [self._queries[row] for row in rows]
        offered = [self._passages[passage] for passage in drawn.pool]
        filler = self._encoder.tokenizer.pad_token_id
        return {
            **_features(asked, filler, "query_"),
            **_features(offered, filler, "passage_"),
            "label": torch.tensor([drawn.positive, drawn.negative]),
            "tokens": sum(map(len, asked)) + sum(map(len, offered)),
        }

    def trainer(self, arguments: Arguments) -> Any:
        loss = _ContrastiveLoss(self.model, self._encoder.settings.temperature)
        given = one_card(st.SentenceTransformerTrainingArguments(**arguments))
        return _EncoderTrainer(self.model, given, loss=loss, **self.data)

    def save(self, folder: Path) -> None:
        self.model.save_pretrained(str(folder), create_model_card=False)
        self._encoder.save(folder)


def as_sentence_transformer(encoder: TextEncoder) -> Any:
    """The same model, as any program with sentence-transformers opens it from its folder."""
    parts = [_words(encoder), Pooling(encoder.model.config.hidden_size, encoder.settings.pooling)]
    if encoder.settings.likeness == "cosine":
        parts.append(Normalize())
    return st.SentenceTransformer(modules=parts, device=best_device())


def _words(encoder: TextEncoder | CrossEncoder, **options: Any) -> Any:
    folder = encoder.model.name_or_path
    words = Transformer(folder, model_kwargs={"local_files_only": True}, **options)
    words.model = encoder.model  # with its weights, of which some may have been drawn by the seed
    return words


class _ContrastiveLoss(torch.nn.Module):
    def __init__(self, model: Any, temperature: float) -> None:
        super().__init__()
        self.model, self._temperature = model, temperature

    def forward(self, features: Iterable[Batch], labels: Any) -> Any:
        queries, passages = (self.model(side)["sentence_embedding"].float() for side in features)
        return contrastive_loss(queries @ passages.T / self._temperature, *labels)


def contrastive_loss(scores: Any, positive: Any, negative: Any) -> Any:
    """-log of the share of each positive among itself and the negatives of its query, averaged.
    Other positives of the query are left out of the sum: they do not compete with each other."""
    rest = scores.masked_fill(~negative, _NO_CANDIDATE).logsumexp(dim=1, keepdim=True)
    # -log(e^s / (e^s + e^rest)) = log(1 + e^(rest - s))
    losses = softplus(rest - scores) * positive
    return (losses.sum(dim=1) / positive.sum(dim=1).clamp(min=1)).mean()


class RerankerTraining(Training):
    """Listwise training on groups, out of each of which the relevant passage is to be picked."""

    def __init__(
        self,
        encoder: CrossEncoder,
        queries: Sequence[LabelledQuery],
        passages: Mapping[str, str],
        *,
        hard: Mapping[str, Sequence[str]],
        negatives: int = 7,
        groups: int = 4,
        seed: int,
    ) -> None:
        super().__init__(len(queries), groups, seed)
        self._encoder = encoder
        self._queries, self._passages = queries, list(passages.values())
        self._choice = CandidateChoice(queries, list(passages), negatives, hard)
        task = {"transformer_task": "sequence-classification", "config_kwargs": {"num_labels": 1}}
        self.model = st.CrossEncoder(modules=[_words(encoder, **task)], device=best_device())
        self.settings = {
            "task": "reranker",
            "negatives": negatives,
            "groups": groups,
            **asdict(encoder.lengths),
            "data": fingerprint(queries, passages),
        }

    def batch(self, rows: list[int], chance: random.Random) -> Batch:
        groups = [(row, self._choice.group(row, chance)) for row in rows]
        pairs = self._encoder.pairs(
            [self._queries[row].text for row, group in groups for _ in group],
            [self._passages[passage] for _, group in groups for passage in group],
        )
        features = _features([ids for ids, _ in pairs], self._encoder.tokenizer.pad_token_id)
        if self._encoder.knows_segments:
            features["token_type_ids"] = _rectangle([kinds for _, kinds in pairs])
        return {
            "pairs": features,
            "label": [len(group) for _, group in groups],
            "tokens": sum(len(ids) for ids, _ in pairs),
        }

    def trainer(self, arguments: Arguments) -> Any:
        given = one_card(st.CrossEncoderTrainingArguments(**arguments))
        return _PairTrainer(self.model, given, loss=_ListLoss(self.model), **self.data)

    def save(self, folder: Path) -> None:
        self._encoder.save(folder)


class _ListLoss(torch.nn.Module):
    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, features: Sequence[Batch], labels: list[int], **_: Any) -> Any:
        scores = self.model(features[0])["scores"][:, 0].float()
        # The relevant passage stands first in its group.
        losses = [-torch.log_softmax(group, dim=0)[0] for group in scores.split(labels)]
        return torch.stack(losses).mean()


class _EncoderTrainer(_Counting, st.SentenceTransformerTrainer):
    """For retrievers."""


class _PairTrainer(_Counting, st.CrossEncoderTrainer):
    """For rerankers."""


# --- readers of tellings ---


class ReaderTraining(Training):
    """A classifier of pairs: does a telling say what a provision says?"""

    def __init__(self, base: Path, pairs: Sequence[Pair], *, batch: int, seed: int) -> None:
        self._tokenizer = load_tokenizer(base)
        self.model = load_model(
            base, f"AutoModel{HEAD}", seed=seed, id2label=dict(enumerate(LABELS))
        )
        longest = longest_input(self.model, self._tokenizer)
        segments = getattr(self.model.config, "type_vocab_size", 0) > 1
        texts = ([pair.provision for pair, _ in pairs], [pair.telling for pair, _ in pairs])
        read = self._tokenizer(*texts, return_token_type_ids=segments)
        self._fit = [n for n, ids in enumerate(read["input_ids"]) if len(ids) <= longest]
        if not self._fit:
            raise UsageError(
                f"no pair fits into the {longest} tokens of the model, or there is none"
            )
        super().__init__(len(self._fit), batch, seed)
        self._read, self._pairs = read, pairs
        self.settings = {
            "task": "reader of tellings",
            "base": str(base.resolve().name),
            "batch": batch,
            "data": fingerprint_of(f"{pair}\n" for pair in pairs),
        }

    def batch(self, rows: list[int], chance: random.Random) -> Batch:  # noqa: ARG002
        numbers = [self._fit[row] for row in rows]
        features = _features(
            [self._read["input_ids"][n] for n in numbers], self._tokenizer.pad_token_id
        )
        if kinds := self._read.get("token_type_ids"):
            features["token_type_ids"] = _rectangle([kinds[n] for n in numbers])
        labels = [LABELS.index(self._pairs[n][1]) for n in numbers]
        return {
            **features,
            "labels": torch.tensor(labels),
            "tokens": int(features["attention_mask"].sum()),
        }

    def trainer(self, arguments: Arguments) -> Any:
        given = one_card(transformers.TrainingArguments(**arguments))
        return _LabelTrainer(self.model, given, **self.data)


class _LabelTrainer(_Counting, transformers.Trainer):
    """For readers; the model itself has the loss."""


# --- fine-tuning ---


class FineTuning(Training):
    """A causal model learns targets, by TRL; all its weights, or small LoRA matrices beside."""

    def __init__(
        self,
        base: Path,
        rows: Sequence[TargetRow],
        *,
        longest: int,
        batch: int,
        seed: int,
        lora: Lora | None = None,
        gradient_checkpointing: bool = False,
    ) -> None:
        if not rows:
            raise UsageError("there is no row to learn from")
        super().__init__(len(rows), batch, seed)
        self._tokenizer, self._checkpointing = load_tokenizer(base), gradient_checkpointing
        self.learning = learning_rows(rows, self._tokenizer, longest)
        self.model = load_model(base, "AutoModelForCausalLM", seed=seed)
        if lora is not None:
            self.model = with_lora(self.model, lora)
        self.settings = {
            "task": "fine-tuning",
            "base": str(base.resolve().name),
            "batch": batch,
            "longest": longest,
            **{f"lora_{name}": value for name, value in (asdict(lora) if lora else {}).items()},
            "data": fingerprint_of(f"{row.ids} {row.labels}\n" for row in self.learning),
        }

    def trainer(self, arguments: Arguments) -> Any:
        from trl import SFTConfig, SFTTrainer  # noqa: PLC0415 - for this alone

        rows = [{"input_ids": row.ids, "labels": row.labels} for row in self.learning]
        given = SFTConfig(
            **arguments,
            gradient_checkpointing=self._checkpointing,
            dataset_kwargs={"skip_prepare_dataset": True},  # they are in tokens already
            include_num_input_tokens_seen="non_padding",
        )
        return SFTTrainer(
            self.model,
            one_card(given),
            train_dataset=datasets.Dataset.from_list(rows),
            processing_class=self._tokenizer,
        )


def with_lora(model: Any, lora: Lora) -> Any:
    """The model with LoRA matrices beside all its linear layers but the last."""
    peft = library("peft", "fine-tuning with LoRA")
    if best_device() == "cuda" and torch.cuda.is_bf16_supported():
        model = model.to(torch.bfloat16)  # what does not learn may be half as large
    return peft.get_peft_model(
        model,
        peft.LoraConfig(
            task_type="CAUSAL_LM",
            r=lora.rank,
            lora_alpha=lora.alpha,
            lora_dropout=lora.dropout,
            target_modules="all-linear",
        ),
    )


# --- what they share ---


def train(
    training: Training,
    course: Schedule,
    folder: Path,
    *,
    resume: bool = False,
    watch: Watch = lambda _step, _line: None,
) -> TrainingReport:
    """Train, keep the model in the folder, and say what was done.

    `watch` is told every `report_every` steps and at the end. What it raises ends the training;
    the last checkpoint stays and `resume` goes on from there.
    """
    device = best_device()
    precision = _precision(course.precision, device)
    checkpoint = schedule.check_folder(folder, resume)
    settings = {**course.lasting(), "precision": precision, **training.settings}
    if checkpoint:
        schedule.check_settings(folder, settings)
    progress = _Progress(training, watch)
    try:
        if not checkpoint:
            schedule.begin_settings(folder, settings)
        with _offline():
            trainer = training.trainer(_arguments(training, course, folder, precision))
            trainer.remove_callback(transformers.PrinterCallback)
            trainer.add_callback(progress)
            trainer.train(resume_from_checkpoint=checkpoint and str(checkpoint))
        training.model.eval()
        losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
        done = TrainingReport(
            steps=trainer.state.global_step,
            tokens=int(trainer.state.num_input_tokens_seen),
            seconds=progress.seconds(),
            device=device,
            precision=precision,
            first_loss=losses[0] if losses else None,
            last_loss=losses[-1] if losses else None,
            settings=settings,
        )
        with TemporaryDirectory(prefix=".new-", dir=folder) as new:
            training.save(Path(new))
            text = json.dumps(asdict(done), ensure_ascii=False, indent=2) + "\n"
            Path(new, schedule.REPORT).write_text(text, "utf-8")
            for file in sorted(Path(new).iterdir()):  # each whole, once all are written
                file.replace(folder / file.name)
        shutil.rmtree(folder / schedule.CHECKPOINT)
    except Exception as error:  # what a broken file raises has no common class
        if checkpoint and not progress.began:
            raise DataError(f"is no checkpoint: {error}", file=checkpoint) from error
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise DataError(error.strerror or str(error), file=error.filename or folder) from error
        raise
    return done


@contextmanager
def _offline() -> Iterator[None]:
    """Without the cards and counts for which these libraries would ask a server."""
    before, constants.HF_HUB_OFFLINE = constants.HF_HUB_OFFLINE, True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


def _arguments(training: Training, course: Schedule, folder: Path, precision: str) -> Arguments:
    steps = course.steps(training.rows, training.batch_size)
    card = best_device() == "cuda"
    return {
        "output_dir": str(folder / schedule.CHECKPOINT),
        "max_steps": steps,
        "per_device_train_batch_size": training.batch_size,
        "gradient_accumulation_steps": course.accumulate,
        "learning_rate": course.learning_rate,
        "lr_scheduler_type": "linear",
        "warmup_steps": int(course.warmup * steps),
        "weight_decay": course.weight_decay,
        "max_grad_norm": 1.0,
        "bf16": precision == "bf16",
        "fp16": precision == "fp16",
        "use_cpu": not card,
        "dataloader_pin_memory": card,
        "accelerator_config": {"non_blocking": card},
        "seed": course.seed,
        "data_seed": course.seed,
        "remove_unused_columns": False,
        "save_strategy": "steps" if course.checkpoint_every else "no",
        "save_steps": course.checkpoint_every or steps,
        "save_total_limit": 1,
        "logging_steps": course.report_every,
        "logging_nan_inf_filter": False,
        "report_to": "none",
        "disable_tqdm": True,
    }


def _precision(asked: str, device: str) -> str:
    if asked == "fp16" and device == "cpu":
        raise UsageError("fp16 needs a GPU: use fp32 or bf16")
    if asked != "auto":
        return asked
    if device == "cpu":
        return "fp32"
    return "bf16" if torch.cuda.is_bf16_supported() else "fp16"


class _Progress(transformers.TrainerCallback):
    """Tells how a training goes, and ends one whose loss is no number."""

    def __init__(self, training: Training, watch: Watch) -> None:
        self._training, self._watch = training, watch
        self.began = self._told_at = 0.0
        self._told_tokens = 0

    def seconds(self) -> float:
        """All sittings of a training that was resumed together."""
        return time.perf_counter() - self.began

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
        before = state.log_history[-1]["seconds"] if state.log_history else 0.0
        self._told_at = time.perf_counter()
        self.began = self._told_at - before
        self._told_tokens = state.num_input_tokens_seen

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
        self._training.epoch = int(state.epoch or 0)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
        if state.global_step >= state.max_steps:
            control.should_log, control.should_save = True, False

    def on_log(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
        logs = state.log_history[-1]
        if "loss" not in logs:
            return
        if math.isnan(logs["loss"]):
            raise UsageError(
                f"the loss is no number at step {state.global_step}: lower the rate, use another "
                "precision, or look for rows with nothing to learn"
            )
        now, tokens = time.perf_counter(), int(state.num_input_tokens_seen)
        speed = (tokens - self._told_tokens) / max(now - self._told_at, 1e-9)
        self._told_at, self._told_tokens = now, tokens
        logs["seconds"] = self.seconds()
        self._watch(
            state.global_step,
            f"step {state.global_step:,}/{state.max_steps:,}  loss {logs['loss']:.4f}  "
            f"rate {logs['learning_rate']:.2e}  {speed:,.0f} tokens/s  {logs['seconds']:.0f} s",
        )
