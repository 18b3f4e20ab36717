"""`hengfa law search --rerank-url`: a service that ranks, lies, fails, redirects, or is slow."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.cli.test_cli import Done, hengfa
from tests.evals.engine.server import LocalServer, Seen, in_thread
from tests.law.library.fictional import write_rows

from hengfa.base.errors import HengfaError
from hengfa.evals.runs import ranking_service
from hengfa.law.library import Library
from hengfa.law.library.building.build import build_library
from hengfa.law.library.search import search
from hengfa.law.library.second_ranking import rank_again

LAW = "云港渡船法"
BOATS = ["红船", "蓝船", "绿船", *(f"{number}号船" for number in range(10, 30))]
TEXT = f"{LAW}\n（2001年1月1日通过）\n" + "\n".join(
    f"第{number}条　乘坐{boat}过河的，船费是多少由云港渡口公告。"
    for number, boat in zip(
        [*"一二三四五六七八九十", *(f"十{n}" for n in "一二三四五六七八九"),
         "二十", "二十一", "二十二", "二十三"], BOATS, strict=True,
    )
)  # fmt: skip
QUESTION = "过河的船费要多少"
KEY = "a-key-that-nobody-may-see-0123456789"
Says = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ranking")
    row = {"law": LAW, "text": TEXT, "version": "2001-01-01", "effective": "2001-02-01"}
    build_library([write_rows(folder / "laws", [row])], folder / "law.sqlite")
    return folder


class Service:
    """Says what a function makes of a request; with a gap blanks, for ever."""

    def __init__(self) -> None:
        self.says: Says = scores_for("红船")
        self.gap = 0.0

    async def __call__(self, request: web.Request, seen: Seen) -> web.StreamResponse:
        if self.gap:
            blanks = web.StreamResponse()
            await blanks.prepare(request)
            while True:
                await blanks.write(b" ")
                await asyncio.sleep(self.gap)
        said = self.says(seen.body)
        if isinstance(said, web.Response):
            return said
        return web.Response(
            text=said if isinstance(said, str) else json.dumps(said),
            content_type="application/json",
        )


@pytest.fixture
def service() -> Iterator[tuple[Service, LocalServer]]:
    says = Service()
    with in_thread(LocalServer(says)) as server:
        yield says, server


def scores_for(*boats: str, field: str = "relevance_score") -> Says:
    """Scores for the texts about some boats, the first of them the best."""

    def say(asked: dict[str, Any]) -> object:
        texts = asked["documents"]
        found = [next(n for n, text in enumerate(texts) if boat in text) for boat in boats]
        return {"results": [{"index": n, field: -rank} for rank, n in enumerate(found)]}

    return say


def ask(folder: Path, *options: str, **environment: str) -> Done:
    named = ("law", "search", QUESTION, "--library", "law.sqlite", "--json", *options)
    return hengfa(*named, cwd=folder, HENGFA_API_KEY=KEY, LC_ALL="C", **environment)


def found(done: Done) -> list[str]:
    """The boats of the hits, in order."""
    assert done.returncode == 0, done.stderr
    texts = [hit["text"] for hit in json.loads(done.stdout)["hits"]]
    return [next(boat for boat in BOATS if f"乘坐{boat}" in text) for text in texts]


@pytest.mark.parametrize("field", ["relevance_score", "score"])
def test_it_reorders_and_what_it_leaves_out_stays_behind(
    folder: Path, service: tuple[Service, LocalServer], field: str
) -> None:
    says, server = service
    before = found(ask(folder, "--limit", "30"))
    last, first = before[-1], before[0]
    says.says = scores_for(last, first, field=field)
    url = f"{server.url}/v1"
    done = ask(folder, "--rerank-url", url, "--rerank-model", "bge:latest", "--limit", "4")
    assert found(done) == [last, *before[:3]]
    assert json.loads(done.stdout)["ranked_by"] == f"--rerank-url {url}"
    assert f"the question and {len(before)} provisions go to --rerank-url {url}" in done.stderr
    (seen,) = server.seen
    assert (seen.path, seen.headers["Authorization"]) == ("/v1/rerank", f"Bearer {KEY}")
    assert {**seen.body, "documents": ""} == {
        "model": "bge:latest", "query": QUESTION, "top_n": len(before), "documents": "",
    }  # fmt: skip
    assert seen.body["documents"][0].startswith(f"《{LAW}》第")


def test_a_model_of_a_provider_is_asked_for_with_its_key(
    folder: Path, service: tuple[Service, LocalServer]
) -> None:
    _, server = service
    named = ("--rerank-url", server.url, "--rerank-model", "vllm:bge")
    assert ask(folder, *named, VLLM_API_KEY="another-key-0123456789").returncode == 0
    (seen,) = server.seen
    assert seen.headers["Authorization"] == "Bearer another-key-0123456789"
    assert seen.body["model"] == "bge"


def test_text_embeddings_inference_is_asked_in_its_own_form(
    folder: Path, service: tuple[Service, LocalServer]
) -> None:
    def say(asked: dict[str, Any]) -> object:
        if "texts" not in asked:
            return web.Response(status=422, text="missing field `texts`")
        assert asked["truncate"] is True
        assert len(asked["texts"]) <= 32
        return [{"index": n, "score": float("蓝船" in text)}
                for n, text in enumerate(asked["texts"])]  # fmt: skip

    says, server = service
    says.says = say
    assert found(ask(folder, "--rerank-url", server.url))[0] == "蓝船"
    assert {seen.path for seen in server.seen} == {"/rerank"}


def embed(asked: dict[str, Any]) -> dict[str, Any]:
    """Of the question a vector that is nearest to that of the green boat; long ones are farther."""

    def vector(text: str) -> list[float]:
        if text == QUESTION or "绿船" in text:
            return [0.001, 0.002]
        return [300.0, 100.0] if "红船" in text else [-1.0, 0.0]

    items = [{"embedding": vector(text), "index": n} for n, text in enumerate(asked["input"])]
    return {"object": "list", "data": items[::-1]}


def test_by_embeddings_the_nearest_direction_comes_first(
    folder: Path, service: tuple[Service, LocalServer]
) -> None:
    says, server = service
    says.says = embed
    done = ask(folder, "--embeddings-url", f"{server.url}/v1", "--rerank-model", "m3")
    assert found(done)[:2] == ["绿船", "红船"]
    assert {seen.path for seen in server.seen} == {"/v1/embeddings"}
    assert all(seen.body["model"] == "m3" for seen in server.seen)
    assert max(len(seen.body["input"]) for seen in server.seen) == 10


def result(index: object, score: object) -> object:
    return {"results": [{"index": 0, "relevance_score": 1}, {"index": index, "score": score}]}


@pytest.mark.parametrize(
    ("says", "told"),
    [
        (result(99, 1), "there is no text 99"),
        (result(-1, 1), "there is no text -1"),
        (result(0, 1), "text 0 of 23 gets 1.0 again"),
        (result(1.5, 1), "$.results[1].index"),
        (result(1, "1"), "$.results[1].score"),
        (result(1, None), "text 1 has neither relevance_score nor score"),
        ('{"results": [{"index": 0, "score": NaN}]}', "not JSON"),
        ('{"results": [{"index": 0, "score": 1e999}]}', "not JSON"),
        ({"results": []}, "none of 23 texts got a score"),
        ("{}", "none of 23 texts got a score"),
        ("7", "not a JSON object"),
        ("<html>", "not JSON"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_what_cannot_be_is_an_error(
    folder: Path, service: tuple[Service, LocalServer], says: object, told: str
) -> None:
    service[0].says = lambda _: says
    done = ask(folder, "--rerank-url", service[1].url)
    assert (done.returncode, done.stdout) == (1, ""), done.stdout
    assert told in done.stderr
    assert f"--rerank-url {service[1].url}" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda data: data.pop(), "not one vector"),
        (lambda data: data.append(data[0]), "not one vector"),
        (lambda data: data[1]["embedding"].append(1.0), "of one length"),
        (lambda data: data[1].update(embedding=[]), "no length"),
        (lambda data: data[1].update(embedding=[0.0, 0.0]), "no length"),
        (lambda data: data[1].update(embedding=[1e308] * 9), "not finite"),
    ],
)
def test_vectors_that_cannot_be_compared_are_an_error(
    folder: Path,
    service: tuple[Service, LocalServer],
    spoil: Callable[[list[dict[str, Any]]], object],
    told: str,
) -> None:
    def say(asked: dict[str, Any]) -> object:
        said = embed(asked)
        spoil(said["data"])
        return said

    service[0].says = say
    done = ask(folder, "--embeddings-url", service[1].url)
    assert (done.returncode, told in done.stderr) == (1, True), done.stderr


class Liar:
    name = "--moon-url moon"

    def __init__(self, *said: tuple[int, float]) -> None:
        self.said = said

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[tuple[int, float]]:
        return self.said


@pytest.mark.parametrize(
    "said", [(), ((0, math.nan),), ((0, math.inf),), ((-1, 1),), ((9, 1),), ((0, 1), (0, 2))]
)
def test_whoever_ranks_is_believed_only_what_can_be(
    folder: Path, said: tuple[tuple[int, float], ...]
) -> None:
    with Library.open(folder / "law.sqlite") as library:
        hits = search(library, QUESTION, limit=9)
    assert len(hits) == 9
    assert rank_again(hits, QUESTION, Liar((8, 1.0))) == [hits[8], *hits[:8]]
    with pytest.raises(HengfaError, match="--moon-url moon: "):
        rank_again(hits, QUESTION, Liar(*said))


def test_a_failure_is_told_without_the_key(
    folder: Path, service: tuple[Service, LocalServer]
) -> None:
    says, server = service
    says.says = lambda _: web.Response(status=500, text=f"broken by {KEY}")
    done = ask(folder, "--rerank-url", f"{server.url}/v1?api_key=hidden-parameter")
    assert done.returncode == 1
    assert "HTTP 500" in done.stderr
    assert KEY not in done.stderr
    assert "hidden-parameter" not in done.stderr
    assert len(server.seen) == 1


def test_a_redirect_is_not_followed(folder: Path, service: tuple[Service, LocalServer]) -> None:
    says, server = service
    with in_thread(LocalServer(Service())) as other:
        says.says = lambda _: web.Response(status=307, headers={"Location": f"{other.url}/rerank"})
        done = ask(folder, "--rerank-url", server.url)
        assert (done.returncode, "HTTP 307" in done.stderr) == (1, True), done.stderr
        assert not other.seen


@pytest.mark.parametrize("gap", [0.05, 30])
def test_a_service_that_is_slow_is_given_up(
    folder: Path,
    service: tuple[Service, LocalServer],
    monkeypatch: pytest.MonkeyPatch,
    gap: float,
) -> None:
    monkeypatch.setattr(ranking_service, "SECONDS", 0.2)
    service[0].gap = gap
    done = ask(folder, "--rerank-url", service[1].url)
    assert (done.returncode, "no reply within 0.2 s" in done.stderr) == (1, True), done.stderr


def test_nobody_is_asked_without_the_option_or_where_nothing_was_found(
    folder: Path, service: tuple[Service, LocalServer]
) -> None:
    _, server = service
    found(ask(folder))
    named = ("--library", "law.sqlite", "--rerank-url", server.url)
    done = hengfa("law", "search", "“潜水艇”", *named, cwd=folder)
    assert "nothing found" in done.stderr
    assert not server.seen


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--rerank-model", "x"), "--rerank-model is for it"),
        (("--rerank-url", "http://x", "--embeddings-url", "http://x"), "one of them"),
        (("--rerank-url", "x"), "--rerank-url: 'x' does not begin with http"),
        (("--rerank-url", "https://user:word@x"), "a request can carry only one"),
    ],
)
def test_options_that_do_not_fit(folder: Path, options: tuple[str, ...], told: str) -> None:
    done = ask(folder, *options)
    assert (done.returncode, told in done.stderr) == (2, True), done.stderr
