"""What tokens cost, and where a price is found."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.base.errors import DataError
from hengfa.evals.engine.budget import Price, find_price, set_price, user_table
from hengfa.evals.engine.messages import Usage

ROW = 'currency = "CNY"\ninput = {}\noutput = 8.0\n'


def set_prices(**rows: float) -> None:
    user_table().write_text("".join(f'["{name}"]\n{ROW.format(p)}' for name, p in rows.items()))


def test_cached_tokens_have_a_price_of_their_own() -> None:
    usage = Usage(input=1_000_000, output=500_000, cached=400_000)
    assert Price("CNY", 2.0, 8.0).cost(usage) == pytest.approx(2.0 + 4.0)
    assert Price("CNY", 2.0, 8.0, cached=0.5).cost(usage) == pytest.approx(1.2 + 0.2 + 4.0)


def test_more_cached_tokens_than_tokens_do_not_give_money_back() -> None:
    assert Price("CNY", 2.0, 8.0).cost(Usage(input=10, cached=1000)) > 0


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0.0, "¥0.0000"), (1.23456, "¥1.2346"), (9.99, "¥9.9900"), (12.344, "¥12.34")],
)
def test_amounts_are_shown_as_precisely_as_they_matter(amount: float, text: str) -> None:
    assert Price("CNY", 1.0, 1.0).show(amount) == text


def test_a_local_server_is_free_and_an_unknown_model_has_no_price() -> None:
    free = find_price("vllm:any-model")
    assert free is not None
    assert free.cost(Usage(10**6, 10**6)) == 0
    assert find_price("openai:some-model") is None


def test_the_users_price_wins_and_an_exact_name_before_a_pattern() -> None:
    set_prices(**{"vllm:*": 1.0, "glm:*": 2.0, "glm:glm-4*": 3.0, "glm:glm-4-air": 4.0})
    found = {
        name: price.input
        for name in ("vllm:x", "glm:x", "glm:glm-4", "glm:glm-4-air", "glm:glm-4-air-x", "sglang:x")
        if (price := find_price(name)) is not None
    }
    assert found == {
        "vllm:x": 1.0,
        "glm:x": 2.0,
        "glm:glm-4": 3.0,
        "glm:glm-4-air": 4.0,
        "glm:glm-4-air-x": 3.0,
        "sglang:x": 0.0,
    }


@pytest.mark.parametrize(
    "content",
    [
        b"not a table",
        b'["a:b"]\ncurrency = "EUR"\ninput = 1.0\noutput = 1.0\n',
        b'["a:b"]\ncurrency = "CNY"\ninput = 1.0\n',
        b'["a:b"]\ncurrency = "CNY"\ninput = 1.0\noutput = 1.0\nouput = 2.0\n',
        "# 价格\n".encode("gbk"),
    ],
)
def test_a_broken_table_is_named(content: bytes) -> None:
    user_table().write_bytes(content)
    with pytest.raises(DataError, match=r"prices\.toml") as refused:
        find_price("a:b")
    assert str(user_table()) in str(refused.value)


def test_a_price_is_put_into_the_table_and_all_else_stays() -> None:
    user_table().write_text(
        f'# mine\n["glm:*"]\n{ROW.format(2.0)}# asked in May\n["b:*"]\n{ROW.format(1.0)}'.rstrip()
    )
    price = Price("USD", 3.0, 15.0, 0.3, 1.5, 7.5, date(2031, 2, 3))
    assert set_price("openrouter:a/b", price) == user_table()
    assert set_price("b:*", Price("CNY", 4.0, 8.0)) == user_table()
    assert find_price("openrouter:a/b") == price
    assert find_price("b:x") == Price("CNY", 4.0, 8.0)
    text = user_table().read_text()
    assert text.startswith(f'# mine\n["glm:*"]\n{ROW.format(2.0)}# asked in May\n["b:*"]\n')


def test_a_broken_table_is_not_replaced() -> None:
    user_table().write_text("[")
    with pytest.raises(DataError, match=r"prices\.toml"):
        set_price("a:b", Price("CNY", 1.0, 1.0))
    assert user_table().read_text() == "["


AMOUNTS = st.floats(0, 1e9, allow_nan=False)
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=9).map("p:{}".format)


@given(NAMES, st.builds(Price, st.sampled_from(["CNY", "USD"]), AMOUNTS, AMOUNTS, AMOUNTS))
def test_whatever_is_written_is_read_again(name: str, price: Price) -> None:
    set_price(name, price)
    assert find_price(name) == price
