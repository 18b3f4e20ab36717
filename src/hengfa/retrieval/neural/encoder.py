"""Texts to vectors, with any encoder that lies in a local folder.

A folder that was trained here says how its vectors are made (`hengfa_encoder.json`): pooling,
likeness and lengths. For any other base model they are chosen by the caller.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hengfa.errors import DataError, UsageError
from hengfa.retrieval.neural.batches import padded
from hengfa.retrieval.neural.libraries import best_device, library, load_model, load_tokenizer

Vectors = npt.NDArray[np.float32]
SETTINGS = "hengfa_encoder.json"
POOLINGS = ("cls", "mean")
LIKENESSES = ("dot", "cosine")


@dataclass(frozen=True)
class EncoderSettings:
    """How a vector is made of a text, and how two vectors are compared."""

    pooling: str = "cls"
    likeness: str = "dot"
    temperature: float = 1.0
    query_tokens: int = 512
    passage_tokens: int = 256

    def __post_init__(self) -> None:
        if self.pooling not in POOLINGS or self.likeness not in LIKENESSES:
            raise UsageError(
                f"pooling is one of {', '.join(POOLINGS)}, likeness one of {', '.join(LIKENESSES)}"
            )
        if self.temperature <= 0 or min(self.query_tokens, self.passage_tokens) < 3:
            raise UsageError("the temperature is above 0, and a text has at least 3 tokens")


class TextEncoder:
    """An encoder with its tokenizer and settings."""

    def __init__(self, model: Any, tokenizer: Any, settings: EncoderSettings) -> None:
        self.model, self.tokenizer, self.settings = model, tokenizer, settings
        self._longest = longest_input(model, tokenizer)

    @classmethod
    def load(
        cls, folder: Path, settings: EncoderSettings | None = None, seed: int = 0
    ) -> TextEncoder:
        """From a folder; without settings, those the folder says, else the usual ones."""
        model = load_model(folder, "AutoModel", seed=seed)
        return cls(model, load_tokenizer(folder), settings or read_settings(folder))

    def tokens(self, texts: Sequence[str], longest: int) -> list[list[int]]:
        """Token ids with the marks at both ends, cut at `longest` or what the model can take."""
        encoded = self.tokenizer(
            list(texts), truncation=True, max_length=min(longest, self._longest)
        )
        ids: list[list[int]] = encoded["input_ids"]
        return ids

    def vectors(self, rows: Sequence[Sequence[int]], device: str) -> Any:
        """The vectors of token rows, as a tensor that can learn."""
        ids, there = padded(rows, self.tokenizer.pad_token_id, device)
        hidden = self.model(input_ids=ids, attention_mask=there)[0]
        if self.settings.pooling == "cls":
            vectors = hidden[:, 0]
        else:
            share = there.unsqueeze(-1).to(hidden.dtype)
            vectors = (hidden * share).sum(dim=1) / share.sum(dim=1)
        vectors = vectors.float()
        if self.settings.likeness == "cosine":
            vectors = library("torch").nn.functional.normalize(vectors, dim=-1)
        return vectors

    def encode(self, texts: Sequence[str], longest: int, batch: int = 64) -> Vectors:
        """The vectors of texts; texts of like length are encoded together."""
        torch, device = library("torch"), best_device()
        self.model.to(device).eval()
        rows = self.tokens(texts, longest) if texts else []
        order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
        found = np.zeros((len(rows), self.model.config.hidden_size), dtype=np.float32)
        with torch.inference_mode():
            for start in range(0, len(order), batch):
                chunk = order[start : start + batch]
                found[chunk] = self.vectors([rows[n] for n in chunk], device).cpu().numpy()
        return found

    def encode_queries(self, texts: Sequence[str], batch: int = 64) -> Vectors:
        return self.encode(texts, self.settings.query_tokens, batch)

    def encode_passages(self, texts: Sequence[str], batch: int = 64) -> Vectors:
        return self.encode(texts, self.settings.passage_tokens, batch)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        text = json.dumps(asdict(self.settings), indent=2) + "\n"
        (folder / SETTINGS).write_text(text, "utf-8")


def read_settings(folder: Path) -> EncoderSettings:
    """What the folder says of its vectors; the usual settings where it says nothing."""
    file = folder / SETTINGS
    if not file.exists():
        return EncoderSettings()
    try:
        return EncoderSettings(**json.loads(file.read_text("utf-8")))
    except (ValueError, TypeError) as error:
        raise DataError(f"does not hold the settings of an encoder: {error}", file=file) from error


def longest_input(model: Any, tokenizer: Any) -> int:
    """How many tokens fit: what the tokenizer says, and how many positions the model knows."""
    known = getattr(model.config, "max_position_embeddings", None) or tokenizer.model_max_length
    return int(min(known, tokenizer.model_max_length))
