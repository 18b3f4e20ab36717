"""What can be chosen with `--set NAME=VALUE`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from hengfa.agents.desk import Limits
from hengfa.suites.base import Chosen, SuiteOption, bert_model, one_of
from hengfa.world.remote import check_address
from hengfa.world.world import RECOVERED

WORLD, MODE, AGENT = "world", "mode", "agent"
MAX_STEPS, MAX_TOKENS, MAX_SECONDS = "max_steps", "max_tokens_per_task", "max_seconds"

AUTO: Final = "auto"
MODES: Final = ("strict", "helpful", AUTO)
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
    ),
    AGENT: SuiteOption(
        "",
        "instead of the setting's method: `module:function`, an agent of your own, which runs its "
        "code; or `endpoint`, a model that finds its tools itself",
        _agent,
    ),
    MAX_STEPS: SuiteOption(
        "",
        "steps of a task; the default is 10 for `react` and `plan-execute`, the length of the plan "
        "for `plan-solve`, 20 turns for `tools`",
        _whole(1),
    ),
    MAX_TOKENS: SuiteOption(
        "", "tokens after which only the closing texts of a task follow", _whole(1)
    ),
    MAX_SECONDS: SuiteOption(
        "", "seconds of waiting for the model after which only they follow", _whole(1)
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
