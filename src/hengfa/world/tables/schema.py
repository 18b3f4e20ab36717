"""What the legal world consists of: fourteen tables, three collections of texts, 28 look-ups.

The facts are those of the benchmark's own environment (legalagentbench.md 2 and 3): every
world, be it recovered, generated or a user's own, has these tables with these columns in this
order, because the tools answer in this order. The tools over a world, the recovered rows and the
task factory all go by the list of look-ups, which are numbered as in legalagentbench.md 2. A world
may have tables and look-ups of its own behind them (:mod:`hengfa.world.tables.declaration`): which
it has is said by its :class:`Schema`.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import Final, Literal

import msgspec

Kind = Literal["text", "date", "yuan", "money", "number", "numeral"]
"""What a cell holds, where it holds anything (`-` and null are missing in every kind).

`text` as it stands; `date` as 2020年01月31日; `yuan` a number of 元, at times the text of one;
`money` a text with a unit such as 9000万 or 1.06亿; `number` a number; `numeral` the text of one.
"""


Rule = Literal["any", "all"]


class Column(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One column: its name in the data, what it is in English, what it holds.

    The rest is said of declared columns alone. `holds` is the kind of identifier in it. `noun` is
    what questions call it where that is not its name, "" where nobody asks for it; `question`,
    `unit` and `before` go with it (是多少, 人, 第). `several` says that a cell may name several,
    `condition` how a value is made a condition: 状态为{}的.
    """

    name: str
    english: str
    kind: Kind = "text"
    holds: str = ""
    noun: str | None = None
    question: str = ""
    unit: str = ""
    before: str = ""
    several: bool = False
    condition: str = ""


class Match(msgspec.Struct, frozen=True):
    """How rows are found: one value equal in any of these columns, or one value for each of them.

    Every match is indexed in a world file.
    """

    columns: tuple[str, ...]
    rule: Rule = "any"


class Table(msgspec.Struct, frozen=True, dict=True, eq=False):
    """One table; `matches` are all the ways in which tools look for its rows."""

    name: str
    title: str
    columns: tuple[Column, ...]
    matches: tuple[Match, ...]
    key: tuple[str, ...]
    """The columns that tell one row from another."""
    official_rows: int = 0
    """How many rows the benchmark's own environment has."""
    declared: bool = False
    """Whether it is one of a user's own."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns in table order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def place(self) -> dict[str, int]:
        """Column name to its place in a row."""
        return {name: place for place, name in enumerate(self.names)}

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """Column name to what its cells hold."""
        return {column.name: column.kind for column in self.columns}

    @cached_property
    def identifiers(self) -> dict[str, str]:
        """Column name to the kind of identifier in it, where a declaration says so."""
        return {column.name: column.holds for column in self.columns if column.holds}


class Corpus(msgspec.Struct, frozen=True):
    """A collection of texts that is searched by meaning or words."""

    name: str
    title: str
    official_rows: int


def _columns(*described: str) -> tuple[Column, ...]:
    """`公司名称=company name` or, with a kind, `成立日期=founded:date`."""
    columns = []
    for text in described:
        name, _, rest = text.partition("=")
        english, _, kind = rest.partition(":")
        columns.append(msgspec.convert((name, english, kind or "text"), _AS_COLUMN))
    return tuple(Column(*column) for column in columns)


_AS_COLUMN = tuple[str, str, Kind]

TABLES: Final[tuple[Table, ...]] = (
    Table(
        "CompanyInfo",
        "上市公司基本信息",
        _columns(
            "公司名称=company name",
            "公司简称=short name",
            "英文名称=English name",
            "关联证券=associated securities",
            "公司代码=stock code",
            "曾用简称=former short names",
            "所属市场=market",
            "所属行业=industry",
            "成立日期=founded:date",
            "上市日期=listed:date",
            "法人代表=legal representative",
            "总经理=general manager",
            "董秘=board secretary",
            "邮政编码=post code:number",
            "注册地址=registered address",
            "办公地址=office address",
            "联系电话=phone",
            "传真=fax",
            "官方网址=website",
            "电子邮箱=e-mail",
            "入选指数=indices",
            "主营业务=main business",
            "经营范围=business scope",
            "机构简介=profile",
            "每股面值（元）=par value per share:yuan",
            "首发价格（元）=issue price:yuan",
            "首发募资净额（元）=net proceeds of the issue, in fact in 10,000 yuan:numeral",
            "首发主承销商=lead underwriter",
        ),
        (Match(("公司名称", "公司简称", "公司代码")),),
        ("公司名称",),
        695,
    ),
    Table(
        "CompanyRegister",
        "企业工商登记信息",
        _columns(
            "公司名称=company name",
            "登记状态=registration status",
            "统一社会信用代码=unified social credit code",
            "法定代表人=legal representative",
            "注册资本=registered capital:money",
            "成立日期=founded:date",
            "企业地址=address",
            "联系电话=phone",
            "联系邮箱=e-mail",
            "注册号=registration number",
            "组织机构代码=organisation code",
            "参保人数=insured staff:numeral",
            "行业一级=industry, first level",
            "行业二级=industry, second level",
            "行业三级=industry, third level",
            "曾用名=former names",
            "企业简介=profile",
            "经营范围=business scope",
        ),
        (Match(("公司名称",)), Match(("统一社会信用代码",))),
        ("公司名称",),
        10_125,
    ),
    Table(
        "SubCompanyInfo",
        "上市公司投资的子公司信息",
        _columns(
            "关联上市公司全称=parent, a listed company",
            "上市公司关系=relation",
            "上市公司参股比例=share in percent:numeral",
            "上市公司投资金额=amount invested:money",
            "公司名称=company name",
        ),
        (Match(("公司名称",)), Match(("关联上市公司全称",))),
        ("公司名称", "关联上市公司全称"),
        9_433,
    ),
    Table(
        "LegalDoc",
        "裁判文书",
        _columns(
            "关联公司=related company",
            "标题=title",
            "案号=case number",
            "文书类型=kind of document",
            "原告=plaintiff",
            "被告=defendant",
            "原告律师事务所=plaintiff's law firm",
            "被告律师事务所=defendant's law firm",
            "案由=cause of action",
            "涉案金额（元）=amount involved:yuan",
            "判决结果=result",
            "日期=date:date",
            "文件名=file name",
        ),
        (Match(("案号",)), Match(("关联公司",)), Match(("原告律师事务所", "被告律师事务所"))),
        ("案号", "关联公司"),
        24_372,
    ),
    Table(
        "LegalAbstract",
        "裁判文书摘要",
        _columns("文件名=file name", "案号=case number", "文本摘要=summary"),
        (Match(("案号",)),),
        ("案号",),
        1_200,
    ),
    Table(
        "CourtInfo",
        "法院基本信息",
        _columns(
            "法院名称=court name",
            "法院负责人=head of the court",
            "成立日期=founded:date",
            "法院地址=address",
            "法院省份=province",
            "法院城市=city",
            "法院区县=county",
            "法院联系电话=phone",
            "法院官网=website",
        ),
        (Match(("法院名称",)), Match(("法院省份", "法院城市", "法院区县"), "all")),
        ("法院名称",),
        3_413,
    ),
    Table(
        "CourtCode",
        "法院代字与级别",
        _columns(
            "法院名称=court name",
            "行政级别=administrative level",
            "法院级别=level of the court",
            "法院代字=court code in case numbers",
            "区划代码=code of the administrative division:number",
            "级别=class:number",
        ),
        (Match(("法院名称", "法院代字")),),
        ("法院名称",),
        3_348,
    ),
    Table(
        "LawfirmInfo",
        "律师事务所基本信息",
        _columns(
            "律师事务所名称=law firm",
            "律师事务所唯一编码=unique code",
            "律师事务所负责人=head",
            "事务所注册资本=registered capital:money",
            "事务所成立日期=founded:date",
            "事务所地址=address",
            "事务所省份=province",
            "事务所城市=city",
            "事务所区县=county",
            "通讯电话=phone",
            "通讯邮箱=e-mail",
            "事务所简介=profile",
            "律所登记机关=registration authority",
        ),
        (
            Match(("律师事务所名称", "律师事务所唯一编码")),
            Match(("事务所省份", "事务所城市", "事务所区县"), "all"),
        ),
        ("律师事务所名称",),
        4_768,
    ),
    Table(
        "LawfirmLog",
        "律师事务所业务统计",
        _columns(
            "律师事务所名称=law firm",
            "业务量排名=rank by volume of business:number",
            "服务已上市公司=listed companies served:number",
            "报告期间所服务上市公司违规事件=violations of served companies:number",
            "报告期所服务上市公司接受立案调查=investigations of served companies:number",
        ),
        (Match(("律师事务所名称",)),),
        ("律师事务所名称",),
        101,
    ),
    Table(
        "AddrInfo",
        "地址所在的省市区县",
        _columns("地址=address", "省份=province", "城市=city", "区县=county"),
        (Match(("地址",)),),
        ("地址",),
        19_533,
    ),
    Table(
        "RestrictionCase",
        "限制高消费案件",
        _columns(
            "限制高消费企业名称=restricted company",
            "案号=case number",
            "法定代表人=legal representative",
            "申请人=applicant",
            "涉案金额（元）=amount involved:yuan",
            "执行法院=enforcing court",
            "立案日期=filed:date",
            "限高发布日期=published:date",
        ),
        (Match(("案号",)), Match(("限制高消费企业名称",)), Match(("执行法院",))),
        ("案号", "限制高消费企业名称"),
        46,
    ),
    Table(
        "FinalizedCase",
        "终结本次执行案件",
        _columns(
            "终本公司名称=company",
            "案号=case number",
            "被执行人=debtor",
            "疑似申请执行人=presumed applicant",
            "未履行金额（元）=amount not paid:yuan",
            "执行标的（元）=amount to be enforced:yuan",
            "执行法院=enforcing court",
            "立案日期=filed:date",
            "终本日期=closed:date",
        ),
        (Match(("案号",)), Match(("终本公司名称",)), Match(("执行法院",))),
        ("案号", "终本公司名称"),
        119,
    ),
    Table(
        "DishonestyCase",
        "失信被执行案件",
        _columns(
            "失信被执行公司名称=company",
            "案号=case number",
            "失信被执行人=dishonest debtor",
            "疑似申请执行人=presumed applicant",
            "涉案金额（元）=amount involved:yuan",
            "执行法院=enforcing court",
            "立案日期=filed:date",
            "发布日期=published:date",
        ),
        (Match(("案号",)), Match(("失信被执行公司名称",)), Match(("执行法院",))),
        ("案号", "失信被执行公司名称"),
        13,
    ),
    Table(
        "AdministrativeCase",
        "行政处罚案件",
        _columns(
            "行政处罚公司名称=company",
            "案号=case number",
            "事实=facts",
            "处罚结果=penalty",
            "处罚金额（元）=fine:yuan",
            "处罚单位=authority",
            "处罚日期=date:date",
        ),
        (Match(("案号",)), Match(("行政处罚公司名称",)), Match(("处罚单位",))),
        ("案号", "行政处罚公司名称"),
        443,
    ),
)

KNOWLEDGE, ARTICLES, CASES = "LegalKnowledge", "LegalArticle", "LegalCases"
CORPORA: Final[tuple[Corpus, ...]] = (
    Corpus(KNOWLEDGE, "法律知识", 26_951),
    Corpus(ARTICLES, "法律条文", 55_347),
    Corpus(CASES, "典型案例", 2_370),
)

TABLE_OF: Final[dict[str, Table]] = {table.name: table for table in TABLES}
CORPUS_OF: Final[dict[str, Corpus]] = {corpus.name: corpus for corpus in CORPORA}


# --- look-ups ---

Returns = Literal["one", "list", "name"]
"""The first row, all rows, or only the name of the company in the first row."""

REGION: Final = ("prov", "city", "county")


class Wording(msgspec.Struct, frozen=True, omit_defaults=True):
    """How questions speak of what a declared look-up finds.

    `rows` are all rows, with {x} for who is asked about and {f} for conditions: {x}签订的{f}合同;
    `one` is one of them, `measure` counts them, `has` is true of who has any: 签订过合同.
    """

    rows: str = ""
    one: str = ""
    measure: str = ""
    has: str = ""


class Lookup(msgspec.Struct, frozen=True, eq=False):
    """One look-up; the match says in which columns its arguments are looked for.

    A declared one says itself what it is for, and how questions speak of it.
    """

    number: int
    name: str
    table: Table
    match: Match
    returns: Returns
    title: str = ""
    words: Wording = Wording()

    @property
    def table_name(self) -> str:
        """The name of the table that is asked."""
        return self.table.name

    @property
    def arguments(self) -> tuple[str, ...]:
        """What must be given: an identifier, or the three parts of a region."""
        return REGION if self.match.rule == "all" else ("identifier",)


def _lookup(number: int, name: str, table: str, columns: str, returns: Returns) -> Lookup:
    wanted = tuple(columns.split("|"))
    match = next(match for match in TABLE_OF[table].matches if match.columns == wanted)
    return Lookup(number, name, TABLE_OF[table], match, returns)


LOOKUPS: Final[tuple[Lookup, ...]] = (
    _lookup(1, "get_company_info", "CompanyInfo", "公司名称|公司简称|公司代码", "one"),
    _lookup(2, "get_company_register", "CompanyRegister", "公司名称", "one"),
    _lookup(3, "get_company_register_name", "CompanyRegister", "统一社会信用代码", "name"),
    _lookup(4, "get_sub_company_info", "SubCompanyInfo", "公司名称", "one"),
    _lookup(5, "get_sub_company_info_list", "SubCompanyInfo", "关联上市公司全称", "list"),
    _lookup(6, "get_legal_document", "LegalDoc", "案号", "one"),
    _lookup(7, "get_legal_abstract", "LegalAbstract", "案号", "one"),
    _lookup(8, "get_legal_document_company_list", "LegalDoc", "关联公司", "list"),
    _lookup(9, "get_legal_document_law_list", "LegalDoc", "原告律师事务所|被告律师事务所", "list"),
    _lookup(10, "get_court_info", "CourtInfo", "法院名称", "one"),
    _lookup(11, "get_court_info_list", "CourtInfo", "法院省份|法院城市|法院区县", "list"),
    _lookup(12, "get_court_code", "CourtCode", "法院名称|法院代字", "one"),
    _lookup(13, "get_lawfirm_info", "LawfirmInfo", "律师事务所名称|律师事务所唯一编码", "one"),
    _lookup(14, "get_lawfirm_info_list", "LawfirmInfo", "事务所省份|事务所城市|事务所区县", "list"),
    _lookup(15, "get_lawfirm_log", "LawfirmLog", "律师事务所名称", "one"),
    _lookup(16, "get_address_info", "AddrInfo", "地址", "one"),
    _lookup(17, "get_restriction_case", "RestrictionCase", "案号", "one"),
    _lookup(
        18, "get_restriction_case_company_list", "RestrictionCase", "限制高消费企业名称", "list"
    ),
    _lookup(19, "get_restriction_case_court_list", "RestrictionCase", "执行法院", "list"),
    _lookup(20, "get_finalized_case", "FinalizedCase", "案号", "one"),
    _lookup(21, "get_finalized_case_company_list", "FinalizedCase", "终本公司名称", "list"),
    _lookup(22, "get_finalized_case_court_list", "FinalizedCase", "执行法院", "list"),
    _lookup(23, "get_dishonesty_case", "DishonestyCase", "案号", "one"),
    _lookup(24, "get_dishonesty_case_company_list", "DishonestyCase", "失信被执行公司名称", "list"),
    _lookup(25, "get_dishonesty_case_court_list", "DishonestyCase", "执行法院", "list"),
    _lookup(26, "get_administrative_case", "AdministrativeCase", "案号", "one"),
    _lookup(
        27, "get_administrative_case_company_list", "AdministrativeCase", "行政处罚公司名称", "list"
    ),
    _lookup(28, "get_administrative_case_court_list", "AdministrativeCase", "处罚单位", "list"),
)

LOOKUP_OF: Final[dict[str, Lookup]] = {lookup.name: lookup for lookup in LOOKUPS}


# --- what one world has ---


class Entity(StrEnum):
    """A kind of identifier. The number of a penalty decision is one of its own, since no court gave
    it."""

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


class Identifier(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of identifier that a user's own tables bring: 合同, how a question names one, and the
    word that counts them."""

    kind: str
    title: str
    named: str
    measure: str = "个"


class Schema(msgspec.Struct, frozen=True, dict=True, eq=False):
    """The tables and look-ups of one world: the published ones first, then its own."""

    tables: tuple[Table, ...] = TABLES
    lookups: tuple[Lookup, ...] = LOOKUPS
    identifiers: tuple[Identifier, ...] = ()

    @cached_property
    def table_of(self) -> dict[str, Table]:
        """Tables by name."""
        return {table.name: table for table in self.tables}

    @cached_property
    def lookup_of(self) -> dict[str, Lookup]:
        """Look-ups by name."""
        return {lookup.name: lookup for lookup in self.lookups}

    @cached_property
    def identifier_of(self) -> dict[str, Identifier]:
        """Kinds of identifiers of its own, by name."""
        return {identifier.kind: identifier for identifier in self.identifiers}

    @cached_property
    def declared(self) -> tuple[Lookup, ...]:
        """The look-ups of its own."""
        return tuple(lookup for lookup in self.lookups if lookup.table.declared)


PUBLISHED: Final = Schema()
