"""What a tool call gives back: the text for the agent, and what it means for us.

In helpful mode the text is JSON (`observe`, `refusal_of`), and arguments are read as typed values.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, TypeVar, get_args

import msgspec

from hengfa.base.data.jsonfile import problem_and_field
from hengfa.world.tables.world import Cell

# The texts of the published tools, to the letter (legalagentbench.md 3).
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


Arguments = TypeVar("Arguments")
_LONGEST_ECHO = 80


class RefusedCall(Exception):
    """The call cannot be answered; carries what the agent is told."""

    def __init__(self, status: Status, message: str, **more: Any) -> None:
        super().__init__(message)
        self.observation = refusal_of(status, message, **more)


def observe(
    value: Any,
    status: Status = Status.OK,
    *,
    rows: tuple[dict[str, Cell], ...] = (),
    unobserved: int = 0,
) -> Observation:
    """An observation whose text is this value as JSON."""
    text = msgspec.json.encode(value).decode()
    return Observation(text, status, rows=rows, value=value, unobserved=unobserved)


def refusal_of(status: Status, message: str, **more: Any) -> Observation:
    """An error that says what is wrong and what would be right."""
    return observe({"error": status.value, "message": message, **more}, status)


def read(arguments: Any, kind: type[Arguments]) -> Arguments:
    """The arguments as this type; what does not fit is refused with its name."""
    try:
        return msgspec.convert(arguments, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        problem, field = problem_and_field(str(error))
        at = f"参数{field}：" if field else ""
        raise RefusedCall(
            Status.BAD_ARGUMENTS, f"{at}{echo(problem)}", fields=_fields(kind, field or "")
        ) from error
    except UnicodeEncodeError as error:
        raise RefusedCall(Status.BAD_ARGUMENTS, "参数中有不完整的字符") from error


def _fields(kind: type, place: str) -> list[str]:
    """The names that there are at a place: at `where[0].colum` those of a condition."""
    within, listed, _ = place.partition("[")
    inner = [
        inside
        for field in msgspec.structs.fields(kind)
        if listed and field.name == within
        for inside in get_args(field.type)
        if isinstance(inside, type) and issubclass(inside, msgspec.Struct)
    ]
    return [field.encode_name for field in msgspec.structs.fields((*inner, kind)[0])]


def echo(text: str) -> str:
    """What the caller wrote, short, and without what cannot be written as JSON."""
    short = text if len(text) <= _LONGEST_ECHO else text[:_LONGEST_ECHO] + "…"
    return short.encode("utf-8", "replace").decode()
