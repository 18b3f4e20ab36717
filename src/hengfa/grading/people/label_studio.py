"""Scoring in Label Studio, on the way out: tasks and the labelling configuration for them.

A project of Label Studio has one configuration, but every submission may have a rubric of its own.
So the configuration has numbered places, as many as the longest rubric has items, and what stands
at them comes from the data of the task, as does everything that a response could have written: the
configuration holds numbers and headings only. Tasks carry no key and no model, and come in an order
of hashes, so that scoring is blind.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Final
from xml.etree import ElementTree as ET

import msgspec

from hengfa.grading.people.expert_page.answers import FaultAnswer, most_times
from hengfa.grading.rubric import Deduction, Gate, Item, Penalty
from hengfa.grading.submission import Submission

_NO_ITEM: Final = "—"
_MOST_OFFERED: Final = 5
"""A fault that may occur often is offered up to so many times."""


def label_studio_tasks(submissions: Sequence[Submission]) -> list[dict[str, Any]]:
    """What Label Studio imports, one task for each submission, in an order that tells nothing."""
    places = _longest(submissions)
    tasks = []
    for one in sorted(submissions, key=blind_name):
        items = list(one.rubric.items())
        data: dict[str, Any] = {
            "submission": blind_name(one),
            "question": one.question,
            "response": one.response,
            "faults": [{"value": label} for label in fault_options(one)],
        }
        for number in range(1, places + 1):
            item = items[number - 1] if number <= len(items) else None
            data[f"item_{number}"] = _shown(item) if item else _NO_ITEM
            levels = item.levels if item else ()
            data[f"levels_{number}"] = [{"value": level.name} for level in levels]
        tasks.append({"data": data})
    return tasks


def label_studio_config(submissions: Sequence[Submission]) -> str:
    """The labelling configuration that goes with these tasks."""
    root = ET.Element("View", style="display: flex; gap: 1em")
    left = ET.SubElement(root, "View", style="flex: 1")
    _element(left, "Header", value="题目 Question")
    _element(left, "Text", name="question", value="$question", valueType="text")
    _element(
        left, "Header", value="答卷 Response: 选中文字并标上项号 mark words with the item's number"
    )
    places = _longest(submissions)
    labels = _element(left, "Labels", name="evidence", toName="response")
    for number in range(1, places + 1):
        _element(labels, "Label", value=str(number))
    _element(left, "Text", name="response", value="$response", valueType="text")
    right = ET.SubElement(root, "View", style="flex: 1")
    for number in range(1, places + 1):
        at = [items[number - 1] for items in _item_lists(submissions) if number <= len(items)]
        _element(right, "Header", value=f"$item_{number}", size="5")
        if any(item.levels for item in at):
            choices = {"name": f"level_{number}", "value": f"$levels_{number}"}
            _element(right, "Choices", **choices, toName="response", choice="single-radio")
        if not all(item.levels for item in at):
            most = max(item.maximum for item in at if not item.levels)
            limits = {"min": "0", "max": f"{most:g}", "step": "0.5"}
            _element(right, "Number", name=f"points_{number}", toName="response", **limits)
        _element(
            right,
            "TextArea",
            name=f"comment_{number}",
            toName="response",
            maxSubmissions="1",
            placeholder="批注 comment",
        )
    if any(fault_options(one) for one in submissions):
        _element(right, "Header", value="扣分 Deductions")
        choices = {"name": "faults", "value": "$faults", "choice": "multiple"}
        _element(right, "Choices", **choices, toName="response")
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def fault_options(submission: Submission) -> dict[str, FaultAnswer]:
    """Every way in which a fault can be ticked, by the words that are offered."""
    return {label: answer for fault in submission.rubric.faults() for label, answer in _ways(fault)}


def _ways(fault: Deduction | Gate | Penalty) -> Iterator[tuple[str, FaultAnswer]]:
    name = f"[{fault.id}] {fault.text}"
    if isinstance(fault, Gate):
        yield f"{name}（至多剩 {fault.leaves:g} 分）", FaultAnswer(fault.id, 1)
    elif isinstance(fault, Penalty) and fault.all:
        yield f"{name}（整份不得分）", FaultAnswer(fault.id, 1)
    elif isinstance(fault, Deduction) and fault.most is not None:
        for extra in range(int(fault.most - fault.points) + 1):
            points = fault.points + extra
            yield f"{name}（扣 {points:g} 分）", FaultAnswer(fault.id, 1, points)
    else:
        for times in range(1, min(most_times(fault), _MOST_OFFERED) + 1):
            often = f" × {times}" if times > 1 else ""
            yield f"{name}（扣 {fault.points:g} 分{often}）", FaultAnswer(fault.id, times)


def _shown(item: Item) -> str:
    parts = [f"{item.text}（满分 {item.maximum:g}）"]
    if item.levels:
        parts.append("、".join(f"{level.name} {level.points:g}" for level in item.levels))
    parts += [f"· {element}" for element in item.elements]
    parts += [f"可替代：{other}" for other in item.alternatives]
    return "\n".join(parts)


def blind_name(submission: Submission) -> str:
    """A name that does not tell whose response it is, and changes when the response does."""
    seen = (submission.key, submission.response, submission.rubric)
    return hashlib.sha256(msgspec.json.encode(seen)).hexdigest()[:16]


def _item_lists(submissions: Sequence[Submission]) -> list[list[Item]]:
    return [list(one.rubric.items()) for one in submissions]


def _longest(submissions: Sequence[Submission]) -> int:
    return max(len(items) for items in _item_lists(submissions))


def _element(parent: ET.Element, tag: str, **attributes: str) -> ET.Element:
    return ET.SubElement(parent, tag, attributes)
