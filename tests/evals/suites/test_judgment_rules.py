"""From a response to metrics and findings: the sample pack, every fix, both versions, statuses."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evals.suites.test_judgment_robustness import FRAGMENTS
from tests.scoring import faceted_table, score_response, trace_of

from hengfa.base.data.packs import sample_root
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.results.trace import Trace
from hengfa.evals.runs.cells import score_task
from hengfa.evals.suites.base import Attempt, Rules
from hengfa.evals.suites.builtin import search_of
from hengfa.evals.suites.judgment import rules as rules_module
from hengfa.evals.suites.judgment.dataset import DIRECT, JudgmentSample, facets_of, load
from hengfa.evals.suites.judgment.prompts import context_of, sample_prompt
from hengfa.evals.suites.judgment.reading import Elements, JudgmentFix, Punishment, readers
from hengfa.evals.suites.judgment.rules import JudgmentRules, further, penalties
from hengfa.evals.suites.judgment.suite import DOCUMENT, SUITE, stock

DATA = sample_root() / "judgment"


def case(document: str, version: str = "head") -> JudgmentSample:
    return JudgmentSample("1", "事实", document, (264,), version=version)


def judgment(result: str, reason: str = "依照《刑法》第二百六十四条之规定，", end: str = "") -> str:
    ending = end or "如不服本判决，可以上诉。审判员某乙"
    return (
        "月湖县人民法院刑事判决书。公诉机关月湖县人民检察院。被告人灯笼，男。被告人芦花，女。"
        f"现已审理终结。经审理查明，灯笼偷了船灯。本院认为，{reason}判决如下：{result}{ending}"
    )


THEFT = "被告人灯笼犯盗窃罪，判处有期徒刑六个月，并处罚金人民币二千元。"


def metrics(
    reference: str, given: str, *fixes: str, version: str = "head"
) -> dict[str, float | None]:
    rules = DOCUMENT.rules(frozenset(fixes), DATA)
    scored = score_response(rules, case(reference, version), Response(Status.ANSWERED, text=given))
    return dict(scored.metrics)


def test_one_document_by_hand() -> None:
    given = judgment(
        "被告人灯笼犯盗窃罪，判处有期徒刑八个月，并处罚金人民币一千元。",
        "依照《刑法》第二百六十四条、第六十七条之规定，",
    )
    found = metrics(judgment(THEFT), given)
    assert found["prison"] == 0.75
    assert found["fine"] == 0.5
    assert (found["charge_recall"], found["charge_precision"]) == (1.0, 1.0)
    assert (found["statute_recall"], found["statute_precision"]) == (1.0, 0.5)
    assert found["statute_f1_per_document"] == pytest.approx(2 / 3)
    parts = [0.75, 0.5, 1.0, 2 / 3, found["meteor_reason"], found["meteor_judgment"]]
    assert found["overall"] == pytest.approx(sum(part or 0 for part in parts) / 6)


def test_what_is_left_out_counts_nowhere() -> None:
    reference = judgment("被告人灯笼犯盗窃罪，判处拘役一个月。")
    found = metrics(reference, "没有任何标记的一段话")
    assert found["fine"] is found["meteor_reason"] is found["meteor_judgment"] is None
    assert found["prison"] == 0.0
    counted = [found[f"{name}_counted"] for name in ("prison", "fine", "meteor")]
    assert counted == [1.0, 0.0, 0.0]


CHANGES: dict[str, tuple[str, str]] = {
    JudgmentFix.POSITION: (
        judgment("甲。" + THEFT, "甲。本院认为，"),
        judgment(THEFT + "现已审理终结。经审理查明，灯笼偷了船灯。"),
    ),
    JudgmentFix.EARLIEST: (judgment(THEFT), judgment(THEFT, end="附：清单。如不服本判决")),
    JudgmentFix.DEFENDANTS: (
        judgment("一、" + THEFT + "二、被告人芦花犯盗窃罪，判处有期徒刑六个月。"),
        judgment(THEFT),
    ),
    JudgmentFix.OWN_SECTION: (judgment(THEFT), "曾因犯盗窃罪被判处有期徒刑六个月"),
    JudgmentFix.EVERY_FINE: (
        judgment(THEFT),
        judgment(
            "被告人灯笼犯盗窃罪，判处有期徒刑六个月，并处罚金，一元。于判决生效后的十日内缴纳完毕。"
            "罚金三千，一元。于判决生效后的十日内一次性缴纳完毕。罚金二千元。"
        ),
    ),
    JudgmentFix.GUARD: (
        judgment(THEFT.replace("二千", "九千")),
        judgment(THEFT.replace("二千", "一万二千")),
    ),
    JudgmentFix.NUMERALS: (judgment(THEFT), judgment(THEFT.replace("六个月", "两年六个月"))),
    JudgmentFix.UNPARSED: (judgment(THEFT), "没有标记"),
    JudgmentFix.ARTICLES: (
        judgment(THEFT, "依照《刑法》第一百三十三条之一之规定，"),
        judgment(THEFT, "依照《刑法》第一百三十三条之规定，"),
    ),
    JudgmentFix.VERDICTS: (
        judgment("被告人灯笼犯盗窃罪，免予刑事处罚。"),
        judgment("被告人灯笼犯盗窃罪，判处有期徒刑的罪名自某年，免予刑事处罚。"),
    ),
    JudgmentFix.DEATH: (judgment(THEFT), judgment(THEFT + "本案不适用死刑。")),
}


@pytest.mark.parametrize("name", JudgmentFix)
def test_every_fix_alone_makes_a_difference(name: str) -> None:
    reference, given = CHANGES[name]
    assert metrics(reference, given) != metrics(reference, given, name)


def test_without_a_penalty_there_is_a_verdict_all_the_same() -> None:
    exempt = judgment("被告人灯笼犯盗窃罪，免予刑事处罚。")
    acquitted = judgment("被告人灯笼无罪。")
    both = (JudgmentFix.DEFENDANTS, JudgmentFix.VERDICTS)
    assert metrics(exempt, acquitted)["prison"] == 1.0
    assert metrics(exempt, acquitted, *both)["prison"] == 0.0
    assert metrics(exempt, exempt, *both)["prison"] == 1.0
    assert metrics(exempt, judgment(THEFT), *both)["prison"] == 0.0


def test_defendants_are_compared_by_name_then_in_order() -> None:
    expected = (Punishment("甲", 6), Punishment("乙", 12))
    given = (Punishment("乙", 12), Punishment("丙", 3))
    assert penalties(expected, given, guard=True) == pytest.approx((1.0 + 0.5) / 2)
    assert penalties(expected, given[:1], guard=True) == pytest.approx(0.5)
    assert penalties(given[:1], expected, guard=True) == pytest.approx(0.5)
    nothing = (Punishment("甲", -1),)
    assert penalties(nothing, nothing, guard=True) is None


def test_the_older_version_is_another_reading() -> None:
    given = judgment("以盗窃罪判处有期徒刑六个月。")
    assert metrics(judgment(THEFT), given)["charge_recall"] == 0.0
    assert metrics(judgment(THEFT), given, version="legacy")["charge_recall"] == 1.0


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (judgment(THEFT), "extracted"),
        (judgment(THEFT) + judgment(THEFT), "ambiguous"),
        ("判处有期徒刑三年", "malformed"),
        ("今天天气不错", "abstained"),
        ("<html><body></body></html>", "abstained"),
        (" \n ", "abstained"),
    ],
)
def test_statuses(text: str, status: str) -> None:
    answer = DOCUMENT.rule_set(Rules.OFFICIAL, DATA).read(text)
    assert str(answer.status) == status


def test_no_answer_is_scored_as_an_empty_document() -> None:
    rules = DOCUMENT.rule_set(Rules.OFFICIAL, DATA)
    scored = score_response(rules, case(judgment(THEFT)), Response(Status.FAILED, reason="down"))
    assert scored.answer is None
    assert (scored.metrics["prison"], scored.metrics["charge_recall"]) == (0.0, 0.0)


def test_figures_have_the_published_names_and_f1_is_of_the_means() -> None:
    samples = load(DATA, DIRECT, {})
    rules = DOCUMENT.rule_set(Rules.OFFICIAL, DATA)
    answers = [samples[0].document, *(sample.document for sample in samples[:-1])]
    attempts = [
        Attempt(sample, Response(Status.ANSWERED, text=text))
        for sample, text in zip(samples, answers, strict=True)
    ]
    figure, _ = score_task(DOCUMENT, rules, attempts)
    found = SUITE.further({"document": figure}) if SUITE.further else {}
    assert set(found) >= {
        "prison", "fine", "charge_recall", "charge_precision", "charge_f1", "statute_recall",
        "statute_precision", "statute_f1", "meteor_reason", "meteor_judgment", "n_prison",
        "n_fine", "n_meteor", "n",
    }  # fmt: skip
    recall, precision = found["statute_recall"], found["statute_precision"]
    assert found["statute_f1"] == pytest.approx(2 * recall * precision / (recall + precision))
    assert found["statute_f1"] != pytest.approx(found["statute_f1_per_document"])
    assert found["n"] == found["n_meteor"] == 8
    assert further({}) == {}


def test_the_quirks_of_the_sample_pack() -> None:
    """What its rows are there for: equal terms, combined terms, 两年六个月, 3万5千."""
    samples = {sample.id: sample.document for sample in load(DATA, DIRECT, {})}
    official, corrected = (
        readers(fixes, DATA).head for fixes in (frozenset[str](), frozenset(JudgmentFix))
    )

    def both(name: str) -> tuple[Elements, Elements]:
        return official(samples[name]), corrected(samples[name])

    pair = both("moon-lake-3")
    assert pair[0].terms == (Punishment("", 8),)
    assert pair[1].terms == (Punishment("石桥", 8), Punishment("木筏", 8))
    combined = both("moon-lake-4")
    assert combined[0].terms[0].value == 10 + 12 + 18
    assert combined[1].terms == (Punishment("风铃", 18),)
    assert combined[1].fines == (Punishment("风铃", 8000),)
    assert both("moon-lake-5")[0].articles == {"133", "67"}
    assert both("moon-lake-5")[1].articles == {"刑法133-1", "刑法67"}
    assert both("moon-lake-6")[1].terms == (Punishment("春笋", 0, "免予刑事处罚"),)
    assert [one.terms[0].value for one in both("moon-lake-7")] == [72, 30]
    assert [one.fines[0].value for one in both("moon-lake-8")] == [0, 35000]


def test_without_a_list_of_its_own_data_is_read_with_the_charges_of_the_law(
    tmp_path: Path,
) -> None:
    text = judgment("被告人灯笼犯分裂国家罪，判处拘役一个月。")
    rules = DOCUMENT.rule_set(Rules.OFFICIAL, tmp_path)
    assert not rules.notice
    assert readers(frozenset(), tmp_path).head(text).charges == {"分裂国家罪"}
    assert rules.score(case(text), rules.read(text)).metrics["charge_recall"] == 1.0
    assert "分裂国家罪" not in readers(frozenset(), DATA).head(text).charges
    stolen = judgment("被告人灯笼犯偷灯罪，判处拘役一个月。")
    assert "偷灯罪" not in readers(frozenset(), tmp_path).head(stolen).charges
    (tmp_path / "charges.txt").write_text("偷灯罪\n", encoding="utf-8")
    assert readers(frozenset(), tmp_path).head(stolen).charges == {"偷灯罪"}


def test_the_stock_judgment_says_what_is_usual() -> None:
    samples = load(DATA, DIRECT, {})
    text = stock(samples)(samples[0])
    found = readers(frozenset(), DATA).head(text)
    assert found.charges == {"诈骗罪"}  # twice, like 盗窃罪
    assert "67" in found.articles
    assert found.terms[0].value > 0 and found.fines[0].value > 0
    assert found.reason and found.judgment
    assert stock([case("空")])(case("空"))


def test_retrieval_copies_the_nearest_judgment() -> None:
    samples = load(DATA, DIRECT, {})
    search = search_of(DOCUMENT)
    assert search.query(samples[0]) == samples[0].fact
    assert search.answer(samples[0], ["甲", "乙"]) == "甲"
    assert search.answer(samples[0], []) == ""
    assert search.offer(samples[1]).text == samples[1].document


def test_prompts_ask_with_the_facts_and_never_with_the_document() -> None:
    for sample in load(DATA, DIRECT, {}):
        text = "".join(message.content for message in sample_prompt(sample))
        assert sample.fact.strip() in text
        assert "审判员 白鹭洲" not in text


def test_a_document_beside_its_reference() -> None:
    sample = load(DATA, DIRECT, {})[0]
    rules = JudgmentRules(frozenset(), DATA)
    comparison = rules.compare(sample, rules.read(judgment(THEFT)))
    rows = {row.element: row for row in comparison.side_by_side()}
    assert (rows["months"].expected, rows["months"].given) == ("4", "6")
    assert rows["months"].scores == {"prison": pytest.approx(2 / 3)}
    assert rows["charges"].scores == {"charge_recall": 1.0, "charge_precision": 1.0}
    assert rows["articles"].expected == "264、52、53、67"
    assert rows["reason"].given.startswith("本院认为")


def test_scores_are_taken_apart() -> None:
    samples = load(DATA, DIRECT, {})
    rules = DOCUMENT.rule_set(Rules.OFFICIAL, DATA)
    scored = [
        score_response(rules, sample, Response(Status.ANSWERED, text=sample.document))
        for sample in samples
    ]
    table = faceted_table(scored, [facets_of(sample) for sample in samples])
    recipe = DOCUMENT.recipe(Rules.OFFICIAL)
    found = {
        facet: {kind: part.figure(recipe) for kind, part in table.by(facet).items()}
        for facet in ("crime", "defendants", "sentence")
    }
    assert found["defendants"]["2"].n == 1
    assert found["defendants"]["1"].n == 7
    assert found["sentence"]["combined"].n == 1
    assert found["crime"]["several"].more["charge_recall"] == 1.0


def test_values_can_be_shown() -> None:
    value = DOCUMENT.rule_set(Rules.OFFICIAL, DATA).read(judgment(THEFT)).value
    assert str(value) == "盗窃罪; months 6; fine 2000; articles 264"
    assert json.dumps(str(value))


REASON = "依照《刑法》第二百六十四条、第六十七条之规定，"
GIVEN = judgment("被告人灯笼犯盗窃罪，判处有期徒刑八个月，并处罚金人民币一千元。", REASON)
ELEMENTS = ["months", "fine", "charges", "articles", "reason", "judgment"]


def traced(one: JudgmentSample, text: str, rules: Rules = Rules.OFFICIAL) -> Trace:
    return trace_of(DOCUMENT.rule_set(rules, DATA), one, text)


def overall(trace: Trace) -> float:
    points = [one.points for one in trace.findings if one.label in ELEMENTS]
    return fmean(value for value in points if value is not None)


def test_each_element_is_expected_and_given() -> None:
    trace = traced(case(judgment(THEFT)), GIVEN)
    assert trace.kind == "elements"
    assert [one.label for one in trace.findings] == ELEMENTS
    months, fine, charges, articles, reason, result = trace.findings
    assert (months.expected, months.given, months.points, months.right) == ("6", "8", 0.75, False)
    assert (fine.expected, fine.given, fine.points) == ("2000", "1000", 0.5)
    assert (charges.given, charges.right) == ("盗窃罪", True)
    assert GIVEN[slice(*charges.spans[0])] == "盗窃罪"
    assert articles.given == "264、67"
    assert articles.points == pytest.approx(2 / 3)
    assert articles.note == "recall 1.00, precision 0.50"
    assert GIVEN[slice(*reason.spans[0])].startswith("本院认为，依照")
    assert GIVEN[slice(*result.spans[0])].endswith("并处罚金人民币一千元。")


def test_findings_are_made_of_what_was_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read or compared again, however often somebody looks."""
    rule_set = DOCUMENT.rule_set(Rules.OFFICIAL, DATA)
    score = rule_set.score(case(judgment(THEFT)), rule_set.read(GIVEN))
    monkeypatch.delattr(rules_module, "metrics_of")
    monkeypatch.delattr(JudgmentRules, "compare")
    monkeypatch.delattr(JudgmentRules, "read")
    assert overall(score.explain()) == pytest.approx(score.metrics["overall"])
    assert score.explain() == score.explain()


def test_a_document_without_sections_is_left_out_of_meteor() -> None:
    *_, reason, result = traced(case(judgment(THEFT)), "灯笼偷了灯。").findings
    assert {(one.right, one.points, one.note) for one in (reason, result)} == {
        (None, None, "left out by the rules")
    }


@pytest.mark.parametrize("rules", Rules)
@pytest.mark.parametrize("version", ["head", "legacy"])
@pytest.mark.parametrize("text", [GIVEN, judgment(THEFT), "无", ""])
def test_the_mean_of_the_points_is_the_score(rules: Rules, version: str, text: str) -> None:
    rule_set, one = DOCUMENT.rule_set(rules, DATA), case(judgment(THEFT), version)
    metrics = rule_set.score(one, rule_set.read(text)).metrics
    assert overall(traced(one, text, rules)) == pytest.approx(metrics["overall"])


def test_what_was_retrieved_stands_below_with_the_gold_that_is_missing() -> None:
    one = load(DATA, "rag", SUITE.choose({"cases": "folds", "provisions": "3"}))[0]
    context = context_of(one)
    below = traced(one, "").findings[len(ELEMENTS) :]
    provisions = [found for found in below if found.label == "provision in the prompt"]
    shown = [found.given for found in provisions if found.given]
    assert shown == list(context.article_ids)
    assert {found.given for found in provisions if found.right} == set(shown) & set(
        map(str, one.articles)
    )
    assert {found.expected for found in provisions if found.right is False} == set(
        map(str, one.articles)
    ) - set(shown)
    cases = [found.given for found in below if found.label == "judgment in the prompt"]
    assert cases == list(context.case_ids)
    assert len(below) == len(provisions) + len(cases)


@given(text=st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=40).map("".join))
@settings(max_examples=60, deadline=None)
def test_any_text_has_a_trace_that_agrees_with_its_score(text: str) -> None:
    one = case(judgment(THEFT))
    for rules in Rules:
        rule_set = DOCUMENT.rule_set(rules, DATA)
        trace = traced(one, text, rules)
        spans = [span for found in trace.findings for span in found.spans]
        assert all(0 <= start < end <= len(text) for start, end in spans)
        metrics = rule_set.score(one, rule_set.read(text)).metrics
        assert overall(trace) == pytest.approx(metrics["overall"])
