"""The rules of matters: which items a hand-in has right, and what graders say of its reasoning."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from hengfa.base.data.jsonfile import read_toml
from hengfa.evals.grading.graded import GradedResponse
from hengfa.evals.grading.marking import Choices
from hengfa.evals.grading.rubric import Rubric
from hengfa.evals.grading.submission import Submission
from hengfa.evals.results.figures import Graded, Pooled
from hengfa.evals.results.trace import Finding, Span, Trace
from hengfa.evals.suites.base import Answer, AnswerStatus, Fixes, GradedRuleSet, Metrics, Score
from hengfa.evals.suites.findings import findings_of
from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.law_names import abbreviations, normalise_name
from hengfa.world.agents.trajectory import SILENCE, read_reply
from hengfa.world.matters.key import FORMS, HEAD
from hengfa.world.matters.matter import GROUND, IN_FORCE, Kind, Matter, MatterItem
from hengfa.world.suites.matching import tolerant

SCORE, ALL_PASS, LAW_SHARE, FORM, RUBRIC = "score", "all_pass", "law", "form", "rubric"
LAW, OFF, ON = "law", "off", "on"
FURTHER: Final = (ALL_PASS, LAW_SHARE, IN_FORCE, FORM, RUBRIC)
UNGRADED, ITEMS = "ungraded", "items"
_NAMES: Final = (SCORE, *FURTHER, UNGRADED, ITEMS)

GRADED: Final = read_toml(Path(__file__).with_name("rubric.toml"), Rubric)
"""What no list of words can tell: whether a document reasons well and reads like one."""


class MatterSample(msgspec.Struct, frozen=True):
    """A matter, and whether the law library is asked about what is cited."""

    matter: Matter
    law: bool = False

    @property
    def id(self) -> str:
        return self.matter.id


def submission(sample: MatterSample, response: str) -> Submission:
    """What a grader sees: the question, the document alone, and the reference."""
    matter = sample.matter
    return Submission(
        key=f"matters/{matter.kind}/{matter.id}",
        question=matter.question,
        response=_document_in(response).value or "",
        rubric=GRADED,
        reference=matter.answer,
        as_of=matter.days.filed,
    )


class MatterRules(GradedRuleSet[MatterSample, str]):
    """An item is right where the document says it and nothing that contradicts it. `score` is the
    share of right items, `all_pass` whether all critical ones are, `law` the share of the
    provisions that are cited, `in_force` whether all that is cited was law on a day of the case,
    `form` the share of the parts that are there; graders add `rubric`."""

    metrics = _NAMES
    graded = Graded(Pooled((UNGRADED, ITEMS), lambda some, of: some / of if of else 0.0),
                    labels=(RUBRIC,))  # fmt: skip

    def __init__(self, _fixes: Fixes, _data: Path | None = None) -> None:
        self._library = False

    def read(self, response: str) -> Answer[str]:
        return _document_in(response)

    def score(self, sample: MatterSample, answer: Answer[str]) -> Score:
        self._library = self._library or sample.law
        text, matter = answer.value or "", sample.matter
        parts = parts_of(text, matter.kind)
        cited = cache(lambda line: frozenset(cited_in(line)))  # items look into the same lines
        right = [_is_right(item, text, parts, cited, sample) for item in matter.items]
        judged = list(zip(matter.items, right, strict=True))
        grounds = [good for item, good in judged if item.id.startswith(GROUND)]
        metrics = {
            SCORE: sum(right) / len(right),
            ALL_PASS: float(all(good for item, good in judged if item.critical)),
            LAW_SHARE: sum(grounds) / len(grounds),
            IN_FORCE: float(next(good for item, good in judged if item.id == IN_FORCE)),
            FORM: len(parts) / (len(FORMS[matter.kind].headings) + 1),
            **dict.fromkeys((RUBRIC, UNGRADED, ITEMS)),
        }

        def explain() -> Trace:
            return Trace("items", tuple(_finding(*one, text, parts) for one in judged))

        return Score(metrics, explain)

    def grade(self, sample: MatterSample, answer: Answer[str], graded: GradedResponse) -> Score:
        known, mark = self.score(sample, answer), graded.mark(Choices())

        def explain() -> Trace:
            said = findings_of(GRADED, graded.marks(Choices()), backed=True)
            return Trace("items", (*known.explain().findings, *said.findings))

        given = {
            RUBRIC: None if mark.ungraded else mark.backed / mark.maximum,
            UNGRADED: float(mark.ungraded),
            ITEMS: float(len(mark.items())),
        }
        return Score({**known.metrics, **given}, explain)

    def silence(self, _sample: MatterSample) -> Metrics:
        return dict.fromkeys(_NAMES, 0.0)

    def instrument(self) -> str:
        return "items+library" if self._library else "items"


def _document_in(response: str) -> Answer[str]:
    try:
        reply = read_reply(response)
    except ValueError:
        return Answer(response, AnswerStatus.MALFORMED)
    text = response if reply is None else reply.answer
    silent = text.strip() in ("", SILENCE)
    return Answer(text, AnswerStatus.ABSTAINED if silent else AnswerStatus.EXTRACTED)


@lru_cache(maxsize=1024)
def _articles_of(citations: tuple[str, ...]) -> frozenset[CitedArticle]:
    return frozenset(one for citation in citations for one in cited_in(citation))


def _is_right(
    item: MatterItem,
    text: str,
    parts: Mapping[str, Span],
    cited: Callable[[str], frozenset[CitedArticle]],
    sample: MatterSample,
) -> bool:
    part = parts.get(item.part)
    if part is None or any(map(tolerant(text), item.lacks)):
        return False
    there = text[slice(*part)]
    if not item.cites:
        return all(map(tolerant(there), item.has))
    wanted = _articles_of(item.cites)
    found = any(
        not wanted.isdisjoint(cited(line)) and all(map(tolerant(line), item.has))
        for line in there.split("\n")
    )
    return found and (item.id != IN_FORCE or _in_force(text, sample))


def _in_force(text: str, sample: MatterSample) -> bool:
    """Whether everything that is cited was law on some day of the case, as far as is known."""
    matter = sample.matter
    stale = {law_spelling(law) for law in matter.stale}
    if any(cited.law in stale for cited in cited_in(text)):
        return False
    if not sample.law:
        return True
    from hengfa.evals.grading.statutes import check_by, held_against  # noqa: PLC0415 - who look law up
    from hengfa.law.library.store import default_file  # noqa: PLC0415

    check = check_by(default_file())
    by_day = [check.citations(text, on) for on in matter.on]
    return not any(all(map(held_against, of_days)) for of_days in zip(*by_day, strict=True))


def _finding(item: MatterItem, right: bool, text: str, parts: Mapping[str, Span]) -> Finding:
    """What was asked for and, where something wrong stands instead, that."""
    there = text[slice(*parts[item.part])] if item.part in parts else ""
    wrong = [word for word in item.lacks if tolerant(text)(word)]
    missing = [word for word in item.has if not tolerant(there)(word)]
    notes = ["critical"] if item.critical else []
    notes += [f"missing: {'、'.join(missing)}"] if missing else []
    return Finding(
        item.id,
        given="、".join(wrong) or ("、".join(item.has) if right else ""),
        expected="、".join((*item.has, *item.cites)),
        right=right,
        points=float(right),
        maximum=1.0,
        note="; ".join(notes),
    )


# --- a hand-in by its parts, and what it cites ---


class CitedArticle(NamedTuple):
    """An article of a law."""

    law: str
    article: int


# What may stand before and after a heading in its line: "**二、法律分析：**", "## 证据", "此致";
# not "原告的证据"
_BEFORE: Final = r"^[#*（()）一二三四五六七八九十、.．0-9 \t\u3000]*+"
_AFTER: Final = r"(?=[*\s：:]|$)"


def parts_of(text: str, kind: Kind) -> Mapping[str, Span]:
    """Where each part stands: from its heading to the next. Headings come in the order of the form,
    below its title; a part without its heading is not there, and without the title none is."""
    form = FORMS[kind]
    starts: list[tuple[str, int, int]] = []
    at = 0
    for part, heading in {HEAD: form.title, **form.headings}.items():
        found = re.compile(_BEFORE + heading + _AFTER, re.MULTILINE).search(text, at)
        if found is not None:
            starts.append((part, found.start(), at := found.end()))
        elif part == HEAD:
            return {}
    ends = [start for _, start, _ in starts[1:]] + [len(text)]
    return {part: (at, end) for (part, _, at), end in zip(starts, ends, strict=True)}


def cited_in(text: str) -> Iterator[CitedArticle]:
    """Every article of a law that a text cites, the law by one spelling."""
    for citation in find_citations(text):
        if citation.law is None or citation.kind == "document":
            continue
        for position in citation.expand():
            if position.article is not None and position.article_sub is None:
                yield CitedArticle(law_spelling(citation.law), position.article)


def law_spelling(law: str) -> str:
    """One spelling for a law: 《中华人民共和国民法典》 is 民法典."""
    plain = normalise_name(law)
    meant = abbreviations.get(plain, ())
    return normalise_name(meant[0]) if len(meant) == 1 else plain
