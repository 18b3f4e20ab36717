"""Trains a law retriever from nothing: from the facts of a criminal case to the articles it needs.

1. Pre-trains a small encoder on statutes and criminal facts (no model has to be at hand).
2. Trains it on the CAIL facts with their articles.
3. Trains that, five times over, on four fifths of the JuDGE facts; the fifth that is left is what
   the model is tested on. With --nested also on three fifths, for every two that are left out:
   what these say of one part is fit to choose weights that are then tested on the other.
4. Prints MRR@100, P@5, P@10, R@5 and R@10, and keeps the scores of all facts and articles beside
   them, for `benchmarks/retrieval.py facts --dense`.

Article numbers in the facts are masked in training and test; the figure with the numbers visible
stands beside it. Texts that repeat a test fact are never trained on.

    PYTHONPATH=src python examples/train_law_retriever.py --data shared --out results.json
    … --work models     keeps the models, and goes on from those of steps 1 and 2 that it finds
    … --until cail      ends after step 2
    … --smoke           a few rows and a tiny model, to see that it works

Needs sentence-transformers, datasets and what they bring (torch, transformers, accelerate).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from hengfa.train.recipes.retrievers import LabelledQuery
    from hengfa.train.recipes.schedule import TrainingReport
    from hengfa.train.retrieval.neural import TextEncoder
    from law_retriever_data import LawData

    Scores: TypeAlias = npt.NDArray[np.floating[Any]]

BEGAN = time.perf_counter()
NEIGHBOURS = 10


@dataclass(frozen=True)
class Size:
    """How much is trained."""

    layers: int = 6
    width: int = 384
    heads: int = 6
    tokens: int = 512
    passage_tokens: int = 224
    pretraining_batch: int = 128
    pretraining_epochs: float = 18.77
    cail_batch: int = 64
    cail_epochs: float = 8
    fold_batch: int = 32
    fold_epochs: float = 20
    parts: int = 5


SMOKE = Size(
    layers=1,
    width=32,
    heads=2,
    tokens=64,
    passage_tokens=32,
    pretraining_batch=8,
    pretraining_epochs=1,
    cail_batch=4,
    cail_epochs=1,
    fold_batch=4,
    fold_epochs=1,
    parts=3,
)


def say(text: str) -> None:
    print(f"[{time.perf_counter() - BEGAN:6.1f} s] {text}", flush=True)


def progress(what: str) -> Any:
    return lambda _step, line: say(f"{what}: {line}")


def check_packages() -> None:
    """Say at once what is missing, not after minutes of training."""
    names = ("torch", "sentence_transformers", "datasets", "accelerate")
    missing = [name for name in names if find_spec(name) is None]
    if find_spec("hengfa") is None:
        missing.append("hengfa (set PYTHONPATH=src)")
    if missing:
        raise SystemExit(f"missing: {', '.join(missing)}")


def pretrain(data: LawData, size: Size, seed: int, folder: Path) -> TrainingReport:
    """Step 1: an encoder that has read the law and criminal facts."""
    from hengfa.train.recipes.pretraining import (
        EncoderShape,
        build_vocabulary,
        make_tokenizer,
        pack,
    )
    from hengfa.train.recipes.schedule import Schedule
    from hengfa.train.recipes.trainers import Pretraining, train

    tokenizer = make_tokenizer(build_vocabulary(data.texts), size.tokens)
    rows = pack(data.texts, tokenizer, size.tokens)
    say(f"{len(data.texts):,} texts in {len(rows):,} rows, vocabulary {len(tokenizer):,}")
    shape = EncoderShape(size.layers, size.width, size.heads, size.tokens)
    training = Pretraining(rows, tokenizer, shape, batch=size.pretraining_batch, seed=seed)
    schedule = Schedule(
        epochs=size.pretraining_epochs,
        learning_rate=7e-4,
        warmup=0.06,
        seed=seed,
        report_every=100,
    )
    return train(training, schedule, folder, watch=progress("pre-training"))


def contrast(
    base: Path,
    queries: Sequence[LabelledQuery],
    data: LawData,
    size: Size,
    folder: Path,
    *,
    what: str,
    batch: int,
    epochs: float,
    rate: float,
    seed: int,
) -> TextEncoder:
    """Train the encoder of a folder on facts, with all articles as candidates at every step."""
    from hengfa.train.recipes.retrievers import Contrast
    from hengfa.train.recipes.schedule import Schedule
    from hengfa.train.recipes.trainers import DualEncoderTraining, train
    from hengfa.train.retrieval.neural import EncoderSettings, TextEncoder

    kind = EncoderSettings("mean", "dot", size.width**0.5, size.tokens, size.passage_tokens)
    encoder = TextEncoder.load(base, kind, seed)
    training = DualEncoderTraining(
        encoder, queries, data.articles, Contrast(batch, None), seed=seed
    )
    schedule = Schedule(epochs, learning_rate=rate, seed=seed, report_every=50)
    report = train(training, schedule, folder, watch=progress(what))
    say(f"{what}: {report.steps} steps, {report.tokens_per_second:,.0f} tokens/s")
    return encoder


def chances(scores: Scores) -> Scores:
    """Scores of a model that was trained with a softmax, as shares of one."""
    import numpy as np

    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def fold_scores(
    encoder: TextEncoder,
    learnt: Sequence[LabelledQuery],
    asked: Sequence[LabelledQuery],
    data: LawData,
) -> dict[str, Scores]:
    """The scores of all articles for the facts of a fold, by inner product and by neighbours."""
    import numpy as np

    from law_retriever_data import masked

    articles = list(data.articles)
    passages = encoder.encode_passages(list(data.articles.values()))
    hidden = encoder.encode_queries([masked(query).text for query in asked])
    visible = encoder.encode_queries([query.text for query in asked])
    temperature = encoder.settings.temperature
    known = encoder.encode_queries([query.text for query in learnt])
    known /= np.linalg.norm(known, axis=1, keepdims=True)
    likeness = hidden @ known.T / np.linalg.norm(hidden, axis=1, keepdims=True)
    nearest = np.argsort(-likeness, axis=1, kind="stable")[:, :NEIGHBOURS]
    votes = np.zeros((len(asked), len(articles)))
    column = {article: place for place, article in enumerate(articles)}
    for row, near in enumerate(nearest):
        share = chances(20.0 * likeness[row : row + 1, near].astype(np.float64))[0]
        for place, vote in zip(near, share, strict=True):
            cited = [column[name] for name in learnt[place].relevant if name in column]
            votes[row, cited] += vote
    return {
        "dense": chances((hidden @ passages.T).astype(np.float64) / temperature),
        "dense, numbers visible": chances((visible @ passages.T).astype(np.float64) / temperature),
        "dense neighbours": votes,
    }


def base_models(data: LawData, size: Size, seed: int, work: Path) -> Path:
    """Steps 1 and 2, unless an earlier call has left their models in the folder."""
    from law_retriever_data import masked

    if not (work / "encoder" / "training.json").is_file():
        pretrained = pretrain(data, size, seed, work / "encoder")
        say(f"pre-training: {pretrained.steps} steps, {pretrained.tokens_per_second:,.0f} tokens/s")
    if not (work / "cail" / "training.json").is_file():
        contrast(
            work / "encoder",
            [masked(query) for query in data.cail],
            data,
            size,
            work / "cail",
            what="CAIL",
            batch=size.cail_batch,
            epochs=size.cail_epochs,
            rate=3e-4,
            seed=seed,
        )
    return work / "cail"


def cross_validate(
    data: LawData, size: Size, seed: int, base: Path, work: Path, *, nested: bool
) -> tuple[dict[str, Scores], int]:
    """Step 3: scores of every JuDGE fact by models that have not seen it, and copies left out.

    `inner …` has a plane for each part: what models say of the other parts that have seen neither
    those nor this one.
    """
    import numpy as np

    from hengfa.law.retrieval.measures import folds
    from law_retriever_data import Closeness, masked

    parts = [fold.measured.tolist() for fold in folds(len(data.judge), size.parts, seed)]
    shape = (len(data.judge), len(data.articles))
    found: dict[str, Scores] = {}
    kept_out = [(one,) for one in range(len(parts))]
    pairs = list(combinations(range(len(parts)), 2)) if nested else []
    dropped = 0
    for turn, out in enumerate([*kept_out, *pairs], start=1):
        places = sorted(place for one in out for place in parts[one])
        asked = [data.judge[place] for place in places]
        near = Closeness(query.text for query in asked)
        rest = [data.judge[place] for place in range(len(data.judge)) if place not in set(places)]
        learnt = [masked(query) for query in rest if not near.too_close(query.text)]
        dropped += len(rest) - len(learnt)
        encoder = contrast(
            base,
            learnt,
            data,
            size,
            work / f"without-{'-'.join(map(str, out))}",
            what=f"model {turn}/{len(kept_out) + len(pairs)}",
            batch=size.fold_batch,
            epochs=size.fold_epochs,
            rate=2e-4,
            seed=seed,
        )
        for name, scores in fold_scores(encoder, learnt, asked, data).items():
            if len(out) == 1:
                found.setdefault(name, np.zeros(shape))[places] = scores
                continue
            planes = found.setdefault(f"inner {name}", np.zeros((len(parts), *shape)))
            row = {place: number for number, place in enumerate(places)}
            for one, other in (out, out[::-1]):
                planes[one, parts[other]] = scores[[row[place] for place in parts[other]]]
    counts = np.array([float(data.frequency.get(name, 0)) for name in data.articles])
    found["frequency"] = np.tile(counts, (len(data.judge), 1))
    return found, dropped


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder with JuDGE, corpora")
    parser.add_argument("--out", type=Path, help="the figures, as JSON; scores beside")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--nested", action="store_true", help="also leave out every two parts")
    parser.add_argument("--work", type=Path, help="keep the models here  [default: thrown away]")
    parser.add_argument("--until", choices=("cail", "end"), default="end")
    parser.add_argument("--smoke", action="store_true", help="a few rows and a tiny model")
    arguments = parser.parse_args()
    if arguments.until == "cail" and not arguments.work:
        parser.error("--until cail needs --work, where the models are kept")
    if arguments.until == "end" and not arguments.out:
        parser.error("--out says where the figures go")
    check_packages()
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from law_retriever_data import load

    data = load(arguments.data, few=arguments.smoke)
    say(f"{len(data.judge)} test facts, {len(data.articles)} articles, {len(data.cail):,} CAIL")
    size = SMOKE if arguments.smoke else Size()
    with tempfile.TemporaryDirectory() as passing:
        work = arguments.work or Path(passing)
        base = base_models(data, size, arguments.seed, work)
        if arguments.until == "cail":
            return
        found, dropped = cross_validate(
            data, size, arguments.seed, base, work, nested=arguments.nested
        )
        pretrained = json.loads((work / "encoder" / "training.json").read_text("utf-8"))
    keep(arguments.out, data, size, arguments.seed, found)
    rows = figures_of(data, found)
    done = {
        "pretraining": pretrained,
        "refused_texts": data.refused,
        "near_copies_between_parts": dropped,
        "seed": arguments.seed,
        "rows": rows,
        "seconds": round(time.perf_counter() - BEGAN, 1),
    }
    arguments.out.write_text(json.dumps(done, ensure_ascii=False, indent=2) + "\n", "utf-8")
    say(f"figures in {arguments.out}")


def keep(out: Path, data: LawData, size: Size, seed: int, found: dict[str, Scores]) -> None:
    """The scores and what they are scores of, so that they can be fused without a GPU."""
    import numpy as np

    from hengfa.law.retrieval.measures import folds

    part_of = np.zeros(len(data.judge), np.int64)
    for number, fold in enumerate(folds(len(data.judge), size.parts, seed)):
        part_of[fold.measured] = number
    arrays: dict[str, Any] = {
        "queries": np.array([query.id for query in data.judge]),
        "articles": np.array(list(data.articles)),
        "fold": part_of,
        "seed": np.array(seed),
        **{name: scores.astype(np.float32) for name, scores in found.items()},
    }
    np.savez_compressed(out.with_suffix(".npz"), **arrays)


def figures_of(data: LawData, found: dict[str, Scores]) -> dict[str, dict[str, float]]:
    """Print and give the measures of each way; the planes for choosing weights are no way."""
    from hengfa.law.retrieval.measures import measure, parse_measure

    measures = [parse_measure(one) for one in ("MRR@100", "P@5", "P@10", "R@5", "R@10")]
    qrels = {query.id: dict.fromkeys(query.relevant, 1) for query in data.judge}
    rows: dict[str, dict[str, float]] = {}
    for name, scores in found.items():
        if scores.ndim > 2:
            continue
        run = {
            query.id: list(zip(data.articles, row.tolist(), strict=True))
            for query, row in zip(data.judge, scores, strict=True)
        }
        measured = measure(run, qrels, measures)
        rows[name] = {key: float(values.mean()) for key, values in measured.items()}
        shown = "".join(f"{key:>9} {value:.4f}" for key, value in rows[name].items())
        print(f"{name:<24}{shown}", flush=True)
    return rows


if __name__ == "__main__":
    main()
