"""Prompts and targets as tokens: what is learnt, and what is kept where there is no room."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.errors import DataError, UsageError
from hengfa.tuning.files import read_targets
from hengfa.tuning.rows import NOT_LEARNT, TargetRow, learning_row, learning_rows
from tests.tuning.tiny_model import CHAT, make_tokenizer, needs_torch


@needs_torch
def test_the_prompt_is_read_but_not_learnt_and_the_end_is() -> None:
    tokenizer = make_tokenizer()
    row = learning_row(TargetRow("DEF", prompt="ABC"), tokenizer, 100)
    assert tokenizer.decode(row.ids[:3]) == "ABC"
    assert row.labels[:3] == [NOT_LEARNT] * 3
    assert row.labels[3:] == row.ids[3:] == [*map(tokenizer.vocab.get, "DEF"), 0]
    assert row.cut == 0


@needs_torch
def test_where_there_is_no_room_the_prompt_and_the_end_of_the_target_stay() -> None:
    tokenizer = make_tokenizer()
    row = learning_row(TargetRow("DEFGH", prompt="ABC"), tokenizer, 6)
    assert [tokenizer.decode([one]) for one in row.ids] == [*"ABC", "G", "H", "<end>"]
    assert row.labels == [NOT_LEARNT] * 3 + row.ids[3:]
    assert row.cut == 3


@needs_torch
@settings(deadline=None, max_examples=50)
@given(st.text("ABCDE", max_size=20), st.text("FGHIJ", min_size=1, max_size=30), st.integers(1, 40))
def test_rows_never_exceed_the_limit_and_never_lose_prompt_or_end(
    prompt: str, target: str, longest: int
) -> None:
    tokenizer = make_tokenizer()
    if len(prompt) >= longest:
        with pytest.raises(UsageError, match="leaves no room"):
            learning_row(TargetRow(target, prompt=prompt), tokenizer, longest)
        return
    row = learning_row(TargetRow(target, prompt=prompt), tokenizer, longest)
    text = tokenizer.convert_ids_to_tokens(row.ids)
    assert len(text) == min(longest, len(prompt) + len(target) + 1)
    assert "".join(text).startswith(prompt)
    assert text[-1] == "<end>"
    assert target.endswith("".join(text[len(prompt) : -1]))
    assert [label == NOT_LEARNT for label in row.labels] == [
        place < len(prompt) for place in range(len(text))
    ]


@needs_torch
def test_a_conversation_goes_through_the_chat_template() -> None:
    tokenizer = make_tokenizer()
    said = TargetRow("D", messages=(("user", "写"),))
    with pytest.raises(UsageError, match=r"row 1: .*no chat template"):
        learning_rows([said], tokenizer, 100)
    tokenizer.chat_template = CHAT
    row = learning_row(said, tokenizer, 100)
    assert tokenizer.decode(row.ids) == "<user>写<assistant>D<end>"
    assert sum(label != NOT_LEARNT for label in row.labels) == 2


def test_rows_are_read_and_bad_ones_named(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(
        '{"prompt": "甲", "target": "乙"}\n'
        '{"messages": [{"role": "user", "content": "丙"}], "target": "丁"}\n',
        "utf-8",
    )
    assert read_targets([file]) == [
        TargetRow("乙", prompt="甲"),
        TargetRow("丁", messages=(("user", "丙"),)),
    ]
    file.write_text('{"target": "乙"}\n', "utf-8")
    with pytest.raises(DataError, match="row 1: give either"):
        read_targets([file])
    file.write_text('{"prompt": "甲", "target": " "}\n', "utf-8")
    with pytest.raises(DataError, match="field 'target': nothing to learn"):
        read_targets([file])
