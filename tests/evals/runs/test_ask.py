"""The one request: a field is a keyword of `hengfa.evaluate` and an option of `hengfa eval`."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any

import pytest

import hengfa
from hengfa.evals.commands.eval import command, grader_choices
from hengfa.evals.commands.parts import write_
from hengfa.evals.runs.ask import Ask, AskGrader

WHO = ("lawbench/1-2", "floor")
ONLY_IN_PYTHON = {"jobs", "progress", "notify"}
ONLY_COMMAND = {"pass_at", "allowed", "dry_run", "as_json", "executor", "gpus_each"}


def given(*words: str) -> dict[str, Any]:
    """What the command takes these words for, as far as it is of the request."""
    context = command.make_context("eval", [WHO[0], "--model", WHO[1], *words])
    with context:
        asked = {name: it for name, it in context.params.items() if name not in ONLY_COMMAND}
        asked["graders"] = grader_choices(asked)
    return asked


def test_each_field_is_a_keyword_and_an_option() -> None:
    names = {field.name for field in fields(Ask)}
    for function in (hengfa.evaluate, hengfa.estimate):
        assert set(inspect.signature(function).parameters) == names
    assert set(given()) | {"executor"} == names - ONLY_IN_PYTHON
    graders = {field.name for field in fields(AskGrader)}
    assert set(inspect.signature(hengfa.grader).parameters) == graders


def test_defaults_are_those_of_the_command() -> None:
    by_command, by_python = Ask(**given()), Ask(*WHO)
    assert by_command.wording() == by_python.wording()
    assert by_command.sitting() == by_python.sitting()
    assert by_command.answer_statuses() == by_python.answer_statuses()
    for name in ("limit", "ids", "repeats", "shard", "setting", "prompts", "rules", "data", "name"):
        assert getattr(by_command, name) == getattr(by_python, name)


def test_what_is_said_of_graders_alone_does_not_reach_the_model() -> None:
    asked = given(
        "--grader", "keywords", "--grader", "endpoint:g", "--screen", "endpoint:s",
        "--grader-base-url", "http://localhost/v1", "--grader-lanes", "3", "--timeout", "9",
    )  # fmt: skip
    assert (asked["lanes"], asked["base_url"], asked["timeout"]) == (64, (), 9)
    assert [(one.name, one.screens) for one in asked["graders"]] == [
        ("keywords", False), ("endpoint:g", False), ("endpoint:s", True)
    ]  # fmt: skip
    for one in asked["graders"]:
        assert (one.sitting.lanes, one.connection.timeout) == (3, 9)


def test_a_keyword_that_is_no_field_is_refused() -> None:
    with pytest.raises(TypeError, match="limt"):
        hengfa.evaluate(*WHO, limt=3)  # type: ignore[call-arg]  # as people mistype it


def test_an_estimate_is_of_a_name() -> None:
    with pytest.raises(hengfa.UsageError, match="model with a name"):
        hengfa.estimate(WHO[0], str, data="sample")


def test_what_a_request_holds_is_not_shown() -> None:
    """Addresses and fields may have keys in them."""
    assert "secret" not in repr(Ask(*WHO, base_url="http://me:secret@localhost/v1"))


def test_a_file_of_questions_has_options_of_the_request_only() -> None:
    own = {"output", "force"}
    taken = {one.name for one in write_.params if one.expose_value} - own
    assert taken <= {field.name for field in fields(Ask)}
