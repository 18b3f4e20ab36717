"""ReAct: think, act, look; thought and action are two separate questions (legalagentbench.md 4.3).

The prompt is in our own words; every name in it is invented.
"""

from __future__ import annotations

from typing import Final

from hengfa.world.agents.desk import Desk
from hengfa.world.agents.published import ACTION_FORM, CAUTIONS, Shown, act, setting_out
from hengfa.world.agents.reading import one_line
from hengfa.world.agents.trajectory import Ended
from hengfa.world.tools.catalogue import FINAL_ANSWER

_STEPS: Final = 10

_RULES: Final = f"""\
你要借助工具回答一个法律问题。请按“思考、行动、观察”一步一步地进行：
思考时说清还缺什么、下一步查什么；行动时只调用一个工具；观察是工具给出的结果，由系统填写。
{CAUTIONS}
- 信息足够之后就以 {FINAL_ANSWER} 结束。"""

_EXAMPLES: Final = f"""\
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


async def react(desk: Desk, question: str, shown: Shown) -> Ended:
    """At most ten rounds, unless the limits say otherwise."""
    prompt = _prompt(shown, question)
    record = desk.record
    for step in range(1, (desk.limits.steps or _STEPS) + 1):
        if desk.meter.over:
            return Ended.BUDGET
        record.write(f"思考 {step}:")
        thought = await desk.say(f"thought-{step}", prompt + record.text)
        record.write(f"{one_line(thought.text)}\n行动 {step}:")
        action = await desk.say(f"action-{step}", prompt + record.text)
        record.write(f"{one_line(action.text)}\n")
        observation = await act(desk, action.text)
        if not isinstance(observation, str):
            return Ended.FINISHED
        record.write(f"观察 {step}:{observation}\n")
    return Ended.STEP_LIMIT


def _prompt(shown: Shown, question: str) -> str:
    """All that stands before the transcript."""
    opening = f"{setting_out(_RULES, shown)}\n\n{ACTION_FORM}"
    return f"{opening}\n\n{_EXAMPLES}\n\n现在开始。\n问题：{question}\n"
