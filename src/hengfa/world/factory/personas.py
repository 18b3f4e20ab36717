"""Who asks, and why: harmless words around a question, without names, numbers or requests.

They make a question longer and no different. Nothing here may name a company, a court or a number,
nor ask for anything.
"""

from __future__ import annotations

from typing import Final

PERSONAS: Final = (
    "我是一名企业法务",
    "我在律所做实习助理",
    "我是刚入职的合规专员",
    "我负责公司的对外投资",
    "我是做风险评估的分析师",
    "我在替一位老客户打理纠纷",
    "我是一家供应商的业务经理",
    "我正在写一篇关于司法统计的文章",
    "我是债权人一方的代理人",
    "我们团队正在做并购前的尽职调查",
    "我是一名关注本地营商环境的记者",
    "我在银行的授信部门工作",
)

CONTEXTS: Final = (
    "手头的材料缺了关键的一环，领导催得又紧",
    "客户把往来邮件都转给了我，可里面没有说清楚",
    "同事之前整理过一份表格，后来发现有不少空白",
    "对方口头上说得很好听，但我更相信公开的记录",
    "明天要开会讨论，我希望发言时有准确的依据",
    "之前听别人提过几种说法，彼此对不上",
    "这件事牵涉的环节多，我怕自己看漏",
    "合同还没有签，在此之前想把底细摸清楚",
    "归档的时候发现卷宗不全，需要补齐",
    "最近在核对历史资料，正好核对到这一部分",
    "网上的二手信息太多，我不敢直接引用",
    "对接的同事休假了，只好自己来查",
)

ENDINGS: Final = (
    "",
    "",
    "谢谢！",
    "辛苦了。",
    "给出结论即可，不必展开。",
    "查到什么就写什么，不要猜测。",
)
