"""Answers in one line, `答案：3年6个月`, read and compared exactly: for questions made by rule.

Only the last such line counts, and all of it has to be the answer: whoever writes two answers
there, or adds an explanation, has given none. Terms, days, sums and places may be written in any
script and style, unless the script is what is asked for: then whoever copies the question has not
answered it.
"""

from __future__ import annotations

import random
import re
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias
from unicodedata import normalize

import msgspec

from hengfa.evals.results.trace import Finding, Trace
from hengfa.evals.suites.base import Answer, AnswerStatus, Baselines, Chosen, Score, Task
from hengfa.evals.suites.kit.rules import ACCURACY, PlainRules
from hengfa.evals.suites.kit.tasks import one_turn
from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.grammar.dates import find_dates
from hengfa.law.grammar.judgment.verdict_words import DURATION, read_term
from hengfa.law.grammar.law_names import normalise_name
from hengfa.law.grammar.numerals import parse_number

Form: TypeAlias = Literal["term", "day", "days", "yuan", "written", "citation"]
"""A length of time in months, a day, a number of days, a sum in yuan; characters as they are asked
for; a law and a place in it."""

HOW: Final = "最后一行写“答案：”和结果，如“答案：{example}”，此外不写别的。"
LONGEST: Final = 120
"""What is longer is no answer in one line."""

# "答案：3年", "**答案**: 3年", "最终答案：3年"; not "答案如下"
_LINE: Final = re.compile(
    r"^[\s>#*_`]{0,8}(?:最终)?答案[*_`]{0,3}[ \t]?[：:](?P<answer>[^\n]*)$", re.MULTILINE
)
_AROUND: Final = " \t\r*_`“”\"'。．.；;，,"
_TERM: Final = re.compile(rf"(?:有期徒刑|拘役|管制)?({DURATION})")
_DAYS: Final = re.compile(r"([^日天]{1,12})[日天]")
# "12000元", "人民币壹万贰仟元整", "￥1.2万元", "1.2万"; not "12000美元"
_YUAN: Final = re.compile(r"(?:人民币|[￥¥])?([^元圆]{1,30})(?:[元圆](?:整|正|人民币)?)?")
# What groups digits: the commas of "12,000"; not those of "1,2"
_GROUPED: Final = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")


class MadeSample(msgspec.Struct, frozen=True):
    """A question made by rule. `answer` is the right one as people write it; `accepted` is every
    answer that is right, as `read` spells it."""

    id: str
    question: str
    answer: str
    form: Form
    accepted: tuple[str, ...]


class Question(NamedTuple):
    """What is asked, and the right answers, the usual way to write it first."""

    text: str
    form: Form
    answers: tuple[str, ...]

    def sample(self, id_: str) -> MadeSample:
        """The question under a name. What we make ourselves can be read, or it is our mistake."""
        spelled = [read(self.form, answer) for answer in self.answers]
        if None in spelled:
            raise ValueError(f"{self.answers} are not all of the form {self.form}")
        accepted = tuple(dict.fromkeys(filter(None, spelled)))
        return MadeSample(id_, self.text, self.answers[0], self.form, accepted)


Kind: TypeAlias = Callable[[random.Random], Question]
"""Makes a question of one kind, as the dice fall."""


class Wording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a question made by rule is put, in a TOML file beside the rules: its text with slots, the
    form of its answer, and an example of the form."""

    form: Form
    example: str
    text: str

    def question(self, answer: str, **slots: object) -> Question:
        text = f"{self.text.format(**slots)}\n{HOW.format(example=self.example)}"
        return Question(text, self.form, (answer,))


@dataclass(frozen=True)
class FinalLine(PlainRules[MadeSample, str]):
    """One point if the last line `答案：…` says what is right, and nothing else."""

    metrics = (ACCURACY,)

    def read(self, response: str) -> Answer[str]:
        line = final_line(response)
        return Answer(None, AnswerStatus.ABSTAINED) if line is None else Answer(line)

    def score(self, sample: MadeSample, answer: Answer[str]) -> Score:
        told = None if answer.value is None else read(sample.form, answer.value)
        right = told is not None and told in sample.accepted
        finding = Finding("answer", answer.value or "", sample.answer, right=right)
        return Score({ACCURACY: float(right)}, lambda: Trace("answer", (finding,)))


def made_task(
    id_: str, title: str, title_en: str, load: Callable[[Path, str, Chosen], list[MadeSample]]
) -> Task[MadeSample, str]:
    """A task of such questions; the trivial answer is the commonest one."""

    def floor(samples: Sequence[MadeSample]) -> Callable[[MadeSample], str]:
        usual = Counter(sample.answer for sample in samples).most_common(1)[0][0]
        return lambda _sample: f"答案：{usual}"

    return Task(
        id_, title, title_en, ACCURACY, load, one_turn(lambda sample: sample.question), FinalLine,
        {}, Baselines(lambda sample: f"答案：{sample.answer}", floor), sample_type=MadeSample,
    )  # fmt: skip


TRIES: Final = 50
"""So many questions in a row that are there already end the drawing."""


def draw(kinds: Sequence[Kind], name: str, count: int, seed: int) -> list[MadeSample]:
    """So many questions of some kinds, no two alike; fewer where there are no more."""
    dice = random.Random(f"{name} {seed}")
    made: dict[str, MadeSample] = {}
    failed = 0
    while len(made) < count and failed < TRIES:
        question = dice.choice(kinds)(dice)
        failed = failed + 1 if question.text in made else 0
        made.setdefault(question.text, question.sample(f"{seed}-{len(made)}"))
    return list(made.values())


def final_line(response: str) -> str | None:
    """What the last line `答案：…` says; None where there is none, or it is no line."""
    lines = deque(_LINE.finditer(response), maxlen=1)
    if not lines or len(lines[0]["answer"]) > LONGEST:
        return None
    return lines[0]["answer"].strip(_AROUND) or None


def read(form: Form, words: str) -> str | None:
    """The one spelling of an answer of this form; None where the words are not just that."""
    return _READERS[form](words)


def _term(words: str) -> str | None:
    match = _TERM.fullmatch(words)
    term = read_term(match[1]) if match else None
    return None if term is None or term.days else str(term.months)


def _day(words: str) -> str | None:
    days = find_dates(words)
    whole = len(days) == 1 and (days[0].start, days[0].end) == (0, len(words))
    return days[0].day.isoformat() if whole and not days[0].masked else None


def _number(pattern: re.Pattern[str], words: str) -> str | None:
    match = pattern.fullmatch(words)
    value = parse_number(match[1]) if match else None
    return None if value is None else f"{value:f}" if not isinstance(value, int) else str(value)


def _citation(words: str) -> str | None:
    found = find_citations(words)
    if len(found) != 1 or found[0].law is None or found[0].until or not any(found[0].position):
        return None
    place = format_position(found[0].position, "dotted")
    return f"{normalise_name(found[0].law)} {place}"


_READERS: Final[Mapping[Form, Callable[[str], str | None]]] = {
    "term": _term,
    "day": _day,
    "days": partial(_number, _DAYS),
    "yuan": partial(_number, _YUAN),
    "written": lambda words: _GROUPED.sub("", normalize("NFKC", words)).replace("两", "二"),
    "citation": _citation,
}


def show_day(day: date) -> str:
    """2020年5月1日."""
    return f"{day.year}年{day.month}月{day.day}日"
