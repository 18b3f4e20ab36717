"""Rewriting questions, by rule or by a model, with a check that the answer is still the answer.

A rewritten question must keep every piece that decides the answer, to the letter: what it names,
its numbers, its conditions, what it asks for and in which form. It must add no number and no name,
must not tell the answer, and the plan must still lead to the same keys. What fails is refused with
the reasons, and the template stays.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import msgspec

from hengfa.engine.messages import Message, Options, Request, Response, Status
from hengfa.world.factory.follow import LookInWorld, follow
from hengfa.world.factory.task import Plan, Refused, Task
from hengfa.world.world import World

LOST, NUMBERS, ADDED, TOLD, LONG, CHANGED, NO_ANSWER = (
    "a piece of the question is lost",
    "its numbers are others",
    "it names something new",
    "it tells the answer or a step",
    "it is too long",
    "the path leads elsewhere",
    "the model gave no answer",
)

LONGEST_EXTRA: Final = 400
OPTIONS: Final = Options(temperature=0.7, max_new_tokens=1_500)
# Digits: the year, code and serial in "（2020）苏0282民初31号"; 三百, which is words, is none.
_NUMBERS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_NAMES: Final = ("有限公司", "有限责任公司", "人民法院")
Ask = Callable[[Request], Awaitable[Response]]


class Rewritten(msgspec.Struct, frozen=True):
    """A task with its new question, or as it was with what was wrong with the new one."""

    task: Task
    problems: tuple[str, ...] = ()


class Figures(msgspec.Struct):
    """How many rewritings there were, how many passed, and what was wrong with the others."""

    by: str
    asked: int = 0
    passed: int = 0
    refused: dict[str, int] = {}


class Checker:
    """Checks new questions against one world."""

    def __init__(self, world: World) -> None:
        self._look = LookInWorld(world)

    def problems(self, task: Task, text: str) -> list[str]:
        """Everything that is wrong with a new question; nothing if it may stand."""
        problems = []
        old = task.question
        if any(piece not in text for piece in task.keep):
            problems.append(LOST)
        if set(_NUMBERS.findall(text)) != set(_NUMBERS.findall(old)):
            problems.append(NUMBERS)
        if any(text.count(name) > old.count(name) for name in _NAMES):
            problems.append(ADDED)
        steps = (step for step in task.key_middle if step not in old)
        if any(key in text for key in (*task.key, *steps)):
            problems.append(TOLD)
        if len(text) > len(old) + LONGEST_EXTRA:
            problems.append(LONG)
        if not self._still_leads(task):
            problems.append(CHANGED)
        return problems

    def applied(self, task: Task, text: str) -> Rewritten:
        """The task with the new question, or as it was."""
        problems = self.problems(task, text)
        if problems:
            return Rewritten(task, tuple(problems))
        new = msgspec.structs.replace(task, question=text, template=task.question)
        return Rewritten(new)

    def _still_leads(self, task: Task) -> bool:
        if not isinstance(task.plan, Plan):
            return True
        self._look.forget()
        try:
            return follow(task.plan, self._look).keys == task.key
        except Refused:
            return False


def can_be_rewritten(task: Task) -> bool:
    """Questions on a path; a complaint is a document and stays as it is."""
    return isinstance(task.plan, Plan)


def by_rule(task: Task, seed: int) -> str:
    """Somebody asks for a reason, then the question, then a word of thanks or none."""
    rng = random.Random(f"rewrite {seed} {task.id}")
    opening = f"{rng.choice(PERSONAS)}，{rng.choice(CONTEXTS)}。"
    return f"{opening}{task.question}{rng.choice(ENDINGS)}"


async def by_model(ask: Ask, task: Task, checker: Checker) -> Rewritten:
    """One attempt, and a second that is told what the first one lost."""
    response = await ask(_request(task))
    outcome = _read(task, response, checker)
    if outcome.problems and response.status is Status.ANSWERED:
        again = await ask(_request(task, response.text))
        outcome = _read(task, again, checker)
    return outcome


def figures(by: str, outcomes: Sequence[Rewritten]) -> Figures:
    """Count what passed and what was wrong."""
    wrong = Counter(problem for outcome in outcomes for problem in outcome.problems)
    passed = sum(not outcome.problems for outcome in outcomes)
    return Figures(by, len(outcomes), passed, dict(wrong.most_common()))


def _read(task: Task, response: Response, checker: Checker) -> Rewritten:
    text = response.text.strip()
    if response.status is not Status.ANSWERED or not text:
        return Rewritten(task, (NO_ANSWER,))
    return checker.applied(task, text)


def _request(task: Task, before: str | None = None) -> Request:
    """Keys hold the question itself, so that other tasks in the same file are other questions."""
    name = hashlib.blake2b(task.question.encode(), digest_size=12).hexdigest()
    messages = [Message("user", _prompt(task))]
    if before is not None:
        lost = [piece for piece in task.keep if piece not in before] or ["（未增加新的名称和数字）"]
        wish = "这一稿不合要求。请重写，并逐字保留：" + "；".join(lost)
        messages += [Message("assistant", before), Message("user", wish)]
    step = "rewrite" if before is None else "again"
    return Request(f"{step}/{name}", tuple(messages), OPTIONS)


def _prompt(task: Task) -> str:
    pieces = "\n".join(f"- {piece}" for piece in task.keep)
    return (
        "把下面的问题改写成一段自然的中文提问：设定一个提问者的身份和缘由，可以加入无关紧要的背景，"
        "但所问的事情和答案必须不变。不要回答问题，不要增加公司、法院等名称，不要增加任何数字。\n"
        f"以下片段必须逐字保留：\n{pieces}\n\n问题：{task.question}\n\n只输出改写后的问题。"
    )


# --- who asks, and why ---

# Harmless words around a question. They make it longer and no different: nothing here may name a
# company, a court or a number, nor ask for anything.
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
