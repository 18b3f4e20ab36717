"""CLaw with articles before the question: which are found, what is said of them, by which index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_cli import hengfa
from tests.evals.suites.test_claw_dataset import samples
from tests.train.recipes.tiny_models import needs_torch, one_thread, write_tiny_encoder

from hengfa.base.errors import UsageError
from hengfa.evals.engine.messages import Message
from hengfa.evals.suites.claw import locating, reciting
from hengfa.evals.suites.claw.dataset import facets_of
from hengfa.evals.suites.claw.suite import SUITE
from hengfa.evals.suites.plan import make_plan

__all__ = ["one_thread"]  # used by every test here
KIND = "provision in the prompt"
ASKED = "月湖渡船法/2015-09-20/5.1"
NAME = "《月湖渡船法》（2015-09-20）第五条："


def shown(message: Message) -> list[str]:
    """The names of the articles in a prompt."""
    lines = message.content.split("\n")
    return [line.partition(". ")[2].partition("：")[0] for line in lines if ". 《" in line[:5]]


def test_articles_are_shown_with_law_version_and_number() -> None:
    found = samples(setting="rag")
    assert found.keys() == samples().keys()
    one = found[ASKED]
    for task in (locating, reciting):
        (message,) = task.prompt(one, "rag")
        assert NAME in message.content
        assert message.content.endswith(task.prompt(samples()[ASKED], "all")[0].content)
        assert len(shown(message)) == 10
    assert len(shown(reciting.prompt(samples(setting="rag", k="3")[ASKED], "rag")[0])) == 3


def test_the_same_article_of_another_version_is_among_what_is_found() -> None:
    one = samples(setting="rag")["月湖养蜂法/2016-08-15/7"]
    names = shown(locating.prompt(one, "rag")[0])
    assert {"《月湖养蜂法》（2003-05-06）第七条", "《月湖养蜂法》（2016-08-15）第七条"} <= {*names}


def test_laws_are_searched_within_the_scope() -> None:
    def interpretations(scope: str) -> int:
        one = samples(setting="rag", scope=scope, k="100")[ASKED]
        return sum("解释》" in name for name in shown(locating.prompt(one, "rag")[0]))

    assert interpretations("claw") == 0 < interpretations("all")


def test_figures_can_be_taken_apart_by_what_was_found() -> None:
    content = SUITE.tasks["content"]
    assert content.facets is not None
    kinds = {content.facets(one)[KIND] for one in samples(setting="rag", k="1").values()}
    assert kinds == {"there", "not there"}
    assert content.facets(samples()[ASKED]) == facets_of(samples()[ASKED])


def test_the_english_set_shows_the_articles_too() -> None:
    for asked in make_plan("claw", data="sample", setting="rag", prompts="english").questions:
        one = next(sample for sample in asked.samples if sample.id == ASKED)
        content = asked.task.prompt(one, "rag")[0].content
        assert content.startswith("These articles were found") and NAME in content


def test_a_field_of_rag_is_refused_elsewhere() -> None:
    with pytest.raises(UsageError, match="provisions is of the setting rag"):
        reciting.FIELDS["provisions"](samples()[ASKED])


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    for words in (
        "law build sample -o law.sqlite",
        "law export --format corpus --library law.sqlite -o articles.jsonl",
    ):
        done = hengfa(*words.split(), cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def test_a_corpus_has_each_article_of_each_version_once(corpus: Path) -> None:
    lines = (corpus / "articles.jsonl").read_text("utf-8").splitlines()
    rows = {row["id"]: row for row in map(json.loads, lines)}
    assert len(rows) == len(lines)
    assert rows["月湖渡船法/2015-09-20/7-1"]["name"] == "《月湖渡船法》（2015-09-20）第七条之一"
    assert rows["月湖渡船法/2015-09-20/7-1"]["group"] == "月湖渡船法"
    assert rows["月湖渡船法/2008-03-12/6"]["text"].count("\n") > 2
    call = "law export --format corpus --role leaf --library law.sqlite"
    assert "a corpus has whole articles" in hengfa(*call.split(), cwd=corpus).stderr


def built(corpus: Path, name: str, *how: str) -> str:
    done = hengfa("retrieve", "build", "articles.jsonl", "-o", name, *how, cwd=corpus)
    assert done.returncode == 0, done.stderr
    return str(corpus / name)


def test_an_index_of_words_finds_what_the_library_does(corpus: Path) -> None:
    index = built(corpus, "words.index")
    ours, theirs = (samples(setting="rag", **chosen)[ASKED] for chosen in ({}, {"index": index}))
    assert reciting.prompt(ours, "rag") == reciting.prompt(theirs, "rag")
    assert theirs.shelf is not None and theirs.shelf.index == index


@needs_torch
def test_an_index_of_vectors_finds_articles(corpus: Path) -> None:
    write_tiny_encoder(corpus / "encoder")
    index = built(corpus, "dense.index", "--method", "dense", "--encoder", "encoder")
    one = samples(setting="rag", index=index, k="4")[ASKED]
    names = shown(reciting.prompt(one, "rag")[0])
    assert len({*names}) == 4
    assert all(name.startswith("《月湖") and "）第" in name for name in names)


def test_a_run_keeps_the_articles_that_were_shown(tmp_path: Path) -> None:
    call = "eval claw/content --setting rag --data sample --model floor --limit 4 --set k=2"
    done = hengfa(*call.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    results = ("results", "claw", "--run", "claw-rag-floor-sample", "--by", KIND, "--json")
    told = json.loads(hengfa(*results, cwd=tmp_path).stdout)
    kinds = told["tasks"]["content"]["kinds"]
    assert sum(kind["n"] for kind in kinds.values()) == 4
