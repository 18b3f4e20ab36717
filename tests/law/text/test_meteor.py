"""METEOR equals NLTK's, token by token, and its numerals are WordNet's."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.law.text.meteor import NUMERALS, meteor, stem
from hengfa.law.text.segmentation import cut

WORDS = [
    "被告人",
    "的",
    "，",
    "Cats",
    "cat",
    "cats",
    "running",
    "run",
    "10",
    "x",
    "XX",
    "20",
    "i",
    "1",
]

ENDINGS = """
s ies sses ed eed ied ing y ational enci izer abli alli entli eli ousli ization ator alism iveness
fulness aliti biliti fulli logi icate ative alize iciti ical ness ance er able ement ment ent ion
sion ou ism ate iti ous ive ize e ll ogy
"""


def wordnet(table: Mapping[str, Any]) -> Any:
    """What NLTK asks of WordNet, answered from a table."""

    def synsets(word: str) -> list[Any]:
        lemmas = [SimpleNamespace(name=lambda name=name: name) for name in table.get(word, ())]
        return [SimpleNamespace(lemmas=lambda: lemmas)]

    return SimpleNamespace(synsets=synsets)


def nltk_meteor(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    nltk = pytest.importorskip("nltk.translate.meteor_score")
    words = wordnet(NUMERALS)
    return float(nltk.single_meteor_score(reference, hypothesis, wordnet=words))


def test_by_hand() -> None:
    # Three of four tokens match, in two pieces: P = 3/4, R = 3/3.
    score = meteor(["甲", "乙", "戊", "丙"], ["甲", "乙", "丙"])
    f = 0.75 * 1.0 / (0.9 * 0.75 + 0.1 * 1.0)
    assert score == pytest.approx((1 - 0.5 * (2 / 3) ** 3) * f, abs=1e-15)


@pytest.mark.parametrize(
    ("mine", "other"), [([], []), ([], ["甲"]), (["甲"], []), (["甲"], ["乙"])]
)
def test_nothing_in_common_is_nothing(mine: list[str], other: list[str]) -> None:
    assert meteor(mine, other) == 0.0


@given(st.lists(st.sampled_from(WORDS), max_size=14), st.lists(st.sampled_from(WORDS), max_size=14))
@settings(deadline=None, max_examples=300)
def test_equal_to_nltk_on_few_words(mine: list[str], other: list[str]) -> None:
    assert meteor(mine, other) == nltk_meteor(mine, other)


@given(st.lists(st.text(max_size=4), max_size=12), st.lists(st.text(max_size=4), max_size=12))
@settings(deadline=None)
def test_equal_to_nltk_on_any_tokens(mine: list[str], other: list[str]) -> None:
    assert meteor(mine, other) == nltk_meteor(mine, other)


@pytest.mark.shared
def test_equal_to_nltk_on_real_sections(shared: Path) -> None:
    folder = shared / "data" / "JuDGE"
    texts = [
        [json.loads(line)["document"] for line in (folder / name).read_text("utf-8").splitlines()]
        for name in ("Example_Output.jsonl", "expected.jsonl")
    ]
    for mine, other in list(zip(*texts, strict=True))[::50]:
        assert meteor(cut(mine), cut(other)) == nltk_meteor(cut(mine), cut(other))


def test_stems_are_those_of_nltk() -> None:
    porter = pytest.importorskip("nltk.stem.porter").PorterStemmer()
    draw = random.Random(3)
    endings = re.findall("[a-z]+", ENDINGS)
    for _ in range(20_000):
        start = "".join(draw.choices("abcdeghilmnoprstuwxyz中0-", k=draw.randint(0, 5)))
        word = start + "".join(draw.choices(endings, k=draw.randint(0, 2)))
        assert stem(word) == porter.stem(word), word
    for word in ("sky", "skies", "dying", "news", "innings", "proceed", "dies", "died", ""):
        assert stem(word) == porter.stem(word)


@pytest.mark.shared
def test_the_numerals_are_those_of_wordnet(shared: Path) -> None:
    """Of the given part of WordNet, all pairs of an Arabic and a Roman numeral, and no other."""
    file = shared / "data" / "JuDGE" / "wordnet_numeral_synonyms.json"
    table: dict[str, list[str]] = json.loads(file.read_text("utf-8"))
    given_ = {(one, other) for one, others in table.items() for other in others}
    ours = {(one, other) for one, others in NUMERALS.items() for other in others}
    assert ours <= given_
    roman = set("ivxlcdm")
    pairs = {
        (one, other)
        for one, other in given_
        if (one.isdecimal() and set(other) <= roman) or (other.isdecimal() and set(one) <= roman)
    }
    assert ours == pairs


@pytest.mark.deep
def test_long_texts_take_linear_time() -> None:
    start = time.process_time()
    meteor(["甲", "乙"] * 200_000, ["乙", "丙", "runs"] * 200_000)
    meteor([f"run{n}s" for n in range(50_000)], ["running"] * 50_000)
    assert time.process_time() - start < 10
