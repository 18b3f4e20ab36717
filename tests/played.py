"""Two models and a grader behind one server, for whoever walks the way of a real model.

`strong` knows most answers and `weak` half of them, from the references of the sample pack; as
agents they look one thing up and hand in. Of each suite and setting `weak` refuses the first
question, and its second answer is cut. `Grader-法` gives part of the points, with quotations; its
first verdict is malformed, and mended when it is told so. `stubborn` never mends it. The server is
too busy for a few of the first requests to each of them.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from aiohttp import web

from hengfa.evals.engine.messages import Options
from hengfa.evals.suites.builtin import CEILING, FLOOR, build
from hengfa.evals.suites.plan import Plan
from hengfa.world.agents.trajectory import read_reply
from tests.evals.engine.server import LocalServer, Seen, completion
from tests.world.agents.standin import Answer, Course, Heard, hear, numbered, said

STRONG, WEAK, GRADER, STUBBORN = "strong", "weak", "Grader-法", "stubborn"
BUSY: Final = {2: 429, 5: 500}
"""Which of the requests to each model the server is too busy for."""
_LOOKED_UP: Final = (
    "get_company_info",
    {"identifier": "云帆渡船股份有限公司", "columns": ["公司代码"]},
)
_CODE: Final = re.compile("^核对码：(.+)$", re.MULTILINE)
_GRADED: Final = re.compile("作答开始 .*?=\n(.*?)\n=+ 作答结束", re.DOTALL)
_RUBRIC: Final = re.compile("## 评分细则\n\n(\\{.*?\n\\})", re.DOTALL)


class Known(NamedTuple):
    """A question of a plan, what is right, and what one says who knows nothing."""

    number: int
    place: int
    right: str
    trivial: str


class Played(LocalServer):
    """The server; `plans` are all that its models may be asked.

    `odd` counts the trouble that was made, so that a test can see that there was any.
    """

    def __init__(self, plans: Iterable[Plan]) -> None:
        super().__init__(self._answer)
        self._known: dict[str, Known] = {}
        for plan in plans:
            self._learn(plan)
        self._by_number = {known.number: known for known in self._known.values()}
        self._requests: Counter[str] = Counter()
        self._malformed: dict[str, str] = {}
        self.odd: Counter[str] = Counter()

    def _learn(self, plan: Plan) -> None:
        right, trivial = (build(name, plan.questions, ()).answers for name in (CEILING, FLOOR))
        for place, question in enumerate(plan.asked(Options())):
            text, key = question.request.messages[-1].content, question.request.key
            known = Known(len(self._known), place, right[key], trivial[key])
            self._known.setdefault(text, known)

    async def _answer(self, _request: web.Request, seen: Seen) -> web.StreamResponse:
        await asyncio.sleep(0.001)
        model, messages = seen.body["model"], seen.body["messages"]
        self._requests[model] += 1
        if status := BUSY.get(self._requests[model]):
            self.odd[str(status)] += 1
            return web.json_response({"error": {"message": "busy, try again"}}, status=status)
        if model in (GRADER, STUBBORN):
            reply = completion(self._graded(model, messages))
        elif len(messages) == 1 and seen.prompt in self._known:
            reply = self._answered(seen.body, self._known[seen.prompt])
        else:
            reply = self._acted(seen.body)
        return web.json_response(reply)

    def _answered(self, body: dict[str, Any], known: Known) -> dict[str, Any]:
        """The reply to a plain question."""
        text = _text(body, known)
        if body["model"] == WEAK and known.place < 2:
            self.odd["cut" if known.place else "refused"] += 1
            if known.place:
                return completion(text[: len(text) // 2 + 1], "length")
            return completion(None, "content_filter", refusal="这个问题不便回答。")
        return completion(text)

    def _acted(self, body: dict[str, Any]) -> dict[str, Any]:
        """The next move of an agent."""
        heard = hear(body)
        known = self._asked(heard)
        if body["model"] == WEAK and known.place == 0:
            self.odd["refused"] += 1
            return completion(None, "content_filter", refusal="这个问题不便回答。")
        course = Course(known.number, 1, ["CompanyInfo"])
        if not heard.results:
            return said(heard, [_LOOKED_UP], course)
        text = _text(body, known)
        reply = read_reply(text)
        answer = Answer(text, text) if reply is None else Answer(reply.answer, reply.summary)
        return said(heard, answer, course)

    def _asked(self, heard: Heard) -> Known:
        if heard.wants == "solve":
            return self._by_number[numbered(heard.told)]
        return next(known for text, known in self._known.items() if text in heard.told)

    def _graded(self, model: str, messages: list[dict[str, Any]]) -> str:
        asked = messages[1]["content"]
        code, rubric, graded = (
            _CODE.findall(asked)[-1],
            _RUBRIC.search(asked),
            _GRADED.search(asked),
        )
        if rubric is None or graded is None:  # what is asked of a screening model
            return _json({"sentences": [], "talks": False, "code": code})
        sections = json.loads(rubric[1])["部分"]
        awards = [_award(item, graded[1]) for section in sections for item in section["条目"]]
        verdict = _json({"awards": awards, "faults": [], "code": code})
        first = self._malformed.setdefault(model, asked)
        if asked.startswith(first) and (model == STUBBORN or len(messages) == 2):
            self.odd["malformed"] += 1
            return verdict[: len(verdict) // 2]
        return verdict


def _text(body: dict[str, Any], known: Known) -> str:
    """`strong` knows four of five questions, `weak` half of them; by another seed other ones."""
    knows = (known.number + body.get("seed", 0)) % (5 if body["model"] == STRONG else 2)
    return known.right if knows else known.trivial


def _award(item: dict[str, Any], answer: str) -> dict[str, Any]:
    """All, half or none of the points, by what item and answer are, with words of the answer."""
    digest = hashlib.blake2b(f"{item['id']}{answer}".encode(), digest_size=2).digest()
    share = int.from_bytes(digest) % 3 / 2
    award = {"id": item["id"], "evidence": [answer[:12]] if share else [], "reason": "核对。"}
    if levels := item.get("等级"):
        ordered = sorted(levels, key=levels.__getitem__)
        return award | {"level": ordered[round(share * (len(ordered) - 1))]}
    return award | {"points": share * item["满分"]}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
