"""Generated tasks before people, and those that stand afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_cli import hengfa

from hengfa.base.errors import DataError
from hengfa.evals.grading.people.notebook import ItemAnswer, Notebook
from hengfa.evals.grading.submission import read_submissions
from hengfa.world.suites.legalagentbench.reviewing import read_for_review, reviewed, to_review

TASKS = [
    {"id": n, "question": f"第{n}家公司的法定代表人是谁？", "answer": f"甲{n}。", "key": [f"甲{n}"],
     "key_middle": ["乙"], "type": "1-2-1", "way": "get_company_register", "hops": 1, "more": n}
    for n in range(1, 4)
]  # fmt: skip
ITEMS = ("natural", "unambiguous", "right", "keep")


def write(folder: Path, tasks: list[dict[str, object]] = TASKS) -> Path:
    file = folder / "tasks.jsonl"
    lines = (json.dumps(task, ensure_ascii=False) + " \n" for task in tasks)
    file.write_text("".join(lines), "utf-8")
    return file


def say(folder: Path, rater: str, **no: tuple[str, ...]) -> Path:
    """What a reviewer answers on the page: yes to everything but to these items of task `t1`, …"""
    table = folder / f"{rater}.csv"
    notebook = Notebook(to_review(read_for_review(folder / "tasks.jsonl")), table, rater)
    for at, submission in enumerate(notebook.submissions):
        id_ = submission.key.removeprefix("world/task/").partition("@")[0]
        for item in ITEMS:
            bad = item in no.get(f"t{id_}", ())
            notebook.put(at, ItemAnswer(item, 0 if bad else 1, "否" if bad else "是"))
    notebook.close()
    return table


def test_a_reviewer_sees_question_path_and_answer(tmp_path: Path) -> None:
    first = to_review(read_for_review(write(tmp_path)))[0]
    assert first.response == TASKS[0]["question"]
    assert "get_company_register" in first.question
    assert "甲1" in first.reference
    assert "甲1" not in first.question + first.response
    assert [item.id for item in first.rubric.items()] == list(ITEMS)


def test_what_half_of_the_reviewers_would_drop_goes_and_the_rest_stays_as_it_was(
    tmp_path: Path,
) -> None:
    file = write(tmp_path)
    tables = [
        say(tmp_path, "张三", t1=("natural", "keep"), t2=("keep",)),
        say(tmp_path, "李四", t1=("keep",)),
        say(tmp_path, "王五"),
    ]
    review = reviewed(read_for_review(file), tables)
    assert review.dropped == ["1"]
    assert review.objected == {"natural": ["1"], "keep": ["1", "2"]}
    assert [json.loads(task.line) for task in review.kept] == TASKS[1:]
    assert review.unseen == []
    assert review.agreement["right"].alike == 1.0
    assert review.agreement["keep"].alike == pytest.approx((1 + 1 + 3) / 9)


def test_scores_of_a_task_that_was_made_anew_are_refused(tmp_path: Path) -> None:
    table = (write(tmp_path), say(tmp_path, "张三"))[1]
    write(tmp_path, [{**TASKS[0], "answer": "丙。", "key": ["丙"]}])
    with pytest.raises(DataError, match="not of this review"):
        reviewed(read_for_review(tmp_path / "tasks.jsonl"), [table])


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ([], "no task in this file"),
        ([TASKS[0], TASKS[0]], "row 2, field 'id': the id 1 is there twice"),
        ([{**TASKS[0], "key": "甲"}], "row 1, field 'key': Expected `array`"),
    ],
)
def test_a_bad_file_is_told(tmp_path: Path, tasks: list[dict[str, object]], said: str) -> None:
    with pytest.raises(DataError) as refused:
        read_for_review(write(tmp_path, tasks))
    assert said in str(refused.value)


def test_from_the_command_line(tmp_path: Path) -> None:
    write(tmp_path)
    done = hengfa("world", "review", "tasks.jsonl", "-o", "review.jsonl", cwd=tmp_path)
    assert "wrote 3 tasks for `hengfa grade people serve`" in done.stderr
    assert len(read_submissions(tmp_path / "review.jsonl")) == 3
    say(tmp_path, "a", t2=("natural", "keep"))
    say(tmp_path, "b", t2=("keep",), t3=("keep",))
    words = ("world", "review", "tasks.jsonl", "--scores", "a.csv", "--scores", "b.csv")
    done = hengfa(*words, "-o", "kept.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "not natural: 2" in done.stderr
    assert "kept 1 of 3 tasks in kept.jsonl" in done.stdout
    kept = json.dumps(TASKS[0], ensure_ascii=False) + "\n"
    assert (tmp_path / "kept.jsonl").read_text("utf-8") == kept
    told = json.loads(hengfa(*words, "-o", "again.jsonl", "--json", cwd=tmp_path).stdout)
    assert (told["kept"], told["dropped"]) == (1, ["2", "3"])
    assert told["agreement"]["keep"]["alike"] == pytest.approx(2 / 3)
    done = hengfa("world", "review", "tasks.jsonl", "-o", "x", "--json", cwd=tmp_path)
    assert done.returncode == 2
