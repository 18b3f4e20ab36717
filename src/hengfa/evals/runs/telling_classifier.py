"""A small classifier of pairs as the second reader (`hengfa cite check --reader hf:DIR`).

An entailment model, or what `hengfa train reader` makes. What its labels mean, and from which
probability on they count, stands in `reader.toml` in its folder; without one the names that such
labels usually have are known. It cannot quote: its opinion is of both texts as a whole, and the
verdict says so. A pair that it cannot take whole has no opinion, for what is cut off may decide.

Nothing is downloaded, no code from the folder is run, and weights are read as safetensors alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from hengfa.base.data.jsonfile import read_json, read_toml
from hengfa.base.errors import DataError, HengfaError
from hengfa.evals.engine.local_model import find_device, load_weights, local_name
from hengfa.evals.engine.replies import one_line
from hengfa.law.library.citing.second_reader import Answer, Opinion, ToRead
from hengfa.law.text.bertscore import check_model_folder

SETTINGS: Final = "reader.toml"
_HEAD: Final = "ForSequenceClassification"
_USUAL: Final[dict[str, Answer]] = {
    "entailment": "faithful", "contradiction": "differs", "neutral": "cannot tell",
    "faithful": "faithful", "differs": "differs", "cannot tell": "cannot tell",
}  # fmt: skip
USUAL: Final = 0.9
"""From here on an answer counts where nothing is said of it."""


class ReaderSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `reader.toml` says: the meaning of each label, from which probability on an answer
    counts, and which text the model is given first."""

    labels: dict[str, Answer] = {}
    at_least: dict[Literal["faithful", "differs"], float] = {}
    first: Literal["provision", "telling"] = "provision"

    def answer(self, chances: dict[Answer, float]) -> Answer:
        """The likeliest answer, if it is likely enough."""
        likeliest = max(chances, key=chances.__getitem__)
        if likeliest != "cannot tell" and chances[likeliest] >= self.at_least.get(likeliest, USUAL):
            return likeliest
        return "cannot tell"


class _Config(msgspec.Struct):
    architectures: list[str] | None = None
    id2label: dict[int, str] = msgspec.field(default_factory=lambda: {0: "LABEL_0", 1: "LABEL_1"})
    """Transformers leaves these out where they are these two."""


def is_classifier(folder: Path) -> bool:
    """Whether the model in a folder gives labels instead of words."""
    check_model_folder(folder)
    return any(kind.endswith(_HEAD) for kind in _config(folder).architectures or ())


def _config(folder: Path) -> _Config:
    return read_json(folder / "config.json", _Config)


def read_settings(folder: Path) -> tuple[ReaderSettings, list[Answer]]:
    """The settings of a folder, and what each output of its model means."""
    file, names = folder / SETTINGS, _config(folder).id2label
    settings = read_toml(file, ReaderSettings) if file.exists() else ReaderSettings()
    for answer, chance in settings.at_least.items():
        if not chance > 0:
            problem = f"a probability is above 0 (and one above 1 never counts), not {chance}"
            raise DataError(problem, file=file, field=f"at_least.{answer}")
    known = ", ".join(names.values())
    if len(names) < 2:
        problem = f"a reader tells two labels apart at least; there is {known or 'none'}"
        raise DataError(problem, file=folder / "config.json", field="id2label")
    if strange := sorted(settings.labels.keys() - names.values()):
        problem = f"the model has no such label; config.json (id2label) has {known}"
        raise DataError(problem, file=file, field=f"labels.{strange[0]}")
    means = settings.labels or _USUAL
    spelled = {name: name if settings.labels else name.lower() for name in names.values()}
    if any(spelling not in means for spelling in spelled.values()):
        problem = (
            f"nothing says what each of the labels {known} means: write {SETTINGS} into the folder,"
            ' with [labels] and for each a line such as LABEL_0 = "faithful" (or "differs", '
            '"cannot tell")'
        )
        raise DataError(problem, file=folder / "config.json", field="id2label")
    return settings, [means[spelled[names[number]]] for number in sorted(names)]


class ClassifierReader:
    """Gives each pair to the model in a folder, which is loaded with the first of them."""

    shows_words = False

    def __init__(self, folder: Path) -> None:
        self._device = find_device("auto")
        self.name, self._folder = local_name(folder), folder
        self._settings, self._means = read_settings(folder)

    def read(self, pairs: Sequence[ToRead]) -> list[Opinion | None]:
        """One by one: a document has some dozens."""
        return [
            None if chances is None
            else Opinion(self._settings.answer(chances), pair.telling, pair.provision)
            for pair, chances in zip(pairs, map(self.chances, pairs), strict=True)
        ]  # fmt: skip

    def chances(self, pair: ToRead) -> dict[Answer, float] | None:
        """How likely each answer is, as the model has it; None of what is too long for it."""
        tokenizer, model = self._loaded
        texts = [pair.provision, pair.telling]
        if self._settings.first == "telling":
            texts.reverse()
        segments = getattr(model.config, "type_vocab_size", 0) > 1
        row = tokenizer(*texts, return_token_type_ids=segments, return_tensors="pt")
        known = getattr(model.config, "max_position_embeddings", tokenizer.model_max_length)
        known -= 2 * ("roberta" in model.config.model_type)  # which counts from 2
        if row["input_ids"].shape[1] > min(known, tokenizer.model_max_length):
            return None
        try:
            with import_module("torch").inference_mode():
                shares = model(**row.to(model.device)).logits[0].float().softmax(-1).tolist()
        except (IndexError, RuntimeError) as error:  # a tokenizer of another model, memory
            raise DataError(
                f"cannot read a pair: {one_line(str(error))}", file=self._folder
            ) from error
        chances: dict[Answer, float] = {}
        for answer, share in zip(self._means, shares, strict=True):
            chances[answer] = chances.get(answer, 0.0) + share
        return chances

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """The tokenizer and the model."""
        kind, folder = f"AutoModel{_HEAD}", self._folder
        try:
            return load_weights(folder, kind, self._device, use_safetensors=True)
        except HengfaError:
            raise
        except Exception as error:  # each library has its own kinds
            problem = "cannot be loaded as a classifier (code in its folder is never run)"
            raise DataError(f"{problem}: {one_line(str(error))}", file=folder) from error
