"""The notes of the citation checker in Chinese.

The checker says what it noticed in English, in some sixty sentences with slots. Each has its line
here: the sentence with its slots, and the same in Chinese. What has no line stays as it is; a test
checks that nothing that is said of real documents does.

>>> in_chinese("the version of 2012-08-31 has no 第三百条")
'2012年8月31日公布的版本没有第三百条'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple

_DAY: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"

# What stands in a slot goes by its name, digits at its end aside. "said" is put into Chinese in its
# turn; all that is not named here is taken over as it is.
_SLOTS: Final = {
    "day": _DAY,
    "days": rf"{_DAY}(?:(?:, |、){_DAY})*",
    "position": r"\S+",
    "n": "[0-9]+",
    "s": "s?",
    "do": "do(?:es)?",
}

_LINES: Final = {
    # the law that is meant
    "read as {law}, which is spelled differently": "按{law}理解，名称写法略有出入",
    "can mean {words}; only the one taken was in force that day": (
        "可以指{words}；其中当日有效的只有所取的这一部"
    ),
    "can mean {words}": "可以指{words}",
    "no law is named: the quoted words are its": "没有写明法律名称：按引文的文字认定",
    "the library has no law of this name; called alike: {words}": (
        "法律库中没有这个名称的法律；名称相近的有{words}"
    ),
    "the library has no law of this name": "法律库中没有这个名称的法律",
    "counted from where it stands, which only the law itself could tell": (
        "从所在位置数起，只有法律原文才能确定"
    ),
    "the text does not say which law; --law names one": "文书没有写明是哪部法律；可用 --law 指定",
    # the day and the version
    "the date {words} is of another calendar and was not read": (
        "日期“{words}”用的是别的历法，没有读取"
    ),
    "the document bears no date that could be read: it may be older than that": (
        "文书没有可读的日期，可能写于此前"
    ),
    "repealed on {day} by {law} (by what is generally known)": "{day}被{law}废止（据通行的认识）",
    "repealed on {day} by {law}": "{day}被{law}废止",
    "{position} was repealed on {day} by {law}": "{position}已于{day}被{law}废止",
    "it explains {law}, which was {said}": "它所解释的{law}已于{said}",
    "not certain: {said}": "不能确定：{said}",
    (
        "that this version was in force from the day it was promulgated is {said};"
        " if it was not, {said2} was in force"
    ): ("该版本自公布之日起施行，是{said}；如果不是，当时有效的版本：{said2}"),
    "assumed": "推定的",
    "what a register says": "登记库的记载",
    "no version": "无",
    (
        "it is not known whether the text promulgated on {day} was in force on {day2};"
        " if it was not, {said} was in force"
    ): ("不能确定{day}公布的文本在{day2}是否已经施行；如果没有，当时有效的版本：{said}"),
    "the version in force on {day} is the one {said} on {day2}, which is not in the library": (
        "{day}有效的是{day2}{said}的版本，法律库中没有它的文本"
    ),
    "the version promulgated on {day} is the one {said} on {day2}, which is not in the library": (
        "{day2}{said}的版本，法律库中没有它的文本"
    ),
    "the latest version up to {day} is the one {said} on {day2}, which is not in the library": (
        "截至{day}最新的是{day2}{said}的版本，法律库中没有它的文本"
    ),
    "an older law of this name, repealed by {law}, is not in the library: {words}": (
        "同名的旧法已被{law}废止，法律库中没有它：{words}"
    ),
    "promulgated on {day}, in force from {day2}": "{day}公布，自{day2}起施行",
    "it was first {said} on {day}": "{day}才首次{said}",
    "adopted": "通过",
    "amended": "修正",
    "revised": "修订",
    "no version was promulgated on {day}": "{day}没有公布过该法的任何版本",
    "no version of {law} is known that is of {words}": "没有发现{law}有“{words}”的版本",
    "{words} can be any of the versions of {days}": "“{words}”可以指{days}公布的各个版本",
    "on {day} the version of {day2} was in force": "{day}有效的是{day2}公布的版本",
    "version as cited: {words}": "所引版本：{words}",
    "applied as the law of the time of the facts": "作为事实发生时的法律适用",
    "reads otherwise in the version of {day}, not yet in force": (
        "{day}公布、当时尚未施行的版本文字不同"
    ),
    # the position
    "its text is not divided into articles": "它的文本不分条",
    "the version of {day} has no {position}": "{day}公布的版本没有{position}",
    "{position} has {n} paragraph{s}": "{position}只有{n}款",
    "{position} has no items": "{position}不分项",
    "{position} has {n} item{s}": "{position}只有{n}项",
    "its text is printed as deleted": "原文标明已经删去",
    "{position} is in the version{s} of {days}": "{days}公布的版本有{position}",
    "it was not there": "当时没有这一条",
    # the words of a version that is not at hand
    "as in {said}: {said2} {do} not amend it": "与{said}相同：{said2}没有修改它",
    "as in {said}": "与{said}相同",
    "the version of {day}": "{day}公布的版本",
    "the words of {said}": "{said}所定的文字",
    "the {n} acts from {said} to {said2}": "从{said}到{said2}的{n}件修正案",
    "the amendment of {day}": "{day}的修改",
    "deleted by {said}": "已被{said}删去",
    "added by {said}, in force from {day}": "由{said}增加，自{day}起施行",
    "amended since by {said}; its former words are unknown": "后来被{said}修改，原来的文字不详",
    "as {said} has it": "文字取自{said}",
    "derived from {said}, {said2}; the words of paragraph {words} are unknown": (
        "由{said}推得，{said2}；第{words}款的文字不详"
    ),
    "derived from {said}, {said2}": "由{said}推得，{said2}",
    "amended by {said}": "依{said}修改",
    "before {said}": "取{said}修改之前的文字",
    # the words that are quoted or told
    "other laws were not searched: too many quotations of this document are unknown": (
        "没有在其他法律中查找：这份文书查不到出处的引文太多"
    ),
    "not of the provision any more: {words}": "以下已不是条文的文字：{words}",
    "also has words of {words}": "其中也有{words}的文字",
    "the words are those of {homes}": "引文是{homes}的文字",
    "word for word: {homes}": "与{homes}逐字相同",
    "nearest, {n}% alike: {homes}": "最接近的是{homes}，相似度{n}%",
    "… and {n} more differences": "……另有{n}处出入",
    "leaves out {words}": "略去了{words}",
    "the provision does not have {words}": "条文中没有“{words}”",
    "the provision has the opposite of {words}": "条文的说法与“{words}”相反",
    "the provision may have the opposite of {words}": "条文的说法可能与“{words}”相反",
    "nearest to what is told: {homes}": "与所转述的最接近的是{homes}",
    "another article has what it is called": "所称的内容在另一条里",
    "this crime is in {words}": "该罪名规定在{words}",
    "the sentence is about {position} of the version of {day}": (
        "这句话说的像是{day}公布的版本的{position}"
    ),
    "what is said of it in English was not compared": "英文的说明没有与条文比对",
    # how a file was read
    "read as GB18030": "按 GB18030 编码读取",
    "read as UTF-16": "按 UTF-16 编码读取",
    "neither UTF-8 nor GB18030: read as {words} with {n} characters lost": (
        "既不是 UTF-8 也不是 GB18030：按{words}读取，有{n}个字符丢失"
    ),
    "not all of it is {words}: {words2}": "有的内容不是{words}编码：{words2}",
    "{n} of {n2} pages have no text and were not read (scans?): {words}": (
        "{n2}页中有{n}页没有文字，没有核对（可能是扫描件）：第{words}页"
    ),
}


class _Line(NamedTuple):
    pattern: re.Pattern[str]
    chinese: str


def _compiled() -> Iterator[_Line]:
    for english, chinese in _LINES.items():
        pattern = ""
        for fixed, slot in re.findall(r"([^{}]*)(?:\{(\w+)\})?", english):
            pattern += re.escape(fixed)
            if slot:
                pattern += f"(?P<{slot}>{_SLOTS.get(_kind(slot), '.*?')})"
        yield _Line(re.compile(pattern, re.DOTALL), chinese)


def _kind(slot: str) -> str:
    return slot.rstrip("0123456789")


def in_chinese(note: str) -> str:
    """A note in Chinese; one that is not known, or that is of people, as it is."""
    for line in _table():
        if match := line.pattern.fullmatch(note):
            slots = {name: _shown(_kind(name), text) for name, text in match.groupdict().items()}
            return line.chinese.format_map(slots)
    return note


@lru_cache(maxsize=1)
def _table() -> tuple[_Line, ...]:
    return tuple(_compiled())


def _shown(kind: str, text: str) -> str:
    show = _SHOWN.get(kind)
    return show(text) if show else text


def chinese_day(day: date | str) -> str:
    """2021-01-01 as documents write it: 2021年1月1日."""
    year, month, number = str(day).split("-")
    return f"{year}年{int(month)}月{int(number)}日"


def titled(law: str) -> str:
    """A law in title marks; those in its name become small ones."""
    if law.startswith("《") and law.endswith("》"):
        law = law[1:-1]
    return f"《{law.replace('《', '〈').replace('》', '〉')}》"


def _said(text: str) -> str:
    """Words of ours inside a note: a clause, or acts in a list."""
    whole = in_chinese(text)
    return whole if whole != text else "、".join(map(in_chinese, text.split("、")))


_SHOWN: Final[dict[str, Callable[[str], str]]] = {
    "day": chinese_day,
    "days": lambda days: "、".join(map(chinese_day, re.findall(_DAY, days))),
    "law": titled,
    "said": _said,
    "homes": lambda homes: re.sub(r" \(([-0-9, ]+)\)", r"（\1）", homes).replace("; ", "；"),
}
