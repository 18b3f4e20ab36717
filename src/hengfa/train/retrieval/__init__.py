"""Retrieval that is trained: search by vectors, and reading hits again.

dense    an index of vectors, in the same kind of folder as one of words
neural   models in local folders, as they search: texts to vectors, pairs of texts to scores

What the law wing asks for where an index has vectors (`hengfa.law.retrieval.opening.Neural`):
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hengfa.base.progress import Progress
    from hengfa.base.workers import Executor
    from hengfa.law.retrieval.corpus import Document
    from hengfa.law.retrieval.methods import Fields
    from hengfa.law.retrieval.opening import CrossEncoder, Reading, Searcher


def open_vectors(
    folder: Path,
    *,
    encoder: Path | None,
    approximate: bool,
    watch: Progress | None,
    executor: Executor | None,
) -> Searcher:
    from hengfa.train.retrieval.dense import DenseIndex  # noqa: PLC0415 - numpy and more

    return DenseIndex.open(
        folder, encoder=encoder, approximate=approximate, watch=watch, executor=executor
    )


def build_vectors(
    documents: Sequence[Document],
    encoder: Path,
    output: Path,
    *,
    fields: Fields,
    force: bool,
    watch: Progress | None,
    executor: Executor | None,
) -> tuple[int, str]:
    """Encode documents into an index; how many, and what a person should know of the encoder."""
    from hengfa.train.retrieval.dense import DenseIndex  # noqa: PLC0415 - likewise
    from hengfa.train.retrieval.neural import ENCODER_SETTINGS  # noqa: PLC0415 - likewise

    index = DenseIndex.build(documents, encoder, fields=fields, watch=watch, executor=executor)
    index.write(output, force=force)
    if (encoder / ENCODER_SETTINGS).is_file():
        return len(index), ""
    return len(index), (
        f"{encoder} does not say how its vectors are made ({ENCODER_SETTINGS}, which `hengfa train "
        "retriever` writes): that of the first token, compared by inner product"
    )


def open_reranker(folder: Path) -> CrossEncoder:
    from hengfa.train.retrieval.neural import CrossEncoder  # noqa: PLC0415 - likewise

    return CrossEncoder.open(folder)


def reading(folder: Path) -> Reading:
    """Reading hits again, as work for an executor."""
    from hengfa.train.retrieval.neural import Reranking  # noqa: PLC0415 - likewise

    return Reranking(folder)
