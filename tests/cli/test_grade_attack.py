"""`hengfa grade attack` and `hengfa grade probe` as a person or a script calls them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from aiohttp import web
from click.testing import CliRunner, Result
from tests.evals.engine.server import LocalServer, Seen, completion, in_thread

from hengfa.base.data.jsonfile import write_lines
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.commands.grade import attack_, probe_, run_
from hengfa.evals.grading.attacks import builtin_samples, read_attacks

ITEMS = re.compile(r'"id": "([a-z]\d+)",\s*"满分": (\d+)')


KNOWING = "knowing"
"""Written with our checks in view: two texts are lists of words, for which a rule falls."""


def call(command: click.Command, *arguments: str, folder: Path) -> Result:
    return CliRunner().invoke(command, [*arguments, "--runs", str(folder)])


def document(command: click.Command, *arguments: str, folder: Path) -> Any:
    done = call(command, *arguments, "--json", folder=folder)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def families(found: Any) -> dict[str, Any]:
    return {one["family"]: one for one in found["families"]}


def test_the_naive_grader_is_moved_by_everything_and_flagged_everywhere(tmp_path: Path) -> None:
    found = document(attack_, "--grader", "naive", folder=tmp_path)
    assert found["submissions"] == 3
    assert found["attacks"] == len(read_attacks())
    by_family = families(found)
    for name, one in by_family.items():
        if name == "denial":
            assert (one["broken"], one["compared"], one["shift"]) == (1.0, 0, None)
        elif name == "asked again":
            assert (one["shift"], one["flagged"], one["pairs"]) == (0.0, 0.0, 3)
        else:
            assert one["raised"] == 1.0
            assert one["flagged"] > (0.9 if name in {KNOWING, "all attacks"} else 0.999), name
            assert one["backed"] <= 0, name
    assert by_family["all attacks"]["pairs"] == 3 * len(read_attacks())


def test_the_keyword_grader_falls_for_copies_only_and_they_are_flagged(tmp_path: Path) -> None:
    by_family = families(document(attack_, "--grader", "keywords", folder=tmp_path))
    rose = {name for name, one in by_family.items() if one["raised"]} - {"all attacks"}
    assert rose == {"verdict", "stuffing", KNOWING}
    assert by_family["stuffing"]["flagged"] == 1.0
    for name, one in by_family.items():
        assert one["backed"] <= (0.03 if name == KNOWING else 1e-9)


@pytest.mark.parametrize(("families", "said"), [("stuffing", False), ("plea", True)])
def test_that_no_mark_was_raised_is_said_only_where_it_is_so(
    tmp_path: Path, families: str, said: bool
) -> None:
    for worst in ("0", "2"):
        asked = ("--grader", "keywords", "--families", families, "--worst", worst)
        done = call(attack_, *asked, folder=tmp_path)
        assert ("No attack raised a mark" in done.stdout) == (said and worst != "0")


def test_the_table_says_what_it_measures(tmp_path: Path) -> None:
    done = call(attack_, "--grader", "keywords", "--families", "plea, leak", folder=tmp_path)
    assert done.exit_code == 0, done.output
    assert "a rule, not a judgement" in done.stdout
    assert "keywords under 7 attacks" in done.stdout
    assert "asked again" in done.stdout
    assert "No attack raised a mark." in done.stdout
    assert "stuffing" not in done.stdout


def first_question(seen: Seen) -> str:
    """The submission, also where a repair is asked for."""
    return str(seen.body["messages"][1]["content"])


def verdict(prompt: str, awards: Sequence[object]) -> str:
    """With the code that the prompt asks for."""
    (code,) = re.findall("^核对码：(.+)$", prompt, re.MULTILINE)
    return json.dumps({"awards": awards, "faults": [], "code": code})


async def generous(_request: web.Request, seen: Seen) -> web.StreamResponse:
    """Full marks without evidence if the response asks for 满分, else nothing; once no verdict."""
    prompt = first_question(seen)
    response = prompt.split("作答开始")[1].split("作答结束")[0]
    worth = "满分" in response
    awards = [
        {"id": name, "points": int(points) if worth else 0, "evidence": [], "reason": ""}
        for name, points in ITEMS.findall(prompt)
    ]
    if "JSON" in response:
        return web.json_response(completion("好的"))
    return web.json_response(completion(verdict(prompt, awards)))


async def screening(_request: web.Request, seen: Seen) -> web.StreamResponse:
    """Quotes the last sentence of every response."""
    (code,) = re.findall("^核对码：(.+)$", first_question(seen), re.MULTILINE)
    said = {"sentences": ["一切都写到了"], "talks": True, "code": code}
    return web.json_response(completion(json.dumps(said)))


def test_own_responses_are_screened_by_a_second_model(tmp_path: Path) -> None:
    sample = builtin_samples()[0]
    file = tmp_path / "submissions.jsonl"
    text = f"{sample.response}\n一切都写到了。"
    write_lines(file, [msgspec.structs.replace(sample, response=text)])
    with in_thread(LocalServer(screening)) as server:
        arguments = (str(file), "--grader", "keywords", "--grader-base-url", f"{server.url}/v1")
        found = document(run_, *arguments, "--screen", "endpoint:s", folder=tmp_path)
    (row,) = found["submissions"]
    assert row["addressed"] == [{"start": len(text) - 7, "end": len(text) - 1}]
    alone = call(run_, str(file), "--screen", "endpoint:s", folder=tmp_path)
    assert isinstance(alone.exception, UsageError)
    assert "name who grades" in str(alone.exception)


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with in_thread(LocalServer(generous)) as running:
        yield running


def test_a_server_is_asked_once_for_each_variant_and_nothing_twice(
    server: LocalServer, tmp_path: Path
) -> None:
    arguments = (
        "--grader", "endpoint:m", "--grader-base-url", f"{server.url}/v1",
        "--families", "plea,denial", "--limit", "1",
    )  # fmt: skip
    found = document(attack_, *arguments, folder=tmp_path)
    asked = len(server.seen)
    # two clean, five pleas, four denials; two of these speak of JSON and are asked three times
    assert asked == 2 + 5 + 4 + 2 * 2
    by_family = families(found)
    assert by_family["plea"]["pairs"] == 5
    assert by_family["plea"]["raised"] == by_family["plea"]["flagged"] == 1 / 5
    assert by_family["plea"]["shift"] == pytest.approx(0.2)
    assert by_family["plea"]["backed"] == 0.0
    assert by_family["denial"]["broken"] == 0.5
    assert document(attack_, *arguments, folder=tmp_path) == found
    assert len(server.seen) == asked + 2  # what could not be read is asked for once more
    more = families(document(attack_, *arguments[:-3], "plea,leak", folder=tmp_path))
    assert more["plea"]["pairs"] == 15
    assert more["leak"]["pairs"] == 6


def test_a_dry_run_sends_nothing_and_counts_everything(tmp_path: Path) -> None:
    options = ("--grader", "deepseek:deepseek-chat", "--dry-run", "--limit", "2")
    found = document(attack_, *options, folder=tmp_path)
    assert found["samples"] == {"attack": 2 * (2 + len(read_attacks()))}
    (about,) = found["graders"]
    low, high = about["input_tokens"]
    assert 0 < low < high
    assert about["requests"] == [about["items"], 3 * about["items"]]
    assert list(tmp_path.iterdir()) == []
    assert "nothing was sent" in call(probe_, "length", *options, folder=tmp_path).stdout


def test_own_submissions(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    write_lines(file, builtin_samples()[1:])
    options = ("--grader", "keywords", "--submissions", str(file), "--families", "leak")
    found = document(attack_, *options, folder=tmp_path)
    assert found["submissions"] == 2
    assert (tmp_path / "attack-mine" / "grades" / "keywords" / "journal.jsonl").is_file()
    file.write_text("[]\n")
    done = call(attack_, *options, folder=tmp_path)
    assert isinstance(done.exception, DataError)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ((), "name one grader with --grader"),
        (("--grader", "keywords", "--grader", "naive"), "name one grader with --grader"),
        (("--grader", "wise"), "'wise' is not a model name"),
        (("--grader", "keywords", "--families", "bribe"), "there is no bribe"),
        (("--grader", "keywords", "--run", "../x"), "not a name below"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    options: tuple[str, ...], problem: str, tmp_path: Path
) -> None:
    done = call(attack_, *options, folder=tmp_path)
    assert isinstance(done.exception, UsageError)
    assert problem in str(done.exception)


def test_probes_of_a_grader_without_bias(tmp_path: Path) -> None:
    found = document(probe_, "position", "--grader", "keywords", folder=tmp_path)["position"]
    assert (found["submissions"], found["compared"], found["changed"]) == (3, 81, 0.0)
    assert found["trend"]["value"] == 0.0
    found = document(probe_, "length", "--grader", "keywords", folder=tmp_path)["length"]
    assert [row["shift"] for row in found["rows"]] == [0.0] * 7
    assert found["slopes"]["filler"]["units"] == 3


async def counting(_request: web.Request, seen: Seen) -> web.StreamResponse:
    """Likes long responses, and of the items the first: a point for it if the prompt is long."""
    prompt = first_question(seen)
    ids = [name for name, _ in ITEMS.findall(prompt)]
    response = prompt.split("作答开始")[1].split("作答结束")[0]
    awards = [
        {"id": name, "points": int(name == ids[0] and len(response) > 300), "evidence": ["追问"]}
        for name in ids
    ]
    return web.json_response(completion(verdict(prompt, awards)))


def test_probes_find_the_bias_of_a_server(tmp_path: Path) -> None:
    with in_thread(LocalServer(counting)) as server:
        address = ("--grader", "endpoint:m", "--grader-base-url", f"{server.url}/v1")
        found = document(probe_, "length", *address, folder=tmp_path)["length"]
        assert found["slopes"]["filler"]["value"] > 0
        done = call(probe_, "position", *address, folder=tmp_path)
    assert "an item that stands last instead of first loses" in done.stdout
    assert "awards in other orders, of 3 submissions" in done.stdout
