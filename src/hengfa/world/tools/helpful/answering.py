"""Observations as JSON, and the arguments of a call as typed values."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from hengfa.data.jsonfile import problem_and_field
from hengfa.world.tools.observation import Observation, Status
from hengfa.world.world import Cell

Arguments = TypeVar("Arguments")

LONGEST_ECHO = 80


class Refused(Exception):
    """The call cannot be answered; carries what the agent is told."""

    def __init__(self, observation: Observation) -> None:
        super().__init__(observation.text)
        self.observation = observation


def said(
    value: Any,
    status: Status = Status.OK,
    *,
    rows: tuple[dict[str, Cell], ...] = (),
    unobserved: int = 0,
) -> Observation:
    """An observation whose text is this value as JSON."""
    text = msgspec.json.encode(value).decode()
    return Observation(text, status, rows=rows, value=value, unobserved=unobserved)


def refused(status: Status, message: str, **more: Any) -> Observation:
    """An error that says what is wrong and what would be right."""
    return said({"error": status.value, "message": message, **more}, status)


def read(arguments: Any, kind: type[Arguments]) -> Arguments:
    """The arguments as this type; what does not fit is refused with its name."""
    try:
        return msgspec.convert(arguments, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        problem, field = problem_and_field(str(error))
        at = f"参数{field}：" if field else ""
        raise Refused(refused(Status.BAD_ARGUMENTS, f"{at}{echo(problem)}")) from error
    except UnicodeEncodeError as error:
        raise Refused(refused(Status.BAD_ARGUMENTS, "参数中有不完整的字符")) from error


def echo(text: str) -> str:
    """What the caller wrote, short, and without what cannot be written as JSON."""
    short = text if len(text) <= LONGEST_ECHO else text[:LONGEST_ECHO] + "…"
    return short.encode("utf-8", "replace").decode()
