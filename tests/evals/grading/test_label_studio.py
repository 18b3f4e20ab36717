"""Label Studio: what goes out is blind and plain text, what comes back is what was scored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest

from hengfa.base.errors import DataError
from hengfa.evals.grading.people.label_studio import (
    Imported,
    fault_options,
    label_studio_config,
    label_studio_tasks,
    read_label_studio,
)
from hengfa.evals.grading.rubric import Gate, Item, Rubric, Section
from hengfa.evals.grading.submission import Submission
from tests.evals.grading.scored_by_people import ANSWER, HOSTILE, RUBRIC, submissions

SHORT = Submission(
    "other/1", "问", "答", Rubric("r", 3, (Section("s", "唯一", 3, (Item("only", "一项", 3),)),))
)


def task_of(response: str) -> dict[str, Any]:
    tasks = label_studio_tasks([*submissions(), SHORT])
    return next(one for one in tasks if one["data"]["response"] == response)


def result(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"id": "x1", "from_name": name, "to_name": "response", "type": kind, "value": value}


def read(tmp_path: Path, *tasks: dict[str, Any]) -> Imported:
    file = tmp_path / "export.json"
    file.write_text(json.dumps(list(tasks), ensure_ascii=False), "utf-8")
    return read_label_studio(file, [*submissions(), SHORT])


def annotated(
    task: dict[str, Any], *results: dict[str, Any], by: Any = 7, **more: Any
) -> dict[str, Any]:
    """The task as it comes back, with what Label Studio adds."""
    annotation = {"id": 1, "result": list(results), "completed_by": by, "was_cancelled": False}
    annotation |= {"updated_at": "2026-01-01T00:00:00Z", "lead_time": 4.2, **more}
    return {"id": 11, "project": 3, **task, "annotations": [annotation], "predictions": []}


def test_tasks_are_blind_and_carry_the_text_as_it_is() -> None:
    tasks = label_studio_tasks(submissions())
    written = json.dumps(tasks)
    assert "model-" not in written
    assert "plawbench" not in written
    assert {task["data"]["response"] for task in tasks} == {one.response for one in submissions()}
    assert tasks == label_studio_tasks(submissions()[::-1])


def test_the_configuration_names_every_place_and_only_fields_that_tasks_have() -> None:
    every = [*submissions(), SHORT]
    root = ET.fromstring(label_studio_config(every))
    controls = {one.get("name"): one.tag for one in root.iter() if one.get("toName")}
    assert controls == {
        "evidence": "Labels",
        "points_1": "Number", "comment_1": "TextArea",
        "points_2": "Number", "comment_2": "TextArea",
        "points_3": "Number", "comment_3": "TextArea",
        "level_4": "Choices", "comment_4": "TextArea",
        "faults": "Choices",
    }  # fmt: skip
    assert {one.get("toName") for one in root.iter() if one.get("toName")} == {"response"}
    assert root.find(".//Number[@name='points_1']").get("max") == "4"  # type: ignore[union-attr]
    fields = {value[1:] for one in root.iter() if (value := one.get("value", "")).startswith("$")}
    for task in label_studio_tasks(every):
        assert fields <= task["data"].keys()
        assert isinstance(task["data"]["levels_4"], list)


def test_no_text_of_a_submission_stands_in_the_configuration() -> None:
    config = label_studio_config(submissions())
    assert "灯塔" not in config
    hostile = msgspec.structs.replace(
        submissions()[0],
        rubric=Rubric("r", 1, (Section("<s>", "t", 1, (Item('"/><x', "<b>", 1),)),)),
    )
    assert "<x" not in label_studio_config([hostile])


def test_annotations_come_back_as_scores(tmp_path: Path) -> None:
    options = {answer.id: label for label, answer in fault_options(submissions()[0]).items()}
    twice = next(label for label in fault_options(submissions()[0]) if "× 2" in label)
    start = ANSWER.index("第三条")
    marked = {"start": start, "end": start + 3, "text": "第三条", "labels": ["1"]}
    task = annotated(
        task_of(ANSWER),
        result("points_1", "number", {"number": 4}),
        result("evidence", "labels", marked),
        result("comment_1", "textarea", {"text": ["引用正确"]}),
        result("points_3", "number", {"number": 7.5}),
        result("level_4", "choices", {"choices": ["好"]}),
        result("faults", "choices", {"choices": [options["d1"], twice]}),
    )
    found = read(tmp_path, task)
    rows = {row.item: row for row in found.scores}
    assert {name: row.points for name, row in rows.items() if row.is_item} == {
        "i1": 2, "i3": 7.5, "i4": 4,
    }  # fmt: skip
    assert rows["i1"].submission == submissions()[0].key
    assert (rows["i1"].comment, rows["i1"].evidence) == ("引用正确", ("第三条",))
    assert rows["i1"].flags == ("d1", "d2")
    assert rows["i4"].level == "好"
    assert found.raters == ("annotator 7",)


def test_annotators_are_told_apart_and_what_does_not_count_is_counted(tmp_path: Path) -> None:
    def scored(points: float, by: Any, **more: Any) -> dict[str, Any]:
        number = result("points_1", "number", {"number": points})
        return annotated(task_of(ANSWER), number, by=by, **more)["annotations"][0]  # type: ignore[no-any-return]

    task = task_of(ANSWER) | {
        "annotations": [
            scored(1, {"id": 3, "email": "甲@example.org", "first_name": ""}),
            scored(2, 4, updated_at="2026-01-02T00:00:00Z"),
            scored(3, 4, updated_at="2026-01-01T00:00:00Z"),
            scored(4, 5, was_cancelled=True),
            annotated(task_of(ANSWER), by=6)["annotations"][0],
        ]
    }
    found = read(tmp_path, task)
    points = {row.rater: row.points for row in found.scores if row.is_item}
    assert points == {"甲@example.org": 1, "annotator 4": 2}
    assert (found.annotations, found.cancelled, found.empty, found.repeated) == (5, 1, 1, 1)


def test_evidence_may_be_hostile_and_is_found_by_its_place(tmp_path: Path) -> None:
    start = HOSTILE.index("<img")
    marked = {"start": start, "end": start + 10, "text": "changed\\nby the tool", "labels": ["2"]}
    task = annotated(
        task_of(HOSTILE),
        result("evidence", "labels", marked),
        result("points_2", "number", {"number": 1}),
    )
    [row] = [row for row in read(tmp_path, task).scores if row.item == "i2"]
    assert row.evidence == (HOSTILE[start : start + 10],)


def test_words_over_several_lines_come_back_as_they_stand(tmp_path: Path) -> None:
    """As version 1.23 of Label Studio has them."""
    start, end = ANSWER.index("点灯。"), ANSWER.index("老钟")
    words = ANSWER[start:end]
    assert "\n" in words
    marked = {"start": start, "end": end, "text": words.replace("\n", "\\n"), "labels": ["1"]}
    number = result("points_1", "number", {"number": 1})
    task = annotated(task_of(ANSWER), result("evidence", "labels", marked), number)
    [row] = [row for row in read(tmp_path, task).scores if row.item == "i1"]
    assert row.evidence == (words,)


def test_an_item_has_the_number_that_its_evidence_is_marked_with() -> None:
    shown = task_of(ANSWER)["data"]
    assert shown["item_1"].startswith("1. 引用《云港灯塔法》第三条。")
    assert shown["item_4"].startswith("4. 论证是否严密。")


@pytest.mark.parametrize(
    ("response", "wrong", "said"),
    [
        (ANSWER, result("points_1", "number", {"number": 5}), "5.0 is not from 0 to 4"),
        (ANSWER, result("points_1", "number", {}), "no points"),
        (ANSWER, result("points_4", "number", {"number": 1}), "no points"),
        (ANSWER, result("level_4", "choices", {"choices": ["优"]}), "no level"),
        (ANSWER, result("points_9", "number", {"number": 1}), "no item '9'"),
        ("答", result("points_2", "number", {"number": 1}), "the rubric has 1"),
        (ANSWER, result("faults", "choices", {"choices": ["扣光"]}), "no deduction"),
        (ANSWER, result("evidence", "labels", {"labels": ["1"]}), "evidence"),
    ],
)
def test_what_cannot_be_is_named_by_task_and_person(
    tmp_path: Path, response: str, wrong: dict[str, Any], said: str
) -> None:
    with pytest.raises(DataError) as error:
        read(tmp_path, annotated(task_of(response), wrong))
    assert "row task 11: annotator 7: " in str(error.value)
    assert said in str(error.value)


def test_an_export_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such submission"):
        read(tmp_path, annotated({"data": {"submission": "0000"}}))
    file = tmp_path / "min.json"
    file.write_text('[{"submission": "x", "points_1": 3}]')
    with pytest.raises(DataError, match="data"):
        read_label_studio(file, submissions())


def test_a_tier_says_what_it_gives_and_a_cap_what_it_leaves() -> None:
    gates = (Gate("t", "未质疑", 2, tier=True), Gate("c", "笼统", 6))
    section = Section("s", "损失", 10, (Item("a", "质疑", 10),), gates=gates)
    one = Submission("q/1", "", ANSWER, Rubric("r", 10, (section,)))
    assert list(fault_options(one)) == ["[t] 未质疑（就得 2 分）", "[c] 笼统（至多剩 6 分）"]


def test_every_fault_can_be_ticked_as_often_and_as_hard_as_the_rubric_says() -> None:
    offered: dict[str, list[tuple[int, float | None]]] = {}
    for answer in fault_options(submissions()[0]).values():
        offered.setdefault(answer.id, []).append((answer.times, answer.points))
    assert offered == {
        "d1": [(1, None)],
        "d2": [(times, None) for times in range(1, 6)],
        "d3": [(1, 1), (1, 2), (1, 3)],
        "g1": [(1, None)],
        "d4": [(1, None)],
        "p1": [(1, None), (2, None)],
    }
    assert offered.keys() == {fault.id for fault in RUBRIC.faults()}
