"""What the two planning methods tell the model, in our own words; every name in it is invented."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from hengfa.agents.methods.words import ACTION_FORM, CAUTIONS, setting_out
from hengfa.world.tools.catalogue import FINAL_ANSWER

_FORM: Final = """\
每一步单独一行，写成“第1步: 做什么”“第2步: 做什么”，序号连续，冒号用半角，冒号后空一格。
每一步只用一个工具，要写明用什么查什么；后面的步骤可以说“上一步得到的……”。最后一步是给出答案。"""

_PLAN_RULES: Final = f"""\
你要为一个法律问题写出查询计划，由别人照计划调用工具。只写计划，不要执行。
{_FORM}
{CAUTIONS}"""

_PLAN_EXAMPLES: Final = """\
例一
问题：统一社会信用代码为91990100XHYL00001A的公司被限制高消费的案件，涉案金额一共多少元？
计划：
第1步: 用 get_company_register_name 由信用代码91990100XHYL00001A查公司名称
第2步: 用 get_restriction_case_company_list 查上一步得到的公司的限制高消费案件的涉案金额（元）
第3步: 用 get_sum 把上一步的各个金额相加
第4步: 给出合计金额

例二
问题：云岭明衡律师事务所代理过几件案件？
计划：
第1步: 用 get_legal_document_law_list 查云岭明衡律师事务所的案件，只要案号
第2步: 数出案件数，给出答案"""

_SOLVE_RULES: Final = f"""\
你负责执行查询计划中的一步。下面有此前各步的结果，请据此为当前这一步写出一个行动。
此前的结果已经足以回答，或者当前这一步就是给出答案时，用 {FINAL_ANSWER} 写出答案。
{CAUTIONS}"""

_SOLVE_EXAMPLES: Final = f"""\
例一
此前的结果：第1步计划: 由信用代码查公司名称 执行结果: 云岭星禾器材有限公司
当前这一步：查上一步得到的公司的限制高消费案件的涉案金额（元）
行动：```json
{{"action": "get_restriction_case_company_list", "action_input": {{"identifier": \
"云岭星禾器材有限公司", "columns": ["涉案金额（元）"]}}}}
```

例二
此前的结果：第1步计划: 查云岭明衡律师事务所的案件 执行结果: \
[{{'案号': '（2030）云岭02民初5号'}}, {{'案号': '（2030）云岭02民终88号'}}]
当前这一步：数出案件数，给出答案
行动：```json
{{"action": "{FINAL_ANSWER}", "action_input": "云岭明衡律师事务所代理过2件案件。"}}
```"""

_REPLAN_RULES: Final = f"""\
你要根据已经执行的结果修改查询计划。请写出从第1步开始的完整的新计划：
已经执行过的步骤照样保留序号；还没执行的，按查到的结果补充、修改或删去。只写计划。
{_FORM}
{CAUTIONS}"""

_REPLAN_EXAMPLES: Final = """\
例一
问题：云岭星禾器材有限公司的注册地址在哪个区县？
原计划：
第1步: 用 get_company_info 查云岭星禾器材有限公司的注册地址
第2步: 给出答案
已执行：第1步计划: 用 get_company_info 查云岭星禾器材有限公司的注册地址 执行结果: \
No data found for the specified identifier.
新计划：
第1步: 用 get_company_info 查云岭星禾器材有限公司的注册地址
第2步: 用 get_company_register 查云岭星禾器材有限公司的企业地址
第3步: 用 get_address_info 查上一步得到的地址的区县
第4步: 给出答案

例二
问题：云岭明衡律师事务所代理过几件案件？
原计划：
第1步: 用 get_legal_document_law_list 查云岭明衡律师事务所的案件，只要案号
第2步: 数出案件数，给出答案
已执行：第1步计划: 用 get_legal_document_law_list 查云岭明衡律师事务所的案件，只要案号 执行结果: \
[{'案号': '（2030）云岭02民初5号'}]
新计划：
第1步: 用 get_legal_document_law_list 查云岭明衡律师事务所的案件，只要案号
第2步: 给出答案：1件"""


def plan_prompt(tools: Sequence[str], described: str, tables: Iterable[str], question: str) -> str:
    """Asks for a plan."""
    opening = _without_form(setting_out(_PLAN_RULES, tools, described, tables))
    return f"{opening}\n\n{_PLAN_EXAMPLES}\n\n现在开始。\n问题：{question}\n计划：\n"


def solve_prompt(
    tools: Sequence[str], described: str, tables: Iterable[str], step: str, transcript: str
) -> str:
    """Asks for the action of one step. The question is not in it (specification, 4.4)."""
    opening = setting_out(_SOLVE_RULES, tools, described, tables)
    done = transcript or "无"
    return (
        f"{opening}\n\n{_SOLVE_EXAMPLES}\n\n现在开始。\n"
        f"此前的结果：{done}\n当前这一步：{step}\n行动："
    )


def replan_prompt(
    tools: Sequence[str],
    described: str,
    tables: Iterable[str],
    question: str,
    plan: str,
    transcript: str,
) -> str:
    """Asks for a whole new plan after a step."""
    opening = _without_form(setting_out(_REPLAN_RULES, tools, described, tables))
    return (
        f"{opening}\n\n{_REPLAN_EXAMPLES}\n\n现在开始。\n"
        f"问题：{question}\n原计划：\n{plan}\n已执行：{transcript}\n新计划：\n"
    )


def _without_form(opening: str) -> str:
    """Whoever plans does not act."""
    return opening.removesuffix(f"\n\n{ACTION_FORM}")
