"""What is said of citations of law, in English and in Chinese: a code, and what fills its slots.

`words.tsv` has a line for each sentence, label and heading: its code, the English, the Chinese.
After the colon in a slot stands how it is filled: `{by:《》}` a title in its marks, `{days:、}`
several with 、 between them, `{n:item|items}` the word for one or for more.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Self, TypeAlias

Lang: TypeAlias = Literal["zh", "en"]
Slot: TypeAlias = str | int | date | tuple[str | int | date, ...]
_TABLE: Final = Path(__file__).with_name("words.tsv")
_TITLE: Final = "《》"


@cache
def table_of_words() -> Mapping[str, Mapping[Lang, str]]:
    _, *lines = _TABLE.read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return {code: {"en": english, "zh": chinese} for code, english, chinese in rows}


def in_words(code: str, lang: Lang, /, **slots: Slot) -> str:
    """What a code stands for in a language."""
    words = table_of_words()[code][lang]
    return words.format_map({name: _Filling(slot, lang) for name, slot in slots.items()})


class Note(str):
    """What was noticed of a citation or a document, as a code with slots.

    As text it is the sentence in English, which is what JSON and Python show of it.

    >>> note = Note("no such article", day=date(2012, 8, 31), position="第三百条")
    >>> note, note.sentence("zh")
    ('the version of 2012-08-31 has no 第三百条', '2012年8月31日公布的版本没有第三百条')
    """

    __slots__ = ("code", "slots")

    code: str
    slots: Mapping[str, Slot]

    def __new__(cls, code: str, /, **slots: Slot) -> Self:
        note = super().__new__(cls, in_words(code, "en", **slots))
        note.code, note.slots = code, slots
        return note

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.code,), dict(self.slots)

    def sentence(self, lang: Lang) -> str:
        return in_words(self.code, lang, **self.slots)


def note_words(note: str, lang: Lang) -> str:
    """A note in a language; what people wrote themselves as it is."""
    return note.sentence(lang) if isinstance(note, Note) else note


class _Filling(NamedTuple):
    """What fills a slot."""

    slot: Slot
    lang: Lang

    def __format__(self, how: str) -> str:
        slot = self.slot
        one, several, more = how.partition("|")
        if several:
            return one if (len(slot) if isinstance(slot, tuple) else slot) == 1 else more
        if isinstance(slot, tuple):
            return how.join(_text_of(one, self.lang) for one in slot)
        return in_title_marks(str(slot)) if how == _TITLE else _text_of(slot, self.lang)


def _text_of(slot: str | int | date, lang: Lang) -> str:
    if isinstance(slot, date):
        return day_words(slot, lang)
    return note_words(slot, lang) if isinstance(slot, str) else str(slot)


def day_words(day: date, lang: Lang) -> str:
    """2021-01-01, in Chinese as documents write it: 2021年1月1日."""
    return f"{day.year}年{day.month}月{day.day}日" if lang == "zh" else str(day)


def in_title_marks(law: str) -> str:
    """A law in title marks; those in its name become small ones."""
    if law.startswith("《") and law.endswith("》"):
        law = law[1:-1]
    return f"《{law.replace('《', '〈').replace('》', '〉')}》"
