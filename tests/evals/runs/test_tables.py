"""The two tables of a run: what a record and a response row say of one scored response."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
import pytest

from hengfa.evals.engine.budget import Price
from hengfa.evals.engine.messages import Message, Response, Status, Usage
from hengfa.evals.results.tables import read_records, read_responses
from hengfa.evals.results.trace import Finding, Trace
from hengfa.evals.runs.cells import Origin, prompt_text, readable, save_tables
from hengfa.evals.suites.base import Answer, AnyTask, Attempt, Metrics, Rules, RuleSet, Score
from hengfa.evals.suites.registry import get_suite
from hengfa.evals.suites.scoring import score_attempt


@dataclass(frozen=True)
class Question:
    id: str
    law: str


class FerryRules(RuleSet[Question, str]):
    def read(self, response: str) -> Answer[str]:
        return Answer(response)

    def score(self, sample: Question, answer: Answer[str]) -> Score:
        text = answer.value or ""
        finding = Finding(sample.law, given=text, right=True, spans=((0, 2),))
        metrics = {"accuracy": float(text == "渡船"), "length": float(len(text))}
        return Score(metrics, lambda: Trace("keywords", (finding,)))

    def silence(self, sample: Question) -> Metrics:
        return {"accuracy": 0.25 if sample.law else 0.0}


RULES = FerryRules()
ORIGIN = Origin("run", "lawbench", "zero_shot", "m", "abc", Price("CNY", input=2.0, output=8.0))


def task() -> AnyTask:
    """A task of a real suite, with questions of our own."""
    real = get_suite("lawbench").tasks["1-2"]
    return replace(
        real,
        prompt=lambda sample, _setting: (Message("user", f"问{sample.id}"),),
        facets=lambda sample: {"law": sample.law},
        cluster="law",
        baselines=replace(real.baselines, reference=lambda _sample: "渡船"),
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    said = Response(Status.ANSWERED, "渡船", usage=Usage(input=1_000, output=500), seconds=2.5)
    pairs = [
        (Question("a", "月湖渡船法"), said),
        (Question("b", "月湖渡船法"), Response(Status.REFUSED, "")),
    ]
    scored = [score_attempt(RULES, Attempt(sample, response)) for sample, response in pairs]
    save_tables(tmp_path, ORIGIN, task(), Rules.OFFICIAL, RULES, scored)
    return tmp_path


def test_a_row_per_response_has_the_texts_the_cost_and_the_trace(folder: Path) -> None:
    answered, refused = read_responses([folder]).rows(named=True)
    assert (answered["prompt"], answered["reference"], answered["response"]) == (
        "问a", "渡船", "渡船",
    )  # fmt: skip
    assert answered["extracted"] == "渡船"
    assert answered["cost"] == pytest.approx((1_000 * 2 + 500 * 8) / 1e6)
    assert answered["currency"] == "CNY"
    assert (answered["cluster"], json.loads(answered["facets"])) == (
        "月湖渡船法", {"law": "月湖渡船法"},
    )  # fmt: skip
    [finding] = json.loads(answered["trace"])["findings"]
    assert finding["spans"] == [[0, 2]]
    assert refused["answer_status"] is None
    assert (refused["cost"], refused["extracted"]) == (None, "")
    assert json.loads(refused["trace"]) == {"kind": "answer"}, "what is no answer is not explained"


def test_records_name_what_their_samples_share(folder: Path) -> None:
    frame = read_records([folder])
    assert set(frame["cluster"]) == {"月湖渡船法"}
    assert frame.filter(sample="a").sort("metric")["metric"].to_list() == ["accuracy", "length"]
    assert frame.filter(sample="b")["value"].to_list() == [None]


def test_records_say_what_silence_counts(folder: Path) -> None:
    frame = read_records([folder])
    assert frame.filter(sample="a", metric="accuracy")["strict"].to_list() == [1.0]
    assert frame.filter(sample="b")["strict"].to_list() == [0.25]


def test_a_table_that_an_older_version_wrote_lacks_columns_and_is_read(folder: Path) -> None:
    [file] = (folder / "records").glob("*.parquet")
    pl.read_parquet(file).drop("cluster").write_parquet(file)
    assert read_records([folder])["cluster"].to_list() == [None, None, None]


def test_half_a_character_is_kept_where_it_can_be_seen(tmp_path: Path) -> None:
    said = Response(Status.ANSWERED, "渡\ud83d船", reasoning="\udc00")
    scored = [score_attempt(RULES, Attempt(Question("a", "法\ud800"), said))]
    save_tables(tmp_path, ORIGIN, task(), Rules.OFFICIAL, RULES, scored)
    [row] = read_responses([tmp_path]).rows(named=True)
    assert (row["response"], row["reasoning"]) == ("渡\\ud83d船", "\\udc00")
    assert row["cluster"] == "法\\ud800"
    assert json.loads(row["trace"])["findings"][0]["label"] == "法\\ud800"


def test_several_messages_are_told_apart_by_their_roles() -> None:
    messages = (Message("system", "你是书记员。"), Message("user", "几时开庭？"))
    assert prompt_text(messages) == "[system]\n你是书记员。\n\n[user]\n几时开庭？"
    assert prompt_text(messages[1:]) == "几时开庭？"


def test_what_was_read_is_shown_as_text_or_as_json() -> None:
    assert readable(None) == ""
    assert readable("A") == "A"
    assert json.loads(readable({"月": 3, "b": {"x"}})) == {"月": 3, "b": ["x"]}
