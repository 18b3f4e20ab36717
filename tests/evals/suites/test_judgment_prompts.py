"""Examples, provisions and related judgments in prompts; nothing of the case itself."""

from __future__ import annotations

import shutil
from pathlib import Path
from statistics import fmean

import pytest
from tests.evals.suites.test_judgment_cases import rows
from tests.train.recipes.tiny_models import needs_torch, write_tiny_encoder

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import UsageError
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.judgment import prompts
from hengfa.evals.suites.judgment.cases import FOLDS, fold_of
from hengfa.evals.suites.judgment.dataset import AskedWith, JudgmentSample, asked_with, load
from hengfa.evals.suites.judgment.prompts import (
    STATUTES_FILE,
    context_of,
    make_contexts,
    read_provisions,
    sample_prompt,
    statutes_in_prompt,
)
from hengfa.evals.suites.judgment.suite import DOCUMENT, SUITE
from hengfa.law.retrieval.corpus import Corpus, Document
from hengfa.law.retrieval.index import Index
from hengfa.law.retrieval.methods import LEXICAL
from hengfa.law.retrieval.opening import open_index
from hengfa.train.retrieval.dense import DenseIndex

ROOT = sample_root() / "judgment"
OTHER = "某人在湖边放风筝，线断了，打碎了别人的灯笼。" * 4


def samples(method: str, **options: str) -> list[JudgmentSample]:
    return load(ROOT, method, SUITE.choose(options))


def asked(cases: Path | str, **options: str) -> AskedWith:
    return asked_with(ROOT, {"cases": str(cases), **options})


def text_of(sample: JudgmentSample) -> str:
    return sample_prompt(sample)[-1].content


def test_without_a_choice_cases_come_from_the_other_folds_and_that_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    prompts._contexts.cache_clear()
    assert context_of(samples("rag")[0]) == context_of(samples("rag", cases="folds")[0])
    (said,) = caplog.messages
    assert "other fifths of the test set" in said
    assert "train.json is not there" in said


def test_a_training_split_in_the_data_is_used_and_leaks_in_it_are_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    root = tmp_path / "judge"
    shutil.copytree(ROOT, root)
    sample = samples("rag")[0]
    own = {"text_id": "own", "text": sample.fact, "la": [264], "fd": sample.document}
    other = {"text_id": "other", "text": OTHER, "la": [275], "fd": "另案判决"}
    rows(root / "data" / "train.json", own, other)
    (asked, *_) = load(root, "few-shot", SUITE.choose({}))
    assert context_of(asked).examples == ("另案判决",)
    assert context_of(asked).refused == 1
    (said,) = caplog.messages
    assert said.startswith("1 of 2 judgments are refused")
    assert said.endswith("1 of 8 test cases: own")
    rules = DOCUMENT.rule_set(Rules.OFFICIAL, root)
    metrics = rules.score(asked, rules.read(asked.document)).metrics
    assert metrics["cases_refused"] == 1
    assert "statutes_in_prompt" not in metrics


def test_folds_never_show_a_case_of_the_same_fold() -> None:
    every = samples("rag", cases="folds", related="3")
    documents = {one.document.strip(): fold_of(one.id) for one in every}
    for sample in every:
        shown = context_of(sample).cases
        assert fold_of(sample.id) not in {documents[text.strip()] for text in shown}
        assert sample.document.strip() not in text_of(sample)
    assert {fold_of(str(number)) for number in range(200)} == set(range(FOLDS))


def test_a_case_that_is_too_close_to_the_facts_is_refused_for_all(tmp_path: Path) -> None:
    first, second, *_ = samples("rag")
    copied = {"id": "copy", "fact": first.fact, "document": "抄来的判决"}
    retold = {"id": "near", "fact": first.fact + "又及。", "document": "改写的判决"}
    other = {"id": "other", "fact": OTHER, "document": "另案"}
    file = rows(tmp_path / "c.jsonl", copied, retold, other)
    contexts, (leaks,) = make_contexts(asked(file, related="3"), "rag")
    assert contexts[first.id].cases == contexts[second.id].cases == ("另案",)
    assert (contexts[first.id].refused, contexts[second.id].refused) == (2, 0)
    assert contexts[first.id].case_ids == ("other",)
    assert leaks.refused == {0, 1}


def test_a_refused_case_teaches_nothing_about_provisions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the labels of a test case would come back through its own copy."""
    monkeypatch.setattr(prompts, "ENOUGH_LABELLED", 1)
    sample = samples("rag")[0]
    copied = {"id": "copy", "fact": sample.fact, "document": "抄", "articles": ["345"]}
    other = {"id": "other", "fact": OTHER, "document": "另案", "articles": ["275"]}
    taught = []
    for file in (
        rows(tmp_path / "with.jsonl", copied, other),
        rows(tmp_path / "without.jsonl", other),
    ):
        contexts, _ = make_contexts(asked(file, provisions="3"), "rag")
        taught.append(contexts[sample.id].article_ids)
    assert taught[0] == taught[1]
    assert "275" in taught[0]


def test_where_every_case_is_refused_there_is_nothing_to_show(tmp_path: Path) -> None:
    row = {"id": "copy", "fact": samples("rag")[0].fact, "document": "抄来的判决"}
    with pytest.raises(UsageError, match="no judgment is left"):
        make_contexts(asked(rows(tmp_path / "c.jsonl", row)), "rag")


def test_an_example_is_of_middle_length_or_the_nearest_to_what_fits(tmp_path: Path) -> None:
    def chosen(*lengths: int) -> str:
        found = [{"id": str(n), "fact": OTHER + str(n), "document": "字" * n} for n in lengths]
        file = rows(tmp_path / f"{len(lengths)}.jsonl", *found)
        contexts, _ = make_contexts(asked(file), "few-shot")
        return contexts[samples("few-shot")[0].id].case_ids[0]

    assert chosen(399, 400, 900, 2048, 2049) == "900"
    assert chosen(300, 2500) == "2500"


def test_few_shot_has_one_judgment_and_rag_provisions_and_cases() -> None:
    shown = text_of(samples("few-shot", cases="folds")[0])
    assert "只供参考格式" in shown
    one = samples("rag", cases="folds", provisions="3")[0]
    found = context_of(one)
    assert len(found.provisions) == len(found.article_ids) == 3
    assert all(provision in text_of(one) for provision in found.provisions)
    assert found.cases[0] in text_of(one)
    assert one.fact.strip() in text_of(one)


def judgments(file: Path, count: int) -> Path:
    """So many cases of our own, each with facts that only one of them has."""
    made = [
        {
            "id": f"c{n}",
            "fact": f"{OTHER}第{n}盏灯是{'红蓝绿黄白黑紫青'[n]}的。",
            "document": "判" * (500 + n),
        }
        for n in range(count)
    ]
    return rows(file, *made)


def test_pairs_of_facts_and_judgments_are_the_same_for_all_and_follow_the_seed(
    tmp_path: Path,
) -> None:
    file = judgments(tmp_path / "c.jsonl", 8)
    first, second, *_ = samples("few-shot", cases=str(file), examples="3")
    found = context_of(first)
    assert found == context_of(second)
    assert len(set(found.case_ids)) == len(found.pairs) == 3
    for n, name in enumerate(found.case_ids, 1):
        assert f"【示例{n}：案件事实】\n{OTHER}第{name[1]}盏" in text_of(first)
        assert f"【示例{n}：判决书】\n{'判' * (500 + int(name[1]))}\n" in text_of(first)
    again, other = (
        {context_of(samples("few-shot", cases=str(file), examples="3", pick=seed)[0]).case_ids}
        for seed in ("0", "1")
    )
    assert again == {found.case_ids} != other
    larger = context_of(samples("few-shot", cases=str(file), examples="4")[0])
    assert larger.case_ids[:3] == found.case_ids


def test_pairs_can_be_those_of_the_nearest_cases_and_never_of_the_case_itself() -> None:
    every = samples("few-shot", cases="folds", examples="2", pick="near")
    chosen = {context_of(sample).case_ids for sample in every}
    assert len(chosen) > 1
    for sample in every:
        assert sample.id not in context_of(sample).case_ids
        assert sample.document.strip() not in text_of(sample)


def test_more_pairs_than_there_are_is_an_error(tmp_path: Path) -> None:
    file = judgments(tmp_path / "c.jsonl", 2)
    with pytest.raises(UsageError, match="only 2 judgments can be shown"):
        context_of(samples("few-shot", cases=str(file), examples="3")[0])


def test_a_chosen_index_finds_provisions_and_judgments(tmp_path: Path) -> None:
    file = judgments(tmp_path / "c.jsonl", 3)
    asked = samples("rag")[0]
    laws = Corpus((Document("7", f"专为本案：{asked.fact}", "月湖法第七条"), Document("8", "别的")))
    Index.build(laws, LEXICAL).write(tmp_path / "laws")
    facts = Corpus(
        (Document("c1", asked.fact), Document("gone", asked.fact), Document("c0", "灯笼"))
    )
    Index.build(facts, LEXICAL).write(tmp_path / "facts")
    folders = {"law_index": str(tmp_path / "laws"), "case_index": str(tmp_path / "facts")}
    found = context_of(samples("rag", cases=str(file), **folders)[0])
    assert (found.article_ids[0], found.case_ids) == ("7", ("c1",))
    assert found.provisions[0].startswith("月湖法第七条：专为本案")
    near = samples("few-shot", cases=str(file), examples="1", pick="near", **folders)[0]
    assert context_of(near).case_ids == ("c1",)


def test_an_index_of_other_ids_is_refused(tmp_path: Path) -> None:
    Index.build(Corpus((Document("x", "事实"),)), LEXICAL).write(tmp_path / "facts")
    chosen = samples("rag", cases="folds", case_index=str(tmp_path / "facts"))
    with pytest.raises(UsageError, match="none of its ids"):
        context_of(chosen[0])
    with pytest.raises(UsageError, match="hengfa retrieve build"):
        SUITE.choose({"law_index": str(tmp_path)})


@needs_torch
def test_an_index_of_vectors_finds_provisions_and_judgments(tmp_path: Path) -> None:
    """The ranking is that of the index itself, without what must not be shown."""
    encoder = write_tiny_encoder(tmp_path / "encoder")
    provisions = read_provisions(ROOT / STATUTES_FILE)
    every = samples("rag")
    facts = [Document(sample.id, sample.fact) for sample in every]
    for name, documents in (("laws", provisions), ("facts", facts)):
        DenseIndex.build(documents, encoder).write(tmp_path / name)
    folders = {"law_index": str(tmp_path / "laws"), "case_index": str(tmp_path / "facts")}
    asked = samples("rag", cases="folds", provisions="3", **folders)
    laws, cases = (open_index(tmp_path / name) for name in ("laws", "facts"))
    for sample in asked:
        found = context_of(sample)
        best = laws.search([sample.fact.strip()], 3)[0]
        assert found.article_ids == tuple(hit.id for hit in best)
        others = (hit.id for hit in cases.search([sample.fact.strip()], len(every))[0])
        nearest = next(name for name in others if fold_of(name) != fold_of(sample.id))
        assert found.case_ids == (nearest,)


def test_provisions_keep_within_their_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "PROVISION_CHARS", 150)
    one = samples("rag")[0]
    contexts, _ = make_contexts(asked("folds"), "rag")
    assert 0 < sum(map(len, contexts[one.id].provisions)) <= 150


def test_the_share_of_gold_statutes_in_the_prompt_is_reported() -> None:
    rules = DOCUMENT.rule_set(Rules.OFFICIAL, ROOT)
    for one in samples("rag", cases="folds"):
        metrics = rules.score(one, rules.read(one.document)).metrics
        gold = set(map(str, one.articles))
        expected = len(gold & set(context_of(one).article_ids)) / len(gold)
        assert metrics["statutes_in_prompt"] == expected
        assert metrics["cases_refused"] == 0


@pytest.mark.parametrize("option", ["provisions", "examples"])
@pytest.mark.parametrize("value", ["-1", "x", "101", "１"])
def test_strange_numbers_are_refused(option: str, value: str) -> None:
    with pytest.raises(UsageError, match=option):
        SUITE.choose({option: value})


@pytest.mark.parametrize(("option", "value"), [("examples", "0"), ("pick", ""), ("pick", "far")])
def test_strange_ways_to_pick_are_refused(option: str, value: str) -> None:
    with pytest.raises(UsageError, match=option):
        SUITE.choose({option: value})


@pytest.mark.shared
@pytest.mark.deep
def test_on_the_real_facts_most_gold_statutes_are_in_the_prompt(shared: Path) -> None:
    assert _mean_recall(shared, "folds") == pytest.approx(0.875, abs=0.005)


@pytest.mark.deep
@pytest.mark.shared
def test_fifty_judgments_teach_which_provisions_are_usual(shared: Path) -> None:
    """Without learning from them it is .350."""
    file = shared / "data" / "corpora" / "criminal_docs" / "caseformer_demo.jsonl.gz"
    assert _mean_recall(shared, str(file)) == pytest.approx(0.740, abs=0.005)


def _mean_recall(shared: Path, cases: str) -> float:
    every = load(shared / "data" / "JuDGE", "rag", SUITE.choose({"cases": cases}))
    return fmean(map(statutes_in_prompt, every))
