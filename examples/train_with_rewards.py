"""Trains a small causal model from nothing by rewards: statutes, solved questions, then GRPO.

1. A model with random weights and a tokenizer of characters reads the law, and some solved
   questions for each reward, so that it knows the form of an answer.
2. TRL's GRPO trains it on the other questions. It is shown no answer to them, only rewarded.
3. Before, in between and after, questions that are held out are asked, each answered once with
   the likeliest words: what their answers earn, and how many are right.

    hengfa law export --role leaf -o provisions.jsonl
    hengfa train data recitation -o rows --by article --hold-out 0.2
    python examples/train_with_rewards.py --rows rows --law provisions.jsonl --out results
    … --steps 0         ends after step 1; called again, goes on from there (--work)
    … --seeds 1 2 3     one process for each seed, all at once, then the table of them all
    … --tiny            a model that learns nothing much, on a CPU, to see that it works

Needs trl and what it brings (torch, transformers, datasets), and Hengfa.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import format_position
from hengfa.train.recipes.schedule import REPORT, Schedule
from hengfa.train.recipes.trainers import Batch, Training, one_card, train
from hengfa.train.retrieval.neural import best_device, library
from hengfa.train.rewards.named import references, row_rewards
from hengfa.train.rewards.trl import RewardFunction

BEGAN = time.perf_counter()
PAD, END, UNKNOWN = "<|pad|>", "<|end|>", "<|unknown|>"
ROLES = ("<|system|>", "<|user|>", "<|assistant|>")
TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message.role + '|>' + message.content }}"
    "{% if message.role == 'assistant' %}<|end|>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
WORDINGS = ("{}", "{}：", "查{}", "请看{}。", "关于{}，", "{}，是什么？")
"""In which provisions are met when the law is read."""
TRAINED = "train"
"""The split of the rows that may be learnt from; all others are held out."""


@dataclass(frozen=True)
class Size:
    """The model, and how much it reads, tries and is asked."""

    layers: int = 12
    width: int = 640
    heads: int = 10
    inner: int = 1728
    window: int = 512
    reading_batch: int = 48
    reading_rate: float = 1e-3
    longest_prompt: int = 320
    longest_answer: int = 72
    group: int = 8
    batch: int = 128
    batches: int = 2
    rate: float = 5e-5
    solved: int = 500
    asked: int = 128
    ask_every: int = 10


TINY = Size(
    layers=2, width=64, heads=2, inner=128, window=128, reading_batch=16, reading_rate=3e-3,
    longest_prompt=200, longest_answer=48, group=8, batch=64, batches=1, rate=5e-4, solved=16,
    asked=16, ask_every=10,
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A question as `hengfa train data` writes it, and its right answer."""

    prompt: list[dict[str, str]]
    answer_key: str
    reward: str
    split: str
    reference: str


def say(text: str) -> None:
    print(f"[{time.perf_counter() - BEGAN:6.1f} s] {text}", flush=True)


# --- what is read ---


def read_rows(folders: Sequence[Path]) -> list[Row]:
    import pyarrow.parquet

    files = [file for folder in folders for file in sorted(folder.rglob("*.parquet"))]
    if not files:
        raise SystemExit(f"no Parquet file in {', '.join(map(str, folders))}")
    rows = [row for file in files for row in pyarrow.parquet.read_table(file).to_pylist()]
    right = references([row["reward"] for row in rows], [row["answer_key"] for row in rows])
    return [
        Row(row["prompt"], row["answer_key"], row["reward"], row["split"], reference)
        for row, reference in zip(rows, right, strict=True)
    ]


def read_law(file: Path | None) -> list[list[str]]:
    """Every provision by the words that cite it, and those by the provision, each in several
    wordings, so that what is known can be found from questions that are worded otherwise again."""
    if file is None:
        return []
    documents = []
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        place = Position(row["article"], row["article_sub"] or None, row["paragraph"], row["item"])
        name = f"《{row['law']}》（{row['version']}）{format_position(place)}"
        for known, wanted in ((name, row["text"]), (row["text"], name)):
            asked = [[{"role": "user", "content": wording.format(known)}] for wording in WORDINGS]
            documents.append([chat(messages) + wanted for messages in asked])
    return documents


def chat(messages: Sequence[Mapping[str, str]]) -> str:
    """What `TEMPLATE` makes of a prompt."""
    turns = [f"<|{message['role']}|>{message['content']}" for message in messages]
    return "".join([*turns, "<|assistant|>"])


def make_tokenizer(texts: Iterable[str]) -> Any:
    """One token for each character."""
    tokenizers = library("tokenizers")
    special = [PAD, END, UNKNOWN, *ROLES]
    characters = sorted({character for text in texts for character in text})
    numbers = {token: number for number, token in enumerate([*special, *characters])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(numbers, unk_token=UNKNOWN))
    each = tokenizers.Regex(r"[\s\S]")
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Split(each, "isolated")
    tokenizer.decoder = tokenizers.decoders.Fuse()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        unk_token=UNKNOWN,
        additional_special_tokens=list(ROLES),
        padding_side="left",
        clean_up_tokenization_spaces=False,
        chat_template=TEMPLATE,
    )


def make_model(size: Size, tokenizer: Any, seed: int) -> Any:
    torch.manual_seed(seed)
    marks = {"pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id}
    config = transformers.LlamaConfig(
        vocab_size=-(-len(tokenizer) // 64) * 64,
        hidden_size=size.width,
        intermediate_size=size.inner,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        max_position_embeddings=2 * size.window,
        tie_word_embeddings=True,
        bos_token_id=None,
        **marks,
    )
    return transformers.LlamaForCausalLM(config)


# --- 1: reading ---


class Reading(Training):
    """Predicting the next character of law and solved questions, in windows of one long text.

    Of the wordings of a document one is drawn each time round.
    """

    def __init__(
        self, documents: Sequence[Sequence[str]], tokenizer: Any, size: Size, given: Any
    ) -> None:
        self.model, self._size, self._given = make_model(size, tokenizer, given.seed), size, given
        self._documents = [
            [[*ids, tokenizer.eos_token_id] for ids in tokenizer(list(wordings))["input_ids"]]
            for wordings in documents
        ]
        tokens = sum(len(wordings[0]) for wordings in self._documents)
        batch = size.reading_batch
        super().__init__(max(tokens // (batch * size.window), 1) * batch, batch, given.seed)
        self._round, self._windows = 0, self._cut(0)
        self.settings = {"task": "reading", "documents": len(documents)}

    def batch(self, rows: list[int], _chance: random.Random) -> Batch:
        if self._round != self.epoch:
            self._round, self._windows = self.epoch, self._cut(self.epoch)
        ids = torch.from_numpy(self._windows[rows])
        return {"input_ids": ids, "labels": ids}

    def _cut(self, number: int) -> np.ndarray[Any, Any]:
        dice = random.Random(f"{self._given.seed} {number}")
        order = dice.sample(self._documents, len(self._documents))
        stream = [token for wordings in order for token in dice.choice(wordings)]
        return np.resize(np.array(stream, np.int64), (self.rows, self._size.window))

    def trainer(self, arguments: dict[str, Any]) -> Any:
        compiled, counted = best_device() == "cuda", "all"
        given = transformers.TrainingArguments(
            **arguments, torch_compile=compiled, include_num_input_tokens_seen=counted
        )
        seconds = self._given.read_seconds
        return ReadingTrainer(self.model, one_card(given), seconds=seconds, **self.data)

    def save(self, folder: Path) -> None:
        self.model.save_pretrained(folder)


class ReadingTrainer(transformers.Trainer):
    """Ends when the steps or the seconds are over; the rate falls with what is over first."""

    def __init__(self, *given: Any, seconds: float, **more: Any) -> None:
        super().__init__(*given, **more)
        self._seconds = seconds

    def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
        began = time.perf_counter()
        rising = self.args.get_warmup_steps(num_training_steps)

        def share(step: int) -> Any:
            spent = (time.perf_counter() - began) / self._seconds
            self.control.should_training_stop |= spent >= 1
            down = num_training_steps * (1 - max(step / num_training_steps, spent))
            return max(0.0, min((step + 1) / (rising + 1), down / (num_training_steps - rising), 1))

        self.lr_scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer or self.optimizer, share)
        return self.lr_scheduler


def read(
    rows: Sequence[Row], law: Sequence[Sequence[str]], tokenizer: Any, size: Size, given: Any
) -> Any:
    """Step 1; the model that comes out knows the law somewhat, and the form of answers."""
    solved = [[chat(row.prompt) + row.reference] for row in rows]
    folder = given.work / f"read-{given.seed}"
    if (folder / REPORT).exists():
        say(f"goes on from the model in {folder}")
        return transformers.LlamaForCausalLM.from_pretrained(folder).to(best_device())
    training = Reading([*law, *solved], tokenizer, size, given)
    weights = sum(weight.numel() for weight in training.model.parameters())
    say(f"{weights / 1e6:.1f} million weights read {len(law):,} texts and {len(solved):,} "
        "solved questions")  # fmt: skip
    schedule = Schedule(
        epochs=given.read_steps * size.reading_batch / training.rows,
        learning_rate=size.reading_rate,
        warmup=0.02,
        weight_decay=0.1,
        seed=given.seed,
        report_every=100,
    )

    train(training, schedule, folder, watch=lambda _step, line: say(f"reading: {line}"))
    return training.model


# --- 2 and 3: rewards ---


class Exam:
    """Questions that are held out, and as many that are trained on, put to the model."""

    def __init__(self, rows: Sequence[Row], tokenizer: Any, size: Size) -> None:
        self.rows, self._tokenizer, self._size = rows, tokenizer, size

    def sit(self, model: Any) -> dict[str, dict[str, float]]:
        """What the likeliest answers earn, and how many are right, by split and reward."""
        said = self._answers(model)
        names = [row.reward for row in self.rows]
        keys = [row.answer_key for row in self.rows]
        marks: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for shape in ("graded", "strict"):
            earned = row_rewards(names, keys, said, shape, silence="score")
            for row, one in zip(self.rows, earned, strict=True):
                if one.value is not None:
                    marks[f"{row.split}/{row.reward}"][shape].append(one.value)
        return {
            kind: {shape: statistics.fmean(values) for shape, values in shapes.items()}
            for kind, shapes in sorted(marks.items())
        }

    def _answers(self, model: Any) -> list[str]:
        was_training = model.training
        model.eval()
        prompts = [chat(row.prompt) for row in self.rows]
        batch = self._tokenizer(prompts, padding=True, return_tensors="pt").to(model.device)
        cuda = model.device.type == "cuda"
        with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, enabled=cuda):
            out = model.generate(
                input_ids=batch["input_ids"],
                attention_mask=batch["attention_mask"],
                do_sample=False,
                max_new_tokens=self._size.longest_answer,
            )
        model.train(was_training)
        texts: list[str] = self._tokenizer.batch_decode(
            out[:, batch["input_ids"].shape[1] :], skip_special_tokens=True
        )
        return texts


class Curve:
    """What the exams and TRL's own log say over time, kept in a file after each exam."""

    def __init__(self, exam: Exam, file: Path, about: dict[str, Any]) -> None:
        self._exam, self._file, self._about = exam, file, about
        self._began = time.perf_counter()
        self._points: list[dict[str, Any]] = []

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    def ask(self, model: Any, step: int, log: Sequence[dict[str, Any]] = ()) -> None:
        spent = self.seconds
        self._points.append({"step": step, "seconds": spent, "exam": self._exam.sit(model)})
        say(line_of(self._points[-1]))
        logged = [entry for entry in log if "reward" in entry]
        result = {**self._about, "curve": self._points, "logged": logged}
        self._file.write_text(json.dumps(result, indent=1), "utf-8")


def reinforce(
    model: Any, tokenizer: Any, rows: Sequence[Row], curve: Curve, size: Size, given: Any
) -> None:
    """Step 2, with step 3 within it."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    class Watch(transformers.TrainerCallback):
        """Exams at intervals, and an end when the time is over."""

        def on_step_end(self, args: Any, state: Any, control: Any, **_more: Any) -> None:  # noqa: ARG002
            control.should_training_stop |= curve.seconds > given.reward_seconds
            last = control.should_training_stop or state.global_step >= state.max_steps
            if last or state.global_step % size.ask_every == 0:
                curve.ask(model, state.global_step, state.log_history)

        def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **more: Any) -> None:  # noqa: ARG002
            """A gradient that is no number would be the end of all weights."""
            if not model.model.norm.weight.grad.isfinite().all():
                say(f"step {state.global_step + 1}: no number, so no change")
                more["optimizer"].zero_grad()

    curve.ask(model, 0)
    cuda = model.device.type == "cuda"
    GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=[RewardFunction(only=name) for name in sorted({row.reward for row in rows})],
        train_dataset=Dataset.from_list([
            {"prompt": row.prompt, "answer_key": row.answer_key, "reward": row.reward}
            for row in rows
        ]),
        callbacks=[Watch()],
        args=GRPOConfig(
            output_dir=str(given.work / f"grpo-{given.seed}"),
            per_device_train_batch_size=size.batch,
            gradient_accumulation_steps=size.batches,
            num_generations=size.group,
            max_completion_length=size.longest_answer,
            learning_rate=size.rate,
            lr_scheduler_type="constant_with_warmup",
            warmup_steps=5,
            max_steps=given.steps,
            bf16=cuda,
            use_cpu=not cuda,
            logging_steps=1,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
            seed=given.seed,
        ),
    ).train()  # fmt: skip


def line_of(point: dict[str, Any]) -> str:
    told = (
        f"{kind} {marks['graded']:.3f} ({marks['strict']:.3f} right)"
        for kind, marks in point["exam"].items()
    )
    return f"step {point['step']}: " + "; ".join(told)


def run_seed(given: Any, size: Size) -> None:
    """The whole way for one seed; `results-SEED.json` has the curve."""
    rows, law = read_rows(given.rows), read_law(given.law)
    tokenizer = make_tokenizer(
        [*(text for wordings in law for text in wordings),
         *(message["content"] for row in rows for message in row.prompt),
         *(row.reference for row in rows)]
    )  # fmt: skip
    short = [row for row in rows if fits(row, size)]
    say(f"{len(short):,} of {len(rows):,} questions are short enough")
    dice = random.Random(given.seed)
    solved, tried, asked = divide(dice.sample(short, len(short)), size)
    model = read(solved, law, tokenizer, size, given)
    if not given.steps:
        return
    about = {
        "seed": given.seed, "size": asdict(size), "texts": len(law), "solved": len(solved),
        "tried": len(tried), "asked": len(asked),
    }  # fmt: skip
    file = given.out / f"results-{given.seed}.json"
    curve = Curve(Exam(asked, tokenizer, size), file, about)
    reinforce(model, tokenizer, tried, curve, size, given)


def fits(row: Row, size: Size) -> bool:
    asked = sum(len(message["content"]) + 1 for message in row.prompt) + 1
    return asked <= size.longest_prompt and len(row.reference) < size.longest_answer


def divide(rows: Sequence[Row], size: Size) -> tuple[list[Row], list[Row], list[Row]]:
    """For each reward some questions that are shown solved, those that are trained on, and those
    of the exam: as many that are held out as of those trained on."""
    solved: list[Row] = []
    tried: list[Row] = []
    asked: list[Row] = []
    for name in sorted({row.reward for row in rows}):
        mine = [row for row in rows if row.reward == name and row.split == TRAINED]
        held_out = [row for row in rows if row.reward == name and row.split != TRAINED]
        solved += mine[: size.solved]
        tried += mine[size.solved :]
        asked += [*held_out[: size.asked], *mine[size.solved :][: size.asked]]
    return solved, tried, asked


# --- all seeds ---


def table(files: Sequence[Path]) -> str:
    """First and last exam of every seed, and their mean."""
    results = [json.loads(file.read_text("utf-8")) for file in files]
    lines = [
        "| questions | shape | before | after | by seed |",
        "| --- | --- | ---: | ---: | --- |",
    ]
    for kind in results[0]["curve"][0]["exam"]:
        for shape in ("graded", "strict"):
            ends = [
                [result["curve"][place]["exam"][kind][shape] for place in (0, -1)]
                for result in results
            ]
            before, after = (statistics.fmean(column) for column in zip(*ends, strict=True))
            each = ", ".join(f"{first:.3f} → {last:.3f}" for first, last in ends)
            lines.append(f"| {kind} | {shape} | {before:.3f} | {after:.3f} | {each} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rows", type=Path, nargs="+", required=True, help="of hengfa train data")
    parser.add_argument("--law", type=Path, help="provisions, of hengfa law export")
    parser.add_argument("--out", type=Path, required=True, help="a folder for the results")
    parser.add_argument("--work", type=Path, help="a folder for models (default: that of --out)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--read-steps", type=int, default=20_000)
    parser.add_argument("--read-seconds", type=float, default=240, help="at most")
    parser.add_argument("--steps", type=int, default=200, help="of GRPO")
    parser.add_argument("--reward-seconds", type=float, default=240, help="of GRPO, at most")
    parser.add_argument("--tiny", action="store_true")
    given = parser.parse_args()
    given.work = given.work or given.out
    given.out.mkdir(parents=True, exist_ok=True)
    if len(given.seeds) == 1:
        given.seed = given.seeds[0]
        run_seed(given, TINY if given.tiny else Size())
    else:
        words = sys.argv[1:]
        place = words.index("--seeds")
        rest = words[:place] + words[place + 1 + len(given.seeds) :]
        each = [
            subprocess.Popen([sys.executable, __file__, *rest, "--seeds", str(seed)])  # noqa: S603
            for seed in given.seeds
        ]
        if sum(process.wait() for process in each):
            raise SystemExit("a seed failed")
    if given.steps:
        print(table([given.out / f"results-{seed}.json" for seed in given.seeds]))


if __name__ == "__main__":
    main()
