"""Files of judgments; test cases in a collection are found, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError
from hengfa.evals.suites.judgment.cases import Case, case_of, find_leaks, read_cases
from hengfa.evals.suites.judgment.dataset import DIRECT, all_samples, load

SAMPLES = load(sample_root() / "judgment", DIRECT, {})
FIRST = SAMPLES[0]
OTHER = Case("other", "某人在湖边放风筝，线断了，打碎了别人的灯笼。" * 4, "另案判决")


def rows(file: Path, *found: dict[str, Any]) -> Path:
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in found), "utf-8")
    return file


def test_three_layouts_of_judgments_are_read(tmp_path: Path) -> None:
    found = read_cases(
        rows(
            tmp_path / "c.jsonl",
            {"text_id": "a", "text": " 甲偷灯笼。", "la": [264, 264], "fd": "判决甲"},
            {"id": "b", "fact": "乙放蜂。", "reason": "本院认为", "result": "判决如下"},
            {"fact": "丙划船。", "document": "判决丙", "articles": ["133-1"]},
        )
    )
    assert [one.id for one in found] == ["a", "b", "c-3"]
    assert found[0].articles == ("264",)
    assert found[0].fact == "甲偷灯笼。"
    assert found[1].document == "乙放蜂。\n本院认为\n判决如下"
    assert found[2].articles == ("133-1",)


@pytest.mark.parametrize("row", [{"id": "a", "fact": "甲"}, {"document": "判决"}, {}])
def test_a_row_without_facts_or_judgment_is_named(tmp_path: Path, row: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="row 1"):
        read_cases(rows(tmp_path / "c.jsonl", row))


def test_articles_are_read_out_of_a_judgment_that_does_not_list_them(tmp_path: Path) -> None:
    document = "本院认为，依照《刑法》第一百三十三条之一、第六十七条第三款之规定，判决如下："
    (case,) = read_cases(rows(tmp_path / "c.jsonl", {"fact": "丙醉酒驾船。", "document": document}))
    assert case.articles == ("133-1", "67")


def test_the_whole_document_goes_before_its_parts(tmp_path: Path) -> None:
    row = {"id": 7, "fact": "甲", "reason": "乙", "result": "丙", "content": "首部 甲 乙 丙 尾部"}
    (case,) = read_cases(rows(tmp_path / "c.jsonl", row))
    assert (case.id, case.document) == ("7", "首部 甲 乙 丙 尾部")


def test_each_way_of_being_too_close_is_named_with_the_test_case() -> None:
    same = Case("same", FIRST.fact, "抄来的判决")
    similar = Case("similar", FIRST.fact + "又及，天色已晚。", "改写的判决")
    holding = Case("holding", "事实另见判决。" * 12, FIRST.document)
    leaks = find_leaks(SAMPLES, [OTHER, same, similar, holding])
    found = {leak.case: leak for leak in leaks.each}
    assert {name: leak.closeness for name, leak in found.items()} == {
        "same": "same",
        "similar": "similar",
        "holding": "contains",
    }
    assert {leak.sample for leak in leaks.each} == {FIRST.id}
    assert found["same"].similarity == 1
    assert leaks.refused == {1, 2, 3}
    assert (leaks.remaining, leaks.refused_for(FIRST.id), leaks.refused_for(SAMPLES[1].id)) == (
        1,
        3,
        0,
    )


def test_a_judgment_and_a_test_case_are_told_once() -> None:
    """The facts are the same, and stand in the document too."""
    (leak,) = find_leaks(SAMPLES, [case_of(FIRST)]).each
    assert (leak.place, leak.case, leak.closeness) == (0, FIRST.id, "same")


def test_the_threshold_decides_what_is_similar() -> None:
    fact = "".join(FIRST.fact.split())
    half = Case("half", fact[: len(fact) // 2] + OTHER.fact[: len(fact) // 2], "判决")
    assert find_leaks([FIRST], [half]).each == ()
    assert find_leaks([FIRST], [half], 0.5).refused == {0}


def test_the_test_set_itself_is_refused_whole_and_the_message_is_short() -> None:
    leaks = find_leaks(SAMPLES, [case_of(sample) for sample in SAMPLES])
    assert (len(leaks.refused), leaks.remaining) == (8, 0)
    assert str(leaks).startswith("8 of 8 judgments are refused")
    assert str(leaks).endswith("moon-lake-5, …")


def test_nothing_found_is_said_without_names() -> None:
    told = str(find_leaks(SAMPLES, [OTHER]))
    assert told.startswith("0 of 1 judgments are refused")
    assert told.endswith("0 of 8 test cases")


@pytest.mark.deep
@pytest.mark.shared
def test_collections_of_real_judgments(shared: Path) -> None:
    """Three facts of the CAIL sample are those of test cases; the folds leak nothing."""
    samples = all_samples(shared / "data" / "JuDGE")
    corpora = shared / "data" / "corpora"
    docs = read_cases(corpora / "criminal_docs" / "caseformer_demo.jsonl.gz")
    assert find_leaks(samples, docs).remaining == 50
    facts = read_cases(corpora / "cail2018_sample" / "cases.jsonl.gz", parts=True)
    leaks = find_leaks(samples, facts)
    assert [leak.place + 1 for leak in leaks.each] == [1191, 3440, 3975]
    assert find_leaks(samples, [case_of(one) for one in samples]).remaining == 0
    assert find_leaks(samples[:100], list(map(case_of, samples[100:]))).each == ()
