"""The words in which questions speak of tools and columns; facts for the questions, no logic.

In templates `{x}` is who or what is asked about, `{f}` the conditions on rows, `{r}` the role and
`{y}` a year where the verb takes it. For tables and tools that were declared the declaration has
the words; the functions at the end give those of either.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from hengfa.world.tables.cells import is_number
from hengfa.world.tables.schema import Column, Entity, Lookup, Schema, Table


class Asked(NamedTuple):
    """A column as something that is asked for: its noun, the question word, the whole question
    where people would not say noun and question word, and for plain numbers what people say with
    them. `several` cells may name several, joined by commas."""

    noun: str
    question: str = "是什么"
    whole: str = ""
    unit: str = ""
    before: str = ""
    several: bool = False


class ListWords(NamedTuple):
    """The rows of a list tool: all of them, those under conditions, the first of them (`{s}` says
    by what), one of them and what it is, the word that counts them, how their number is asked for
    over a list, what is true of somebody who has such rows, and the role where none is said."""

    all: str
    under: str
    first: str
    one: str
    noun: str
    measure: str
    total: str = ""
    has: str = ""
    role: str = ""


WHO, WHERE, WHICH, MUCH, DAY = "是谁", "在哪里", "是哪家", "是多少", "是哪一天"
FOUNDED: Final = "{x}是哪一天成立的"
IS_WHICH: Final = "{x}是哪一家"

ASKED: Final[dict[str, dict[str, Asked]]] = {
    "CompanyInfo": {
        "公司简称": Asked("证券简称"),
        "公司代码": Asked("证券代码", MUCH),
        "英文名称": Asked("英文名称"),
        "所属市场": Asked("上市板块", whole="{x}在哪个板块上市"),
        "所属行业": Asked("所属行业", whole="{x}属于哪个行业"),
        "成立日期": Asked("成立日期", DAY, FOUNDED),
        "上市日期": Asked("上市日期", DAY, "{x}是哪一天上市的"),
        "法人代表": Asked("法人代表", WHO),
        "总经理": Asked("总经理", WHO),
        "董秘": Asked("董事会秘书", WHO),
        "注册地址": Asked("注册地址", WHERE),
        "办公地址": Asked("办公地址", WHERE),
        "联系电话": Asked("联系电话", MUCH),
        "传真": Asked("传真号码", MUCH),
        "官方网址": Asked("官网地址"),
        "电子邮箱": Asked("电子邮箱"),
        "首发价格（元）": Asked("首次公开发行价格", MUCH),
        "首发主承销商": Asked("首次公开发行的主承销商", WHICH),
    },
    "CompanyRegister": {
        "公司名称": Asked("企业名称", whole=IS_WHICH),
        "统一社会信用代码": Asked("统一社会信用代码", MUCH),
        "法定代表人": Asked("法定代表人", WHO),
        "注册资本": Asked("注册资本", MUCH),
        "成立日期": Asked("成立日期", DAY),
        "企业地址": Asked("地址", WHERE),
        "联系电话": Asked("联系电话", MUCH),
        "联系邮箱": Asked("联系邮箱"),
        "注册号": Asked("注册号", MUCH),
        "组织机构代码": Asked("组织机构代码", MUCH),
        "参保人数": Asked("参保人数", "是多少人", unit="人"),
        "行业一级": Asked("一级行业"),
        "行业二级": Asked("二级行业"),
        "行业三级": Asked("三级行业"),
    },
    "SubCompanyInfo": {
        "关联上市公司全称": Asked("上市母公司", WHICH),
        "上市公司参股比例": Asked("参股比例", MUCH, "上市母公司对{x}的参股比例是多少", "%"),
        "上市公司投资金额": Asked("投资金额", MUCH, "上市母公司对{x}的投资金额是多少"),
        "公司名称": Asked("名称", whole="{x}是哪家公司"),
    },
    "LegalDoc": {
        "案号": Asked("案号"),
        "文书类型": Asked("文书类型"),
        "原告": Asked("原告", WHO, several=True),
        "被告": Asked("被告", WHO, several=True),
        "原告律师事务所": Asked("原告代理律所", WHICH, several=True),
        "被告律师事务所": Asked("被告代理律所", WHICH, several=True),
        "案由": Asked("案由"),
        "涉案金额（元）": Asked("涉案金额", MUCH),
        "日期": Asked("裁判日期", DAY),
    },
    "LegalAbstract": {"文本摘要": Asked("文书摘要中载明的日期", DAY)},
    "CourtInfo": {
        "法院名称": Asked("名称", whole=IS_WHICH),
        "法院负责人": Asked("负责人", WHO),
        "成立日期": Asked("成立日期", DAY, FOUNDED),
        "法院地址": Asked("地址", WHERE),
        "法院官网": Asked("官网地址"),
    },
    "CourtCode": {
        "法院名称": Asked("名称", whole=IS_WHICH),
        "行政级别": Asked("行政级别"),
        "法院级别": Asked("法院级别", whole="{x}属于哪一级法院"),
        "法院代字": Asked("法院代字"),
        "区划代码": Asked("行政区划代码", MUCH),
    },
    "LawfirmInfo": {
        "律师事务所名称": Asked("名称", whole=IS_WHICH),
        "律师事务所唯一编码": Asked("唯一编码", MUCH),
        "律师事务所负责人": Asked("负责人", WHO),
        "事务所注册资本": Asked("注册资本", MUCH),
        "事务所成立日期": Asked("成立日期", DAY, FOUNDED),
        "事务所地址": Asked("地址", WHERE),
        "通讯电话": Asked("联系电话", MUCH),
        "通讯邮箱": Asked("联系邮箱"),
        "律所登记机关": Asked("登记机关", "是哪个"),
    },
    "LawfirmLog": {
        "业务量排名": Asked("业务量排名", "是第几名", "{x}的业务量排在第几名", "名", "第"),
        "服务已上市公司": Asked(
            "服务的已上市公司数量", MUCH, "{x}为多少家已上市公司提供服务", "家"
        ),
        "报告期间所服务上市公司违规事件": Asked(
            "所服务上市公司的违规事件数量",
            MUCH,
            "{x}服务的上市公司在报告期内发生了多少起违规事件",
            "起",
        ),
        "报告期所服务上市公司接受立案调查": Asked(
            "所服务上市公司的立案调查数量",
            MUCH,
            "{x}服务的上市公司在报告期内被立案调查了多少起",
            "起",
        ),
    },
    "AddrInfo": {
        "省份": Asked("省份"),
        "城市": Asked("城市"),
        "区县": Asked("区县"),
    },
    "RestrictionCase": {
        "限制高消费企业名称": Asked("被限高企业", WHICH),
        "案号": Asked("案号"),
        "法定代表人": Asked("被限高企业的法定代表人", WHO),
        "申请人": Asked("申请人", WHO, several=True),
        "涉案金额（元）": Asked("涉案金额", MUCH),
        "执行法院": Asked("执行法院", WHICH),
        "立案日期": Asked("立案日期", DAY),
        "限高发布日期": Asked("限高令发布日期", DAY),
    },
    "FinalizedCase": {
        "终本公司名称": Asked("被执行公司", WHICH),
        "案号": Asked("案号"),
        "疑似申请执行人": Asked("疑似申请执行人", WHO, several=True),
        "未履行金额（元）": Asked("未履行金额", MUCH),
        "执行标的（元）": Asked("执行标的额", MUCH),
        "执行法院": Asked("执行法院", WHICH),
        "立案日期": Asked("立案日期", DAY),
        "终本日期": Asked("终本日期", DAY),
    },
    "DishonestyCase": {
        "失信被执行公司名称": Asked("失信公司", WHICH),
        "案号": Asked("案号"),
        "疑似申请执行人": Asked("疑似申请执行人", WHO, several=True),
        "涉案金额（元）": Asked("涉案金额", MUCH),
        "执行法院": Asked("执行法院", WHICH),
        "立案日期": Asked("立案日期", DAY),
        "发布日期": Asked("失信信息发布日期", DAY),
    },
    "AdministrativeCase": {
        "行政处罚公司名称": Asked("被处罚公司", WHICH),
        "案号": Asked("决定书文号"),
        "处罚金额（元）": Asked("处罚金额", MUCH),
        "处罚单位": Asked("处罚机关", "是哪个"),
        "处罚日期": Asked("处罚日期", DAY),
    },
}
"""Columns that can be asked for. Prose cannot: nobody repeats it to the letter."""

LISTS: Final[dict[str, ListWords]] = {
    "get_sub_company_info_list": ListWords(
        "{x}旗下子公司",
        "{x}旗下{f}子公司",
        "{x}旗下{s}的子公司",
        "一家",
        "子公司",
        "家",
        "{x}总共有多少家子公司",
        "旗下有子公司",
    ),
    "get_legal_document_company_list": ListWords(
        "{x}{r}的案件",
        "{x}{r}、{f}案件",
        "{x}{s}的涉诉案件",
        "一件",
        "案件",
        "件",
        "{x}总共有多少件涉诉案件",
        "有涉诉案件",
        "涉诉",
    ),
    "get_legal_document_law_list": ListWords(
        "{x}{r}的案件",
        "{x}{r}、{f}案件",
        "{x}代理的{s}的案件",
        "一件",
        "案件",
        "件",
        "{x}总共代理了多少件案件",
        "代理过案件",
        "代理",
    ),
    "get_court_info_list": ListWords(
        "{x}的法院", "{x}{f}法院", "{x}{s}的法院", "一家", "法院", "家"
    ),
    "get_lawfirm_info_list": ListWords(
        "{x}的律所", "{x}{f}律所", "{x}{s}的律所", "一家", "律所", "家"
    ),
    "get_restriction_case_company_list": ListWords(
        "{x}被限制高消费的案件",
        "{x}被限制高消费、{f}案件",
        "{x}{s}的限制高消费案件",
        "一件",
        "限高案件",
        "件",
        "{x}总共有多少件限制高消费案件",
        "被限制过高消费",
    ),
    "get_restriction_case_court_list": ListWords(
        "{x}的限制高消费案件",
        "{x}{f}限制高消费案件",
        "{x}{s}的限制高消费案件",
        "一件",
        "限高案件",
        "件",
        "{x}总共有多少件限制高消费案件",
        "办理过限制高消费案件",
    ),
    "get_finalized_case_company_list": ListWords(
        "{x}被终结本次执行的案件",
        "{x}被终结本次执行、{f}案件",
        "{x}{s}的终本案件",
        "一件",
        "终本案件",
        "件",
        "{x}总共有多少件终本案件",
        "有终本案件",
    ),
    "get_finalized_case_court_list": ListWords(
        "{x}的终本案件",
        "{x}{f}终本案件",
        "{x}{s}的终本案件",
        "一件",
        "终本案件",
        "件",
        "{x}总共有多少件终本案件",
        "办理过终本案件",
    ),
    "get_dishonesty_case_company_list": ListWords(
        "{x}被列为失信被执行人的案件",
        "{x}被列为失信被执行人、{f}案件",
        "{x}{s}的失信被执行案件",
        "一件",
        "失信案件",
        "件",
        "{x}总共有多少件失信被执行案件",
        "被列为过失信被执行人",
    ),
    "get_dishonesty_case_court_list": ListWords(
        "{x}的失信被执行案件",
        "{x}{f}失信被执行案件",
        "{x}{s}的失信被执行案件",
        "一件",
        "失信案件",
        "件",
        "{x}总共有多少件失信被执行案件",
        "办理过失信被执行案件",
    ),
    "get_administrative_case_company_list": ListWords(
        "{x}{y}受到的行政处罚",
        "{x}{y}受到的{f}行政处罚",
        "",
        "一次",
        "行政处罚",
        "次",
        "{x}总共受到多少次行政处罚",
        "受过行政处罚",
    ),
    "get_administrative_case_court_list": ListWords(
        "{x}{y}作出的行政处罚", "{x}{y}作出的{f}行政处罚", "", "一次", "行政处罚", "次"
    ),
}

ROLES: Final = {
    "原告": "作为原告",
    "被告": "作为被告",
    "原告律师事务所": "代理原告",
    "被告律师事务所": "代理被告",
}

ONE_ROW: Final[dict[str, tuple[str, str]]] = {
    "get_legal_document": ("{x}案", "{x}的裁判文书"),
    "get_legal_abstract": ("{x}案", "{x}"),
    "get_restriction_case": ("{x}限制高消费案", "{x}的限制高消费记录"),
    "get_finalized_case": ("{x}终本案", "{x}的终本记录"),
    "get_dishonesty_case": ("{x}失信被执行案", "{x}的失信记录"),
}
"""A case by its number, where the number itself is named, and where words stand for it; elsewhere
the row is simply what was asked about."""

RECORD, ON_RECORD = "记录", "载明的"
"""What a record is followed by: 终本记录载明的执行法院."""

REGISTERED: Final = "工商登记的"
"""Whose details are meant: a listed company has them in two tables."""

OF_THE_PARENT: Final = frozenset({"上市公司参股比例", "上市公司投资金额"})
"""Columns that need no owner where the parent itself was asked about."""

AMOUNTS: Final = {
    "上市公司投资金额": "投资额",
    "事务所注册资本": "注册资本",
    "涉案金额（元）": "涉案金额",
    "未履行金额（元）": "未履行金额",
    "执行标的（元）": "执行标的额",
    "处罚金额（元）": "处罚金额",
}
"""Columns by which rows are ranked, summed and filtered."""

DATES: Final = {
    "日期": "裁判",
    "成立日期": "成立",
    "事务所成立日期": "成立",
    "立案日期": "立案",
    "限高发布日期": "发布限高令",
    "终本日期": "终结",
    "发布日期": "公布失信信息",
    "处罚日期": "",
}
"""What happened on that day: 2020年裁判的, 最晚裁判的; of a penalty simply 最晚的."""

ORDERS: Final = {
    "largest": "最高",
    "second": "第二高",
    "smallest": "最低",
    "latest": "最晚",
    "earliest": "最早",
}

WHOLLY_OWNED: Final = "全资"
SHARES: Final = {"上市公司参股比例": WHOLLY_OWNED, "文书类型": "文书类型为{}"}
"""Columns whose one value is a condition."""

LINKS: Final[dict[tuple[str, str], str]] = {
    ("CompanyInfo", "注册地址"): "注册地址",
    ("CompanyInfo", "办公地址"): "办公地址",
    ("CompanyRegister", "企业地址"): "工商登记地址",
    ("SubCompanyInfo", "关联上市公司全称"): "上市母公司",
    ("LegalDoc", "关联公司"): "关联公司",
    ("LegalDoc", "原告"): "原告",
    ("LegalDoc", "被告"): "被告",
    ("LegalDoc", "原告律师事务所"): "原告代理律所",
    ("LegalDoc", "被告律师事务所"): "被告代理律所",
    ("CourtInfo", "法院地址"): "地址",
    ("LawfirmInfo", "事务所地址"): "地址",
    ("RestrictionCase", "限制高消费企业名称"): "被限高企业",
    ("RestrictionCase", "申请人"): "申请人",
    ("RestrictionCase", "执行法院"): "执行法院",
    ("FinalizedCase", "终本公司名称"): "被执行公司",
    ("FinalizedCase", "疑似申请执行人"): "疑似申请执行人",
    ("FinalizedCase", "执行法院"): "执行法院",
    ("DishonestyCase", "失信被执行公司名称"): "失信公司",
    ("DishonestyCase", "疑似申请执行人"): "疑似申请执行人",
    ("DishonestyCase", "执行法院"): "执行法院",
    ("AdministrativeCase", "行政处罚公司名称"): "被处罚公司",
    ("AdministrativeCase", "处罚单位"): "处罚机关",
}
"""What a cell is to the row; elsewhere it is the row itself: a subsidiary, a court, a law firm."""

REGION_OF: Final = "所在区县"
COURT_BY_NUMBER: Final = "受理法院"

STARTS: Final[Mapping[str, str]] = {
    Entity.CREDIT: "统一社会信用代码为{}的企业",
    Entity.DECISION: "{}行政处罚决定",
    Entity.ADDRESS: "“{}”这一地址",
    Entity.COURT_CODE: "法院代字为{}的法院",
}
"""How what is named is put; elsewhere it speaks for itself."""
SHORT_NAME, STOCK_CODE = "证券简称为“{}”的上市公司", "证券代码为{}的上市公司"
COURT_OF_CASE: Final = "{}案的受理法院"

NOUNS: Final[Mapping[str, tuple[str, str, str]]] = {
    Entity.COMPANY: ("公司", "一家公司", "这家公司"),
    Entity.SHORT: ("公司", "一家公司", "这家公司"),
    Entity.CREDIT: ("公司", "一家公司", "这家公司"),
    Entity.CASE: ("案件", "一件案子", "这件案子"),
    Entity.DECISION: ("行政处罚", "一次行政处罚", "这次行政处罚"),
    Entity.COURT: ("法院", "一家法院", "这家法院"),
    Entity.COURT_CODE: ("法院", "一家法院", "这家法院"),
    Entity.FIRM: ("律所", "一家律所", "这家律所"),
    Entity.ADDRESS: ("地址", "一个地址", "这个地址"),
    Entity.REGION: ("区县", "一个区县", "这个区县"),
    Entity.AUTHORITY: ("机关", "一个机关", "这个机关"),
}
"""What each kind is called, where it is first spoken of, and afterwards."""

# --- who asks, and why ---

_ENFORCING: Final = (
    "我们是债权人，正在评估执行前景。",
    "客户胜诉后一直没有拿到钱，我在替他摸执行方面的情况。",
    "我在银行做贷后管理，执行案件的情况必须掌握。",
    "我们准备申请恢复执行，先把公开记录理一遍。",
)
_CONTRACTING: Final = (
    "合同还没有签，我想先核对主体信息。",
    "我在起草法律文书，当事人信息要写准确。",
    "我们正在做尽职调查，主体资料需要核实。",
    "授信审批前，我要把企业的基本资料核对一遍。",
)
_COURTS: Final = (
    "我在整理受理法院的资料，信息要写准。",
    "我在准备管辖异议的材料，法院信息要核实。",
    "我在核对管辖，想确认法院的信息。",
)
_FIRMS: Final = (
    "公司在考虑更换外聘律所，我负责了解情况。",
    "我要给律所发函，先把信息核实一下。",
    "我在整理代理机构的名录，这一项还空着。",
)
SITUATIONS: Final[dict[str, tuple[str, ...]]] = {
    "CompanyInfo": _CONTRACTING,
    "CompanyRegister": _CONTRACTING,
    "SubCompanyInfo": (
        "我们在做并购尽调，股权关系要理清。",
        "投资部要我把集团的对外投资梳理一遍。",
        "我在画一张股权结构图，这里还差一块。",
    ),
    "LegalDoc": (
        "我在替客户评估诉讼风险，涉诉情况要查清楚。",
        "开庭前我想把相关案件检索一遍。",
        "我们正在做诉讼尽调，裁判记录要逐一核实。",
    ),
    "LegalAbstract": ("开庭前我想把相关案件检索一遍。", "我在整理案件大事记，时间要写准。"),
    "CourtInfo": _COURTS,
    "CourtCode": _COURTS,
    "LawfirmInfo": _FIRMS,
    "LawfirmLog": _FIRMS,
    "AddrInfo": ("我在确认送达地址和管辖。", "要给对方寄送文书，先确认地点。"),
    "RestrictionCase": _ENFORCING,
    "FinalizedCase": _ENFORCING,
    "DishonestyCase": _ENFORCING,
    "AdministrativeCase": (
        "我在做供应商准入审查，合规记录必须查清。",
        "我们在给拟合作的企业做合规体检。",
        "我负责合规，要整理行政处罚的情况。",
    ),
}
"""Why somebody asks for rows of a table. Nothing here names, numbers or asks for anything."""

_CASELOAD: Final = (
    "我们关心当地的执行环境。",
    "我在评估法院的执行力度。",
    "我在整理执行案件的统计。",
)
SITUATIONS_OF_LISTS: Final[dict[str, tuple[str, ...]]] = {
    "get_court_info_list": ("我在替客户确认当地的法院。", "我在核对管辖，要了解当地的法院。"),
    "get_lawfirm_info_list": ("客户要在当地委托律师，我先摸个底。", "我们想在当地物色合作律所。"),
    "get_legal_document_law_list": (
        "公司在考虑更换外聘律所，想看看候选律所的业绩。",
        "我们在评估对方代理律所的办案经验。",
        "我在整理律所的代理业绩。",
    ),
    "get_restriction_case_court_list": _CASELOAD,
    "get_finalized_case_court_list": _CASELOAD,
    "get_dishonesty_case_court_list": _CASELOAD,
    "get_administrative_case_court_list": (
        "我在了解当地的执法力度。",
        "我们在准备一场合规培训，想用些执法数据。",
        "我在写一份执法情况的调研报告。",
    ),
}
"""Likewise for lists by region, law firm, court and authority, about which other people ask."""


_OWN: Final = (
    "我在整理本单位的资料，这一项还空着。",
    "内部核查要用到这项信息。",
    "我在准备一份内部报告，数据要写准。",
)
"""Why somebody asks for rows of a table that was declared."""

# --- the words for a table or a look-up, published or declared ---


def asked_columns(table: Table) -> Mapping[str, Asked]:
    """The columns that can be asked for."""
    return _declared_columns(table) if table.declared else ASKED[table.name]


def asked_words(table: Table, column: str) -> Asked:
    """The words for a column that can be asked for."""
    return asked_columns(table)[column]


def list_words(lookup: Lookup) -> ListWords:
    """The words for the rows of a list."""
    return _declared_list(lookup) if lookup.table.declared else LISTS[lookup.name]


def row_words(lookup: Lookup) -> tuple[str, str] | None:
    """The words for one row, where it is more than what was asked about."""
    if not lookup.table.declared:
        return ONE_ROW.get(lookup.name)
    return (lookup.words.rows, lookup.words.rows) if lookup.words.rows else ("{x}案", "{x}")


@lru_cache(maxsize=256)
def amounts(table: Table) -> Mapping[str, str]:
    """The columns by which rows are ranked, summed and filtered, and what they are called."""
    if not table.declared:
        return {column: noun for column, noun in AMOUNTS.items() if column in table.place}
    return _by_kind(table, "yuan", "money")


@lru_cache(maxsize=256)
def dates(table: Table) -> Mapping[str, str]:
    """What happened on the days of a table: 裁判, and 签订 of a 签订日期."""
    if not table.declared:
        return {column: verb for column, verb in DATES.items() if column in table.place}
    nouns = _by_kind(table, "date")
    return {
        name: noun.removesuffix("日期").removesuffix("时间").removesuffix("日")
        for name, noun in nouns.items()
    }


def condition_words(table: Table, column: str) -> str:
    """A value of a column as a condition."""
    if not table.declared:
        return SHARES[column]
    return table.columns[table.place[column]].condition.removesuffix("的")


def link_words(table: Table, column: str) -> str:
    """What a cell is to its row; nothing where it is the row itself."""
    if not table.declared:
        return LINKS.get((table.name, column), "")
    if column == table.key[0]:
        return ""
    noun = _noun(table.columns[table.place[column]]) or column
    return f"{noun}{_MEANT.get(table.identifiers[column], '')}"


def start_words(entity: str, schema: Schema) -> str:
    """How what is named is put."""
    if entity in schema.identifier_of:
        return schema.identifier_of[entity].named
    return STARTS.get(entity, "{}")


def nouns(entity: str, schema: Schema) -> tuple[str, str, str]:
    """What a kind is called, where it is first spoken of, and afterwards."""
    if entity not in schema.identifier_of:
        return NOUNS[entity]
    own = schema.identifier_of[entity]
    return own.title, f"一{own.measure}{own.title}", f"这{own.measure}{own.title}"


def situations(lookup: Lookup) -> tuple[str, ...]:
    """Why somebody asks for rows of this look-up."""
    if lookup.table.declared:
        return _OWN
    return SITUATIONS_OF_LISTS.get(lookup.name) or SITUATIONS[lookup.table_name]


@lru_cache(maxsize=256)
def _declared_list(lookup: Lookup) -> ListWords:
    said = lookup.words
    every = said.rows.replace("{f}", "")
    return ListWords(
        all=every,
        under=said.rows,
        first="",
        one=f"一{said.measure}",
        noun=said.one,
        measure=said.measure,
        total=f"{every}总共有多少{said.measure}",
        has=said.has,
    )


@lru_cache(maxsize=256)
def _declared_columns(table: Table) -> dict[str, Asked]:
    return {
        column.name: Asked(
            noun,
            column.question or _question(column),
            unit=column.unit,
            before=column.before,
            several=column.several,
        )
        for column in table.columns
        if (noun := _noun(column))
    }


def _by_kind(table: Table, *kinds: str) -> dict[str, str]:
    asked = _declared_columns(table)
    return {name: words.noun for name, words in asked.items() if table.kinds[name] in kinds}


def _noun(column: Column) -> str:
    """Its name without a unit where nothing else is said: 合同金额 of 合同金额（元）."""
    return column.name.removesuffix("（元）") if column.noun is None else column.noun


_MEANT: Final[Mapping[str, str]] = {
    Entity.SHORT: "所指的公司",
    Entity.CREDIT: "对应的公司",
    Entity.DECISION: "对应的行政处罚",
    Entity.COURT_CODE: "对应的法院",
}
"""What goes on with a code or number is who or what it stands for."""


def _question(column: Column) -> str:
    if column.kind == "date":
        return DAY
    if is_number(column.kind):
        return MUCH
    return _QUESTIONS.get(column.holds, "是什么")


_QUESTIONS: Final[Mapping[str, str]] = {
    Entity.ADDRESS: WHERE,
    **dict.fromkeys((Entity.COMPANY, Entity.COURT, Entity.FIRM), WHICH),
    Entity.AUTHORITY: "是哪个",
}
