"""Whatever a model says: megabytes, nesting, bait for patterns. No reward raises or is no number.

That time grows with the text and no faster is for `tests/test_linear.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evals.suites.agent_replies import sample as agent_sample

from hengfa.base.data.packs import sample_root
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.plan import data_folder
from hengfa.evals.suites.registry import get_suite
from hengfa.evals.suites.scoring import Scale
from hengfa.law.library.opening import open_library
from hengfa.train.rewards import Rewarder, Shape, answer_key, rewarder
from hengfa.train.rewards.agent import agent_key
from hengfa.train.rewards.citations import citation_key
from hengfa.train.rewards.form import form_key
from hengfa.train.rewards.tasks import find_task, task_names

SIZE = 1_000_000
HOSTILE: dict[str, Callable[[int], str]] = {
    "one sign": lambda size: "第" * size,
    "digits": lambda size: "9" * size,
    "nested objects": lambda size: '{"a":' * (size // 5),
    "nested brackets": lambda size: "（" * (size // 2) + "）" * (size // 2),
    "a reply nested": lambda size: '{"answer": "甲", "summary": "乙", "steps": ' + "[" * size,
    "citations": lambda size: "《月湖养蜂法》第三条规定：“蜂箱" * (size // 16),
    "wrappers": lambda size: "[正确答案]A<eoa>[刑期]3年" * (size // 18),
    "bait": lambda size: "a" * (size // 2) + " " * (size // 2) + "!",
    "thoughts": lambda size: "<think></think>" * (size // 15),
    "unseen signs": lambda size: "\u200b\u202e\u0301\U000e0041" * (size // 4),
    "half pairs and nulls": lambda size: "\ud83d\x00" * (size // 2),
}
NAMES = ["citations_right", "format", "agent", *task_names()]


@cache
def rewarded(name: str) -> list[tuple[Rewarder, str]]:
    """A reward in every shape and by both rules, with a key."""
    scale = dict.fromkeys(Rules, Scale(0.25, 1.0))
    if name == "citations_right":
        with open_library(sample_root() / "claw") as library:
            of_law = rewarder(name, library=library.path)
        day = date(2020, 1, 1)
        return [(of_law, citation_key(day)), (of_law, citation_key(day, "《月湖养蜂法》第三条"))]
    if name == "format":
        wrapped = ("[正确答案]", "<eoa>")
        return [(rewarder(name), form_key("lawbench/1-2", wrapped, ("answer",)))]
    if name == "agent":
        return [(rewarder(name), agent_key(agent_sample(), {"success": 1.0, "good_calls": 1.0}))]
    suite = get_suite(name.partition("/")[0])
    root = data_folder(suite, "sample")
    first: Any = find_task(name).samples(root, suite.settings[0], suite.choose({}))[0]
    key = answer_key(name, first, scale)
    return [(rewarder(name, shape, rules=rules), key) for shape in Shape for rules in Rules]


def check(name: str, text: str, shapes: int | None = None) -> None:
    for of_name, key in rewarded(name)[:shapes]:
        found = of_name(key, text)
        assert found.value is None or math.isfinite(found.value)
        assert (found.value is None) <= bool(found.reason)


@pytest.mark.deep
@pytest.mark.parametrize("place", range(len(NAMES)), ids=NAMES)
def test_a_megabyte_has_a_reward(place: int) -> None:
    """Each reward two kinds of text, so that each kind meets several rewards."""
    kinds = list(HOSTILE)
    for kind in (kinds[place % len(kinds)], kinds[(3 * place + 5) % len(kinds)]):
        size = SIZE // 20 if NAMES[place] == "citations_right" else SIZE  # a millisecond for each
        check(NAMES[place], HOSTILE[kind](size), 1)


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_hostile_text_has_a_reward(name: str) -> None:
    for text_of in HOSTILE.values():
        check(name, text_of(300))


SIGNS = st.characters(codec=None)
WORDS = st.sampled_from(
    ["<think>", "</think>", "<eoa>", "[正确答案]", "《刑法》第三条", "“", "{", "元"]
)


@pytest.mark.parametrize("name", NAMES)
@given(text=st.lists(WORDS | st.text(SIGNS, max_size=3), max_size=20).map("".join))
@settings(max_examples=10, deadline=None)
def test_any_text_has_a_reward_or_a_reason(name: str, text: str) -> None:
    check(name, text)
