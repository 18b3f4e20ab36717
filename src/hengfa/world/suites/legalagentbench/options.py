"""What can be chosen with `--set NAME=VALUE`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from hengfa.evals.suites.base import Chosen, SuiteOption, bert_model, one_of
from hengfa.world.agents.desk import Limits
from hengfa.world.tables.remote import check_address
from hengfa.world.tables.schema import CORPUS_OF
from hengfa.world.tables.world import RECOVERED
from hengfa.world.tools.texts import indexed_in

WORLD, MODE, AGENT, RETRIEVER = "world", "mode", "agent", "retriever"
PLANS, TOOL_LIST, TALK = "plans", "tools", "conversation"
MAX_STEPS, MAX_TOKENS, MAX_SECONDS = "max_steps", "max_tokens_per_task", "max_seconds"

AUTO: Final = "auto"
MODES: Final = ("strict", "helpful", AUTO)
PUBLISHED, MENDED, ALL = "published", "mended", "all"
PLANNED, SINGLE = "planned", "single"
ENDPOINT: Final = "endpoint"
ADDRESSES: Final = ("http://", "https://")


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


def _whole(least: int) -> Callable[[str], str]:
    def check(value: str) -> str:
        if value and not (value.isascii() and value.isdecimal() and int(value) >= least):
            raise ValueError(f"{value!r} is not a whole number of at least {least}")
        return value and str(int(value))

    return check


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
        one_of(*MODES),
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
        _whole(1),
        method=True,
    ),
    MAX_TOKENS: SuiteOption(
        "", "tokens after which only the closing texts of a task follow", _whole(1), method=True
    ),
    MAX_SECONDS: SuiteOption(
        "",
        "seconds of waiting for the model after which only they follow",
        _whole(1),
        method=True,
    ),
}


def limits_of(options: Chosen) -> Limits:
    """The limits that were chosen."""

    def number(name: str) -> int | None:
        value = options.get(name, "")
        return int(value) if value else None

    return Limits(number(MAX_STEPS), number(MAX_TOKENS), number(MAX_SECONDS))


BERTSCORE = "bertscore"

OPTIONS: Mapping[str, SuiteOption] = {
    BERTSCORE: SuiteOption(
        "",
        "the folder of a BERT model: adds the metric `bertscore`, of the answer against the "
        "reference (extra `bertscore`)",
        bert_model,
        scoring=True,
    ),
    **AGENT_OPTIONS,
}
