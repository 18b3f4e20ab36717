"""The table of people and graders: what is written is read back, what is wrong is named."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.errors import DataError
from hengfa.evals.grading.marking import mark_verdict
from hengfa.evals.grading.people.score_table import (
    ScoreRow,
    blank_scores,
    format_scores,
    mark_of_person,
    read_scores,
    scores_of,
    scores_of_person,
    task_of,
    unguarded,
    write_scores,
)
from hengfa.evals.grading.verdict import Award, Fault, Verdict
from tests.evals.grading.scored_by_people import ANSWER, submissions

HEAD = "submission,task,dimension,item,maximum,points,rater"


def table(tmp_path: Path, text: str | bytes) -> Path:
    file = tmp_path / "scores.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_and_line_ends_of_spreadsheets_are_read(tmp_path: Path, mark: str, end: str) -> None:
    lines = [HEAD, "a,咨询,事实,i1,5,2.5,张三", ",,,,,,", "a,咨询,事实,i2,5,,张三"]
    file = table(tmp_path, mark + end.join(lines) + end)
    assert read_scores(file) == [
        ScoreRow("a", "咨询", "事实", "i1", 5, 2.5, "张三"),
        ScoreRow("a", "咨询", "事实", "i2", 5, None, "张三"),
    ]


def test_columns_may_stand_in_any_order_with_others_between(tmp_path: Path) -> None:
    head = "Rater,points,note,item,submission,maximum,task,dimension,flags"
    text = f"{head}\r\n甲,３,x,i,s,4,t,d,d1;g1\r\n"
    assert read_scores(table(tmp_path, text)) == [
        ScoreRow("s", "t", "d", "i", 4, 3, "甲", flags=("d1", "g1"))
    ]


@pytest.mark.parametrize(
    ("rows", "line", "column", "said"),
    [
        ("a,t,d,i,5,six,r", 2, "points", "no number"),
        ("a,t,d,i,5,nan,r", 2, "points", "no number"),
        ("a,t,d,i,,3,r", 2, "maximum", "is empty"),
        ("a,t,d,i,5,5.5,r", 2, "points", "more than the maximum 5"),
        ("a,t,d,i,5,-1,r", 2, "points", "below 0"),
        ("a,t,d,i,-5,,r", 2, "maximum", "below 0"),
        (",t,d,i,5,1,r", 2, "submission", "is empty"),
        ('"a\nb",t,d,i,5,1,r\na,t,d,,5,1,r', 4, "dimension", "a row without an item is the total"),
        ("a,t,,,0,,r", 2, "maximum", "0 is only 0"),
        ("a,t,,,5,6,r", 2, "points", "more than the maximum 5"),
        ("a,t,,,5,3,r\na,t,d,i,5,1,r", 3, "item", "a total and items of 'a' (line 2)"),
        ("a,t,d,i,5,1,r\na,t,,,5,1,r", 3, "item", "a total and items of 'a' (line 2)"),
    ],
)
def test_a_wrong_cell_is_named_by_line_and_column(
    tmp_path: Path, rows: str, line: int, column: str, said: str
) -> None:
    file = table(tmp_path, f"{HEAD}\n{rows}\n")
    with pytest.raises(DataError) as error:
        read_scores(file)
    assert str(error.value).startswith(f"{file}, row {line}, field '{column}': ")
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            f"{HEAD}\na,t,d,i,5,1,r\nb,t,d,i,5,1,r\na,t,d,i,5,2,r\n",
            "row 4: 'a', item 'i' was scored by r on line 2 already",
        ),
        (
            "submission,maximum,points,rater\na,5,1,r\na,5,2,r\n",
            "row 3: 'a', total was scored by r on line 2 already",
        ),
        (
            "submission,points\n",
            "points,rater, of totals submission,maximum,points,rater",
        ),
        ("submission;task;dimension\n", "no column 'submission'"),
        (f"{HEAD},points\na,t,d,i,5,1,r,2\n", "2 columns 'points'"),
        (f"{HEAD}\n", "holds no scores"),
        ("", "no column"),
        (f'{HEAD}\n"a,t\n', "not readable as CSV"),
        (f"{HEAD}\n".encode() + "甲,t,d,i,5,1,r\n".encode("gb18030"), "row 2: is not UTF-8"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, text: str | bytes, said: str) -> None:
    with pytest.raises(DataError) as error:
        read_scores(table(tmp_path, text))
    assert said in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "submission,rater,total,maximum\na,r,-3,80\nb,r,,80\n",
        "rater,Points,submission,maximum,total\nr,-3,a,80,x\nr,,b,80,y\n",
        f"{HEAD}\na,,, ,80,-3,r\nb,,,,80,,r\n",
    ],
)
def test_a_row_without_an_item_is_a_total(tmp_path: Path, text: str) -> None:
    """Under whichever head; deductions may take it below 0."""
    scores = read_scores(table(tmp_path, text))
    assert scores == [
        ScoreRow("a", "", "", "", 80, -3, "r"),
        ScoreRow("b", "", "", "", 80, None, "r"),
    ]
    assert [(score.is_total, score.is_item) for score in scores] == [(True, False)] * 2
    write_scores(tmp_path / "again.csv", scores)
    assert read_scores(tmp_path / "again.csv") == scores


def test_two_raters_may_score_the_same_item(tmp_path: Path) -> None:
    assert len(read_scores(table(tmp_path, f"{HEAD}\na,t,d,i,5,1,r\na,t,d,i,5,2,s\n"))) == 2


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", " =1", "'=1", "＝1", "''-"])
def test_no_cell_is_taken_for_a_formula_and_all_come_back(tmp_path: Path, text: str) -> None:
    score = ScoreRow(text, text, text, f"i{text}", 5, 1, text, text, text, (), (text,), text)
    file = tmp_path / "scores.csv"
    write_scores(file, [score], [text])
    for row in csv.reader(io.StringIO(file.read_text("utf-8-sig"), newline="")):
        assert not [cell for cell in row if cell.lstrip()[:1] in set("=+-@＝")]
    assert read_scores(file) == [score]


words = st.text(st.characters(exclude_categories=["Cs"]))
numbers = st.floats(0, 1000, allow_nan=False)


@settings(deadline=None)
@given(
    st.lists(
        st.builds(
            ScoreRow,
            submission=words.filter(str.strip),
            task=words,
            dimension=words,
            item=words.filter(lambda text: text.strip() and not text.startswith("*")),
            maximum=st.just(1000.0),
            points=st.none() | numbers,
            rater=words,
            level=words,
            comment=words,
            flags=st.lists(st.text("abcd1 ", min_size=1)).map(tuple),
            evidence=st.lists(words).map(tuple),
            model=words,
        ),
        min_size=1,
        unique_by=lambda one: (one.rater, one.submission, one.item),
    )
)
def test_whatever_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, scores: list[ScoreRow]
) -> None:
    file = tmp_path_factory.mktemp("table") / "scores.csv"
    write_scores(file, scores)
    assert read_scores(file) == scores


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["submission", "maximum", "points", "total", "rater", "item", "x"])),
    st.lists(
        st.lists(st.sampled_from(["a", "b", "", "5", "-1", "3", "=1", "i*", "*"]), max_size=7)
    ),
)
def test_whatever_table_it_is_it_is_read_or_refused_by_name(
    tmp_path_factory: pytest.TempPathFactory, head: list[str], lines: list[list[str]]
) -> None:
    text = "\n".join(",".join(cells) for cells in [head, *lines])
    file = table(tmp_path_factory.mktemp("table"), text)
    try:
        scores = read_scores(file)
    except DataError as error:
        assert str(error).startswith(str(file))
    else:
        assert all(score.submission and (score.maximum > 0 or score.item) for score in scores)


@given(words)
def test_a_cell_typed_by_hand_is_what_it_says(text: str) -> None:
    if not text.startswith("'"):
        assert unguarded(text) == text


def test_the_blank_table_has_every_item_and_what_may_be_taken_beyond() -> None:
    rows = list(blank_scores(submissions()[0]))
    assert [(row.dimension, row.item, row.maximum) for row in rows] == [
        ("法条依据", "i1", 4),
        ("法条依据", "i2", 2.5),
        ("法条依据", "*s1", -0.5),  # its items have 6.5 points, the section 6
        ("推理过程", "i3", 10),
        ("推理过程", "i4", 4),
        ("", "*", 0),
    ]
    assert {row.points for row in rows} == {None}
    assert {row.task for row in rows} == {"analysis"}
    assert sum(row.maximum for row in rows) == 20


def test_the_rows_of_a_mark_add_up_to_it() -> None:
    submission = submissions()[0]
    verdict = Verdict(
        (
            Award("i1", 4, ("《云港灯塔法》第三条",), "引用正确"),
            Award("i2", 2.5),
            Award("i3", 7, ("守塔人老钟在日落后一小时才点灯",)),
        ),
        (Fault("d1"), Fault("d2", 2), Fault("d4"), Fault("p1")),
    )
    mark = mark_verdict(submission, verdict)
    rows = {row.item: row for row in scores_of(submission, mark, "grader", "m")}
    # i1: 4 - 1 - 2*0.5 = 2; section 2 + 2.5 - 2 = 2.5; whole 2.5 + 7 - 10, but not below 0
    assert {name: row.points for name, row in rows.items()} == {
        "i1": 2, "i2": 2.5, "*s1": -2, "i3": 7, "i4": None, "*": -9.5,
    }  # fmt: skip
    assert mark.points == 0 == sum(row.points or 0 for row in rows.values())
    assert rows["i1"].flags == ("d1", "d2")
    assert rows["i1"].evidence == ("云港灯塔法》第三条",)  # from the first letter on
    assert rows["i2"].flags == ("no evidence",)
    assert rows["*s1"].flags == ("d4",)
    assert rows["*"].flags == ("p1",)
    assert {row.model for row in rows.values()} == {"m"}


def test_a_person_is_not_asked_for_evidence_and_order_is_theirs_to_judge() -> None:
    submission = submissions()[0]
    awards = (
        Award("i4", 4, (ANSWER[:10],), level="好"),  # quoted before i3, against the order
        Award("i3", 10, (ANSWER[-10:],)),
        Award("i1", 4),
    )
    verdict = Verdict(awards)
    rows = {row.item: row for row in scores_of_person(submission, verdict, "甲")}
    assert rows["i4"].points == 4
    assert rows["i1"].flags == ()
    assert rows["i3"].evidence == (ANSWER[-10:],)
    assert mark_of_person(submission, verdict).points == 18


def test_a_key_that_is_no_journals_key_has_no_task() -> None:
    assert task_of("claw/cases/default/民法典/1") == "cases"
    assert task_of("a/b") == ""


def test_numbers_are_written_as_people_write_them() -> None:
    line = format_scores([ScoreRow("s", "", "", "i", 5.0, 2.5, "r")]).splitlines()[1]
    assert line == "s,,,i,5,2.5,r"
