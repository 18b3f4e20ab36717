"""Graders that give what a test says, behind no server; everything else is the real way."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from hengfa.evals.engine.messages import Model
from hengfa.evals.grading.rubric import Item
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import verdict_code
from hengfa.evals.runs import grading
from hengfa.evals.runs.models import Connection
from hengfa.evals.suites.builtin import BuiltIn

Given = Callable[[Submission, Item], float]
"""What share of an item a grader gives; the key of a submission says which asking it is."""


def use_graders(monkeypatch: pytest.MonkeyPatch, graders: Mapping[str, Given]) -> None:
    """Let these names mean graders that give these shares."""
    real = grading.open_grader

    def opened(name: str, submissions: Sequence[Submission], connection: Connection) -> Model:
        if name not in graders:
            return real(name, submissions, connection)
        answers = {f"{one.key}#grade": _verdict(one, graders[name]) for one in submissions}
        return BuiltIn(name, answers)

    monkeypatch.setattr(grading, "open_grader", opened)


def asking(submission: Submission) -> int:
    """Which asking about a submission it is, from 1."""
    again = re.search(r"~([0-9]+)$", submission.key)
    return int(again[1]) if again else 1


def _verdict(submission: Submission, given: Given) -> str:
    awards = [_award(submission, item, given) for item in submission.rubric.items()]
    code = verdict_code(submission.response)
    return json.dumps({"awards": awards, "faults": [], "code": code}, ensure_ascii=False)


def _award(submission: Submission, item: Item, given: Given) -> dict[str, Any]:
    points = given(submission, item) * item.maximum
    award: dict[str, Any] = {"id": item.id, "evidence": [], "reason": ""}
    if item.levels:
        nearest = min(item.levels, key=lambda level: abs(level.points - points))
        return award | {"level": nearest.name}
    return award | {"points": points}
