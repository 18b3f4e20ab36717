"""The suite of matters: what a hand-in earns and loses, and agents that read the file."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.test_cli import hengfa
from tests.law.library.conftest import shared_file  # noqa: F401 - a fixture
from tests.world.agents.scripted import calls, finish
from tests.world.test_matters import some_matters

from hengfa.base.data.packs import sample_root
from hengfa.evals.engine.messages import Request, Response, Status
from hengfa.evals.suites.base import AnswerStatus, Ask
from hengfa.evals.suites.builtin import search_answers
from hengfa.evals.suites.plan import make_plan
from hengfa.world.agents.trajectory import Reply, read_reply, write_reply
from hengfa.world.generator.build import build_world
from hengfa.world.generator.law import library_law
from hengfa.world.matters.key import FORMS
from hengfa.world.matters.make import make_matters
from hengfa.world.matters.matter import IN_FORCE, KINDS, Matter, read_matters
from hengfa.world.suites.matters.rules import (
    ALL_PASS,
    FORM,
    LAW_SHARE,
    RUBRIC,
    SCORE,
    CitedArticle,
    MatterRules,
    MatterSample,
    cited_in,
    parts_of,
)
from hengfa.world.suites.matters.suite import AGENTS, SETTINGS, SUITE, prompt
from hengfa.world.tables.world import World

RULES = MatterRules(frozenset())
HIGHEST_FLOOR = 0.1


def scored(matter: Matter, text: str, *, law: bool = False) -> dict[str, float | None]:
    return dict(RULES.score(MatterSample(matter, law), RULES.read(text)).metrics)


def wrong_items(matter: Matter, text: str) -> set[str]:
    score = RULES.score(MatterSample(matter), RULES.read(text))
    return {finding.label for finding in score.explain().findings if not finding.right}


def pasted(matter: Matter) -> str:
    """The whole file below every heading of the form."""
    form = FORMS[matter.kind]
    parts = (f"{heading}：\n{matter.file}" for heading in form.headings.values())
    return "\n".join([form.title, matter.file, *parts])


def matters() -> list[Matter]:
    return [*some_matters(), *read_matters(sample_root() / "matters")]


def of_kind(kind: str) -> Matter:
    return next(matter for matter in some_matters() if matter.kind == kind)


# --- the scale ---


def test_the_reference_has_every_item() -> None:
    for matter in matters():
        assert scored(matter, matter.answer) == {
            SCORE: 1.0, ALL_PASS: 1.0, LAW_SHARE: 1.0, IN_FORCE: 1.0, FORM: 1.0, RUBRIC: None,
            "ungraded": None, "items": None,
        }  # fmt: skip


def test_the_whole_file_earns_next_to_nothing_even_in_the_right_form() -> None:
    for trivial in (lambda matter: matter.file, pasted, lambda matter: matter.question):
        scores = [scored(matter, trivial(matter)) for matter in matters()]
        assert sum(one[SCORE] or 0.0 for one in scores) / len(scores) < HIGHEST_FLOOR
        assert not any(one[ALL_PASS] for one in scores)
    assert scored(of_kind("claim"), pasted(of_kind("claim")))[FORM] == 1.0


def test_silence_and_nothing_earn_nothing() -> None:
    matter = of_kind("claim")
    for text in ("", "silence", write_reply(Reply("silence", "silence"))):
        answer = RULES.read(text)
        assert answer.status is AnswerStatus.ABSTAINED
        assert not any(RULES.score(MatterSample(matter), answer).metrics.values())
    assert not any(RULES.silence(MatterSample(matter)).values())


def test_another_matters_reference_is_not_this_ones() -> None:
    task = SUITE.tasks["defence"]
    samples = [MatterSample(matter) for matter in some_matters() if matter.kind == "defence"]
    for sample, text in zip(samples, search_answers(task, samples, []), strict=True):
        assert text != sample.matter.answer
        assert scored(sample.matter, text)[ALL_PASS] == 0.0


# --- what costs what ---


def test_a_law_that_is_no_more_costs_its_item_and_nothing_else() -> None:
    for matter in matters():
        for law in matter.stale:
            text = matter.answer.replace("的规定", f"、《{law}》第二条的规定", 1)
            assert text != matter.answer
            assert wrong_items(matter, text) == {IN_FORCE}, matter.id
            assert scored(matter, text)[ALL_PASS] == 1.0
    assert sum(len(matter.stale) for matter in matters()) > 20


@pytest.mark.shared
def test_the_library_knows_articles_that_there_were_not(
    shared_file: Path,  # noqa: F811
    own_home: Path,
    tmp_path: Path,
) -> None:
    (own_home / "law.sqlite").symlink_to(shared_file)
    with library_law(shared_file) as law:
        build_world(tmp_path / "law.sqlite", 7, 2_000, law)
    with World.open(tmp_path / "law.sqlite") as world:
        made = make_matters(world, 6, 1)
    for matter in made:
        assert scored(matter, matter.answer, law=True)[SCORE] == 1.0
        text = matter.answer.replace("的规定", "、民事诉讼法第九百九十九条的规定", 1)
        assert scored(matter, text)[IN_FORCE] == 1.0
        assert scored(matter, text, law=True)[IN_FORCE] == 0.0


def test_no_law_at_all_costs_the_item_too() -> None:
    matter = of_kind("claim")
    lines = [line for line in matter.answer.split("\n") if not line.startswith("依照")]
    assert IN_FORCE in wrong_items(matter, "\n".join(lines))


@pytest.mark.parametrize("kind", KINDS)
def test_each_wrong_word_of_the_file_costs_its_item(kind: str) -> None:
    matter = of_kind(kind)
    for item in matter.items:
        for word in item.lacks:
            wrong = wrong_items(matter, f"{matter.answer}\n{word}")
            assert item.id in wrong
            assert scored(matter, f"{matter.answer}\n{word}")[ALL_PASS] == float(
                not any(one.critical and one.id in wrong for one in matter.items)
            )


@pytest.mark.parametrize("kind", KINDS)
def test_each_missing_word_costs_its_item(kind: str) -> None:
    matter = of_kind(kind)
    for item in matter.items:
        for word in item.has:
            assert item.id in wrong_items(matter, matter.answer.replace(word, "某"))


def test_critical_items_are_party_court_and_time() -> None:
    for matter in matters():
        critical = {item.id for item in matter.items if item.critical}
        party = "defendant" if matter.kind == "claim" else "respondent"
        assert critical == {party, "court", "limitation"}


def test_a_ground_counts_beside_its_plea() -> None:
    matter = of_kind("defence")
    body = matter.answer.replace("。依照", "。\n依照")
    grounds = {item.id for item in matter.items if item.id.startswith("ground:")}
    assert grounds <= wrong_items(matter, body)


# --- reading ---


@pytest.mark.parametrize("kind", KINDS)
def test_a_form_may_be_written_in_markdown(kind: str) -> None:
    matter = of_kind(kind)
    form = FORMS[matter.kind]
    text = matter.answer.replace(form.title, f"# {form.title}", 1)
    for number, heading in enumerate(form.headings.values()):
        text = text.replace(f"\n{heading}", f"\n**{'一二三四'[number]}、{heading}**", 1)
    assert scored(matter, text)[SCORE] == 1.0
    assert scored(matter, f"好的，以下是文书。\n{matter.answer}")[SCORE] == 1.0
    assert scored(matter, matter.answer.replace(form.title, "文书", 1))[SCORE] == 0.0


def test_laws_are_cited_by_any_of_their_names() -> None:
    civil_code = CitedArticle("民法典", 579)
    for text in (
        "民法典第五百七十九条",
        "《中华人民共和国民法典》第579条第一款",
        "《民法典》第五百七十九条",
    ):
        assert list(cited_in(f"依照{text}的规定")) == [civil_code]
    assert list(cited_in("《设备采购合同》第十二条")) == []


@given(st.text(), st.sampled_from(KINDS))
def test_any_text_has_parts_in_order(text: str, kind: str) -> None:
    form = FORMS[of_kind(kind).kind]
    for whole in (text, f"{form.title}\n{text}"):
        parts = list(parts_of(whole, of_kind(kind).kind).values())
        assert all(0 <= start <= end <= len(whole) for start, end in parts)
        assert all(one[1] <= two[0] for one, two in pairwise(parts))
    assert 0.0 <= (scored(of_kind(kind), text)[SCORE] or 0.0) <= 1.0


# --- agents ---


def worked(ask: Ask, sample: MatterSample, setting: str, **options: str) -> Response:
    root = sample_root() / "matters"
    request = Request(f"matters/claim/{setting}/0001", prompt(sample, setting))

    async def work() -> Response:
        return await AGENTS.solver(root, setting, options)(ask, sample, request)

    return asyncio.run(work())


def test_a_scripted_agent_reads_the_file_and_hands_in() -> None:
    matter = read_matters(sample_root() / "matters")[0]
    name = matter.documents[0].name
    heard: list[str] = []

    async def ask(request: Request) -> Response:
        heard.append(request.messages[-1].content)
        step = request.key.partition("#")[2]
        if step == "turn-1":
            return calls(
                ("list_documents", {}),
                ("read_document", {"name": name}),
                ("get_company_register", {"identifier": "夜市灯笼有限公司"}),
            )
        if step.startswith("turn"):
            return finish(matter.answer, "同上")
        return Response(Status.ANSWERED, text="先看案卷。")

    response = worked(ask, MatterSample(matter), "tools")
    reply = read_reply(response.text)
    assert reply is not None
    assert [step.tool for step in reply.steps or ()] == [
        "list_documents", "read_document", "get_company_register",
    ]  # fmt: skip
    assert any("91990101MA0MOON03X" in text for text in heard)
    assert scored(matter, response.text)[SCORE] == 1.0


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_method_sees_the_tools_of_the_file(setting: str) -> None:
    sample = MatterSample(read_matters(sample_root() / "matters")[0])
    seen: list[str] = []

    async def ask(request: Request) -> Response:
        seen.extend(message.content for message in request.messages)
        seen.extend(tool.name for tool in request.options.tools)
        return Response(Status.ANSWERED, text="不会。")

    worked(ask, sample, setting, max_steps="2")
    assert any("read_document" in text for text in seen)
    assert AGENTS.rehearsal(setting, {}) is not None
    assert AGENTS.rehearsal(setting, {"agent": "endpoint"}) is None


def test_graders_add_what_the_rubric_says(tmp_path: Path) -> None:
    call = ("eval", "matters", "--data", "sample", "--model", "ceiling", "--json")
    for more, rubric in (((), None), (("--grader", "keywords", "--run", "graded"), 1.0)):
        done = hengfa(*call, *more, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        [run] = json.loads(done.stdout)["runs"]
        assert run["figures"]["overall"] == run["figures"]["all_pass"]["all"] == 1.0
        assert run["figures"].get("rubric", {}).get("all") == rubric


def test_matters_of_a_folder_without_matters_say_how_to_make_them(tmp_path: Path) -> None:
    (tmp_path / "world.sqlite").write_bytes(b"")
    with pytest.raises(Exception, match="hengfa world matters"):
        make_plan("matters", data=str(tmp_path))
