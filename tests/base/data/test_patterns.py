"""Patterns in a file: fragments stand in their places, and a list matches where one of it does."""

from __future__ import annotations

from pathlib import Path

from hengfa.base.data.jsonfile import Patterns, read_toml

WORDS = r"""
[fragments]
NUMBER = '\d+'
SUM = ['<NUMBER>元', '零元']

[patterns]
paid = ['付(?:<SUM>)', '给(?:<SUM>)']
open = '<system>'
"""


def test_fragments_may_have_fragments_and_what_is_none_stays(tmp_path: Path) -> None:
    (tmp_path / "words.toml").write_text(WORDS, encoding="utf-8")
    patterns = read_toml(tmp_path / "words.toml", Patterns)
    assert patterns["paid"].pattern == r"付(?:\d+元|零元)|给(?:\d+元|零元)"
    assert patterns["open"].pattern == "<system>"
    assert patterns.filled("共<SUM>") == r"共\d+元|零元"
