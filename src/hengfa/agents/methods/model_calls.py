"""The tool calls in a reply: native ones, or calls that a model wrote into its text.

Servers without a parser for a model's own format, and models that were not trained for functions,
leave calls in the text: in fenced blocks, between <tool_call> tags, or as the whole reply. They are
read as they are meant, so that a model is not judged by its server's settings.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

from hengfa.agents.methods.texts import clean, shallow
from hengfa.engine.messages import Response
from hengfa.world.tools.catalogue import FINAL_ANSWER, FINISH

LONGEST: Final = 100_000

# "```json {…}```", "```{…}```", "<tool_call>{…}</tool_call>"; not a fence that never closes
_BLOCK: Final = re.compile(
    r"```(?:json|tool_call)?\s?(?P<fenced>[^`]*)```|<tool_call>(?P<tagged>[^<]*)</tool_call>"
)
_NAMES: Final = ("action", "name", "tool", "tool_name")
_INPUTS: Final = ("action_input", "arguments", "parameters", "args", "input")


class AskedCall(NamedTuple):
    """A call that a model wants made; arguments that cannot be read are None."""

    id: str
    tool: str
    arguments: Any


def read_calls(response: Response) -> tuple[AskedCall, ...]:
    """All calls in a reply, those made natively before any in the text."""
    native = tuple(
        AskedCall(call.id, _tool(call.name), read_arguments(call.arguments))
        for call in response.tool_calls
    )
    return native or calls_in_text(response.text)


def calls_in_text(text: str) -> tuple[AskedCall, ...]:
    """The calls that stand in a text."""
    text = clean(text[:LONGEST])
    parts = [one["fenced"] or one["tagged"] or "" for one in _BLOCK.finditer(text)] or [text]
    found = [call for part in parts for call in _calls(_decoded(part))]
    return tuple(AskedCall(f"text_{place}", *call) for place, call in enumerate(found))


def read_arguments(text: str) -> Any:
    """The arguments of a call: an object, also one that was put into quotes; else None."""
    found = _decoded(text) if text.strip() else {}
    if isinstance(found, str):
        found = _decoded(found)
    return found if isinstance(found, dict) else None


def _calls(found: Any) -> list[tuple[str, Any]]:
    """A call is an object with the name of a tool and its input; a list may hold several."""
    calls = []
    for one in found if isinstance(found, list) else [found]:
        if not isinstance(one, dict):
            continue
        inner = one.get("function")
        holder = inner if isinstance(inner, dict) else one
        name = next((holder[key] for key in _NAMES if isinstance(holder.get(key), str)), None)
        given = [holder[key] for key in _INPUTS if key in holder]
        if name is not None and given:
            calls.append((_tool(name), _input(_tool(name), given[0])))
    return calls


def _input(tool: str, given: Any) -> Any:
    if isinstance(given, str):
        decoded = read_arguments(given)
        if decoded is not None and given.strip():
            return decoded
        return {"answer" if tool == FINISH else "identifier": given}
    return given if isinstance(given, dict) else None


def _tool(name: str) -> str:
    """`functions.get_sum` and `Final Answer` are other spellings of a tool."""
    name = clean(name).strip().rpartition(".")[2][:100]
    return FINISH if name.lower() == FINAL_ANSWER.lower() else name


def _decoded(text: str) -> Any:
    """JSON, also JSON with Python's quotes; None for anything else or for what nests absurdly."""
    for form in (text, text.replace("'", '"')):
        try:
            found = json.loads(clean(form), strict=False)
        except (ValueError, RecursionError):
            continue
        return found if shallow(found) else None
    return None
