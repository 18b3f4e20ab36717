"""A data set out of a collection of judgments: what is kept, on which side, and what is said."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.test_cli import hengfa
from tests.law.grammar.judgment_texts import FACTS, HEADING, REASONING, judgment

from hengfa.base.errors import DataError
from hengfa.evals.suites.judgment.building import (
    DROPPED,
    DataSet,
    Filters,
    Reason,
    Source,
    agreement,
    build,
    documents_in,
    has_personal_number,
    read_annotations,
    usable,
    write_data_set,
)
from hengfa.evals.suites.judgment.cases import find_leaks, read_cases
from hengfa.evals.suites.judgment.dataset import all_samples
from hengfa.evals.suites.judgment.prompts import TRAINING_FILE
from hengfa.law.retrieval.evaluating import read_qrels

SMALL = Filters(shortest=0)
SIGNS = "山川湖海云雾霜雪风雨雷电花草树木虫鱼鸟兽"


def document(number: int, facts: str | None = None, **parts: str) -> str:
    """The judgment of a case of its own: other facts under another number."""
    heading = HEADING.replace("刑初7号", f"刑初{number}号")
    sign = SIGNS[number % len(SIGNS)]
    facts = facts or FACTS.replace("渔船一艘", f"{sign * 80}第{number}号")
    return judgment(**{"heading": heading, "facts": facts, **parts})


def built(*documents: str, filters: Filters = SMALL, share: float = 0.5) -> DataSet:
    sources = [Source(str(n), text, f"file:{n}") for n, text in enumerate(documents, 1)]
    return build(sources, filters, share)


def reasons(made: DataSet) -> list[tuple[Reason, ...]]:
    return [left.reasons for left in made.dropped]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (document(1, reasoning=" 依照法律，判决如下："), "no reasoning"),
        (document(1, reasoning=REASONING.replace("判决如下", "裁定如下")), "ruling"),
        (document(1, reasoning=REASONING.replace("刑法", "渔业法")), "no article"),
        (document(1, result=" 驳回起诉。"), "no charge"),
        (document(1, result=" 驳回起诉。"), "no sentence"),
        (document(1) + document(2), "several judgments"),
        (document(1, heading=HEADING + "电话13912345678。"), "personal number"),
        (document(1, facts=" "), "no facts"),
        ("", "no facts"),
    ],
)
def test_what_is_no_whole_judgment_is_left_out(text: str, why: Reason) -> None:
    (found,) = reasons(built(text))
    assert why in found


def test_lengths_are_those_of_the_paper_unless_told() -> None:
    text = document(1)
    assert reasons(built(text, filters=Filters())) == [("short",)]
    assert reasons(built(text, filters=Filters(longest=len(text) - 1, shortest=0))) == [("long",)]
    assert reasons(built(text, filters=Filters(facts=50, shortest=0))) == [("long facts",)]
    allowed: frozenset[Reason] = frozenset({"short"})
    assert built(text, filters=Filters(allowed=allowed)).report.kept == 1


def test_one_case_is_there_once() -> None:
    made = built(document(1), document(1, FACTS), document(2, FACTS), document(3, FACTS + " "))
    assert made.report.kept == 2
    assert [(left.id, left.reasons, left.of) for left in made.dropped] == [
        ("2", ("same case",), "1"),
        ("4", ("same case",), "3"),
    ]


def test_cases_that_are_too_close_stay_on_one_side_whatever_the_share() -> None:
    facts = FACTS.replace("渔船一艘", "山" * 100)
    near = [document(n, facts.replace("2031年2月", f"2031年{n}月")) for n in (1, 2, 3)]
    others = [document(n) for n in range(11, 19)]
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        made = built(*near, *others, share=share)
        assert len({row.text_id for row in made.test} & set("123")) in {0, 3}
        assert (made.report.groups, made.report.grouped) == (1, 3)


@given(st.permutations(range(12)), st.integers(1, 12))
@settings(deadline=None, max_examples=10)
def test_a_case_stays_where_it_is_when_the_collection_changes(order: list[int], size: int) -> None:
    every = [Source(f"c{n}", document(n), "") for n in range(12)]
    whole, part = (build(s, SMALL, 0.4) for s in (every, [every[n] for n in order[:size]]))
    test = {row.text_id for row in whole.test}
    assert {row.text_id for row in part.test} == test & {f"c{n}" for n in order[:size]}


@given(st.lists(st.text(max_size=60), max_size=4))
@settings(deadline=None, max_examples=30)
def test_no_text_makes_it_fail(texts: list[str]) -> None:
    made = built(*texts)
    assert made.report.documents == len(texts) == made.report.dropped


def test_numbers_of_people_are_told_from_others() -> None:
    assert has_personal_number("公民身份号码11010519491231002X，")
    assert not has_personal_number("公民身份号码110105194912310021，")  # its last sign is wrong
    assert not has_personal_number("公民身份号码110105********002X，账号62220000139123456789")
    assert has_personal_number("联系电话13912345678")


def test_the_folder_is_read_as_a_data_set(tmp_path: Path) -> None:
    laws = tmp_path / "laws.jsonl"
    laws.write_text(
        '{"text_id": "264", "text": "盗窃的，处罚。", "name": "刑法第264条"}\n', "utf-8"
    )
    made = built(*(document(n) for n in range(12)), "残片")
    write_data_set(made, tmp_path / "mine", laws=laws)
    samples, cases = all_samples(tmp_path / "mine"), read_cases(tmp_path / "mine" / TRAINING_FILE)
    assert len(samples) + len(cases) == 12
    assert samples[0].articles == (67, 264)
    assert not find_leaks(samples, cases).each
    qrels = read_qrels(tmp_path / "mine" / "data" / "qrels_file_test")
    assert qrels == {sample.id: {"67": 1, "264": 1} for sample in samples}
    (left,) = (tmp_path / "mine" / DROPPED).read_text("utf-8").splitlines()
    assert json.loads(left)["place"] == "file:13"
    write_data_set(made, tmp_path / "mine")  # ours is replaced
    (tmp_path / "mine" / "thesis").write_text("x")
    with pytest.raises(Exception, match="not ours"):
        write_data_set(made, tmp_path / "mine")


def test_where_all_is_for_the_test_there_is_no_training_split(tmp_path: Path) -> None:
    write_data_set(built(document(1), share=1), tmp_path / "mine")
    assert len(all_samples(tmp_path / "mine")) == 1
    assert not (tmp_path / "mine" / TRAINING_FILE).exists()


def test_without_a_case_to_test_with_there_is_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no case is left"):
        write_data_set(built("残片"), tmp_path / "mine")


def test_documents_come_from_lines_files_and_folders(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    (folder / "of 2031").mkdir(parents=True)
    (folder / "of 2031" / "a.txt").write_text("甲", "utf-8")
    (folder / "b.md").write_text("乙", "utf-8")
    (tmp_path / "c.txt").write_text("丙", "utf-8")
    lines = tmp_path / "d.jsonl"
    lines.write_text('{"id": 7, "fd": "丁"}\n{"document": "戊"}\n', "utf-8")
    found = list(documents_in([folder, tmp_path / "c.txt", lines]))
    assert [(one.id, one.text) for one in found] == [
        ("b", "乙"), ("of_2031/a", "甲"), ("c", "丙"), ("7", "丁"), ("d-2", "戊"),
    ]  # fmt: skip
    lines.write_text('{"id": 7}\n', "utf-8")
    with pytest.raises(DataError, match="row 1, field 'document'"):
        list(documents_in([lines]))


def annotated(file: Path, rows: Iterable[tuple[str, str, str]]) -> Path:
    text = "\n".join(",".join(row) for row in [("id", "usable", "format"), *rows])
    file.write_text("\ufeff" + text, "utf-8")
    return file


def test_two_annotators_agree_beyond_chance_and_only_what_both_want_is_kept(tmp_path: Path) -> None:
    one = annotated(tmp_path / "a.csv", [("1", "是", "x"), ("2", "是", ""), ("3", "否", "y")])
    other = tmp_path / "b.jsonl"
    said = [{"id": 1, "usable": True}, {"id": "2", "usable": "否", "format": "x"}]
    other.write_text("".join(json.dumps(row) + "\n" for row in [*said, {"id": "9", "usable": 0}]))
    assert usable(one, other) == {"1": True, "2": False, "3": False}
    made = built(*map(document, (1, 2, 3)), filters=Filters(shortest=0, usable=usable(one, other)))
    assert [left.id for left in made.dropped] == ["2", "3"]
    (found,) = agreement(read_annotations(one), read_annotations(other))
    assert (found.field, found.documents, found.same) == ("usable", 2, 1)  # 是 is true
    twice = agreement(read_annotations(one), read_annotations(one))
    assert [(field.field, field.documents, field.kappa) for field in twice] == [
        ("usable", 3, 1.0),
        ("format", 2, 1.0),
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("id,usable\n1,maybe\n", "field 'usable'.*maybe"),
        ("id,usable\n1,是\n1,是\n", "row 3, field 'id'.*twice"),
        ("usable\n是\n", "row 2.*needs the id"),
    ],
)
def test_annotations_that_cannot_be_read_are_named(
    content: str, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.csv"
    file.write_text(content, "utf-8")
    with pytest.raises(DataError, match=words):
        usable(file, file)


def test_the_command_builds_what_eval_reads(tmp_path: Path) -> None:
    lines = [json.dumps({"id": f"c{n}", "document": document(n)}) + "\n" for n in range(12)]
    (tmp_path / "judgments.jsonl").write_text("".join([*lines, '{"document": "残片"}']))
    annotated(tmp_path / "a.csv", [(f"c{n}", "是", "") for n in range(12)])
    annotated(tmp_path / "b.csv", [(f"c{n}", "是" if n else "否", "") for n in range(12)])
    words = "suite judgment build judgments.jsonl -o mine --at-least 0 --test-share 0.5"
    both = "--annotations a.csv --annotations b.csv"
    done = hengfa(*words.split(), *both.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "11 of 13 are kept" in done.stdout
    report = json.loads((tmp_path / "mine" / "manifest.json").read_text("utf-8"))["report"]
    assert report["reasons"]["not usable"] == 2
    assert report["agreement"][0]["same"] == 11
    done = hengfa("eval", "judgment", "--data", "mine", "--model", "ceiling", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = hengfa("suite", "judgment", "agreement", "a.csv", "b.csv", "--json", cwd=tmp_path)
    (field,) = json.loads(done.stdout)["fields"]
    assert (field["documents"], field["apart"], field["kappa"]) == (12, ["c0"], 0.0)
    for wrong in ("--annotations a.csv", "--allow no-such-reason"):
        done = hengfa(*words.split(), "--force", *wrong.split(), cwd=tmp_path)
        assert (done.returncode, "--a" in done.stderr) == (2, True)


@pytest.mark.shared
@pytest.mark.deep
def test_the_published_documents_give_the_published_data_set(shared: Path) -> None:
    """But for two: one begins its facts before the hearing is over, one runs into a second one."""
    published = {row.id: row for row in all_samples(shared / "data" / "JuDGE")}
    sources = [Source(row.id, row.document, "") for row in published.values()]
    allowed: frozenset[Reason] = frozenset({"personal number", "several judgments"})
    made = build(sources, Filters(facts=1600, allowed=allowed), 0.2)
    rows = [*made.test, *made.training]
    assert len(rows) == made.report.kept == 501
    assert sum(row.text == published[row.text_id].fact.strip() for row in rows) == 499
    assert all(set(row.la) == set(published[row.text_id].articles) for row in rows)
    assert (len(made.test), made.report.groups) == (97, 0)
    by_the_paper = build(sources, Filters(), 0.2).report
    assert msgspec.to_builtins(by_the_paper.reasons) == {
        "several judgments": 1,
        "long facts": 80,
        "personal number": 4,
    }
