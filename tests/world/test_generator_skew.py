"""Proportions, skew and formats: a generated world looks like the observed tables.

The figures that worlds are held to are rounded from the observed rows.

Rules: legalagentbench.md 2 and 8.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

import pytest

from hengfa.base.errors import UsageError
from hengfa.world.generator.build import Blueprint
from hengfa.world.generator.sizes import LARGEST, OFFICIAL, SMALLEST, counties_for
from hengfa.world.tables.schema import TABLE_OF
from hengfa.world.tables.world import Cell

Rows = list[dict[str, Cell]]


@lru_cache(1)
def world() -> dict[str, Rows]:
    tables = Blueprint(3, 40_000).tables()
    return {name: [dict(row) for row in rows] for name, rows in tables.items()}


def share(table: str, column: str, *values: Cell) -> float:
    rows = world()[table]
    return sum(row[column] in values for row in rows) / len(rows)


def sizes_of_groups(table: str, *columns: str) -> list[int]:
    """How many rows each value has, the most frequent first."""
    counted = Counter(tuple(row[column] for column in columns) for row in world()[table])
    return sorted(counted.values(), reverse=True)


def test_a_world_of_the_official_size_has_the_official_tables() -> None:
    found = Blueprint(1, OFFICIAL).sizes.tables
    for name, table in TABLE_OF.items():
        assert found[name] == pytest.approx(table.official_rows, rel=0.05), name


@pytest.mark.parametrize("scale", [SMALLEST - 1, LARGEST + 1, 0, -5])
def test_a_scale_out_of_range_is_refused(scale: int) -> None:
    with pytest.raises(UsageError, match="1,000 to 1,000,000"):
        counties_for(scale)


@pytest.mark.parametrize("scale", [SMALLEST, 1_234, 77_609, LARGEST])
def test_the_rows_of_a_world_are_exactly_those_asked_for(scale: int) -> None:
    sizes = Blueprint(5, scale).sizes
    assert sum(sizes.tables.values()) == scale
    assert min(sizes.tables.values()) >= 8
    assert sizes.judgments > scale / 5


@pytest.mark.parametrize(
    ("table", "columns", "largest", "median"),
    [
        ("LegalDoc", ("关联公司",), (60, 500), (1, 4)),
        ("SubCompanyInfo", ("关联上市公司全称",), (60, 500), (3, 10)),
        ("LawfirmInfo", ("事务所省份", "事务所城市", "事务所区县"), (30, 300), (1, 4)),
        ("AdministrativeCase", ("行政处罚公司名称",), (8, 80), (1, 4)),
    ],
)
def test_few_have_many_and_many_have_few(
    table: str, columns: tuple[str, ...], largest: tuple[int, int], median: tuple[int, int]
) -> None:
    found = sizes_of_groups(table, *columns)
    assert largest[0] <= found[0] <= largest[1]
    assert median[0] <= found[len(found) // 2] <= median[1]


@pytest.mark.parametrize(
    ("table", "column", "values", "expected"),
    [
        ("LegalDoc", "原告律师事务所", (" -",), 0.44),
        ("LegalDoc", "被告律师事务所", (None,), 0.31),
        ("LegalDoc", "被告律师事务所", (" - ",), 0.36),
        ("LegalDoc", "案由", (" -",), 0.076),
        ("LegalDoc", "案由", ("买卖合同纠纷",), 0.31),
        ("LegalDoc", "涉案金额（元）", (0.0,), 0.71),
        ("LegalDoc", "文书类型", ("民事判决书",), 0.45),
        ("LegalDoc", "文书类型", ("民事裁定书",), 0.44),
        ("SubCompanyInfo", "上市公司参股比例", ("100.0",), 0.53),
        ("SubCompanyInfo", "上市公司参股比例", (" -",), 0.035),
        ("SubCompanyInfo", "上市公司投资金额", (" - ",), 0.12),
        ("CompanyInfo", "关联证券", (None,), 0.96),
        ("CompanyInfo", "曾用简称", ("-",), 0.76),
        ("CompanyInfo", "入选指数", (None,), 0.23),
        ("CompanyRegister", "曾用名", ("-",), 0.78),
        ("CompanyRegister", "登记状态", ("存续",), 0.74),
        ("CourtInfo", "法院联系电话", ("-",), 0.98),
        ("CourtInfo", "法院官网", ("-",), 0.72),
        ("CourtCode", "法院级别", ("基层法院",), 0.87),
        ("LawfirmInfo", "通讯邮箱", ("-",), 0.84),
        ("LawfirmInfo", "事务所注册资本", ("30万",), 0.45),
    ],
)
def test_frequent_and_missing_values_are_as_frequent_as_observed(
    table: str, column: str, values: tuple[Cell, ...], expected: float
) -> None:
    assert share(table, column, *values) == pytest.approx(expected, abs=0.06)


def test_amounts_are_spread_over_orders_of_magnitude() -> None:
    amounts = sorted(
        row["涉案金额（元）"]
        for row in world()["LegalDoc"]
        if isinstance(row["涉案金额（元）"], float) and row["涉案金额（元）"]
    )
    assert 150_000 < amounts[len(amounts) // 2] < 500_000
    assert amounts[len(amounts) // 20] < 30_000
    assert amounts[-len(amounts) // 20] > 3_000_000


def test_invested_amounts_mix_units() -> None:
    shapes = Counter(
        re.sub(r"[\d.]+", "", str(row["上市公司投资金额"])) for row in world()["SubCompanyInfo"]
    )
    assert set(shapes) == {"万", "亿", "", " - "}
    assert shapes["万"] > shapes["亿"] > shapes[""] > 0


def test_amounts_of_enforcement_mix_types() -> None:
    large = [dict(row) for row in Blueprint(4, 300_000).tables()["RestrictionCase"]]
    kinds = Counter(type(row["涉案金额（元）"]).__name__ for row in large)
    assert kinds["int"] > kinds["float"] > kinds["str"] > 0
    assert any(row["涉案金额（元）"] == "-" for row in large)
    fines = Counter(type(row["处罚金额（元）"]).__name__ for row in world()["AdministrativeCase"])
    assert fines["int"] > fines["str"] > 0


def test_results_have_a_literal_backslash_n() -> None:
    results = [str(row["判决结果"]) for row in world()["LegalDoc"]]
    assert sum("\\n" in result for result in results) > len(results) / 2
    assert not any("\n" in result for result in results)


def test_several_names_in_one_cell_are_joined_by_a_comma() -> None:
    rows = world()["LegalDoc"]
    for column, low, high in (
        ("原告", 0.04, 0.1),
        ("被告", 0.3, 0.45),
        ("被告律师事务所", 0.03, 0.09),
        ("原告律师事务所", 0.003, 0.04),
    ):
        joined = sum("," in str(row[column]) for row in rows) / len(rows)
        assert low < joined < high, column


def test_divisions_that_a_court_lacks_are_written_with_a_blank() -> None:
    missing = {row["区划代码"] for row in world()["CourtCode"] if isinstance(row["区划代码"], str)}
    assert missing == {" -"}


def test_years_of_case_numbers_are_those_observed() -> None:
    years = Counter(str(row["案号"])[1:5] for row in world()["LegalDoc"])
    assert list(dict(years.most_common())) == ["2020", "2019", "2021"]
