"""Twice the text takes twice the time: no parser, extractor, scorer or check grows faster.

Every subject reads every growing text once. What takes long for its length is measured at one, two
and four sizes, in time of this thread, the least of several turns; both doublings must be far
above two, again and again, before it counts as growth. So a busy machine fails nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import HengfaError
from hengfa.base.secrets import Redaction, Secret
from hengfa.evals.engine import replies, tokens
from hengfa.evals.grading.evidence import find_evidence
from hengfa.evals.grading.keywords import keyword_reply
from hengfa.evals.grading.marking import mark
from hengfa.evals.grading.prompt import grader_view
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.tampering import addresses_grader, echoes_rubric
from hengfa.evals.grading.verdict import UNCODED, Reply, Sheet, find_objects, read_verdict
from hengfa.evals.suites import templates
from hengfa.evals.suites.base import AnyRuleSet, AnyTask, Rules, Suite
from hengfa.evals.suites.claw_cases.guiding_cases import SECTIONS, read_case
from hengfa.evals.suites.judgment.reading import differences
from hengfa.evals.suites.plan import data_folder
from hengfa.evals.suites.plawbench.dataset import CriterionRow
from hengfa.evals.suites.plawbench.rubric_case import parse_case
from hengfa.evals.suites.plawbench.rubric_text import parse_consultation, parse_document
from hengfa.evals.suites.registry import OWN, get_suite
from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.citation_positions import parse_position
from hengfa.law.grammar.dates import find_dates, unread_date
from hengfa.law.grammar.judgment.parse import parse_judgment
from hengfa.law.grammar.law_names import document_number, normalise_name, shortest_name
from hengfa.law.grammar.numerals import find_numbers, parse_article, parse_number
from hengfa.law.grammar.statute_header import read_statute_header
from hengfa.law.grammar.statute_parsing import parse_statute
from hengfa.law.library.amending import read_act
from hengfa.law.library.case_numbers import Register, check_case_numbers
from hengfa.law.library.citing.checking import Checker, day_of
from hengfa.law.library.citing.details import doubts
from hengfa.law.library.diagnosis.classes import diagnose
from hengfa.law.library.documents import decode, read_docx
from hengfa.law.library.html_text import html_text
from hengfa.law.library.matching import normalise_in_place
from hengfa.law.library.names import Names, suggestions
from hengfa.law.library.opening import open_library
from hengfa.law.library.search import search
from hengfa.law.retrieval.terms import terms_of
from hengfa.law.text.characters import character_f1, normalised_edit_distance
from hengfa.law.text.meteor import meteor
from hengfa.law.text.rouge import bleu, rouge_l, rouge_l_official, units
from hengfa.law.text.segmentation import cut
from hengfa.train.rewards import rewarder
from hengfa.train.rewards.agent import agent_key
from hengfa.train.rewards.citations import citation_key
from hengfa.train.rewards.form import form_key
from hengfa.world.agents import published, reading
from hengfa.world.agents.answer_check import unsupported
from hengfa.world.published import logs
from hengfa.world.tools.arithmetic import NotAnExpression, evaluate
from hengfa.world.tools.parsing import read_case_number
from tests.evals.suites.agent_replies import sample as agent_sample
from tests.growing import PATTERNS, Growing
from tests.law.library.citing_support import docx

SIZE: Final = 500
QUICK: Final = 0.02
"""Seconds for four sizes that nobody minds: 5 to 10 microseconds a character."""
TURNS: Final = 5
GROWTH: Final = 2.5
"""Of a doubling: 2 is linear, 4 quadratic; small texts show less of it."""
REFERENCE: Final = (
    "茶馆应当取得执照，并在门口挂灯。违反前款规定的，处一百元以上五百元以下罚款。" * 4
)

Subject = Callable[[str], object]


def texts_and_law() -> dict[str, Subject]:
    """The core: law, metrics, replies of models, files."""
    return {
        "citations": find_citations,
        "position": parse_position,
        "days": lambda text: (find_dates(text), unread_date(text)),
        "numbers": lambda text: list(find_numbers(text)),
        "doubts": lambda text: (doubts(text, REFERENCE), doubts(REFERENCE, text)),
        "number": parse_number,
        "article": parse_article,
        "law name": normalise_name,
        "short name": lambda text: (shortest_name(text), document_number(text)),
        "statute": lambda text: read_statute_header(parse_statute(text)),
        "judgment": parse_judgment,
        "suite judgment parse --differences": differences,
        "case number": read_case_number,
        "case numbers": lambda text: check_case_numbers(text, Register(), date(2031, 1, 31)),
        "guiding case": guiding_case,
        "letters": normalise_in_place,
        "cut": cut,
        "units": lambda text: units(text, "word"),
        "terms": lambda text: terms_of([text], "words"),
        "rouge official": lambda text: rouge_l_official(text, REFERENCE),
        "rouge": lambda text: rouge_l(text, REFERENCE),
        "meteor": lambda text: meteor(text.split(), REFERENCE.split("，")),
        "bleu": lambda text: bleu(list(text), list(REFERENCE)),
        "character f1": lambda text: character_f1(text, REFERENCE),
        "edit distance": lambda text: normalised_edit_distance(text, REFERENCE),
        "thinking": replies.split_thinking,
        "reply": lambda text: replies.read_reply(said(text)),
        "one line": replies.one_line,
        "secrets": hide_secrets,
        "tokens": tokens.estimate_text,
        "template": template,
        "document": lambda text: decode(text.encode()),
        "page": html_text,
        "action": reading.read_action,
        "calls": reading.calls_in_text,
        "call": reading.read_call,
        "agent's JSON": reading.read_json,
        "tables": published.read_tables,
        "plan": published.split_plan,
        "unsupported": lambda text: unsupported(text, [text]),
        "arithmetic": evaluate,
        "printed": logs.read_printed,
        "printed row": lambda text: logs.read_printed(f"[{{'甲': '{text}'"),
        "logs": lambda text: [*logs.steps_of_react(text), *logs.steps_of_plan(text)],
        "logged call": lambda text: logs.read_call(logs.LogStep(text, "")),
        "described call": lambda text: logs.described_call(logs.LogStep(text, "")),
    }


def guiding_case(text: str) -> object:
    """A page that has this text for its title and in every section."""
    issued = "（最高人民法院审判委员会讨论通过2020年1月2日发布）"
    sections = "".join(f"\n{name}\n答{text}" for name in SECTIONS)
    return read_case(f"# 指导案例1号：\n{text}{issued}{sections}", Path("page.md"))


def hide_secrets(text: str) -> str:
    """Secrets that stand in the text: its beginning, which is repeated in it, and its end."""
    secrets = map(Secret, (text[:16], text[-16:], "sk-0123456789abcdef", "aaaaaaaaaaaaaaaa"))
    redaction = Redaction(secrets)
    return redaction.hide_message(text) + redaction.hide_cut(text)


def template(text: str) -> None:
    with suppress(ValueError):
        templates.read_text(text)


def said(text: str) -> object:
    """A server's reply with this text."""
    return {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}


def grading() -> dict[str, Subject]:
    """What a grader is shown, what it says and what is made of it."""
    task, sample = a_sample(get_suite("plawbench"), "consultation")
    assert task.grading is not None
    rubric = task.grading(sample, "").rubric

    def submitted(text: str) -> Submission:
        return Submission("key", REFERENCE, text, rubric)

    def marked(text: str) -> object:
        submission = submitted(text)
        answer = keyword_reply(submission)
        return mark(submission, Sheet("grader", (Reply("grade", "answered", answer),)))

    return {
        "verdict": lambda text: read_verdict(submitted("答"), text),
        "echoed verdict": lambda text: read_verdict(submitted(text), text),
        "verdict of the first prompt": lambda text: read_verdict(
            submitted(text + '"awards"'), text, UNCODED
        ),
        "objects": find_objects,
        "evidence": lambda text: find_evidence(text, [REFERENCE, text[: len(text) // 2]]),
        "addressing": addresses_grader,
        "echoing": lambda text: echoes_rubric(submitted(text)),
        "keywords": lambda text: keyword_reply(submitted(text)),
        "mark": marked,
        "shown": grader_view,
        "consultation rubric": lambda text: parse_consultation(text, "id"),
        "document rubric": lambda text: parse_document(text, 10, "id"),
        "case rubric": lambda text: parse_case([CriterionRow(text, "10", "结论得分")], "id"),
    }


def checking(folder: Path) -> dict[str, Subject]:
    """What is done with a library of law."""
    library = open_library(folder)
    law = next(iter(library.shelf.by_name.values()))
    version = library.versions(law)[-1]
    position = parse_position("第三条")
    assert position is not None
    checker, names = Checker(library), Names(library)
    return {
        "check": checker.check,
        "day of document": day_of,
        "diagnosis": lambda text: diagnose(library, version, position, text),
        "search": lambda text: search(library, text),
        "name": lambda text: names.resolve(text, version.promulgated),
        "suggestions": lambda text: suggestions(library, text),
        "act": lambda text: read_act("决定", law.name, version, text),
        "Word": lambda text: read_docx(docx(*printable(text).split("\n")), "a.docx"),
    }


def printable(text: str) -> str:
    """What XML can hold, with nothing to escape."""
    return "".join(sign for sign in text if sign not in "<>&" and (sign >= " " or sign == "\n"))


def scoring(suite: Suite) -> dict[str, Subject]:
    """Reading, scoring and explaining by both rules of every task."""
    subjects: dict[str, Subject] = {}
    for name in suite.tasks:
        task, sample = a_sample(suite, name)
        for rules in Rules:
            if rules is Rules.OFFICIAL or task.fixes:
                rule_set = task.rule_set(rules, data_folder(suite, "sample"))
                subjects[f"{name} {rules}"] = scorer(rule_set, sample)
    return subjects


def a_sample(suite: Suite, name: str) -> tuple[AnyTask, Any]:
    task = suite.tasks[name]
    root = data_folder(suite, "sample")
    return task, task.samples(root, suite.settings[0], suite.choose({}))[0]


def scorer(rule_set: AnyRuleSet, sample: Any) -> Subject:
    def score(text: str) -> object:
        answer = rule_set.read(text)
        return rule_set.score(sample, answer).explain(), answer.where()

    return score


def rewarding() -> dict[str, Subject]:
    """Rewards that are no task's; those of tasks are scores, as below."""
    with open_library(sample_root() / "claw") as library:
        law = library.path
    day = date(2020, 1, 1)
    keys = {
        "citations": ("citations_right", citation_key(day, "《月湖养蜂法》第三条")),
        "wrapper": ("format", form_key(wrapper=("[正确答案]", "<eoa>"))),
        "object": ("format", form_key(json=("a",))),
        "agent": ("agent", agent_key(agent_sample(), {"success": 1.0, "good_calls": 1.0})),
    }
    return {
        name: partial(rewarder(reward, library=law), key) for name, (reward, key) in keys.items()
    }


GROUPS: Final[dict[str, Callable[[], dict[str, Subject]]]] = {
    "core": texts_and_law,
    "grading": grading,
    "library": lambda: checking(sample_root() / "claw"),
    "rewards": rewarding,
    **{name: partial(lambda name: scoring(get_suite(name)), name) for name in OWN},
}


@pytest.mark.deep
@pytest.mark.parametrize("group", GROUPS)
def test_time_grows_with_the_text_and_no_faster(group: str) -> None:
    size = SIZE if group in {*OWN, "rewards"} else 2 * SIZE  # suites have many tasks
    growing = [
        f"{name} on {pattern}: {times}"
        for name, subject in GROUPS[group]().items()
        for pattern, text_of in PATTERNS.items()
        if (times := growth(subject, text_of, size))
    ]
    assert not growing, "\n".join(growing)


@pytest.mark.deep
def test_the_sweep_sees_growth() -> None:
    def pairs(text: str) -> int:
        return sum(one == other for one in text for other in text[::2])

    assert growth(pairs, PATTERNS["'的'"], SIZE)
    assert not growth(sorted, PATTERNS["'的'"], SIZE)
    assert len(PATTERNS) >= 100


def growth(subject: Subject, text_of: Growing, size: int) -> str:
    """The times at one, two and four sizes, where they grow faster than these; else nothing."""
    if duration(subject, text_of(4 * size)) < QUICK:
        return ""
    least = dict.fromkeys((1, 2, 4), float("inf"))
    for _ in range(TURNS):
        for times in (1, 1, 1, 2, 2, 4):  # what is short is disturbed soonest
            least[times] = min(least[times], duration(subject, text_of(times * size)))
        one, two, four = least.values()
        if four < QUICK or two <= GROWTH * one or four <= GROWTH * two:
            return ""
    return ", ".join(f"{seconds * 1000:.1f} ms" for seconds in least.values())


def duration(subject: Subject, text: str) -> float:
    started = time.thread_time()
    with suppress(HengfaError, NotAnExpression, reading.NoCall):
        subject(text)
    return time.thread_time() - started
