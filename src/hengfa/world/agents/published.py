"""What the three published methods share: tables first, then the method's loop, then two texts.

The prompts are in our own words; every name in them is invented. The order of their parts is that
of legalagentbench.md 4.1: rules, names of the valid actions, tools, columns, the form of an action,
two examples, then the question and the transcript.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import msgspec

from hengfa.evals.engine.messages import Response
from hengfa.world.agents.desk import Desk, Stopped, close, handed_in, silent
from hengfa.world.agents.reading import Action, clean, one_line, read_action, read_json
from hengfa.world.agents.trajectory import Ended
from hengfa.world.tables.schema import PUBLISHED, Schema
from hengfa.world.tools.catalogue import EXPOSED_ALWAYS, FINAL_ANSWER, FINISH, tools_of_tables
from hengfa.world.tools.observation import Observation, Status
from hengfa.world.tools.texts import CORPUS_OF_TOOL


class Shown(msgspec.Struct, frozen=True):
    """What the agent is shown after the table filter; both tables of a pair list tools twice."""

    tables: tuple[str, ...]
    tools: tuple[str, ...]
    described: str
    columns: str


Loop = Callable[[Desk, str, Shown], Awaitable[Ended]]
"""A method: works on the question until it ends, and leaves its transcript in the desk's record."""


async def work(
    loop: Loop, desk: Desk, question: str, *, retrievers: bool = True, every_tool: bool = False
) -> Response:
    """Solve one task by a published method; with `every_tool` no tables are chosen before."""
    try:
        if every_tool:
            shown = _show_all(desk)
        else:
            shown = _show(desk, await _choose_tables(desk, question), retrievers=retrievers)
        ended = await loop(desk, question, shown)
        texts = await close(desk, question)
    except Stopped as stop:
        return silent(stop, desk.record)
    return handed_in(texts.answer, texts.summary, desk.record, ended, texts.status)


def _show(desk: Desk, tables: tuple[str, ...], *, retrievers: bool) -> Shown:
    """The tools of the tables, then those that are always there."""
    always = [name for name in EXPOSED_ALWAYS if retrievers or name not in CORPUS_OF_TOOL]
    tools = (*tools_of_tables(tables, desk.toolbox.schema), *always)
    columns = columns_of(tables, desk.toolbox.schema)
    return Shown(tables, tools, desk.toolbox.described(tools), columns)


def _show_all(desk: Desk) -> Shown:
    """All tables and every tool once, also those that published agents never see; the last of the
    37, which ends the task, is the action of the final answer."""
    tools = tuple(name for name in desk.toolbox.names if name != FINISH)
    schema = desk.toolbox.schema
    columns = columns_of(schema.table_of, schema)
    return Shown(tuple(schema.table_of), tools, desk.toolbox.described(tools), columns)


# --- actions ---

REMINDER: Final = (
    "没有读到合法的行动。请只写一个```json代码块，其中有action和action_input两个键，"
    "action须是所列工具之一。"
)
NO_DATA_HINT: Final = (
    "提示：没有查到记录。可能是工具选错了，也可能是名称、编号没有写全或写错；请核对后换一种查法。"
)
BAD_COLUMN_HINT: Final = "提示：请求的列不在这张表里。请只用上面列出的列名，或者把columns留空。"
_HINTS: Final = {Status.NO_DATA: NO_DATA_HINT, Status.BAD_COLUMN: BAD_COLUMN_HINT}


async def act(desk: Desk, reply: str) -> Action | str:
    """Carry out the action in a reply: the observation, or the action itself if it is final."""
    action = read_action(reply)
    if action is None:
        desk.record.unparsable()
        return REMINDER
    if action.final:
        return action
    return hinted(await desk.call(action.tool, action.given))


def hinted(seen: Observation) -> str:
    """The observation with the advice that follows some of them."""
    hint = _HINTS.get(seen.status)
    return f"{seen.text} {hint}" if hint else seen.text


def final_words(action: Action) -> str:
    """A final answer as it enters the transcript."""
    return one_line(f"{action.tool}: {action.answer}")


# --- the table filter: the model says which tables it needs, and sees only their tools ---

_ATTEMPTS: Final = 3
_KEY: Final = "名称"
_ALWAYS: Final = ("CompanyInfo", "AddrInfo")
_FILTER_RULES: Final = f"""\
下面是一个法律数据库的全部数据表和它们的列。请判断回答问题时会用到哪些表，把中间步骤要用的表也算上。
只回答一个 JSON 对象，键为“{_KEY}”，值为表名的列表，不要写别的话。"""

_FILTER_EXAMPLES: Final = """\
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


async def _choose_tables(desk: Desk, question: str) -> tuple[str, ...]:
    """The tables whose tools the agent gets, in the order in which they were named.

    Up to three attempts; where none can be read, all fourteen tables. CompanyInfo and AddrInfo are
    always appended (legalagentbench.md 4.1). A name that is no table is passed over: published
    agents lost the task over it (7.8).
    """
    schema = desk.toolbox.schema
    prompt = _filter_prompt(question, schema)
    for attempt in range(1, _ATTEMPTS + 1):
        response = await desk.say(f"filter-{attempt}", prompt)
        if named := read_tables(response.text, schema):
            return tuple(dict.fromkeys((*named, *_ALWAYS)))
    return tuple(dict.fromkeys((*schema.table_of, *_ALWAYS)))


def _filter_prompt(question: str, schema: Schema) -> str:
    """Asks for the tables."""
    columns = columns_of(schema.table_of, schema)
    return f"{_FILTER_RULES}\n\n{columns}\n\n例子：\n{_FILTER_EXAMPLES}\n\n问题：{question}\n"


def read_tables(reply: str, schema: Schema = PUBLISHED) -> tuple[str, ...]:
    """The known tables in a reply; empty where it cannot be read."""
    text = clean(reply)
    chosen = read_json(text[text.find("{") : text.rfind("}") + 1])
    names = chosen.get(_KEY) if isinstance(chosen, dict) else None
    if not isinstance(names, list):
        return ()
    return tuple(name for name in names if isinstance(name, str) and name in schema.table_of)


# --- parts of the methods' prompts ---

ACTION_FORM: Final = f"""\
行动一律写成一个 JSON 代码块，只有 action 和 action_input 两个键，一次只写一个行动：
```json
{{"action": "工具名称", "action_input": {{"identifier": "要查的内容", "columns": ["列名"]}}}}
```
已经可以回答时这样结束：
```json
{{"action": "{FINAL_ANSWER}", "action_input": "对问题的回答"}}
```"""

CAUTIONS: Final = """\
- 工具按原文逐字查找：公司要写全称，案号、地址要完整，括号用全角。
- 只能请求所列的列；需要的列在另一张表里时，要换用那张表的工具。
- 案号里年份之后、案件类型之前的部分是法院代字，可以据此查到法院。
- 金额的合计与大小排序用工具计算；不要编造查不到的内容。"""


def setting_out(rules: str, shown: Shown) -> str:
    """Rules, names of valid actions, tools and columns: how each prompt of a method begins."""
    actions = "、".join((*shown.tools, FINAL_ANSWER))
    return (
        f"{rules}\n\n可用的行动：{actions}\n\n工具：\n{shown.described}\n\n"
        f"各表的列：\n{shown.columns}"
    )


def columns_of(tables: Iterable[str], schema: Schema) -> str:
    """The columns of some tables, a table on a line."""
    named = (schema.table_of[name] for name in tables)
    return "\n".join(f"{table.name}（{table.title}）：{'、'.join(table.names)}" for table in named)
