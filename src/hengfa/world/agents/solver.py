"""Who works with tools on the tasks of a suite: what can be chosen, which world, which method.

A suite whose tasks are worked on over a legal world makes one `Agents`, and gives its tasks the
solver, and its options the choices, that come with it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, Generic, TypeVar, cast, get_args

import msgspec

from hengfa.base.data.packs import folder_pack
from hengfa.base.data.paths import home
from hengfa.base.errors import UsageError
from hengfa.evals.engine.messages import Request, Response, Status, ToolCall
from hengfa.evals.engine.tokens import MOST_PER_CHARACTER
from hengfa.evals.suites.base import Chosen, Course, Rehearsal, Sample, Solve, SuiteOption, one_of
from hengfa.law.library.store import Library, default_file
from hengfa.world.agents.booth import Ask, Booth, Limits
from hengfa.world.agents.native import (
    LONGEST_OBSERVATION,
    MOST_CALLS,
    TURNS,
    Protocol,
    work_with_tools,
)
from hengfa.world.agents.plug_in import Agent, load_agent, work_with_agent
from hengfa.world.agents.published import STEPS, Loop, plan_execute, plan_solve, react, work
from hengfa.world.opening import ADDRESSES, PACK, WORLD_FILE, open_world, recovered_world
from hengfa.world.tables.importing import import_world
from hengfa.world.tables.remote import RemoteWorld, check_address
from hengfa.world.tables.schema import CORPUS_OF
from hengfa.world.tables.world import FORMAT, RECOVERED, World
from hengfa.world.tools.catalogue import FINAL_ANSWER, FINISH, Mode
from hengfa.world.tools.observation import Observation
from hengfa.world.tools.texts import Retriever, index_retrievers, indexed_in
from hengfa.world.tools.toolbox import Toolbox

# --- what an agent may say before it is asked: the shortest way to its end, and the longest ---
#
# A method that works with these replies, and with tools that only seem to answer, asks the
# questions that it would ask a model. So they can be counted; nothing is sent or looked up.

_SIGN: Final = "案"
_NOTHING: Final = "无"
_LOOKUP: Final = "get_company_info"


class SeemingTools(Toolbox):
    """The tools as a model is shown them; whatever is called, the result has the same length."""

    def __init__(self, mode: Mode, length: int, remote: RemoteWorld | None = None) -> None:
        super().__init__(remote or cast("World", None), mode)
        self._result = Observation(_SIGN * length)

    def call(self, _name: object, _arguments: Any) -> Observation:
        return self._result


def short_reply(request: Request, _longest: int) -> Response:
    """A reply that leads to the end at once."""
    kind, _ = _step(request)
    if kind == "turn":
        given = {"answer": _NOTHING, "summary": _NOTHING}
        return _reply("", ToolCall("1", FINISH, json.dumps(given, ensure_ascii=False)))
    if kind in ("solve", "action"):
        return _reply(_action(FINAL_ANSWER, _NOTHING))
    return _reply({"filter": '{"名称": ["AddrInfo"]}', "plan": _plan(1)}.get(kind, _NOTHING))


def long_reply(request: Request, longest: int, steps: int | None = None) -> Response:
    """A reply of so many tokens after which the agent goes on, as long as it may."""
    kind, number = _step(request)
    filler = _SIGN * int(longest / MOST_PER_CHARACTER)
    if kind == "turn":
        calls = (
            ToolCall(f"{number}-{place}", _LOOKUP, f'{{"identifier": "{number}-{place}"}}')
            for place in range(MOST_CALLS)
        )
        return _reply(filler, *calls)
    if kind in ("plan", "replan"):
        return _reply(_plan(steps or STEPS) + filler)
    if kind in ("solve", "action"):
        return _reply(filler + _action(_LOOKUP, {"identifier": number}))
    return _reply(filler)  # tables are named by none of it: the filter tries three times


def _step(request: Request) -> tuple[str, str]:
    """`…#thought-3` to `thought` and `3`."""
    kind, _, number = request.key.partition("#")[2].partition("-")
    return kind, number


def _plan(steps: int) -> str:
    return "\n".join(f"第{number}步: 查询" for number in range(1, steps + 1))


def _action(tool: str, given: object) -> str:
    action = json.dumps({"action": tool, "action_input": given}, ensure_ascii=False)
    return f"```json\n{action}\n```"


def _reply(text: str, *calls: ToolCall) -> Response:
    return Response(Status.ANSWERED, text=text, tool_calls=calls)


S = TypeVar("S", bound=Sample)
TOOLS: Final = "tools"
PLANNING: Final = {"plan-solve": plan_solve, "plan-execute": plan_execute}
METHODS: Final[Mapping[str, Loop]] = {"react": react, **PLANNING}
"""The published methods by the name of their setting."""

WORLD_FOLDER: Final = "world"
"""What a data folder may hold instead of a world: its tables as CSV files."""


# --- what can be chosen with `--set NAME=VALUE` ---

WORLD, MODE, AGENT, RETRIEVER = "world", "mode", "agent", "retriever"
PLANS, TOOL_LIST, TALK = "plans", "tools", "conversation"
MAX_STEPS, MAX_TOKENS, MAX_SECONDS = "max_steps", "max_tokens_per_task", "max_seconds"

AUTO: Final = "auto"
PUBLISHED, MENDED, ALL = "published", "mended", "all"
PLANNED, SINGLE = "planned", "single"
ENDPOINT: Final = "endpoint"


def _world(value: str) -> str:
    if value == RECOVERED:
        return value
    if value.startswith(ADDRESSES):
        return check_address(value)
    file = Path(value).expanduser().absolute()
    if not file.is_file():
        raise ValueError(f"{value!r} is neither {RECOVERED}, nor an address, nor a file")
    return str(file)


def _retriever(value: str) -> str:
    if not value:
        return ""
    folder = Path(value).expanduser().absolute()
    if not indexed_in(folder):
        raise ValueError(
            f"{value!r} is no folder of indexes named after collections: {', '.join(CORPUS_OF)}"
        )
    return str(folder)


def _agent(value: str) -> str:
    if value not in ("", ENDPOINT) and not all(value.partition(":")):
        raise ValueError(f"{value!r} is neither {ENDPOINT} nor module:function")
    return value


def _positive(value: str) -> str:
    if value and not (value.isascii() and value.isdecimal() and int(value) >= 1):
        raise ValueError(f"{value!r} is not a whole number of at least 1")
    return value and str(int(value))


AGENT_OPTIONS: Final[Mapping[str, SuiteOption]] = {
    WORLD: SuiteOption(
        RECOVERED,
        "`recovered`: the world that belongs to the data; or a world file; or the address of a "
        "service with the published interface",
        _world,
    ),
    MODE: SuiteOption(
        AUTO,
        "how tools answer: `strict` as published, `helpful` with typed values and advice, `auto` "
        "strict for the published methods and helpful for `tools`",
        one_of(*get_args(Mode), AUTO),
        method=True,
    ),
    RETRIEVER: SuiteOption(
        "",
        "a folder of indexes by `hengfa retrieve build`, named after the collections of texts that "
        "they search instead of BM25: `LegalArticle`, `LegalCases`, `LegalKnowledge`",
        _retriever,
        method=True,
    ),
    PLANS: SuiteOption(
        PUBLISHED,
        "how `plan-solve` and `plan-execute` read plans: `published`, which loses steps over a "
        "full-width colon or a missing blank; `mended`, whatever the colons",
        one_of(PUBLISHED, MENDED),
        method=True,
    ),
    TOOL_LIST: SuiteOption(
        PUBLISHED,
        "which tools the published methods see: `published`, those of the tables that the model "
        "chose, two of five for arithmetic, retrievers not in `plan-execute` but for writing; "
        "`all`, every one of the 37, and no tables are chosen",
        one_of(PUBLISHED, ALL),
        method=True,
    ),
    TALK: SuiteOption(
        PLANNED,
        "how `tools` talks with the model: `planned`, asks for a plan first, and for closing texts "
        "where nothing was submitted; `single`, one conversation from the question to the answer",
        one_of(PLANNED, SINGLE),
        method=True,
    ),
    AGENT: SuiteOption(
        "",
        "instead of the setting's method: `module:function`, an agent of your own, which runs its "
        "code; or `endpoint`, a model that finds its tools itself",
        _agent,
        method=True,
    ),
    MAX_STEPS: SuiteOption(
        "",
        "steps of a task; the default is 10 for `react` and `plan-execute`, the length of the plan "
        "for `plan-solve`, 20 turns for `tools`",
        _positive,
        method=True,
    ),
    MAX_TOKENS: SuiteOption(
        "", "tokens after which only the closing texts of a task follow", _positive, method=True
    ),
    MAX_SECONDS: SuiteOption(
        "", "seconds of waiting for the model after which only they follow", _positive, method=True
    ),
}


def limits_of(options: Chosen) -> Limits:
    def number(name: str) -> int | None:
        value = options.get(name, "")
        return int(value) if value else None

    return Limits(number(MAX_STEPS), number(MAX_TOKENS), number(MAX_SECONDS))


# --- who works ---


@dataclass(frozen=True)
class Agents(Generic[S]):
    """Who works with tools on the tasks of a suite: the method of a setting, or the user's agent.

    `open` opens the tools of a data folder, `tools` gives those for one sample. `retrievers` says
    whether a published method sees the retrievers; with `every_tool` it sees all there is.
    """

    open: Callable[[Path, str, Chosen], Toolbox]
    tools: Callable[[Toolbox, S], Toolbox]
    retrievers: Callable[[str, S], bool]
    every_tool: bool = False

    def solver(self, root: Path, setting: str, options: Chosen) -> Solve[S]:
        named = options.get(AGENT, "")
        if named == ENDPOINT:
            return _endpoint
        agent = load_agent(named) if named else None
        return self._solve(self.open(root, setting, options), setting, options, agent)

    def rehearsal(self, setting: str, options: Chosen) -> Rehearsal[S] | None:
        """The same with tools that only seem to answer; None for an agent of the user's own, here
        or behind the endpoint."""
        if named := options.get(AGENT):
            if named != ENDPOINT:
                load_agent(named)  # what cannot be loaded is said before anything is counted
            return None
        world, mode = options.get(WORLD, RECOVERED), mode_of(setting, options)
        remote = RemoteWorld(world) if world.startswith(ADDRESSES) else None
        limits = limits_of(options)
        most = limits.steps or (TURNS if setting == TOOLS else STEPS)
        more = f", up to {MOST_CALLS} calls in each" if setting == TOOLS else ""
        if setting == "plan-solve" and limits.steps is None:
            more = " (a plan may have more)"
        short, long = (
            self._solve(SeemingTools(mode, length, remote), setting, options)
            for length in (0, LONGEST_OBSERVATION)
        )
        return Rehearsal(
            Course(short, short_reply),
            Course(long, partial(long_reply, steps=limits.steps)),
            f"from 1 step to {most}{more}, results of tools of up to {LONGEST_OBSERVATION:,} "
            "characters, and all that was said before in every prompt",
        )

    def _solve(
        self, toolbox: Toolbox, setting: str, options: Chosen, agent: Agent | None = None
    ) -> Solve[S]:
        protocol, limits = Protocol(), limits_of(options)
        every_tool = self.every_tool or options.get(TOOL_LIST) == ALL

        async def solve(ask: Ask, sample: S, request: Request) -> Response:
            tools = self.tools(toolbox, sample)
            booth = Booth(ask, request, tools, limits)
            question = request.messages[-1].content
            if agent is not None:
                return await work_with_agent(agent, booth, question)
            if setting == TOOLS:
                single = options.get(TALK) == SINGLE
                return await work_with_tools(booth, question, protocol, single=single)
            loop, retrievers = METHODS[setting], self.retrievers(setting, sample)
            if setting in PLANNING and options.get(PLANS) == MENDED:
                loop = partial(PLANNING[setting], mended=True)
            return await work(loop, booth, question, retrievers=retrievers, every_tool=every_tool)

        return solve


async def _endpoint(ask: Ask, _sample: object, request: Request) -> Response:
    """An agent behind the endpoint: it gets the bare question, and its text is the answer."""
    return await ask(msgspec.structs.replace(request, key=f"{request.key}#answer"))


# --- over which world ---


def open_toolbox(root: Path, setting: str, options: Chosen) -> Toolbox:
    """The tools of the chosen world; opened once for all groups of tasks."""
    mode = mode_of(setting, options)
    return _toolbox(root, options.get(WORLD, RECOVERED), mode, options.get(RETRIEVER, ""))


def mode_of(setting: str, options: Chosen) -> Mode:
    chosen = options.get(MODE, AUTO)
    if chosen == AUTO:
        chosen = "helpful" if setting == TOOLS else "strict"
    return next(mode for mode in get_args(Mode) if mode == chosen)


@lru_cache(maxsize=4)
def _toolbox(root: Path, name: str, mode: Mode, retriever: str) -> Toolbox:
    world = _own_world(root) if name == RECOVERED else open_world(name)
    retrievers: dict[str, Retriever] = {}
    if retriever:
        if isinstance(world, RemoteWorld):
            raise UsageError(f"--set {RETRIEVER}: a service searches its texts by itself")
        retrievers = index_retrievers(Path(retriever), world)
    library = Library.open() if mode == "helpful" and default_file().is_file() else None
    return Toolbox(world, mode, retrievers=retrievers, library=library)


def _own_world(root: Path) -> World:
    """The world that belongs to a data folder; the recovered one where it brings none."""
    if (root / WORLD_FILE).is_file():
        return World.open(root / WORLD_FILE)
    folder = root / WORLD_FOLDER
    if not folder.is_dir():
        return recovered_world(folder_pack(PACK, root))
    digest = hashlib.blake2b(digest_size=8)  # the world is made once; other tables, another name
    for file in sorted(folder.iterdir()):
        digest.update(f"{file.name}\0".encode() + file.read_bytes())
    file = home() / "worlds" / f"imported-{digest.hexdigest()}-{FORMAT}.sqlite"
    if not file.is_file():
        import_world(folder, file)
    return World.open(file)
