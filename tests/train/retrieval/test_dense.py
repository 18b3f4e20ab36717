"""Search by vectors, exact and approximate; folders like those of other indexes; reranking."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.train.recipes.tiny_models import (
    ARTICLES,
    FACTS,
    needs_torch,
    one_thread,
    write_tiny_encoder,
)

from hengfa.base.errors import DataError, MissingExtra, UsageError
from hengfa.law.retrieval.corpus import Corpus, Document
from hengfa.law.retrieval.index import Index
from hengfa.law.retrieval.methods import NAMED
from hengfa.law.retrieval.opening import Reranked, holds_vectors, open_index
from hengfa.train.retrieval import dense, neural
from hengfa.train.retrieval.dense import DenseIndex, Near, VectorSearch, graph_file
from hengfa.train.retrieval.neural import (
    RERANKER_SETTINGS,
    CrossEncoder,
    PairLengths,
    TextEncoder,
    read_lengths,
)

__all__ = ["one_thread"]  # used by every test here
DOCUMENTS = [Document(name, text, f"第{name}条") for name, text in ARTICLES.items()]
needs_faiss = pytest.mark.optional("faiss")


@settings(deadline=None)
@given(
    st.lists(st.lists(st.integers(-2, 2), min_size=2, max_size=2), min_size=1, max_size=30),
    st.integers(0, 12),
    st.randoms(use_true_random=False),
)
def test_exact_search_is_sorting_by_score_then_by_the_later_id(
    rows: list[list[int]], k: int, chance: object
) -> None:
    vectors = np.array(rows, np.float32)
    ids = [str(number) for number in range(len(rows))]
    query = np.array([[2, -1]], np.float32)
    scores = (query @ vectors.T)[0].tolist()
    expected = sorted(range(len(rows)), key=lambda n: (scores[n], ids[n]), reverse=True)[:k]
    (found,) = VectorSearch(ids, vectors).search(query, k)
    assert [place for place, _ in found] == expected
    assert [score for _, score in found] == [scores[place] for place in expected]


@needs_torch
@pytest.mark.parametrize("spare", [0, 1, 32])
@pytest.mark.parametrize("copies", [1, 7])
def test_search_on_a_card_finds_the_same(
    spare: int, copies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way of a card, here on the processor; passages that repeat tie."""
    dice = np.random.default_rng(copies)
    vectors = np.tile(dice.normal(size=(120, 24)).astype(np.float32), (copies, 1))
    vectors = vectors[dice.permutation(len(vectors))]
    queries = dice.normal(size=(40, 24)).astype(np.float32)
    ids = [str(number) for number in range(len(vectors))]
    only = dice.random(len(vectors)) < 0.1
    plain = VectorSearch(ids, vectors)
    monkeypatch.setattr(dense, "card", lambda _room: "cpu")
    monkeypatch.setattr(dense, "_SPARE", spare)
    on_card = VectorSearch(ids, vectors)
    for k in (1, 5, 30, len(vectors)):
        for allowed in (None, only):
            assert on_card.search(queries, k, allowed) == plain.search(queries, k, allowed)


def test_scores_do_not_depend_on_how_single_precision_rounds() -> None:
    """In single precision 2^24 + 1 - 2^24 is 0, so that the first would tie with the second."""
    vectors = np.array([[2.0**24, 1, -(2.0**24)], [0, 0.5, 0]], np.float32)
    (found,) = VectorSearch(["a", "b"], vectors).search(np.ones((1, 3), np.float32), 1)
    assert found == [(0, 1.0)]


def test_only_what_may_be_found_is_found() -> None:
    vectors = np.eye(3, dtype=np.float32)
    search = VectorSearch(["a", "b", "c"], vectors)
    (found,) = search.search(vectors[:1], 3, only=np.array([False, True, True]))
    assert [place for place, _ in found] == [2, 1]
    assert search.search(vectors[:1], 3, only=np.zeros(3, bool)) == [[]]


def test_ids_and_vectors_must_match() -> None:
    with pytest.raises(UsageError, match="2 passages have 1 vectors"):
        VectorSearch(["a", "b"], np.zeros((1, 2), np.float32))


@needs_faiss
def test_approximate_search_finds_nearly_all_of_the_nearest() -> None:
    dice = np.random.default_rng(0)
    vectors = dice.normal(size=(2000, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = [str(number) for number in range(len(vectors))]
    queries = vectors[:100] + dice.normal(scale=0.1, size=(100, 16)).astype(np.float32)
    exact = VectorSearch(ids, vectors).search(queries, 10)
    near = VectorSearch(ids, vectors, approximate=True).search(queries, 10)
    shared = [
        len({place for place, _ in one} & {place for place, _ in other})
        for one, other in zip(exact, near, strict=True)
    ]
    assert sum(shared) / 1000 > 0.95


@needs_faiss
def test_a_graph_is_built_once_and_again_where_it_does_not_fit(tmp_path: Path) -> None:
    dice = np.random.default_rng(1)
    vectors = dice.normal(size=(600, 8)).astype(np.float32)
    ids = [str(number) for number in range(len(vectors))]
    keep = tmp_path / "home" / "graph.faiss"
    seen: list[tuple[int, int]] = []

    def nearest(some: int) -> list[Near]:
        seen.clear()
        search = VectorSearch(
            ids[:some],
            vectors[:some],
            approximate=True,
            keep=keep,
            watch=lambda done, whole: seen.append((done, whole)),
        )
        return search.search(vectors[:20], 5)

    built = nearest(600)
    assert seen == [(0, 600), (512, 600)]
    assert nearest(600) == built
    assert not seen  # read, not built
    assert vectors[0].tobytes() not in keep.read_bytes()  # the links alone
    assert nearest(100) != built  # a graph of 600 is not one of 100
    assert seen == [(0, 100)]
    keep.write_bytes(keep.read_bytes()[:1000])
    nearest(600)
    assert seen


def test_the_place_of_a_graph_cannot_be_led_elsewhere(own_home: Path) -> None:
    file = graph_file("../../elsewhere")
    assert file.parent == own_home / "indexes"
    assert ".." not in file.name
    assert graph_file("a") != graph_file("b")


def test_approximate_search_without_the_extra_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "faiss", None)
    with pytest.raises(MissingExtra, match=r'pip install "\.\[dense\]"'):
        VectorSearch(["a"], np.zeros((1, 2), np.float32), approximate=True)


@needs_torch
def test_an_index_can_be_kept_and_opened_again(tmp_path: Path) -> None:
    encoder = write_tiny_encoder(tmp_path / "encoder")
    built = DenseIndex.build(DOCUMENTS, encoder)
    queries = [fact.text for fact in FACTS]
    found = built.search(queries, 3)
    built.write(tmp_path / "index")
    opened = DenseIndex.open(tmp_path / "index")
    assert opened.search(queries, 3) == found
    assert [len(hits) for hits in found] == [3] * len(FACTS)
    assert found[0][0].id == opened.ids[found[0][0].number]
    assert list(opened.texts) == list(ARTICLES.values())
    assert len(opened) == len(ARTICLES)


@needs_torch
def test_one_function_opens_indexes_of_both_kinds(tmp_path: Path) -> None:
    dense, words = tmp_path / "dense", tmp_path / "words"
    DenseIndex.build(DOCUMENTS, write_tiny_encoder(tmp_path / "encoder")).write(dense)
    Index.build(Corpus(tuple(DOCUMENTS)), NAMED["bm25-bigrams"]).write(words)
    assert (holds_vectors(dense), holds_vectors(words)) == (True, False)
    assert isinstance(open_index(dense), DenseIndex)
    assert isinstance(open_index(words), Index)
    for index in (open_index(dense), open_index(words)):
        assert index.search(["偷取蜂蜜"], 6)[0][0].id in index.ids
        assert list(index.texts) == list(ARTICLES.values())
    with pytest.raises(DataError, match="hengfa retrieve build"):
        open_index(tmp_path / "none")


@needs_torch
def test_an_index_that_lacks_something_is_refused(tmp_path: Path) -> None:
    index = DenseIndex.build(DOCUMENTS, write_tiny_encoder(tmp_path / "encoder"))
    index.write(tmp_path / "index")
    manifest = tmp_path / "index" / "manifest.json"
    document = json.loads(manifest.read_text())
    del document["arrays"]["names.starts"]
    manifest.write_text(json.dumps(document))
    with pytest.raises(DataError, match=r"lacks the array 'names\.starts': build it anew"):
        open_index(tmp_path / "index")


@needs_torch
def test_an_encoder_that_was_trained_further_is_refused(tmp_path: Path) -> None:
    encoder = write_tiny_encoder(tmp_path / "encoder")
    DenseIndex.build(DOCUMENTS, encoder).write(tmp_path / "index")
    changed = TextEncoder.load(encoder)
    with import_module("torch").no_grad():
        next(changed.model.parameters()).mul_(1.2)
    changed.save(encoder)
    with pytest.raises(UsageError, match="gives other vectors"):
        open_index(tmp_path / "index")


@needs_torch
def test_an_index_made_in_half_precision_is_opened_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that was made on a card and is opened on a machine without."""
    encoder = write_tiny_encoder(tmp_path / "encoder")
    with monkeypatch.context() as on_card:
        on_card.setattr(neural, "precision", lambda _device: import_module("torch").bfloat16)
        built = DenseIndex.build(DOCUMENTS, encoder)
        built.write(tmp_path / "index")
    first = [hits[0].id for hits in built.search([fact.text for fact in FACTS], 1)]
    opened = open_index(tmp_path / "index").search([fact.text for fact in FACTS], 1)
    assert [hits[0].id for hits in opened] == first


class ByLength:
    """Stands for a cross-encoder: a long passage is a good one."""

    def rerank(
        self, _query: str, passages: Mapping[str, str], *, watch: Callable[[int], None]
    ) -> list[tuple[str, float]]:
        watch(len(passages))
        scores = {name: float(len(text)) for name, text in passages.items()}
        return sorted(scores.items(), key=lambda one: (one[1], one[0]), reverse=True)


@settings(deadline=None)
@given(
    texts=st.lists(st.text("蜂蜜", min_size=2, max_size=5), min_size=1, max_size=8),
    k=st.integers(1, 9),
    depth=st.integers(1, 9),
)
def test_reranking_changes_the_first_hits_alone(texts: list[str], k: int, depth: int) -> None:
    documents = tuple(Document(str(place), text) for place, text in enumerate(texts))
    index = Index.build(Corpus(documents), NAMED["bm25-bigrams"])
    queries = ["蜂蜜蜂", "蜜蜜"]
    told: list[tuple[int, int]] = []
    reranked = Reranked(index, cast("CrossEncoder", ByLength()), depth)
    found = reranked.search(queries, k, watch=lambda *counts: told.append(counts))
    before = index.search(queries, len(texts))
    for hits, plain in zip(found, before, strict=True):
        names = [hit.id for hit in plain]
        first = sorted(names[:depth], key=lambda name: (len(texts[int(name)]), name), reverse=True)
        assert [hit.id for hit in hits] == (first + names[depth:])[:k]
        assert [index.ids[hit.number] for hit in hits] == [hit.id for hit in hits]
        # trec_eval, which goes by scores and ids, sees the same order.
        assert hits == sorted(hits, key=lambda hit: (hit.score, hit.id), reverse=True)
    read = sum(len(plain[:depth]) for plain in before)
    assert told[-1] == (read, read)
    assert len(reranked) == len(texts)


def test_a_reranker_reads_something() -> None:
    index = Index.build(Corpus(tuple(DOCUMENTS)), NAMED["bm25-bigrams"])
    with pytest.raises(UsageError, match="at least one hit"):
        Reranked(index, cast("CrossEncoder", ByLength()), 0)


@needs_torch
def test_lengths_of_a_reranker_lie_with_it(tmp_path: Path) -> None:
    base = write_tiny_encoder(tmp_path / "base")
    CrossEncoder(base, PairLengths(20, 30, 40)).save(tmp_path / "reranker")
    assert CrossEncoder.open(tmp_path / "reranker").lengths == PairLengths(20, 30, 40)
    assert read_lengths(base) == PairLengths()
    for wrong in ('{"query_tokens": "20"}', '{"tokens": 20}', "[", "[]"):
        (tmp_path / "reranker" / RERANKER_SETTINGS).write_text(wrong)
        with pytest.raises(DataError, match="lengths of a reranker"):
            CrossEncoder.open(tmp_path / "reranker")


@needs_torch
def test_an_index_of_words_is_not_taken_for_one_of_vectors(tmp_path: Path) -> None:
    Index.build(Corpus(tuple(DOCUMENTS)), NAMED["bm25-bigrams"]).write(tmp_path / "index")
    with pytest.raises(DataError, match="an index of words"):
        DenseIndex.open(tmp_path / "index")
    with pytest.raises(UsageError, match="at least one document"):
        DenseIndex.build([], tmp_path)
