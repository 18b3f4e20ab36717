"""A small fictional world for tests: every table has a row or two."""

from __future__ import annotations

from pathlib import Path

from hengfa.world.tables.schema import TABLE_OF
from hengfa.world.tables.world import Row, World, write_world

COMPANY = "青岚科技股份有限公司"
SUBSIDIARY = "白鹭物流有限公司"
FIRM = "晓山律师事务所"
COURT = "云川市青岚区人民法院"
CASE = "（2020）云0101民初12号"
CREDIT = "91990000MA00000000"
REGION = ("云川省", "云川市", "青岚区")


def row(table: str, **cells: str | int | float | None) -> Row:
    """A whole row: cells that are not given are blank."""
    return dict.fromkeys(TABLE_OF[table].names) | {
        name.replace("_元", "（元）"): cell for name, cell in cells.items()
    }


def judgment(number: int, *, plaintiff: str | None = FIRM, other: str | None = None) -> Row:
    return row(
        "LegalDoc",
        关联公司=COMPANY,
        标题=f"第{number}份判决书",
        案号=f"（2020）云0101民初{number}号",
        原告律师事务所=plaintiff,
        被告律师事务所=other,
        涉案金额_元=number * 1.5,
        判决结果="驳回\\n上诉",
        日期=f"2020年01月{number:02}日",
    )


TABLES: dict[str, list[Row]] = {
    "CompanyInfo": [
        row(
            "CompanyInfo",
            公司名称=COMPANY,
            公司简称="青岚科技",
            公司代码="000001",
            曾用简称="-",
            成立日期="2001年02月03日",
            邮政编码=100001,
            每股面值_元=1.0,
        )
    ],
    "CompanyRegister": [
        row("CompanyRegister", 公司名称=COMPANY, 统一社会信用代码=CREDIT, 注册资本="9000万")
    ],
    "SubCompanyInfo": [
        row(
            "SubCompanyInfo",
            关联上市公司全称=COMPANY,
            上市公司参股比例="90.0",
            上市公司投资金额=invested,
            公司名称=name,
        )
        for name, invested in ((SUBSIDIARY, "1.06亿"), ("黑石矿业有限公司", "-"))
    ],
    "LegalDoc": [
        judgment(12),
        judgment(3, plaintiff=None, other=FIRM),
        judgment(4, plaintiff="他山律师事务所"),
    ],
    "CourtInfo": [
        row("CourtInfo", 法院名称=COURT, 法院省份="云川省", 法院城市="云川市", 法院区县="青岚区")
    ],
    "CourtCode": [row("CourtCode", 法院名称=COURT, 法院代字="云0101", 区划代码=" -", 级别=1)],
    "LawfirmInfo": [
        row(
            "LawfirmInfo",
            律师事务所名称=FIRM,
            律师事务所唯一编码="LF01",
            事务所省份="云川省",
            事务所城市="云川市",
            事务所区县="青岚区",
        )
    ],
    "AddrInfo": [
        row("AddrInfo", 地址="青岚区星光路1号", 省份="云川省", 城市="云川市", 区县="青岚区")
    ],
    "RestrictionCase": [
        row(
            "RestrictionCase",
            限制高消费企业名称=SUBSIDIARY,
            案号=f"（2021）云0101执{number}号",
            涉案金额_元=sum_,
            执行法院=COURT,
        )
        for number, sum_ in ((1, "740564"), (2, 20), (3, "-"), (4, 10.25))
    ],
}
TEXTS = {
    "LegalArticle": ["灯塔法第一条：灯塔须长明。", "灯塔法第二条：守塔人不得离岗。"],
    "LegalKnowledge": ["灯塔的法律地位", "守塔人的义务"],
    "LegalCases": ["某灯塔熄灭致船舶触礁案"],
}


def write(file: Path) -> Path:
    write_world(file, TABLES, TEXTS, source="test", note="fictional")
    return file


def opened(folder: Path) -> World:
    return World.open(write(folder / "tiny.sqlite"))
