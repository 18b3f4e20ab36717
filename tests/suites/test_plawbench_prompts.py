"""What is asked for: roles, forms and limits, and nothing of the rubric."""

from __future__ import annotations

import re

import pytest

from hengfa.suites.base import Rules
from hengfa.suites.plan import sample_root
from hengfa.suites.plawbench.dataset import CASE, CONSULTATION, DEFENDANT, PLAINTIFF, TASKS, load
from hengfa.suites.plawbench.suite import SUITE

ROOT = sample_root() / "plawbench"


def prompts(task: str, **options: str) -> list[str]:
    found = []
    for sample in load(task, ROOT, "all", options):
        (message,) = SUITE.tasks[task].prompt(sample)
        assert message.role == "user"
        found.append(message.content)
    return found


@pytest.mark.parametrize("task", TASKS)
def test_the_prompt_ends_with_what_was_told(task: str) -> None:
    for sample, prompt in zip(load(task, ROOT, "all", {}), prompts(task), strict=True):
        assert prompt.endswith(sample.question or sample.facts)
        assert sample.facts in prompt
        assert "## 问题\n" in prompt and ("## 案例\n" in prompt) is (task == CASE)


@pytest.mark.parametrize("task", TASKS)
def test_no_prompt_gives_its_rubric_away(task: str) -> None:
    for sample, prompt in zip(load(task, ROOT, "all", {}), prompts(task), strict=True):
        for item in sample.rubric.items():
            assert item.text not in prompt
        assert "得分" not in prompt and "评分" not in prompt


@pytest.mark.parametrize(("level", "numbers"), [("mid", "10 到 25"), ("hard", "25 到 50")])
def test_the_level_is_in_the_prompt_of_a_consultation(level: str, numbers: str) -> None:
    assert all(numbers in prompt for prompt in prompts(CONSULTATION, level=level))


def test_a_case_asks_for_four_headings_that_are_read_back() -> None:
    for prompt in prompts(CASE):
        headings = "".join(re.findall(r"【[^】]+】", prompt.split("# 样式")[0]))
        assert headings.startswith("【结论】【案件事实】【推理过程】【法条依据】")
        template = prompt.split("# 样式\n")[1].split("## 案例")[0]
        read = SUITE.tasks[CASE].rule_set(Rules.OFFICIAL).read(template).value
        assert read is not None and read.missing == ()


@pytest.mark.parametrize("task", [PLAINTIFF, DEFENDANT])
def test_a_document_names_both_kinds_and_its_length(task: str) -> None:
    for prompt in prompts(task):
        told = prompt.split("## 问题")[0]
        assert "起诉状" in told and "答辩状" in told and "2500 到 3000 字" in told


def test_both_sides_have_the_same_instructions() -> None:
    def told(task: str) -> set[str]:
        return {prompt.split("## 问题")[0] for prompt in prompts(task)}

    assert told(PLAINTIFF) == told(DEFENDANT)
