"""A Ray cluster does the work as processes do it, also when a node of it is killed on the way.

The cluster has two nodes of one CPU each, both on this machine: to Ray they are two machines, so
that files are shipped from the one to the other.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.cli.test_cli import hengfa
from tests.law.library.citing_laws import CLOSED, COAST, write_laws
from tests.saved import ceiling, floor, write_model
from tests.train.recipes.tiny_models import (
    ARTICLES,
    needs_torch,
    one_thread,
    write_tiny_encoder,
    write_tiny_model,
)

from hengfa.base.data import corpora
from hengfa.base.data.corpora import Corpus
from hengfa.base.data.findings import find
from hengfa.base.errors import DataError, HengfaError, UsageError
from hengfa.base.workers import Processes
from hengfa.evals.engine.journal import Journal
from hengfa.evals.engine.local_model import LocalModel
from hengfa.evals.engine.messages import Message, Model, Options, Request, Status
from hengfa.evals.engine.session import Session, Tally
from hengfa.evals.runs.models import Connection, open_outside
from hengfa.evals.runs.predictions import score_files
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.lawbench.suite import SUITE
from hengfa.law.library.building.build import build_library
from hengfa.law.library.citing.corpus import CitationCheck
from hengfa.law.retrieval.corpus import Document
from hengfa.train.retrieval import dense
from hengfa.train.retrieval.dense import DenseIndex

pytest.importorskip("ray", reason="ray is not installed")

from hengfa.evals.bridge.ray_cluster import RayCluster

pytestmark = pytest.mark.optional("ray")
__all__ = ["one_thread"]  # used by every test here
NODE = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}
FEW_TASKS = ("1-2", "2-3", "2-6", "3-4")


@dataclass
class Nodes:
    """A cluster whose second node can be killed."""

    cluster: Any
    second: Any = None

    def kill(self) -> None:
        if self.second is not None:
            self.cluster.remove_node(self.second, allow_graceful=False)
            self.second = None


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HENGFA_HOME", str(tmp_path_factory.mktemp("home")))
        made = import_module("ray.cluster_utils").Cluster(initialize_head=True, head_node_args=NODE)
        yield Nodes(made)
        RayCluster().close()
        made.shutdown()


@pytest.fixture
def executor(nodes: Nodes) -> RayCluster:
    """With two workers, one on each node."""
    if nodes.second is None:
        nodes.second = nodes.cluster.add_node(**NODE)
    return RayCluster(2, address=nodes.cluster.address)


@dataclass
class Multiplied:
    """Multiplies by a number that lies in a file, and says where it lay and in which folder."""

    files: Mapping[str, Path]
    deadly: Mapping[int, int] = field(default_factory=dict)
    """Items at which a worker dies, and how often."""

    def open(self, files: Mapping[str, Path]) -> Callable[[int], tuple[int, Path, Path]]:
        file = files["numbers"] / "below" / "factor"
        factor = int(file.read_text("utf-8"))

        def do(item: int) -> tuple[int, Path, Path]:
            if item < 0:
                raise DataError("is unlucky", file="numbers", row=item)
            deaths = self.files["numbers"].parent / f"deaths-{item}"
            if item in self.deadly and len(list(deaths.glob("*"))) < self.deadly[item]:
                (deaths / str(os.getpid())).mkdir(parents=True)
                os._exit(1)
            time.sleep(0.02)
            return item * factor, file, Path.cwd()

        return do


@pytest.fixture
def numbers(tmp_path: Path) -> dict[str, Path]:
    (tmp_path / "numbers" / "below").mkdir(parents=True)
    (tmp_path / "numbers" / "below" / "factor").write_text("7", "utf-8")
    return {"numbers": tmp_path / "numbers"}


def _until_two(seen: set[Path]) -> Iterator[int]:
    """Items until two places have done some, however late the worker of one is opened."""
    for number in count():
        if len(seen) > 1:
            return
        time.sleep(0.01)
        yield number


def test_both_nodes_work_and_files_are_shipped_once(
    executor: RayCluster, numbers: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(executor.run(Multiplied(numbers), [])) == []
    monkeypatch.chdir(numbers["numbers"])
    for _ in range(2):
        files: set[Path] = set()
        for number, (value, file, folder) in executor.run(Multiplied(numbers), _until_two(files)):
            assert (value, folder) == (7 * number, numbers["numbers"])
            files.add(file)
        here = numbers["numbers"] / "below" / "factor"
        (there,) = files - {here}
        shipped = Path(os.environ["HENGFA_HOME"]) / "shipped"
        assert there.relative_to(shipped).parts[1:] == ("numbers", "below", "factor")
        assert len([place for place in shipped.iterdir() if place.is_dir()]) == 1


def test_an_item_at_which_a_worker_dies_is_done_again_but_not_for_ever(
    executor: RayCluster, numbers: dict[str, Path]
) -> None:
    done = dict(executor.run(Multiplied(numbers, {3: 1}), range(13)))
    assert [done[number][0] for number in range(13)] == [7 * number for number in range(13)]
    # a death is laid to an item before it, where its result had not been fetched: so always
    with pytest.raises(HengfaError, match=r"has died.* at item 3, 5$"):
        list(executor.run(Multiplied(numbers, {5: 99}), [0, 1, 5, 2]))


def test_errors_are_those_of_the_work(executor: RayCluster, numbers: dict[str, Path]) -> None:
    with pytest.raises(DataError, match=r"numbers, row -1.*unlucky"):
        list(executor.run(Multiplied(numbers), [*range(13), -1, *range(1_000)]))
    (numbers["numbers"] / "below" / "factor").write_text("seven", "utf-8")
    with pytest.raises(ValueError, match="seven"):
        list(executor.run(Multiplied(numbers), range(3)))


# Three kinds of work, and a node that is killed in the middle


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != "run.json"  # which says when
    }


def test_runs_are_scored_the_same(nodes: Nodes, executor: RayCluster, tmp_path: Path) -> None:
    for model, answer in (("low", floor), ("high", ceiling)):
        write_model(tmp_path / "predictions", model, answer, FEW_TASKS)

    def kill(done: int, _total: int) -> None:
        if done == 2:
            nodes.kill()

    for name, by, watch in (("alone", Processes(1), None), ("cluster", executor, kill)):
        score_files(
            SUITE, [tmp_path / "predictions"], list(Rules), data="sample", out=tmp_path / name,
            executor=by, watch=watch,
        )  # fmt: skip
    assert nodes.second is None
    assert len(contents(tmp_path / "cluster")) > 30
    assert contents(tmp_path / "cluster") == contents(tmp_path / "alone")


def test_documents_of_a_corpus_are_checked_the_same(
    nodes: Nodes, executor: RayCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "BLOCK_ROWS", 5)
    build_library([write_laws(tmp_path / "laws")], tmp_path / "law.sqlite")
    texts = [f"依照《{COAST}》第{number}条：“{CLOSED}”" for number in "一二三四五六七八" * 40]
    lines = (json.dumps({"text": text}) + "\n" for text in texts)
    (tmp_path / "corpus.jsonl").write_text("".join(lines), "utf-8")
    work = CitationCheck(tmp_path / "law.sqlite", date(2021, 5, 5))

    def kill(done: int, _total: int) -> None:
        if done > 20:
            nodes.kill()

    for name, by, watch in (("alone", Processes(1), nothing), ("cluster", executor, kill)):
        corpus = Corpus([tmp_path / "corpus.jsonl"], "text", None)
        find(corpus, work, by, tmp_path / name, command="cite", options={}, progress=watch)
    assert nodes.second is None
    assert pl.read_parquet(tmp_path / "cluster" / "findings.parquet").height == len(texts)
    assert contents(tmp_path / "cluster") == contents(tmp_path / "alone")


def nothing(_done: int, _total: int) -> None:
    return


@needs_torch
def test_passages_are_encoded_the_same(
    nodes: Nodes, executor: RayCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense, "_SENT_AT_ONCE", 128)
    encoder = write_tiny_encoder(tmp_path / "encoder")
    texts = list(ARTICLES.values())
    documents = [Document(f"{n}", texts[n % len(texts)] * (1 + n % 7)) for n in range(900)]

    def kill(done: int, _total: int) -> None:
        if done:
            nodes.kill()

    for name, by, watch in (("alone", None, None), ("cluster", executor, kill)):
        index = DenseIndex.build(documents, encoder, executor=by, watch=watch)
        index.write(tmp_path / name)
    assert nodes.second is None
    assert contents(tmp_path / "cluster") == contents(tmp_path / "alone")


# A model that is loaded several times


def texts_of(model: Model, folder: Path, after: Callable[[], None] = lambda: None) -> list[str]:
    """What a session gets to hear; something may happen after the first answer."""
    texts: dict[str, str] = {}
    prompts = [f"{article}{number}" for article in ARTICLES.values() for number in range(6)]

    async def ask(session: Session, request: Request) -> None:
        response = await session.ask(request)
        assert response.status is Status.TRUNCATED
        texts[request.key] = response.text
        if len(texts) == 1:
            after()

    async def sit() -> None:
        with Journal(folder / "journal.jsonl") as journal:
            session = Session(model, journal, Tally(0), lanes=4)
            requests = [
                Request(str(number), (Message("user", prompt),), Options(max_new_tokens=12))
                for number, prompt in enumerate(prompts)
            ]
            await session.for_each(requests, lambda request: ask(session, request))
            await model.close()

    asyncio.run(sit())
    return [texts[str(number)] for number in range(len(prompts))]


@needs_torch
def test_replicas_answer_as_one_model_does(
    nodes: Nodes, executor: RayCluster, tmp_path: Path
) -> None:
    folder = write_tiny_model(tmp_path / "tiny-law")
    for name in ("alone", "cluster"):
        (tmp_path / name).mkdir()
    alone = texts_of(LocalModel(folder), tmp_path / "alone")
    several = open_outside(f"hf:{folder}", Connection(replicas=2, executor=executor))
    assert several.name == LocalModel(folder).name
    assert texts_of(several, tmp_path / "cluster", nodes.kill) == alone
    assert nodes.second is None


@needs_torch
def test_replicas_need_room_and_a_cluster(executor: RayCluster, tmp_path: Path) -> None:
    model = f"hf:{write_tiny_model(tmp_path / 'tiny-law')}"
    for name, connection, why in (
        (model, Connection(replicas=9, executor=executor), "has room for"),
        (model, Connection(replicas=2, executor=Processes(2)), "--executor ray"),
        ("replay:runs/a", Connection(replicas=2, executor=executor), "not of replay"),
    ):
        with pytest.raises(UsageError, match=why):
            open_outside(name, connection)
    with pytest.raises(UsageError, match="and 0 GPUs"):
        _ = RayCluster(address="auto", gpus=1).workers


# From the command line


def test_a_command_starts_a_cluster_and_says_the_same(tmp_path: Path) -> None:
    write_model(tmp_path / "predictions", "low", floor, FEW_TASKS)
    words = ("score", "lawbench", "predictions", "--data", "sample", "--json", "--jobs", "2")
    run = [sys.executable, "-c", "from hengfa.cli.main import main; main()", *words]
    local, ray = (  # not in this process, into which Ray prints of nodes that other tests killed
        subprocess.run([*run, *more], cwd=tmp_path, capture_output=True, text=True, check=False)
        for more in ((), ("--executor", "ray"))
    )
    assert (ray.returncode, ray.stdout) == (0, local.stdout)
    assert ray.stderr == local.stderr


def test_an_address_at_which_nobody_answers_is_told(tmp_path: Path) -> None:
    write_model(tmp_path / "predictions", "low", floor, FEW_TASKS)
    words = ("score", "lawbench", "predictions", "--data", "sample", "--executor")
    for address in ("127.0.0.1:9", "nowhere", "ray://127.0.0.1:9"):
        done = hengfa(*words, f"ray:{address}", cwd=tmp_path)
        assert done.returncode == 2
        assert "no cluster answers" in done.stderr
