"""Every note of the checker, and all else that is said of citations, has words in two languages."""

from __future__ import annotations

import ast
import json
import pickle
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hengfa.law
from hengfa.base.data.jsonfile import builtins_of, encode_json
from hengfa.law.desk.explain import Explainer
from hengfa.law.desk.filing import Words
from hengfa.law.library.case_numbers import VERDICTS
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import STATUSES, DayBasis, Problem, Report
from hengfa.law.library.model import Event
from hengfa.law.library.store import Library
from hengfa.law.library.versions import READINGS
from hengfa.law.library.words import Note, in_title_marks, note_words, table_of_words
from tests.law.library.citing_gold import fill, read_part
from tests.law.library.conftest import coast_file, shared_file

_ = coast_file, shared_file  # the fixtures
_SLOT = re.compile(r"(?<!\{)\{(\w+)")
# Words of ours that were left in English; "--law" and "UTF-8" are no words
_ENGLISH = re.compile(r"(?<![-\w])[a-z]{2,}(?![-\w])")
_CODES = {
    "status {}": STATUSES,
    "problem {}": tuple(filter(None, get_args(Problem))),
    "day {}": get_args(DayBasis),
    "report {}": Words._fields,
    "{} lacks": READINGS,
    "case {}": VERDICTS,
    "verdict {}": (
        *filter(None, get_args(Problem)),
        *("repealed", "inside", "right and exact", "right and faithful", "right"),
        "right as read",
        *("exists", "perhaps told unlike the provision"),
    ),
    "{}": set(get_args(Event)) - {"repealed"},  # a repeal makes no version
}
"""What stands in codes that are put together when they are used."""


class _Use(NamedTuple):
    """A code that some line of ours uses, with the slots that it fills."""

    code: str
    slots: frozenset[str]
    place: str


def _uses() -> Iterator[_Use]:
    for file in Path(hengfa.law.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in {"Note", "in_words", *_OF_CASES.get(file.name, ())}
            ):
                slots = frozenset(keyword.arg for keyword in node.keywords if keyword.arg)
                of_case = node.func.id in {"_reason", "_remark"}
                own = 2 if node.func.id == "_reason" and node.args[2:] else 0
                for code in _codes(node.args[own], file):
                    whole = f"case {code}" if of_case else code
                    yield _Use(whole, slots, f"{file.name}:{node.lineno}")


_OF_CASES = {"case_numbers.py": ("_reason", "_remark")}
_PASS_ON = {"words.py", "case_numbers.py"}
_BRANCHES: dict[tuple[str, str], tuple[str, str]] = {
    ("explain.py", "code"): ("instead provision", "instead found provision"),
    ("model.py", "code"): ("repealed", "repealed as is known"),
}


def _codes(node: ast.expr, file: Path) -> Iterator[str]:
    """The codes that an expression can be."""
    match node:
        case ast.Constant(value=str(code)):
            yield code
        case ast.IfExp(body=one, orelse=other):
            yield from (*_codes(one, file), *_codes(other, file))
        case ast.JoinedStr(values=parts):
            said = (str(p.value) if isinstance(p, ast.Constant) else "{}" for p in parts)
            pattern = "".join(said)
            yield from (pattern.format(part) for part in _CODES[pattern])
        case ast.Name(id=name) if (file.name, name) in _BRANCHES:
            yield from _BRANCHES[file.name, name]
        case ast.Attribute(attr="event"):
            yield from _CODES["{}"]
        case ast.Name(id="code") | ast.Attribute(attr="code") if file.name in _PASS_ON:
            pass
        case _:
            raise AssertionError(f"{file.name}:{node.lineno}: which codes can this be?")


def test_every_code_that_is_used_has_words_and_all_their_slots_are_filled() -> None:
    words = table_of_words()
    used = list(_uses())
    for code, slots, place in used:
        for lang, sentence in words[code].items():
            assert sentence, (place, code, lang)
            assert set(_SLOT.findall(sentence)) <= slots, (place, code, lang)
    assert {use.code for use in used} == set(words)


def test_both_languages_say_the_same() -> None:
    for code, words in table_of_words().items():
        english, chinese = (set(_SLOT.findall(words[lang])) for lang in ("en", "zh"))
        assert chinese - english <= {"name", "number"}, code
        assert english - chinese <= {"n", "day", "court"}, code


@pytest.mark.parametrize(
    ("note", "english", "chinese"),
    [
        (
            Note("no such article", day=date(2012, 8, 31), position="第三百条"),
            "the version of 2012-08-31 has no 第三百条",
            "2012年8月31日公布的版本没有第三百条",
        ),
        (
            Note("too few paragraphs", position="第三条", n=1),
            "第三条 has 1 paragraph",
            "第三条只有1款",
        ),
        (Note("too few items", position="第三条", n=2), "第三条 has 2 items", "第三条只有2项"),
        (
            Note(
                "in other versions", position="第三条", days=(date(2009, 1, 1), date(2012, 11, 30))
            ),
            "第三条 is in the versions of 2009-01-01, 2012-11-30",
            "2009年1月1日、2012年11月30日公布的版本有第三条",
        ),
        (
            Note(
                "explained law repealed",
                law="云港渔港法",
                repealed=Note("repealed", day=date(2010, 6, 1), by="云港港口法"),
            ),
            "it explains 云港渔港法, which was repealed on 2010-06-01 by 云港港口法",
            "它所解释的《云港渔港法》已于2010年6月1日被《云港港口法》废止",
        ),
        (
            Note(
                "as in and not amended",
                origin=Note("version", day=date(2009, 8, 27)),
                acts=("某案", Note("amendment of a day", day=date(2014, 7, 1))),
                n=2,
            ),
            "as in the version of 2009-08-27: 某案、the amendment of 2014-07-01 do not amend it",
            "与2009年8月27日公布的版本相同：某案、2014年7月1日的修改没有修改它",
        ),
        (
            Note(
                "perhaps in force",
                made=date(2009, 8, 27),
                day=date(2010, 1, 1),
                other=Note("no version"),
            ),
            (
                "it is not known whether the text promulgated on 2009-08-27 was in force on"
                " 2010-01-01; if it was not, no version was in force"
            ),
            "不能确定2009年8月27日公布的文本在2010年1月1日是否已经施行；如果没有，当时有效的版本：无",
        ),
        (
            Note(
                "words of others",
                homes=(
                    Note("home", place="第六条", days="2018-10-01, 2005-03-01"),
                    Note("home", place="云港港口法第二条", days="2022-10-01"),
                ),
            ),
            "the words are those of 第六条 (2018-10-01, 2005-03-01); 云港港口法第二条 (2022-10-01)",
            "引文是第六条（2018-10-01, 2005-03-01）；云港港口法第二条（2022-10-01）的文字",
        ),
        (
            Note("not of it any more", words="{day} <b>"),
            "not of the provision any more: {day} <b>",
            "以下已不是条文的文字：{day} <b>",
        ),
    ],
)
def test_a_note_in_both_languages(note: Note, english: str, chinese: str) -> None:
    assert note == note.sentence("en") == english
    assert note_words(note, "zh") == chinese


@given(st.text(max_size=200))
def test_words_of_others_are_taken_over_as_they_are(words: str) -> None:
    assert note_words(words, "zh") == note_words(words, "en") == words
    assert Note("leaves out", words=words).sentence("zh") == f"略去了{words}"


def test_a_note_is_its_sentence_in_json_and_keeps_its_code_between_processes() -> None:
    note = Note("too few items", position="第三条", n=2)
    assert msgspec.json.decode(encode_json({"notes": (note,)})) == {"notes": [str(note)]}
    assert type(builtins_of(note)) is str
    with pytest.raises(TypeError):
        encode_json(object())
    copied = pickle.loads(pickle.dumps(note))
    assert (copied.code, copied.sentence("zh")) == (note.code, "第三条只有2项")


def test_a_title_has_one_pair_of_marks() -> None:
    assert in_title_marks("《海岸法》") == in_title_marks("海岸法") == "《海岸法》"
    assert in_title_marks("关于《海岸法》的解释") == "《关于〈海岸法〉的解释》"


def _untranslated(checker: Checker, reports: list[Report]) -> set[str]:
    """What is still English in what is said of documents."""
    explainer = Explainer(checker)
    left = set[str]()
    for report in reports:
        for checked in report.citations:
            said = explainer.explain(checked, "zh")
            assert said.label and said.sentence
            words = "".join((checked.written, checked.named or "", *checked.candidates))
            ours = (said.label, said.problem, said.sentence, *said.notes)
            left |= {
                note
                for note in ours
                if any(word not in words for word in _ENGLISH.findall(note))
                and not note.startswith(("[-", "{+"))
            }
        notes = (note_words(note, "zh") for note in report.notes)
        left |= {note for note in notes if _ENGLISH.search(note)}
    return left


FICTIONAL = """关于海滩的意见

《云港海岸法》第三条第九款、第九百条、第四条第（二）项；《云港海岸法》（2009年修正）第六条之一；
《云港海岸法》（1999年修正）第二条；《云港渡口法》第一条；《云港渔港法》第二条；《云港登山法》第三条；
《云港节日条例》第一条；该办法第九条；合同第三条；
《云港最高法院关于审理海岸案件适用法律若干问题解释》第一条；《云港海岸法》第七条之一。
《云港海岸法》第六条规定：“海龟产卵期内，海滩自二十时至次日六时关闭。”
"""


def test_nothing_said_of_a_fictional_document_stays_english(coast_file: Path) -> None:
    with Library.open(coast_file) as library:
        checker = Checker(library)
        for year in (1998, 2004, 2007, 2011, 2015, 2021, 2022, 2024):
            report = checker.check(FICTIONAL, as_of=date(year, 11, 5))
            assert _untranslated(checker, [report]) == set()
        dated = checker.check(FICTIONAL + "\n民国一百年五月五日", today=date(2021, 5, 5))
        assert _untranslated(checker, [dated]) == set()


@pytest.mark.shared
@pytest.mark.deep
def test_nothing_said_of_real_documents_stays_english(shared: Path, shared_file: Path) -> None:
    with Library.open(shared_file) as library:
        checker = Checker(library)
        reports = list(_reports(checker, shared))
        notes = {note for report in reports for one in report.citations for note in one.notes}
        assert len(notes) > 400
        assert _untranslated(checker, reports) == set()


def _reports(checker: Checker, shared: Path) -> Iterator[Report]:
    for document in (*read_part("seen"), *read_part("later")):
        text = fill(checker.library, document.text)
        yield checker.check(text, as_of=document.as_of, today=document.today)
    today = date(2025, 1, 1)
    with (shared / "data" / "JuDGE" / "data" / "test.json").open(encoding="utf-8") as stream:
        yield from (checker.check(json.loads(line)["fd"], today=today) for line in stream)
    cases = (shared / "data" / "guiding_cases" / "cases.jsonl").read_text("utf-8").splitlines()
    for case in map(json.loads, cases):
        words = (value if isinstance(value, list) else [value] for value in case.values())
        text = "\n".join(str(line) for lines in words for line in lines)
        yield checker.check(text, today=today)
