"""The optional libraries of training, and models from local folders.

Nothing here imports torch before it is used, and nothing is fetched from the internet.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hengfa.errors import DataError, MissingExtra
from hengfa.text.bertscore import check_model_folder

EXTRA = "train"
LIBRARIES = ("torch", "transformers")


def check_installed(what_for: str, *more: str) -> None:
    """Refuse early where the optional part is missing; nothing is imported."""
    if any(find_spec(name) is None for name in (*LIBRARIES, *more)):
        raise MissingExtra(EXTRA, what_for)


def library(name: str, what_for: str = "training", extra: str = EXTRA) -> Any:
    """A library of the optional part, imported now."""
    try:
        module = import_module(name)
    except ImportError as error:
        raise MissingExtra(extra, what_for) from error
    if name == "transformers":
        module.utils.logging.disable_progress_bar()
        module.utils.logging.set_verbosity_error()  # it reports every weight it leaves aside
    return module


def load_model(folder: Path, kind: str, *, seed: int = 0, **options: Any) -> Any:
    """The model of a local folder as one of transformers' kinds (`AutoModel`, …).

    A head that the folder does not have is drawn from the seed, so that two trainings from one
    folder begin with the same weights. All weights are in full precision, however they lie there:
    mixed precision is the training's business.
    """
    check_model_folder(folder)
    transformers = library("transformers")
    library("torch").manual_seed(seed)
    try:
        model = getattr(transformers, kind).from_pretrained(
            str(folder), local_files_only=True, **options
        )
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        raise DataError(f"cannot be loaded as a model: {error}", file=folder) from error
    return model.float()


def load_tokenizer(folder: Path) -> Any:
    """The tokenizer that lies with the model."""
    check_model_folder(folder)
    transformers = library("transformers")
    try:
        return transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        raise DataError(f"has no tokenizer that can be loaded: {error}", file=folder) from error


def best_device() -> str:
    """A GPU where there is one; CUDA_VISIBLE_DEVICES chooses among several."""
    return "cuda" if library("torch").cuda.is_available() else "cpu"
