"""Submission to messages: what a grader is told, and the shape in which it must answer.

The rules follow the judge contract of PLawBench (plawbench.md 4) in substance, in words of our
own. Sums, deductions, gates, penalties and order are left out of the grader's hands: it says what
it found and where, and :mod:`hengfa.evals.grading.marking` counts.

The response is data. It stands between two lines that carry a code made from its own text, which
no text can contain by design, so nothing inside can close them; and what a reader could not see, a
chat template would obey or a JSON string would end at is taken out of it. A second such code must
come back with the verdict. It stands after the response, so that all prompts of a rubric begin
alike and servers can keep what they made of that. Everything is a function of the submission: the
same one gives the same prompt, so the journal finds its reply again.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from hengfa.base.data.jsonfile import read_toml
from hengfa.evals.engine.messages import JSONObject, Message, Options, Request
from hengfa.evals.grading.rubric import Deduction, Gate, Item, Penalty, Rubric, faults_of
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import Problem, verdict_code
from hengfa.law.text.invisible import INVISIBLE


class SideQuestion(msgspec.Struct, frozen=True):
    system: str
    asked: str


class GradeWords(msgspec.Struct, frozen=True):
    """The question for grades: all rules in their order, and the parts of what is put before a
    grader; `problems` says what is wrong with a reply, by the code of the problem."""

    system: str
    rules: tuple[str, ...]
    levels: str
    partial: str
    faults: str
    times: str
    range: str
    tier: str
    last_rules: tuple[str, ...]
    part: str
    question: str
    rubric: str
    reference: str
    response: str
    asked: str
    repair: str
    again: str
    problems: dict[str, str]


class GraderPrompts(msgspec.Struct, frozen=True):
    """All words that graders are asked with."""

    grade: GradeWords
    errors: SideQuestion
    screen: SideQuestion


PROMPTS: Final = read_toml(Path(__file__).with_name("prompts.toml"), GraderPrompts)
GRADE: Final = PROMPTS.grade
_LONGEST_REPLY: Final = 24_000
"""So many last characters of an unreadable reply are shown to the grader again."""
_MOST_PROBLEMS: Final = 60
# What a chat template could take for a sign of its own: "<|im_end|>", "</s>", "<｜User｜>";
# not "a < b"
_TEMPLATE_SIGN: Final = re.compile(r"<(?=[|｜/a-zA-Z])")
_JSON_SIGNS: Final = str.maketrans({'"': "″", "＂": "″", "\\": "＼"})
"""What ends a JSON string or escapes its end, by signs that look alike and do neither."""


def grade_request(submission: Submission, options: Options) -> Request:
    """The first question to a grader."""
    return _request(submission, "grade", _messages(submission), options)


def repair_request(
    submission: Submission, reply_text: str, problems: Sequence[Problem], options: Options
) -> Request:
    """A second turn after a reply that cannot stand: what is wrong with it, one by one."""
    listed = "\n".join(
        f"{number}. {problem.id}{'：' if problem.id else ''}{GRADE.problems[problem.code]}"
        for number, problem in enumerate(problems[:_MOST_PROBLEMS], 1)
    )
    messages = (
        *_messages(submission),
        Message("assistant", reply_text[-_LONGEST_REPLY:]),
        Message("user", GRADE.repair.format(problems=listed)),
    )
    return _request(submission, "repair", messages, options)


def again_request(submission: Submission, options: Options, step: str = "again") -> Request:
    """The question put anew, after no answer or one that could not be repaired. It ends with a
    sentence that the first one has not, and in a later sitting with its number. At temperature 0 a
    server answers the same prompt with the same words, and many keep answers by prompt; the same
    question twice would only give the same trouble twice."""
    *before, last = _messages(submission)
    number = step.partition("-")[2]
    asked = f"{last.content}\n\n{GRADE.again}" + (f"（第{number}次）" if number else "")
    return _request(submission, step, (*before, Message("user", asked)), options)


def reply_schema(rubric: Rubric) -> JSONObject:
    """The JSON Schema of a reply to this rubric. Evidence and reason come before points, so that a
    model that writes from left to right looks before it awards. Ranges are not in it, because
    servers differ in what they understand, nor is the value of the code, because they prepare a
    schema once and this one serves all responses to the rubric; :mod:`hengfa.evals.grading.verdict`
    checks both anyway."""
    plain = [item.id for item in rubric.items() if not item.levels]
    graded = [item for item in rubric.items() if item.levels]
    kinds: list[JSONObject] = []
    if plain:
        kinds.append(_entry(plain, {"points": {"type": "number"}}))
    if graded:
        names = list(dict.fromkeys(level.name for item in graded for level in item.levels))
        level: JSONObject = {"level": {"type": "string", "enum": names}}
        kinds.append(_entry([item.id for item in graded], level))
    entry = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    lists: JSONObject = {"awards": {"type": "array", "items": entry}}
    faults = list(rubric.faults())
    if faults:
        more: JSONObject = {"times": {"type": "integer"}}
        if _has_range(faults):
            more["points"] = {"type": ["number", "null"]}
        lists["faults"] = {"type": "array", "items": _entry([fault.id for fault in faults], more)}
    return strict_object({**lists, "code": {"type": "string"}})


def nonce(response: str) -> str:
    """The code on the lines around a response; a text cannot hold the hash of itself."""
    seen = response.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(seen, digest_size=8).hexdigest()


def grader_view(response: str) -> str:
    """A response as the grader sees it. Characters that nobody sees (zero width, direction marks,
    tags, fillers, controls) are dropped, since instructions can hide in them; a blank parts the
    signs that servers would read as the end of a message; and a grader that copies words into its
    JSON without escaping them copies nothing that ends the string. Quotations are found in the
    original all the same: evidence goes by letters."""
    seen = "".join(
        sign
        for sign in response
        if sign in "\u2028\u2029"  # they end lines
        or not (INVISIBLE.match(sign) or unicodedata.category(sign) in {"Cf", "Cs", "Co", "Cn"})
    )
    return _TEMPLATE_SIGN.sub("< ", seen).translate(_JSON_SIGNS)


def between_lines(response: str) -> str:
    """A response between its two lines, and the code that must come back."""
    return GRADE.response.format(
        code=nonce(response), text=grader_view(response), returned=verdict_code(response)
    )


def _request(
    submission: Submission, step: str, messages: tuple[Message, ...], options: Options
) -> Request:
    asked = msgspec.structs.replace(options, reply_schema=reply_schema(submission.rubric))
    return Request(f"{submission.key}#{step}", messages, asked)


def _messages(submission: Submission) -> tuple[Message, ...]:
    rubric = submission.rubric
    parts = [*question_and_rubric(submission)]
    if submission.reference:
        parts.append(_part(GRADE.reference, submission.reference))
    asked = GRADE.asked.format(items=len([*rubric.items()]))
    parts.append(f"{between_lines(submission.response)}\n{asked}")
    return Message("system", _rules(rubric)), Message("user", "\n\n".join(parts))


def question_and_rubric(submission: Submission) -> tuple[str, str]:
    """The two parts that stand before every response."""
    rubric = _part(GRADE.rubric, rubric_text(submission.rubric))
    return _part(GRADE.question, submission.question), rubric


def _part(title: str, text: str) -> str:
    return GRADE.part.format(title=title, text=text.strip())


def _rules(rubric: Rubric) -> str:
    faults = list(rubric.faults())
    of_some = {
        GRADE.levels: any(item.levels for item in rubric.items()),
        GRADE.partial: any(not item.levels for item in rubric.items()),
        GRADE.faults: bool(faults),
        GRADE.times: any(map(_counts_times, faults)),
        GRADE.range: _has_range(faults),
        GRADE.tier: any(isinstance(fault, Gate) and fault.tier for fault in faults),
    }
    told = [rule for rule, applies in of_some.items() if applies]
    rules = enumerate((*GRADE.rules, *told, *GRADE.last_rules), start=1)
    numbered = "\n".join(f"{number}. {rule}" for number, rule in rules)
    return GRADE.system.format(rules=numbered, example=_example(rubric))


def _example(rubric: Rubric) -> str:
    """The shape of a reply, for models that are told by words only."""
    base = {"id": "条目编号", "evidence": ["作答原文"], "reason": "一句话理由"}
    awards: list[JSONObject] = []
    if any(not item.levels for item in rubric.items()):
        awards.append({**base, "points": 0})
    if any(item.levels for item in rubric.items()):
        awards.append({**base, "level": "等级名称"})
    example: JSONObject = {"awards": awards}
    faults = list(rubric.faults())
    if faults:
        fault = {**base, "id": "情形编号", "times": 1}
        example["faults"] = [{**fault, "points": None} if _has_range(faults) else fault]
    return _json({**example, "code": "核对码"})


def rubric_text(rubric: Rubric) -> str:
    """A rubric as graders read it."""
    sections = [
        {
            "标题": section.title,
            **_filled({"上级标题": section.group}),
            "条目": [_item(item) for item in section.items],
            **_filled({"扣分情形": [*map(_fault, faults_of(section))]}),
        }
        for section in rubric.sections
    ]
    penalties = [*map(_fault, rubric.penalties)]
    return _json({"部分": sections} | _filled({"整卷扣分情形": penalties}))


def _item(item: Item) -> JSONObject:
    shape: JSONObject = {"id": item.id, "满分": _plain(item.maximum), "内容": item.text}
    return shape | _filled(
        {
            "等级": {level.name: _plain(level.points) for level in item.levels},
            "要素": list(item.elements),
            "可替代": list(item.alternatives),
            "扣分情形": [*map(_fault, faults_of(item))],
        }
    )


def _filled(shape: JSONObject) -> JSONObject:
    return {name: value for name, value in shape.items() if value}


def _fault(fault: Deduction | Gate | Penalty) -> JSONObject:
    shape: JSONObject = {"id": fault.id, "内容": fault.text}
    if _counts_times(fault):
        shape["按次数"] = True
    if isinstance(fault, Deduction) and fault.most is not None:
        shape["扣分范围"] = [_plain(fault.points), _plain(fault.most)]
    if isinstance(fault, Gate) and fault.tier:
        shape["成立时得分"] = _plain(fault.leaves)
    return shape


def _counts_times(fault: Deduction | Gate | Penalty) -> bool:
    if isinstance(fault, Penalty):
        return not fault.all and fault.times != 1
    return isinstance(fault, Deduction) and fault.each


def _has_range(faults: Sequence[Deduction | Gate | Penalty]) -> bool:
    return any(isinstance(fault, Deduction) and fault.most is not None for fault in faults)


def _entry(ids: Sequence[str], last: JSONObject) -> JSONObject:
    return strict_object(
        {
            "id": {"type": "string", "enum": list(ids)},
            "evidence": {"type": "array", "items": {"type": "string"}},
            "reason": {"type": "string"},
            **last,
        }
    )


def strict_object(properties: JSONObject) -> JSONObject:
    """An object with just these fields, as strict modes want it."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _plain(number: float) -> float | int:
    """5 for 5.0, as people write points."""
    return int(number) if float(number).is_integer() else number


def _json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=1).decode()
