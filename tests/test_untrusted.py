"""Whatever stands in a file: a command works, or says what is wrong where, and ends with 1 or 2.

Every command that reads files of others is called with mutants (`tests.mutation`) of a real input
for each of them: predictions, data, journals, run folders, documents, archives, databases, indexes,
tables, rubrics, settings. Replies of servers are read without a command around them.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl
import pytest

from hengfa.base.data.jsonfile import write_lines
from hengfa.base.data.packs import sample_root
from hengfa.evals.engine.messages import Unavailable
from hengfa.evals.engine.replies import as_it_is, read_body, read_reply
from hengfa.evals.grading.people.label_studio import label_studio_tasks
from hengfa.evals.grading.submission import read_submissions
from hengfa.world.factory.make import make_tasks
from hengfa.world.factory.task import Wanted, write_tasks
from hengfa.world.suites.legalagentbench.predictions import open_seats
from hengfa.world.tables.schema import TABLE_OF
from hengfa.world.tables.world import World
from tests.cli.test_cli import Done, hengfa
from tests.cli.test_grade_people import tables
from tests.conftest import REPOSITORY, find_shared
from tests.evals.engine.reply_shapes import SHAPES
from tests.evals.engine.test_reply_properties import check_sound
from tests.evals.grading.rubric_yaml import write_rubric
from tests.evals.grading.scored_by_people import RUBRIC, submissions
from tests.evals.grading.test_label_studio import annotated, result
from tests.evals.report.made import Made, make_run
from tests.law.library.citing_support import docx
from tests.law.library.fictional import TEA_2001
from tests.law.retrieval.fictional import ARTICLES, QRELS, QUERIES
from tests.mutation import mutants
from tests.world import tiny_world
from tests.world.test_world_importing import write_workbook

TIMES, FEW = 380, 12
"""So many mutants of each file before a release, others for every commit; and else."""
PATIENCE: Final = 60
"""Seconds after which a command hangs, on the slowest machine."""


class Read(NamedTuple):
    """A command, and the files it reads that are made wrong in turn."""

    words: str
    files: tuple[str, ...]
    times: int = TIMES

    @property
    def few(self) -> int:
        """Fewer of what takes longer."""
        return max(2, FEW * self.times // TIMES)


FLOOR: Final = "--model floor --limit 2 --fresh"
CORPUS: Final = "--column text --jobs 1 -o out --force"
READS: Final = (
    # data in upstream layouts
    Read(f"eval lawbench/1-1 --data lawbench {FLOOR}", ("lawbench/data/zero_shot/1-1.json",)),
    Read(f"eval judgment --data judgment {FLOOR}", ("judgment/data/test.json",)),
    Read(
        "suite judgment training --for test --data judgment --method rag -o out.jsonl --force",
        ("judgment/data/law_corpus.jsonl", "judgment/charges.txt", "judgment/charge_aliases.json"),
        100,
    ),
    Read(f"eval claw --data claw {FLOOR}", ("claw/statutes.jsonl", "claw/version_calendar.tsv")),
    Read(f"eval claw-cases --ungraded --data claw-cases {FLOOR}", ("claw-cases/cases.jsonl",)),
    Read(
        f"eval plawbench --ungraded --data plawbench {FLOOR}",
        (
            "plawbench/practical_case_analysis_250.jsonl",
            "plawbench/public_legal_consultation_18.json",
            "plawbench/Defendants_Statement.json",
        ),
        150,
    ),
    Read("suite plawbench lint --data plawbench", ("plawbench/practical_case_analysis_250.jsonl",)),
    Read(
        f"eval legalagentbench --data legalagentbench {FLOOR}",
        ("legalagentbench/dataset.json",),
    ),
    Read(f"eval matters --data matters {FLOOR}", ("matters/matters.jsonl",), 100),
    Read(
        "suite claw questions --data claw-cases -o out.jsonl --force", ("claw-cases/cases.jsonl",)
    ),
    Read(
        "suite judgment training --for test --data judgment -o out.jsonl --force",
        ("judgment/data/test.json",),
    ),
    Read("law build claw -o out.sqlite --force", ("claw/statutes.jsonl",)),
    Read("law build markdown -o out.sqlite --force", ("markdown/月湖茶馆法.md",)),
    # predictions
    Read("score lawbench lines.jsonl --data sample --partial --jobs 1", ("lines.jsonl",)),
    Read("score lawbench answers --data sample --partial --jobs 1", ("answers/甲/1-1.json",)),
    Read("score claw claw.jsonl --data sample --partial --jobs 1", ("claw.jsonl",)),
    Read("score judgment judged.jsonl --data sample --partial --jobs 1", ("judged.jsonl",)),
    Read("score legalagentbench agents.json --data sample --partial --jobs 1", ("agents.json",)),
    Read(
        "score legalagentbench records --data sample --partial --jobs 1",
        ("records/record.json", "records/1.jsonl"),
        150,
    ),
    Read("suite claw diagnose claw.jsonl --library law.sqlite", ("claw.jsonl",)),
    Read("suite judgment compare judged.jsonl --data sample --json", ("judged.jsonl",)),
    Read("suite judgment leakage cases.jsonl.gz --data sample", ("cases.jsonl.gz",)),
    # corpora
    Read(f"cite check corpus.jsonl --library law.sqlite {CORPUS}", ("corpus.jsonl",), 150),
    Read(f"suite judgment parse corpus.jsonl.gz {CORPUS}", ("corpus.jsonl.gz",), 100),
    Read(f"suite judgment leakage corpus.parquet --data sample {CORPUS}", ("corpus.parquet",), 150),
    Read(
        f"suite claw diagnose corpus.parquet --id-column id --library law.sqlite {CORPUS}",
        ("corpus.parquet",),
        100,
    ),
    Read(
        "suite judgment parse corpus.jsonl --column text --jobs 1 --shard 1/1 -o part --resume",
        ("part/manifest.json", "part/blocks.jsonl"),
        100,
    ),
    Read(
        "merge part -o out --force",
        ("part/manifest.json", "part/blocks.jsonl", "part/blocks/000000.parquet"),
        100,
    ),
    # runs
    Read(
        "eval lawbench/1-1 --data sample --model floor --run asked",
        ("runs/asked/journal.jsonl", "runs/asked/run.json"),
    ),
    Read(
        "eval lawbench/1-1 --data sample --model replay:runs/asked --fresh",
        ("runs/asked/journal.jsonl",),
    ),
    Read("results", ("runs/a/run.json", "runs/a/figures.official.json")),
    Read("compare runs/a runs/b --json", ("runs/a/records/1-1.official.parquet",), 150),
    Read("show runs/a 1-1/0", ("runs/a/run.json", "runs/a/responses/1-1.official.parquet"), 150),
    Read("show runs/asked 1-1/0", ("runs/asked/journal.jsonl", "runs/asked/run.json")),
    Read("compare runs/a runs/b", ("runs/a/run.json", "runs/a/records/1-1.official.parquet"), 150),
    Read("suspects runs/a", ("runs/a/run.json", "runs/a/responses/1-1.official.parquet"), 150),
    Read("export csv runs/a -o out.csv --force", ("runs/a/records/1-1.official.parquet",), 150),
    Read("export markdown runs/a -o out.md --force", ("runs/a/figures.official.json",), 150),
    Read(
        "report runs/a runs/b -o site",
        (
            "runs/a/run.json",
            "runs/a/figures.official.json",
            "runs/a/responses/1-1.official.parquet",
        ),
        50,
    ),
    Read("report runs/a -o site", ("site/manifest.json",), 50),
    # documents and the library
    Read("cite check letter.txt --library law.sqlite", ("letter.txt",)),
    Read("cite check letter.docx --library law.sqlite", ("letter.docx",), 2 * TIMES),
    Read(
        "cite cases numbers.txt --known numbers.txt --courts courts.csv",
        ("numbers.txt", "courts.csv"),
    ),
    Read("suite judgment parse judgment.txt", ("judgment.txt",)),
    Read("law show 月湖渡船法 2 --library law.sqlite", ("law.sqlite",)),
    Read("law search 养蜂 --library law.sqlite", ("law.sqlite",)),
    # grading
    Read("grade run submissions.jsonl --grader keywords --run g", ("submissions.jsonl",)),
    Read(
        "grade run responses.jsonl --rubric rubric.yaml --grader keywords --run r", ("rubric.yaml",)
    ),
    Read("grade sheet submissions.jsonl -o out.csv --force", ("submissions.jsonl",)),
    Read("grade calibrate human.csv graded.csv --resamples 100", ("human.csv", "graded.csv"), 150),
    Read(
        "grade label-studio import export.json --submissions submissions.jsonl -o out.csv --force",
        ("export.json",),
    ),
    # the world
    Read("world stats --world tiny.sqlite", ("tiny.sqlite",)),
    Read("world call --world tiny.sqlite --batch calls.jsonl", ("calls.jsonl", "tiny.sqlite")),
    Read("world harbor tasks.jsonl --world tiny.sqlite -o out --force", ("tasks.jsonl",), 200),
    Read("world import tables -o out.sqlite --force", ("tables/CompanyInfo.csv",)),
    Read("world import tables.xlsx -o out.sqlite --force", ("tables.xlsx",), 30),
    # retrieval
    Read("retrieve build articles.jsonl -o out.index", ("articles.jsonl",)),
    Read("retrieve search 茶叶 --index index", ("index/manifest.json",)),
    Read(
        "retrieve evaluate index --queries queries.jsonl --qrels qrels",
        ("queries.jsonl", "qrels", "index/manifest.json"),
    ),
    # settings
    Read("models", ("home/config.toml", "home/prices.toml")),
    Read("data verify", ("home/packs/plawbench/receipt.json",)),
)


def _lines(file: Path, *rows: object) -> None:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def _few(file: Path, rows: int = 3) -> bytes:
    """The first rows of an array or of lines, real ones where the file is of a benchmark."""
    content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    if content.lstrip().startswith(b"["):
        return json.dumps(json.loads(content)[:rows], ensure_ascii=False).encode()
    return b"".join(content.splitlines(keepends=True)[:rows])


def _real_rows(folder: Path, data: Path) -> None:
    """Rows of the benchmarks themselves in place of our own."""
    for file, source in {
        "lawbench/data/zero_shot/1-1.json": "LawBench/data/zero_shot/1-1.json",
        "judgment/data/test.json": "JuDGE/data/test.json",
        "claw/statutes.jsonl": "statutes/statutes.jsonl.gz",
        "claw-cases/cases.jsonl": "guiding_cases/cases.jsonl",
        "plawbench/practical_case_analysis_250.jsonl": (
            "PLawbench/practical_case_analysis_250.jsonl"
        ),
        "plawbench/public_legal_consultation_18.json": (
            "PLawbench/public_legal_consultation_18.json"
        ),
        "plawbench/Defendants_Statement.json": "PLawbench/Defendants_Statement.json",
        "legalagentbench/dataset.json": "LegalAgentBench/dataset.json",
    }.items():
        (folder / file).write_bytes(_few(data / source))


def _predictions(folder: Path) -> None:
    samples = json.loads((sample_root() / "lawbench/data/zero_shot/1-1.json").read_bytes())
    saved = {
        str(place): {
            "origin_prompt": row["instruction"] + row["question"],
            "prediction": row["answer"],
            "refr": row["answer"],
        }
        for place, row in enumerate(samples)
    }
    (folder / "answers" / "甲").mkdir(parents=True)
    (folder / "answers" / "甲" / "1-1.json").write_text(json.dumps(saved, ensure_ascii=False))
    _lines(
        folder / "lines.jsonl",
        *({"task": "1-1", "id": str(number), "prediction": "甲"} for number in range(3)),
    )
    provision = "月湖渡船法/2008-03-12/2.1"
    _lines(
        folder / "claw.jsonl",
        {"task": "content", "id": provision, "prediction": "渡船应当挂灯。"},
        {"task": "id", "id": provision, "prediction": "第二条第一款"},
    )
    cases = [
        json.loads(line) for line in _few(sample_root() / "judgment/data/test.json").splitlines()
    ]
    _lines(folder / "judged.jsonl", *({"id": c["text_id"], "document": c["fd"]} for c in cases))
    _lines(folder / "agents.json", {"id": 1, "res": "青岚科技", "summary": "共一家"})
    rows = "".join(json.dumps({"fact": c["text"], "document": c["fd"]}) + "\n" for c in cases)
    (folder / "cases.jsonl.gz").write_bytes(gzip.compress(rows.encode()))


def _for_grading(folder: Path) -> None:
    write_lines(folder / "submissions.jsonl", submissions())
    write_rubric(RUBRIC, folder / "rubric.yaml")
    _lines(folder / "responses.jsonl", {"id": "甲", "response": "应当归还。"})
    tables(folder, 12)
    task = annotated(
        label_studio_tasks(read_submissions(folder / "submissions.jsonl"))[0],
        result("i1", "number", {"number": 3}),
    )
    (folder / "export.json").write_text(json.dumps([task], ensure_ascii=False))


def _for_world(folder: Path) -> None:
    with World.open(tiny_world.write(folder / "tiny.sqlite")) as world:
        write_tasks(folder / "tasks.jsonl", make_tasks(world, Wanted((1, 2), 2))[0])
    seats = open_seats(sample_root() / "legalagentbench", folder / "records", "strict")
    seats.call("1", "get_company_info", {"identifier": "云帆渡船股份有限公司"})
    seats.call("1", "finish", {"answer": "800101", "summary": "查得800101"})
    shutil.copytree(sample_root() / "legalagentbench" / "world", folder / "tables")
    names = list(TABLE_OF["AddrInfo"].names)
    write_workbook(folder / "tables.xlsx", {"AddrInfo": [names, ["甲路1号", *names[1:]]]})
    _lines(
        folder / "calls.jsonl",
        {"tool": "get_sum", "arguments": {"identifier": [1, 2]}},
        {"tool": "get_court_code", "arguments": {"identifier": "云0101", "columns": ["法院名称"]}},
    )


def _for_retrieval(folder: Path) -> None:
    _lines(folder / "articles.jsonl", *({"id": one.id, "text": one.text} for one in ARTICLES))
    _lines(folder / "queries.jsonl", *({"id": one.id, "text": one.text} for one in QUERIES))
    judged = ((query, id_, gain) for query, ids in QRELS.items() for id_, gain in ids.items())
    (folder / "qrels").write_text(
        "".join(f"{query} 0 {id_} {gain}\n" for query, id_, gain in judged)
    )


def _documents(folder: Path) -> None:
    text = "依照《月湖渡船法》第二条第一款“渡船应当挂灯”的规定，判决如下：被告人灯笼犯盗窃罪。"
    (folder / "letter.txt").write_text(text, "utf-8")
    (folder / "numbers.txt").write_text(
        "（2022）沪01民终5号 卷宗\n（2022）沪0115民初6号\n", "utf-8"
    )
    (folder / "courts.csv").write_text("沪01,甲中级人民法院\n沪0115,乙人民法院\n", "utf-8")
    (folder / "letter.docx").write_bytes(docx(text, "第三条\n附注"))
    case = json.loads(_few(sample_root() / "judgment/data/test.json", 1))
    (folder / "judgment.txt").write_text(case["fd"], "utf-8")
    (folder / "markdown").mkdir()
    (folder / "markdown" / "月湖茶馆法.md").write_text(TEA_2001, "utf-8")


def _corpora(folder: Path) -> None:
    letter = (folder / "letter.txt").read_text("utf-8")
    case = (folder / "judgment.txt").read_text("utf-8")
    rows = [{"id": "月湖渡船法/2008-03-12/2.1", "text": text} for text in (letter, case)]
    _lines(folder / "corpus.jsonl", *rows)
    lines = (folder / "corpus.jsonl").read_bytes()
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(lines))
    pl.DataFrame(rows).write_parquet(folder / "corpus.parquet")


def _settings(home: Path) -> None:
    (home / "packs").mkdir(parents=True)
    (home / "config.toml").write_text('[providers.deepseek]\nbase_url = "https://a.example/v1"\n')
    (home / "prices.toml").write_text('[a]\ncurrency = "CNY"\ninput = 1.0\noutput = 2.0\n')


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real input for every command, and the home of its user."""
    folder = tmp_path_factory.mktemp("things")
    shutil.copytree(sample_root(), folder, dirs_exist_ok=True)
    for prepare in (_predictions, _for_grading, _for_world, _for_retrieval, _documents, _corpora):
        prepare(folder)
    _settings(folder / "home")
    make_run(folder / "runs" / "a", {"1-1": [Made(1.0), Made(0.0)]})
    make_run(folder / "runs" / "b", {"1-1": [Made(1.0), Made(0.5)]}, model="乙")
    for words in (
        "eval lawbench/1-1 --data sample --model floor --run asked",
        "law build sample -o law.sqlite",
        "retrieve build articles.jsonl -o index",
        "report runs/a -o site",
        "suite judgment parse corpus.jsonl --column text --jobs 1 --shard 1/1 -o part",
        "data add plawbench plawbench --allow-changed",
    ):
        _call(words, folder)
    shared = find_shared()
    if shared:
        _real_rows(folder, shared / "data")
    return folder


def _call(words: str, place: Path) -> Done:
    done = hengfa(*words.split(), cwd=place, HENGFA_HOME=str(place / "home"))
    assert done.returncode == 0, done
    return done


@contextmanager
def patience() -> Iterator[None]:
    """A command that hangs fails where it hangs."""

    def give_up(*_told: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _complaint(done: Done, file: Path) -> str:
    """What is wrong with how a command ended; empty where it worked or said what is wrong."""
    if done.returncode == 0:
        return ""
    if done.returncode not in {1, 2}:
        return f"exit status {done.returncode}"
    if "Traceback" in done.stderr:
        return "a traceback"
    if not any(
        part in done.stderr + done.stdout
        for part in (*file.parts, "journal.jsonl", "not installed")
    ):
        return "does not name the file"
    return ""


def _commit() -> str:
    told = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    return told.stdout.strip()


CASES: Final = [
    pytest.param(read, file, id=f"{' '.join(read.words.split()[:2])}-{file}")
    for read in READS
    for file in read.files
]


@pytest.mark.parametrize(("read", "file"), CASES)
def test_a_command_reads_it_or_says_what_is_wrong(
    read: Read, file: str, things: Path, tmp_path: Path, deep: bool
) -> None:
    place = Path(shutil.copytree(things, tmp_path / "place"))
    good = (things / file).read_bytes()
    _call(read.words, place)
    seed, times = (f"{_commit()} {file}", read.times) if deep else (file, read.few)
    for number, bad in enumerate(mutants(good, seed, times)):
        (place / file).write_bytes(bad)
        try:
            with patience():
                done = hengfa(*read.words.split(), cwd=place, HENGFA_HOME=str(place / "home"))
            complaint = _complaint(done, Path(file))
        except Exception as error:
            raise AssertionError(
                f"{read.words}: mutant {number} of {file}: {bad[:300]!r}"
            ) from error
        assert not complaint, (
            f"{complaint}: mutant {number} of {file}: {bad[:300]!r}\n{done.stderr}"
        )


def test_any_reply_is_read_or_unavailable() -> None:
    for shape in SHAPES:
        for bad in mutants(shape.sent(), shape.name, 3):
            with suppress(Unavailable):
                check_sound(read_reply(asyncio.run(read_body(bad, as_it_is))))
