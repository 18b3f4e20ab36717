"""Agents on tasks of the suite, through journal and scoring: solved, interrupted, continued."""

from __future__ import annotations

import asyncio
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.json import encode
from msgspec.structs import replace
from tests.world.agents.scripted import action, calls, final, finish
from tests.world.tiny_world import COMPANY, COURT, CREDIT, SUBSIDIARY, write

from hengfa.base.errors import DataError, JournalError, RunStopped, UsageError
from hengfa.cli.main import cli
from hengfa.evals.engine.journal import Exchange, newest_entries, sent_file
from hengfa.evals.engine.messages import Options, Request, Response, Status, ToolUse, Usage
from hengfa.evals.runs.evaluate import evaluate
from hengfa.evals.runs.evidence import further_estimates, read_evidence
from hengfa.evals.runs.folder import RunFigures
from hengfa.evals.runs.look import agent_events, entries_of, sent_events
from hengfa.evals.runs.score import open_journal
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.plan import make_plan
from hengfa.law.retrieval.corpus import Corpus, Document
from hengfa.law.retrieval.index import Index
from hengfa.law.retrieval.methods import NAMED
from hengfa.train.rewards.agent import agent_key
from hengfa.train.rewards.episodes import Environment, play, world_tools
from hengfa.world.agents.solver import METHODS, TOOLS, _toolbox, open_toolbox
from hengfa.world.suites.legalagentbench.dataset import SETTINGS, all_samples
from hengfa.world.tables.world import World

Path_ = tuple[tuple[str, dict[str, Any]], ...]

TASKS: dict[str, tuple[str, Path_, list[str], list[str]]] = {
    "1": (
        "法院代字云0101是哪家法院？",
        (("get_court_code", {"identifier": "云0101", "columns": ["法院名称"]}),),
        [COURT],
        [],
    ),
    "2": (
        f"信用代码{CREDIT}的公司的子公司白鹭物流由它投资了多少？",
        (
            ("get_company_register_name", {"identifier": CREDIT}),
            ("get_sub_company_info_list", {"identifier": COMPANY, "columns": []}),
        ),
        ["1.06亿"],
        [COMPANY, SUBSIDIARY],
    ),
    "3": (
        "（2021）云0101执2号的执行法院在哪个区县？",
        (
            (
                "get_restriction_case",
                {"identifier": "（2021）云0101执2号", "columns": ["执行法院"]},
            ),
            ("get_court_info", {"identifier": COURT, "columns": ["法院区县"]}),
        ),
        ["青岚区"],
        [COURT],
    ),
}
TARGET = "legalagentbench/1-hop,2-hop"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    rows = [
        {
            "id": int(id_),
            "question": question,
            "answer": "、".join(key),
            "key": key,
            "key_middle": middle,
            "type": f"{len(path)}-1-1",
            "way": "----".join(tool for tool, _ in path),
        }
        for id_, (question, path, key, middle) in TASKS.items()
    ]
    (folder / "dataset.json").write_text(json.dumps(rows), "utf-8")
    write(folder / "world.sqlite")
    return folder


class Oracle:
    """Makes the calls of the gold path, and copies the keys."""

    name = "oracle"
    address = ""

    def __init__(self, stop_after: int | None = None) -> None:
        self.asked: list[str] = []
        self.stop_after = stop_after

    async def generate(self, request: Request) -> Response:
        await asyncio.sleep(0)
        self.asked.append(request.key)
        if self.stop_after is not None and len(self.asked) > self.stop_after:
            raise RunStopped("killed")
        sample, _, step = request.key.partition("#")
        _, path, key, middle = TASKS[sample.rpartition("/")[2]]
        answer, summary = "、".join(key), "、".join([*key, *middle])
        kind, _, number = step.rpartition("-")
        made = list(path)[int(number) - 1 : int(number)] if number.isdigit() else []
        said: str | Response
        if kind == "turn":
            said = calls(*made) if made else finish(answer, summary)
        elif kind in ("action", "solve"):
            said = action(*made[0]) if made else final(answer)
        elif step == "plan" or kind == "replan":
            said = "\n".join(f"第{place}步: 做" for place in range(1, len(path) + 2))
        else:
            said = {"close-answer": answer, "close-summary": summary}.get(step, "想")
        reply = Response(Status.ANSWERED, text=said) if isinstance(said, str) else said
        return Response(
            reply.status, text=reply.text, tool_calls=reply.tool_calls, usage=Usage(100, 10)
        )

    async def close(self) -> None:
        await asyncio.sleep(0)


def run(
    data: Path, setting: str, model: Oracle, runs: Path, lanes: int = 4, **options: str
) -> tuple[Path, RunFigures]:
    done = evaluate(
        TARGET, model, setting=setting, data=data, options=options, runs=runs, lanes=lanes
    )
    return done.folder, done.scores.outcomes[0]


def kept(folder: Path, task: str, sample: str) -> Response:
    """The response to a sample as it is scored, with what all its steps used."""
    return next(
        said for one, said, *_ in open_journal(folder)[0].attempts(task) if one.id == sample
    )


@pytest.mark.parametrize("setting", SETTINGS)
def test_an_oracle_has_full_success_by_every_method(
    data: Path, tmp_path: Path, setting: str
) -> None:
    folder, outcome = run(data, setting, Oracle(), tmp_path / "runs")
    for group, figure in outcome.tasks.items():
        assert figure.score == figure.more["process"] == figure.more["exact"] == 1.0, group
        assert figure.more["path_recall"] == figure.more["path_precision"] == 1.0
        assert figure.more["no_data"] == figure.more["repeats"] == figure.more["step_limit"] == 0.0
    assert outcome.tasks["2-hop"].n == 2
    response = kept(folder, "2-hop", "2")
    assert COMPANY in response.reasoning
    assert response.usage is not None
    steps = [one for one in newest_entries(folder / "journal.jsonl") if "/2#" in one.key]
    assert response.usage.total == 110 * len(steps)


@pytest.mark.parametrize("setting", SETTINGS)
def test_an_interrupted_run_goes_on_without_asking_twice(
    data: Path, tmp_path: Path, setting: str
) -> None:
    whole = Oracle()
    _, expected = run(data, setting, whole, tmp_path / "whole", lanes=1)
    for stop_after in range(1, len(whole.asked), 3):
        runs = tmp_path / f"runs-{stop_after}"
        first, second = Oracle(stop_after), Oracle()
        with pytest.raises(RunStopped):
            run(data, setting, first, runs, lanes=1)
        _, outcome = run(data, setting, second, runs, lanes=1)
        answered = first.asked[:stop_after]
        assert answered + second.asked == whole.asked
        assert figures(outcome) == figures(expected)


def figures(outcome: RunFigures) -> dict[str, Any]:
    """All but what was asked just now."""
    return replace(outcome, asked=None).as_json()


@pytest.mark.parametrize("conversation", ["planned", "single"])
def test_an_environment_asks_what_an_evaluation_asks(
    data: Path, tmp_path: Path, conversation: str
) -> None:
    folder, _ = run(data, TOOLS, Oracle(), tmp_path / "runs", conversation=conversation)
    entries = list(newest_entries(folder / "journal.jsonl"))
    environment = Environment(
        world_tools(data), single=conversation == "single", options=Options(temperature=0.0)
    )

    async def ask(request: Request) -> Response:
        return await Oracle().generate(replace(request, key=request.key.replace("@0", "")))

    for sample in all_samples(data):
        prompt = [{"role": "user", "content": sample.question}]
        key = agent_key(sample, {"success": 1.0, "process": 1.0, "good_calls": 1.0})
        episode = environment.episode({"id": sample.id, "prompt": prompt, "answer_key": key})
        assert asyncio.run(play(episode, ask)).value == 1.0
        steps = f"legalagentbench/{sample.group}/{TOOLS}/{sample.id}#"
        assert [request.prompt_hash() for request, _ in episode.asked] == [
            entry.prompt_hash for entry in entries if entry.key.startswith(steps)
        ]
        evaluated, handed_in = kept(folder, sample.group, sample.id), episode.response
        assert handed_in is not None
        assert handed_in.text == evaluated.text and handed_in.reasoning == evaluated.reasoning


@pytest.mark.parametrize("setting", SETTINGS)
def test_agents_work_on_the_question_as_a_template_puts_it(
    data: Path, tmp_path: Path, setting: str
) -> None:
    file = tmp_path / "polite.toml"
    file.write_text("name = 'polite'\n[tasks.'*']\nuser = '请教：{question}'", "utf-8")
    told: list[str] = []

    class Listening(Oracle):
        async def generate(self, request: Request) -> Response:
            told.extend(message.content for message in request.messages)
            return await super().generate(request)

    evaluate(
        "legalagentbench/1-hop", Listening(), setting=setting, data=data, prompts=file,
        runs=tmp_path / "runs",
    )  # fmt: skip
    assert any(f"请教：{TASKS['1'][0]}" in text for text in told)
    assert not any(TASKS["1"][0] in text.replace("请教：" + TASKS["1"][0], "") for text in told)


def test_a_run_from_before_an_option_goes_on(data: Path, tmp_path: Path) -> None:
    folder, before = run(data, "react", Oracle(), tmp_path)
    said = json.loads((folder / "run.json").read_text("utf-8"))
    del said["suite_options"]["plans"], said["suite_options"]["tools"]
    (folder / "run.json").write_text(json.dumps(said), "utf-8")
    model = Oracle()
    _, after = run(data, "react", model, tmp_path)
    assert (model.asked, figures(after)) == ([], figures(before))
    with pytest.raises(JournalError, match="another run than this command asks for"):
        run(data, "react", model, tmp_path, tools="all")


class WideColons(Oracle):
    """Writes its plans with full-width colons, as Chinese models do."""

    async def generate(self, request: Request) -> Response:
        said = await super().generate(request)
        return replace(said, text=said.text.replace("步: ", "步："))


def test_the_options_of_published_methods_reach_the_agent(data: Path, tmp_path: Path) -> None:
    _, lost = run(data, "plan-execute", WideColons(), tmp_path / "published")
    assert lost.tasks["2-hop"].more["path_recall"] == 0.5
    model = WideColons()
    runs = tmp_path / "mended"
    _, found = run(data, "plan-execute", model, runs, plans="mended", tools="all")
    assert found.tasks["2-hop"].more["path_recall"] == 1.0
    assert not any("#filter" in key for key in model.asked)


def test_agents_search_the_index_that_is_named(data: Path, tmp_path: Path) -> None:
    with World.open(data / "world.sqlite") as world:
        texts = list(world.texts("LegalArticle"))
    rows = [Document(str(number), text) for number, text in enumerate(texts)]
    folder = tmp_path / "indexes"
    Index.build(Corpus(tuple(rows)), NAMED["bm25-words"]).write(folder / "LegalArticle")
    options = make_plan(TARGET, data=str(data), options={"retriever": str(folder)}).options
    query = {"identifier": texts[-1][-12:], "k": 1}
    seen = open_toolbox(data, "react", options).call("legal_article_retriever", query)
    assert seen.value == [texts[-1]]
    Index.build(Corpus(tuple(rows[:-1])), NAMED["bm25-words"]).write(folder / "LegalArticle")
    _toolbox.cache_clear()
    with pytest.raises(DataError, match="an index of other texts than LegalArticle"):
        open_toolbox(data, "react", options)
    with pytest.raises(UsageError, match="a service searches its texts by itself"):
        open_toolbox(data, "react", {**options, "world": "http://localhost:1"})
    with pytest.raises(UsageError, match="no folder of indexes"):
        make_plan(TARGET, data=str(data), options={"retriever": str(data)})


def test_the_world_of_a_data_folder_may_be_csv_files(data: Path) -> None:
    (data / "world.sqlite").unlink()
    (data / "world").mkdir()
    (data / "world" / "LawfirmLog.csv").write_text(
        "律师事务所名称,业务量排名,服务已上市公司,报告期间所服务上市公司违规事件,"
        "报告期所服务上市公司接受立案调查\n晓山律师事务所,1,2,3,4\n",
        "utf-8",
    )
    toolbox = open_toolbox(data, "react", {})
    asked = {"identifier": "晓山律师事务所", "columns": ["业务量排名"]}
    assert "1" in toolbox.call("get_lawfirm_log", asked).text


def test_modes_and_worlds_can_be_chosen(data: Path, tmp_path: Path) -> None:
    assert open_toolbox(data, TOOLS, {}).mode == "helpful"
    assert all(open_toolbox(data, setting, {}).mode == "strict" for setting in METHODS)
    assert open_toolbox(data, "react", {"mode": "helpful"}).mode == "helpful"
    other = write(tmp_path / "other.sqlite")
    assert open_toolbox(data, "react", {"world": str(other)}).world.path == other  # type: ignore[union-attr]
    remote = open_toolbox(data, "react", {"world": "http://127.0.0.1:9/tools"})
    assert repr(remote.world) == "RemoteWorld('http://127.0.0.1:9/tools')"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("mode", "lenient"),
        ("world", "nowhere.sqlite"),
        ("max_steps", "0"),
        ("max_steps", "many"),
        ("max_seconds", "1.5"),
        ("max_tokens_per_task", "-1"),
        ("agent", "module"),
        ("conversation", "long"),
    ],
)
def test_what_cannot_be_chosen_is_refused(data: Path, option: str, value: str) -> None:
    with pytest.raises(UsageError, match=option):
        make_plan(TARGET, setting="react", data=str(data), options={option: value})


def test_limits_of_a_task_are_options(data: Path, tmp_path: Path) -> None:
    _, outcome = run(data, "react", Oracle(), tmp_path / "runs", max_steps="1")
    assert outcome.tasks["1-hop"].more["step_limit"] == 1.0
    assert outcome.tasks["1-hop"].score == 1.0  # the closing texts are written all the same


def test_errors_of_a_run_are_shares_with_intervals(data: Path, tmp_path: Path) -> None:
    folder, outcome = run(data, "react", Oracle(), tmp_path / "runs")
    evidence = read_evidence(folder, Rules.OFFICIAL)
    share = further_estimates(evidence, evidence.drawn(draws=50))["no_data_share/2-hop"]
    assert share.value == outcome.further["no_data_share/2-hop"] == 0.0
    assert share.samples == outcome.tasks["2-hop"].n
    assert share.high is not None


def test_a_service_that_is_down_fails_the_task_and_it_is_asked_again(
    data: Path, tmp_path: Path
) -> None:
    world = "http://127.0.0.1:9"
    folder, outcome = run(data, "react", Oracle(), tmp_path / "runs", world=world)
    assert outcome.tasks["1-hop"].statuses == {"failed": 1}
    assert "gave no answer" in kept(folder, "1-hop", "1").reason


def test_an_agent_behind_the_endpoint_gets_the_bare_question(data: Path) -> None:
    seen: list[Request] = []

    async def ask(request: Request) -> Response:
        seen.append(request)
        return Response(Status.ANSWERED, text="甲")

    plan = make_plan(TARGET, setting="tools", data=str(data), options={"agent": "endpoint"})
    question = next(iter(plan.asked(Options())))
    solve = plan.solver(question.task)
    assert solve is not None

    async def solved() -> Response:
        return await solve(ask, question.sample, question.request)

    assert asyncio.run(solved()).text == "甲"
    assert seen[0].messages == question.request.messages
    assert seen[0].key == f"{question.request.key}#answer"


def test_a_limit_of_the_run_stops_it_and_keeps_the_steps(data: Path, tmp_path: Path) -> None:
    with pytest.raises(RunStopped):
        evaluate(
            TARGET, Oracle(), setting="tools", data=data, runs=tmp_path / "runs", lanes=1,
            max_new_tokens=50, max_tokens=20_000,
        )  # fmt: skip
    (folder,) = (tmp_path / "runs").iterdir()
    steps = [one.key.partition("#")[2] for one in newest_entries(folder / "journal.jsonl")]
    assert steps == ["plan"]


# --- what was sent, told again from the journal ---


class Remembering(Oracle):
    """Knows all that it was sent."""

    def __init__(self, *, functions: bool = True) -> None:
        super().__init__()
        self.functions = functions
        self.requests: dict[str, Request] = {}

    async def generate(self, request: Request) -> Response:
        self.requests[request.key] = request
        if request.options.tools and not self.functions:
            reason = "this model does not support tools"
            return Response(Status.FAILED, reason=reason, this_question_only=True)
        said = await super().generate(by_function_name(request))
        if said.tool_calls and not request.options.tools:
            (call,) = said.tool_calls
            text = action(call.name, json.loads(call.arguments))
            return replace(said, text=text, tool_calls=())
        return said


def by_function_name(request: Request) -> Request:
    """The same question under the name that it has where functions are called."""
    return replace(request, key=request.key.removesuffix("-text"))


@pytest.mark.parametrize("functions", [True, False])
@pytest.mark.parametrize("setting", SETTINGS)
def test_what_an_agent_sent_is_told_to_the_letter(
    data: Path, tmp_path: Path, setting: str, functions: bool
) -> None:
    model = Remembering(functions=functions)
    folder, _ = run(data, setting, model, tmp_path / "runs", lanes=1)
    for question in ("1-hop/1", "2-hop/2", "2-hop/3"):
        told = sent_events(folder, entries_of(folder, question), "")
        assert told.untold == ""
        asked = [event for event in told.events if isinstance(event, Exchange)]
        key = f"legalagentbench/{question.replace('/', f'/{setting}/')}#"
        expected = {name: one for name, one in model.requests.items() if name.startswith(key)}
        assert {one.request.key: one.request for one in asked} == expected
        called = [(e.tool, e.answer) for e in told.events if isinstance(e, ToolUse)]
        _, path, _, _ = TASKS[question.rpartition("/")[2]]
        assert [tool for tool, _ in called] == [tool for tool, _ in path]
        texts = "\n".join(m.content for one in asked for m in one.request.messages)
        assert all(answer and answer in texts for _, answer in called)


def test_what_was_sent_needs_no_data_and_is_never_guessed(data: Path, tmp_path: Path) -> None:
    folder, _ = run(data, "react", Oracle(), tmp_path / "runs")
    entries = entries_of(folder, "2-hop/2")
    for file in data.iterdir():
        file.unlink()
    told = sent_events(folder, entries, "")
    assert told.untold == ""
    assert agent_events(folder)["legalagentbench/2-hop/react/2", 1] == told.events
    changed = [replace(one, prompt_hash="0") if "thought-2" in one.key else one for one in entries]
    found = sent_events(folder, changed, "")
    assert (found.events, "thought-2 were not kept" in found.untold) == ((), True)
    missing = [one for one in entries if "thought-2" not in one.key]
    assert (
        "has no legalagentbench/2-hop/react/2#thought-2" in sent_events(folder, missing, "").untold
    )
    assert sent_events(folder, [], "").untold == "not in the journal"
    sent_file(folder / "journal.jsonl").unlink()
    assert "before the messages" in sent_events(folder, entries, "").untold
    assert agent_events(folder) == {}


def test_what_an_agent_of_the_users_own_did_is_kept_like_any_other(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_one.py").write_text(
        "from hengfa.evals.engine.messages import Message\n"
        "async def agent(question, tools, ask):\n"
        "    row = tools.call('get_company_info', {'identifier': '甲'})\n"
        "    said = await ask([Message('user', question + row.text)])\n"
        "    tools.call('get_company_info', {'identifier': said.text})\n"
        "    return said.text\n",
        "utf-8",
    )
    monkeypatch.chdir(tmp_path)
    folder, _ = run(data, "tools", Oracle(), tmp_path / "runs", agent="own_one:agent")
    before, asked, after = sent_events(folder, entries_of(folder, "2-hop/2"), "").events
    assert isinstance(before, ToolUse)
    assert isinstance(asked, Exchange)
    assert isinstance(after, ToolUse)
    (message,) = asked.request.messages
    assert message.content.endswith(before.answer)
    assert (before.arguments, after.arguments) == ({"identifier": "甲"}, {"identifier": "想"})
    assert after.answer


def test_an_agent_that_was_stopped_and_went_on_has_sent_what_one_sends_that_was_not(
    data: Path, tmp_path: Path
) -> None:
    whole, _ = run(data, "tools", Oracle(), tmp_path / "runs", lanes=1)
    told = agent_events(whole)
    for after in (1, 2, 5, 8):
        runs = tmp_path / str(after)
        with pytest.raises(RunStopped):
            run(data, "tools", Oracle(after), runs, lanes=1)
        folder, _ = run(data, "tools", Oracle(), runs, lanes=1)
        again = agent_events(folder)
        assert again.keys() == told.keys()
        for key, events in told.items():
            assert list(map(without_time, again[key])) == list(map(without_time, events))


def without_time(event: Exchange | ToolUse) -> object:
    return event[:2] if isinstance(event, Exchange) else event


def test_an_agent_is_shown_step_by_step_without_what_was_sent_before(
    data: Path, tmp_path: Path
) -> None:
    model = Remembering()
    folder, _ = run(data, "tools", model, tmp_path / "runs")
    words = ["show", str(folder), "2-hop/2"]
    shown = CliRunner().invoke(cli, words).output
    assert "sent, plan: " in shown
    assert "[2 messages as in turn-1]" in shown
    assert "[4 messages as in turn-2]" in shown
    told = json.loads(CliRunner().invoke(cli, [*words, "--json"]).stdout)
    sent_now = {one["step"]: one for one in told["sent"] if "step" in one}
    for step, one in sent_now.items():
        request = model.requests[f"legalagentbench/2-hop/tools/2#{step}"]
        assert one["messages"] == json.loads(encode(request.messages))
    assert [one["tool"] for one in told["sent"] if "tool" in one] == [
        "get_company_register_name",
        "get_sub_company_info_list",
    ]
    assert told["rules"]["official"]["metrics"]["success"] == 1.0


@pytest.mark.optional("inspect_ai")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("setting", SETTINGS)
def test_inspect_reads_the_calls_of_tools_with_their_results(
    data: Path, tmp_path: Path, setting: str
) -> None:
    from hengfa.evals.runs.inspect_log import export_inspect_log

    log = import_module("inspect_ai.log")
    folder, _ = run(data, setting, Remembering(), tmp_path / "runs")
    export_inspect_log(folder, tmp_path / "run.eval")
    read = log.read_eval_log(str(tmp_path / "run.eval"), resolve_attachments=True)
    sample = next(one for one in read.samples if one.id.endswith("/2"))
    _, path, _, _ = TASKS["2"]
    calls = [call for one in sample.messages for call in getattr(one, "tool_calls", None) or []]
    asked_for = [(call.function, call.arguments["identifier"]) for call in calls]
    assert asked_for == [(tool, given["identifier"]) for tool, given in path]
    results = {one.tool_call_id: one.text for one in sample.messages if one.role == "tool"}
    assert COMPANY in results[calls[0].id]
    assert SUBSIDIARY in results[calls[1].id]
    tools = [event for event in sample.events if event.event == "tool"]
    assert [(event.function, event.result) for event in tools] == [
        (call.function, results[call.id]) for call in calls
    ]
    asked = [event for event in sample.events if event.event == "model"]
    keys = [entry.key for entry in entries_of(folder, "2-hop/2") if "#" in entry.key]
    assert [event.metadata["step"] for event in asked] == [key.partition("#")[2] for key in keys]
    assert all(event.input for event in asked)


@pytest.mark.optional("inspect_ai")
@pytest.mark.filterwarnings("ignore")
def test_of_a_run_without_messages_inspect_is_told_the_calls_alone(
    data: Path, tmp_path: Path
) -> None:
    from hengfa.evals.runs.inspect_log import export_inspect_log

    log = import_module("inspect_ai.log")
    folder, _ = run(data, "react", Oracle(), tmp_path / "runs")
    sent_file(folder / "journal.jsonl").unlink()
    export_inspect_log(folder, tmp_path / "run.eval")
    read = log.read_eval_log(str(tmp_path / "run.eval"))
    sample = next(one for one in read.samples if one.id.endswith("/2"))
    results = [(one.function, one.text) for one in sample.messages if one.role == "tool"]
    assert results == [(tool, "ok") for tool, _ in TASKS["2"][1]]
