"""What the published methods tell the model, in our own words; every name in it is invented.

The order of the parts is that of the specification, 4.1: rules, names of the valid actions, tools,
columns, the form of an action, two examples, then the question and the transcript.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from hengfa.world.schema import TABLE_OF
from hengfa.world.tools.catalogue import FINAL_ANSWER

ACTION_FORM: Final = f"""\
行动一律写成一个 JSON 代码块，只有 action 和 action_input 两个键，一次只写一个行动：
```json
{{"action": "工具名称", "action_input": {{"identifier": "要查的内容", "columns": ["列名"]}}}}
```
已经可以回答时这样结束：
```json
{{"action": "{FINAL_ANSWER}", "action_input": "对问题的回答"}}
```"""

REMINDER: Final = (
    "没有读到合法的行动。请只写一个```json代码块，其中有action和action_input两个键，"
    "action须是所列工具之一。"
)
NO_DATA_HINT: Final = (
    "提示：没有查到记录。可能是工具选错了，也可能是名称、编号没有写全或写错；请核对后换一种查法。"
)
BAD_COLUMN_HINT: Final = "提示：请求的列不在这张表里。请只用上面列出的列名，或者把columns留空。"

CAUTIONS: Final = """\
- 工具按原文逐字查找：公司要写全称，案号、地址要完整，括号用全角。
- 只能请求所列的列；需要的列在另一张表里时，要换用那张表的工具。
- 案号里年份之后、案件类型之前的部分是法院代字，可以据此查到法院。
- 金额的合计与大小排序用工具计算；不要编造查不到的内容。"""

REACT_RULES: Final = f"""\
你要借助工具回答一个法律问题。请按“思考、行动、观察”一步一步地进行：
思考时说清还缺什么、下一步查什么；行动时只调用一个工具；观察是工具给出的结果，由系统填写。
{CAUTIONS}
- 信息足够之后就以 {FINAL_ANSWER} 结束。"""

REACT_EXAMPLES: Final = f"""\
例一
问题：统一社会信用代码为91990100XHYL00001A的公司被限制高消费的案件，涉案金额一共多少元？
思考 1:先由信用代码查公司名称。
行动 1:```json
{{"action": "get_company_register_name", "action_input": {{"identifier": "91990100XHYL00001A"}}}}
```
观察 1:云岭星禾器材有限公司
思考 2:再查这家公司的限制高消费案件，只要涉案金额。
行动 2:```json
{{"action": "get_restriction_case_company_list", "action_input": {{"identifier": \
"云岭星禾器材有限公司", "columns": ["案号", "涉案金额（元）"]}}}}
```
观察 2:[{{'案号': '（2031）云岭01执17号', '涉案金额（元）': 52000.0}}, \
{{'案号': '（2031）云岭01执40号', '涉案金额（元）': 8000.5}}]
思考 3:两件案件，把金额相加。
行动 3:```json
{{"action": "get_sum", "action_input": {{"identifier": [52000.0, 8000.5]}}}}
```
观察 3:60000.5
思考 4:已经得到合计。
行动 4:```json
{{"action": "{FINAL_ANSWER}", "action_input": \
"云岭星禾器材有限公司被限制高消费的案件涉案金额共60000.5元。"}}
```

例二
问题：云岭明衡律师事务所代理过几件案件？
思考 1:按律师事务所查裁判文书，数一数有几件。
行动 1:```json
{{"action": "get_legal_document_law_list", "action_input": {{"identifier": \
"云岭明衡律师事务所", "columns": ["案号"]}}}}
```
观察 1:[{{'案号': '（2030）云岭02民初5号'}}, {{'案号': '（2030）云岭02民终88号'}}, \
{{'案号': '（2031）云岭0203民初9号'}}]
思考 2:一共三件。
行动 2:```json
{{"action": "{FINAL_ANSWER}", "action_input": "云岭明衡律师事务所代理过3件案件。"}}
```"""


def columns_of(tables: Iterable[str]) -> str:
    """The columns of some tables, a table on a line."""
    return "\n".join(
        f"{name}（{TABLE_OF[name].title}）：{'、'.join(TABLE_OF[name].names)}" for name in tables
    )


def setting_out(rules: str, tools: Sequence[str], described: str, tables: Iterable[str]) -> str:
    """Rules, names of valid actions, tools and columns: how each prompt with actions begins."""
    return (
        f"{rules}\n\n可用的行动：{'、'.join((*tools, FINAL_ANSWER))}\n\n工具：\n{described}\n\n"
        f"各表的列：\n{columns_of(tables)}\n\n{ACTION_FORM}"
    )


def react_prompt(tools: Sequence[str], described: str, tables: Iterable[str], question: str) -> str:
    """All that stands before the transcript."""
    opening = setting_out(REACT_RULES, tools, described, tables)
    return f"{opening}\n\n{REACT_EXAMPLES}\n\n现在开始。\n问题：{question}\n"
