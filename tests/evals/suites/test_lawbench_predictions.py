"""Saved predictions: three layouts, what is taken from the data, errors that name file and id."""

from __future__ import annotations

import gzip
import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.saved import ceiling, rows, sample_data, samples, write_json, write_model

from hengfa.base.errors import DataError, HengfaError, UsageError
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.runs.look import list_runs
from hengfa.evals.runs.predictions import score_files
from hengfa.evals.suites.base import PredictionContext, Rules, SavedRun
from hengfa.evals.suites.lawbench.dataset import TASK_IDS, LawBenchSample
from hengfa.evals.suites.lawbench.suite import SUITE
from hengfa.evals.suites.predictions import read_predictions

ROW = {"origin_prompt": "问", "prediction": "[正确答案]B<eoa>", "refr": "正确答案：B。"}
ALONE = PredictionContext("zero_shot")
"""Without data: all that is known is in the predictions."""
WITH_DATA = PredictionContext("zero_shot", sample_data())
OPENCOMPASS = "20250101_120000/predictions/qwen/lawbench-{}-shot{}.json"


def only(path: Path, context: PredictionContext = ALONE) -> SavedRun:
    (saved,) = read_predictions(SUITE, path, context)
    return saved


def texts(saved: SavedRun, task: str) -> list[str]:
    return [response.text for _, response, *_ in saved.attempts(task)]


def said(action: Callable[[], object], kind: type[HengfaError] = DataError) -> str:
    with pytest.raises(kind) as error:
        action()
    return str(error.value)


def numbered(first: int, last: int, **fields: object) -> dict[str, dict[str, object]]:
    """Rows that are keyed from "0" on and predict the numbers from first to last."""
    wanted = range(first, last + 1)
    return {str(key): {**ROW, "prediction": str(n), **fields} for key, n in enumerate(wanted)}


# LawBench's own layout


def test_setting_and_model_come_from_the_folders(tmp_path: Path) -> None:
    write_json(tmp_path / "one_shot/甲/1-2.json", {"0": ROW})
    write_json(tmp_path / "zero_shot/乙/1-2.json", {"0": ROW, "1": ROW})
    write_json(tmp_path / "zero_shot/乙/notes.json", {"0": ROW})
    found = read_predictions(SUITE, tmp_path, ALONE)
    assert [(one.setting, one.model, list(one.tasks())) for one in found] == [
        ("one_shot", "甲", ["1-2"]),
        ("zero_shot", "乙", ["1-2"]),
    ]
    assert len(found[1].attempts("1-2")) == 2


@pytest.mark.parametrize("place", ["zero_shot/m", "zero_shot/m/2-10.json", "zero_shot", "."])
def test_any_part_of_the_layout_may_be_named(tmp_path: Path, place: str) -> None:
    for task in ("2-10", "2-2", "1-2"):
        write_json(tmp_path / "zero_shot/m" / f"{task}.json", {"0": {**ROW, "refr": "甲乙丙丁"}})
    saved = only(tmp_path / place)
    assert (saved.setting, saved.model) == ("zero_shot", "m")
    assert list(saved.tasks()) == (["2-10"] if "2-10" in place else ["1-2", "2-2", "2-10"])


def test_a_folder_outside_the_layout_has_the_setting_that_was_asked_for(tmp_path: Path) -> None:
    write_json(tmp_path / "mine/1-2.json", {"0": ROW})
    assert only(tmp_path, PredictionContext("one_shot")).setting == "one_shot"


def test_folders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for day in ("monday", "tuesday"):
        write_json(tmp_path / day / "m/1-2.json", {"0": ROW})
    write_json(tmp_path / "tuesday/n/1-2.json", {"0": ROW})
    names = [one.model for one in read_predictions(SUITE, tmp_path, ALONE)]
    assert names == ["monday/m", "tuesday/m", "n"]


@pytest.mark.skipif(os.name != "posix", reason="file names are text here")
def test_a_name_in_another_encoding_becomes_text(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/zero_shot/" + "文心".encode("gbk")))
    write_json(folder / "1-2.json", {"0": ROW})
    (outcome,) = score_files(SUITE, [tmp_path], [Rules.OFFICIAL], out=tmp_path / "out")
    assert outcome.model.encode()
    assert [one.name for one in list_runs(tmp_path / "out")] == [
        f"lawbench-zero_shot-{outcome.model}"
    ]


def test_ids_are_read_in_numeric_order_not_in_file_order(tmp_path: Path) -> None:
    content = dict(reversed(numbered(0, 11).items()))
    write_json(tmp_path / "m/1-2.json", content)
    pairs = only(tmp_path).attempts("1-2")
    assert [response.text for _, response, *_ in pairs] == [str(i) for i in range(12)]
    assert [sample.id for sample, *_ in pairs] == [str(i) for i in range(12)]
    assert {response.status for _, response, *_ in pairs} == {Status.ANSWERED}


def test_a_run_travels_to_another_process(tmp_path: Path) -> None:
    write_model(tmp_path, "m", ceiling, ["1-2"])
    lines = write_json(tmp_path / "a.jsonl", '{"task": "1-2", "id": 0, "prediction": "C"}')
    for saved in (
        only(tmp_path / "zero_shot", WITH_DATA),
        only(lines, PredictionContext("zero_shot", sample_data(), partial=True)),
    ):
        again = pickle.loads(pickle.dumps(saved))
        assert again.attempts("1-2") == saved.attempts("1-2")
        assert again.tasks() == saved.tasks()


BAD_FILES: dict[str, tuple[object, str]] = {
    "truncated": ('{"0": {"prediction": "甲', "not readable as JSON"),
    "not JSON": ("prediction: B", "not readable as JSON"),
    "no text at all": ("", "not readable as JSON"),
    "too deep": ("[" * 100_000, "not readable as JSON"),
    "endless number": ('{"0": ' + "9" * 5000 + "}", "not readable as JSON"),
    "nothing": ({}, "expected an array of rows, or an object"),
    "a number": ("7", "expected an array of rows, or an object"),
    "a hole": ({"0": ROW, "2": ROW}, "row 1: no entry with this id among 2"),
    "begins with 1": ({"1": ROW, "2": ROW}, "row 0: no entry"),
    "no number": ({"zero": ROW}, "row 0: no entry"),
    "twice": (
        '{"0": {"prediction": "A", "refr": "正确答案：A。"}, "1": {}, "0": {}}',
        "the key '0' is there twice",
    ),
    "field twice": ('{"0": {"prediction": "A", "prediction": "B"}}', "'prediction' is there twice"),
    "a row that is no object": ({"0": ROW, "1": "B"}, "row 1: Expected `object`"),
    "prediction is null": ({"0": {**ROW, "prediction": None}}, "row 0, field 'prediction'"),
    "prediction is a list": ({"0": {**ROW, "prediction": ["B"]}}, "row 0, field 'prediction'"),
    "no prediction": ({"0": {"refr": "正确答案：B。"}}, "row 0, field 'prediction'"),
    "no gold": ({"0": {"prediction": ""}}, "row 0, field 'refr': no gold answer"),
    "gold is a list": ({"0": {"prediction": "", "gold": ["B"]}}, "row 0, field 'gold'"),
    "gold without a letter": ({"0": {**ROW, "refr": "B"}}, "row 0, field 'refr': 'B' is no gold"),
}


@pytest.mark.parametrize(("content", "named"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_is_named_with_the_id(tmp_path: Path, content: object, named: str) -> None:
    file = write_json(tmp_path / "m/1-2.json", content)
    message = said(lambda: only(tmp_path).attempts("1-2"))
    assert message.startswith(str(file))
    assert named in message


@pytest.mark.parametrize(
    ("task", "gold"),
    [
        ("3-4", "abc"),
        ("3-5", "刑期:很久"),
        ("3-7", "上文涉及到的犯罪金额:多元。"),
        ("3-1", "法条:刑法第甲条"),
    ],
)
def test_a_gold_that_cannot_be_read_is_an_error_of_the_file(
    tmp_path: Path, task: str, gold: str
) -> None:
    content = rows(task, ceiling)
    content["3"]["refr"] = gold
    file = write_json(tmp_path / f"m/{task}.json", content)
    message = said(lambda: only(tmp_path).attempts(task))
    assert f"{file}, row 3, field 'refr': {gold!r} is no gold answer of task {task}" in message


def test_what_python_writes_is_read(tmp_path: Path) -> None:
    content = {"0": {**ROW, "prediction": "甲\ud800乙"}, "1": {**ROW, "prediction": "\ufeff丙"}}
    file = write_json(tmp_path / "m/1-2.json", content)
    assert texts(only(tmp_path), "1-2") == ["甲\ud800乙", "\ufeff丙"]
    file.write_text(json.dumps(content), "utf-8-sig")
    assert texts(only(tmp_path), "1-2")[0] == "甲\ud800乙"
    lines = write_json(
        tmp_path / "a.jsonl", json.dumps({"task": "1-2", "id": 0, "prediction": "甲\ud800"})
    )
    saved = only(lines, PredictionContext("zero_shot", sample_data(), partial=True))
    assert texts(saved, "1-2") == ["甲\ud800"]


def test_half_a_character_is_scored_like_any_other(tmp_path: Path) -> None:
    for task in TASK_IDS:
        content = rows(task, ceiling)
        content["0"]["prediction"] += "\ud800"
        write_json(tmp_path / f"zero_shot/m/{task}.json", content)
    out = tmp_path / "out"
    official, corrected = score_files(SUITE, [tmp_path], list(Rules), data="sample", out=out)
    assert len(official.tasks) == len(corrected.tasks) == 20
    assert min(one.score or 0 for one in official.tasks.values()) > 0.5


@pytest.mark.parametrize("name", ["zero_shot/m/9-9.json", OPENCOMPASS.format("4-1-x-0", "")])
def test_a_task_that_lawbench_does_not_have_is_an_error(tmp_path: Path, name: str) -> None:
    write_json(tmp_path / "zero_shot/m/1-2.json", {"0": ROW})
    file = write_json(tmp_path / name, {"0": ROW})
    assert f"{file}: LawBench has no task '" in said(
        lambda: read_predictions(SUITE, tmp_path, ALONE)
    )


def test_a_folder_without_predictions_says_what_it_should_look_like(tmp_path: Path) -> None:
    message = said(lambda: read_predictions(SUITE, tmp_path, ALONE), UsageError)
    assert "<setting>/<model>/<task>" in message
    assert "OpenCompass" in message
    gone = tmp_path / "gone"
    assert f"nothing at {gone}" in said(lambda: read_predictions(SUITE, gone, ALONE), UsageError)


# What is taken from the data


def test_a_sample_of_equal_gold_is_the_datas_and_keeps_what_was_sent(tmp_path: Path) -> None:
    content = rows("1-2", ceiling)
    content["0"]["origin_prompt"] = [
        {"role": "HUMAN", "prompt": "<s>问</s>"},
        {"role": "BOT", "prompt": ""},
    ]
    content["1"]["refr"] = "正确答案：D。" if "D" not in content["1"]["refr"] else "正确答案：A。"
    del content["2"]["origin_prompt"]
    write_json(tmp_path / "zero_shot/m/1-2.json", content)
    known = samples("1-2")
    got = [sample for sample, *_ in only(tmp_path, WITH_DATA).attempts("1-2")]
    assert isinstance(got[0], LawBenchSample)
    assert got[0] == LawBenchSample(
        "0", known[0].instruction, known[0].question, known[0].answer, "<s>问</s>"
    )
    other = content["1"]
    assert got[1] == LawBenchSample("1", "", "", other["refr"], other["origin_prompt"])
    assert got[2] == known[2]  # nothing is known of what was sent
    alone = [sample for sample, *_ in only(tmp_path).attempts("1-2")]
    assert alone[0] == LawBenchSample("0", "", "", known[0].answer, "<s>问</s>")


def test_the_older_questions_of_2_2_are_scored_by_their_own_gold(tmp_path: Path) -> None:
    content = rows("2-2", ceiling)
    content["0"] |= {"refr": "争议焦点类别：赔偿。", "prediction": "[争议焦点]赔偿<eoa>"}
    content["1"] |= {"refr": "争议焦点类别：赔偿。", "prediction": "没有"}
    write_json(tmp_path / "zero_shot/m/2-2.json", content)
    official, corrected = score_files(SUITE, [tmp_path], list(Rules), data="sample")
    n = len(content)
    left_out = 2 + sum("赔偿。" in row["refr"] for row in list(content.values())[2:])
    for outcome in (official, corrected):
        figure = outcome.tasks["2-2"]
        assert (figure.score, figure.n, figure.abstention) == (1.0, n - left_out, 0.0)
        assert sum(figure.statuses.values()) == n


def test_proofreading_finds_its_sentence_in_the_prompt_or_in_the_data(tmp_path: Path) -> None:
    content = rows("2-1", ceiling)
    for row in content.values():
        del row["origin_prompt"]
    file = write_json(tmp_path / "zero_shot/m/2-1.json", content)
    (official,) = score_files(SUITE, [tmp_path], [Rules.OFFICIAL], data="sample")
    assert official.tasks["2-1"].score == 1.0
    message = said(lambda: only(tmp_path).attempts("2-1"))
    assert f"{file}, row 0, field 'origin_prompt'" in message


# OpenCompass


def test_opencompass_parts_are_put_together_in_order(tmp_path: Path) -> None:
    name = "2-8-argument_mining-0"
    gold = {"refr": "[正确答案]B<eoa>"}
    bounds = [(n * 3, n * 3 + 2) for n in range(11)]
    for part, (first, last) in reversed(list(enumerate(bounds))):
        file = tmp_path / OPENCOMPASS.format(name, f"_{part}")
        write_json(file, numbered(first, last, **gold))
    pairs = only(tmp_path).attempts("2-8")
    assert [response.text for _, response, *_ in pairs] == [str(n) for n in range(33)]
    assert [sample.id for sample, *_ in pairs] == [str(n) for n in range(33)]


def test_a_row_of_a_part_is_named_by_its_key_in_the_file(tmp_path: Path) -> None:
    for part, content in enumerate([numbered(0, 2), {"0": ROW, "1": {**ROW, "prediction": 1}}]):
        write_json(tmp_path / OPENCOMPASS.format("1-2-x-0", f"_{part}"), content)
    message = said(lambda: only(tmp_path).attempts("1-2"))
    assert "lawbench-1-2-x-0-shot_1.json, row 1, field 'prediction'" in message


@pytest.mark.parametrize("endings", [["_0", "_2"], ["_1"], ["", "_0"], ["", "_1"]])
def test_parts_with_a_gap_and_tasks_that_are_there_twice_are_refused(
    tmp_path: Path, endings: list[str]
) -> None:
    for ending in endings:
        write_json(tmp_path / OPENCOMPASS.format("1-2-x-0", ending), {"0": ROW})
    message = said(lambda: read_predictions(SUITE, tmp_path, ALONE))
    for ending in endings:
        assert f"lawbench-1-2-x-0-shot{ending}.json" in message


def test_both_settings_may_lie_in_one_folder_and_results_are_no_predictions(
    tmp_path: Path,
) -> None:
    for shots in (0, 1):
        write_json(tmp_path / OPENCOMPASS.format(f"1-2-x-{shots}", ""), numbered(shots, shots + 1))
    place = tmp_path / "20250101_120000"
    for model in ("qwen", "Qwen/Qwen3-8B"):
        name = "lawbench-1-2-x-0-shot.json"
        write_json(place / "results" / model / name, {"accuracy": 34.0, "details": {}})
    write_json(place / "predictions/qwen/tmp_lawbench-1-1-x-0-shot.json", {"0": ROW})
    found = read_predictions(SUITE, tmp_path, ALONE)
    assert [(one.setting, one.model, texts(one, "1-2")) for one in found] == [
        ("zero_shot", "qwen", ["0", "1"]),
        ("one_shot", "qwen", ["1", "2"]),
    ]


def test_a_folder_of_results_above_does_not_hide_predictions(tmp_path: Path) -> None:
    write_json(tmp_path / "results" / OPENCOMPASS.format("1-2-x-0", ""), {"0": ROW})
    assert only(tmp_path).model == "qwen"


def test_two_days_of_one_model_are_two_runs(tmp_path: Path) -> None:
    for day in ("20250101_120000", "20250102_120000"):
        file = f"{day}/predictions/qwen/lawbench-1-2-x-0-shot.json"
        write_json(tmp_path / file, {"0": {**ROW, "prediction": day}})
    found = read_predictions(SUITE, tmp_path, ALONE)
    assert {one.model: texts(one, "1-2") for one in found} == {
        "20250101_120000/predictions/qwen": ["20250101_120000"],
        "20250102_120000/predictions/qwen": ["20250102_120000"],
    }
    outcomes = score_files(SUITE, [tmp_path], [Rules.OFFICIAL], out=tmp_path / "out")
    assert len(outcomes) == len(list((tmp_path / "out").iterdir())) == 2


@pytest.mark.parametrize("field", ["gold", "refr", None])
def test_gold_is_in_the_file_or_in_the_data(tmp_path: Path, field: str | None) -> None:
    content: dict[str, dict[str, Any]] = rows("1-2", ceiling)
    for row in content.values():
        gold = row.pop("refr")
        if field is not None:
            row[field] = gold
    half = len(content) // 2
    parts = [list(content.values())[:half], list(content.values())[half:]]
    for part, some in enumerate(parts):
        file = tmp_path / OPENCOMPASS.format("1-2-x-0", f"_{part}")
        write_json(file, {str(key): row for key, row in enumerate(some)})
    got = [sample for sample, *_ in only(tmp_path, WITH_DATA).attempts("1-2")]
    assert [(one.id, one.answer, one.question) for one in got if isinstance(one, LawBenchSample)] \
        == [(one.id, one.answer, one.question) for one in samples("1-2")]  # fmt: skip
    if field is None:
        assert "no gold answer" in said(lambda: only(tmp_path).attempts("1-2"))
    else:
        assert len(only(tmp_path).attempts("1-2")) == len(content)


def test_more_rows_than_the_data_has_need_their_own_gold(tmp_path: Path) -> None:
    content = numbered(0, len(samples("1-2")))
    for row in content.values():
        del row["refr"]
    write_json(tmp_path / OPENCOMPASS.format("1-2-x-0", ""), content)
    message = said(lambda: only(tmp_path, WITH_DATA).attempts("1-2"))
    assert f"row {len(samples('1-2'))}, field 'refr': no gold answer" in message


# JSON lines


def lines_of(task: str, ids: list[int | str]) -> str:
    return "".join(json.dumps({"task": task, "id": i, "prediction": "C"}) + "\n" for i in ids)


@pytest.mark.parametrize("packed", [False, True])
def test_json_lines_take_their_gold_from_the_data(tmp_path: Path, packed: bool) -> None:
    text = (lines_of("1-2", [2, "0"]) + "\n" + lines_of("1-2", [1])).encode()
    file = tmp_path / ("gpt-4.1.jsonl.gz" if packed else "gpt-4.1.jsonl")
    file.write_bytes(gzip.compress(text) if packed else text)
    (outcome,) = score_files(SUITE, [file], [Rules.OFFICIAL], data="sample", partial=True)
    assert (outcome.model, outcome.setting) == ("gpt-4.1", "zero_shot")
    gold = [one.answer for one in samples("1-2")[:3]]
    expected = sum(answer == "正确答案：C。" for answer in gold) / 3
    assert (outcome.tasks["1-2"].score, outcome.tasks["1-2"].n) == (expected, 3)
    saved = only(file, PredictionContext("one_shot", sample_data(), partial=True))
    assert saved.setting == "one_shot"
    assert [sample for sample, *_ in saved.attempts("1-2")] == samples("1-2", "one_shot")[:3]


def test_tasks_of_json_lines_come_in_their_order(tmp_path: Path) -> None:
    text = "".join(lines_of(task, [0]) for task in ("2-10", "1-1", "2-9"))
    file = write_json(tmp_path / "a.jsonl", text)
    assert list(only(file, WITH_DATA).tasks()) == ["1-1", "2-9", "2-10"]


def test_missing_samples_are_said_unless_a_part_is_wanted(tmp_path: Path) -> None:
    n = len(samples("1-2"))
    file = write_json(
        tmp_path / "a.jsonl", lines_of("1-2", [i for i in range(n) if i not in (4, 7)])
    )
    message = said(lambda: only(file, WITH_DATA).attempts("1-2"))
    assert f"{file}, row 1-2/4: no prediction for 2 of {n} samples" in message
    assert "--partial" in message
    some = PredictionContext("zero_shot", sample_data(), partial=True)
    assert len(only(file, some).attempts("1-2")) == n - 2
    write_json(file, lines_of("1-2", list(range(n))))  # the same place, another content
    assert len(only(file, WITH_DATA).attempts("1-2")) == n


BAD_LINES = {
    "unknown id": (lines_of("1-2", [0, 99]), "row 2, field 'id': task 1-2 has no sample '99'"),
    "unknown task": (lines_of("1-2", [0]) + lines_of("9-9", [0]), "row 2, field 'task': lawbench"),
    "a task like no other": (lines_of("甲", [0]), "row 1, field 'task': lawbench has no task '甲'"),
    "no prediction": ('{"task": "1-2", "id": 0}', "row 1, field 'prediction': Object missing"),
    "prediction is null": ('{"task": "1-2", "id": 0, "prediction": null}', "row 1"),
    "id is a list": ('{"task": "1-2", "id": [], "prediction": ""}', "row 1"),
    "no JSON": ("nonsense", "row 1"),
    "cut off": (lines_of("1-2", [0])[:-9], "row 1"),
    "an array": (json.dumps([{"task": "1-2", "id": 0, "prediction": ""}]), "row 1"),
    "twice": (lines_of("1-2", [0, 1, "0"]), "row 3: task 1-2 has id 0 twice"),
    "empty": ("", "there is nothing in this file"),
    "blank": (" \n\n", "there is nothing in this file"),
    "too deep": ("[" * 100_000, "row 1"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "named"), BAD_LINES.values(), ids=BAD_LINES)
@pytest.mark.parametrize("partial", [False, True])
def test_bad_lines_are_named(tmp_path: Path, content: str, named: str, partial: bool) -> None:
    file = write_json(tmp_path / "answers.jsonl", content)
    message = said(
        lambda: score_files(SUITE, [file], [Rules.OFFICIAL], data="sample", partial=partial)
    )
    assert message.startswith(str(file))
    assert named in message


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(lines_of("1-2", [0]).encode() * 1000)[:-12],
        gzip.compress(lines_of("1-2", [0]).encode())[:-8] + bytes(8),
        b"not gzip",
        gzip.compress(b'{"task": "\xff"}'),
        b"",
    ],
    ids=["cut off", "other sum", "no archive", "not UTF-8", "nothing"],
)
def test_a_damaged_archive_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "m.jsonl.gz"
    file.write_bytes(content)
    run = lambda: score_files(SUITE, [file], [Rules.OFFICIAL], data="sample")  # noqa: E731
    assert said(run).startswith(str(file))


def test_json_lines_without_data_say_how_to_get_it(tmp_path: Path) -> None:
    file = write_json(tmp_path / "a.jsonl", lines_of("1-2", [0]))
    message = said(lambda: only(file).attempts("1-2"), UsageError)
    assert f"{file}: the references are in the data" in message
    assert "not installed: run `hengfa data pull lawbench`" in message
    empty = PredictionContext("zero_shot", tmp_path)
    assert str(tmp_path / "data") in said(lambda: only(file, empty).attempts("1-2"))


# Anything at all

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
field = st.sampled_from(["prediction", "refr", "gold", "origin_prompt", "task", "id"])
row = st.dictionaries(field, anything | st.sampled_from(list(ROW.values())) | st.integers(0, 3))
content = anything | st.dictionaries(st.sampled_from("0123"), row | anything) | row | st.lists(row)


@pytest.mark.parametrize("context", [ALONE, WITH_DATA], ids=["alone", "with data"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(value=content, task=st.sampled_from(TASK_IDS), as_lines=st.booleans())
@example(value={"0": {"prediction": "B", "refr": "正确答案：B。"}}, task="1-2", as_lines=False)
@example(value={"0": {"prediction": "", "refr": ""}}, task="2-1", as_lines=False)
@example(value={"0": {"prediction": "", "refr": "刑期:-5个月"}}, task="3-4", as_lines=False)
@example(value={"task": "1-2", "id": 0, "prediction": "\ud800"}, task="1-2", as_lines=True)
def test_any_content_gives_pairs_or_an_error_that_names_the_file(
    tmp_path: Path, context: PredictionContext, value: object, task: str, as_lines: bool
) -> None:
    name = "a.jsonl" if as_lines else f"m/{task}.json"
    file = write_json(tmp_path / name, json.dumps(value))
    try:
        saved = only(file, context)
        for found in saved.tasks():
            for sample, response, *_ in saved.attempts(found):
                assert isinstance(sample, LawBenchSample)
                assert isinstance(response, Response)
                for rules in Rules:
                    rule_set = SUITE.tasks[found].rule_set(rules, context.data)
                    rule_set.score(sample, rule_set.read(response.text))
    except HengfaError as error:
        assert str(file) in str(error)
