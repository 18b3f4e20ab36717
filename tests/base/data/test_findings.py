"""A folder of findings: the same bytes by any number of workers, parts and kills."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Callable, Mapping
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from filelock import FileLock

from hengfa.base.data import corpora
from hengfa.base.data.corpora import Block, Corpus, Document
from hengfa.base.data.findings import (
    Columns,
    Findings,
    Part,
    Summary,
    find,
    is_findings,
    merge_findings,
    options_of,
    part_of,
)
from hengfa.base.errors import DataError, RunLocked, UsageError
from hengfa.base.workers import Processes

COLUMNS: Columns = {"letter": str, "times": int}
OUTPUTS = ("findings.parquet", "manifest.json", "summary.json")


class Letters:
    """How often each letter stands in a document; one of 炸 breaks it, and 大 is a large number."""

    files: Mapping[str, Path] = {}

    def __init__(self, seconds: float = 0) -> None:
        self.seconds = seconds

    def open(self, _files: Mapping[str, Path], /) -> Callable[[Block], Part]:
        def do(block: Block) -> Part:
            time.sleep(self.seconds)
            return part_of(block, COLUMNS, _letters)

        return do


def _letters(document: Document) -> Findings:
    if "炸" in document.text:
        raise ValueError("it broke")
    times = 2**70 if "大" in document.text else 1
    counts = {letter: document.text.count(letter) for letter in sorted(set(document.text))}
    return Findings([(letter, count * times) for letter, count in counts.items()], counts)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "BLOCK_ROWS", 7)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rng = random.Random(5)
    rows = [{"text": "".join(rng.choices("法条款项目", k=rng.randrange(9)))} for _ in range(300)]
    return write(tmp_path / "c.jsonl", *rows)


def write(file: Path, *rows: object) -> Path:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return file


def search(file: Path, out: Path, workers: int = 1, **more: Any) -> Summary:
    given = {"command": "letters", "options": {"of": "text"}} | more
    work = Letters(given.pop("seconds", 0))
    return find(Corpus([file], "text"), work, Processes(workers), out, **given)


def search_part(file: Path, out: Path) -> Path:
    search(file, out, shard=(1, 1))
    return out


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {path.name: path.read_bytes() for path in files}


def test_a_row_for_every_finding_and_a_summary(file: Path, tmp_path: Path) -> None:
    summary = search(file, tmp_path / "out")
    findings = pl.read_parquet(tmp_path / "out" / "findings.parquet")
    texts = [json.loads(line)["text"] for line in file.read_text("utf-8").splitlines()]
    expected = [
        (f"{file}:{row}", str(file), row, None, letter, text.count(letter))
        for row, text in enumerate(texts, 1)
        for letter in sorted(set(text))
    ]
    assert findings.rows() == expected
    letters = "".join(texts)
    assert summary == Summary(
        "letters", 300, len(letters), 0, len(expected),
        {letter: letters.count(letter) for letter in sorted(set(letters))},
    )  # fmt: skip
    assert set(contents(tmp_path / "out")) == set(OUTPUTS)


def test_two_workers_write_the_same_bytes(file: Path, tmp_path: Path) -> None:
    assert search(file, tmp_path / "a", 1) == search(file, tmp_path / "b", 2)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


@pytest.mark.parametrize("parts", [1, 3, 50])
def test_parts_put_together_are_the_whole(file: Path, tmp_path: Path, parts: int) -> None:
    whole = search(file, tmp_path / "whole")
    made = [tmp_path / f"part-{number}" for number in range(1, parts + 1)]
    for number, part in enumerate(made, 1):
        search(file, part, shard=(number, parts))
        assert not (part / "findings.parquet").exists()
    before = [contents(part) for part in made]
    made.reverse()
    assert merge_findings(made, tmp_path / "merged") == whole
    assert contents(tmp_path / "merged") == contents(tmp_path / "whole")
    assert [contents(part) for part in reversed(made)] == before


def test_what_are_no_parts_of_one_whole_is_refused_by_name(file: Path, tmp_path: Path) -> None:
    one, two, other = (tmp_path / name for name in ("one", "two", "other"))
    search(file, one, shard=(1, 2))
    search(file, two, shard=(2, 2), options={"of": "words"})
    search(file, other, shard=(2, 3))
    search(file, tmp_path / "whole")
    for parts, told in (
        ([one, two], "of text / words"),
        ([one, other], "1/2, 2/3"),
        ([one], "none for 2"),
        ([one, one], "named twice"),
        ([one, tmp_path / "whole"], "whole, no part"),
        ([one, tmp_path], "holds no findings"),
    ):
        with pytest.raises(UsageError, match=told):
            merge_findings(parts, tmp_path / "merged")
    with pytest.raises(UsageError, match="is one of the parts"):
        merge_findings([search_part(file, tmp_path / "only")], tmp_path / "only", force=True)
    assert not (tmp_path / "merged").exists()


def test_a_part_of_which_something_is_lost_is_refused(file: Path, tmp_path: Path) -> None:
    part, merged = tmp_path / "one", tmp_path / "merged"
    search(file, part, shard=(1, 1))
    table, ledger = part / "blocks" / "000003.parquet", part / "blocks.jsonl"
    whole = table.read_bytes()
    table.write_bytes(whole[:99] + bytes([whole[99] ^ 1]) + whole[100:])
    with pytest.raises(DataError, match=r"000003\.parquet: is missing or was changed"):
        merge_findings([part], merged)
    table.unlink()
    with pytest.raises(DataError, match=r"000003\.parquet: is missing or was changed"):
        merge_findings([part], merged)
    table.write_bytes(whole)
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(DataError, match=r"blocks\.jsonl: does not name 43 blocks"):
        merge_findings([part], merged)


def test_documents_that_break_are_listed_and_stop_no_other(tmp_path: Path) -> None:
    texts = ["法", None, "炸", "大", "条"]
    file = write(tmp_path / "c.jsonl", *({"text": text} for text in texts))
    summary = search(file, tmp_path / "out")
    findings = pl.read_parquet(tmp_path / "out" / "findings.parquet")
    assert findings["row"].to_list() == [1, 2, 3, 4, 5]
    unread = findings["unread"].to_list()
    assert unread[0] is unread[4] is None
    assert unread[1:3] == ["there is no text: null", "ValueError: it broke"]
    assert "overflow" in unread[3]
    assert findings["letter"].to_list() == ["法", None, None, None, "条"]
    assert (summary.documents, summary.unread, summary.findings) == (5, 3, 2)
    assert summary.counts == {"法": 1, "条": 1}


def test_a_corpus_of_nothing_has_no_findings(tmp_path: Path) -> None:
    summary = search(write(tmp_path / "c.jsonl"), tmp_path / "out")
    assert (summary.documents, summary.findings) == (0, 0)
    assert pl.read_parquet(tmp_path / "out" / "findings.parquet").columns[-2:] == [*COLUMNS]


def _search_slowly(file: Path, out: Path, workers: int) -> None:
    corpora.BLOCK_ROWS = 7  # type: ignore[misc]
    search(file, out, workers, resume=True, seconds=0.02)


def test_killed_again_and_again_it_ends_in_the_same_bytes(
    file: Path, tmp_path: Path, deep: bool
) -> None:
    search(file, tmp_path / "whole")
    out, rng, kills = tmp_path / "out", random.Random(11), 0
    spawn = get_context("spawn")
    while kills < (20 if deep else 4):
        process = spawn.Process(target=_search_slowly, args=(file, out, 1 + kills % 2))
        process.start()
        ledger = out / "blocks.jsonl"
        begun = ledger.stat().st_size if ledger.exists() else 0
        deadline = time.monotonic() + 60
        wanted = begun + rng.randrange(200)  # about the lines of two blocks
        while process.is_alive() and time.monotonic() < deadline:
            if ledger.exists() and ledger.stat().st_size >= wanted:
                break
            time.sleep(0.002)
        time.sleep(rng.random() * 0.03)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        kills += 1
    assert not (out / "summary.json").exists(), "the last kill came before the end"
    ledger.write_bytes(ledger.read_bytes()[:-9])  # as a machine leaves it that stops in a write
    search(file, out, resume=True)
    assert contents(out) == contents(tmp_path / "whole")


def test_what_is_finished_is_not_done_again(file: Path, tmp_path: Path) -> None:
    class Stops(Letters):
        def open(self, _files: Mapping[str, Path], /) -> Callable[[Block], Part]:
            def do(block: Block) -> Part:
                seen.append(block.number)
                if len(seen) == 5:
                    raise DataError("stop", file=file)
                return part_of(block, COLUMNS, _letters)

            return do

    seen: list[int] = []
    given: dict[str, Any] = {"command": "letters", "options": {}}
    corpus, out, told = Corpus([file], "text"), tmp_path / "out", list[int]()
    with pytest.raises(DataError, match="stop"):
        find(corpus, Stops(), Processes(1), out, **given)
    with pytest.raises(UsageError, match="unfinished search: --resume goes on"):
        find(corpus, Stops(), Processes(1), out, **given)
    find(
        corpus, Stops(), Processes(1), out, resume=True,
        progress=lambda done, _total: told.append(done), **given,
    )  # fmt: skip
    assert seen == [0, 1, 2, 3, 4, *range(4, 43)]
    assert told[-1] == 300 - 4 * 7
    assert find(corpus, Stops(), Processes(1), out, resume=True, **given).documents == 300
    assert len(seen) == 44


def test_a_changed_corpus_or_option_is_refused_by_name(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    search(file, out)
    assert options_of(out) == {"of": "text"}
    with pytest.raises(UsageError, match="of text / words"):
        search(file, out, resume=True, options={"of": "words"})
    with pytest.raises(UsageError, match="shard none / 1/2"):
        search(file, out, resume=True, shard=(1, 2))
    file.write_text(file.read_text("utf-8") + '{"text": "法"}\n', "utf-8")
    with pytest.raises(UsageError, match=r"file .*c\.jsonl [0-9a-f]{12} / [0-9a-f]{12}"):
        search(file, out, resume=True)
    assert search(file, out, force=True).documents == 301


def test_what_is_not_ours_is_left_alone(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "findings.parquet").write_bytes(b"mine")
    for place, told in ((out, r"not ours: findings\.parquet"), (file, "not a folder")):
        with pytest.raises(UsageError, match=told):
            search(file, place)
    assert not is_findings(out)
    (out / "blocks").mkdir()
    (out / "findings.parquet").rename(out / "blocks" / "notes.parquet")
    search(file, out, force=True)
    search(file, out, force=True)
    assert set(contents(out)) == {*OUTPUTS, "notes.parquet"}
    assert (out / "blocks" / "notes.parquet").read_bytes() == b"mine"
    with pytest.raises(UsageError, match="give one of them"):
        search(file, out, force=True, resume=True)


def test_a_wrong_call_leaves_nothing_behind(file: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such field"):
        find(
            Corpus([file], "txt"), Letters(), Processes(1), tmp_path / "out", command="", options={}
        )
    assert not (tmp_path / "out").exists()


def test_one_process_at_a_time_writes(file: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with FileLock(tmp_path / "out" / "blocks.lock"), pytest.raises(RunLocked, match="another"):
        search(file, tmp_path / "out", force=True)
