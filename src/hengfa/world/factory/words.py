"""The words in which questions speak of tools and columns; facts for the questions, no logic.

In templates `{x}` is who or what is asked about, `{f}` the conditions on rows, `{r}` the role.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hengfa.world.factory.graph import Entity


class Asked(NamedTuple):
    """A column as something that is asked for: its noun, the question word, and for plain numbers
    what people say with them. `several` cells may name several, joined by commas."""

    noun: str
    question: str = "是什么"
    unit: str = ""
    before: str = ""
    several: bool = False


class ListWords(NamedTuple):
    """The rows of a list tool: all of them, one of them, the word that counts them, the role where
    none is said, and what is true of somebody who has such rows."""

    all: str
    one: str
    measure: str
    has: str = ""
    role: str = ""


WHO, WHERE, WHICH, MUCH, DAY = "是谁", "在哪里", "是哪一家", "是多少", "是哪一天"

ASKED: Final[dict[str, dict[str, Asked]]] = {
    "CompanyInfo": {
        "公司简称": Asked("股票简称"),
        "公司代码": Asked("股票代码", MUCH),
        "英文名称": Asked("英文名称"),
        "所属市场": Asked("所属市场"),
        "所属行业": Asked("所属行业"),
        "成立日期": Asked("成立日期", DAY),
        "上市日期": Asked("上市日期", DAY),
        "法人代表": Asked("法人代表", WHO),
        "总经理": Asked("总经理", WHO),
        "董秘": Asked("董事会秘书", WHO),
        "注册地址": Asked("注册地址", WHERE),
        "办公地址": Asked("办公地址", WHERE),
        "联系电话": Asked("联系电话", MUCH),
        "传真": Asked("传真号码", MUCH),
        "官方网址": Asked("官方网址"),
        "电子邮箱": Asked("电子邮箱"),
        "首发价格（元）": Asked("首发价格", MUCH),
        "首发主承销商": Asked("首发主承销商", WHICH),
    },
    "CompanyRegister": {
        "公司名称": Asked("全称"),
        "统一社会信用代码": Asked("统一社会信用代码", MUCH),
        "法定代表人": Asked("工商登记的法定代表人", WHO),
        "注册资本": Asked("注册资本", MUCH),
        "成立日期": Asked("工商登记的成立日期", DAY),
        "企业地址": Asked("工商登记的企业地址", WHERE),
        "联系电话": Asked("工商登记的联系电话", MUCH),
        "联系邮箱": Asked("工商登记的联系邮箱"),
        "注册号": Asked("注册号", MUCH),
        "组织机构代码": Asked("组织机构代码", MUCH),
        "参保人数": Asked("参保人数", MUCH, unit="人"),
        "行业一级": Asked("行业一级分类"),
        "行业二级": Asked("行业二级分类"),
        "行业三级": Asked("行业三级分类"),
    },
    "SubCompanyInfo": {
        "关联上市公司全称": Asked("母公司", WHICH),
        "上市公司参股比例": Asked("上市公司参股比例（百分之几，只写数字）", MUCH),
        "上市公司投资金额": Asked("上市公司投资金额", MUCH),
        "公司名称": Asked("名称"),
    },
    "LegalDoc": {
        "案号": Asked("案号"),
        "文书类型": Asked("文书类型"),
        "原告": Asked("原告", WHO, several=True),
        "被告": Asked("被告", WHO, several=True),
        "原告律师事务所": Asked("原告律师事务所", WHICH, several=True),
        "被告律师事务所": Asked("被告律师事务所", WHICH, several=True),
        "案由": Asked("案由"),
        "涉案金额（元）": Asked("涉案金额", MUCH),
        "日期": Asked("审理日期", DAY),
    },
    "LegalAbstract": {"文本摘要": Asked("提到的日期", DAY)},
    "CourtInfo": {
        "法院名称": Asked("名称"),
        "法院负责人": Asked("负责人", WHO),
        "成立日期": Asked("成立日期", DAY),
        "法院地址": Asked("地址", WHERE),
        "法院官网": Asked("官方网址"),
    },
    "CourtCode": {
        "法院名称": Asked("名称"),
        "行政级别": Asked("行政级别"),
        "法院级别": Asked("法院级别"),
        "法院代字": Asked("法院代字"),
        "区划代码": Asked("区划代码", MUCH),
    },
    "LawfirmInfo": {
        "律师事务所名称": Asked("名称"),
        "律师事务所唯一编码": Asked("唯一编码", MUCH),
        "律师事务所负责人": Asked("负责人", WHO),
        "事务所注册资本": Asked("注册资本", MUCH),
        "事务所成立日期": Asked("成立日期", DAY),
        "事务所地址": Asked("地址", WHERE),
        "通讯电话": Asked("通讯电话", MUCH),
        "通讯邮箱": Asked("通讯邮箱"),
        "律所登记机关": Asked("登记机关", WHICH),
    },
    "LawfirmLog": {
        "业务量排名": Asked("业务量排名（第几名）", MUCH, unit="名", before="第"),
        "服务已上市公司": Asked("服务的已上市公司数量（多少家）", MUCH, unit="家"),
        "报告期间所服务上市公司违规事件": Asked(
            "报告期间所服务上市公司的违规事件数量（多少起）", MUCH, unit="起"
        ),
        "报告期所服务上市公司接受立案调查": Asked(
            "报告期所服务上市公司接受立案调查的数量（多少起）", MUCH, unit="起"
        ),
    },
    "AddrInfo": {
        "省份": Asked("省份", "是哪个"),
        "城市": Asked("城市", "是哪个"),
        "区县": Asked("区县", "是哪个"),
    },
    "RestrictionCase": {
        "限制高消费企业名称": Asked("被限制高消费的企业", WHICH),
        "案号": Asked("案号"),
        "法定代表人": Asked("被限制高消费企业的法定代表人", WHO),
        "申请人": Asked("申请人", WHO, several=True),
        "涉案金额（元）": Asked("涉案金额", MUCH),
        "执行法院": Asked("执行法院", WHICH),
        "立案日期": Asked("立案日期", DAY),
        "限高发布日期": Asked("限高发布日期", DAY),
    },
    "FinalizedCase": {
        "终本公司名称": Asked("终本公司", WHICH),
        "案号": Asked("案号"),
        "疑似申请执行人": Asked("疑似申请执行人", WHO, several=True),
        "未履行金额（元）": Asked("未履行金额", MUCH),
        "执行标的（元）": Asked("执行标的金额", MUCH),
        "执行法院": Asked("执行法院", WHICH),
        "立案日期": Asked("立案日期", DAY),
        "终本日期": Asked("终本日期", DAY),
    },
    "DishonestyCase": {
        "失信被执行公司名称": Asked("失信被执行公司", WHICH),
        "案号": Asked("案号"),
        "疑似申请执行人": Asked("疑似申请执行人", WHO, several=True),
        "涉案金额（元）": Asked("涉案金额", MUCH),
        "执行法院": Asked("执行法院", WHICH),
        "立案日期": Asked("立案日期", DAY),
        "发布日期": Asked("失信信息发布日期", DAY),
    },
    "AdministrativeCase": {
        "行政处罚公司名称": Asked("被处罚公司", WHICH),
        "案号": Asked("案号"),
        "处罚金额（元）": Asked("处罚金额", MUCH),
        "处罚单位": Asked("处罚单位", WHICH),
        "处罚日期": Asked("处罚日期", DAY),
    },
}
"""Columns that can be asked for. Prose cannot: nobody repeats it to the letter."""

LISTS: Final[dict[str, ListWords]] = {
    "get_sub_company_info_list": ListWords("{x}投资的{f}子公司", "子公司", "家", "投资过子公司"),
    "get_legal_document_company_list": ListWords(
        "{x}{r}的{f}诉讼案件", "案件", "件", "涉及过诉讼案件", "涉及"
    ),
    "get_legal_document_law_list": ListWords(
        "{x}{r}的{f}诉讼案件", "案件", "件", "代理过诉讼案件", "代理"
    ),
    "get_court_info_list": ListWords("{x}的{f}法院", "法院", "家"),
    "get_lawfirm_info_list": ListWords("{x}的{f}律师事务所", "律师事务所", "家"),
    "get_restriction_case_company_list": ListWords(
        "{x}涉及的{f}限制高消费案件", "案件", "件", "涉及过限制高消费案件"
    ),
    "get_restriction_case_court_list": ListWords(
        "{x}执行的{f}限制高消费案件", "案件", "件", "执行过限制高消费案件"
    ),
    "get_finalized_case_company_list": ListWords(
        "{x}涉及的{f}终本案件", "案件", "件", "涉及过终本案件"
    ),
    "get_finalized_case_court_list": ListWords(
        "{x}执行的{f}终本案件", "案件", "件", "执行过终本案件"
    ),
    "get_dishonesty_case_company_list": ListWords(
        "{x}涉及的{f}失信被执行案件", "案件", "件", "涉及过失信被执行案件"
    ),
    "get_dishonesty_case_court_list": ListWords(
        "{x}执行的{f}失信被执行案件", "案件", "件", "执行过失信被执行案件"
    ),
    "get_administrative_case_company_list": ListWords(
        "{x}受到的{f}行政处罚", "行政处罚", "次", "受到过行政处罚"
    ),
    "get_administrative_case_court_list": ListWords("{x}作出的{f}行政处罚", "行政处罚", "次"),
}

ROLES: Final = {
    "原告": "作为原告",
    "被告": "作为被告",
    "原告律师事务所": "代理原告",
    "被告律师事务所": "代理被告",
}

ONE_ROW: Final[dict[str, tuple[str, str]]] = {
    "get_legal_document": ("{x}案件", "{x}对应的裁判文书"),
    "get_legal_abstract": ("{x}案件的文书摘要", "{x}的文书摘要"),
    "get_restriction_case": ("{x}限制高消费案件", "{x}对应的限制高消费案件"),
    "get_finalized_case": ("{x}终本案件", "{x}对应的终本案件"),
    "get_dishonesty_case": ("{x}失信被执行案件", "{x}对应的失信被执行案件"),
}
"""A case by its number, where the number itself is named, and where words stand for it; elsewhere
the row is simply what was asked about."""

AMOUNTS: Final = {
    "上市公司投资金额": "投资金额",
    "事务所注册资本": "注册资本",
    "涉案金额（元）": "涉案金额",
    "未履行金额（元）": "未履行金额",
    "执行标的（元）": "执行标的金额",
    "处罚金额（元）": "处罚金额",
}
"""Columns by which rows are ranked, summed and filtered."""

DATES: Final = {
    "日期": "审理日期",
    "成立日期": "成立日期",
    "事务所成立日期": "成立日期",
    "立案日期": "立案日期",
    "限高发布日期": "限高发布日期",
    "终本日期": "终本日期",
    "发布日期": "发布日期",
    "处罚日期": "处罚日期",
}

ORDERS: Final = {
    "largest": "最高",
    "second": "第二高",
    "smallest": "最低",
    "latest": "最晚",
    "earliest": "最早",
}

SHARES: Final = {"上市公司参股比例": "参股比例为{}%的", "文书类型": "文书类型为{}的"}
"""Columns whose one value is a condition."""

LINKS: Final[dict[tuple[str, str], str]] = {
    ("CompanyInfo", "注册地址"): "{x}的注册地址",
    ("CompanyInfo", "办公地址"): "{x}的办公地址",
    ("CompanyRegister", "企业地址"): "{x}的工商登记地址",
    ("SubCompanyInfo", "关联上市公司全称"): "{x}的母公司",
    ("LegalDoc", "关联公司"): "{x}的关联公司",
    ("LegalDoc", "原告"): "{x}的原告",
    ("LegalDoc", "被告"): "{x}的被告",
    ("LegalDoc", "原告律师事务所"): "{x}的原告律师事务所",
    ("LegalDoc", "被告律师事务所"): "{x}的被告律师事务所",
    ("CourtInfo", "法院地址"): "{x}的地址",
    ("LawfirmInfo", "事务所地址"): "{x}的地址",
    ("RestrictionCase", "限制高消费企业名称"): "{x}的被限制高消费企业",
    ("RestrictionCase", "申请人"): "{x}的申请人",
    ("RestrictionCase", "执行法院"): "{x}的执行法院",
    ("FinalizedCase", "终本公司名称"): "{x}的终本公司",
    ("FinalizedCase", "疑似申请执行人"): "{x}的疑似申请执行人",
    ("FinalizedCase", "执行法院"): "{x}的执行法院",
    ("DishonestyCase", "失信被执行公司名称"): "{x}的失信被执行公司",
    ("DishonestyCase", "疑似申请执行人"): "{x}的疑似申请执行人",
    ("DishonestyCase", "执行法院"): "{x}的执行法院",
    ("AdministrativeCase", "行政处罚公司名称"): "{x}的被处罚公司",
    ("AdministrativeCase", "处罚单位"): "{x}的处罚单位",
}
"""What a cell is to the row; elsewhere it is the row itself: a subsidiary, a court, a law firm."""

REGION_OF: Final = "{x}所在区县"
COURT_OF: Final = {"LegalDoc": "{x}的审理法院"}
COURT_BY_NUMBER: Final = "{x}的案号所属法院"

STARTS: Final[dict[Entity, str]] = {
    Entity.CREDIT: "统一社会信用代码为{}的公司",
    Entity.DECISION: "案号为{}的行政处罚",
    Entity.ADDRESS: "地址“{}”",
}
"""How what is named is put; elsewhere it speaks for itself."""
SHORT_NAME, STOCK_CODE = "简称为“{}”的上市公司", "股票代码为{}的上市公司"
COURT_OF_CASE: Final = "{}案件的审理法院"

THIS: Final[dict[Entity, str]] = {
    Entity.COMPANY: "该公司",
    Entity.CASE: "该案件",
    Entity.COURT: "该法院",
    Entity.COURT_CODE: "该法院",
    Entity.FIRM: "该律师事务所",
    Entity.ADDRESS: "该地址",
    Entity.REGION: "该区县",
    Entity.AUTHORITY: "该单位",
}


def asked_words(table: str, column: str) -> Asked:
    """The words for a column that can be asked for."""
    return ASKED[table][column]
