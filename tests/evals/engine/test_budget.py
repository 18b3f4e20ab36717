"""Limits on tokens, cost and seconds: kept, not noticed afterwards."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.errors import BudgetReached, UsageError
from hengfa.evals.engine.budget import Budget, Limits, Price
from hengfa.evals.engine.journal import read_entries
from hengfa.evals.engine.messages import (
    Message,
    Options,
    Request,
    Response,
    Status,
    ToolCall,
    ToolSpec,
    Unavailable,
    Usage,
)
from hengfa.evals.engine.session import RetryPolicy
from hengfa.evals.engine.tokens import estimate_prompt, estimate_request

from .asking import Scripted, Sitting, question, questions, sit

LENGTH = 100
OPTIONS = Options(max_new_tokens=LENGTH)
PRICE = Price("CNY", input=4.0, output=16.0, cached=1.0)
MOST = estimate_request(question(99, OPTIONS)).high + LENGTH  # of one request


class Till(Scripted):
    """A model that counts what it sells; `share` is how much of the largest bill it takes."""

    def __init__(self, share: float = 1.0) -> None:
        super().__init__(self.sell)
        self.share = share
        self.sold = Usage()

    async def sell(self, request: Request) -> Response:
        for _ in range(random.randrange(4)):
            await asyncio.sleep(0)
        bill = Usage(
            int(estimate_request(request).high * self.share),
            int((request.options.max_new_tokens or 0) * self.share),
        )
        self.sold = Usage(self.sold.input + bill.input, self.sold.output + bill.output)
        return Response(status=Status.ANSWERED, text="答", usage=bill)


def run_with(model: Till, folder: Path, count: int, **settings: Any) -> str:
    """The message of a run that stopped at its limit; "" if it did not."""
    try:
        asyncio.run(sit(model, folder, questions(count, OPTIONS), **settings))
    except BudgetReached as stopped:
        return str(stopped)
    return ""


@settings(deadline=None, max_examples=40)
@given(
    limit=st.integers(0, 30 * MOST),
    lanes=st.integers(1, 64),
    share=st.floats(0.0, 1.0),
    kind=st.sampled_from(["tokens", "cost"]),
)
def test_a_limit_is_never_passed_and_not_given_up_too_early(
    limit: int, lanes: int, share: float, kind: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    model = Till(share)
    folder = tmp_path_factory.mktemp("limit")
    cost_of_one = PRICE.cost(Usage(MOST - LENGTH, LENGTH))
    limits = Limits(tokens=limit) if kind == "tokens" else Limits(cost=limit * cost_of_one / MOST)
    message = run_with(model, folder, 40, lanes=lanes, limits=limits, price=PRICE)
    if limits.tokens is not None:
        spent, allowed, one_more = float(model.sold.total), float(limits.tokens), float(MOST)
    else:
        spent, allowed, one_more = PRICE.cost(model.sold), limits.cost or 0.0, cost_of_one
    assert spent <= allowed + 1e-9
    if message:
        assert spent + one_more > allowed - 1e-9, "one more request would have fitted"
        assert "Raise the limit" in message
    else:
        assert len(model.asked) == 40
    assert len(list(read_entries(folder / "journal.jsonl"))) == len(model.asked)


def test_short_answers_make_others_wait_and_do_not_stop_the_run(tmp_path: Path) -> None:
    model = Till(share=0.01)
    limits = Limits(tokens=2 * MOST)  # two at a time, however many lanes there are
    assert run_with(model, tmp_path, 50, lanes=32, limits=limits) == ""
    assert len(model.asked) == 50


def test_what_earlier_sittings_spent_counts(tmp_path: Path) -> None:
    first, second, third = Till(), Till(), Till()
    limits = Limits(tokens=5 * MOST)
    assert run_with(first, tmp_path, 4, limits=limits) == ""
    assert f"{5 * MOST} tokens" in run_with(second, tmp_path, 20, limits=limits)
    assert len(first.asked) + len(second.asked) == 5
    assert run_with(third, tmp_path, 20, limits=limits)
    assert third.asked == []


def test_a_higher_limit_continues_the_run(tmp_path: Path) -> None:
    first, second = Till(), Till()
    assert run_with(first, tmp_path, 10, limits=Limits(tokens=5 * MOST))
    assert run_with(second, tmp_path, 10, limits=Limits(tokens=10 * MOST)) == ""
    assert len(first.asked) + len(second.asked) == 10


def test_a_limit_in_money_is_shown_in_its_currency(tmp_path: Path) -> None:
    message = run_with(Till(), tmp_path, 10, limits=Limits(cost=0.0021), price=PRICE)
    assert "¥0.0021" in message


def test_a_limit_in_money_needs_a_price(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--max-cost: no price .* hengfa models price"):
        Budget(Limits(cost=1.0), None, model="openai:new-model")


def test_no_limit_costs_nothing_to_ask(tmp_path: Path) -> None:
    assert run_with(Till(), tmp_path, 20) == ""


def silent(response: Response) -> Scripted:
    async def generate(request: Request) -> Response:
        return response

    return Scripted(generate)


def test_a_server_that_counts_no_tokens_is_estimated(tmp_path: Path) -> None:
    model = silent(Response(status=Status.ANSWERED, text="答" * 80, reasoning="想" * 20))
    with pytest.raises(BudgetReached):
        asyncio.run(sit(model, tmp_path, questions(100, OPTIONS), limits=Limits(tokens=10 * MOST)))
    assert 5 <= len(model.asked) <= 11
    before = len(model.asked)
    with pytest.raises(BudgetReached):  # and what it said earlier is still counted
        asyncio.run(sit(model, tmp_path, questions(100, OPTIONS), limits=Limits(tokens=10 * MOST)))
    assert len(model.asked) < 2 * before


def test_a_question_that_failed_without_a_count_is_free(tmp_path: Path) -> None:
    model = silent(Response(status=Status.FAILED, reason="HTTP 400"))
    limits = Limits(tokens=MOST)
    asyncio.run(sit(model, tmp_path, questions(20, OPTIONS), limits=limits, failures_in_a_row=100))
    assert len(model.asked) == 20


def test_a_filtered_answer_with_a_count_is_not_free(tmp_path: Path) -> None:
    model = silent(Response(status=Status.FILTERED, usage=Usage(MOST, 0)))
    with pytest.raises(BudgetReached):
        asyncio.run(
            sit(model, tmp_path, questions(20, OPTIONS), lanes=1, limits=Limits(tokens=3 * MOST))
        )
    assert len(model.asked) == 3


def test_tools_schemas_and_earlier_calls_are_part_of_the_prompt() -> None:
    plain = question(1)
    schema = {"type": "object", "properties": {f"字段{n}": {"type": "string"} for n in range(50)}}
    call = ToolCall("c1", "find", '{"law": "' + "民法典" * 100 + '"}')
    with_tools = Request("q", plain.messages, Options(tools=(ToolSpec("f", "查找", schema),)))
    with_schema = Request("q", plain.messages, Options(reply_schema=schema))
    with_calls = Request("q", (*plain.messages, Message("assistant", "", (call,))))
    for larger in (with_tools, with_schema, with_calls):
        assert estimate_request(larger).high > estimate_request(plain).high + 300
    low, high = estimate_prompt(plain.messages)
    assert 0 < low < high


def test_seconds_stop_a_run_before_its_next_request(tmp_path: Path) -> None:
    model = Till()
    message = run_with(model, tmp_path, 5, limits=Limits(seconds=0.0))
    assert "limit of 0 seconds" in message
    assert model.asked == []


def test_seconds_stop_a_run_that_is_only_repeating_itself(tmp_path: Path) -> None:
    async def generate(request: Request) -> Response:
        raise Unavailable("busy")

    model = Scripted(generate)
    stubborn = RetryPolicy(attempts=1_000_000, first_delay=0.001, longest_delay=0.001)
    with pytest.raises(BudgetReached, match="seconds"):
        asyncio.run(sit(model, tmp_path, questions(3), retry=stubborn, limits=Limits(seconds=0.05)))
    assert list(read_entries(tmp_path / "journal.jsonl")) == []


def test_seconds_wake_those_who_wait_for_tokens(tmp_path: Path) -> None:
    async def run() -> None:
        async def generate(request: Request) -> Response:
            for _ in range(50):  # the others are waiting by now
                await asyncio.sleep(0)
            sitting.session.budget._started -= 120
            return Response(status=Status.ANSWERED, text="答", usage=Usage(1, 1))

        model = Scripted(generate)
        sitting = Sitting(model, tmp_path, limits=Limits(tokens=MOST, seconds=60))
        with pytest.raises(BudgetReached, match="limit of 60 seconds"):
            await sitting.run(questions(8, OPTIONS))
        assert len(model.asked) == 1
        assert len(list(read_entries(tmp_path / "journal.jsonl"))) == 1

    asyncio.run(run())
