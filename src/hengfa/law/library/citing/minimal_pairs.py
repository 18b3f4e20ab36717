"""Tellings of real provisions with their key known by construction: one edit apart.

A group is a sentence of a provision and what can be made of it: faithful tellings (its own words,
synonyms, the condition behind the rule, a list cut short, the first of two rules), and unfaithful
ones by one edit in one of twelve kinds. They are the measure of whoever reads tellings, and train
readers; what is made of a law depends on the law and the seed alone.

>>> with Library.open() as library:                                     # doctest: +SKIP
...     groups = list(groups_of(library, version, seed=7))
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from rapidfuzz.distance import Levenshtein

from hengfa.law.grammar.citation_model import Position
from hengfa.law.library.citing.rule_words import Role, Word, opposites_of, read_words
from hengfa.law.library.matching import Passage, Passages, Unit
from hengfa.law.library.model import Version

Edit: TypeAlias = Literal[
    "actor", "negation", "modality", "number", "period", "bound", "added", "dropped",
    "consequence", "exception", "object", "scope",
]  # fmt: skip
Faithful: TypeAlias = Literal["verbatim", "synonyms", "reordered", "shortened", "lighter", "first"]


class PairTelling(NamedTuple):
    """What is told of a provision: by which edit, and whether it is still what the law says."""

    kind: Edit | Faithful
    faithful: bool
    words: str


class Group(NamedTuple):
    """A provision, and tellings of one of its sentences."""

    position: Position
    units: tuple[Unit, ...]
    sentence: str
    tellings: tuple[PairTelling, ...]


def is_held_back(law: str) -> bool:
    """Whether a law is of the half that measures; the other half is to choose words and train."""
    return hashlib.sha256(law.encode()).digest()[0] % 2 == 1


def words_that_differ(group: Group, telling: PairTelling) -> str:
    """What an edit put into a sentence, or took out of it; nothing of a faithful telling."""
    if telling.faithful:
        return ""
    told = telling.words
    ops = [op for op in Levenshtein.opcodes(group.sentence, told) if op.tag != "equal"]
    put = [told[op.dest_start : op.dest_end] for op in ops if op.dest_end > op.dest_start]
    taken = [group.sentence[op.src_start : op.src_end] for op in ops]
    return "、".join(put or taken)


_SHORTEST, _LONGEST = 18, 140
_LONGEST_ARTICLE: Final = 400
_RULE: Final = re.compile("应当|可以|不得|有权|处|由|承担")
_SENTENCE: Final = re.compile("[^。]+。")


def groups_of(passages: Passages, version: Version, *, seed: int, most: int = 4) -> Iterator[Group]:
    """Groups of some articles of a version, drawn at random."""
    chance = random.Random(f"{seed} {version.law} {version.promulgated}")
    articles = passages.articles(version)
    fit = [(passage, rules) for passage in articles if (rules := _rules(passage))]
    for passage, sentences in chance.sample(fit, min(most, len(fit))):
        text = chance.choice(sentences)
        words = read_words(text)
        made = [
            *(PairTelling(kind, True, told) for kind, told in _faithful(text, chance)),
            *(PairTelling(kind, False, told) for kind, told in _unfaithful(text, words, chance)),
        ]
        kept = {told.words: told for told in made if told.kind == "verbatim" or told.words != text}
        yield Group(passage.article, passage.units, text, tuple(kept.values()))


def _rules(passage: Passage) -> list[str]:
    """The sentences of an article that are rules of a usual length."""
    if len(passage.text) > _LONGEST_ARTICLE:
        return []
    texts = [unit.text for unit in passage.units if unit.position.item is None]
    sentences = [sentence for text in texts for sentence in _SENTENCE.findall(text)]
    return [s for s in sentences if _SHORTEST <= len(s) <= _LONGEST and _RULE.search(s)]


# --- faithful ---

_SAME: Final = (
    ("应当", "必须"), ("支付", "给付"), ("订立", "签订"), ("人民法院", "法院"), ("造成", "导致"),
    ("请求", "要求"), ("之日起", "起"), ("二倍", "两倍"), ("返还", "退还"), ("依照", "按照"),
    ("人民检察院", "检察院"), ("可以", "有权"), ("劳动者", "员工"), ("届满", "期满"),
    ("被侵权人", "受害人"), ("死亡", "身故"), ("转让", "让与"), ("因", "由于"), ("未", "没有"),
)  # fmt: skip
_MOST_SYNONYMS: Final = 3
_CONDITION_AND_RULE: Final = re.compile(r"(?P<when>[^，。；]{6,40})的，(?P<rule>[^。；但]{8,})。")
# "、抵押人" in a list that goes on; no amounts and penalties, which are no examples
_IN_A_LIST: Final = re.compile(r"、[^，。；、0-9年月日罚刑]{2,10}(?=(?:、|或者|和)[^，。；])")


def _faithful(text: str, chance: random.Random) -> Iterator[tuple[Faithful, str]]:
    yield "verbatim", text
    told, changed = text, 0
    for word, other in chance.sample(_SAME, len(_SAME)):
        if word in told and changed < _MOST_SYNONYMS:
            told, changed = told.replace(word, other), changed + 1
    yield "synonyms", told
    if parts := _CONDITION_AND_RULE.fullmatch(text):
        yield "reordered", f"{parts['rule']}，如果{parts['when']}。"
    if listed := _IN_A_LIST.search(text):
        yield "shortened", text[: listed.start()] + text[listed.end() :]
    yield "lighter", re.sub("其|该|的(?=[^，])", "", text, count=2)
    if (end := text.find("；")) >= 0:
        yield "first", f"{text[:end]}。"


# --- unfaithful ---

_OTHER_BOUND: Final = {
    "以上": "以下", "以下": "以上", "超过": "不满", "不满": "超过", "不少于": "不超过",
    "不超过": "不少于", "不得超过": "不得少于", "不低于": "不高于", "之前": "之后", "之后": "之前",
    "以前": "以后", "以后": "以前",
}  # fmt: skip
_OTHER_MODAL: Final = {
    "可以": ("应当", "不得"), "应当": ("可以", "不得"), "不得": ("可以", "应当"),
}  # fmt: skip
_OTHER_SCOPE: Final = {"全部": "部分", "部分": "全部", "任何": "少数", "各": "部分", "均": "部分"}
_NARROWS: Final = frozenset((
    "故意", "重大过失", "恶意", "善意", "书面", "重大", "严重", "主要", "明显", "合理", "必要",
    "特别严重", "较大", "虚假",
))  # fmt: skip
_ADDITIONS: Final = (
    "经书面催告后", "在公证机关见证下", "经上级主管部门批准后", "经两名以上证人证明后",
    "以书面形式申请后", "在三十日内",
)  # fmt: skip
_DIGITS: Final = re.compile("[0-9]+|[一二三四五六七八九十百千万两]+")
_NUMBERS: Final = (("2", "3", "5", "7"), ("二", "三", "五", "七", "九"))
_EXCEPTION: Final = re.compile("但(?:是)?[，,]?[^。；]*")
_CONDITION: Final = re.compile("经|未经|在|因|对")
_LIST: Final = re.compile("[、和与或者及]*")


def _unfaithful(
    text: str, words: Sequence[Word], chance: random.Random
) -> Iterator[tuple[Edit, str]]:
    def of(role: Role) -> list[Word]:
        return [word for word in words if word.role == role]

    def shown(word: Word) -> str:
        return text[word.start : word.end]

    def put(word: Word, other: str) -> str:
        return text[: word.start] + other + text[word.end :]

    yield from (("actor", told) for told in _other_actors(text, of("actor"), chance))
    if denied := [word for word in of("not") if shown(word) in {"不", "未", "没有"}]:
        yield "negation", put(chance.choice(denied), "")
    if modals := [word for word in of("modal") if shown(word) in _OTHER_MODAL]:
        modal = chance.choice(modals)
        yield "modality", put(modal, chance.choice(_OTHER_MODAL[shown(modal)]))
        if shown(modal) != "不得":
            yield "negation", put(modal, f"不{shown(modal)}")
        yield "added", text[: modal.start] + chance.choice(_ADDITIONS) + text[modal.start :]
        yield "scope", f"{text[: modal.start]}只有在特殊情况下才{text[modal.start :]}"
    for amount in chance.sample(of("amount"), min(1, len(of("amount")))):
        kind: Edit = "period" if amount.name.endswith(("day", "month", "hour")) else "number"
        yield kind, put(amount, _other_number(shown(amount), chance))
    if bounds := [word for word in of("bound") if shown(word) in _OTHER_BOUND]:
        bound = chance.choice(bounds)
        yield "bound", put(bound, _OTHER_BOUND[shown(bound)])
    others: tuple[tuple[Role, Edit], ...] = (("result", "consequence"), ("word", "object"))
    for role, kind in others:
        if choices := [word for word in of(role) if opposites_of(word)]:
            word = chance.choice(choices)
            yield kind, put(word, chance.choice(opposites_of(word)))
    if (exception := _EXCEPTION.search(text)) and exception.start() >= _SHORTEST:
        yield "exception", f"{text[: exception.start()].rstrip('，；')}，没有例外。"
    yield from (("dropped", told) for told in _without_condition(text, chance))
    if limits := [word for word in of("limit") if shown(word) in _NARROWS]:
        yield "dropped", re.sub(r"(?:^|(?<=[，。]))的", "", put(chance.choice(limits), ""))
    if scopes := [word for word in of("scope") if shown(word) in _OTHER_SCOPE]:
        scope = chance.choice(scopes)
        yield "scope", put(scope, _OTHER_SCOPE[shown(scope)])


def _other_actors(text: str, actors: Sequence[Word], chance: random.Random) -> Iterator[str]:
    """Two actors in each other's place, unless they stand in one list; else another one."""
    pairs = [
        (one, two)
        for n, one in enumerate(actors)
        for two in actors[n + 1 :]
        if one.name != two.name and not _LIST.fullmatch(text[one.end : two.start])
    ]
    if pairs:
        one, two = chance.choice(pairs)
        between = text[one.end : two.start]
        names = text[two.start : two.end], text[one.start : one.end]
        yield text[: one.start] + names[0] + between + names[1] + text[two.end :]
    elif known := [actor for actor in actors if opposites_of(actor)]:
        actor = chance.choice(known)
        yield text[: actor.start] + chance.choice(opposites_of(actor)) + text[actor.end :]


def _other_number(shown: str, chance: random.Random) -> str:
    number = _DIGITS.search(shown)
    if number is None:
        return shown
    choices = [one for one in _NUMBERS[not number[0].isdigit()] if one != number[0]]
    return shown[: number.start()] + chance.choice(choices) + shown[number.end() :]


def _without_condition(text: str, chance: random.Random) -> Iterator[str]:
    """The sentence without one of its conditions, unless that is an alternative to another."""
    clauses = re.findall("[^，]+，?", text)
    conditions = [
        n
        for n, clause in enumerate(clauses[:-1])
        if (clause.endswith("的，") or _CONDITION.match(clause))
        and len(clause) < 30
        and not clause.startswith("或")
        and not clauses[n + 1].startswith("或")
    ]
    if conditions:
        n = chance.choice(conditions)
        told = "".join(clauses[:n] + clauses[n + 1 :])
        if len(told) > 12:
            yield told
