"""Marks as text: every item with its points, its evidence and what is the matter with it."""

from __future__ import annotations

from collections.abc import Iterator

from hengfa.grading.marks import ItemMark, Mark
from hengfa.grading.submission import Submission

_LONGEST = 60
"""So much of an item, a reason or a quotation is shown."""


def marks_text(submission: Submission, mark: Mark) -> str:
    """`12/20` in all, then section by section; evidence is cut from the response itself."""
    band = f" to {mark.lenient:g}" if mark.lenient != mark.points else ""
    evidence = f", {mark.backed:g} with evidence" if mark.backed != mark.points else ""
    lines = [f"{mark.points:g}{band}/{mark.maximum:g}{evidence}"]
    texts = {item.id: item.text for item in submission.rubric.items()}
    faults = {fault.id: fault.text for fault in submission.rubric.faults()}
    for section in mark.sections:
        lines.append(f"{section.id}  {section.points:g}/{section.maximum:g}")
        for item in section.items:
            lines.extend(_item(item, texts[item.id], submission.response))
    lines.extend(f"fault {one}: {_short(faults[one])}" for one in mark.faults)
    return "\n".join(lines)


def _item(item: ItemMark, text: str, response: str) -> Iterator[str]:
    points = "ungraded" if item.awarded is None else f"{item.points:g}"
    flags = f"  [{', '.join(item.flags)}]" if item.flags else ""
    yield f"  {item.id}  {points}/{item.maximum:g}{flags}  {_short(text)}"
    for span in item.spans:
        yield f"      “{_short(response[span.start : span.end])}”"
    if item.reason:
        yield f"      {_short(item.reason)}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
