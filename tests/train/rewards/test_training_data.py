"""Data to train on: what is in it, what is held out, what is refused, and what is found in it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from tests.cli.test_cli import hengfa

from hengfa.base.errors import DataError, UsageError
from hengfa.evals.suites.claw.dataset import is_held_out
from hengfa.evals.suites.claw.suite import CONTENT, SUITE
from hengfa.evals.suites.plan import find_data, make_plan
from hengfa.train.rewards import data as training_data
from hengfa.train.rewards import rewarder
from hengfa.train.rewards.data import KINDS, Row, Turn, Wanted, digest_of, make_export, read_export
from hengfa.train.rewards.overlap import check_suites
from hengfa.train.rewards.statutes import CITATION_REPAIR, divided, wrong_citations

OF_LAW = {"recitation", "location", "twins", "citation_repair", "minimal_pairs"}
SHARE = 0.3


def wanted(name: str, seed: int = 1, rows: int = 40, **more: Any) -> Wanted:
    if name == "minimal_pairs":
        more["by"] = "article"  # our own laws are few
    data = "sample" if name in OF_LAW or "/" in name else None
    return Wanted(seed, rows, SHARE, data=data, **more)


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every kind, once; a small world is soon made."""
    folder = tmp_path_factory.mktemp("exports")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HENGFA_HOME", str(folder / "home"))
        patch.setattr(training_data, "WORLD_ROWS", 1000)
        for name in KINDS:
            make_export(name, folder / name, wanted(name))
    return folder


@pytest.mark.parametrize("name", KINDS)
def test_rows_carry_all_that_their_reward_needs(name: str, exports: Path) -> None:
    export = read_export(exports / name)
    assert not export.changed
    assert export.manifest.rows == {
        split: sum(row.split == split for row in export.rows) for split in ("train", "held_out")
    }
    assert all(export.manifest.rows.values())
    assert len({row.id for row in export.rows}) == len(export.rows) <= 40
    for row in export.rows[:5]:
        judge = rewarder(row.reward, "skill")
        assert row.prompt[-1].role == "user"
        assert judge(row.answer_key, "月湖没有这样的法律。").value is not None
        assert judge(row.answer_key, "").value is None


def test_columns_are_those_that_trainers_read(exports: Path) -> None:
    frame = pl.read_parquet(exports / "location" / "train.parquet")
    assert frame.columns == ["id", "prompt", "answer_key", "reward", "split"]
    assert frame["reward"].unique().to_list() == ["claw/id"]
    assert frame["split"].unique().to_list() == ["train"]
    assert json.loads(frame["answer_key"][0])["sample"]["law"]
    assert frame["prompt"][0].to_list()[0]["role"] == "user"


@pytest.mark.parametrize("name", ["recitation", "sentencing", "world"])
def test_the_same_seed_gives_the_same_bytes(
    name: str, exports: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HENGFA_HOME", str(exports / "home"))
    monkeypatch.setattr(training_data, "WORLD_ROWS", 1000)
    make_export(name, tmp_path / "again", wanted(name))
    before, after = (
        {file.name: file.read_bytes() for file in folder.iterdir()}
        for folder in (exports / name, tmp_path / "again")
    )
    assert before == after
    other = make_export(name, tmp_path / "other", wanted(name, seed=2))
    assert other.digest != read_export(exports / name).manifest.digest


def test_more_rows_and_other_seeds_move_nothing_into_another_split(
    exports: Path, tmp_path: Path
) -> None:
    few = {row.prompt: row.split for row in read_export(exports / "sentencing").rows}
    make_export("sentencing", tmp_path / "more", wanted("sentencing", rows=400))
    more = {row.prompt: row.split for row in read_export(tmp_path / "more").rows}
    assert few.items() <= more.items()


def samples() -> list[Any]:
    root = find_data(SUITE, "sample")[0].root
    return CONTENT.samples(root, "all", SUITE.choose({}))


def test_laws_are_held_out_as_claw_training_does_it(exports: Path) -> None:
    for name in ("recitation", "location", "twins"):
        for row in read_export(exports / name).rows:
            law = json.loads(row.answer_key)["sample"]["law"]
            assert is_held_out(law, SHARE) == (row.split == "held_out")


def test_what_gives_a_held_out_provision_away_is_left_out() -> None:
    """A law that goes on under another name has the words of the old one, or nearly so."""
    every = samples()
    parts = divided(every, every, SHARE, "law")
    assert parts.left_out > 0
    assert len(parts.train) + len(parts.held_out) + parts.left_out == len(every)
    held = {sample.text for sample in parts.held_out}
    assert not held & {sample.text for sample in parts.train}


def test_articles_are_held_out_with_all_their_paragraphs_and_versions() -> None:
    parts = divided(samples(), samples(), SHARE, "article")
    held, train = (
        {(sample.law, sample.position[:2]) for sample in side}
        for side in (parts.held_out, parts.train)
    )
    assert held
    assert train
    assert not held & train


def test_a_repaired_citation_is_right_and_the_one_in_the_sentence_wrong() -> None:
    made = wrong_citations(samples(), 1)
    assert len(made) > 50
    judge = CITATION_REPAIR.rule_set("corrected")  # type: ignore[arg-type]
    for sample in made:
        cited = sample.question.split("公布的")[1].split("》")[0] + "》"
        place = sample.question.split(cited)[1]
        wrong = cited + place[: max(place.find(level) for level in "条款项") + 1]
        for answer, value in ((sample.answer, 1.0), (wrong, 0.0)):
            told = judge.read(f"答案：{answer}")
            assert judge.score(sample, told).metrics["accuracy"] == value, answer


@pytest.mark.parametrize("name", ["lawbench/3-6", "claw/content", "lawbench", "judgment"])
def test_a_test_set_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is a test|name one task"):
        make_export(name, tmp_path / "out", Wanted(data="sample"))
    assert not (tmp_path / "out").exists()


def test_a_test_set_is_written_where_that_is_asked_for_and_says_so(tmp_path: Path) -> None:
    made = make_export("lawbench/3-6", tmp_path / "out", wanted("lawbench/3-6"), contaminate=True)
    assert made.contaminates == ("lawbench/3-6",)
    assert json.loads((tmp_path / "out" / "manifest.json").read_bytes())["contaminates"]
    with pytest.raises(UsageError, match="is none"):
        make_export("numerals", tmp_path / "other", Wanted(), contaminate=True)


@pytest.mark.parametrize(
    ("name", "given", "option"),
    [
        ("numerals", {"by": "article"}, "--by"),
        ("numerals", {"data": "sample"}, "--data"),
        ("recitation", {"world": Path("w")}, "--world"),
        ("world", {"options": {"scope": "all"}}, "--set"),
        ("recitation", {"options": {"held_out": "0.2"}}, "--hold-out"),
    ],
)
def test_an_option_that_means_nothing_is_refused(
    name: str, given: dict[str, Any], option: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=option):
        make_export(name, tmp_path / "out", Wanted(**given))


# --- overlap ---


def planted(folder: Path, source: Path, *rows: Row) -> Path:
    """An export with rows put into its split to train on."""
    shutil.copytree(source, folder)
    frame = pl.read_parquet(folder / "train.parquet")
    more = pl.DataFrame([msgspec.to_builtins(row) for row in rows], schema=frame.schema)
    pl.concat([frame, more]).write_parquet(folder / "train.parquet")
    return folder


def row_of(text: str, key: str = "{}", split: Any = "train") -> Row:
    return Row("planted", (Turn("user", text),), key, "numerals", split)


def question(target: str, number: int = 0) -> tuple[str, str, str]:
    """A sample's id, prompt and reference."""
    asked = make_plan(target, data="sample").questions[0]
    sample = asked.samples[number]
    prompt = "\n".join(turn.content for turn in asked.task.prompt(sample, asked.setting))
    return sample.id, prompt, asked.task.baselines.reference(sample)


def test_what_is_made_overlaps_with_no_suite_but_the_law_itself(exports: Path) -> None:
    for name in ("sentencing", "numerals", "world"):
        assert check_suites(read_export(exports / name).rows, data="sample").overlaps == []
    for name in OF_LAW:
        rows = read_export(exports / name).rows
        seen = check_suites(rows, data="sample").seen()
        assert {"claw"} <= {task.partition("/")[0] for task in seen} <= {"claw", "tellings"}
        if name == "minimal_pairs":  # of other laws than the suite asks about
            assert not check_suites(rows, ["tellings"], data="sample").overlaps
            continue
        held = check_suites(rows, ["claw"], data="sample", options={"held_out": str(SHARE)})
        assert (name, held.overlaps) == (name, [])
        assert all(held.questions.values())


@pytest.mark.parametrize("target", ["lawbench/3-6", "lawbench/2-2", "plawbench/case", "judgment"])
def test_a_planted_question_is_found_by_name(target: str, exports: Path, tmp_path: Path) -> None:
    id_, prompt, _ = question(target)
    folder = planted(tmp_path / "x", exports / "numerals", row_of(f"  {prompt}！ "))
    export = read_export(folder)
    assert export.changed
    found = check_suites(export.rows, data="sample").overlaps
    assert ("planted", id_, "prompt", "same") in {
        (each.row, each.sample, each.part, each.closeness) for each in found
    }
    assert {each.row for each in found} == {"planted"}


def test_a_question_that_was_trimmed_and_an_answer_in_a_key_are_found(exports: Path) -> None:
    id_, prompt, _ = question("lawbench/3-6", 2)
    answer_id, _, answer = question("lawbench/3-8", 1)
    rows = [
        row_of("请看：" + prompt[len(prompt) // 5 :]),
        row_of("别的问题", json.dumps({"sample": {"gold": [answer]}})),
    ]
    found = check_suites(rows, ["lawbench"], data="sample").overlaps
    assert {(each.task, each.sample, each.part) for each in found} >= {
        ("lawbench/3-6", id_, "prompt"),
        ("lawbench/3-8", answer_id, "answer"),
    }
    held = [msgspec.structs.replace(row, split="held_out") for row in rows]
    assert check_suites(held, ["lawbench"], data="sample").overlaps == []


def test_the_command_names_what_it_finds_and_fails(exports: Path, tmp_path: Path) -> None:
    id_, prompt, _ = question("lawbench/3-6")
    planted(tmp_path / "x", exports / "numerals", row_of(prompt))
    done = hengfa("train", "check", "x", "--data", "sample", cwd=tmp_path)
    assert done.returncode == 1
    assert f"prompt of 3-6/{id_}  in row planted" in done.stdout
    assert "the rows are others" in done.stderr
    told = hengfa("train", "check", "x", "lawbench", "--data", "sample", "--json", cwd=tmp_path)
    document = json.loads(told.stdout)
    assert (told.returncode, document["seen"]) == (1, {"lawbench/3-6": 1})
    assert document["overlaps"][0]["row"] == "planted"
    clean = str(exports / "numerals")
    assert hengfa("train", "check", clean, "--data", "sample", cwd=tmp_path).returncode == 0
    assert hengfa("train", "check", clean, cwd=tmp_path).returncode == 2


def test_the_command_writes_what_it_says(tmp_path: Path) -> None:
    words = "train data citation_repair --data sample --rows 30 --seed 5 -o out --json"
    done = hengfa(*words.split(), cwd=tmp_path)
    document = json.loads(done.stdout)
    export = read_export(tmp_path / "out")
    assert (done.returncode, document["digest"]) == (0, digest_of(export.rows))
    assert document["source"]["library"]
    refused = hengfa("train", "data", "lawbench/3-6", "--data", "sample", "-o", "no", cwd=tmp_path)
    assert (refused.returncode, "--contaminate" in refused.stderr) == (2, True)


def test_a_broken_export_is_told_by_file_and_row(exports: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no training data"):
        read_export(tmp_path)
    broken = Path(shutil.copytree(exports / "numerals", tmp_path / "x"))
    frame = pl.read_parquet(broken / "train.parquet")
    frame.with_columns(split=pl.lit("test")).write_parquet(broken / "train.parquet")
    with pytest.raises(DataError, match=r"train\.parquet.*row 1.*split"):
        read_export(broken)
    (broken / "train.parquet").write_bytes(b"no")
    with pytest.raises(DataError, match="not readable as Parquet"):
        read_export(broken)
