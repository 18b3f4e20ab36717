"""Batches by tokens, on the processor; a card's lack of memory is played."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.errors import UsageError
from hengfa.law.text.token_rows import Numbers, TokenBudget, TokenRows, ahead, fetch, precision

pytestmark = pytest.mark.optional("torch")


def batches(budget: TokenBudget, lengths: list[int]) -> list[list[int]]:
    seen: list[Numbers] = []
    budget.run(np.array(lengths, np.int64), "cpu", seen.append)
    return [batch.tolist() for batch in seen]


@settings(deadline=None)
@given(st.lists(st.integers(0, 30), max_size=60), st.integers(1, 200))
def test_every_text_is_in_one_batch_that_keeps_to_the_budget(
    lengths: list[int], tokens: int
) -> None:
    made = batches(TokenBudget(tokens), lengths)
    order = [number for batch in made for number in batch]
    assert sorted(order) == list(range(len(lengths)))
    assert [lengths[number] for number in order] == sorted(lengths, reverse=True)
    for batch in made:
        longest = max(lengths[number] for number in batch)
        assert longest * len(batch) <= tokens or len(batch) == 1


def test_texts_of_one_length_share_a_batch_alone_where_they_fill_a_fourth() -> None:
    assert batches(TokenBudget(40), [5, 5, 4, 4]) == [[0, 1], [2, 3]]
    assert batches(TokenBudget(40), [5, 4, 4, 3]) == [[0, 1, 2, 3]]


def test_a_card_that_runs_out_of_memory_gets_half_and_goes_on_with_it() -> None:
    out_of_memory = import_module("torch").cuda.OutOfMemoryError
    tried: list[int] = []
    done: list[int] = []

    def work(numbers: Numbers) -> None:
        tried.append(len(numbers))
        if len(numbers) > 3:
            raise out_of_memory
        done.extend(numbers.tolist())

    budget = TokenBudget(100)
    budget.run(np.full(8, 10), "cpu", work)
    assert tried == [8, 4, 2, 2, 2, 2]
    assert sorted(done) == list(range(8))
    budget.run(np.full(2, 10), "cpu", work)
    assert tried[6:] == [2]


def test_a_text_that_fits_no_card_is_an_error_with_its_length() -> None:
    def work(_numbers: Numbers) -> None:
        raise import_module("torch").cuda.OutOfMemoryError

    with pytest.raises(UsageError, match="too little memory for a text of 9 tokens"):
        TokenBudget(10).run(np.array([9]), "cpu", work)


def test_a_rectangle_holds_the_tokens_of_its_texts_and_padding() -> None:
    rows = TokenRows([[1, 2, 3], [4], [5, 6], [7]], 9, "cpu")
    numbers = np.array([2, 1, 0])
    places, there = rows.rectangle(numbers)
    assert rows.ids[places].tolist() == [[5, 6, 9], [4, 9, 9], [1, 2, 3]]
    assert there.tolist() == [[True, True, False], [True, False, False], [True, True, True]]
    assert rows.mask(numbers, there).tolist() == there.long().tolist()
    beside = rows.beside([[10, 20, 30], [40], [50, 60], [70]], 0)
    assert beside[places].tolist() == [[50, 60, 0], [40, 0, 0], [10, 20, 30]]
    nothing = TokenRows([[]], 9, "cpu").rectangle(np.array([0]))
    assert [tensor.tolist() for tensor in nothing] == [[[0]], [[False]]]
    alike = np.array([1, 3])
    assert rows.mask(alike, rows.rectangle(alike)[1]) is None


def test_the_next_item_is_made_while_one_is_used() -> None:
    made: list[int] = []

    def items() -> Iterator[int]:
        for number in range(3):
            made.append(number)
            yield number
        raise UsageError("no more")

    used = ahead(items())
    assert [next(used), next(used), next(used)] == [0, 1, 2]
    assert made == [0, 1, 2]
    with pytest.raises(UsageError, match="no more"):
        next(used)


def test_a_processor_computes_in_full_precision_and_has_its_numbers_at_once() -> None:
    torch = import_module("torch")
    assert precision("cpu") == torch.float32
    assert fetch(torch.arange(3))().tolist() == [0, 1, 2]
