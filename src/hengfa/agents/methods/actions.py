"""The action in a reply of the published text protocol (specification, 4.2).

The first block fenced as json counts. In it single quotes become double and ASCII parentheses
full-width before it is parsed: this rescues case numbers and ruins apostrophes, and belongs to the
published agents. Where that fails, one older form is tried, the name of a tool and a fenced call.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

from hengfa.agents.methods.python_call import NoCall, read_call
from hengfa.agents.methods.texts import clean, shallow
from hengfa.world.lookups import LOOKUP_OF
from hengfa.world.tools.catalogue import FINAL_ANSWER, FINISH

MOST_COLUMNS: Final = 5

# "```json {…} ```" over several lines; not "``` {…} ```"
_JSON_BLOCK: Final = re.compile(r"```json(.*?)```", re.DOTALL)
# The last word before a fence: "get_sum" in "行动：get_sum\n"; not "get_sum" in "get_sum。"
_NAME_BEFORE: Final = re.compile(r"([A-Za-z_]\w{0,79})[：:\s]*$")
_FENCE: Final = "```"
_NAME_REACH: Final = 120  # the name stands that near to the fence
_LIKE_JSON: Final = str.maketrans({"'": '"', "(": "（", ")": "）"})
_ANY_TOOL: Final = "tool_call"  # the callee of the older form, which has the name before the fence


class Action(NamedTuple):
    """A tool that the model wants called; the input is what it wrote, of any shape."""

    tool: str
    given: Any

    @property
    def final(self) -> bool:
        """Whether this is the answer."""
        return self.tool in (FINAL_ANSWER, FINISH)

    @property
    def answer(self) -> str:
        """The text of a final answer."""
        given = self.given
        if isinstance(given, dict):
            given = given.get("answer") or next(iter(given.values()), "")
        return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def read_action(reply: str) -> Action | None:
    """The action in a reply; None where there is none that can be read."""
    text = clean(reply)
    return _from_json(text) or _from_call(text)


def _from_json(text: str) -> Action | None:
    block = _JSON_BLOCK.search(text)
    if block is None:
        return None
    try:
        found = json.loads(block[1].translate(_LIKE_JSON))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not shallow(found):
        return None
    tool = found.get("action")
    return _normal(tool, found.get("action_input", {})) if isinstance(tool, str) else None


def _from_call(text: str) -> Action | None:
    """By hand rather than by one pattern, which would take long over a long text of blanks."""
    start = text.find(_FENCE)
    end = text.find(_FENCE, start + len(_FENCE))
    if start < 0 or end < 0:
        return None
    try:
        call = read_call(text[start + len(_FENCE) : end].strip().removeprefix("python"))
    except NoCall:
        return None
    before = _NAME_BEFORE.search(text[max(0, start - _NAME_REACH) : start])
    name = call.name
    if name == _ANY_TOOL:
        if before is None:
            return None
        name = before[1]
    given = dict(zip(_places(name), call.by_place, strict=False)) | call.by_name
    return _normal(name, given)


def _places(tool: str) -> tuple[str, ...]:
    lookup = LOOKUP_OF.get(tool)
    return (*lookup.arguments, "columns") if lookup else ("identifier",)


def _normal(tool: str, given: Any) -> Action:
    """Columns that are missing, or more than five, are all columns."""
    tool = tool.strip()
    if tool in LOOKUP_OF and isinstance(given, dict):
        columns = given.get("columns") or []
        many = isinstance(columns, list) and len(columns) > MOST_COLUMNS
        given = {**given, "columns": [] if many else columns}
    return Action(tool, given)
