"""`hengfa train`: train encoders, retrievers, rerankers and readers, and fine-tune a model; rows
to train on by reward, and whether the test is in them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from hengfa.base.errors import UsageError, counted
from hengfa.base.options import (
    POSITIVE,
    Command,
    Number,
    Place,
    Whole,
    data_option,
    force_option,
    json_option,
    print_json,
    say,
    seed_option,
    set_option,
    several,
    suite_option,
)

if TYPE_CHECKING:
    from hengfa.train.recipes.trainers import Training
    from hengfa.train.rewards.overlap import Checked

_SHOWN: Final = 20
"""So many overlaps are printed; all are in the JSON."""
_MISTAKES: Final = 0.01
_FILE = Place(exists=True, dir_okay=False)
_FOLDER = Place(file_okay=False, encoding="utf-8")  # the readers of models take no other
_files_argument = click.argument("files", nargs=-1, required=True, type=_FILE)
_base_option = click.option(
    "--base", type=_FOLDER, required=True, help="The folder of the model to start from."
)


@click.group("train")
def command() -> None:
    """Train encoders, retrievers, rerankers, readers and models; make data to train on by reward.

    Training needs the optional part `train`. Models are folders on this
    machine, in the layout of Hugging Face; nothing is downloaded. An interrupted training goes on
    with --resume and ends as if it had not been interrupted.

    \b
    Example:
      hengfa train encoder statutes.jsonl facts.jsonl -o encoder
    """


def _training_options(epochs: float, rate: float, batch: int) -> Callable[[Command], Command]:
    return several(
        click.option("-o", "--output", type=_FOLDER, required=True, help="Write the model here."),
        click.option(
            "--epochs", type=POSITIVE, default=epochs, help="How often every row is read."
        ),
        click.option("--rate", type=POSITIVE, default=rate, help="The highest learning rate."),
        click.option(
            "--warmup",
            type=Number(0, 1, max_open=True),
            default=0.1,
            help="The share of the steps in which the rate rises; then it falls to 0.",
        ),
        click.option("--batch", type=Whole(1), default=batch, help="Rows read at a time."),
        click.option(
            "--accumulate", type=Whole(1), default=1, help="Batches read before the weights change."
        ),
        click.option(
            "--precision",
            type=click.Choice(["auto", "fp32", "bf16", "fp16"]),
            default="auto",
            help="auto: bf16 or fp16 on a GPU, fp32 elsewhere.",
        ),
        click.option("--seed", type=Whole(0, 2**32 - 1), default=42),
        click.option(
            "--checkpoint-every",
            type=Whole(0),
            default=500,
            metavar="STEPS",
            help="Keep the state of the training; 0 never.",
        ),
        click.option("--resume", is_flag=True, help="Go on from the checkpoint in the folder."),
        json_option,
    )


_passage_options = several(
    click.option(
        "--depth", type=Whole(1), default=100, help="How many passages of --run can be negatives."
    ),
    click.option(
        "--fields",
        type=click.Choice(["text", "name+text"]),
        default="name+text",
        help="Whether a passage begins with its name.",
    ),
)
"""How passages are read, for retrievers and rerankers."""


@command.command("encoder")
@_files_argument
@click.option("--field", default="text", help="Which field holds the text.")
@click.option("--layers", type=Whole(1, 1000), default=6)
@click.option("--width", type=Whole(8, 65_536), default=384)
@click.option("--heads", type=Whole(1, 1024), default=6)
@click.option(
    "--vocabulary",
    type=Whole(6, 1_000_000),
    default=8000,
    help="At most so many tokens, the most frequent characters.",
)
@click.option(
    "--tokens", type=Whole(8, 1_000_000), default=512, help="The longest text the encoder can take."
)
@_training_options(epochs=20, rate=5e-4, batch=64)
def encoder_(
    files: tuple[Path, ...],
    field: str,
    layers: int,
    width: int,
    heads: int,
    vocabulary: int,
    tokens: int,
    **options: Any,
) -> None:
    """Pre-train a small encoder from nothing, on texts (JSON lines).

    The vocabulary is made of the characters of the texts; the encoder learns by filling in blanks.

    \b
    Example:
      hengfa train encoder statutes.jsonl facts.jsonl --epochs 20 -o encoder
    """
    _check_ready("pre-training", options)
    from hengfa.train.recipes import pretraining  # noqa: PLC0415 - numpy
    from hengfa.train.recipes.files import read_texts  # noqa: PLC0415
    from hengfa.train.recipes.trainers import Pretraining  # noqa: PLC0415 - torch

    texts = read_texts(files, field)
    shape = pretraining.EncoderShape(layers, width, heads, tokens)
    known = pretraining.build_vocabulary(texts, vocabulary)
    characters = pretraining.make_tokenizer(known, tokens)
    rows = pretraining.pack(texts, characters, tokens)
    say(f"{len(texts):,} texts in {len(rows):,} rows, vocabulary {len(characters):,}")
    batch, seed = options["batch"], options["seed"]
    _run_training(Pretraining(rows, characters, shape, batch=batch, seed=seed), options)


@command.command("retriever")
@_files_argument
@_base_option
@click.option("--pooling", type=click.Choice(["cls", "mean"]), default="cls")
@click.option("--likeness", type=click.Choice(["dot", "cosine"]), default="dot")
@click.option("--temperature", type=POSITIVE, default=1.0)
@click.option("--query-tokens", type=Whole(3), default=512)
@click.option("--passage-tokens", type=Whole(3), default=256)
@click.option(
    "--negatives",
    default="7",
    metavar="N|all",
    help="Passages drawn for each query besides those of its batch, or all at every step.",
)
@click.option("--run", "run", type=_FILE, help="Draw them from this run (trec_eval's layout).")
@_passage_options
@_training_options(epochs=10, rate=5e-5, batch=16)
def retriever_(
    files: tuple[Path, ...],
    base: Path,
    pooling: str,
    likeness: str,
    temperature: float,
    query_tokens: int,
    passage_tokens: int,
    negatives: str,
    run: Path | None,
    depth: int,
    fields: Any,
    **options: Any,
) -> None:
    """Train a dual encoder on passages and labelled queries (JSON lines).

    Passages are rows with `id`, `text` and perhaps `name`; queries have `labels` besides, the ids
    of their passages. The other relevant passages of a query never count against it.

    \b
    Example:
      hengfa train retriever articles.jsonl facts.jsonl --base encoder -o retriever
    """
    _check_ready("training a retriever", options)
    from hengfa.train.recipes.files import read_hard, read_labelled  # noqa: PLC0415
    from hengfa.train.recipes.retrievers import Contrast  # noqa: PLC0415
    from hengfa.train.recipes.trainers import DualEncoderTraining  # noqa: PLC0415 - torch
    from hengfa.train.retrieval.neural import EncoderSettings, TextEncoder  # noqa: PLC0415

    count = _negatives(negatives)
    queries, passages = read_labelled(files, fields)
    kind = EncoderSettings(pooling, likeness, temperature, query_tokens, passage_tokens)
    encoder = TextEncoder.load(base, kind, options["seed"])
    contrast = Contrast(options["batch"], count)
    hard = None if run is None else read_hard(run, depth)
    training = DualEncoderTraining(
        encoder, queries, passages, contrast, seed=options["seed"], hard=hard
    )
    _run_training(training, options)


def _negatives(text: str) -> int | None:
    if text == "all":
        return None
    if not re.fullmatch("[0-9]{1,6}", text):
        raise click.BadParameter(
            f"{text!r} is neither a number nor 'all'", param_hint="--negatives"
        )
    return int(text)


@command.command("reranker")
@_files_argument
@_base_option
@click.option(
    "--run",
    "run",
    type=_FILE,
    required=True,
    help="What a first retriever found for the queries (trec_eval's layout).",
)
@click.option("--negatives", type=Whole(1), default=7)
@click.option("--query-tokens", type=Whole(3), default=512)
@click.option("--passage-tokens", type=Whole(3), default=200)
@click.option("--pair-tokens", type=Whole(8), default=512)
@_passage_options
@_training_options(epochs=3, rate=5e-5, batch=4)
def reranker_(
    files: tuple[Path, ...],
    base: Path,
    run: Path,
    negatives: int,
    query_tokens: int,
    passage_tokens: int,
    pair_tokens: int,
    depth: int,
    fields: Any,
    **options: Any,
) -> None:
    """Train a cross-encoder that re-scores what a retriever found (JSON lines, and its run).

    A row of --batch is a group: one relevant passage and N that were ranked high without being
    relevant, out of which the first is to be picked.

    \b
    Example:
      hengfa train reranker articles.jsonl facts.jsonl --base encoder --run bm25.run -o reranker
    """
    _check_ready("training a reranker", options)
    from hengfa.train.recipes.files import read_hard, read_labelled  # noqa: PLC0415 - numpy
    from hengfa.train.recipes.trainers import RerankerTraining  # noqa: PLC0415 - torch
    from hengfa.train.retrieval.neural import CrossEncoder, PairLengths  # noqa: PLC0415

    queries, passages = read_labelled(files, fields)
    lengths = PairLengths(query_tokens, passage_tokens, pair_tokens)
    training = RerankerTraining(
        CrossEncoder(base, lengths, options["seed"]),
        queries,
        passages,
        hard=read_hard(run, depth),
        negatives=negatives,
        groups=options["batch"],
        seed=options["seed"],
    )
    _run_training(training, options)


@command.command("reader")
@_base_option
@click.option("--rows", type=Whole(1), default=100_000, help="At most so many pairs.")
@data_option
@_training_options(epochs=3, rate=5e-5, batch=16)
def reader_(base: Path, rows: int, data: str | None, **options: Any) -> None:
    """Train a second reader for `hengfa cite check --reader hf:DIR` on minimal pairs.

    The pairs are made of the half of the laws of which the suite `tellings` does not ask. A tenth
    of these laws is held out: reader.toml says beside the model how sure it has to be so that of
    their tellings one in a hundred is called what it is not.

    \b
    Example:
      hengfa train reader --base encoder -o reader
    """
    _check_ready("training a reader", options)
    from hengfa.train.recipes.readers import set_thresholds  # noqa: PLC0415
    from hengfa.train.recipes.trainers import ReaderTraining  # noqa: PLC0415 - torch
    from hengfa.train.rewards.data import telling_pairs  # noqa: PLC0415

    batch, seed = options["batch"], options["seed"]
    pairs = telling_pairs(data, seed)
    chosen = random.Random(f"pairs {seed}").sample(pairs["train"], min(rows, len(pairs["train"])))
    training = ReaderTraining(base, chosen, batch=batch, seed=seed)
    if left_out := len(chosen) - training.rows:
        say(f"{left_out:,} of {len(chosen):,} pairs are too long for the model, and left out")
    _run_training(training, options)
    right = set_thresholds(options["output"], pairs["held_out"], _MISTAKES)
    say(
        f"of {len(pairs['held_out']):,} pairs held out it settles {right['faithful']:.1%} of the "
        f"faithful and {right['differs']:.1%} of the unfaithful ones"
    )


@command.command("sft")
@_files_argument
@_base_option
@click.option("--lora", is_flag=True, help="Train small matrices beside the weights instead.")
@click.option("--rank", type=Whole(1), default=16, help="With --lora.")
@click.option("--alpha", type=Whole(1), default=32, help="With --lora.")
@click.option(
    "--max-tokens",
    type=Whole(2),
    default=3000,
    help="Prompt and target in all; the prompt and the END of the target are kept.",
)
@click.option("--gradient-checkpointing", is_flag=True, help="Less memory, a third more time.")
@_training_options(epochs=3, rate=3e-5, batch=1)
def sft_(
    files: tuple[Path, ...],
    base: Path,
    lora: bool,
    rank: int,
    alpha: int,
    max_tokens: int,
    gradient_checkpointing: bool,
    **options: Any,
) -> None:
    """Fine-tune a causal model on prompts and targets (JSON lines).

    A row has `target` and either `prompt` (plain text) or `messages` (role, content), which go
    through the model's own chat template. Only the target is learnt.

    \b
    Example:
      hengfa train sft judgments.jsonl --base qwen --lora --accumulate 8 -o tuned
    """
    _check_ready("fine-tuning", options, "trl", *(["peft"] if lora else []))
    from hengfa.train.recipes.files import read_targets  # noqa: PLC0415 - for those who train
    from hengfa.train.recipes.fine_tuning import Lora  # noqa: PLC0415
    from hengfa.train.recipes.trainers import FineTuning  # noqa: PLC0415 - torch

    training = FineTuning(
        base,
        read_targets(files),
        longest=max_tokens,
        batch=options["batch"],
        seed=options["seed"],
        lora=Lora(rank, alpha) if lora else None,
        gradient_checkpointing=gradient_checkpointing,
    )
    cut = sum(row.cut > 0 for row in training.learning)
    if cut:
        say(f"{cut:,} of {training.rows:,} targets lost their beginning: --max-tokens {max_tokens}")
    _run_training(training, options)


def _check_ready(what_for: str, options: dict[str, Any], *libraries: str) -> None:
    """Refuse before anything is read where the folder is taken or the optional part is missing."""
    from hengfa.train.recipes.schedule import check_folder  # noqa: PLC0415
    from hengfa.train.retrieval.neural import check_installed  # noqa: PLC0415 - numpy

    check_folder(options["output"], options["resume"])
    check_installed(what_for, "sentence_transformers", "datasets", "accelerate", *libraries)


def _run_training(training: Training, options: dict[str, Any]) -> None:
    from hengfa.train.recipes.schedule import Schedule  # noqa: PLC0415 - for those who train
    from hengfa.train.recipes.trainers import train  # noqa: PLC0415 - torch

    folder: Path = options["output"]
    same = ("epochs", "warmup", "accumulate", "precision", "seed", "checkpoint_every")
    given = {name: options[name] for name in same}
    schedule = Schedule(learning_rate=options["rate"], report_every=10, **given)
    resume: bool = options["resume"]
    report = train(training, schedule, folder, resume=resume, watch=lambda _step, line: say(line))
    if options["as_json"]:
        print_json({"folder": str(folder), **asdict(report)})
        return
    loss = "" if report.last_loss is None else f", loss {report.last_loss:.4f}"
    click.echo(
        f"{report.steps:,} steps, {report.tokens:,} tokens in {report.seconds:.0f} s on "
        f"{report.device} ({report.tokens_per_second:,.0f} tokens/s, {report.precision}){loss}"
    )
    click.echo(f"model in {folder}")


# --- rows to train on by reward ---


@command.command("data")
@click.argument("name")
@click.option(
    "-o", "--output", "folder", type=Place(file_okay=False), required=True, help="Write here."
)
@seed_option("Which rows: the same seed and source give the same bytes.")
@click.option(
    "--rows",
    type=Whole(1, 1_000_000),
    default=1000,
    help="At most so many, of both splits together.",
)
@click.option(
    "--hold-out",
    type=Number(0, 1, max_open=True),
    default=0.1,
    metavar="SHARE",
    help="Which part is held out: of the laws, of the paths of tools, of the questions.",
)
@click.option(
    "--by",
    type=click.Choice(["law", "article"]),
    help="Of provisions: hold out whole laws, or articles.  [default: law]",
)
@click.option(
    "--world",
    type=Place(exists=True, dir_okay=False),
    help="Of `world`: make tasks over this world.  [default: a fresh one, written beside them]",
)
@set_option
@data_option
@click.option("--contaminate", is_flag=True, help="Write a test set all the same, marked as such.")
@force_option("Write beside files of others, and replace only those of the same name.")
@json_option
def data_(
    name: str, folder: Path, contaminate: bool, force: bool, as_json: bool, **wanted: Any
) -> None:
    """Write rows to train on by reward, in Parquet: prompt, answer key, reward, split.

    NAME is one of: `world` (fresh tasks with tools over a fictional world), `recitation` and
    `location` (what does a provision say, where does it stand), `twins` (which of two wordings),
    `citation_repair` (a wrong citation put right), `minimal_pairs` (does a telling say what the law
    says, and which words do not: of the half of the laws that the suite does not ask about),
    `sentencing` (arithmetic of sentences), `numerals` (numbers, sums, days and articles in both
    scripts).

    Provisions come from the law library, as `hengfa eval claw` asks for them, with its options.
    Laws are held out as by `hengfa suite claw training`: `hengfa eval claw --set held_out=SHARE`
    asks for these alone. A task of a suite is a test, and refused without --contaminate.

    \b
    Example:
      hengfa train data sentencing --seed 7 -o sentencing
      hengfa train data recitation --rows 20000 --hold-out 0.2 -o recitation
      hengfa train check recitation claw --set held_out=0.2
    """
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415 - not for --help
    from hengfa.train.rewards.data import HELD_OUT, TRAIN, Wanted, make_export  # noqa: PLC0415

    with counting("writing rows") as watch:
        manifest = make_export(
            name, folder, Wanted(**wanted), contaminate=contaminate, force=force, watch=watch
        )
    if manifest.contaminates:
        say(f"this is the test set of {name}: whoever is trained on it is no longer measured by it")
    if as_json:
        print_json({"folder": str(folder), **_without(manifest, "files")})
        return
    counts = manifest.rows
    click.echo(
        f"{counted(counts[TRAIN], 'row')} to train on, {counts[HELD_OUT]:,} held out by "
        f"{manifest.held_out_by}, in {folder}"
    )
    if manifest.left_out:
        click.echo(f"{manifest.left_out:,} left out: held-out ones say the same, or nearly so")
    click.echo(f"digest {manifest.digest}")


@command.command("check")
@click.argument("folder", type=Place(exists=True, file_okay=False))
@click.argument("targets", metavar="[SUITE[/TASK,…]]...", nargs=-1)
@set_option
@data_option
@json_option
@click.pass_context
def check_(
    context: click.Context,
    folder: Path,
    targets: tuple[str, ...],
    options: dict[str, str],
    data: str | None,
    as_json: bool,
) -> None:
    """Look for questions of suites, and their answers, in rows to train on.

    Compares the rows of a folder that `hengfa train data` wrote, without those held out, with every
    suite whose data is here, or with those that are named: word by word, and by what is peculiar to
    a question. Exit status 1 if anything is found. What says the same in other words is not.

    \b
    Example:
      hengfa train check recitation
      hengfa train check recitation claw --set held_out=0.2 --json
    """
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415 - not for --help
    from hengfa.train.rewards.data import read_export  # noqa: PLC0415
    from hengfa.train.rewards.overlap import check_suites  # noqa: PLC0415

    if options and len(targets) != 1:
        raise UsageError("--set: name the suite whose option it is")
    export = read_export(folder)
    if export.changed:
        say(f"{folder}: the rows are others than those that were written")
    with counting("comparing tasks") as watch:
        checked = check_suites(export.rows, targets, data=data, options=options, watch=watch)
    contaminates = export.manifest.contaminates
    if as_json:
        print_json(
            {"folder": str(folder), "changed": export.changed, "contaminates": contaminates,
             "seen": checked.seen(), **_without(checked)}
        )  # fmt: skip
    else:
        _show(checked, contaminates)
    context.exit(int(bool(checked.overlaps or contaminates)))


def _without(document: Any, *fields: str) -> dict[str, Any]:
    import msgspec  # noqa: PLC0415 - not for --help

    plain: dict[str, Any] = msgspec.to_builtins(document)
    return {name: value for name, value in plain.items() if name not in fields}


def _show(checked: Checked, contaminates: tuple[str, ...]) -> None:
    for task in contaminates:
        click.echo(f"its manifest says that it is the test set of {task}")
    for task, count in checked.seen().items():
        click.echo(f"{task}: {count:,} of {checked.questions[task]:,} questions")
    for overlap in sorted(checked.overlaps, key=lambda overlap: -overlap.share)[:_SHOWN]:
        task = overlap.task.partition("/")[2]
        click.echo(
            f"  {overlap.closeness} {overlap.share:4.0%}  {overlap.part} of {task}/{overlap.sample}"
            f"  in row {overlap.row}"
        )
    if len(checked.overlaps) > _SHOWN:
        click.echo(f"  and {len(checked.overlaps) - _SHOWN:,} more (--json has all)")
    asked = f"{sum(checked.questions.values()):,} questions of {len(checked.questions)} tasks"
    found = "overlaps" if checked.overlaps else "no overlap"
    click.echo(f"{found} of {checked.rows:,} rows to train on with {asked}")
    for suite, reason in checked.skipped.items():
        say(f"not compared with {suite}: {reason}")


for _command in (data_, check_):
    _command.params.append(suite_option)
