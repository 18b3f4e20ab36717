"""Plan-and-solve and plan-and-execute: a plan, carried out step by step (legalagentbench.md 4.4 and
4.5).

The first never repairs its plan; the second writes a whole new one after every step. The new plan
is read more strictly than the first, as published: its colons stay as they are, so a plan with
full-width colons has no steps and ends the loop. `mended` reads every plan alike, whatever the
colons. The prompts are in our own words; every name in them is invented.
"""

from __future__ import annotations

import re
from typing import Final

from hengfa.world.agents.desk import Desk
from hengfa.world.agents.published import (
    ACTION_FORM,
    CAUTIONS,
    Shown,
    act,
    final_words,
    setting_out,
)
from hengfa.world.agents.reading import clean, one_line
from hengfa.world.agents.trajectory import Ended
from hengfa.world.tools.catalogue import FINAL_ANSWER

_STEPS: Final = 10


# "第1步：", "第 2 步:", the marks that a plan may have; not "第1步" in "第1步的结果"
_ANY_MARK: Final = re.compile(r"第\s*([0-9]{1,4})\s*步\s*[:：]\s*")


async def plan_solve(desk: Desk, question: str, shown: Shown, *, mended: bool = False) -> Ended:
    """As many steps as the plan has, unless the limits say fewer."""
    steps = split_plan(await _first_plan(desk, question, shown, mended=mended))
    for number, step in enumerate(steps, start=1):
        if number > (desk.limits.steps or len(steps)):
            return Ended.STEP_LIMIT
        if desk.meter.over:
            return Ended.BUDGET
        if await _carry_out(desk, shown, number, step):
            return Ended.FINISHED
    return Ended.PLAN_OVER


async def plan_execute(desk: Desk, question: str, shown: Shown, *, mended: bool = False) -> Ended:
    """While the newest plan has a next step, at most ten."""
    plan = await _first_plan(desk, question, shown, mended=mended)
    most = desk.limits.steps or _STEPS
    done = 0
    while done < len(steps := split_plan(plan)):
        if done >= most:
            return Ended.STEP_LIMIT
        if desk.meter.over:
            return Ended.BUDGET
        if await _carry_out(desk, shown, done + 1, steps[done]):
            return Ended.FINISHED
        done += 1
        prompt = _replan_prompt(shown, question, plan, desk.record.text)
        plan = clean((await desk.say(f"replan-{done}", prompt)).text)
        plan = mend_plan(plan) if mended else plan
    return Ended.PLAN_OVER


async def _first_plan(desk: Desk, question: str, shown: Shown, *, mended: bool) -> str:
    """The plan as the model wrote it, with full-width colons made half-width."""
    prompt = _plan_prompt(shown, question)
    plan = clean((await desk.say("plan", prompt)).text)
    return mend_plan(plan) if mended else plan.replace("：", ": ")


def mend_plan(plan: str) -> str:
    """The plan with the marks that `split_plan` looks for, however their colons and blanks are."""
    return _ANY_MARK.sub(lambda mark: _mark(int(mark[1])), plan)


def split_plan(plan: str) -> list[str]:
    """The steps after `第1步: `, `第2步: `, …; a number that is missing ends the plan."""
    steps: list[str] = []
    place = plan.find(_mark(1))
    while place >= 0:
        start = place + len(_mark(len(steps) + 1))
        place = plan.find(_mark(len(steps) + 2), start)
        steps.append(one_line(plan[start : place if place >= 0 else len(plan)]))
    return steps


def _mark(number: int) -> str:
    return f"第{number}步: "


async def _carry_out(desk: Desk, shown: Shown, number: int, step: str) -> bool:
    """Do one step of a plan; whether it was the final answer."""
    record = desk.record
    prompt = _solve_prompt(shown, step, record.text)
    action = await desk.say(f"solve-{number}", prompt)
    result = await act(desk, action.text)
    final = not isinstance(result, str)
    words = result if isinstance(result, str) else final_words(result)
    record.write(f"第{number}步计划: {step} 执行结果: {words}\n")
    return final


# --- what the model is told ---

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


def _plan_prompt(shown: Shown, question: str) -> str:
    """Asks for a plan."""
    opening = setting_out(_PLAN_RULES, shown)
    return f"{opening}\n\n{_PLAN_EXAMPLES}\n\n现在开始。\n问题：{question}\n计划：\n"


def _solve_prompt(shown: Shown, step: str, transcript: str) -> str:
    """Asks for the action of one step. The question is not in it (legalagentbench.md 4.4)."""
    opening = f"{setting_out(_SOLVE_RULES, shown)}\n\n{ACTION_FORM}"
    done = transcript or "无"
    return (
        f"{opening}\n\n{_SOLVE_EXAMPLES}\n\n现在开始。\n"
        f"此前的结果：{done}\n当前这一步：{step}\n行动："
    )


def _replan_prompt(shown: Shown, question: str, plan: str, transcript: str) -> str:
    """Asks for a whole new plan after a step."""
    opening = setting_out(_REPLAN_RULES, shown)
    return (
        f"{opening}\n\n{_REPLAN_EXAMPLES}\n\n现在开始。\n"
        f"问题：{question}\n原计划：\n{plan}\n已执行：{transcript}\n新计划：\n"
    )
