"""Every answer again, by plain SQL and Python that share nothing with the factory but the plan."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from hengfa.world.factory.graph import Entity
from hengfa.world.factory.task import Filter, Hop, Plan, Task
from tests.world.test_factory_worlds import generated_file, thousand_tasks

Row = dict[str, Any]
TABLE = {
    "get_company_info": ("CompanyInfo", "公司名称", "公司简称", "公司代码"),
    "get_company_register": ("CompanyRegister", "公司名称"),
    "get_company_register_name": ("CompanyRegister", "统一社会信用代码"),
    "get_sub_company_info": ("SubCompanyInfo", "公司名称"),
    "get_sub_company_info_list": ("SubCompanyInfo", "关联上市公司全称"),
    "get_legal_document": ("LegalDoc", "案号"),
    "get_legal_abstract": ("LegalAbstract", "案号"),
    "get_legal_document_company_list": ("LegalDoc", "关联公司"),
    "get_legal_document_law_list": ("LegalDoc", "原告律师事务所", "被告律师事务所"),
    "get_court_info": ("CourtInfo", "法院名称"),
    "get_court_info_list": ("CourtInfo", "法院省份", "法院城市", "法院区县"),
    "get_court_code": ("CourtCode", "法院名称", "法院代字"),
    "get_lawfirm_info": ("LawfirmInfo", "律师事务所名称", "律师事务所唯一编码"),
    "get_lawfirm_info_list": ("LawfirmInfo", "事务所省份", "事务所城市", "事务所区县"),
    "get_lawfirm_log": ("LawfirmLog", "律师事务所名称"),
    "get_address_info": ("AddrInfo", "地址"),
    "get_restriction_case": ("RestrictionCase", "案号"),
    "get_restriction_case_company_list": ("RestrictionCase", "限制高消费企业名称"),
    "get_restriction_case_court_list": ("RestrictionCase", "执行法院"),
    "get_finalized_case": ("FinalizedCase", "案号"),
    "get_finalized_case_company_list": ("FinalizedCase", "终本公司名称"),
    "get_finalized_case_court_list": ("FinalizedCase", "执行法院"),
    "get_dishonesty_case": ("DishonestyCase", "案号"),
    "get_dishonesty_case_company_list": ("DishonestyCase", "失信被执行公司名称"),
    "get_dishonesty_case_court_list": ("DishonestyCase", "执行法院"),
    "get_administrative_case": ("AdministrativeCase", "案号"),
    "get_administrative_case_company_list": ("AdministrativeCase", "行政处罚公司名称"),
    "get_administrative_case_court_list": ("AdministrativeCase", "处罚单位"),
}
COUNTED = {
    "SubCompanyInfo": "家",
    "CourtInfo": "家",
    "LawfirmInfo": "家",
    "AdministrativeCase": "次",
}
SAID = {
    "业务量排名": "第{}名",
    "服务已上市公司": "{}家",
    "报告期间所服务上市公司违规事件": "{}起",
    "报告期所服务上市公司接受立案调查": "{}起",
    "参保人数": "{}人",
}
YUAN = {
    "涉案金额（元）",
    "未履行金额（元）",
    "执行标的（元）",
    "处罚金额（元）",
    "首发价格（元）",
}
MONEY = {"注册资本", "事务所注册资本", "上市公司投资金额"}
SEVERAL = {"原告", "被告", "原告律师事务所", "被告律师事务所", "申请人", "疑似申请执行人"}


def number(cell: Any) -> Decimal | None:
    found = re.fullmatch(r"\s*([0-9.]+)([万亿]?)\s*", str(cell))
    if found is None:
        return None
    return Decimal(found[1]) * {"": 1, "万": 10**4, "亿": 10**8}[found[2]]


def day(cell: Any) -> date | None:
    found = re.fullmatch(r"([0-9]{4})年([0-9]{2})月([0-9]{2})日", str(cell))
    return date(*map(int, found.groups())) if found else None


def in_unit(value: Decimal) -> str:
    for unit, name in ((10**8, "亿元"), (10**4, "万元")):
        if value >= unit and (value * 100) % unit == 0:
            return f"{value / unit:.2f}{name}"
    return f"{value:.2f}元"


class Recomputed:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def rows(self, tool: str, values: tuple[str, ...]) -> list[Row]:
        table, *columns = TABLE[tool]
        word = " AND " if len(values) == 3 else " OR "
        where = word.join(f'"{column}" = ?' for column in columns)
        given = values if len(values) == 3 else values * len(columns)
        sql = f'SELECT * FROM "{table}" WHERE {where} ORDER BY id'
        cursor = self.connection.execute(sql, given)
        names = [one[0] for one in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def keys(self, plan: Plan) -> tuple[str, ...]:
        values = plan.start.values
        if plan.start.entity is Entity.CASE and plan.hops[0].tool == "get_court_code":
            values = (code(values[0]),)
        for place, hop in enumerate(plan.hops[:-1]):
            kept = self.kept(hop, values)
            if hop.each:
                return self.each(plan, hop, [row[hop.link[0]] for row in kept])
            assert place < len(plan.hops) - 1
            if hop.pick and hop.pick.order == "frequent":
                values = (mode(kept, hop.pick.column),)
                continue
            row = chosen(hop, kept)
            values = tuple(row[column] for column in hop.link)
            values = (code(values[0]),) if hop.cut else values
        return self.asked(plan, values)

    def kept(self, hop: Hop, values: tuple[str, ...]) -> list[Row]:
        found = self.rows(hop.tool, values)
        return [row for row in found if all(keep(row, one, values[0]) for one in hop.filters)]

    def each(self, plan: Plan, hop: Hop, names: list[str]) -> tuple[str, ...]:
        last = plan.hops[-1].tool
        counts = [len(self.rows(last, (name,))) for name in dict.fromkeys(names)]
        if plan.ask.kind == "each_total":
            return (f"{sum(counts)}{COUNTED.get(TABLE[last][0], '件')}",)
        return (f"{sum(map(bool, counts))}{COUNTED.get(TABLE[hop.tool][0], '件')}",)

    def asked(self, plan: Plan, values: tuple[str, ...]) -> tuple[str, ...]:
        hop, ask = plan.hops[-1], plan.ask
        kept = self.kept(hop, values)
        if ask.kind == "listed":
            return ("是上市公司" if kept else "不是上市公司",)
        if ask.kind in ("count", "sum", "share", "names"):
            return of_all(plan, kept, values[0])
        if hop.pick and hop.pick.order == "frequent":
            return (mode(kept, hop.pick.column),)
        row = chosen(hop, kept)
        if ask.kind == "mentions":
            return (re.findall(r"[0-9]{4}年[0-9]{2}月[0-9]{2}日", row["文本摘要"])[0],)
        if ask.kind == "days":
            first, second = (day(row[column]) for column in ask.columns)
            assert first and second
            return (f"{abs((first - second).days)}天",)
        return tuple(text for column in ask.columns for text in cell(column, row[column]))


def of_all(plan: Plan, kept: list[Row], asked: str) -> tuple[str, ...]:
    ask, table = plan.ask, TABLE[plan.hops[-1].tool][0]
    if ask.kind == "sum":
        total = sum((number(row[ask.columns[0]]) or Decimal(0) for row in kept), Decimal(0))
        return (f"{total:.2f}元" if ask.columns[0] in YUAN else in_unit(total),)
    if ask.kind == "share":
        assert ask.of is not None
        part = sum(keep(row, ask.of, asked) for row in kept)
        return (f"{Decimal(100 * part) / len(kept):.2f}%",)
    if ask.kind == "names":
        return tuple(dict.fromkeys(row[ask.columns[0]] for row in kept))
    return (f"{len(kept)}{COUNTED.get(table, '件')}",)


def cell(column: str, value: Any) -> list[str]:
    if column in SEVERAL:
        return list(dict.fromkeys(part.strip() for part in value.split(",") if part.strip() != "-"))
    if column in YUAN:
        return [f"{number(value):.2f}元"]
    if column in MONEY:
        return [in_unit(number(value) or Decimal(0))]
    if column == "上市公司参股比例":
        return [f"{float(value):g}"]
    return [SAID.get(column, "{}").format(str(value).strip())]


def keep(row: Row, one: Filter, asked: str) -> bool:
    value = row[one.column]
    if one.kind == "role":
        return asked in str(value).split(",")
    if one.kind == "year":
        return bool(re.match(f"{one.value}年", str(value)))
    if one.kind == "over":
        return (number(value) or Decimal(0)) > int(one.value or 0)
    return number(value) == one.value if isinstance(one.value, int) else value == one.value


def chosen(hop: Hop, rows: list[Row]) -> Row:
    if hop.pick is None:
        (only,) = rows
        return only
    column, order = hop.pick.column, hop.pick.order
    dated = order in ("latest", "earliest")
    valued = [(day(row[column]) if dated else number(row[column]), row) for row in rows]
    ranked: list[Any] = [one for one in valued if one[0] is not None]
    ranked.sort(key=lambda one: one[0], reverse=order not in ("smallest", "earliest"))
    place = 1 if order == "second" else 0
    others = [one for n, one in enumerate(ranked) if n != place]
    assert all(one[0] != ranked[place][0] for one in others)
    row: Row = ranked[place][1]
    return row


def mode(rows: list[Row], column: str) -> str:
    said = (row[column] for row in rows if str(row[column] or "-").strip() not in ("-", ""))
    (first, times), *rest = Counter(said).most_common(2)
    assert not rest or rest[0][1] < times
    return str(first)


def code(case: str) -> str:
    found = re.match(r"（[0-9]{4}）(最高法|[一-鿿][0-9]*)", case)
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def recomputed() -> Iterator[Recomputed]:
    connection = sqlite3.connect(generated_file())
    yield Recomputed(connection)
    connection.close()


def on_paths() -> list[tuple[Task, Plan]]:
    return [(task, task.plan) for task in thousand_tasks()[0] if isinstance(task.plan, Plan)]


def test_every_answer_is_what_plain_sql_and_python_find(recomputed: Recomputed) -> None:
    wrong = {
        task.id: (task.key, again)
        for task, plan in on_paths()
        if (again := recomputed.keys(plan)) != task.key
    }
    assert wrong == {}


def test_every_kind_of_question_and_selector_is_among_them() -> None:
    plans = [plan for _, plan in on_paths()]
    assert {plan.ask.kind for plan in plans} == {
        "cells",
        "count",
        "sum",
        "share",
        "names",
        "days",
        "listed",
        "mentions",
        "each_has",
        "each_total",
    }
    picks = {hop.pick.order for plan in plans for hop in plan.hops if hop.pick}
    assert picks == {"largest", "second", "smallest", "latest", "earliest", "frequent"}
    kinds = {one.kind for plan in plans for hop in plan.hops for one in hop.filters}
    assert kinds == {"year", "over", "equals", "role"}


def test_no_question_tells_its_answer_and_none_is_trivial() -> None:
    for task, _ in on_paths():
        assert not any(key in task.question for key in task.key), task.id
        assert not any(key.strip() in ("-", "无", "") or len(key) < 2 for key in task.key), task.id
        assert len(set(task.key)) == len(task.key), task.id


def test_the_question_has_every_piece_that_must_stay() -> None:
    for task, plan in on_paths():
        assert all(piece in task.question for piece in task.keep), task.id
        assert all(value in task.question for value in plan.start.values), task.id


def test_most_paths_have_two_starts_and_the_type_tells_the_path() -> None:
    types = Counter(task.type for task, _ in on_paths())
    assert max(types.values()) == 2
    assert sum(times == 2 for times in types.values()) > 0.8 * len(types)
    ways: dict[str, str] = {}
    for task, _ in on_paths():
        assert ways.setdefault(task.type, task.way) == task.way
        assert task.way.count("----") == task.hops - 1
        assert task.type.startswith(f"{task.hops}-")
