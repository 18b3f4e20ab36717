"""How the commands of `hengfa retrieve` open an index: its encoder, approximately, reranked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hengfa.errors import UsageError

if TYPE_CHECKING:
    from hengfa.retrieval.methods import Fields
    from hengfa.retrieval.neural.reranker import CrossEncoder
    from hengfa.retrieval.opening import Searcher

Function = TypeVar("Function", bound=Callable[..., Any])
FOLDER = click.Path(file_okay=False, path_type=Path)
FIELDS = click.Choice(["text", "name+text"])

_OPTIONS = (
    click.option(
        "--encoder",
        type=FOLDER,
        metavar="DIR",
        help="Where the encoder of an index of vectors lies now, if it has moved.",
    ),
    click.option(
        "--approximate",
        is_flag=True,
        help="Search vectors by a graph, which is made the first time: for a million, not for "
        'some thousand (pip install "hengfa[dense]").',
    ),
    click.option(
        "--rerank",
        type=FOLDER,
        metavar="DIR",
        help="Let this reranker order the first hits anew; the others follow as they were.",
    ),
    click.option(
        "--rerank-depth",
        type=click.IntRange(1, 10_000),
        default=50,
        show_default=True,
        metavar="N",
        help="How many hits it reads.",
    ),
    click.option(
        "--rerank-fields",
        type=FIELDS,
        default="name+text",
        show_default=True,
        help="What of a hit it reads: as it was trained.",
    ),
)


def neural_options(function: Function) -> Function:
    """The options of which :class:`Neural` is made."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@dataclass(frozen=True)
class Neural:
    """What a call says about encoder and reranker."""

    encoder: Path | None
    approximate: bool
    rerank: Path | None
    rerank_depth: int
    rerank_fields: Fields

    def check(self, indexes: Sequence[Path]) -> None:
        """Refuse options that none of these indexes has a use for."""
        from hengfa.retrieval.opening import holds_vectors  # noqa: PLC0415 - numpy

        named = [
            name
            for name, given in (("--encoder", self.encoder), ("--approximate", self.approximate))
            if given
        ]
        if named and not any(map(holds_vectors, indexes)):
            raise UsageError(f"{named[0]} is for an index of vectors: there is none here")

    def open(self, folder: Path) -> Searcher:
        """The index in this folder, whichever kind it is."""
        from hengfa.report.terminal.console import counting  # noqa: PLC0415 - rich
        from hengfa.retrieval.opening import open_index  # noqa: PLC0415 - numpy

        with counting(f"opening {folder.name}") as watch:
            return open_index(
                folder, encoder=self.encoder, approximate=self.approximate, watch=watch
            )

    def reranker(self) -> CrossEncoder | None:
        """The reranker that is named, if one is."""
        if self.rerank is None:
            return None
        from hengfa.report.terminal.console import counting  # noqa: PLC0415 - rich
        from hengfa.retrieval.neural.reranker import CrossEncoder  # noqa: PLC0415 - numpy

        with counting(f"opening {self.rerank.name}"):
            return CrossEncoder.open(self.rerank)

    def reranked(self, index: Searcher, reranker: CrossEncoder | None) -> Searcher:
        """The index with that reranker behind it."""
        from hengfa.retrieval.opening import Reranked  # noqa: PLC0415 - numpy

        if reranker is None:
            return index
        return Reranked(index, reranker, self.rerank_depth, self.rerank_fields)
