"""The law from Python: names, positions and days as people write them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pytest

import hengfa

FERRY = "月湖渡船法"
CITED = f"依照《{FERRY}》第五条、第九十条的规定，<b>判决</b>如下。"


@pytest.fixture
def law(own_home: Path) -> Iterator[hengfa.Law]:
    with hengfa.Law.sample() as opened:
        yield opened


@pytest.mark.parametrize("on", ["2016-01-01", date(2016, 1, 1), datetime(2016, 1, 1, 12)])  # noqa: DTZ001
@pytest.mark.parametrize("position", ["5.2", "第五条第二款"])
def test_a_provision_on_a_day(law: hengfa.Law, on: date | str, position: str) -> None:
    provision = law.look_up(FERRY, position, on=on)
    assert provision.text == "渡船牌有效期为四年。"
    assert isinstance(provision.answer, hengfa.FoundVersion)
    assert provision.answer.version.promulgated == date(2015, 9, 20)


def test_a_day_has_three_readings(law: hengfa.Law) -> None:
    day = "2021-04-18"  # promulgated then, in force half a year later
    in_force = law.look_up(FERRY, "5", on=day).answer
    promulgated = law.look_up(FERRY, "5", on=day, reading="promulgated on").answer
    assert isinstance(in_force, hengfa.FoundVersion)
    assert isinstance(promulgated, hengfa.FoundVersion)
    assert str(in_force.version.promulgated) == "2015-09-20"
    assert str(promulgated.version.promulgated) == day


def test_there_is_no_text_before_the_law(law: hengfa.Law) -> None:
    provision = law.look_up(FERRY, "5", on="1999-01-01")
    assert provision.text == ""
    assert not isinstance(provision.answer, hengfa.FoundVersion)
    assert "2008-03-12" in provision.answer.reason


def test_history_versions_and_search(law: hengfa.Law) -> None:
    versions = law.versions(FERRY)
    assert [step.version for step in law.history(FERRY, "5")] == list(versions)
    (first, *_) = law.history(FERRY, "5", version="2015-09-20")
    assert first.position is not None
    assert first.position.article == 5
    (hit,) = law.search("渡船牌有效期", law=FERRY, on="2016-01-01", limit=1)
    assert hit.text == "渡船牌有效期为四年。"
    assert len(law.search("渡船牌有效期", all_versions=True)) > 1


def test_wrong_words_are_wrong_calls(law: hengfa.Law) -> None:
    for call in (
        lambda: law.look_up("没有的法", "1"),
        lambda: law.look_up(FERRY, "第一章"),
        lambda: law.look_up(FERRY, "900"),
        lambda: law.look_up(FERRY, "5", on="20 May 2016"),
        lambda: law.search("渡船", on="2016-01-01", all_versions=True),
    ):
        with pytest.raises(hengfa.UsageError):
            call()
    with pytest.raises(hengfa.HengfaError, match="no version was promulgated"):
        law.history(FERRY, "5", version="2016-01-01")


def test_without_a_library_it_is_said_how_to_get_one(tmp_path: Path) -> None:
    for call in (hengfa.Law, lambda: hengfa.Law(tmp_path / "x"), lambda: check("x")):
        with pytest.raises(hengfa.DataError, match="hengfa law get"):
            call()


def check(text: str | Path) -> hengfa.CitationReport:
    return hengfa.check_citations(text)


def test_citations_of_a_text_and_of_a_file(law: hengfa.Law, tmp_path: Path) -> None:
    file = tmp_path / "draft.md"
    file.write_text(CITED, "utf-8")
    of_text = hengfa.check_citations(CITED, law=law, as_of="2016-01-01")
    of_file = hengfa.check_citations(file, law=law, as_of=date(2016, 1, 1))
    assert of_text.citations == of_file.citations
    assert of_file.name == str(file)
    assert of_text.frame()["status"].to_list() == ["right", "wrong"]
    with pytest.raises(hengfa.UsageError, match="give it as Path"):
        hengfa.check_citations(str(file), law=law)


def test_citations_that_name_no_law_have_the_one_that_is_given(law: hengfa.Law) -> None:
    told = hengfa.check_citations("见第五条。", law=law, as_of="2016-01-01", default_law=FERRY)
    assert [checked.law for checked in told.citations] == [FERRY]
    assert hengfa.check_citations("什么也没有。", law=law).frame().is_empty()


def test_nothing_in_a_document_becomes_markup(law: hengfa.Law, tmp_path: Path) -> None:
    file = tmp_path / "<b>x.txt"
    file.write_text(CITED, "utf-8")
    html = hengfa.check_citations(file, law=law)._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;x.txt" in html
    assert "第九十条" in html


def test_a_judgment_is_parsed() -> None:
    judgment = hengfa.parse_judgment("判决如下：被告人张三犯盗窃罪，判处有期徒刑六个月。")
    assert isinstance(judgment, hengfa.Judgment)
    assert judgment.charges == ("盗窃罪",)


def test_case_numbers_of_a_text_or_a_file(tmp_path: Path) -> None:
    report = hengfa.check_case_numbers("（2022）沪0115民终5号", as_of="2026-01-01")
    assert report.counts() == {"cannot exist": 1, "not known here": 0, "known": 0}
    file = tmp_path / "brief.txt"
    file.write_text("\n（2022）沪01民终5号", "utf-8")
    register = hengfa.CaseRegister(cases={"（2022）沪01民终5号": "卷宗"})
    (case,) = hengfa.check_case_numbers(file, register=register).numbers
    assert (case.line, case.verdict, case.source) == (2, "known", "卷宗")
    with pytest.raises(hengfa.UsageError, match="give it as Path"):
        hengfa.check_case_numbers(str(file))
