"""The desk's tools without a server: the same answers as over MCP, and episodes with them."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from hengfa.law.library.building.build import build_library
from hengfa.law.library.store import Library
from hengfa.train.rewards.citations import citation_key
from hengfa.train.rewards.episodes import Environment, Why
from hengfa.train.rewards.form import form_key
from hengfa.train.rewards.named import Rewarder
from hengfa.world.tools.observation import Status
from tests.law.library.citing_laws import COAST, VEHICLES, write_laws

pytest.importorskip("mcp", reason="mcp is not installed")
from hengfa.law.desk.mcp_server import law_server
from hengfa.world.agents.law_toolbox import LawToolbox, desk_tools
from tests.law.desk.test_mcp_server import CALLS
from tests.train.rewards.episode_player import called, finished

pytestmark = pytest.mark.optional("mcp")
DAY = date(2019, 1, 1)
TODAY = datetime.now(UTC).astimezone().date()
CITED = f"《{COAST}》第二条规定：“{VEHICLES}”"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coast")
    build_library([write_laws(folder / "laws")], folder / "law.sqlite")
    return folder / "law.sqlite"


@pytest.fixture(scope="module")
def library(file: Path) -> Iterator[Library]:
    with Library.open(file) as opened:
        yield opened


def test_every_tool_answers_as_over_mcp(library: Library) -> None:
    toolbox, server = LawToolbox(library, TODAY), law_server(library)
    assert set(toolbox.names) == set(CALLS)
    listed = {tool.name: tool for tool in asyncio.run(server.list_tools())}
    for spec in toolbox.specs():
        assert spec.parameters == listed[spec.name].input_schema
        assert spec.description == listed[spec.name].description
        assert spec.name in toolbox.described([spec.name])
    for name, arguments in (*CALLS.items(), ("law_versions", {"law": "月湖开灯法"})):
        answer: Any = asyncio.run(server.call_tool(name, arguments))
        seen = toolbox.call(name, arguments)
        assert seen.text == answer.content[0].text
        found = json.loads(seen.text).get("status", "found") == "found"
        assert seen.status is (Status.OK if found else Status.NO_DATA)


@pytest.mark.parametrize(
    "arguments",
    [None, "海岸法", ["海岸法"], {}, {"law": 3}, {"law": COAST, "am": "2019-01-01"},
     {"law": "海" * 301}, {"law": COAST, "on": "昨天"}],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_refused_by_name(library: Library, arguments: Any) -> None:
    seen = LawToolbox(library, DAY).call("look_up_provision", arguments)
    assert seen.status is Status.BAD_ARGUMENTS
    assert len(seen.text) < 300


def test_without_a_day_it_is_the_day_of_the_desk(library: Library) -> None:
    days = date(2006, 1, 1), DAY
    texts = [LawToolbox(library, day).call("look_up_provision", {"law": COAST, "position": "4"})
             for day in days]  # fmt: skip
    assert [f'"on":"{day}"' in seen.text for seen, day in zip(texts, days, strict=True)] == [
        True
    ] * 2
    assert "日出后熄灯" in texts[0].text and "日出后熄灯" not in texts[1].text


def test_an_episode_at_the_law_desk_earns_what_it_cites(file: Path, tmp_path: Path) -> None:
    environment = Environment(
        desk_tools(file, DAY),
        rewarder=Rewarder("citations_right", library=file),
        record=tmp_path / "record",
    )
    environment = pickle.loads(pickle.dumps(environment))
    row = {
        "id": "沙滩",
        "prompt": [{"role": "user", "content": "2019年1月1日，能在海滩上开车吗？请引用法条。"}],
        "answer_key": citation_key(DAY, f"《{COAST}》第二条"),
        "reward": "citations_right",
        "format_key": form_key(wrapper=("【", "】")),
    }
    said = {f"【{CITED}】": 1.0, CITED: 0.0, f"【{CITED.replace('不得', '可以')}】": 0.0}
    for number, (answer, value) in enumerate(said.items()):
        episode = environment.episode(row, number)
        episode.reset()
        turn = episode.step("查海岸法。")
        turn = episode.step(called(("look_up_provision", {"law": COAST, "position": "2"})))
        assert VEHICLES in turn.observations[0]["content"]
        assert episode.step(finished(answer)).why is Why.ANSWERED
        assert episode.reward().value == value
        resumed = environment.episode(row, number)
        assert resumed.reset().done and resumed.reward() == episode.reward()
