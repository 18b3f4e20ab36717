"""Scoring in Label Studio: tasks and the labelling configuration out, annotations back in.

A project of Label Studio has one configuration, but every submission may have a rubric of its own.
So the configuration has numbered places, as many as the longest rubric has items, and what stands
at them comes from the data of the task, as does everything that a response could have written: the
configuration holds numbers and headings only. Tasks carry no key and no model, and come in an order
of hashes, so that scoring is blind.

On the way back the export is read that Label Studio calls JSON: tasks with ``annotations``, each
with ``completed_by``, ``was_cancelled`` and ``result``, a list of ``from_name``, ``type`` and
``value``. The submissions are needed again: what the tasks carry is blind, and it was in other
hands.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

import msgspec

from hengfa.base.data.jsonfile import read_json
from hengfa.base.errors import DataError
from hengfa.evals.grading.people.notebook import (
    Answer,
    Answers,
    FaultAnswer,
    ItemAnswer,
    NotAccepted,
    check,
    most_times,
)
from hengfa.evals.grading.people.score_table import ScoreRow, scores_of_person
from hengfa.evals.grading.rubric import Deduction, Gate, Item, Penalty
from hengfa.evals.grading.submission import Submission

_NO_ITEM: Final = "—"
_MOST_OFFERED: Final = 5  # a fault that may occur often is offered up to so many times


def label_studio_tasks(submissions: Sequence[Submission]) -> list[dict[str, Any]]:
    """What Label Studio imports, one task for each submission, in an order that tells nothing."""
    places = _longest(submissions)
    tasks = []
    for submission in sorted(submissions, key=blind_name):
        items = list(submission.rubric.items())
        data: dict[str, Any] = {
            "submission": blind_name(submission),
            "question": submission.question,
            "response": submission.response,
            "faults": [{"value": label} for label in fault_options(submission)],
        }
        for number in range(1, places + 1):
            item = items[number - 1] if number <= len(items) else None
            data[f"item_{number}"] = f"{number}. {_wording(item)}" if item else _NO_ITEM
            levels = item.levels if item else ()
            data[f"levels_{number}"] = [{"value": level.name} for level in levels]
        tasks.append({"data": data})
    return tasks


def label_studio_config(submissions: Sequence[Submission]) -> str:
    """The labelling configuration that goes with these tasks."""
    root = ET.Element("View", style="display: flex; gap: 1em")
    left = ET.SubElement(root, "View", style="flex: 1")
    ET.SubElement(left, "Header", value="题目 Question")
    ET.SubElement(left, "Text", name="question", value="$question", valueType="text")
    ET.SubElement(
        left, "Header", value="答卷 Response: 选中文字并标上项号 mark words with the item's number"
    )
    places = _longest(submissions)
    labels = ET.SubElement(left, "Labels", name="evidence", toName="response")
    for number in range(1, places + 1):
        ET.SubElement(labels, "Label", value=str(number))
    ET.SubElement(left, "Text", name="response", value="$response", valueType="text")
    right = ET.SubElement(root, "View", style="flex: 1")
    for number in range(1, places + 1):
        at = [items[number - 1] for items in _item_lists(submissions) if number <= len(items)]
        ET.SubElement(right, "Header", value=f"$item_{number}", size="5")
        if any(item.levels for item in at):
            names = {"name": f"level_{number}", "value": f"$levels_{number}"}
            choices = names | {"toName": "response", "choice": "single-radio"}
            ET.SubElement(right, "Choices", choices)
        if not all(item.levels for item in at):
            most = max(item.maximum for item in at if not item.levels)
            of = {"name": f"points_{number}", "toName": "response"}
            ET.SubElement(right, "Number", of | {"min": "0", "max": f"{most:g}", "step": "0.5"})
        of = {"name": f"comment_{number}", "toName": "response", "maxSubmissions": "1"}
        ET.SubElement(right, "TextArea", of, placeholder="批注 comment")
    if any(fault_options(submission) for submission in submissions):
        ET.SubElement(right, "Header", value="扣分 Deductions")
        of = {"name": "faults", "value": "$faults", "choice": "multiple"}
        ET.SubElement(right, "Choices", of, toName="response")
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def fault_options(submission: Submission) -> dict[str, FaultAnswer]:
    """Every way in which a fault can be ticked, by the words that are offered."""
    ways: dict[str, FaultAnswer] = {}
    for fault in submission.rubric.faults():
        name = f"[{fault.id}] {fault.text}"
        if isinstance(fault, Gate):
            says = "就得" if fault.tier else "至多剩"
            ways[f"{name}（{says} {fault.leaves:g} 分）"] = FaultAnswer(fault.id, 1)
        elif isinstance(fault, Penalty) and fault.all:
            ways[f"{name}（整份不得分）"] = FaultAnswer(fault.id, 1)
        elif isinstance(fault, Deduction) and fault.most is not None:
            for extra in range(int(fault.most - fault.points) + 1):
                points = fault.points + extra
                ways[f"{name}（扣 {points:g} 分）"] = FaultAnswer(fault.id, 1, points)
        else:
            for times in range(1, min(most_times(fault), _MOST_OFFERED) + 1):
                often = f" × {times}" if times > 1 else ""
                ways[f"{name}（扣 {fault.points:g} 分{often}）"] = FaultAnswer(fault.id, times)
    return ways


def _wording(item: Item) -> str:
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
    return [list(submission.rubric.items()) for submission in submissions]


def _longest(submissions: Sequence[Submission]) -> int:
    return max(len(items) for items in _item_lists(submissions))


class Imported(msgspec.Struct, frozen=True):
    """Rows of all annotators, and what was passed over."""

    scores: tuple[ScoreRow, ...]
    annotations: int
    cancelled: int
    repeated: int  # annotations that the same person made anew; the newest counts
    empty: int
    raters: tuple[str, ...]


class _Result(msgspec.Struct):
    from_name: str = ""
    value: dict[str, Any] = {}


class _Person(msgspec.Struct):
    id: int | str | None = None
    email: str = ""


class _Annotation(msgspec.Struct):
    result: list[_Result]
    was_cancelled: bool = False
    completed_by: int | str | _Person | None = None
    updated_at: str = ""


class _Data(msgspec.Struct):
    submission: str


class _Task(msgspec.Struct):
    data: _Data
    annotations: list[_Annotation]
    id: int | str | None = None


def read_label_studio(file: Path, submissions: Sequence[Submission]) -> Imported:
    """The scores in an export; cancelled annotations are counted, and of several the newest."""
    tasks = read_json(file, list[_Task])
    known = {blind_name(submission): submission for submission in submissions}
    newest: dict[tuple[str, str], tuple[_Annotation, str]] = {}
    annotations = cancelled = empty = 0
    for row, task in enumerate(tasks, 1):
        mark = task.data.submission
        if mark not in known:
            problem = "is of no such submission: it was exported from another file, or changed"
            raise DataError(f"{problem} since", file=file, row=row, field="data.submission")
        for annotation in task.annotations:
            annotations += 1
            if annotation.was_cancelled:
                cancelled += 1
            elif not annotation.result:
                empty += 1
            else:
                key = (mark, _rater(annotation.completed_by))
                if key not in newest or newest[key][0].updated_at <= annotation.updated_at:
                    newest[key] = annotation, f"task {task.id if task.id is not None else row}"
    scores: list[ScoreRow] = []
    for (mark, rater), (annotation, where) in newest.items():
        submission = known[mark]
        try:
            answers = _answers(annotation, submission)
        except NotAccepted as error:
            raise DataError(f"{rater}: {error}", file=file, row=where) from error
        rows = scores_of_person(submission, answers.verdict(), rater)
        scores += [row for row in rows if row.points is not None]
    repeated = annotations - cancelled - empty - len(newest)
    raters = tuple(sorted({rater for _, rater in newest}))
    return Imported(tuple(scores), annotations, cancelled, repeated, empty, raters)


def _answers(annotation: _Annotation, submission: Submission) -> Answers:
    """What the results say; each is checked as if it came from our own page."""
    items = list(submission.rubric.items())
    said: dict[str, dict[str, Any]] = {}
    answers = Answers()
    options = fault_options(submission)
    for result in annotation.result:
        kind, _, place = result.from_name.partition("_")
        if kind == "faults":
            _put_faults(answers, _words(result.value.get("choices")), options)
        elif kind == "evidence":
            for label in _words(result.value.get("labels")):
                item = _at(items, label)
                words = _quotation(result.value, submission.response)
                said.setdefault(item.id, {}).setdefault("evidence", []).append(words)
        elif kind in {"points", "level", "comment"}:
            item = _at(items, place)
            said.setdefault(item.id, {}).update(_item_value(kind, item, result.value))
    for item_id, values in said.items():
        values["evidence"] = tuple(dict.fromkeys(values.get("evidence", ())))
        answers.put(ItemAnswer(item_id, **values))
    said_of: list[Answer] = [*answers.items.values(), *answers.faults.values()]
    for answer in said_of:
        check(answer, submission)
    return answers


def _item_value(kind: str, item: Item, value: dict[str, Any]) -> dict[str, Any]:
    if kind == "comment":
        return {"comment": "\n".join(_words(value.get("text")))}
    if kind == "points":
        points = value.get("number")
        if item.levels or not isinstance(points, int | float):
            raise NotAccepted(f"{points!r} are no points for {item.id}")
        return {"points": float(points)}
    chosen = _words(value.get("choices"))
    worth = {level.name: level.points for level in item.levels}
    if len(chosen) != 1 or chosen[0] not in worth:
        raise NotAccepted(f"{chosen} is no level of {item.id}")
    return {"level": chosen[0], "points": worth[chosen[0]]}


def _put_faults(answers: Answers, chosen: Sequence[str], options: dict[str, FaultAnswer]) -> None:
    for label in chosen:
        if label not in options:
            raise NotAccepted(f"no deduction {label[:60]!r}")
        fault = options[label]
        if fault.id in answers.faults:
            raise NotAccepted(f"{fault.id} is ticked more than once")
        answers.put(fault)


def _quotation(value: dict[str, Any], response: str) -> str:
    """The marked words: by their place where they are not in the response as they stand, since
    Label Studio writes an end of line as a backslash and an n. Places count characters."""
    start, end, text = (value.get(name) for name in ("start", "end", "text"))
    if isinstance(text, str) and text in response:
        return text
    if isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(response):
        return response[start:end]
    raise NotAccepted("evidence that is not in the response")


def _at(items: Sequence[Item], place: str) -> Item:
    number = int(place) if place.isdecimal() else 0
    if not 1 <= number <= len(items):
        raise NotAccepted(f"there is no item {place[:20]!r}; the rubric has {len(items)}")
    return items[number - 1]


def _words(value: object) -> list[str]:
    """A text or a list of texts, as the versions of Label Studio write it; paths by their end."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        return []
    return [str(word[-1]) if isinstance(word, list) and word else str(word) for word in value]


def _rater(completed_by: int | str | _Person | None) -> str:
    if isinstance(completed_by, _Person):
        return completed_by.email or f"annotator {completed_by.id}"
    if isinstance(completed_by, int):
        return f"annotator {completed_by}"
    return completed_by or "annotator"
