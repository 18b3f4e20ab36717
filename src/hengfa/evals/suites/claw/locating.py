"""`id`: given a year, a title and the text of a provision, name its article, paragraph and item.

A place stands in the last code block that names an article, else in the last line for each of the
three labels (claw.md 3). Numbers may be Chinese or Arabic, of any width, with or without 第 and 条,
款, 项. A label that is not there counts as None, as the words for nothing do.

The paper leaves open how None is compared, and does not say that a text may stand at several places
of a law. The official rules take the strict reading of each.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from hengfa.base.data.jsonfile import Patterns, read_toml
from hengfa.evals.engine.messages import Message
from hengfa.evals.results.trace import Finding, Span, Spans, Trace
from hengfa.evals.suites.base import Answer, AnswerStatus, Fixes, Metrics, RuleSet, Score
from hengfa.evals.suites.claw import provisions
from hengfa.evals.suites.claw.clean import is_refusal
from hengfa.evals.suites.claw.dataset import IN_FORCE, ClawSample, day_of, title_of
from hengfa.law.grammar.citation_model import LEVELS, Level, Position
from hengfa.law.grammar.citation_positions import format_position, parse_position
from hengfa.law.grammar.numerals import MAX_ARTICLE, find_numbers, parse_number

ACCURACIES: Final = ("article_accuracy", "paragraph_accuracy", "subparagraph_accuracy")
ARTICLE: Final = ACCURACIES[0]
TOLERANT, IDENTICAL = "tolerant", "identical"
FIXES: Final = {
    TOLERANT: "in an article of one paragraph, take paragraph 1 for None and None for 1",
    IDENTICAL: "accept every position of the version that has the same text",
}
UNREADABLE: Final = -1  # a level for which something was written that is no number: never right

_NOTHING: Final = frozenset({
    "none", "null", "nil", "n/a", "na", "nan", "无", "空", "没有", "不适用", "不存在",
    "无此款", "无此项", "无款", "无项", "-", "--", "—", "——", "–", "/", "\\",
})  # fmt: skip
"""There is no such paragraph or item."""
_NO_ANSWER: Final = frozenset({
    "", "未知", "不知道", "不详", "不清楚", "不确定", "无法确定", "无法判断", "未找到",
    "?", "??", "unknown",
})  # fmt: skip
"""Instead of an article's number: no answer."""


def prompt(sample: ClawSample, _setting: str) -> tuple[Message, ...]:
    """Year, title and text are given; three numbers are asked for.

    By what was in force, a day is given: there is no version "of the year" in which one took
    effect.

    The parameters and the form of answer are those of the paper's appendix A, in other words. As
    there, nothing is said about when a paragraph is None: that is what the fix `tolerant` is for.
    """
    where = f"《{title_of(sample)}》{sample.asked.year}年的版本"
    if sample.reading == "in force on":
        where = f"{day_of(sample)}有效的《{title_of(sample)}》"
    text = (
        f"{provisions.before(sample, query)}下面这段文字出自{where}：\n\n"
        f"{sample.text}\n\n"
        "它在这一版本里是第几条、第几款、第几项？可以先写推理，最后务必用一个 markdown 代码块作答，"
        "块中只有三行，款和项没有时写 None：\n\n"
        "```markdown\n条序号：\n款序号：\n项序号：\n```"
    )
    return (Message("user", text),)


def query(sample: ClawSample) -> str:
    """What is searched for in the setting `rag`."""
    return f"《{title_of(sample)}》{sample.text}"


def _version_en(sample: ClawSample) -> str:
    if sample.reading == "in force on":
        return f"the version in force on {sample.asked.isoformat()}"
    return f"the {sample.asked.year} version"


FIELDS: Final[Mapping[str, Callable[[ClawSample], str]]] = {
    "law": title_of,
    "year": lambda sample: str(sample.asked.year),
    "text": lambda sample: sample.text,
    "version_en": _version_en,
    "provisions": lambda sample: provisions.article_list(sample, query),
}


class Place(NamedTuple):
    """What a response names; None where it says that there is none."""

    article: int
    article_sub: int | None
    paragraph: int | None
    item: int | None


@dataclass(frozen=True)
class Locating(RuleSet[ClawSample, Place]):
    """Article; article and paragraph; article, paragraph and item: each right or wrong. None must
    equal None, unless the fix `tolerant` is on."""

    fixes: Fixes

    def read(self, response: str) -> Answer[Place]:
        """The article, paragraph and item that are named."""
        text = unicodedata.normalize("NFKC", response)
        block = _answer_block(text)
        values = _in_table(text, *block) or _last_values(text, *block) or _in_words(text)
        where = partial(_where, response, values)
        if "article" not in values:
            somehow = values or (_NAMED.search(text) and not is_refusal(text))
            status = AnswerStatus.MALFORMED if somehow else AnswerStatus.ABSTAINED
            return Answer(None, status, where)
        article = values["article"].text
        if _bare(article).lower() in _NOTHING | _NO_ANSWER or is_refusal(article):
            return Answer(None, AnswerStatus.ABSTAINED, where)
        position = parse_position(_bare(article))
        if position is None or not position.article:
            several = len({number.value for number in find_numbers(article)}) > 1
            status = AnswerStatus.AMBIGUOUS if several else AnswerStatus.MALFORMED
            return Answer(None, status, where)
        numbers: dict[Level, int | None] = {"paragraph": position.paragraph, "item": position.item}
        for level in LEVELS[1:]:
            if level in values:
                numbers[level] = _number(values[level].text, level)
        named = Place(position.article, position.article_sub, numbers["paragraph"], numbers["item"])
        status = AnswerStatus.MALFORMED if UNREADABLE in named else AnswerStatus.EXTRACTED
        return Answer(named, status, where)

    def score(self, sample: ClawSample, answer: Answer[Place]) -> Score:
        golds = (sample.position, *(sample.same if IDENTICAL in self.fixes else ()))
        levels = self._levels(answer.value, golds)
        metrics: dict[str, float | None] = dict(zip(ACCURACIES, levels, strict=True))
        there = sample.in_force_at
        metrics[ARTICLE + IN_FORCE] = self._levels(answer.value, there)[0] if there else None
        return Score(metrics, partial(self._explain, sample, answer, metrics))

    def silence(self, sample: ClawSample) -> Metrics:
        return self.score(sample, Answer(None, AnswerStatus.ABSTAINED)).metrics

    def _levels(self, named: Place | None, golds: Iterable[Position]) -> list[float]:
        """The best of the levels over all positions that count as right."""
        if named is None:
            return [0.0, 0.0, 0.0]
        best = [False, False, False]
        for gold in golds:
            article = named[:2] == gold[:2]
            # The paragraph of a gold position is None just where its article has only one.
            paragraph = named.paragraph == gold.paragraph or (
                TOLERANT in self.fixes and gold.paragraph is None and named.paragraph == 1
            )
            item = named.item == gold.item
            reached = (article, article and paragraph, article and paragraph and item)
            best = [before or now for before, now in zip(best, reached, strict=True)]
        return [float(right) for right in best]

    def _explain(self, sample: ClawSample, answer: Answer[Place], metrics: Metrics) -> Trace:
        """The three levels, expected and given; the error is the first that is wrong."""
        spans = answer.where()
        same = sample.same if IDENTICAL in self.fixes else ()
        findings: list[Finding] = []
        for level, metric in zip(LEVELS, ACCURACIES, strict=True):
            given = "" if answer.value is None else _level_words(answer.value, level)
            expected = _level_words(sample.position, level)
            right: bool | None = metrics[metric] == 1.0
            note = _elsewhere(same) if level == "article" and same else ""
            if not right and given == expected:
                right, note = None, "counts only where the level above is right"
            of_level = spans.get(level, ())
            findings.append(Finding(level, given, expected, right, note=note, spans=of_level))
        wrong = next((finding.label for finding in findings if finding.right is False), "")
        if (in_force := metrics[ARTICLE + IN_FORCE]) is not None:
            there = "、".join(_level_words(gold, "article") for gold in sample.in_force_at)
            label, given = "article in the version in force", findings[0].given
            findings.append(Finding(label, given, there, right=in_force == 1.0))
        error = "no place" if answer.value is None else f"wrong {wrong}" if wrong else ""
        return Trace("elements", tuple(findings), error)


def _level_words(position: Position | Place, level: Level) -> str:
    number = getattr(position, level)
    if number is None:
        return "none"
    if number == UNREADABLE:
        return "unreadable"
    sub = f"之{position.article_sub}" if level == "article" and position.article_sub else ""
    return f"{number}{sub}"


_MOST_SAME: Final = 3


def _elsewhere(same: tuple[Position, ...]) -> str:
    named = "、".join(format_position(position) for position in same[:_MOST_SAME])
    more = f" and {len(same) - _MOST_SAME} more" if len(same) > _MOST_SAME else ""
    return f"the same text stands at {named}{more}"


# --- reading ---

_LONGEST_VALUE: Final = 120
_LABELS: Final[dict[str, Level]] = {
    "条": "article", "款": "paragraph", "项": "item",
    "article": "article", "paragraph": "paragraph", "item": "item", "subparagraph": "item",
}  # fmt: skip
_PATTERNS: Final = read_toml(Path(__file__).with_suffix(".toml"), Patterns)
_LABEL, _BRACKET, _CLAUSE_END, _ONE_NUMBER, _RULE, _POSITION, _NAMED = (
    _PATTERNS[name]
    for name in ("label", "bracket", "clause_end", "one_number", "rule", "position", "named")
)
_FENCE: Final = "```"
# What stands around a value: "**", "：", "|", "`", "为"; not "-", which is a word for nothing.
_AROUND: Final = " \t\r*_`|:=>\"'“”「」<>#{}"


def _answer_block(text: str) -> Span:
    """The last code block with a label for the article in it; the whole text where there is none.
    Split instead of matched: a block that is never closed is one too."""
    pieces = text.split(_FENCE)
    end = len(text)
    for number in range(len(pieces) - 1, 0, -1):
        start = end - len(pieces[number])
        labels = _LABEL.finditer(pieces[number])
        if number % 2 and any(_level_of(label) == "article" for label in labels):
            return start, end
        end = start - len(_FENCE)
    return 0, len(text)


def _level_of(label: re.Match[str]) -> Level:
    return _LABELS[(label[1] or label[2] or label[3]).lower()]


class _Value(NamedTuple):
    """What is said of a level, and the characters of the normalised text with its label."""

    text: str
    span: Span


def _last_values(text: str, start: int, end: int) -> dict[Level, _Value]:
    """What follows the last label of each level: the rest of the line, or the line after it."""
    labels: dict[Level, list[int]] = {}
    before: list[int] | None = None
    for label in _LABEL.finditer(text, start, end):
        if before is not None:
            before[2] = label.start()
        before = labels[_level_of(label)] = [label.start(), label.end(), end]
    values: dict[Level, _Value] = {}
    for level, (begin, after, limit) in labels.items():
        rest = text[after : min(limit, after + _LONGEST_VALUE)]
        said = rest.lstrip(_AROUND + "\n")
        line = said.partition("\n")[0]
        shown = text[begin : after + len(rest) - len(said) + len(line)].rstrip()
        values[level] = _Value(line.rstrip(_AROUND + ",。;、"), (begin, begin + len(shown)))
    return values


def _in_table(text: str, start: int, end: int) -> dict[Level, _Value]:
    """The last row of a Markdown table whose heading has the labels: | 条序号 | 款序号 |."""
    values: dict[Level, _Value] = {}
    columns: list[Level | None] = []
    for line in text[start:end].split("\n"):
        cells = line.strip().strip("|").split("|")
        labels = [_LABEL.search(f"{cell}|") for cell in cells]
        if len(cells) > 1 and sum(label is not None for label in labels) > 1:
            columns = [label and _level_of(label) for label in labels]
        elif len(cells) == len(columns) and not _RULE.fullmatch(line):
            span = start, start + len(line)
            row = zip(columns, cells, strict=True)
            values = {at: _Value(cell.strip(_AROUND), span) for at, cell in row if at is not None}
        start += len(line) + 1
    return values


def _in_words(text: str) -> dict[Level, _Value]:
    """第二十七条第二款第(一)项 without any label, where it is all that the response names."""
    named = {match[0]: match.span() for match in _POSITION.finditer(text)}
    if len({parse_position(words) for words in named}) != 1:
        return {}
    words, span = next(iter(named.items()))
    return {"article": _Value(words, span)}


def _bare(value: str) -> str:
    """The value without remarks: 第二款(共三款) is 第二款, but (二) is itself."""
    first = _CLAUSE_END.split(value)[0].strip(_AROUND)
    first = first.removeprefix("为").removeprefix("是").strip(_AROUND)
    return _BRACKET.sub("", first).strip(_AROUND) or first


def _number(value: str, level: Level) -> int | None:
    """A paragraph's or item's number, None for none, or UNREADABLE."""
    word = _bare(value).lower()
    if word in _NOTHING or not word:
        return None
    alone = _ONE_NUMBER.fullmatch(word)
    number = parse_number(alone["number"]) if alone else None
    if isinstance(number, int) and 0 < number <= MAX_ARTICLE:
        return number
    position = parse_position(word)  # 第二十条第二款第(一)项, the whole of it at each level
    return (position and position.get(level)) or UNREADABLE


def _where(response: str, values: Mapping[Level, _Value]) -> dict[Level, Spans]:
    """Each label with its value, as characters of the response."""

    def place_of(character: int) -> int:
        """The text that was read is the response normalised, in which ① is 1 and … is three."""
        return bisect_right(
            range(len(response)),
            character,
            key=lambda last: len(unicodedata.normalize("NFKC", response[: last + 1])),
        )

    spans = {level: value.span for level, value in values.items()}
    return {level: ((place_of(start), place_of(end)),) for level, (start, end) in spans.items()}
