"""The model first says which tables it needs; only their tools are shown to it afterwards.

Up to three attempts; where none can be read, all fourteen tables. CompanyInfo and AddrInfo are
always appended (specification, 4.1). A name that is no table is passed over: published agents lost
the task over it (7.8).
"""

from __future__ import annotations

import json
from typing import Any, Final

from hengfa.agents.methods.desk import Desk
from hengfa.agents.methods.texts import clean, shallow
from hengfa.agents.methods.words import columns_of
from hengfa.world.schema import TABLE_OF, TABLES

ATTEMPTS: Final = 3
KEY: Final = "名称"
ALWAYS: Final = ("CompanyInfo", "AddrInfo")

_RULES: Final = f"""\
下面是一个法律数据库的全部数据表和它们的列。请判断回答问题时会用到哪些表，把中间步骤要用的表也算上。
只回答一个 JSON 对象，键为“{KEY}”，值为表名的列表，不要写别的话。"""

_EXAMPLES: Final = """\
问题：云岭星禾器材有限公司的法定代表人是谁？
{"名称": ["CompanyRegister"]}
问题：（2031）云岭01执17号限制高消费案件的执行法院在哪个区县？
{"名称": ["RestrictionCase", "CourtInfo"]}
问题：云岭北辰股份有限公司投资金额最高的子公司，作为原告的案件由哪家律师事务所代理，该所的负责人是谁？
{"名称": ["SubCompanyInfo", "LegalDoc", "LawfirmInfo"]}
问题：审理（2030）云岭02民终88号案件的是哪一级法院？
{"名称": ["LegalDoc", "CourtCode"]}
问题：云岭星禾器材有限公司受过几次行政处罚，地址在哪个省？
{"名称": ["AdministrativeCase", "CompanyRegister", "AddrInfo"]}"""


def filter_prompt(question: str) -> str:
    """Asks for the tables."""
    columns = columns_of(table.name for table in TABLES)
    return f"{_RULES}\n\n{columns}\n\n例子：\n{_EXAMPLES}\n\n问题：{question}\n"


async def choose_tables(desk: Desk, question: str) -> tuple[str, ...]:
    """The tables whose tools the agent gets, in the order in which they were named."""
    prompt = filter_prompt(question)
    for attempt in range(1, ATTEMPTS + 1):
        response = await desk.say(f"filter-{attempt}", prompt)
        if found := read_tables(response.text):
            return tuple(dict.fromkeys((*found, *ALWAYS)))
    return tuple(dict.fromkeys((*TABLE_OF, *ALWAYS)))


def read_tables(reply: str) -> tuple[str, ...]:
    """The known tables in a reply; empty where it cannot be read."""
    text = clean(reply)
    found = _object(text[text.find("{") : text.rfind("}") + 1])
    names = found.get(KEY) if isinstance(found, dict) else None
    if not isinstance(names, list):
        return ()
    return tuple(name for name in names if isinstance(name, str) and name in TABLE_OF)


def _object(text: str) -> Any:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if shallow(found) else None
