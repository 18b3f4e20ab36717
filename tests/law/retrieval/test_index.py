"""An index of every method: scores by hand, round trips, strange queries, damaged folders."""

from __future__ import annotations

import json
import math
import pickle
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hengfa.base.data.output import MANIFEST
from hengfa.base.errors import DataError, UsageError
from hengfa.law.retrieval.corpus import Corpus, Document, Example
from hengfa.law.retrieval.index import BM25Index, Index, best_of
from hengfa.law.retrieval.methods import (
    BM25,
    NAMED,
    SUPERVISED,
    Frequency,
    Linear,
    Neighbours,
    Part,
    Plan,
    TfIdf,
)
from tests.law.retrieval.fictional import ARTICLES, CORPUS, EXAMPLES

PLANS: dict[str, Plan] = {**NAMED, "supervised": SUPERVISED}


def one(method: BM25 | TfIdf | Neighbours | Linear | Frequency) -> Plan:
    return (Part(method),)


def test_bm25_by_hand() -> None:
    documents = (Document("a", "茶茶园"), Document("b", "茶园外的湖"))
    index = Index.build(Corpus(documents), one(BM25("characters", "text", k1=1.0, b=0.5)))
    # 茶 and 园 stand in both of 2 texts, 湖 in one; mean length 4
    common, rare = math.log1p(0.5 / 2.5), math.log1p(1.5 / 1.5)
    short, long = 1.0 * (0.5 + 0.5 * 3 / 4), 1.0 * (0.5 + 0.5 * 5 / 4)
    wanted = [
        [common * 2 * 2 / (2 + short), common * 2 / (1 + long)],
        [0.0, 2 * rare * 2 / (1 + long)],
    ]
    assert np.allclose(index.scores(["茶", "湖湖"]), wanted, rtol=1e-6)
    assert [[hit.id for hit in hits] for hits in index.search(["茶", "湖湖"], 5)] == [
        ["a", "b"],
        ["b"],
    ]


def test_a_term_said_twice_counts_once_without_repeats() -> None:
    plan = one(BM25("characters", repeats=False))
    index = Index.build(Corpus(ARTICLES), plan)
    assert np.array_equal(index.scores(["湖湖湖"]), index.scores(["湖"]))


def test_okapi_rarity_has_a_floor() -> None:
    documents = tuple(
        Document(name, text) for name, text in (("a", "茶山"), ("b", "茶湖"), ("c", "茶"))
    )
    plan = one(BM25("characters", "text", k1=1.0, b=0.0, rarity="okapi"))
    scores = Index.build(Corpus(documents), plan).scores(["茶", "山"])
    rare, common = math.log(2.5) - math.log(1.5), math.log(0.5) - math.log(3.5)
    assert np.allclose(scores[1], [rare, 0, 0])
    assert np.allclose(scores[0], 0.25 * (rare + rare + common) / 3)


def test_tfidf_is_a_cosine() -> None:
    index = Index.build(Corpus(ARTICLES), one(TfIdf(fields="text")))
    scores = index.scores([document.text for document in ARTICLES])
    assert np.allclose(np.diag(scores), 1, atol=1e-6)
    assert np.allclose(scores, scores.T, atol=1e-6)


def test_tfidf_equals_scikit_learn() -> None:
    text = pytest.importorskip("sklearn.feature_extraction.text")
    texts, queries = [one.text for one in ARTICLES], ["偷拿茶叶  Tea", "湖证", ""]
    for sublinear in (True, False):
        vectors = text.TfidfVectorizer(
            analyzer="char", ngram_range=(1, 3), sublinear_tf=sublinear, min_df=2
        )
        documents = vectors.fit_transform(texts)
        wanted = (vectors.transform(queries) @ documents.T).toarray()
        plan = one(TfIdf("grams", "text", sublinear, 2))
        assert np.allclose(Index.build(Corpus(ARTICLES), plan).scores(queries), wanted, atol=1e-6)


def test_neighbours_vote_with_their_share_of_the_similarity() -> None:
    examples = (Example("x", "甲乙", ("1",)), Example("y", "甲丙", ("1", "2")))
    index = Index.build(Corpus((), examples), one(Neighbours("characters", k=2, least=1)))
    scores = index.scores(["甲乙", "甲", "丁"])
    assert list(index.ids) == ["1", "2"]
    assert np.allclose(scores[:, 0], [1, 1, 0], atol=1e-6)
    assert np.isclose(scores[1, 1], 0.5, atol=1e-6)
    assert 0 < scores[0, 1] < 0.5
    nearest = Index.build(Corpus((), examples), one(Neighbours("characters", k=1, least=1)))
    assert np.allclose(nearest.scores(["甲乙"]), [[1, 0]], atol=1e-6)


def test_neighbours_can_vote_for_the_whole_law() -> None:
    index = Index.build(CORPUS, one(Neighbours(k=1, least=1, level="group")))
    scores = index.scores(["持过期湖证捕鱼"])[0]
    by_id = dict(zip(index.ids, scores.tolist(), strict=True))
    assert by_id["10"] == pytest.approx(1, abs=1e-6)
    assert by_id["1"] == 0


def test_frequency_is_the_share_of_examples_also_of_those_without_a_text() -> None:
    corpus = Corpus(ARTICLES, (*EXAMPLES, Example("g", "", ("2-1",)), Example("h", "", ("3",))))
    index = Index.build(corpus, one(Frequency()))
    by_id = dict(zip(index.ids, index.scores(["什么"])[0].tolist(), strict=True))
    assert by_id == pytest.approx({"1": 2 / 8, "2": 2 / 8, "2-1": 1 / 8, "3": 4 / 8, "10": 2 / 8})
    groups = Index.build(CORPUS, one(Frequency("group"))).scores([""])[0]
    # five examples name the first law, two the second
    assert groups.tolist() == pytest.approx(
        [1, 1, 1, 1, math.log1p(2 / 0.05) / math.log1p(5 / 0.05)]
    )


def test_sources_are_kept_apart() -> None:
    corpus = Corpus((), (Example("a", "甲乙", ("1",), "one"), Example("b", "甲乙", ("2",), "two")))
    index = Index.build(corpus, one(Neighbours("characters", least=1, source="two")))
    assert [hit.id for hit in index.search(["甲"], 5)[0]] == ["2"]
    index = Index.build(corpus, one(Frequency(source="one")))
    assert index.scores([""]).tolist() == [[1, 0]]


def test_the_linear_classifier_learns_what_tells_labels_apart() -> None:
    pytest.importorskip("sklearn")
    index = Index.build(CORPUS, one(Linear(least=1)))
    best = [hits[0].id for hits in index.search(["偷拿茶叶", "醉后驾驶", "捕鱼"], 1)]
    assert best == ["1", "2", "10"]
    assert index.scores(["偷拿茶叶"])[0, 2] == 0  # no example bears 2-1


def test_the_linear_classifier_equals_scikit_learn() -> None:
    pytest.importorskip("sklearn")
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    vectors = TfidfVectorizer(analyzer="char", ngram_range=(1, 3), sublinear_tf=True, min_df=2)
    learned = vectors.fit_transform([one.text for one in EXAMPLES])
    model = LogisticRegression(C=10, solver="liblinear", random_state=0)
    model.fit(learned, ["3" in one.labels for one in EXAMPLES])
    wanted = model.predict_proba(vectors.transform(["主动说明", "湖"]))[:, 1]
    index = Index.build(CORPUS, one(Linear("grams")))
    found = index.scores(["主动说明", "湖"])[:, list(index.ids).index("3")]
    assert np.allclose(found, wanted, atol=1e-4)


def test_a_label_that_all_bear_is_given_its_odds() -> None:
    pytest.importorskip("sklearn")
    examples = (Example("a", "甲乙", ("1",)), Example("b", "甲丙", ("1",)))
    index = Index.build(Corpus((), examples), one(Linear("characters", least=1)))
    assert index.scores(["丁"]).tolist() == [[pytest.approx(3 / 4)]]


def test_fusion_adds_scaled_scores() -> None:
    lexical, near = BM25("bigrams"), Neighbours(least=1)
    plan = (Part(lexical, 0.25, "max"), Part(near, 2.0))
    query = ["主动说明偷拿茶叶", "没有一个字"]
    fused = Index.build(CORPUS, plan).scores(query)
    first, second = (Index.build(CORPUS, one(m)).scores(query) for m in (lexical, near))
    assert np.allclose(fused[0], 0.25 * first[0] / first[0].max() + 2 * second[0], atol=1e-6)
    assert (fused[1] == 2 * second[1]).all()


def test_of_equal_scores_the_later_id_as_text_comes_first() -> None:
    documents = tuple(Document(str(number), "同样的话") for number in (1, 10, 9, 2))
    index = Index.build(Corpus(documents), NAMED["bm25-bigrams"])
    assert [hit.id for hit in index.search(["同样"], 4)[0]] == ["9", "2", "10", "1"]
    assert [hit.id for hit in index.search(["同样"], 2)[0]] == ["9", "2"]


def test_only_some_targets_may_be_searched() -> None:
    index = Index.build(Corpus(ARTICLES), NAMED["bm25-bigrams"])
    only = np.array([document.id != "2" for document in ARTICLES])
    assert [hit.id for hit in index.search(["停驾"], 5, only=only)[0]] == ["2-1"]


@pytest.mark.parametrize("name", PLANS)
def test_every_method_comes_back_from_its_folder_and_is_the_same_bytes(
    name: str, tmp_path: Path
) -> None:
    if name in {"linear", "supervised"}:
        pytest.importorskip("sklearn")
    queries = ["偷拿茶叶，主动说明", "醉后驾驶", "湖", "", "xyz", " \n\t"]
    built = Index.build(CORPUS, PLANS[name])
    for folder in (tmp_path / "one", tmp_path / "two"):
        Index.build(CORPUS, PLANS[name]).write(folder)
    opened = Index.open(tmp_path / "one")
    assert opened.plan == built.plan
    assert np.array_equal(opened.scores(queries), built.scores(queries))
    assert opened.search(queries, 3) == built.search(queries, 3)
    assert list(opened.texts) == [document.text for document in ARTICLES]
    files = sorted(file.name for file in (tmp_path / "one").iterdir())
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    listed = json.loads((tmp_path / "one" / MANIFEST).read_text())["arrays"]
    for array_name, array in listed.items():
        content = (tmp_path / "one" / f"{array_name}.npy").read_bytes()
        assert array == {"size": len(content), "sha256": sha256(content).hexdigest()}


@pytest.mark.parametrize("name", PLANS)
def test_strange_queries_find_something_or_nothing_but_never_fail(name: str) -> None:
    if name in {"linear", "supervised"}:
        pytest.importorskip("sklearn")
    index = Index.build(CORPUS, PLANS[name])
    long = "某甲偷拿茶叶。" * 150_000
    found = index.search(["", "𠮷㐀\ud800", "\x00", "unknown words", long], 3)
    assert len(found) == 5
    assert found[4]
    assert all(np.isfinite(index.scores(["", long])).ravel())


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.text(alphabet="茶园湖山路人 a", max_size=12), min_size=1, max_size=8),
    st.lists(st.text(alphabet="茶园湖山路人 a", max_size=12), max_size=4),
    st.integers(1, 9),
)
def test_search_is_sorting_all_scores(texts: list[str], queries: list[str], k: int) -> None:
    documents = tuple(Document(str(number), text) for number, text in enumerate(texts))
    index = Index.build(Corpus(documents), NAMED["bm25-bigrams"])
    scores = index.scores(queries)
    for row, hits in zip(scores, index.search(queries, k), strict=True):
        ranked = sorted(((float(s), str(n)) for n, s in enumerate(row) if s > 0), reverse=True)
        assert [(hit.score, hit.id) for hit in hits] == ranked[:k]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.text(max_size=20), max_size=6))
def test_any_texts_make_an_index_that_comes_back(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    documents = tuple(Document(str(number), text) for number, text in enumerate(texts))
    folder = tmp_path_factory.mktemp("index") / "i"
    built = Index.build(Corpus(documents), NAMED["tfidf"])
    built.write(folder)
    opened = Index.open(folder)
    assert list(opened.texts) == texts
    assert np.array_equal(opened.scores(texts), built.scores(texts))


def test_an_index_replaces_an_index_but_nothing_else(tmp_path: Path) -> None:
    Index.build(Corpus(ARTICLES), NAMED["tfidf"]).write(tmp_path / "i")
    Index.build(Corpus(ARTICLES[:2]), NAMED["tfidf"]).write(tmp_path / "i")
    assert len(Index.open(tmp_path / "i")) == 2
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match=r"not ours.*letter\.txt"):
        Index.build(Corpus(ARTICLES), NAMED["tfidf"]).write(tmp_path / "mine")
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["i", "mine"]


def test_a_damaged_folder_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "i"
    with pytest.raises(DataError, match="no index here"):
        Index.open(folder)
    Index.build(Corpus(ARTICLES), NAMED["tfidf"]).write(folder)
    weights = folder / "0.weights.npy"
    content = weights.read_bytes()
    weights.write_bytes(content[:-4])
    with pytest.raises(DataError, match=r"0\.weights\.npy: not the size"):
        Index.open(folder)
    manifest = (folder / MANIFEST).read_text()
    (folder / MANIFEST).write_text(manifest.replace("hengfa-index-1", "hengfa-index-9"))
    with pytest.raises(DataError, match="hengfa-index-9"):
        Index.open(folder)
    (folder / MANIFEST).write_text("{}")
    with pytest.raises(DataError, match=r"manifest\.json"):
        Index.open(folder)


def test_a_manifest_cannot_name_a_file_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / "i"
    Index.build(Corpus(ARTICLES), NAMED["tfidf"]).write(folder)
    manifest = (folder / MANIFEST).read_text()
    (folder / MANIFEST).write_text(manifest.replace('"0.idf"', '"../0.idf"'))
    with pytest.raises(DataError, match="not a name of an array"):
        Index.open(folder)


def test_methods_that_learn_need_examples() -> None:
    for name in ("knn", "linear", "frequency"):
        with pytest.raises(UsageError, match="labels"):
            Index.build(Corpus(ARTICLES), NAMED[name])
    with pytest.raises(UsageError, match="at least one"):
        Index.build(CORPUS, ())


def test_without_scikit_learn_the_classifier_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    with pytest.raises(Exception, match=r"\.\[retrieval\]"):
        Index.build(CORPUS, one(Linear()))
    assert len(Index.build(CORPUS, one(BM25())))  # the other ways do not need it


def test_bm25_index_gives_numbers_and_of_equals_the_earlier() -> None:
    index = BM25Index(["山路", "茶园的茶", "茶园", "茶园"])
    assert index.search(["茶园", "湖", ""], 3) == [[2, 3, 1], [], []]
    assert BM25Index([]).search(["茶园"], 3) == [[]]
    assert BM25Index(["", "茶"]).search(["茶园", ""], 3) == [[], []]


@given(st.data(), st.integers(1, 6), st.integers(1, 120))
@settings(max_examples=150, deadline=None)
def test_the_best_are_those_of_a_plain_sort(data: st.DataObject, k: int, targets: int) -> None:
    """Few different scores, so that many are equal; from fewer targets than hits to many."""
    rows = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=targets, max_size=targets)
    scores = np.array(data.draw(st.lists(rows, min_size=1, max_size=3)), np.float32)
    precedence = np.array(data.draw(st.permutations(range(targets))), np.int64)
    places, points, sizes = best_of(scores, precedence, k)
    for row, (place, point, size) in enumerate(zip(places, points, sizes, strict=True)):
        hits = [each for each in range(targets) if scores[row, each] > 0]
        hits.sort(key=lambda each: (-scores[row, each], -precedence[each]))
        assert place[:size].tolist() == hits[:k]
        assert point[:size].tolist() == scores[row, hits[:k]].tolist()


DAMAGE: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "beyond": lambda array: np.full_like(array, 2**30),
    "negative": lambda array: np.full_like(array, -1),
    "shorter": lambda array: array[:-1],
    "longer": lambda array: np.concatenate([array, array]),
    "other kind": lambda array: array.astype(np.float16),
    "more dimensions": lambda array: array.reshape(1, -1),
    "nothing": lambda array: array[:0],
}


def put_array(folder: Path, name: str, array: NDArray[Any]) -> None:
    """Replace an array of an index, and say so in its manifest."""
    file = folder / f"{name}.npy"
    np.save(file, array)
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["arrays"][name]["size"] = file.stat().st_size
    (folder / MANIFEST).write_text(json.dumps(manifest))


PLACES = ["ids.starts", "precedence", "0.starts", "0.targets", "0.labels", "0.label_starts"]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", PLACES)
def test_places_outside_an_array_are_refused_when_it_is_opened(
    tmp_path: Path, name: str, damage: str
) -> None:
    index = Index.build(CORPUS, (Part(Neighbours(least=1)),))
    index.write(tmp_path / "i")
    put_array(tmp_path / "i", name, DAMAGE[damage](np.load(tmp_path / "i" / f"{name}.npy")))
    with pytest.raises(DataError, match="build it anew"):
        Index.open(tmp_path / "i")


@pytest.mark.parametrize("plan", NAMED)
def test_every_array_is_needed_and_checked(tmp_path: Path, plan: str) -> None:
    Index.build(CORPUS, NAMED[plan]).write(tmp_path / "i")
    manifest = (tmp_path / "i" / MANIFEST).read_text()
    for name in json.loads(manifest)["arrays"]:
        document = json.loads(manifest)
        del document["arrays"][name]
        (tmp_path / "i" / MANIFEST).write_text(json.dumps(document))
        with pytest.raises(DataError, match=f"lacks the array '{re.escape(name)}'"):
            Index.open(tmp_path / "i")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x05\x06" + bytes(18),
        pickle.dumps([1, 2]),
        b"\x93NUMPY\x01\x00\x10\x00{'descr': '|O'}\n",
        b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (9999999,), }\n",
        b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (-1,), }\n",
        b"\x93NUMPY\x01\x00v\x00" + b"(" * 5000,
    ],
)
def test_a_file_that_is_no_array_of_ours_is_refused(tmp_path: Path, content: bytes) -> None:
    Index.build(Corpus(ARTICLES), NAMED["tfidf"]).write(tmp_path / "i")
    (tmp_path / "i" / "precedence.npy").write_bytes(content)
    manifest = json.loads((tmp_path / "i" / MANIFEST).read_text())
    manifest["arrays"]["precedence"]["size"] = len(content)
    (tmp_path / "i" / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(DataError, match=r"precedence\.npy"):
        Index.open(tmp_path / "i")


def test_a_text_that_is_no_utf_8_is_named(tmp_path: Path) -> None:
    Index.build(Corpus(ARTICLES), NAMED["tfidf"]).write(tmp_path / "i")
    content = np.load(tmp_path / "i" / "texts.content.npy")
    put_array(tmp_path / "i", "texts.content", np.full_like(content, 0xFF))
    with pytest.raises(DataError, match=r"texts\.content\.npy, row 0: damaged"):
        Index.open(tmp_path / "i").texts[0]
