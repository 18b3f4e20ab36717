"""A generated world fits together: every name, number and date leads where it should."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.world.generator.build import Blueprint
from hengfa.world.generator.sanctions import NATIONAL
from hengfa.world.generator.values import LETTERS, STANDSTILL, registration_check
from hengfa.world.tables.schema import TABLE_OF
from hengfa.world.tables.world import Cell

Rows = list[dict[str, Cell]]
MISSING = {None, "-", " -", " - "}

# （2020）霜0102民初345号, （2020）最高法民申7号; not 霜消罚〔2020〕4号
CASE_NUMBER = re.compile(r"（(\d{4})）(最高法|\D\d{0,4})([^\W\d]+?)(\d+)号")
DAY = re.compile(r"(\d{4})年(\d\d)月(\d\d)日")
REGION = ("省份", "城市", "区县")


@lru_cache(4)
def world(seed: int, scale: int) -> dict[str, Rows]:
    tables = Blueprint(seed, scale).tables()
    return {name: [dict(row) for row in rows] for name, rows in tables.items()}


def text(cell: Cell) -> str:
    assert isinstance(cell, str)
    return cell


def day(cell: Cell) -> date:
    found = DAY.fullmatch(text(cell))
    assert found, cell
    return date(*map(int, found.groups()))


def column(rows: Rows, name: str) -> list[str]:
    return [text(row[name]) for row in rows]


def check(seed: int, scale: int) -> None:
    """Everything that must hold between the tables of a world."""
    tables = world(seed, scale)
    check_shapes(tables, scale)
    check_unique(tables)
    check_companies(tables)
    check_places(tables)
    check_courts(tables)
    check_judgments(tables)
    check_enforcement(tables)
    check_penalties(tables)


@pytest.mark.parametrize(
    ("seed", "scale"), [(0, 1_000), (1, 1_001), (7, 3_000), (2**63, 10_000), (12, 25_000)]
)
def test_a_world_fits_together(seed: int, scale: int) -> None:
    check(seed, scale)


@given(st.integers(0, 2**64), st.integers(1_000, 3_000))
@settings(max_examples=12, deadline=None)
def test_any_world_fits_together(seed: int, scale: int) -> None:
    check(seed, scale)


def check_shapes(tables: dict[str, Rows], scale: int) -> None:
    assert list(tables) == list(TABLE_OF)
    assert sum(map(len, tables.values())) == scale
    for name, rows in tables.items():
        assert rows
        assert all(tuple(row) == TABLE_OF[name].names for row in rows)


def check_unique(tables: dict[str, Rows]) -> None:
    for table, names in {
        "CompanyInfo": ("公司名称", "公司简称", "公司代码"),
        "CompanyRegister": ("公司名称", "统一社会信用代码", "组织机构代码"),
        "SubCompanyInfo": ("公司名称",),
        "LegalDoc": ("案号", "文件名"),
        "LegalAbstract": ("案号",),
        "CourtInfo": ("法院名称",),
        "CourtCode": ("法院名称", "法院代字"),
        "LawfirmInfo": ("律师事务所名称", "律师事务所唯一编码", "事务所地址"),
        "LawfirmLog": ("律师事务所名称", "业务量排名"),
        "AddrInfo": ("地址",),
        "RestrictionCase": ("案号",),
        "FinalizedCase": ("案号",),
        "DishonestyCase": ("案号",),
        "AdministrativeCase": ("案号",),
    }.items():
        for name in names:
            counted = Counter(row[name] for row in tables[table])
            assert counted.most_common(1)[0][1] == 1, (table, name, counted.most_common(1))
    numbers = [n for n in column(tables["CompanyRegister"], "注册号") if n != "-"]
    assert len(set(numbers)) == len(numbers)
    assert all(registration_check(number[:14]) == number[14] for number in numbers)


def check_companies(tables: dict[str, Rows]) -> None:
    registered = {row["公司名称"]: row for row in tables["CompanyRegister"]}
    listed = {row["公司名称"]: row for row in tables["CompanyInfo"]}
    for name, row in listed.items():
        register = registered[name]
        assert day(row["成立日期"]) < day(row["上市日期"]) < date(2019, 1, 1)
        assert row["成立日期"] == register["成立日期"]
        assert row["注册地址"] == register["企业地址"]
        assert row["法人代表"] == register["法定代表人"]
    for row in tables["SubCompanyInfo"]:
        assert row["关联上市公司全称"] in listed
        assert row["公司名称"] in registered
        assert row["公司名称"] not in listed
        share = row["上市公司参股比例"]
        assert share in MISSING or 0 < float(text(share)) <= 100
        amount = text(row["上市公司投资金额"])
        assert amount in MISSING or re.fullmatch(r"\d+|\d+\.\d\d[万亿]", amount), amount
    assert len(registered) == len(listed) + len(tables["SubCompanyInfo"])
    for row in registered.values():
        code = text(row["统一社会信用代码"])
        total = sum(3**i % 31 * LETTERS.index(letter) for i, letter in enumerate(code[:17]))
        assert (total + LETTERS.index(code[17])) % 31 == 0
        assert text(row["组织机构代码"]).replace("-", "") == code[8:17]
        assert day(row["成立日期"]) < date(2019, 1, 1)
        assert re.fullmatch(r"\d+(\.\d+)?万", text(row["注册资本"]))
        assert re.fullmatch(r"-|154\d{8}|01\d\d-\d{7,8}", text(row["联系电话"]))
        assert re.fullmatch(r"-|[a-z]+\d+@[a-z]+\.example", text(row["联系邮箱"]))


def check_places(tables: dict[str, Rows]) -> None:
    regions = {row["地址"]: tuple(row[name] for name in REGION) for row in tables["AddrInfo"]}
    used = []
    for table, address, prefix in (
        ("CourtInfo", "法院地址", "法院"),
        ("LawfirmInfo", "事务所地址", "事务所"),
    ):
        for row in tables[table]:
            used.append(row[address])
            assert regions[row[address]] == tuple(row[prefix + name] for name in REGION)
    for table, address in (
        ("CompanyRegister", "企业地址"),
        ("CompanyInfo", "注册地址"),
        ("CompanyInfo", "办公地址"),
    ):
        used += [row[address] for row in tables[table]]
    assert set(regions) == set(used)
    assert all(text(county) in text(address) for address, (_, _, county) in regions.items())
    coded = {row["法院名称"] for row in tables["CourtCode"]}
    assert coded <= {row["法院名称"] for row in tables["CourtInfo"]}
    municipal = [region for region in regions.values() if region[0] == region[1]]
    assert municipal
    seats = {tuple(row["法院" + name] for name in REGION) for row in tables["CourtInfo"]}
    assert set(regions.values()) <= seats, "every county has a court"


def check_courts(tables: dict[str, Rows]) -> None:
    """A court sits in the region whose name and code it bears."""
    pages = {row["法院名称"]: row for row in tables["CourtInfo"]}
    for row in tables["CourtCode"]:
        name, code, division = text(row["法院名称"]), text(row["法院代字"]), str(row["区划代码"])
        province, city, county = (text(pages[name]["法院" + part]) for part in REGION)
        level = row["法院级别"]
        if level == "基层法院":
            assert name in {f"{city}{county}人民法院", f"{county}人民法院"}
            assert len(code) == 5
        elif level == "高级法院":
            assert name == f"{province}高级人民法院"
            assert len(code) == 1
        elif name.endswith("中级人民法院"):
            assert city in name
            assert len(code) == 3
        if division != " -":
            assert len(division) == 6
            assert division[2:].removesuffix("00").removesuffix("00") == code[1:]
    by_sign = {(row["法院代字"], str(row["区划代码"])[:2]) for row in tables["CourtCode"]}
    heads = {(str(code)[0], division) for code, division in by_sign if division != " -"}
    assert len(heads) == len({sign for sign, _ in heads}) == len({head for _, head in heads})


def court_of(tables: dict[str, Rows]) -> dict[Cell, Cell]:
    return {row["法院代字"]: row["法院名称"] for row in tables["CourtCode"]}


def split(case_number: Cell) -> tuple[int, str, str]:
    found = CASE_NUMBER.fullmatch(text(case_number))
    assert found, case_number
    return int(found[1]), found[2], found[3]


def check_judgments(tables: dict[str, Rows]) -> None:
    courts, registered = court_of(tables), set(column(tables["CompanyRegister"], "公司名称"))
    firms = set(column(tables["LawfirmInfo"], "律师事务所名称"))
    judgments = {row["案号"]: row for row in tables["LegalDoc"]}
    for number, row in judgments.items():
        year, code, kind = split(number)
        assert code in courts
        assert 2019 <= year <= 2021
        assert year <= day(row["日期"]).year <= year + 1
        assert row["文件名"] == f"{number}.txt"
        sides = text(row["原告"]).split(","), text(row["被告"]).split(",")
        parties = [*sides[0], *sides[1]]
        assert row["关联公司"] in parties
        assert len(set(parties)) == len(parties)
        for party in parties:
            if party.endswith("公司"):
                assert party in registered
        for side in ("原告律师事务所", "被告律师事务所"):
            if row[side] not in MISSING:
                assert set(text(row[side]).split(",")) <= firms
        assert text(row["标题"]).endswith(text(row["文书类型"]))
        assert ("执行" in text(row["文书类型"])) <= kind.startswith("执")
        amount = row["涉案金额（元）"]
        assert isinstance(amount, float)
        if amount:
            assert f"{amount:.2f}".rstrip("0").rstrip(".") in text(row["判决结果"])
        assert "\n" not in text(row["判决结果"])
    for row in tables["LegalAbstract"]:
        judgment = judgments[row["案号"]]
        assert row["文件名"] == judgment["文件名"]
        assert text(judgment["关联公司"]) in text(row["文本摘要"])
    for row in tables["LawfirmLog"]:
        assert row["律师事务所名称"] in firms


def check_enforcement(tables: dict[str, Rows]) -> None:
    courts = court_of(tables)
    registered = {row["公司名称"]: row for row in tables["CompanyRegister"]}
    judged = {row["案号"] for row in tables["LegalDoc"]}
    seen: dict[Cell, tuple[Cell, ...]] = {}
    for table, company, applicant, last in (
        ("RestrictionCase", "限制高消费企业名称", "申请人", "限高发布日期"),
        ("FinalizedCase", "终本公司名称", "疑似申请执行人", "终本日期"),
        ("DishonestyCase", "失信被执行公司名称", "疑似申请执行人", "发布日期"),
    ):
        for row in tables[table]:
            year, code, kind = split(row["案号"])
            assert courts[code] == row["执行法院"]
            assert kind == "执"
            assert year == day(row["立案日期"]).year
            assert day(row["立案日期"]) < day(row[last]) <= STANDSTILL
            assert row["案号"] not in judged
            assert row[company] in registered
            if text(row[applicant]).endswith("公司"):
                assert row[applicant] in registered
            facts = row[company], row["立案日期"], row[applicant]
            assert seen.setdefault(row["案号"], facts) == facts
    for row in tables["RestrictionCase"]:
        assert row["法定代表人"] == registered[row["限制高消费企业名称"]]["法定代表人"]
        amount = row["涉案金额（元）"]
        assert amount == "-" or float(amount or 0) > 0
    for row in tables["FinalizedCase"]:
        wanted, left = row["执行标的（元）"], row["未履行金额（元）"]
        assert isinstance(wanted, float)
        assert left == "-" or 0 < float(left or 0) <= wanted
    shared = {row["案号"] for row in tables["FinalizedCase"]}
    assert shared & {row["案号"] for row in tables["RestrictionCase"]}
    assert shared & {row["案号"] for row in tables["DishonestyCase"]}


def check_penalties(tables: dict[str, Rows]) -> None:
    registered = set(column(tables["CompanyRegister"], "公司名称"))
    counties = {text(row["区县"]) for row in tables["AddrInfo"]}
    for row in tables["AdministrativeCase"]:
        assert row["行政处罚公司名称"] in registered
        assert 2019 <= day(row["处罚日期"]).year <= 2021
        assert str(day(row["处罚日期"]).year) in text(row["案号"])
        office = text(row["处罚单位"])
        assert office in {"-", NATIONAL} or any(office.startswith(county) for county in counties)
        fine = row["处罚金额（元）"]
        assert fine == "-" or (isinstance(fine, int | float) and fine > 0)
