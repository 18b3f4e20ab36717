"""No command removes or replaces what is not ours, whatever it is told to write to."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.cli.test_cli import Done, hengfa
from tests.cli.test_grade_people import tables
from tests.evals.grading.scored_by_people import submissions
from tests.evals.report.made import Made, make_run
from tests.law.grammar.judgment_texts import judgment
from tests.law.retrieval.fictional import ARTICLES, QRELS, QUERIES
from tests.world import tiny_world

from hengfa.base.commands import leaves, path_of
from hengfa.base.data.jsonfile import write_lines
from hengfa.base.data.output import MANIFEST
from hengfa.base.data.packs import sample_root
from hengfa.cli.main import cli
from hengfa.law.library.store import Library
from hengfa.train.recipes.schedule import CHECKPOINT

THESIS = b"years of work\n"
NAMES = {"-o", "--out", "--output"}


class Call(NamedTuple):
    """A call that writes, and the file of somebody else that stands in its way.

    `force` says that the command can be told to replace it; `beside`, that it can only be told to
    write around it.
    """

    words: str
    thesis: str = "out"
    force: bool = True
    beside: bool = False


ENCODER = "train encoder texts.jsonl --layers 1 --width 8 --heads 1 --tokens 8 --epochs 1 -o out"
CALLS = {
    "report": Call("report runs -o out", "out/thesis.tex", beside=True),
    "paper": Call("paper lawbench figure-5 -o out.md", "out.md"),
    "retrieve build": Call("retrieve build articles.jsonl -o out", "out/a.npy", beside=True),
    "retrieve evaluate": Call(
        "retrieve evaluate index --queries queries.jsonl --qrels qrels --run out"
    ),
    "parts write": Call("parts write lawbench/1-1 --data sample --model vllm:m -o out"),
    "export csv": Call("export csv runs/a -o out"),
    "export parquet": Call("export parquet runs/a -o out"),
    "export markdown": Call("export markdown runs/a -o out"),
    "export latex": Call("export latex runs/a -o out"),
    "export charts": Call("export charts runs/a -o out", "out/run-0-tasks.svg"),
    "export eval": Call("export eval runs/a -o out.eval", "out.eval"),
    "parts slurm": Call("parts slurm --run j --shards 2 -o out -- eval lawbench --model floor"),
    "parts k8s": Call(
        "parts k8s --run j --shards 2 --image i --claim c -o out -- eval lawbench --model floor"
    ),
    "law build": Call("law build sample -o out"),
    "law export": Call("law export --library law.sqlite -o out"),
    "world build": Call("world build --scale 1000 -o out"),
    "world import": Call("world import tables -o out"),
    "world texts": Call("world texts LegalArticle --world tiny.sqlite -o out"),
    "world call": Call("world call --world tiny.sqlite --batch calls.jsonl -o out"),
    "world tasks": Call("world tasks --world tiny.sqlite --per-hop 1 -o out"),
    "world harbor": Call(
        "world harbor tasks.jsonl --world tiny.sqlite -o out", "out/a", beside=True
    ),
    "world matters": Call(
        "world matters --world moon.sqlite --count 1 -o out", "out/mine.txt", beside=True
    ),
    "world review": Call("world review tasks.jsonl -o out"),
    "grade run": Call("grade run submissions.jsonl --grader keywords --csv out"),
    "grade people export": Call("grade people export runs/p -o out"),
    "grade people pilot": Call("grade people pilot runs/p -o out.jsonl", "out.key.csv"),
    "grade table": Call("grade table runs/p -o out"),
    "grade people export --format sheet": Call(
        "grade people export submissions.jsonl --format sheet -o out"
    ),
    "grade people serve": Call(
        "grade people serve submissions.jsonl --no-browser -o out", force=False
    ),
    "grade people export --format label-studio": Call(
        "grade people export submissions.jsonl --format label-studio -o tasks.json", "tasks.xml"
    ),
    "grade people import": Call(
        "grade people import export.json --submissions submissions.jsonl -o out"
    ),
    "grade calibrate": Call(
        "grade calibrate human.csv graded.csv --resamples 100 --plot out.svg", "out.svg"
    ),
    "suite judgment build": Call(
        "suite judgment build judgments.jsonl --at-least 0 --test-share 1 -o out",
        "out/a",
        beside=True,
    ),
    "suite judgment training": Call(
        "suite judgment training --data sample --cases cases.jsonl -o out"
    ),
    "cite check": Call(
        "cite check texts.jsonl --library law.sqlite --column text -o out", "out/a", beside=True
    ),
    "suite judgment parse": Call(
        "suite judgment parse texts.jsonl --column text -o out", "out/blocks/a", beside=True
    ),
    "suite judgment leakage": Call(
        "suite judgment leakage texts.jsonl --data sample --column text -o out",
        "out/a",
        beside=True,
    ),
    "suite claw diagnose": Call(
        "suite claw diagnose texts.jsonl --library law.sqlite --column text --id-column target "
        "-o out",
        "out/a",
        beside=True,
    ),
    "parts merge": Call("parts merge part -o out", "out/a", beside=True),
    "suite claw questions": Call("suite claw questions --data sample -o out"),
    "suite claw training": Call("suite claw training --data sample -o out"),
    "suite claw review": Call("suite claw review case_questions.jsonl --data sample -o out"),
    "suite new": Call("suite new mybench -o out", "out/test_mybench.py", force=False),
    "score": Call(
        "score lawbench answers.jsonl --data sample --partial --out out",
        "out/lawbench-zero_shot-answers",
        force=False,
    ),
    "train data": Call("train data numerals --rows 5 -o out", "out/thesis.tex", beside=True),
    "train encoder": Call(ENCODER, "out/config.json", force=False),
    "train retriever": Call(
        "train retriever articles.jsonl --base base -o out", "out/config.json", force=False
    ),
    "train reader": Call(
        "train reader --base base --data sample -o out", "out/config.json", force=False
    ),
    "train reranker": Call(
        "train reranker articles.jsonl --base base --run qrels -o out", "out/x", force=False
    ),
    "train sft": Call("train sft texts.jsonl --base base -o out", "out/config.json", force=False),
}


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Something to read for every command."""
    folder = tmp_path_factory.mktemp("things")
    make_run(folder / "runs" / "a", {"1-1": [Made(1.0), Made(0.0)]})
    call = ("eval", "plawbench", "--data", "sample", "--model", "floor", "--grader", "keywords")
    done = hengfa(*call, cwd=folder)
    assert done.returncode == 0, done.stderr
    next((folder / "runs").glob("plawbench*")).rename(folder / "runs" / "p")
    write_lines(folder / "submissions.jsonl", submissions())
    tables(folder, 12)
    tiny_world.write(folder / "tiny.sqlite")
    (folder / "tables").mkdir()
    (folder / "tables" / "AddrInfo.csv").write_text(
        "地址,省份,城市,区县\n甲路1号,甲省,甲市,甲区\n", "utf-8"
    )
    _lines(folder / "articles.jsonl", *({"id": one.id, "text": one.text} for one in ARTICLES))
    _lines(folder / "queries.jsonl", *({"id": one.id, "text": one.text} for one in QUERIES))
    judged = [(query, id_, gain) for query, ids in QRELS.items() for id_, gain in ids.items()]
    (folder / "qrels").write_text("".join(f"{q} 0 {id_} {gain}\n" for q, id_, gain in judged))
    asked = ({"no": no, "question": "本案应当如何认定？", "rule": "m"} for no in (1, 2, 3))
    _lines(folder / "case_questions.jsonl", *asked)
    _lines(folder / "calls.jsonl", {"tool": "get_sum", "arguments": {"identifier": [1, 2]}})
    _lines(folder / "texts.jsonl", {"text": "茶叶买卖合同", "target": "茶叶"})
    _lines(folder / "cases.jsonl", {"fact": "灯笼偷了船灯。", "document": "判处拘役一个月。"})
    _lines(folder / "judgments.jsonl", {"id": "1", "document": judgment()})
    _lines(folder / "annotations.jsonl", {"id": "1", "usable": True})
    _lines(folder / "answers.jsonl", {"task": "1-1", "id": "0", "prediction": "甲"})
    (folder / "export.json").write_text("[]")
    for words in (
        "retrieve build articles.jsonl -o index",
        "law build sample -o law.sqlite",
        "world tasks --world tiny.sqlite --hops 1 --per-hop 1 -o tasks.jsonl",
        f"world import {sample_root() / 'legalagentbench' / 'world'} -o moon.sqlite",
        "suite judgment parse texts.jsonl --column text -o part --shard 1/1",
        "parts write lawbench/1-1 --data sample --model vllm:m --run b -o batch.jsonl",
        "train data numerals --rows 5 -o rows",
    ):
        assert hengfa(*words.split(), cwd=folder).returncode == 0
    return folder


@pytest.fixture
def place(things: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(things, tmp_path / "place"))


def _lines(file: Path, *rows: object) -> None:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def _snapshot(folder: Path) -> dict[str, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file() and file.suffix != ".lock")
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def _call(words: str, cwd: Path, *more: str) -> Done:
    own, dashes, command = words.partition(" -- ")  # behind them is another command
    return hengfa(*own.split(), *more, *(dashes + command).split(), cwd=cwd)


def _options() -> Iterator[tuple[str, set[str]]]:
    """Every command with its options."""
    for context in leaves(cli):
        yield path_of(context), {name for one in context.command.params for name in one.opts}


def command_of(call: str) -> str:
    """The command that a call is of, whatever its format."""
    return "export" if call.startswith("export ") else call.partition(" --")[0]


def test_no_command_that_writes_is_forgotten_here() -> None:
    writing = {path for path, options in _options() if options & NAMES}
    writing.remove("models price")  # its --output is what answers cost
    calls = {*map(command_of, CALLS)}
    assert writing <= calls
    assert calls - writing == {"retrieve evaluate", "grade run", "grade calibrate"}


def test_force_is_where_the_table_says() -> None:
    forced = {path for path, options in _options() if "--force" in options}
    forced.remove("data add")  # replaces a pack: tests/base/data/test_data_cli.py
    assert forced == {command_of(path) for path, call in CALLS.items() if call.force}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.optional("inspect_ai"))
        if name == "export eval"
        else name
        for name in CALLS
    ],
)
def test_a_file_of_somebody_else_survives(name: str, place: Path) -> None:
    call = CALLS[name]
    thesis = place / call.thesis
    thesis.parent.mkdir(exist_ok=True, parents=True)
    thesis.write_bytes(THESIS)
    before = _snapshot(place)
    refused = _call(call.words, place)
    assert refused.returncode in {1, 2}, refused
    assert call.thesis.split("/")[0] in refused.stderr
    assert "Traceback" not in refused.stderr
    after = _snapshot(place)
    assert {path: after.get(path) for path in before} == before
    assert set(after) - set(before) <= {
        "out.expert.journal.jsonl"
    }  # of `grade people serve`, empty
    if call.force:
        done = _call(call.words, place, "--force")
        assert done.returncode == 0, done.stderr
        assert (thesis.read_bytes() == THESIS) is call.beside


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if call.thesis == "out"])
def test_a_link_that_leads_nowhere_is_somebody_elses_too(name: str, place: Path) -> None:
    if name == "grade people serve":
        pytest.skip("goes on with a table, wherever it lies")
    (place / "out").symlink_to(place / "nowhere")
    refused = _call(CALLS[name].words, place)
    assert (refused.returncode, (place / "nowhere").exists()) == (2, False)


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("grade people export submissions.jsonl -o submissions.jsonl", "submissions.jsonl"),
        (
            "grade people export submissions.jsonl -o ./tables/../submissions.jsonl",
            "submissions.jsonl",
        ),
        ("grade run submissions.jsonl --grader keywords --csv submissions.jsonl", ""),
        ("grade people export submissions.jsonl --format sheet -o submissions.jsonl", ""),
        (
            ("grade people import export.json --submissions submissions.jsonl -o export.json"),
            "",
        ),
        ("grade calibrate human.csv graded.csv --plot graded.csv", ""),
        ("world call --world tiny.sqlite --batch calls.jsonl -o calls.jsonl", ""),
        ("law export --library law.sqlite -o law.sqlite", ""),
        ("retrieve evaluate index --queries queries.jsonl --qrels qrels --run qrels", ""),
        (
            (
                "suite claw questions --prompts --data sample --questions queries.jsonl "
                "-o queries.jsonl"
            ),
            "",
        ),
    ],
)
def test_what_a_command_reads_is_never_replaced(words: str, read: str, place: Path) -> None:
    before = _snapshot(place)
    done = _call(words, place, "--force")
    assert done.returncode == 2, done
    assert f"{read} is read by this command" in done.stderr
    assert _snapshot(place) == before


def test_an_older_site_with_a_repository_in_it_is_refused_by_name(place: Path) -> None:
    assert _call("report runs -o out", place).returncode == 0
    assert _call("report runs -o out", place).returncode == 0, "our own is replaced"
    (place / "out" / ".git").mkdir()
    (place / "out" / ".git" / "HEAD").write_bytes(THESIS)
    before = _snapshot(place)
    refused = _call("report runs -o out", place)
    assert (refused.returncode, ".git/HEAD" in refused.stderr) == (2, True)
    assert _snapshot(place) == before
    (place / "out" / ".git" / "HEAD").unlink()
    (place / "out" / ".git").rmdir()
    (place / "out" / MANIFEST).unlink()
    refused = _call("report runs -o out", place)
    assert (refused.returncode, "--force" in refused.stderr) == (2, True)


def test_an_older_index_with_a_thesis_in_it_is_refused_by_name(place: Path) -> None:
    (place / "index" / "thesis.tex").write_bytes(THESIS)
    refused = _call("retrieve build articles.jsonl -o index", place)
    assert (refused.returncode, "thesis.tex" in refused.stderr) == (2, True)
    assert (place / "index" / "thesis.tex").read_bytes() == THESIS


def test_a_site_that_cannot_be_finished_leaves_the_older_one(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _call("report runs -o out", place).returncode == 0
    before = _snapshot(place)
    monkeypatch.setattr("hengfa.evals.report.site.build._site", _full)
    failed = _call("report runs -o out", place)
    assert (failed.returncode, "no space left" in failed.stderr) == (1, True)
    assert _snapshot(place) == before


def test_an_index_that_cannot_be_finished_leaves_the_older_one(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, save, saved = _snapshot(place), np.save, list[object]()

    def fails_at_the_third(*given: Any, **more: Any) -> None:
        saved.append(given)
        if len(saved) == 3:
            _full()
        save(*given, **more)

    monkeypatch.setattr(np, "save", fails_at_the_third)
    failed = _call("retrieve build articles.jsonl -o index", place)
    assert failed.returncode == 1
    assert "index" in failed.stderr
    assert "no space left" in failed.stderr
    assert _snapshot(place) == before


def _full(*_given: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_library_is_built_anew_without_being_asked_twice(place: Path) -> None:
    assert Library.is_kept_in(place / "law.sqlite")
    assert _call("law build sample -o law.sqlite", place).returncode == 0
    assert not Library.is_kept_in(place / "tiny.sqlite")
    refused = _call("law build sample -o tiny.sqlite", place)
    assert (refused.returncode, "exists: --force" in refused.stderr) == (2, True)


def test_a_run_is_not_begun_among_other_files(place: Path) -> None:
    (place / "runs" / "mine").mkdir()
    (place / "runs" / "mine" / "figures.official.json").write_bytes(THESIS)
    words = "eval lawbench/1-1 --data sample --model floor --run mine"
    refused = _call(words, place)
    assert (refused.returncode, "is no run" in refused.stderr) == (2, True)
    assert (place / "runs" / "mine" / "figures.official.json").read_bytes() == THESIS


def test_a_resumed_training_replaces_no_file_of_others(place: Path) -> None:
    kept = place / "out" / CHECKPOINT / "checkpoint-1"
    kept.mkdir(parents=True)
    (kept / "trainer_state.json").write_bytes(b"{}")
    (place / "out" / "config.json").write_bytes(THESIS)
    refused = _call(ENCODER, place, "--resume")
    assert (refused.returncode, "config.json" in refused.stderr) == (2, True)
    assert (place / "out" / "config.json").read_bytes() == THESIS
