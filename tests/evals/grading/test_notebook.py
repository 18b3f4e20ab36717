"""What an expert says is kept: on disk before anything else, through crashes and restarts."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from hengfa.base.errors import JournalError, RunLocked, UsageError
from hengfa.evals.grading.people.expert_page import page_state
from hengfa.evals.grading.people.notebook import (
    FaultAnswer,
    ItemAnswer,
    NotAccepted,
    Notebook,
    blind_order,
)
from hengfa.evals.grading.people.score_table import ScoreRow, read_scores, write_scores
from tests.evals.grading.scored_by_people import ANSWER, submissions


def first(notebook: Notebook) -> int:
    """Where the ordinary answer is in this rater's order."""
    return next(n for n, one in enumerate(notebook.submissions) if one.response == ANSWER)


def test_points_and_faults_become_rows_of_the_table(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    notebook = Notebook(submissions(), table, "张三")
    at = first(notebook)
    notebook.put(at, ItemAnswer("i1", 4, evidence=("第三条",), comment="引用正确"))
    notebook.put(at, FaultAnswer("d3", 1, 2.5))
    notebook.put(at, ItemAnswer("i4", 2, "中"))
    mark = notebook.put(at, FaultAnswer("p1", 1))
    assert mark.points == 0  # 1.5 + 2 - 10
    notebook.close()
    of = notebook.submissions[at].key, "analysis"
    said = {"comment": "引用正确", "flags": ("d3",), "evidence": ("第三条",)}
    assert read_scores(table) == [
        msgspec.structs.replace(ScoreRow(*of, "法条依据", "i1", 4, 1.5, "张三"), **said),
        ScoreRow(*of, "法条依据", "*s1", -0.5, 0, "张三"),
        ScoreRow(*of, "推理过程", "i4", 4, 2, "张三", "中"),
        ScoreRow(*of, "", "*", 0, -3.5, "张三", flags=("p1",)),
    ]


def test_a_restart_goes_on_where_it_was(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    notebook = Notebook(submissions(), table, "张三")
    notebook.put(1, ItemAnswer("i1", 3))
    notebook.put(1, ItemAnswer("i1", 2))
    notebook.close()
    before = table.read_bytes()
    table.unlink()
    again = Notebook(submissions(), table, "张三")
    assert again.start() == 1
    assert again.answers[1].items["i1"].points == 2
    assert table.read_bytes() == before
    for item in again.submissions[1].rubric.items():
        level = item.levels[0].name if item.levels else ""
        again.put(1, ItemAnswer(item.id, item.maximum, level))
    assert again.start() == 0
    again.close()


def test_a_torn_last_line_is_moved_aside_and_damage_elsewhere_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    notebook = Notebook(submissions(), table, "a")
    notebook.put(0, ItemAnswer("i1", 3))
    notebook.close()
    with notebook.path.open("ab") as file:
        file.write(b'{"submission": "mod')
    again = Notebook(submissions(), table, "a")
    assert again.answers[0].items["i1"].points == 3
    assert again.notices == [
        f"{notebook.path}: the last write was torn: 19 bytes moved to {notebook.path.name}.torn"
    ]
    kept = notebook.path.with_name(f"{notebook.path.name}.torn")
    assert kept.read_bytes() == b'{"submission": "mod\n'
    again.put(0, ItemAnswer("i2", 1))
    again.close()
    notebook.path.write_bytes(b"nonsense\n" + notebook.path.read_bytes())
    with pytest.raises(JournalError, match="line 1: not a journal entry"):
        Notebook(submissions(), table, "a")


@pytest.mark.parametrize("between", [b"\r", b"\r\n", b"", b"\n\n"])
def test_changes_are_read_whatever_stands_between_them(between: bytes, tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    notebook = Notebook(submissions(), table, "a")
    notebook.put(0, ItemAnswer("i1", 3))
    notebook.put(0, ItemAnswer("i2", 1))
    notebook.close()
    notebook.path.write_bytes(notebook.path.read_bytes().replace(b"\n", between))
    again = Notebook(submissions(), table, "a")
    assert (set(again.answers[0].items), again.notices) == ({"i1", "i2"}, [])
    again.put(0, ItemAnswer("i1", 2))
    again.close()
    last = Notebook(submissions(), table, "a")
    assert last.answers[0].items["i1"].points == 2
    last.close()


@pytest.mark.parametrize("bad", ["一条".encode("gbk") + b"\n", b'{"submission":' * 100_000 + b"\n"])
def test_what_is_no_change_is_refused_and_left_alone(bad: bytes, tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    notebook = Notebook(submissions(), table, "a")
    notebook.put(0, ItemAnswer("i1", 3, comment="一条"))
    notebook.close()
    content = bad + notebook.path.read_bytes()
    for damaged in (content, notebook.path.read_bytes().decode().encode("gbk")):
        notebook.path.write_bytes(damaged)
        with pytest.raises(JournalError, match="line 1: not a journal entry"):
            Notebook(submissions(), table, "a")
        assert notebook.path.read_bytes() == damaged
        notebook.path.write_bytes(content.removeprefix(bad))


def test_scores_are_not_given_to_a_response_that_changed(tmp_path: Path) -> None:
    notebook = Notebook(submissions(), tmp_path / "scores.csv", "a")
    notebook.put(0, ItemAnswer("i1", 3))
    notebook.close()
    changed = [msgspec.structs.replace(one, response="别的") for one in submissions()]
    with pytest.raises(JournalError, match="another response or rubric"):
        Notebook(changed, tmp_path / "scores.csv", "a")
    fewer = [one for one in submissions() if one.key != notebook.submissions[0].key]
    rest = Notebook(fewer, tmp_path / "scores.csv", "a")
    assert "1 scored submissions are not in this file" in rest.notices[0]
    rest.close()


def test_raters_share_a_table_but_not_an_order(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    one, other = (Notebook(submissions(), table, rater) for rater in ("甲", "乙/丙"))
    one.put(0, ItemAnswer("i1", 3))
    other.put(0, ItemAnswer("i1", 2))
    one.put(0, ItemAnswer("i2", 1))
    points = {(row.rater, row.item): row.points for row in read_scores(table) if row.is_item}
    assert points == {("甲", "i1"): 3, ("甲", "i2"): 1, ("乙/丙", "i1"): 2}
    assert one.path.parent == other.path.parent == tmp_path
    with pytest.raises(RunLocked):
        Notebook(submissions(), table, "甲")
    one.close()
    other.close()


def test_scores_that_were_given_elsewhere_under_the_same_name_are_not_replaced(
    tmp_path: Path,
) -> None:
    table = tmp_path / "scores.csv"
    write_scores(table, [ScoreRow("s", "t", "d", "i", 5, 1, "甲")])
    before = table.read_bytes()
    with pytest.raises(UsageError, match="not given on this page"):
        Notebook(submissions(), table, "甲")
    assert table.read_bytes() == before


def test_rows_that_somebody_else_wrote_stay(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    theirs = ScoreRow("s", "t", "d", "i", 5, 1, "乙", comment="=1")
    write_scores(table, [theirs])
    notebook = Notebook(submissions(), table, "甲")
    notebook.put(0, ItemAnswer("i2", 1))
    notebook.close()
    assert theirs in read_scores(table)


def test_every_rater_has_an_order_that_depends_on_nothing_but_the_name() -> None:
    many = [msgspec.structs.replace(submissions()[0], key=f"k{n}") for n in range(30)]
    order = [one.key for one in blind_order(many, "甲")]
    assert order == [one.key for one in blind_order(many[::-1], "甲")]
    assert order != [one.key for one in blind_order(many, "乙")]
    assert order != sorted(order)
    assert sorted(order) == sorted(one.key for one in many)


def test_the_page_is_told_no_key_and_no_model(tmp_path: Path) -> None:
    notebook = Notebook(submissions(), tmp_path / "scores.csv", "甲")
    told = msgspec.json.encode(page_state(notebook)).decode()
    notebook.close()
    assert "model-" not in told
    assert "plawbench" not in told


@pytest.mark.parametrize(
    "answer",
    [
        ItemAnswer("i9", 1),
        ItemAnswer("i1", 4.5),
        ItemAnswer("i1", -1),
        ItemAnswer("i1", float("nan")),
        ItemAnswer("i1", 1, "好"),
        ItemAnswer("i4", 4, "中"),
        ItemAnswer("i4", 3),
        ItemAnswer("i1", 1, evidence=("没有这句话",)),
        ItemAnswer("i1", 1, evidence=("",)),
        ItemAnswer("i1", 1, comment="长" * 10_001),
        FaultAnswer("d9", 1),
        FaultAnswer("d1", 2),
        FaultAnswer("d1", -1),
        FaultAnswer("d1", 1, 2),
        FaultAnswer("d3", 1, 4),
        FaultAnswer("p1", 3),
        FaultAnswer("g1", 1, 0),
    ],
)
def test_what_the_rubric_does_not_allow_is_not_kept(
    tmp_path: Path, answer: ItemAnswer | FaultAnswer
) -> None:
    notebook = Notebook(submissions(), tmp_path / "scores.csv", "甲")
    with pytest.raises(NotAccepted):
        notebook.put(first(notebook), answer)
    notebook.close()
    assert notebook.path.read_bytes() == b""


def test_a_rater_has_a_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        Notebook(submissions(), tmp_path / "scores.csv", " ")
