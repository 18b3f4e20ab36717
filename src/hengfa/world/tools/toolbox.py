"""All tools over one world: offered to a model, and called by name.

`strict` answers as the published environment did, to the byte; `helpful` answers as a good one
would. No arguments, however hostile, raise an error or reach the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import cached_property, partial
from typing import Any, Final

import msgspec

from hengfa.base.data.jsonfile import decode_json
from hengfa.evals.engine.messages import ToolCall, ToolSpec
from hengfa.law.library import Library
from hengfa.world.tables.remote import RemoteFailure, RemoteWorld
from hengfa.world.tables.schema import ARTICLES, LOOKUP_OF, PUBLISHED, Schema
from hengfa.world.tables.world import World
from hengfa.world.tools.arithmetic import HELPFUL_ARITHMETIC, STRICT_ARITHMETIC
from hengfa.world.tools.catalogue import FINAL_ANSWER, FINISH, Mode, Tool, tools_in
from hengfa.world.tools.lookups import (
    BAD_CALL_SEEN,
    aggregate_rows,
    filter_rows,
    helpful_look_up,
    strict_look_up,
)
from hengfa.world.tools.observation import (
    BAD_CALL,
    BAD_COLUMN,
    NO_DATA,
    NOT_RETRIEVED,
    Observation,
    RefusedCall,
    Status,
    echo,
    observe,
    refusal_of,
)
from hengfa.world.tools.parsing import parse_address, parse_case_number
from hengfa.world.tools.texts import (
    CORPUS_OF_TOOL,
    Provisions,
    Retriever,
    Searcher,
    get_statute,
    retrieve,
)

STATUS_OF_TEXT: Final = {
    NO_DATA: Status.NO_DATA,
    BAD_COLUMN: Status.BAD_COLUMN,
    BAD_CALL: Status.BAD_ARGUMENTS,
    NOT_RETRIEVED: Status.RETRIEVAL_ERROR,
}

Call = Callable[[Any], Observation]


class Toolbox:
    """The tools of a world in one mode. `retrievers` replaces the search by words for the
    collections it names. `library` answers `get_statute` where the world's own texts do not."""

    def __init__(
        self,
        world: World | RemoteWorld,
        mode: Mode = "strict",
        *,
        retrievers: Mapping[str, Retriever] | None = None,
        library: Library | None = None,
    ) -> None:
        self.world = world
        self.mode: Mode = mode
        self._retrievers = retrievers
        self._library = library
        self.schema: Schema = world.schema if isinstance(world, World) else PUBLISHED
        self._tools = {tool.name: tool for tool in tools_in(mode, self.schema)}
        self._calls = self._all_calls()

    def with_tools(self, more: Iterable[tuple[Tool, Call]]) -> Toolbox:
        """The same tools and some more, such as those that read the file of one matter."""
        more = tuple(more)
        other = copy(self)
        other._tools = {**{tool.name: tool for tool, _ in more}, **self._tools}
        other._calls = {**self._calls, **{tool.name: call for tool, call in more}}
        return other

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tools in this mode."""
        return tuple(name for name in self._tools if name in self._calls)

    def specs(self, names: Iterable[str] | None = None) -> tuple[ToolSpec, ...]:
        """The tools, or some of them, as functions that a model can call."""
        return tuple(tool.spec(self.mode) for tool in self._select(names))

    def described(self, names: Iterable[str] | None = None) -> str:
        """The tools, or some of them, as text: one a line."""
        return "\n".join(tool.line(self.mode) for tool in self._select(names))

    def _select(self, names: Iterable[str] | None) -> list[Tool]:
        return [self._tools[name] for name in (self.names if names is None else names)]

    def call(self, name: object, arguments: Any) -> Observation:
        """Call a tool; whatever is given, the answer is an observation."""
        wanted = self._calls.get(name) if isinstance(name, str) else None
        if wanted is not None:
            try:
                return wanted(arguments)
            except RefusedCall as refusal:
                return refusal.observation
        if self.mode == "strict":
            return Observation(BAD_CALL, Status.UNKNOWN_TOOL)
        shown = echo(name) if isinstance(name, str) else type(name).__name__
        problem = f"没有“{shown}”这个工具"
        return refusal_of(Status.UNKNOWN_TOOL, problem, tools=self.names)

    def run(self, call: ToolCall) -> Observation:
        """Answer what a model wrote as a function call."""
        try:
            arguments = decode_json(call.arguments or "{}")
        except msgspec.DecodeError as error:
            if self.mode == "strict":
                return BAD_CALL_SEEN
            return refusal_of(Status.BAD_ARGUMENTS, f"参数不是JSON：{echo(str(error))}")
        return self.call(call.name, arguments)

    def _all_calls(self) -> dict[str, Call]:
        world, strict = self.world, self.mode == "strict"
        calls: dict[str, Call] = {
            **(STRICT_ARITHMETIC if strict else HELPFUL_ARITHMETIC),
            FINISH: _finish,
            FINAL_ANSWER: _finish,
        }
        if isinstance(world, RemoteWorld):
            return calls | {name: partial(_remote, world, name, self.mode) for name in _REMOTE}
        look_up = strict_look_up if strict else helpful_look_up
        for name, lookup in self.schema.lookup_of.items():
            calls[name] = partial(look_up, world, lookup)
        for name in CORPUS_OF_TOOL:
            search = partial(retrieve, self._searcher) if strict else self._retrieve
            calls[name] = partial(search, name)
        if strict:
            return calls
        return calls | {
            "filter_rows": partial(filter_rows, world),
            "aggregate_rows": partial(aggregate_rows, world),
            "parse_case_number": partial(parse_case_number, world),
            "parse_address": partial(parse_address, world),
            "get_statute": lambda given: get_statute(self._provisions, self._library, given),
        }

    @cached_property
    def _searcher(self) -> Searcher:
        if isinstance(self.world, RemoteWorld):  # pragma: no cover - a service searches by itself
            raise AssertionError(self.world)
        return Searcher(self.world, self._retrievers)

    @cached_property
    def _provisions(self) -> Provisions:
        return Provisions(self._searcher.texts(ARTICLES))

    def _retrieve(self, name: str, arguments: Any) -> Observation:
        """A search as JSON; provisions that the query names come first."""
        retrieved = retrieve(self._searcher, name, arguments)
        if retrieved.status is Status.RETRIEVAL_ERROR:
            return refusal_of(retrieved.status, "检索失败：identifier须为文字，k须为正整数")
        texts = retrieved.value
        if CORPUS_OF_TOOL[name][0] == ARTICLES:
            query = arguments["identifier"] if isinstance(arguments, dict) else arguments
            cited = self._provisions.cited_in(query)
            texts = list(dict.fromkeys([*cited, *texts]))[: max(len(texts), len(cited))]
        return observe({"texts": texts}, Status.OK if texts else Status.NO_DATA)


_REMOTE: Final = (*LOOKUP_OF, *CORPUS_OF_TOOL)  # the tools that a service answers


def _remote(world: RemoteWorld, name: str, mode: Mode, arguments: Any) -> Observation:
    """The answer of a service, as the published agents saw it or as JSON."""
    try:
        value = world.call(name, arguments)
    except RemoteFailure:
        failed = Status.UNAVAILABLE
        return Observation(BAD_CALL, failed) if mode == "strict" else refusal_of(failed, BAD_CALL)
    status = STATUS_OF_TEXT.get(value, Status.OK) if isinstance(value, str) else Status.OK
    if mode == "helpful" and status is not Status.OK:
        return refusal_of(status, str(value))
    listed = value if isinstance(value, list) else [value]
    rows = tuple(row for row in listed if isinstance(row, dict))
    if mode == "helpful":
        return observe(value, rows=rows)
    return Observation(str(value), status, rows=rows, value=value)


def _finish(arguments: Any) -> Observation:
    """The answer itself; the agent's loop ends when it sees this tool called."""
    answer = arguments.get("answer") if isinstance(arguments, dict) else arguments
    return Observation(answer, value=answer) if isinstance(answer, str) else BAD_CALL_SEEN
