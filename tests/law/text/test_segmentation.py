"""Our tokens are jieba's tokens, on any text and on real legal text, without its side effects."""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import jieba
import pytest
import rjieba
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.law.text import segmentation
from hengfa.law.text.segmentation import cut, instrument

Cut = Callable[[str], list[str]]

DICTIONARY = Path(jieba.__file__).with_name("dict.txt")

# Words of the dictionary with letters in them, which end or begin inside a run of letters.
LATIN_WORDS = [
    "AT&T",
    "C++",
    "c#",
    "卡拉OK",
    "阿Q",
    "小S",
    "T恤",
    "1号店",
    "4S店",
    "江南style",
    "AA制",
]
HAN_WORDS = [
    "被告人",
    "有期徒刑",
    "郑某",
    "人民法院",
    "的",
    "了",
    "于",
    "制",
    "处",
    "判",
    "特",
    "米制",
]
ODD = [
    "\r\n",
    "\r",
    "\n",
    "\t",
    " ",
    "\u3000",
    "\x00",
    "\x85",
    "\u200b",
    "。",
    "，",
    "“",
    "……",
    "①",
    "Ⅲ",
]
RARE = [
    "㐀",
    "䶵",
    "\u9fd5",
    "\u9fd6",
    "\u9fff",
    "豈",
    "𠮷",
    "\U0002fa1f",
    "\ud800",
    "\udfff",
    "😀",
    "é",
]

pieces = st.one_of(
    st.sampled_from(LATIN_WORDS + HAN_WORDS + ODD + RARE),
    st.text(alphabet="aZ09+#&._%-", min_size=1, max_size=6),
    st.text(alphabet="１２ＡＢ％．－＋", min_size=1, max_size=3),
    st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FD5), max_size=4),
    st.text(max_size=3),
)
texts = st.lists(pieces, max_size=30).map("".join)


# Two ways to read these cost the same: 一一|一 or 一|一一. Rounding, hence every bit, decides.
TIES = ["一一一", "痒痒痒", "禁火禁", "炎黄癣", "上划上", "忽忽忽"]
LONG_WORDS = [
    "海峡两岸",
    "医疗室",
    "数万吨",
    "国产手机",
    "乳钵",
    "敛息屏声",
    "加重负担",
    "噩噩浑浑",
    "沿边",
]

ties = st.builds(
    "{}{}{}".format,
    st.sampled_from(TIES),
    st.sampled_from(["", *RARE, "a", "-"]),
    st.lists(st.sampled_from(LONG_WORDS + HAN_WORDS), max_size=40).map("".join),
)


@st.composite
def stuttering(draw: st.DrawFn) -> str:
    """A model that is stuck says the same few pieces again and again."""
    few = draw(st.lists(st.sampled_from(HAN_WORDS), min_size=1, max_size=3))
    return "".join(draw(st.lists(st.sampled_from(few), min_size=2, max_size=20)))


def quiet_jieba(folder: Path) -> Any:
    """jieba with its cache file in a folder of our own and nothing on standard error."""
    jieba.setLogLevel(logging.ERROR)
    tokenizer = jieba.Tokenizer()
    tokenizer.tmp_dir = str(folder)
    tokenizer.initialize()
    return tokenizer


@pytest.fixture(scope="session")
def jieba_cut(tmp_path_factory: pytest.TempPathFactory) -> Cut:
    lcut: Cut = quiet_jieba(tmp_path_factory.mktemp("jieba")).lcut
    return lcut


@given(texts)
@settings(max_examples=600, deadline=None)
def test_any_text_is_cut_as_jieba_cuts_it(jieba_cut: Cut, text: str) -> None:
    assert cut(text) == jieba_cut(text)


@given(st.one_of(ties, stuttering()))
@settings(max_examples=500, deadline=None)
def test_readings_of_equal_cost_are_decided_as_jieba_decides_them(
    jieba_cut: Cut, text: str
) -> None:
    assert cut(text) == jieba_cut(text)


@given(st.text(alphabet="a1.%-_+郑", max_size=12))
@settings(max_examples=400, deadline=None)
def test_letters_digits_and_symbols_are_cut_as_jieba_cuts_them(jieba_cut: Cut, text: str) -> None:
    assert cut(text) == jieba_cut(text)


def test_every_character_stands_as_in_jieba(jieba_cut: Cut, deep: bool) -> None:
    """All that may be Han, and a sample of the rest, where it matters if a word may go on; without
    `--deep` a fifth of them, in which every block of characters has its share."""
    codes = [*range(0x10000), *range(0x10000, 0x110000, 61)][:: 1 if deep else 5]
    for first in range(0, len(codes), 0x100):
        text = "。".join(f"一一一{chr(code)}妙计" for code in codes[first : first + 0x100])
        assert cut(text) == jieba_cut(text), hex(codes[first])


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("2020-05-01", ["2020", "-", "05", "-", "01"]),
        ("净重0.5g", ["净重", "0.5", "g"]),
        ("1.2.3", ["1.2", ".", "3"]),
        ("12.5%%", ["12.5%", "%"]),
        ("AT&T-1.2.3", ["AT&T", "-", "1.2", ".", "3"]),
        ("阿Q.5.6", ["阿Q", ".", "5.6"]),
        ("一\r\n\r二", ["一", "\r\n", "\r", "二"]),
        ("㐀㐁", ["㐀", "㐁"]),
        ("a\ud800b", ["a", "\ud800", "b"]),
        ("一一一㐀妙计", ["一一", "一", "㐀", "妙计"]),
        # equal probabilities, on which rjieba's rounded table decides otherwise
        ("增增增增增", ["增增", "增增增"]),
    ],
)
def test_known_differences_between_rjieba_and_jieba_go_jiebas_way(
    jieba_cut: Cut, text: str, tokens: list[str]
) -> None:
    assert cut(text) == jieba_cut(text) == tokens


def test_the_sum_of_frequencies_decides_between_readings_of_equal_cost(jieba_cut: Cut) -> None:
    text = "痒痒痒团管区浇水未本着乳钵只许生编甘平蓬江敛息屏声巴郡城全麦仲平和加重负担沿边噩噩浑浑"
    assert rjieba.cut(text)[:2] == ["痒痒", "痒"]
    assert cut(text) == jieba_cut(text)
    assert cut(text)[:2] == ["痒", "痒痒"]


def test_a_declined_word_stays_apart_unless_letters_touch_it(jieba_cut: Cut) -> None:
    """jieba looks up the whole run: 之中 may be a word that was declined, 之中a never is one."""
    touched = 0
    for word in islice(declined_words(), 0, None, 9):
        for text in (word, f"{word}a", f"3{word}", f"阿Q{word}", f"-{word}", f"{word}C++"):
            assert cut(text) == jieba_cut(text), text
        touched += cut(word) != cut(f"{word}a")[:-1]
    assert touched, "no example tells the two cases apart"


def declined_words() -> Iterator[str]:
    """Words of the dictionary that are cheaper as single characters."""
    dictionary = rjieba.Jieba()
    with DICTIONARY.open(encoding="utf-8") as lines:
        for line in lines:
            word = line.split(" ")[0]
            if len(word) == 2 and len(dictionary.cut(word, False)) == 2:
                yield word


@pytest.mark.shared
def test_real_legal_texts_are_cut_as_jieba_cuts_them(
    shared: Path, jieba_cut: Cut, deep: bool
) -> None:
    compared = 0
    for text in islice(real_texts(shared / "data"), 0, None, 1 if deep else 4):
        assert cut(text) == jieba_cut(text)
        compared += 1
    assert compared > 500


def real_texts(data: Path) -> Iterator[str]:
    """Every so many a string of questions, judgments, system outputs, statutes and cases."""
    for pattern, every in [
        ("LawBench/data/zero_shot/*.json", 40),
        ("LawBench/predictions/synthetic/synthetic-mixed.jsonl.gz", 20),
        ("JuDGE/data/test.json", 60),
        ("JuDGE/baseline_outputs/*.jsonl.gz", 200),
        ("LegalAgentBench/runs/*.json", 100),
        ("corpora/*/*.jsonl.gz", 150),
        ("guiding_cases/cases.jsonl", 100),
    ]:
        for file in sorted(data.glob(pattern)):
            raw = file.read_bytes()
            content = (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode()
            if content.startswith("["):
                rows = json.loads(content)
            else:
                rows = map(json.loads, filter(None, content.split("\n")))
            for row in islice(rows, 0, None, every):
                yield from strings(row)


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def test_the_dictionary_is_the_one_that_is_named() -> None:
    content = DICTIONARY.read_bytes()
    assert hashlib.sha256(content).hexdigest() == segmentation.DICTIONARY_SHA256
    assert instrument() == "jieba-0.42.1/dict-7197c3211ddd/rjieba-0.2.2"


def test_words_and_their_frequencies_are_jiebas(tmp_path: Path) -> None:
    ours, theirs = segmentation._dictionary.__wrapped__(), quiet_jieba(tmp_path)
    words = [line.split(" ")[0] for line in DICTIONARY.read_text(encoding="utf-8").splitlines()]
    assert all(map(ours.has_word, words))
    # A huge frequency makes a suggestion depend on the last digit of the sum of frequencies.
    ours.add_word("qqxx", 10**9, None)
    theirs.add_word("qqxx", 10**9)
    for word in ["qqxxqqxx", *words[::200]]:  # one may round up where the other rounds down
        assert abs(ours.suggest_freq(word) - theirs.suggest_freq(word)) <= 1, word


def test_a_run_of_one_character_takes_linear_time() -> None:
    """jieba takes minutes for this answer of a model that is stuck."""
    text = "的" * 100_000
    assert "".join(cut(text)) == text


def test_what_a_caller_does_to_the_tokens_does_not_come_back() -> None:
    first = cut("被告人郑某甲")
    first.clear()
    assert cut("被告人郑某甲") == ["被告人", "郑某", "甲"]


def test_threads_get_the_same_tokens() -> None:
    many = [f"被告人郑某{number}于2020-05-{number}盗窃0.5g，" * 5 for number in range(200)]
    alone = [cut(text) for text in many]
    segmentation._dictionary.cache_clear()
    segmentation._recut_cached.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(cut, many)) == alone


def python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )


def test_importing_loads_no_dictionary(tmp_path: Path) -> None:
    code = "import sys, hengfa.law.text.segmentation; print({'jieba', 'rjieba'} & set(sys.modules))"
    assert python(code, tmp_path).stdout == "set()\n"


def test_nothing_is_said_and_no_cache_file_is_read_or_written(tmp_path: Path) -> None:
    planted = tmp_path / "jieba.cache"
    planted.write_bytes(b"not a dictionary")
    cut = "from hengfa.law.text.segmentation import cut; "
    code = f"{cut}print(len(cut('被告人郑某甲于2020-05-01盗窃')))"
    done = python(code, tmp_path)
    assert (done.stdout, done.stderr) == ("9\n", "")
    assert list(tmp_path.iterdir()) == [planted]
    assert planted.read_bytes() == b"not a dictionary"
