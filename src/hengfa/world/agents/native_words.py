"""What the `tools` method tells the model, in our own words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from hengfa.evals.engine.messages import ToolSpec
from hengfa.world.agents.published import columns_of
from hengfa.world.tools.catalogue import FINISH
from hengfa.world.tools.toolbox import Toolbox

FINISH_SPEC: Final = ToolSpec(
    FINISH,
    "提交最终答案，结束任务。只在信息齐备之后单独调用。",
    {
        "type": "object",
        "properties": {
            "answer": {
                "type": "string",
                "description": "简明而完整的答案；要求写文书的，写出全文。单位和格式按问题的要求",
            },
            "summary": {
                "type": "string",
                "description": "得到答案的经过：每一步查到的名称、案号、地区、日期、金额和"
                "计算结果，照原样写出；写文书时可以只写“同上”",
            },
        },
        "required": ["answer", "summary"],
        "additionalProperties": False,
    },
)
SAME: Final = frozenset({"同上", "同answer", "同答案"})

_DUTIES: Final = """\
你借助工具查询一个法律数据库，回答用户的问题。
- 按计划进行；查到的情况与计划不符时，在文字里写出新的计划再继续。
- 互不依赖的查询放在同一轮里一起调用；要用到前一步结果的，等结果出来再调用。
- 查询与计算交替进行：计数、求和、排序、比较、换算都用工具做，不要心算。
- 名称、案号、地址要写全；案号里年份之后、案件类型之前的部分是法院代字，可以据此查到法院。
- 查不到时先看结果里的提示：换全称、简称或别的表，不要用同样的参数再调用一次。
- 列表很长时，只取需要的列。
- 答案里的名称、案号、日期、金额照查到的原样写；没有查到的不要写。"""
_MORE: Final = """
- 需要遍历列表才能得到的数字，用 filter_rows 筛选排序、用 aggregate_rows 统计，或用 offset 翻页。"""

_PLAN: Final = """\
请先为这个问题写一个简短的计划，不超过八行，现在不要调用工具。写明：
要依次查什么、各用哪个工具；哪些可以同时查；要做什么计算；答案要包含哪几项、用什么单位和格式。"""

_TEXT_FORM: Final = f"""\
你不能直接调用函数，请把调用写在回复里。每个调用写成一个代码块，互不依赖的可以写几个：
```json
{{"action": "工具名称", "action_input": {{"参数": "值"}}}}
```
结果会在下一条消息里给你。信息齐备之后这样提交：
```json
{{"action": "{FINISH}", "action_input": {{"answer": "答案", "summary": "经过"}}}}
```"""

NUDGE: Final = (
    f"你没有调用工具。还缺信息就继续调用工具；如果上面已经是最终答案，请用 {FINISH} 提交"
    '（也可以写成```json代码块：{"action": "工具名称", "action_input": {…}}）。'
)
DROPPED: Final = "（这是较早的结果，为节省篇幅已略去；仍然需要时可以再次调用）"
TOO_MANY: Final = "这一轮的调用太多，本次没有执行；请在下一轮分批调用。"
FINISH_ALONE: Final = f"同一轮里还有别的调用，答案没有提交。请看过它们的结果，再单独调用 {FINISH}。"
NO_ANSWER: Final = "没有提交：answer 必须是文字，而且不能为空。"
UNREADABLE: Final = "参数不是合法的JSON对象，没有执行。请检查引号、括号和逗号，重新调用。"


def duties(toolbox: Toolbox) -> str:
    """The system message."""
    return _DUTIES + (_MORE if "filter_rows" in toolbox.names else "")


def catalogue(toolbox: Toolbox) -> str:
    """Tools and columns as text, for a plan and for models that cannot call functions."""
    tools = [name for name in toolbox.names if name != FINISH]
    columns = columns_of(toolbox.schema.table_of, toolbox.schema)
    return f"工具：\n{toolbox.described(tools)}\n\n各表的列：\n{columns}"


def plan_request(question: str) -> str:
    """Asks for a plan."""
    return f"问题：{question}\n\n{_PLAN}"


def task(question: str, plan: str | None) -> str:
    """The question with the plan, if one was asked for."""
    return f"问题：{question}" + ("" if plan is None else f"\n\n计划（可以修改）：\n{plan}")


def text_duties(toolbox: Toolbox) -> str:
    """The system message for models that cannot call functions."""
    return f"{duties(toolbox)}\n\n{catalogue(toolbox)}\n\n{_TEXT_FORM}"


def repeated(turn: int) -> str:
    """Refuses a call that was made before."""
    advice = "结果不会改变，见上文。请换一个工具或参数，或者根据已有的结果回答。"
    return json.dumps(
        {"error": "repeated call", "message": f"第{turn}轮已经用同样的参数调用过，{advice}"},
        ensure_ascii=False,
    )


def doubtful(items: Sequence[str]) -> str:
    """Gives the model one chance to correct its answer."""
    return (
        f"先不提交。答案里的这些内容在问题和查询结果中都没有出现：{'、'.join(items)}。"
        "请核对：可以查的再查一次，需要计算的用工具计算；"
        f"确认无误就再次调用 {FINISH}。"
    )


def remaining(turns: int) -> str:
    """Says that the end is near."""
    return f"（还可以进行{turns}轮，请抓紧得出答案）"
