"""Which characters are related: tables read from files, sounds, and what a substitution costs."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pypinyin
import pytest
from tests.law.text.edits import gold_edits

from hengfa.base.errors import DataError
from hengfa.law.text.proofreading import Edit, Similarity, alignment, instrument
from hengfa.law.text.proofreading.similarity import CODE_MASK, HAN_FIRST, toneless_readings

CILIN = "Aa01A01= 甲 乙 某甲\nAa02A01# 丙\nBa01A01= 丁\nBb01A01@ 木 甲\n"
CONFUSIONS = "木 本 未\n他 地\n"


def write(folder: Path, cilin: str | bytes = CILIN, confusions: str | bytes = CONFUSIONS) -> Path:
    for name, text, encoding in (
        ("cilin.txt", cilin, "gb18030"),
        ("confusion_dict.txt", confusions, "utf-8"),
    ):
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return folder


@pytest.fixture(scope="module")
def similarity(tmp_path_factory: pytest.TempPathFactory) -> Similarity:
    return Similarity.read(write(tmp_path_factory.mktemp("tables")))


def code(similarity: Similarity, character: str) -> str:
    packed = int(similarity.tables.features[ord(character)]) & CODE_MASK
    return f"{chr(packed >> 16)}{chr(packed >> 8 & 0xFF)}{packed & 0xFF:02}" if packed else ""


def confusions(similarity: Similarity, character: str) -> str:
    han, at = ord(character) - HAN_FIRST, similarity.tables.confusions_at
    return "".join(map(chr, similarity.tables.confusions[at[han] : at[han + 1]]))


def costs(similarity: Similarity, a: str, b: str) -> tuple[float, float, float]:
    """Meaning, look and place, told apart by the order of kinds."""
    one, other = (np.array([ord(each)], np.uint32) for each in (a, b))
    kind = int(alignment.substitution_kinds(one, other, similarity.tables).item()) - 1
    meaning, look, place = (
        2 * (kind // 6) / 6,
        (0.0, 0.5)[kind // 3 % 2],
        (0.25, 0.499, 0.0)[kind % 3],
    )
    assert alignment.COSTS[kind + 1] == meaning + look + place
    return meaning, look, place


def test_the_last_line_that_lists_a_character_gives_its_code(similarity: Similarity) -> None:
    assert [code(similarity, character) for character in "甲乙丙戊"] == ["Bb01", "Aa01", "Aa02", ""]


@pytest.mark.parametrize(
    ("a", "b", "meaning"),
    [
        ("甲", "木", 0.0),
        ("乙", "丙", 2 / 6),
        ("乙", "甲", 4 / 6),  # parts are compared by place, not as a beginning: Aa01, Bb01
        ("乙", "丁", 2 / 6),  # Aa01, Ba01
        ("丙", "甲", 1.0),  # Aa02, Bb01
        ("乙", "戊", 4 / 6),  # one has no code
        ("，", "x", 4 / 6),
    ],
)
def test_meaning(similarity: Similarity, a: str, b: str, meaning: float) -> None:
    assert costs(similarity, a, b)[0] == costs(similarity, b, a)[0] == meaning


@pytest.mark.parametrize(
    ("a", "b", "look"),
    [
        ("木", "本", 0.0),
        ("本", "木", 0.0),  # either direction
        ("本", "未", 0.5),
        ("他", "她", 0.0),  # both ta
        ("行", "航", 0.0),  # hang is one reading of 行
        ("行", "星", 0.0),  # tones do not matter
        ("甲", "丙", 0.5),
        ("甲", "a", 0.5),
        ("\u3400", "\u3401", 0.5),  # not of the basic block
        ("𠮷", "吉", 0.5),
    ],
)
def test_look_and_sound(similarity: Similarity, a: str, b: str, look: float) -> None:
    assert costs(similarity, a, b)[1] == costs(similarity, b, a)[1] == look


@pytest.mark.parametrize(
    ("a", "b", "place"),
    [("，", ";", 0.0), ("甲", "，", 0.499), ("甲", "乙", 0.25), ("。", "甲", 0.25)],
)
def test_punctuation(similarity: Similarity, a: str, b: str, place: float) -> None:
    assert costs(similarity, a, b)[2] == costs(similarity, b, a)[2] == place


def test_related_characters_are_rather_replaced(tmp_path: Path) -> None:
    related = Similarity.read(write(tmp_path, cilin="Aa01A01= 木 甲 本\n"))
    assert gold_edits("木甲", "甲本", related) == (Edit(0, 2, "甲本", "S"),)
    assert gold_edits("木甲", "甲本", Similarity.none()) == (
        Edit(0, 1, "-NONE-", "D"),
        Edit(2, 2, "本", "I"),
    )


def test_sounds_are_all_readings_of_pypinyin() -> None:
    """The table is read directly because that is faster; the readings must be the same."""
    for han, readings in enumerate(toneless_readings(), HAN_FIRST):
        found = pypinyin.pinyin(
            chr(han), style=pypinyin.Style.NORMAL, heteronym=True, errors="ignore"
        )
        assert readings == set(*found), chr(han)


def test_without_files_only_sounds_remain() -> None:
    none = Similarity.none()
    assert costs(none, "他", "她") == (4 / 6, 0.0, 0.25)
    assert costs(none, "木", "本") == (4 / 6, 0.5, 0.25)
    assert costs(none, "，", "。") == (4 / 6, 0.5, 0.499)


def test_characters_without_a_space_between_are_several(tmp_path: Path) -> None:
    found = Similarity.read(write(tmp_path, confusions="木 本未 末\n木 本 未末\n\n"))
    assert confusions(found, "木") == "未末本"


def test_the_last_line_of_a_character_counts(tmp_path: Path) -> None:
    found = Similarity.read(write(tmp_path, confusions="木 本\n木 未\n"))
    assert confusions(found, "木") == "未"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"cilin": "Aa01A01= 甲\n甲 乙\n"}, r"cilin\.txt, row 2: '甲' is not a Cilin code"),
        ({"cilin": b"Aa01A01= \xbc\xd7\n\xff\xff\n"}, r"cilin\.txt, row 2: is not GB18030 text"),
        ({"cilin": ""}, r"cilin\.txt: lists no word"),
        ({"confusions": "木 本\n他们 地\n"}, r"confusion_dict\.txt, row 2: .*'他们'"),
        ({"confusions": b"\xb1\xbe"}, r"confusion_dict\.txt, row 1: is not UTF-8 text"),
        ({"confusions": "\n"}, r"confusion_dict\.txt: lists no character"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Similarity.read(write(tmp_path, **files))


@pytest.mark.parametrize("name", ["cilin.txt", "confusion_dict.txt"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    (write(tmp_path) / name).unlink()
    with pytest.raises(DataError, match=name):
        Similarity.read(tmp_path)


def test_files_are_read_again_only_when_they_change(tmp_path: Path) -> None:
    first = Similarity.read(write(tmp_path))
    assert Similarity.read(tmp_path) is first
    write(tmp_path, confusions="木 未\n")
    os.utime(tmp_path / "confusion_dict.txt", ns=(1, 1))
    second = Similarity.read(tmp_path)
    assert confusions(second, "木") == "未"
    assert instrument(second) != instrument(first)


def test_instrument_names_versions_and_data(similarity: Similarity) -> None:
    libraries, pinyin, data = instrument(similarity).split("/")
    assert libraries.startswith("opencc-")
    assert pinyin.startswith("pypinyin-")
    assert data.startswith("similarity-")
    assert instrument(Similarity.none()).endswith("/similarity-none")
