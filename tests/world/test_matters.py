"""Matters: exact facts, files that contradict themselves, and the law of the day."""

from __future__ import annotations

import json
import random
import tomllib
from collections import Counter
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError, UsageError
from hengfa.law.library import FoundVersion, Library, Position, find_law, in_force_on
from hengfa.law.library.versions import NotYet, Repealed
from hengfa.world.causes import REAL, SAMPLE, read_table
from hengfa.world.generator.build import build_world
from hengfa.world.generator.law import library_law
from hengfa.world.matters.facts import Drawer, papers_of
from hengfa.world.matters.key import BODY
from hengfa.world.matters.make import make_matters
from hengfa.world.matters.matter import IN_FORCE, Matter, file_tools, read_matters, write_matters
from hengfa.world.suites.matching import tolerant
from hengfa.world.tables.importing import import_world
from hengfa.world.tables.world import World
from hengfa.world.tools.observation import Status
from hengfa.world.tools.toolbox import Toolbox
from tests.cli.test_cli import hengfa
from tests.world import tiny_world
from tests.world.test_factory_worlds import generated_file, generated_world
from tests.world.test_factory_writing import _provision

SAMPLE_COUNT, SAMPLE_SEED = 6, 3
"""With which the matters of the sample pack were made."""


@cache
def some_matters() -> tuple[Matter, ...]:
    with generated_world() as world:
        return tuple(make_matters(world, 30, 1))


@pytest.fixture(scope="module")
def law_world(shared_file: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    """A fictional world under the law of the library."""
    file = tmp_path_factory.mktemp("law-world") / "law.sqlite"
    with library_law(shared_file) as law:
        build_world(file, 7, 10_000, law)
    return World.open(file)


@pytest.fixture
def sample_world(tmp_path: Path) -> World:
    import_world(sample_root() / "legalagentbench" / "world", tmp_path / "sample.sqlite")
    return World.open(tmp_path / "sample.sqlite")


def check_grounds(table: Path, matter: Matter) -> None:
    """Each ground again, from the table as it is written."""
    rules = tomllib.loads(table.read_text("utf-8"))["rules"]
    dated: Any = matter  # all that counts are its days
    expected = [_provision(rules[ground.rule], dated) for ground in matter.grounds]
    assert [ground.citation for ground in matter.grounds] == expected
    cited = [item.cites for item in matter.items if item.id.startswith("ground:")]
    assert cited == [(citation,) for citation in expected]
    for citation in expected:
        assert citation in matter.answer
        assert citation not in matter.file
        assert citation not in matter.question


def folder_bytes(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


# --- made by rule, the same everywhere ---


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    with generated_world() as world:
        for name, seed in (("a", 1), ("b", 1), ("c", 2)):
            write_matters(tmp_path / name, make_matters(world, 6, seed), world.path)
    assert folder_bytes(tmp_path / "a") == folder_bytes(tmp_path / "b")
    assert folder_bytes(tmp_path / "a") != folder_bytes(tmp_path / "c")


def test_the_sample_pack_has_what_the_generator_makes(sample_world: World, tmp_path: Path) -> None:
    with sample_world:
        write_matters(tmp_path / "made", make_matters(sample_world, SAMPLE_COUNT, SAMPLE_SEED))
    assert folder_bytes(tmp_path / "made") == folder_bytes(sample_root() / "matters")


def test_the_command_writes_a_folder_that_the_suite_reads(tmp_path: Path) -> None:
    call = ("world", "matters", "--world", str(generated_file()), "--count", "3", "--seed", "1")
    done = hengfa(*call, "-o", "out", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["matters"] == {"claim": 1, "defence": 1, "opinion": 1}
    assert tuple(read_matters(tmp_path / "out")) == some_matters()[:3]
    scored = hengfa("eval", "matters", "--data", "out", "--model", "floor", "--json", cwd=tmp_path)
    [run] = json.loads(scored.stdout)["runs"]
    assert run["figures"]["overall"] < 0.1
    again = hengfa(*call, "-o", "out", cwd=tmp_path)
    assert "3 matters of" in again.stdout


def test_kinds_and_causes_come_in_turn() -> None:
    assert Counter(matter.kind for matter in some_matters()) == {
        "claim": 10,
        "defence": 10,
        "opinion": 10,
    }
    assert {matter.cause for matter in some_matters()} == {"sale", "stall", "deposit"}


def test_a_world_without_law_or_companies_has_no_matters(tmp_path: Path) -> None:
    with tiny_world.opened(tmp_path) as world, pytest.raises(UsageError, match="causes of action"):
        make_matters(world, 1, 0)


# --- the file ---


def contradicted(matter: Matter) -> list[tuple[str, str]]:
    """What is wrong, by item; words of a plea that must not be made stand in no file."""
    return [
        (item.id, word)
        for item in matter.items
        for word in item.lacks
        if item.id not in ("court", "limitation")
    ]


def check_file(matter: Matter) -> None:
    """The file tells each wrong thing, and the reference none of them."""
    in_file, in_answer = tolerant(matter.file), tolerant(matter.answer)
    for name, word in contradicted(matter):
        told = in_file(word) or any(word in one.name for one in matter.documents)
        assert told or name.startswith("plea:"), (matter.id, name, word)
    for item in matter.items:
        assert not any(in_answer(word) for word in item.lacks), (matter.id, item)
        assert not {*item.has} & {*item.lacks}
    names = [one.name for one in matter.documents]
    assert len({*names}) == len(names)
    assert not any("{" in one.text or "}" in one.text for one in matter.documents)


def test_every_file_contradicts_itself_and_the_reference_does_not() -> None:
    for matter in some_matters():
        check_file(matter)


def test_question_tells_no_fact() -> None:
    for matter in some_matters():
        for item in matter.items:
            told = [word for word in item.has if word in matter.question]
            assert not told or (matter.kind, item.id) == ("claim", "limitation")


def test_days_of_a_file_come_one_after_the_other() -> None:
    with generated_world() as world:
        drawer, rng = Drawer(world), random.Random(3)
        drawn = 0
        while drawn < 60:
            try:
                facts = drawer.draw(rng.choice(("claim", "defence")), drawer.causes[drawn % 3], rng)
            except Exception as error:  # noqa: BLE001 - what does not go together is drawn again
                assert type(error).__name__ == "Unfit"
                continue
            drawn += 1
            days = facts.case.days
            assert facts.judged_on < facts.wrong.signed < days.signed < facts.noted < days.due
            assert facts.noted <= facts.handed <= days.due
            assert days.due < facts.misdirected < (facts.lapse or days.filed) <= days.filed
            assert (facts.demanded is None) == (facts.lapse is not None)
            if facts.demanded is not None:
                assert facts.misdirected < facts.demanded < days.filed + timedelta(days=1)


# --- the law ---


def test_grounds_under_the_sample_law_are_those_of_its_table() -> None:
    for matter in some_matters():
        check_grounds(SAMPLE, matter)


@pytest.mark.shared
def test_every_ground_of_fifty_matters_is_the_law_of_its_day(
    law_world: World, corpus: Library
) -> None:
    with law_world:
        matters = make_matters(law_world, 50, 1)
    for matter in matters:
        check_grounds(REAL, matter)
        check_file(matter)
        assert sum("第十二条　因本" in one.text for one in matter.documents) == 2  # and the draft
        for ground in matter.grounds:
            answer = in_force_on(corpus, find_law(corpus, ground.law), ground.on)
            assert isinstance(answer, FoundVersion), ground
            text = corpus.text(answer.version, Position(ground.article)) or ""
            assert all(word in text for word in ground.words), ground
            assert ground.law not in matter.stale
    assert len({matter.cause for matter in matters}) == 7
    assert {ground.law for matter in matters for ground in matter.grounds} >= {
        "合同法", "民法典", "民法总则", "民事诉讼法",
    }  # fmt: skip


@pytest.mark.shared
def test_laws_were_in_force_when_we_say(corpus: Library) -> None:
    papers = papers_of(read_table(REAL))
    gone = (NotYet, Repealed)
    for law in papers.laws:
        found = find_law(corpus, law.name)
        last = min(law.until, date(2025, 12, 31))
        assert not isinstance(in_force_on(corpus, found, law.since), gone), law.name
        assert isinstance(in_force_on(corpus, found, last), FoundVersion), law.name
        assert isinstance(in_force_on(corpus, found, law.since - timedelta(days=1)), gone)
        if law.until < date.max:
            assert isinstance(in_force_on(corpus, found, law.until + timedelta(days=1)), gone)


def test_stale_laws_were_in_force_on_no_day_of_the_case() -> None:
    papers = papers_of(read_table(SAMPLE))
    for matter in some_matters():
        for law in papers.laws:
            held = any(law.since <= on <= law.until for on in matter.on)
            assert (law.name in matter.stale) == (not held)
        in_force = next(item for item in matter.items if item.id == IN_FORCE)
        assert in_force.part == BODY
        assert {*in_force.cites} == {ground.citation for ground in matter.grounds}


# --- on disk ---


def test_a_folder_is_read_as_it_was_written(tmp_path: Path) -> None:
    matters = list(some_matters()[:3])
    write_matters(tmp_path / "out", matters)
    assert read_matters(tmp_path / "out") == matters
    write_matters(tmp_path / "out", matters[:1])
    assert read_matters(tmp_path / "out") == matters[:1]
    assert len(list((tmp_path / "out" / "documents").iterdir())) == 1


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UsageError):
        write_matters(tmp_path, some_matters()[:1])
    write_matters(tmp_path, some_matters()[:1], force=True)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_changed_document_is_an_error(tmp_path: Path) -> None:
    write_matters(tmp_path / "out", some_matters()[:2])
    file = next((tmp_path / "out" / "documents" / "0002").iterdir())
    file.write_text("改过")
    with pytest.raises(DataError, match=r"row 2.*not as it was made"):
        read_matters(tmp_path / "out")
    with pytest.raises(DataError, match="hengfa world matters"):
        read_matters(tmp_path)


def test_a_key_without_law_is_an_error(tmp_path: Path) -> None:
    write_matters(tmp_path / "out", some_matters()[:1])
    file = tmp_path / "out" / "matters.jsonl"
    file.write_text(file.read_text("utf-8").replace('"ground:', '"x:'), "utf-8")
    with pytest.raises(DataError, match="begins with 'ground:'"):
        read_matters(tmp_path / "out")


# --- tools ---


def toolbox(matter: Matter) -> Toolbox:
    return Toolbox(generated_world(), "helpful").with_tools(file_tools(matter.documents))


def test_the_file_is_read_with_tools_beside_those_of_the_world() -> None:
    matter = some_matters()[0]
    tools = toolbox(matter)
    assert tools.names[:3] == ("list_documents", "read_document", "search_documents")
    assert "get_company_register" in tools.names
    assert {spec.name for spec in tools.specs()} == {*tools.names}
    listed = tools.call("list_documents", {}).value["documents"]
    assert [one["name"] for one in listed] == [one.name for one in matter.documents]
    for one in matter.documents:
        assert tools.call("read_document", {"name": one.name}).value["text"] == one.text
    found = tools.call("search_documents", {"words": "往来稿 没有的词"}).value["found"]
    assert found
    assert all("往来稿" in one["text"] for one in found)
    assert "list_documents" not in Toolbox(generated_world(), "helpful").names


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("read_document", {"name": "../../matters.jsonl"}),
        ("read_document", {"name": 3}),
        ("read_document", ["谈话记录"]),
        ("search_documents", {"words": "没有的词"}),
        ("search_documents", {"words": " "}),
        ("list_documents", {"all": True}),
        ("read_document", None),
    ],
)
def test_a_bad_call_is_answered(tool: str, given: Any) -> None:
    assert toolbox(some_matters()[0]).call(tool, given).status is not Status.OK
