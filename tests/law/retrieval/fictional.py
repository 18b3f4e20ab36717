"""A small invented law, facts with labels, and judged questions."""

from __future__ import annotations

from hengfa.law.retrieval.corpus import Corpus, Document, Example, Query

ARTICLES = (
    Document("1", "偷拿他人茶叶的，罚扫茶园。", "云山茶律第一条", "云山茶律"),
    Document("2", "醉后驾驶茶车的，停驾一月。", "云山茶律第二条", "云山茶律"),
    Document("2-1", "在茶道上追逐竞驶的，停驾三月。", "云山茶律第二条之一", "云山茶律"),
    Document("3", "主动说明自己所为的，可以从轻。", "云山茶律第三条", "云山茶律"),
    Document("10", "捕鱼须持湖证，过期的湖证无效。", "镜湖渔规第十条", "镜湖渔规"),
)

EXAMPLES = (
    Example("a", "某甲夜里偷拿邻居茶叶两斤，次日主动说明。", ("1", "3")),
    Example("b", "某乙偷拿茶行茶叶一箱。", ("1",)),
    Example("c", "某丙醉后驾驶茶车撞坏围栏，主动说明所为。", ("2", "3")),
    Example("d", "某丁醉后驾驶茶车，被当场拦下。", ("2",)),
    Example("e", "某戊持过期湖证捕鱼。", ("10",)),
    Example("f", "某己没有湖证而捕鱼，主动说明。", ("10", "3")),
)

CORPUS = Corpus(ARTICLES, EXAMPLES)

QUERIES = (
    Query("q1", "某庚偷拿茶叶，后来主动说明。"),
    Query("q2", "某辛醉后驾驶。"),
    Query("q3", "湖证过期了还能捕鱼吗？"),
)

QRELS = {"q1": {"1": 1, "3": 1}, "q2": {"2": 1}, "q3": {"10": 2, "1": 0}}
