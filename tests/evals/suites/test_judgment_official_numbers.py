"""Numbers as the library of the published evaluator reads them (judgment.md 3)."""

from __future__ import annotations

import random
import re

import pytest

from hengfa.evals.suites.judgment.official import find_official_numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("两年", ()),
        ("两年六个月", ("6",)),
        ("两百元", ("200",)),
        ("3万5千", ("30000", "5000")),
        ("2.5万", ("25000",)),
        ("拾个月", ()),
        ("壹拾个月", ("10",)),
        ("3000.00", ("3000",)),
        ("零六", ("06",)),
        ("二〇一七", ("2017",)),
        ("四千三", ("4300",)),
        ("三百五", ("350",)),
        ("一百零五", ("105",)),
        ("十五", ("15",)),
        ("百五", ("0.05",)),
        ("万", ()),
        ("一年三个月", ("1", "3")),
        ("１０个月", ()),
        ("１六个月，３点五，２年", ()),
        ("", ()),
    ],
)
def test_numbers(text: str, numbers: tuple[str, ...]) -> None:
    assert find_official_numbers(text) == numbers


def test_random_strings_are_read_like_the_library_reads_them() -> None:
    """But for 点 next to a unit or a second point, where the library has no rule."""
    library = pytest.importorskip("chinese2digits")
    draw = random.Random(11)
    letters = "零〇一二两三四五六七八九十百千万亿幺壹贰拾佰仟萬億点.0123456789元年个月，俩"
    checked = 0
    for _ in range(4000):
        text = "".join(draw.choices(letters, k=draw.randint(1, 9)))
        if re.search(r"点[十百千万亿拾佰仟萬億]|[点.][^元年个月，]*[点.]", text):
            continue
        checked += 1
        expected = tuple(library.takeNumberFromString(text)["digitsStringList"])
        assert find_official_numbers(text) == expected, text
    assert checked > 3000
