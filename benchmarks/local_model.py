"""Tokens per second of `hf:DIR` against transformers' plain generate, one prompt after the other.

    python benchmarks/local_model.py [--model DIR] [--device cuda] [--prompts N] [--new N]

Both are asked the same prompts of mixed length, with the same weights in the same precision, in one
run. Without --model one of Qwen's shape is made (--layers, --width) with random weights, which
writes until the limit; that is how fast it writes, not what. Also says how many texts are equal:
in bfloat16 the sums of a batch may round otherwise. Writes nothing but the table.

Needs the extra `train`.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from hengfa.evals.engine.local_model import LocalModel
from hengfa.evals.engine.messages import Message, Options, Request, Response
from shared_data import read_arguments

VOCABULARY = 32_000
SIGNS = "甲乙丙丁渡船风筝灯塔蜂蜜鱼票敲钟自首处罚金拘役管制有期徒刑，。"


def make_model(folder: Path, layers: int, width: int, device: str) -> None:
    """Random weights, and a tokenizer that reads bytes and writes from a usual vocabulary."""
    torch, transformers = import_module("torch"), import_module("transformers")
    tokenizers = import_module("tokenizers")
    signs = ["<end>", *sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())]
    signs += [f"w{number}" for number in range(len(signs), VOCABULARY)]
    bytes_ = tokenizers.Tokenizer(
        tokenizers.models.BPE({sign: number for number, sign in enumerate(signs)}, [])
    )
    bytes_.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_.decoder = tokenizers.decoders.ByteLevel()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=bytes_, eos_token="<end>", pad_token="<end>"
    ).save_pretrained(folder)
    torch.manual_seed(1)
    heads = max(1, width // 128)
    config = transformers.Qwen2Config(
        vocab_size=VOCABULARY,
        hidden_size=width,
        intermediate_size=width * 3,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=max(1, heads // 4),
        max_position_embeddings=8192,
        bos_token_id=None,
        eos_token_id=0,
        pad_token_id=0,
    )
    with torch.device(device):
        model = transformers.Qwen2ForCausalLM(config)
    model.to(torch.bfloat16).save_pretrained(folder)


def make_requests(count: int, new: int) -> list[Request]:
    """Prompts of 20 to 500 characters, short ones more often."""
    dice = random.Random(1)
    options = Options(temperature=0.0, max_new_tokens=new)
    lengths = [int(20 * 25 ** dice.random()) for _ in range(count)]
    return [
        Request(f"k/{n}", (Message("user", "".join(dice.choices(SIGNS, k=length))),), options)
        for n, length in enumerate(lengths)
    ]


def ours(folder: Path, device: str, asked: list[Request]) -> tuple[list[str], int, float]:
    """Texts, tokens written, and seconds; loading and a first batch are not counted."""
    model = LocalModel(folder, device=device)

    async def work() -> tuple[list[Response], float]:
        await asyncio.gather(*map(model.generate, asked[:2]))
        began = time.perf_counter()
        answers = await asyncio.gather(*map(model.generate, asked))
        seconds = time.perf_counter() - began
        await model.close()
        return answers, seconds

    answers, seconds = asyncio.run(work())
    tokens = sum(answer.usage.output for answer in answers if answer.usage)
    return [answer.text for answer in answers], tokens, seconds


def plain(folder: Path, device: str, asked: list[Request]) -> tuple[list[str], int, float]:
    torch, transformers = import_module("torch"), import_module("transformers")
    dtype = torch.float32 if device == "cpu" else torch.bfloat16
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        folder, local_files_only=True, dtype=dtype
    )
    model = model.to(device).eval()

    def write(request: Request) -> Any:
        text = request.messages[0].content
        if tokenizer.chat_template:
            turns = [{"role": "user", "content": text}]
            text = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        ids = tokenizer(text, return_tensors="pt").input_ids.to(device)
        out = model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=request.options.max_new_tokens,
            do_sample=False,
        )
        return out[0, ids.shape[1] :]

    with torch.inference_mode():
        write(asked[0])
        began = time.perf_counter()
        written = [write(request).tolist() for request in asked]
        seconds = time.perf_counter() - began
    texts = [tokenizer.decode(row, skip_special_tokens=True) for row in written]
    return texts, sum(map(len, written)), seconds


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path)
    parser.add_argument("--device")
    parser.add_argument("--prompts", type=int, default=64)
    parser.add_argument("--new", type=int, default=64)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=256)
    given = read_arguments(parser, quick="--prompts 4 --new 4")
    torch, logging = import_module("torch"), import_module("transformers").utils.logging
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    device = given.device or ("cuda" if torch.cuda.is_available() else "cpu")
    asked = make_requests(given.prompts, given.new)
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.model or Path(scratch)
        if given.model is None:
            make_model(folder, given.layers, given.width, device)
        alone = asked[: max(8, len(asked) // 8)]
        slow, fast = plain(folder, device, alone), ours(folder, device, asked)
    print(f"{'':24} {'prompts':>8} {'tokens':>9} {'seconds':>8} {'tokens/s':>9}")
    for name, count, (_, tokens, seconds) in (
        ("generate, one by one", len(alone), slow),
        ("hf:, batches", len(asked), fast),
    ):
        print(f"{name:24} {count:8,} {tokens:9,} {seconds:8.2f} {tokens / seconds:9,.0f}")
    ratio = (fast[1] / fast[2]) / (slow[1] / slow[2])
    same = sum(one == other for one, other in zip(slow[0], fast[0], strict=False))
    print(f"ratio {ratio:.1f}; {same} of {len(alone)} texts are equal ({device})")


if __name__ == "__main__":
    main()
