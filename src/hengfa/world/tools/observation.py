"""What a tool call gives back: the text for the agent, and what it means for us."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

import msgspec

from hengfa.world.world import Cell

# The texts of the published tools, to the letter (specification, section 3).
NO_DATA: Final = "No data found for the specified identifier."
BAD_COLUMN: Final = "One or more specified columns do not exist."
BAD_CALL: Final = "工具调用发生错误, 请检查传入工具的参数是否正确!"
NOT_RETRIEVED: Final = "检索时发生错误！"
NOT_CALCULATED: Final = "{}时发生错误，请检查参数格式！"
DIVIDED_BY_ZERO: Final = "除法时发生错误，除数不能为零！"


class Status(StrEnum):
    """How a call ended; error profiles count these."""

    OK = "ok"
    NO_DATA = "no data"
    BAD_COLUMN = "bad column"
    BAD_ARGUMENTS = "bad arguments"
    UNKNOWN_TOOL = "unknown tool"
    RETRIEVAL_ERROR = "retrieval error"
    UNAVAILABLE = "unavailable"  # a remote service gave no answer


class Observation(msgspec.Struct, frozen=True):
    """The result of one call.

    `text` is all that the agent sees. `rows` are the rows in it with the cells as they are stored
    (None for a blank), `value` what else was returned: a number, a list of texts. `unobserved`
    counts the cells that were answered as null only because no published run ever showed them.
    """

    text: str
    status: Status = Status.OK
    rows: tuple[dict[str, Cell], ...] = ()
    value: Any = None
    unobserved: int = 0
