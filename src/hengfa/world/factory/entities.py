"""What leads from one tool to the next: kinds of identifiers, and the columns that hold them.

The kinds are those of the specification, section 6.1. The number of a penalty decision is a kind of
its own, since no court gave it. Only the names of the columns are written down here; what a tool
takes and gives follows from the schema, in :mod:`hengfa.world.factory.graph`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from hengfa.world.schema import Table


class Entity(StrEnum):
    """A kind of identifier."""

    COMPANY = "company"
    SHORT = "short name or stock code"
    CREDIT = "credit code"
    CASE = "case number"
    DECISION = "decision number"
    COURT = "court"
    COURT_CODE = "court code"
    FIRM = "law firm"
    ADDRESS = "address"
    REGION = "region"
    AUTHORITY = "authority"


_COLUMNS: Final[dict[Entity, tuple[str, ...]]] = {
    Entity.COMPANY: (
        "公司名称",
        "关联上市公司全称",
        "关联公司",
        "原告",
        "被告",
        "限制高消费企业名称",
        "终本公司名称",
        "失信被执行公司名称",
        "行政处罚公司名称",
        "申请人",
        "疑似申请执行人",
    ),
    Entity.SHORT: ("公司简称", "公司代码"),
    Entity.CREDIT: ("统一社会信用代码",),
    Entity.CASE: ("案号",),
    Entity.COURT: ("法院名称", "执行法院"),
    Entity.COURT_CODE: ("法院代字",),
    Entity.FIRM: ("律师事务所名称", "原告律师事务所", "被告律师事务所"),
    Entity.ADDRESS: ("注册地址", "办公地址", "企业地址", "法院地址", "事务所地址", "地址"),
    Entity.AUTHORITY: ("处罚单位",),
}
_HELD: Final = {column: entity for entity, columns in _COLUMNS.items() for column in columns}
_DECISIONS: Final = "AdministrativeCase"
_REGION_WORDS: Final = ("province", "city", "county")


def held(table: Table, column: str) -> Entity | None:
    """What a cell of this column identifies, if anything."""
    found = _HELD.get(column)
    if found is Entity.CASE and table.name == _DECISIONS:
        return Entity.DECISION
    return found


def region_columns(table: Table) -> tuple[str, ...]:
    """Province, city and county, where a table has them; else nothing."""
    named = {column.english: column.name for column in table.columns}
    found = tuple(named[word] for word in _REGION_WORDS if word in named)
    return found if len(found) == len(_REGION_WORDS) else ()
