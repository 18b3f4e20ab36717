"""The 28 look-ups in the tables: what each is called, looks for, and returns.

They are numbered as in the specification, section 3. The tools over a world, the recovered rows and
the task factory all go by this list.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from hengfa.world.schema import TABLE_OF, Match, Table

Returns = Literal["one", "list", "name"]
"""The first row, all rows, or only the name of the company in the first row."""

REGION: Final = ("prov", "city", "county")


class Lookup(msgspec.Struct, frozen=True):
    """One look-up; the match says in which columns its arguments are looked for."""

    number: int
    name: str
    table_name: str
    match: Match
    returns: Returns

    @property
    def table(self) -> Table:
        """The table that is asked."""
        return TABLE_OF[self.table_name]

    @property
    def arguments(self) -> tuple[str, ...]:
        """What must be given: an identifier, or the three parts of a region."""
        return REGION if self.match.rule == "all" else ("identifier",)


def _lookup(number: int, name: str, table: str, columns: str, returns: Returns) -> Lookup:
    wanted = tuple(columns.split("|"))
    match = next(match for match in TABLE_OF[table].matches if match.columns == wanted)
    return Lookup(number, name, table, match, returns)


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
