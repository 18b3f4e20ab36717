"""Long observations cut to what a model can use, with how many there are and how to get the rest.

Published agents put lists of several hundred documents into the prompt and lost tasks to it
(specification, 7.11).
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from hengfa.world.tools.observation import Observation

MOST: Final = 6_000
_ROOM: Final = 400  # for counts and advice
_LISTS: Final = ("rows", "texts", "groups")


def shortened(seen: Observation, most: int = MOST) -> str:
    """The text of an observation, at most about so many characters."""
    if len(seen.text) <= most:
        return seen.text
    if isinstance(seen.value, dict):
        for name in _LISTS:
            if isinstance(items := seen.value.get(name), list) and len(items) > 1:
                return _part(seen.value, name, items, most)
    return _head(seen.text, most)


def _part(value: dict[str, Any], name: str, items: list[Any], most: int) -> str:
    """As many items of a list as fit, at least one."""
    left = most - _ROOM
    shown: list[Any] = []
    for item in items:
        left -= len(_json(item))
        if left < 0 and shown:
            break
        shown.append(item)
    offset = value.get("offset")
    start = offset if isinstance(offset, int) else 0
    total = value.get("count", len(items))
    advice = "可以用columns只取需要的列"
    more: dict[str, Any] = {}
    if name == "rows":
        more["next_offset"] = start + len(shown)
        advice = f"用offset={start + len(shown)}看后面的，{advice}，或用aggregate_rows统计"
    note = f"共{total}条，因篇幅只显示其中{len(shown)}条；{advice}"
    text = _json({**value, name: shown, **more, "note": note})
    return text if len(text) <= most + _ROOM else _head(text, most)


def _head(text: str, most: int) -> str:
    return f"{text[:most]}……（全长{len(text)}字，因篇幅只显示开头；可以用columns只取需要的列）"


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
