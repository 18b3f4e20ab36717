"""Facets and clusters of every suite: kinds that the data have, and what makes samples depend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.evals.suites.agent_replies import PATH
from tests.evals.suites.agent_replies import sample as agent_sample
from tests.evals.suites.test_plawbench_score import sample as graded_sample

from hengfa.evals.suites.base import AnyTask
from hengfa.evals.suites.lawbench.dataset import LawBenchSample, load
from hengfa.evals.suites.lawbench.suite import SUITE as LAWBENCH
from hengfa.evals.suites.plan import make_plan
from hengfa.evals.suites.plawbench.dataset import CASE
from hengfa.evals.suites.plawbench.suite import SUITE as PLAWBENCH
from hengfa.evals.suites.registry import OWN, get_suite
from hengfa.world.suites.legalagentbench.dataset import facets_of as agent_facets

WITH_CLUSTERS = {
    "lawbench": {"1-1", "3-2"},
    "claw": {"id", "content"},
    "plawbench": {"case", "plaintiff", "defendant"},
    "tellings": {"faithful", "words"},
    "legalagentbench": {"1-hop", "2-hop", "3-hop", "4-hop", "5-hop", "writing"},
}
TASKS = [(name, task) for name in OWN for task in get_suite(name).tasks.values()]


@pytest.mark.parametrize(("suite", "task"), TASKS, ids=[f"{s}/{t.id}" for s, t in TASKS])
def test_facets_are_words_and_the_cluster_is_one_of_them(suite: str, task: AnyTask) -> None:
    assert (task.cluster is not None) == (task.id in WITH_CLUSTERS.get(suite, ()))
    if task.facets is None:
        assert task.cluster is None
        return
    plan = make_plan(f"{suite}/{task.id}", data="sample")
    found = [task.facets(sample) for sample in plan.samples(task.id)]
    assert found
    assert all(kind and name for one in found for name, kind in one.items())
    if task.cluster is not None and task.id != "writing":
        assert all(task.cluster in one for one in found)


def sample(question: str = "", answer: str = "") -> LawBenchSample:
    return LawBenchSample("0", "", question, answer)


def lawbench_kinds(task: str, one: LawBenchSample) -> Mapping[str, str]:
    facets = LAWBENCH.tasks[task].facets
    assert facets is not None
    return facets(one)


def test_laws_of_recitations_and_scenes() -> None:
    named = lawbench_kinds("1-1", sample("月湖渡船法第三十三条的内容是什么？"))
    assert named == {"law": "月湖渡船法"}
    assert lawbench_kinds("1-1", sample("渡船有几条？")) == {}
    for answer in (
        "根据《中华人民共和国渡船法》第五条，不得。",
        "根据渡务署类中的渡船法的第五条规定，不得。",
        "根据渡船法第5条和茶馆法第6条",
    ):
        assert lawbench_kinds("3-2", sample(answer=answer)) == {"law": "渡船法"}


def test_labels_that_are_kinds() -> None:
    assert lawbench_kinds("2-2", sample(answer="争议焦点类别：利息。")) == {"focus": "利息"}
    assert lawbench_kinds("2-4", sample(answer="公司法")) == {"topic": "公司法"}


def test_cases_that_share_their_facts_share_a_cluster() -> None:
    of = PLAWBENCH.tasks[CASE].facets
    assert of is not None
    one, same, other = (
        of(graded_sample(id=str(number), facts=facts, question=str(number)))
        for number, facts in enumerate(["甲借伞。", "甲借伞。", "乙借船。"])
    )
    assert one["facts"] == same["facts"] != other["facts"]
    assert (one["scenario"], one["order"]) == ("个人生活", "strict")


def test_tasks_on_one_path_share_a_cluster_and_writing_has_none() -> None:
    assert agent_facets(agent_sample()) == {
        "hops": "3-hop",
        "start": PATH[0],
        "path": " → ".join(PATH),
    }
    assert agent_facets(agent_sample(path=())) == {"hops": "3-hop"}


@pytest.mark.shared
def test_real_samples_share_laws(shared: Path) -> None:
    """Some sixty laws each, most of them asked about eight times."""
    data = shared / "data" / "LawBench"
    for task in ("1-1", "3-2"):
        samples = load(task, data, "zero_shot")
        laws = Counter(lawbench_kinds(task, one).get("law", "") for one in samples)
        assert laws[""] <= 5
        assert 50 <= len(laws) <= 100
