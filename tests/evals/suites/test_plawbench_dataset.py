"""Samples of PLawBench: rows, ids, options, penalties, prompts, and the sample pack."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.grading.marking import Way
from hengfa.evals.grading.rubric import OrderKind
from hengfa.evals.suites.base import Chosen, Rules
from hengfa.evals.suites.plan import make_plan
from hengfa.evals.suites.plawbench.dataset import (
    CASE,
    CONSULTATION,
    DEFENDANT,
    FILES,
    PLAINTIFF,
    TAGS,
    TASKS,
    CaseRow,
    PLawBenchSample,
    load,
    read_released,
)
from hengfa.evals.suites.plawbench.dataset import CONSULTATION_PENALTIES as TABLE_10
from hengfa.evals.suites.plawbench.suite import SUITE

ROOT = sample_root() / "plawbench"
RUN = 14
"""So many characters in a row that are also in upstream data are a copy."""


def samples(task: str, root: Path = ROOT, **options: str) -> list[PLawBenchSample]:
    return load(task, root, "all", SUITE.choose(options))


# --- the sample pack ---


def test_the_sample_pack_has_every_task() -> None:
    assert {task: len(samples(task)) for task in TASKS} == {
        CONSULTATION: 2,
        CASE: 4,
        PLAINTIFF: 1,
        DEFENDANT: 1,
    }
    assert [one.id for one in samples(CASE)] == ["0", "1", "2", "3"]
    assert [one.id for one in samples(CONSULTATION)] == ["1", "2"]


def test_the_sample_pack_has_every_kind_of_order_that_is_stated() -> None:
    assert [one.order for one in samples(CASE)] == [
        OrderKind.STRICT,
        OrderKind.UNSTATED,
        OrderKind.FREE,
        OrderKind.PARTIAL,
    ]
    strict, _, free, partial = (one.rubric.sections[2] for one in samples(CASE))
    steps = [item.id for item in strict.items]
    assert set(strict.order.pairs) >= set(pairwise(steps))
    assert free.order.pairs == ()
    first, second, third = (item.id for item in partial.items)
    assert set(partial.order.pairs) == {(first, third), (second, third)}


def test_the_rubrics_of_the_sample_pack_are_read_whole() -> None:
    maxima = {task: [one.rubric.maximum for one in samples(task)] for task in TASKS}
    assert maxima == {
        CONSULTATION: [17, 15],
        CASE: [65, 70, 65, 55],
        PLAINTIFF: [60],
        DEFENDANT: [50],
    }
    for task in TASKS:
        for one in samples(task):
            assert sum(section.maximum for section in one.rubric.sections) == one.rubric.maximum
            for section in one.rubric.sections:
                assert sum(item.maximum for item in section.items) == section.maximum
    (defence,) = samples(DEFENDANT)
    leaves = [gate.leaves for section in defence.rubric.sections for gate in section.gates]
    assert leaves == [-10, 0, 2]
    honey = samples(CASE)[1].rubric
    items = list(honey.items())
    assert sum(len(item.deductions) for item in items) >= 6
    assert any(item.gates for item in items)
    assert [len(item.alternatives) for item in honey.sections[3].items] == [1, 0, 0]
    assert all(item.statute for item in honey.sections[3].items)


def test_ids_are_unique_in_a_rubric() -> None:
    for task in TASKS:
        for one in samples(task, penalties="on"):
            ids = [item.id for item in one.rubric.items()]
            ids += [fault.id for fault in one.rubric.faults()]
            assert len(ids) == len(set(ids))


# --- options ---


def test_the_level_says_how_many_questions() -> None:
    assert {one.asked for one in samples(CONSULTATION)} == {(10, 25)}
    assert {one.asked for one in samples(CONSULTATION, level="hard")} == {(25, 50)}


@pytest.mark.parametrize(
    ("chosen", "consultations", "documents"),
    [("off", 0, False), ("released", 0, True), ("on", 9, True)],
)
def test_penalties_are_chosen(chosen: str, consultations: int, documents: bool) -> None:
    for one in samples(CONSULTATION, penalties=chosen):
        assert len(one.rubric.penalties) == consultations
    for task in (PLAINTIFF, DEFENDANT):
        for one in samples(task, penalties=chosen):
            found = [(penalty.points, penalty.times) for penalty in one.rubric.penalties]
            assert found == ([(10, None), *[(10, 1)] * 4] if documents else [])
    assert not any(one.rubric.penalties for one in samples(CASE, penalties=chosen))


def test_table_10_costs_what_the_paper_says() -> None:
    """Each kind: 1 or 2 points, 3 to 6, or everything."""
    assert len(TABLE_10) == 9
    for slight, grave, worst in zip(*(iter(TABLE_10),) * 3, strict=True):
        assert (slight.points, slight.times) == (1, 2)
        assert (grave.points, grave.times) == (3, 2)
        assert worst.all


def test_whether_law_is_looked_up_goes_with_the_sample() -> None:
    assert {one.law for one in samples(CASE)} == {False}
    assert {one.law for one in samples(CASE, law="on")} == {True}


def test_marking_goes_with_the_sample_and_is_the_papers_with_penalties_unless_chosen() -> None:
    assert {one.marking for one in samples(CASE)} == {Way.PAPER}
    for way in Way:
        assert {one.marking for one in samples(CASE, marking=way)} == {way}
    for task in (CONSULTATION, PLAINTIFF, DEFENDANT):
        assert samples(task) == samples(task, penalties="on")


@pytest.mark.parametrize(
    "wrong",
    [
        {"level": "easy"},
        {"penalties": "yes"},
        {"law": "yes"},
        {"marking": "strict"},
    ],
)
def test_an_option_that_is_none_is_refused(wrong: Chosen) -> None:
    with pytest.raises(UsageError, match="is none of"):
        SUITE.choose(wrong)


def test_a_limited_plan_takes_its_share_of_scenarios() -> None:
    plan = make_plan("plawbench", data="sample", limit=1)
    assert len(plan) == 4


def test_a_bad_row_is_named(tmp_path: Path) -> None:
    for file in ROOT.iterdir():
        shutil.copy(file, tmp_path)
    file = tmp_path / "practical_case_analysis_250.jsonl"
    row = json.loads(file.read_text("utf-8").splitlines()[0])
    file.write_text(json.dumps(row | {"label": ""}) + "\n", "utf-8")
    with pytest.raises(DataError, match=r"practical_case_analysis_250\.jsonl, row 0"):
        samples(CASE, tmp_path)
    with pytest.raises(DataError):
        samples(CASE, tmp_path / "none")


# --- the released data ---


@pytest.mark.shared
def test_all_280_rows_are_samples(shared: Path) -> None:
    root = shared / "data" / "PLawbench"
    found = {task: samples(task, root) for task in TASKS}
    assert {task: len(some) for task, some in found.items()} == {
        CONSULTATION: 18,
        CASE: 250,
        PLAINTIFF: 6,
        DEFENDANT: 6,
    }
    assert [one.id for one in found[CASE]] == [str(number) for number in range(250)]
    labels = Counter(one.label for one in found[CASE])
    assert len(labels) == 12 and labels["诉讼仲裁"] == 31 and labels["法律科技"] == 11
    for some in found.values():
        for one in some:
            assert one.rubric.maximum > 0 and list(one.rubric.items())
    assert [one.rubric.maximum for one in found[PLAINTIFF]] == [100, 80, 100, 95, 100, 100]
    assert [one.rubric.maximum for one in found[DEFENDANT]] == [80, 90, 55, 60, 95, 100]
    assert sum(one.rubric.maximum for one in found[CASE]) == 1965 + 4975 + 7960 + 3690


@pytest.mark.shared
def test_nothing_in_the_sample_pack_or_prompts_is_copied(shared: Path) -> None:
    upstream = "\n".join(
        _texts(json.loads(line) if file.suffix == ".jsonl" else json.loads(file.read_text("utf-8")))
        for file in sorted((shared / "data" / "PLawbench").iterdir())
        for line in (file.read_text("utf-8").splitlines() if file.suffix == ".jsonl" else [""])
    )
    known = {upstream[start : start + RUN] for start in range(len(upstream) - RUN + 1)}
    assert len(known) > 300_000
    titles = re.compile("结论|案情简[述介]|分析过程|推理过程|依据法条|得分|[【】+]")
    for task in TASKS:
        for one in samples(task, penalties="on"):
            rubric = "\n".join(
                [item.text for item in one.rubric.items()]
                + [fault.text for fault in one.rubric.faults()]
            )
            prompt = SUITE.tasks[task].prompt(one, "all")[0].content
            for piece in titles.split(f"{prompt}\n{rubric}"):
                runs = {piece[start : start + RUN] for start in range(len(piece) - RUN + 1)}
                assert not {run for run in runs & known if "\n" not in run}, one.id


def _texts(value: object) -> str:
    if isinstance(value, dict):
        return "\n".join(map(_texts, value.values()))
    if isinstance(value, list):
        return "\n".join(map(_texts, value))
    return str(value)


# --- released files as rows ---


CONSULTATION_ROW: dict[str, Any] = {
    "id": 1,
    "conversation": "船撞了。",
    "rubrics": "1.(+3分)何时？",
    "score": "",
}
CASE_ROW: dict[str, Any] = {
    "label": "诉讼仲裁",
    "context": "月湖上两船相撞。",
    "question": "谁赔？",
    "rubrics": [{"criterion": "（+5分）甲赔", "points": "5", "tags": tag} for tag in TAGS],
}
DOCUMENT_ROW: dict[str, Any] = {
    "id": 1,
    "tag": "碰撞",
    "conversation": "写起诉状。",
    "Rubrics": "一、管辖（5分）",
    "score": 5,
}


def write(folder: Path, name: str, rows: list[dict[str, Any]], *, lines: bool = False) -> Path:
    text = "\n".join(map(json.dumps, rows)) if lines else json.dumps(rows)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("lines", [True, False])
def test_arrays_and_lines_are_read_alike(tmp_path: Path, lines: bool) -> None:
    write(
        tmp_path, FILES[CONSULTATION], [CONSULTATION_ROW, CONSULTATION_ROW | {"id": 2}], lines=lines
    )
    write(tmp_path, FILES[CASE], [CASE_ROW], lines=lines)
    write(tmp_path, FILES[DEFENDANT], [DOCUMENT_ROW], lines=lines)
    assert list(read_released(tmp_path, CONSULTATION).rows) == ["1", "2"]
    case = read_released(tmp_path, CASE).rows["0"]
    assert isinstance(case, CaseRow) and [one.maximum for one in case.rubrics] == [5.0] * 4
    assert read_released(tmp_path, DEFENDANT).rows["1"].rubrics == "一、管辖（5分）"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"rubrics": 1}, "rubrics"),
        ({"conversation": ""}, "conversation"),
        ({"id": "x"}, "id"),
        ({"id": 1}, "id"),
    ],
)
def test_a_bad_consultation_is_named(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    write(tmp_path, FILES[CONSULTATION], [CONSULTATION_ROW, CONSULTATION_ROW | {"id": 2} | change])
    with pytest.raises(DataError, match=rf"row 1, field '{field}'"):
        read_released(tmp_path, CONSULTATION)


@pytest.mark.parametrize(
    ("criterion", "words"),
    [
        ({"points": "many"}, "points are not a number"),
        ({"points": "0"}, "points are not a number above 0"),
        ({"points": "inf"}, "points are not a number"),
        ({"tags": "其他"}, "the tag is none of"),
        ({"tags": TAGS[1]}, "not the four sections"),
    ],
)
def test_a_bad_criterion_is_named(tmp_path: Path, criterion: dict[str, Any], words: str) -> None:
    rubrics = [CASE_ROW["rubrics"][0] | criterion, *CASE_ROW["rubrics"][1:]]
    write(tmp_path, FILES[CASE], [CASE_ROW, CASE_ROW | {"rubrics": rubrics}])
    with pytest.raises(DataError, match=f"row 1.*{words}"):
        read_released(tmp_path, CASE)


@pytest.mark.parametrize("text", ["", "[", "[]", "{}", "[1]", '{"id": 1', "\xff", "[" * 100_000])
def test_what_is_no_row_is_an_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    (tmp_path / FILES[CONSULTATION]).write_bytes(text.encode("latin-1"))
    with pytest.raises(DataError, match=FILES[CONSULTATION]):
        read_released(tmp_path, CONSULTATION)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=FILES[CASE]):
        read_released(tmp_path, CASE)


def test_a_score_of_nothing_is_refused(tmp_path: Path) -> None:
    write(tmp_path, FILES[PLAINTIFF], [DOCUMENT_ROW | {"score": 0}])
    with pytest.raises(DataError, match="row 0, field 'score'"):
        read_released(tmp_path, PLAINTIFF)


# --- prompts ---


def prompts(task: str, **options: str) -> list[str]:
    found = []
    for sample in load(task, ROOT, "all", options):
        (message,) = SUITE.tasks[task].prompt(sample, "all")
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
