"""What is wrong with a recited provision, decided by the law itself (claw.md 5).

The paper sorts wrong recitations by hand, and not always rightly (claw.md 2). Here every letter of
the answer is traced to where it stands in the law, and shares of letters decide, by the table of
claw.md 5. These things go beyond that table:

* an answer that is another provision, word for word or but for a slip, is that provision, even if
  it shares so many words with the gold that the table calls it near-exact or minor wording: an old
  version, the law that came before;
* a whole sentence that is not the gold's is an addition, however long the gold is;
* *paraphrase* is a class: what has few runs of the gold, but its pairs of letters;
* a passage of another law is not called invented: *law* is a class beside paragraph, article and
  version. Phrases that laws share count as invented where the answer is sorted, not in its spans;
* short provisions, of which one word is 12%, are compared letter by letter: see :mod:`.cover`.

Changes of wording that change the law (numbers, negation, what must or may be done) are flagged.
For these answer and gold are laid side by side word by word, where a number is one word whatever
its spelling (十五日 and 15日 agree). A long passage that is merely left out or added is no change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import msgspec
from rapidfuzz.distance import Indel

from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.numerals import find_numbers
from hengfa.law.grammar.script import simplified
from hengfa.law.library.diagnosis.cover import (
    MOST_RECALL,
    MOSTLY,
    NEAR_EXACT_RECALL,
    Cover,
    Place,
    Source,
    Span,
    Twin,
    cover_of,
)
from hengfa.law.library.lookup import existing
from hengfa.law.library.matching import RECITED_RUN, normalise
from hengfa.law.library.model import Version
from hengfa.law.library.store import Library

Kind: TypeAlias = Literal[
    "exact",
    "near-exact",
    "minor wording",
    "paraphrase",
    "addition: other paragraph",
    "addition: other article",
    "addition: other version",
    "addition: other law",
    "addition: invented",
    "wrong provision: paragraph",
    "wrong provision: article",
    "wrong provision: version",
    "wrong provision: law",
    "mixture",
    "fabricated",
    "refusal",
]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
RIGHT: Final[frozenset[Kind]] = frozenset({"exact", "near-exact"})
Change: TypeAlias = Literal["numbers", "negation", "duty"]
"""claw.md 5: changed numbers; a negation that came or went; 应当 for 可以 or the reverse."""
Flag: TypeAlias = Change | Literal["incomplete", "repeated", "empty", "traditional"]
"""numbers, negation, duty: what changed in near-exact answers and minor wording. incomplete:
nothing but gold, yet much of it is missing. repeated: the whole gold stands there more than once.
empty: a refusal without a word. traditional: written in traditional characters, which are compared
as simplified ones."""
# Thresholds of the table in claw.md 5, as shares of letters.
NEAR_EXACT_EXTRA: Final = 0.03
REFUSAL_COVER: Final = 0.40
"""A refusal is covered by laws, whichever, less than this."""
ADDITION_EXTRA: Final = 0.12
ADDITION_LETTERS: Final = RECITED_RUN
"""In a short text one word is 12%: fewer letters than a run of seven are its wording."""
SOME_RECALL: Final = 0.30
"""Below this the answer is something else."""
FABRICATED_UNMATCHED: Final = 0.50
PARAPHRASED: Final = 0.20
"""So much of the pairs of letters, by weight, answer and gold have in common in a paraphrase."""

_ADDITIONS: Final[dict[Source, Kind]] = {
    "same article": "addition: other paragraph",
    "same version": "addition: other article",
    "other version": "addition: other version",
    "other law": "addition: other law",
    "unmatched": "addition: invented",
}

_WRONG: Final[dict[Source, Kind]] = {
    "same article": "wrong provision: paragraph",
    "same version": "wrong provision: article",
    "other version": "wrong provision: version",
    "other law": "wrong provision: law",
}

# "我无法提供该条款的原文", "知识截止", "I cannot provide"; not "无法清偿", "截止日期"
REFUSAL: Final = re.compile(
    r"(?:无法|不能|未能|难以)(?:直接|准确|完整|为[您你]|向[您你]){0,2}"
    r"(?:给出|确认|核实|查询|检索|访问|获取|找到|提供|回答|回复|引用)"
    r"|抱歉|对不起|知识库?(?:更新)?的?截止|截至我的|训练数据|(?:未|没有)收录"
    r"|作为(?:一个|一名)?(?:AI|人工智能|语言模型)"
    r"|建议[您你]?(?:通过|查阅|查询|访问|参考|咨询|登录)"
    r"|(?:cannot|can't|unable to|not able to) (?:provide|answer)|I(?:'m| am) sorry|apologi[sz]e",
    re.IGNORECASE,
)


# How an answer is announced: "公司法第三十五条规定：", "该法第一条的内容是：", "第九条规定如下 ";
# not "违反本法第五条规定，"
_ANNOUNCED: Final = re.compile(
    r"\A[^。；：:\n]{0,40}?第[0-9〇零一二三四五六七八九十百千]{1,9}条(?:之[一二三四五六七八九十]{1,3})?"
    r"(?:第[一二三四五六七八九十]{1,3}款)?(?:第[（(]?[一二三四五六七八九十]{1,3}[)）]?项)?"
    r"的?(?:规定|内容|原文|条文|全文)?[是为]?(?:如下)?(?:[：:]|(?<=如下)\s)"
)


class Diagnosis(msgspec.Struct, frozen=True):
    """What an answer is, and which of its characters come from where.

    ``gold_recall`` is the part of the gold's letters that the answer has, ``extra`` the part of the
    answer's letters that are not the gold's, ``shares`` all of them by source. ``spans`` cover the
    answer from its first to its last character. ``verbatim`` are the other provisions of the law
    that the answer is word for word.
    """

    kind: Kind
    flags: tuple[Flag, ...]
    gold_recall: float
    extra: float
    shares: dict[Source, float]
    spans: tuple[Span, ...]
    gold: str
    verbatim: tuple[Place, ...] = ()

    @property
    def is_right(self) -> bool:
        """Whether the answer is the provision, punctuation aside and but for a letter or so."""
        return self.kind in RIGHT


def diagnose(library: Library, version: Version, position: Position, answer: str) -> Diagnosis:
    """What is wrong with ``answer`` as the text of a position; the version must have it."""
    position = existing(library, version, position)
    gold = library.text(version, position) or ""
    words = blank_announcements(answer, gold)
    cover = cover_of(library, version, position, words)
    kind = classify(cover, words)
    script: tuple[Flag, ...] = ("traditional",) if simplified(answer) != answer else ()
    return Diagnosis(
        kind=kind,
        flags=(*_flags(cover, kind, gold, words), *script),
        gold_recall=cover.recall,
        extra=extra(cover),
        shares=cover.shares,
        spans=cover.spans,
        gold=gold,
        verbatim=cover.twin.where if cover.twin and cover.twin.exact else (),
    )


def blank_announcements(answer: str, gold: str) -> str:
    """An answer in simplified characters, with blanks for words that merely announce it."""
    words = simplified(answer)
    announced = _ANNOUNCED.match(words)
    if announced is None or _ANNOUNCED.match(gold):
        return words
    return " " * announced.end() + words[announced.end() :]


def extra(cover: Cover) -> float:
    """The part of the answer's letters that are not the gold's."""
    return 1 - cover.shares["gold"] if cover.letters else 0.0


def classify(cover: Cover, answer: str) -> Kind:
    """The table of claw.md 5, from its first row to its last."""
    recall = cover.recall
    shares = cover.shares | {
        "other law": cover.shares["other law"] - cover.phrases,
        "unmatched": cover.shares["unmatched"] + cover.phrases,
    }
    covered = 1 - cover.shares["unmatched"]
    kind: Kind = "mixture"
    if cover.letters == cover.gold:
        kind = "exact"
    elif cover.twin and _is_another(cover, cover.twin):
        kind = _WRONG[cover.twin.source]
    elif _is_near(cover):
        kind = "near-exact"
    elif not cover.letters or (covered < REFUSAL_COVER and REFUSAL.search(answer)):
        kind = "refusal"
    elif recall >= MOST_RECALL and _adds(cover):
        kind = _ADDITIONS[max(_ADDITIONS, key=lambda source: shares[source])]
    elif recall >= MOST_RECALL or (recall >= SOME_RECALL and shares["gold"] > MOSTLY):
        kind = "minor wording"
    elif cover.paraphrase >= PARAPHRASED and shares["unmatched"] > MOSTLY * extra(cover):
        kind = "paraphrase"
    elif recall < SOME_RECALL and shares["unmatched"] >= FABRICATED_UNMATCHED:
        kind = "fabricated"
    elif recall < SOME_RECALL:
        largest = max(("gold", *_WRONG), key=lambda source: shares[source])
        kind = _WRONG.get(largest, "mixture")
    return kind


def _is_near(cover: Cover) -> bool:
    near = cover.recall >= NEAR_EXACT_RECALL and extra(cover) <= NEAR_EXACT_EXTRA
    return near and not cover.added


def _is_another(cover: Cover, twin: Twin) -> bool:
    """Whether the answer is its twin. Where it only lacks words, it may be the gold with a gap.

    The successor of a law may have one letter more (但是 for 但): that is no other provision.
    """
    if twin.source == "other law" and _is_near(cover):
        return False
    if cover.shares[twin.source]:
        return True
    elsewhere = twin.source in {"other version", "other law"}
    continued = cover.recall == 1 and cover.shares["same article"] > 0
    return elsewhere and twin.level and not continued


def _adds(cover: Cover) -> bool:
    more = extra(cover)
    much = more >= ADDITION_EXTRA and more * len(cover.letters) >= ADDITION_LETTERS
    return much or cover.added > 0


def _flags(cover: Cover, kind: Kind, gold: str, answer: str) -> Iterator[Flag]:
    if kind in {"near-exact", "minor wording"}:
        yield from changes(gold, answer)
    if cover.letters and cover.recall < MOST_RECALL and extra(cover) < ADDITION_EXTRA:
        yield "incomplete"
    if len(cover.gold) >= RECITED_RUN and cover.letters.count(cover.gold) > 1:
        yield "repeated"
    if not cover.letters:
        yield "empty"


_REACH: Final = 2_000
"""How many words of an answer are compared beyond three times those of the gold."""
# What only looks like one of the words below: "非法", "相应"; not "非经", "应当"
_PLAIN: Final = (
    "不动产|不正当|未成年|未遂|无线|无人|无效|非法|非营利|非公有|相应|适应|供应|响应|反应|对应|应用"
    "|应急|应收|应税|应聘|许可|认可|可能|可行|可靠|可持续|必须品|必需品"
)
_DUTY: Final = "应当|必须|务必|应|须"
_LEAVE: Final = "可以|有权|可|得以"
_NOT: Final = "不得|不予|不能|不|未|没有|无|非|禁止|严禁|免"
_WORDS: Final = re.compile(
    f"(?P<plain>{_PLAIN})|(?P<negation>{_NOT})|(?P<duty>{_DUTY})|(?P<leave>{_LEAVE})"
)
# What is counted after a single 一, 三 or 十: "三年", "一次"; not "一般", "三农"
_COUNTED: Final = frozenset(
    "年月日天周时分秒次个名人条款项章节编倍元万亿级件份批期种类方岁届审成之"
)


class _Word(NamedTuple):
    """A word as it is compared: numbers by value, the others of interest by what they mean."""

    kind: str
    value: str = ""


_Block: TypeAlias = tuple[list[_Word], list[_Word]]


def changes(gold: str, answer: str) -> tuple[Change, ...]:
    """What an answer that follows the gold changes in it, in the order of :data:`Change`.

    A word for another one is a change. A word that is gone here and new there was merely moved.
    """
    ours = list(_words(gold))
    theirs = list(islice(_words(answer), 3 * len(ours) + _REACH))
    blocks = list(_blocks(ours, theirs))
    return tuple(change for change in get_args(Change) if _is_changed(blocks, _KINDS[change]))


def _is_changed(blocks: Sequence[_Block], kinds: tuple[str, ...]) -> bool:
    gone: Counter[_Word] = Counter()
    new: Counter[_Word] = Counter()
    for old, now in blocks:
        lost = Counter(word for word in old if word.kind in kinds)
        won = Counter(word for word in now if word.kind in kinds)
        if lost and won and lost != won:
            return True
        if max(len(old), len(now)) < RECITED_RUN:
            gone, new = gone + lost, new + won
    return gone != new


_KINDS: Final[dict[Change, tuple[str, ...]]] = {
    "numbers": ("number",),
    "negation": ("negation",),
    "duty": ("duty", "leave"),
}


def _blocks(ours: Sequence[_Word], theirs: Sequence[_Word]) -> Iterator[_Block]:
    """What one has where the other has something else, between words that agree."""
    gone: list[_Word] = []
    new: list[_Word] = []
    for block in Indel.opcodes(ours, theirs):
        if block.tag == "equal":
            yield gone, new
            gone, new = [], []
        else:
            gone += ours[block.src_start : block.src_end]
            new += theirs[block.dest_start : block.dest_end]
    yield gone, new


def _words(text: str) -> Iterator[_Word]:
    """Numbers, words of duty, leave and negation, and the other letters one by one."""
    end = 0
    for number in find_numbers(text):
        counted = number.end - number.start > 1 or text[number.start].isdecimal()
        if counted or text[number.end : number.end + 1] in _COUNTED:
            yield from _words_between(text[end : number.start])
            yield _Word("number", str(number.value))
            end = number.end
    yield from _words_between(text[end:])


def _words_between(text: str) -> Iterator[_Word]:
    end = 0
    for word in _WORDS.finditer(text):
        yield from (_Word("letter", letter) for letter in normalise(text[end : word.start()]))
        if word.lastgroup == "plain":
            yield _Word("letter", word[0])
        else:
            yield _Word(word.lastgroup or "")
        end = word.end()
    yield from (_Word("letter", letter) for letter in normalise(text[end:]))
