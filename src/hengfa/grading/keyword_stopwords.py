"""Words that stand in every rubric or every legal text, and so tell nothing of an item."""

from __future__ import annotations

from typing import Final

_LISTED: Final = """
一个 一项 一种 一定 不能 不得 不是 为了 之间 也是 予以 二者 以上 以下 以及 任何
任意 但是 作为 例如 依据 依照 依法 关于 其中 其他 其它 具体 准确 分析 分别 列明
判断 即可 及其 可以 各项 同时 否则 听取 回答 因为 因此 基于 如果 如何 存在 完整
定性 对于 对此 属于 应当 当时 得分 情况 情形 我们 或者 所有 扣分 指出 按照 提及
提到 提出 故此 文书 方面 明确 是否 有关 根据 正确 每个 法律 法条 清楚 满足 然后
理由 由于 的话 相关 相应 着重 知道 确认 符合 第一 第二 第三 等等 答出 结论 能够
自己 若是 规定 角度 认为 认定 询问 说明 论述 请求 起来 过程 还是 这个 这些 进行
追问 通过 那么 部分 里面 阐明 阐述 陈述 需要 非常 首先 其次 最后 问题 事实 内容
本案 本题 步骤 要点 要件
"""

COMMON_WORDS: Final = frozenset(_LISTED.split())
