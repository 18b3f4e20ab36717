"""Which changes of wording change the law: numbers, negation, and what must or may be done.

Answer and gold are laid side by side word by word, where a number is one word whatever its spelling
(十五日 and 15日 agree). A long passage that is merely left out or added is no change of a word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from rapidfuzz.distance import Indel

from hengfa.law.numerals import find_numbers
from hengfa.library.diagnosis.grams import GRAM
from hengfa.library.diagnosis.normalised import normalise

Change: TypeAlias = Literal["numbers", "negation", "duty"]
"""CLaw spec 5: changed numbers; a negation that came or went; 应当 for 可以 or the reverse."""

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
    return tuple(change for change in get_args(Change) if _changed(blocks, _KINDS[change]))


def _changed(blocks: Sequence[_Block], kinds: tuple[str, ...]) -> bool:
    gone: Counter[_Word] = Counter()
    new: Counter[_Word] = Counter()
    for old, now in blocks:
        lost = Counter(word for word in old if word.kind in kinds)
        found = Counter(word for word in now if word.kind in kinds)
        if lost and found and lost != found:
            return True
        if max(len(old), len(now)) < GRAM:
            gone, new = gone + lost, new + found
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
    for found in _WORDS.finditer(text):
        yield from (_Word("letter", letter) for letter in normalise(text[end : found.start()]))
        if found.lastgroup == "plain":
            yield _Word("letter", found[0])
        else:
            yield _Word(found.lastgroup or "")
        end = found.end()
    yield from (_Word("letter", letter) for letter in normalise(text[end:]))
