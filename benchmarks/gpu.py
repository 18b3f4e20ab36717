"""BERTScore, embedding and exact search by vectors on a card, each against the plain way.

    python benchmarks/gpu.py bertscore|embed|search|all [--small] [--out FILE.json]

The model has the shape of bert-base-chinese and random weights, the texts are random characters
with seeded lengths: that is how fast it is, not how good. In one run:

bertscore  pairs per second, ours and the package bert-score on the same pairs; how far scores in
           bfloat16 are from those in float32, and those from the package's.
embed      passages and tokens per second through the encoder, share of the card's peak (--peak,
           in TFLOP/s: the arithmetic of the tokens without padding); the tokenizer alone and the
           card without it; a loop over batches of 64 on a sample.
search     queries per second over vectors, and whether card and processor find the same.

--small runs all of it on a processor in a minute.

Needs the extra `train`, and for the comparison of scores the package bert-score.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import numpy as np

from hengfa.law.text.bertscore import BertScorer
from hengfa.train.recipes.pretraining import SPECIAL, EncoderShape, make_tokenizer, new_encoder
from hengfa.train.retrieval.dense import Near, VectorSearch
from hengfa.train.retrieval.neural import TextEncoder, best_device, library
from shared_data import read_arguments

Row = dict[str, float | int | str]
Result = TypeVar("Result")
IDEOGRAPHS = [*range(0x4E00, 0xA000), *range(0x3400, 0x4DC0)]
VOCABULARY = 21_128
SCORED = "hengfa.law.text.bertscore.precision"
ENCODED = "hengfa.train.retrieval.neural.precision"
CARD = "hengfa.train.retrieval.dense.card"


def make_model(folder: Path, shape: EncoderShape) -> None:
    characters = [chr(code) for code in IDEOGRAPHS[: VOCABULARY - len(SPECIAL)]]
    tokenizer = make_tokenizer([*SPECIAL, *characters], shape.longest)
    new_encoder(shape, VOCABULARY, seed=1).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def make_texts(count: int, shortest: int, longest: int, seed: int) -> list[str]:
    """Lengths are even on a logarithmic scale; some characters are far more frequent."""
    dice = np.random.default_rng(seed)
    lengths = (shortest * (longest / shortest) ** dice.random(count)).astype(int)
    ends = lengths.cumsum()
    ranks = ((VOCABULARY - len(SPECIAL)) ** dice.random(ends[-1], np.float32)).astype(int) - 1
    whole = np.array(IDEOGRAPHS, "<u4")[ranks].tobytes().decode("utf-32-le")
    return [whole[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def make_pairs(count: int) -> list[tuple[str, str]]:
    """References, and answers that begin like them and go on otherwise."""
    references = make_texts(count, 10, 200, seed=2)
    others = make_texts(count, 5, 100, seed=3)
    return [
        (text[: len(text) * (number % 10) // 10] + other, text)
        for number, (text, other) in enumerate(zip(references, others, strict=True))
    ]


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    began = time.perf_counter()
    result = work()
    if best_device() == "cuda":
        library("torch").cuda.synchronize()
    return result, time.perf_counter() - began


def apart(some: Sequence[float], others: Sequence[float]) -> Row:
    difference = np.abs(np.array(some) - np.array(others))
    return {"max": float(difference.max()), "mean": float(difference.mean())}


def bertscore(folder: Path, pairs: Sequence[tuple[str, str]]) -> dict[str, Row]:
    def ours() -> tuple[list[float], float]:
        scorer = BertScorer(folder)
        scorer.f1(pairs[:256])
        return timed(lambda: scorer.f1(pairs))

    def rate(seconds: float) -> Row:
        return {"pairs": len(pairs), "seconds": seconds, "pairs/s": len(pairs) / seconds}

    scores, seconds = ours()
    with patch(SCORED, lambda _device: library("torch").float32):
        exact, seconds_exact = ours()
    rows = {
        "ours": rate(seconds),
        "ours, float32": rate(seconds_exact),
        "ours - float32": apart(scores, exact),
    }
    if find_spec("bert_score") is None:
        return rows
    layer = BertScorer(folder).layer
    package = import_module("bert_score").BERTScorer(
        model_type=str(folder), num_layers=layer, device=best_device()
    )
    answers, references = (list(side) for side in zip(*pairs, strict=True))
    package.score(answers[:256], references[:256])
    (_, _, theirs), seconds_theirs = timed(lambda: package.score(answers, references))
    return rows | {
        "bert-score": rate(seconds_theirs),
        "ours, float32 - bert-score": apart(exact, theirs.tolist()),
        "ours / bert-score": {
            "ratio": seconds_theirs / seconds,
            "ratio, float32": seconds_theirs / seconds_exact,
        },
    }


class Tokenised(TextEncoder):
    """Texts that have been cut into tokens before."""

    known: dict[str, list[int]]

    def tokens(self, texts: Sequence[str], longest: int) -> list[list[int]]:  # noqa: ARG002
        return [self.known[text] for text in texts]


def operations(config: Any, lengths: Any) -> float:
    """Of the matrices of the encoder, two for each weight and token, and of attention."""
    width, layers = config.hidden_size, config.num_hidden_layers
    weights = 4 * width**2 + 2 * width * config.intermediate_size
    return float(layers * (2 * weights * lengths.sum() + 4 * width * (lengths**2).sum()))


def plain(encoder: TextEncoder, model: Any, texts: Sequence[str]) -> None:
    """Batches of 64 texts as they come, padded to the longest, one after the other."""
    torch = library("torch")
    with torch.inference_mode():
        for start in range(0, len(texts), 64):
            given = encoder.tokenizer(
                list(texts[start : start + 64]),
                padding=True,
                truncation=True,
                max_length=encoder.settings.passage_tokens,
                return_tensors="pt",
            ).to(model.device)
            model(**given)[0][:, 0].float().cpu().numpy()


def embed(folder: Path, texts: Sequence[str], sample: int, peak: float) -> dict[str, Row]:
    torch = library("torch")
    encoder = TextEncoder.load(folder)
    longest = encoder.settings.passage_tokens

    def rate(some: Sequence[str], seconds: float) -> Row:
        lengths = np.array([min(len(text) + 2, longest) for text in some])
        return {
            "passages": len(some),
            "seconds": seconds,
            "passages/s": len(some) / seconds,
            "tokens/s": int(lengths.sum()) / seconds,
            "share of peak": operations(encoder.model.config, lengths) / seconds / peak / 1e12,
        }

    few = texts[:sample]
    encoder.encode_passages(few[: sample // 4])
    vectors, seconds = timed(lambda: encoder.encode_passages(texts))
    rows = {"ours": rate(texts, seconds)}
    cut, seconds = timed(lambda: encoder.tokens(few, longest))
    rows["the tokenizer alone"] = rate(few, seconds) | {"share of peak": 0.0}
    ready = Tokenised(encoder.model, encoder.tokenizer, encoder.settings)
    ready.known = dict(zip(few, cut, strict=True))
    _, seconds = timed(lambda: ready.encode_passages(few))
    rows["ours, already in tokens"] = rate(few, seconds)
    fewer = few[: sample // 8]
    for kind in (torch.float32, torch.bfloat16):
        model = deepcopy(encoder.model).to(kind)
        plain(encoder, model, fewer[:128])
        _, seconds = timed(partial(plain, encoder, model, fewer))
        rows[f"batches of 64, {str(kind).removeprefix('torch.')}"] = rate(fewer, seconds)
    with patch(ENCODED, lambda _device: torch.float32):
        exact = encoder.encode_passages(fewer)
    distance = np.linalg.norm(vectors[: len(fewer)] - exact, axis=1) / np.linalg.norm(exact, axis=1)
    rows["ours - float32, by length"] = {
        "max": float(distance.max()),
        "mean": float(distance.mean()),
    }
    return rows


def search(count: int, width: int, queries: int, sample: int, k: int) -> dict[str, Row]:
    """Vectors of length 1, one in a hundred of them twice; queries near some of them."""
    torch, device = library("torch"), best_device()
    torch.manual_seed(4)
    vectors = torch.nn.functional.normalize(torch.randn(count, width, device=device), dim=1)
    vectors[::100] = vectors[1::100][: len(vectors[::100])]
    asked = vectors[:: max(1, count // queries)][:queries]
    asked = (asked + torch.randn_like(asked) / width**0.5).cpu().numpy()
    vectors = vectors.cpu().numpy()
    ids = [f"{number:08}" for number in range(count)]

    def measure(some: Any) -> tuple[list[Near], Row]:
        searcher = VectorSearch(ids, vectors)
        searcher.search(some[:64], k)
        found, seconds = timed(lambda: searcher.search(some, k))
        rate = len(some) / seconds
        return found, {"queries": len(some), "seconds": seconds, "queries/s": rate}

    found, ours = measure(asked)
    with patch(CARD, lambda _room: None):
        expected, processor = measure(asked[:sample])
    equal = sum(one == other for one, other in zip(found, expected, strict=False))
    return {
        f"ours, {device}": ours,
        "ours, processor": processor,
        "the same": {"queries": len(expected), "equal": equal},
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["bertscore", "embed", "search", "all"])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--pairs", type=int, default=50_000)
    parser.add_argument("--passages", type=int, default=1_000_000)
    parser.add_argument("--sample", type=int, default=100_000, help="of passages")
    parser.add_argument("--vectors", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--again", type=int, default=256, help="queries on the processor")
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument("--peak", type=float, default=989.0, help="TFLOP/s; an H200 in bfloat16")
    parser.add_argument("--out", type=Path)
    given = read_arguments(
        parser,
        quick="all --small --pairs 8 --passages 50 --sample 20 --vectors 100 --queries 4 --again 2"
        " --k 3",
    )
    shape = EncoderShape(layers=12, width=768, heads=12)
    if given.small:
        shape = EncoderShape(layers=2, width=64, heads=2)
        given.pairs, given.passages, given.sample = 300, 2000, 800
        given.vectors, given.queries, given.again = 20_000, 200, 50
    parts: dict[str, dict[str, Row]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if given.what != "search":
            make_model(folder, shape)
        if given.what in ("bertscore", "all"):
            parts["bertscore"] = bertscore(folder, make_pairs(given.pairs))
        if given.what in ("embed", "all"):
            texts = make_texts(given.passages, 20, 250, seed=1)
            parts["embed"] = embed(folder, texts, given.sample, given.peak)
    if given.what in ("search", "all"):
        parts["search"] = search(given.vectors, shape.width, given.queries, given.again, given.k)
    for part, rows in parts.items():
        for name, figures in rows.items():
            print(f"{part:10} {name:28}", *(f"{what} {v:,.6g}" for what, v in figures.items()))
    if given.out:
        device = library("torch").cuda.get_device_name() if best_device() == "cuda" else "cpu"
        given.out.write_text(json.dumps({"device": device, **parts}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
