"""Names of crimes: as written, and as a list has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.law.grammar.judgment_texts import judgment

from hengfa.base.errors import DataError
from hengfa.law.grammar.judgment.charges import Charges, clean, read_charges, split_charges
from hengfa.law.grammar.judgment.parse import parse_judgment

LISTED = Charges(
    ["盗窃罪", "放鸽罪", "走私、贩卖、运输灯油罪", "帮助偷渡犯罪活动罪"],
    [("灯油", ["储存灯油罪", "走私、贩卖、运输灯油罪"])],
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("盗窃罪", ["盗窃罪"]),
        ("盗窃罪、诈骗罪", ["盗窃罪", "诈骗罪"]),
        ("盗窃罪和诈骗罪", ["盗窃罪", "诈骗罪"]),
        ("掩饰、隐瞒犯罪所得、犯罪所得收益罪", ["掩饰、隐瞒犯罪所得、犯罪所得收益罪"]),
        ("传授犯罪方法罪、盗窃罪", ["传授犯罪方法罪", "盗窃罪"]),
        ("走私、贩卖、运输、制造毒品罪", ["走私、贩卖、运输、制造毒品罪"]),
    ],
)
def test_lists_of_charges(written: str, expected: list[str]) -> None:
    assert split_charges(written) == expected


@pytest.mark.parametrize(("written", "name"), [("有盗窃罪", "盗窃罪"), ("了 盗窃罪", "盗窃罪")])
def test_words_that_belong_to_the_verb_are_dropped(written: str, name: str) -> None:
    assert clean(written) == name


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("盗窃罪", "盗窃罪"),
        ("贩卖灯油罪", "走私、贩卖、运输灯油罪"),
        ("放鸽子罪", "放鸽罪"),
        ("帮助偷渡犯罪活动罪", "帮助偷渡犯罪活动罪"),
        ("夜间鸣笛罪", None),
        ("在云港县海滩上连续三十夜点燃未经登记的蓝色信号灯并且拒绝熄灭情节恶劣罪", None),
    ],
)
def test_listed_names(written: str, name: str | None) -> None:
    assert LISTED.canonical(written) == name


def test_a_judgment_uses_listed_names_and_keeps_what_was_written() -> None:
    text = judgment(
        " 被告人林帆犯贩卖灯油罪，判处拘役三个月；犯夜间鸣笛罪，判处拘役二个月；"
        "决定执行拘役四个月。"
    )
    made = parse_judgment(text, LISTED)
    first, second = made.defendants[0].verdicts
    assert (first.charge, first.written) == ("走私、贩卖、运输灯油罪", "贩卖灯油罪")
    assert second.charge == "夜间鸣笛罪"
    assert made.has("unknown charge")
    assert made.charges == ("走私、贩卖、运输灯油罪", "夜间鸣笛罪")


@pytest.mark.parametrize(
    "words", ["系累犯，", "属于罪犯，", "其犯罪所得予以追缴，", "犯盗窃罪的指控不成立，"]
)
def test_what_is_no_conviction(words: str) -> None:
    made = parse_judgment(judgment(f" 被告人林帆{words}宣告被告人林帆无罪。"))
    assert made.charges == ()
    assert [one.kind for one in made.defendants[0].verdicts] == ["无罪"]


def test_the_list_is_read_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "charges.txt").write_text("盗窃罪\n\n放鸽罪\n", "utf-8")
    assert read_charges(tmp_path).names == ("盗窃罪", "放鸽罪")
    (tmp_path / "charge_aliases.json").write_text('[["灯油", ["储存灯油罪"]]]', "utf-8")
    assert read_charges(tmp_path).canonical("灯油罪") == "储存灯油罪"


def test_a_malformed_list_names_its_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"charges\.txt"):
        read_charges(tmp_path)
    (tmp_path / "charges.txt").write_text("盗窃罪", "utf-8")
    (tmp_path / "charge_aliases.json").write_text('{"灯油": 1}', "utf-8")
    with pytest.raises(DataError, match=r"charge_aliases\.json"):
        read_charges(tmp_path)
