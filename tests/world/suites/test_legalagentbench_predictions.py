"""Saved runs: the published layout by line and by id, lines of our own, and every doubt said."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from tests.scoring import score_response

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.engine.messages import Status
from hengfa.evals.suites import registry
from hengfa.evals.suites.base import AnswerStatus, PredictionContext, Rules, SavedRun
from hengfa.evals.suites.predictions import read_predictions
from hengfa.evals.suites.scoring import Scored
from hengfa.world.suites.legalagentbench.dataset import GROUPS, AgentSample
from hengfa.world.suites.legalagentbench.predictions import NAME
from hengfa.world.suites.legalagentbench.rules import Submitted
from hengfa.world.suites.legalagentbench.suite import SUITE

ROOT = sample_root() / "legalagentbench"


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.OWN, NAME, "hengfa.world.suites.legalagentbench.suite")


def context(**more: Any) -> PredictionContext:
    fields: dict[str, Any] = {"setting": "react", "data": ROOT}
    return PredictionContext(**fields | more)


def write(file: Path, *rows: dict[str, Any]) -> Path:
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    return file


def rows(*ids: int) -> list[dict[str, Any]]:
    return [{"id": id_, "res": f"答{id_}", "summary": f"总结{id_}"} for id_ in ids]


def read(file: Path, **more: Any) -> SavedRun:
    (saved,) = read_predictions(SUITE, file, context(**more))
    return saved


def scored(saved: SavedRun, task: str, rules: Rules = Rules.OFFICIAL) -> list[Scored]:
    rule_set = SUITE.tasks[task].rule_set(rules)
    return [score_response(rule_set, one, said) for one, said, *_ in saved.attempts(task)]


def submitted(one: Scored) -> Submitted:
    assert one.answer is not None
    assert isinstance(one.answer.value, Submitted)
    return one.answer.value


def test_a_published_run_is_named_by_its_file_and_read_line_by_line(tmp_path: Path) -> None:
    file = write(tmp_path / "plan_solve__glm-4.json", *rows(*range(1, 13)))
    saved = read(file)
    assert (saved.model, saved.setting) == ("glm-4", "plan-solve")
    assert saved.tasks() == list(GROUPS)
    first, second = scored(saved, "2-hop")
    assert (first.sample.id, submitted(first)[:2]) == ("3", ("答3", "总结3"))
    assert second.answer_status == AnswerStatus.EXTRACTED
    assert pickle.loads(pickle.dumps(saved)).attempts("writing")[1][0].id == "12"


@pytest.mark.parametrize(
    ("name", "model", "setting"),
    [
        ("react__gpt-4o.json", "gpt-4o", "react"),
        ("plan_execute__m__2.json", "m__2", "plan-execute"),
        ("plan_excute__m.json", "m", "plan-execute"),
        ("plan-execute__m.jsonl", "m", "plan-execute"),
        ("my__model.json", "my__model", "plan-solve"),
        ("model.json", "model", "plan-solve"),
    ],
)
def test_a_name_without_a_method_is_all_model(
    tmp_path: Path, name: str, model: str, setting: str
) -> None:
    saved = read(write(tmp_path / name, *rows(*range(1, 13))), setting="plan-solve")
    assert (saved.model, saved.setting) == (model, setting)


def test_a_folder_holds_many_runs(tmp_path: Path) -> None:
    for name in ("react__b.json", "react__a.json", "c.jsonl"):
        write(tmp_path / name, *rows(*range(1, 13)))
    write(tmp_path / "tokens.json", {"id": 1, "total": 5})
    found = read_predictions(SUITE, tmp_path, context())
    assert [saved.model for saved in found] == ["c", "a", "b"]


def test_silence_is_a_failure_and_no_answer(tmp_path: Path) -> None:
    listed = rows(*range(1, 13))
    listed[0] |= {"res": "silence", "summary": "silence"}
    listed[1] |= {"res": "silence"}
    failed, half = scored(read(write(tmp_path / "react__m.json", *listed)), "1-hop")
    assert failed.attempt.response.status is Status.FAILED
    assert failed.answer is None
    assert failed.metrics["success"] == 0.0
    assert half.answer_status == AnswerStatus.ABSTAINED
    assert submitted(half).summary == "总结2"


def test_lines_out_of_order_are_read_by_place_or_by_name_and_named_ambiguous(
    tmp_path: Path,
) -> None:
    saved = read(write(tmp_path / "react__m.json", *rows(2, 1, *range(3, 13))))
    official = scored(saved, "1-hop")
    assert [submitted(one).answer for one in official] == ["答2", "答1"]
    corrected = scored(saved, "1-hop", Rules.CORRECTED)
    assert [submitted(one).answer for one in corrected] == ["答1", "答2"]
    assert {one.answer_status for one in (*official, *corrected)} == {AnswerStatus.AMBIGUOUS}
    assert {one.answer_status for one in scored(saved, "2-hop")} == {AnswerStatus.EXTRACTED}


def test_a_task_that_is_there_twice_leaves_another_without_a_line_of_its_own(
    tmp_path: Path,
) -> None:
    saved = read(write(tmp_path / "react__m.json", *rows(1, 1, *range(3, 13))))
    official = scored(saved, "1-hop")
    assert [submitted(one).answer for one in official] == ["答1", "答1"]
    assert [one.answer_status for one in official] == [AnswerStatus.AMBIGUOUS] * 2
    corrected = scored(saved, "1-hop", Rules.CORRECTED)
    assert [one.answer_status for one in corrected] == [
        AnswerStatus.AMBIGUOUS,
        AnswerStatus.ABSTAINED,
    ]


def test_part_of_a_run_is_read_by_id(tmp_path: Path) -> None:
    file = write(tmp_path / "react__m.json", *rows(12, 3))
    with pytest.raises(DataError, match=r"no line for 10 of 12 tasks, the first of them 1; --part"):
        read(file).tasks()
    saved = read(file, partial=True)
    assert saved.tasks() == ["2-hop", "writing"]
    (one,) = scored(saved, "writing")
    assert (one.sample.id, submitted(one).answer, one.answer_status) == (
        "12",
        "答12",
        AnswerStatus.EXTRACTED,
    )
    with pytest.raises(DataError, match="the id 3 is there twice"):
        read(write(file, *rows(3, 3)), partial=True).tasks()


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        (rows(*range(1, 14)), "13 lines for 12 tasks"),
        (rows(*range(1, 12), 99), "row 12, field 'id': there is no task 99"),
        ([*rows(*range(1, 12)), {"id": 12, "res": "答"}], "row 12, field 'summary'"),
    ],
)
def test_what_does_not_fit_the_data_is_refused(
    tmp_path: Path, listed: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(DataError) as refused:
        read(write(tmp_path / "react__m.json", *listed), partial=True).tasks()
    assert said in str(refused.value)


def test_lines_of_our_own_hold_texts_or_replies(tmp_path: Path) -> None:
    told = json.dumps({"answer": "甲", "summary": "乙", "steps": [], "ended": "finished"})
    file = write(
        tmp_path / "react__m.jsonl",
        {"task": "1-hop", "id": 2, "prediction": told},
        {"task": "1-hop", "id": 1, "prediction": "丙"},
    )
    saved = read(file)
    assert (saved.model, saved.setting, saved.tasks()) == ("m", "react", ["1-hop"])
    plain, reply = scored(saved, "1-hop")
    assert submitted(plain)[:2] == ("丙", "丙")
    assert submitted(reply)[:2] == ("甲", "乙")
    assert (plain.metrics["traced"], reply.metrics["traced"]) == (0.0, 1.0)


def test_without_data_or_files_it_is_said_what_to_do(tmp_path: Path) -> None:
    file = write(tmp_path / "react__m.json", *rows(1))
    with pytest.raises(UsageError, match="`hengfa data add legalagentbench DIR`"):
        read(file, data=None).tasks()
    with pytest.raises(UsageError, match="there is nothing at"):
        read(tmp_path / "none.json")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="holds no legalagentbench predictions"):
        read(tmp_path / "empty")


def test_options_reach_the_samples(tmp_path: Path) -> None:
    file = write(tmp_path / "react__m.json", *rows(*range(1, 13)))
    saved = read(file, options=(("bertscore", "folder"),))
    (sample, *_), _ = saved.attempts("1-hop")
    assert isinstance(sample, AgentSample)
    assert sample.bertscore == "folder"
