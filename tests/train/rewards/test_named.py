"""The rewards that are no suite's task: cited law, form, and what an agent did."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest
from tests.evals.suites.agent_replies import PATH, reply, sample, step
from tests.law.library.citing_laws import COAST, VEHICLES, write_laws

from hengfa.base.errors import DataError, UsageError
from hengfa.evals.engine.messages import Response, Status
from hengfa.law.library.building.build import build_library
from hengfa.train.rewards import Reward, rewarder
from hengfa.train.rewards.agent import agent_key
from hengfa.train.rewards.citations import citation_key
from hengfa.train.rewards.form import form_key
from hengfa.world.tools.observation import Status as Seen

DAY = date(2019, 1, 1)


@pytest.fixture(scope="module")
def coast(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coast")
    build_library([write_laws(folder / "laws")], folder / "law.sqlite")
    return folder / "law.sqlite"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f"依照《{COAST}》第二条处罚。", 1.0),
        (f"《{COAST}》第二条规定：“{VEHICLES}”", 1.0),
        (f"《{COAST}》第二条规定：“{VEHICLES.replace('不得', '可以')}”", 0.0),
        (f"《{COAST}》第二条、第二百条", 0.5),
        (f"《{COAST}》第二百条。" + f"《{COAST}》第二条。" * 9, 0.5),
        ("海滩上不得开车。", 0.0),
        ("依照《月湖开灯法》第二条处罚。", None),
        ("", None),
    ],
)
def test_cited_law_is_right_if_it_exists_and_is_quoted_right(
    coast: Path, text: str, value: float | None
) -> None:
    found = rewarder("citations_right", library=coast)(citation_key(DAY), text)
    assert found.value == value
    assert bool(found.reason) == (value is None or "《" not in text)


def test_the_day_of_the_case_says_which_version_counts(coast: Path) -> None:
    quoted = f"《{COAST}》第四条规定：“灯塔看守人应当每日日落前点灯，日出后熄灯。”"
    of_library = rewarder("citations_right", "strict", library=coast)
    days = (date(2006, 1, 1), date(2019, 1, 1), date(2004, 1, 1))
    found = of_library.batch([citation_key(day) for day in days], [quoted] * 3)
    assert [one.value for one in found] == [1.0, 0.0, 0.0]
    assert [one.parts["in_force"] for one in found][::2] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("《云港海岸法》第二条、第六条", 1.0),
        ("《云港海岸法》第二条第一款、第六条", 1.0),
        ("《云港海岸法》第二条", 2 / 3),
        ("《云港海岸法》第二条、第一条", 1 / 2),
        ("《云港海岸法》第二条、第六条、第二百条", 4 / 5),
        ("《云港海岸法》第二条、第六条。" * 5, 1.0),
        ("《云港海岸法》第一条、第二条、第三条、第四条、第五条、第六条", 1 / 2),
        ("《云港海岸法》第二条。《云港海岸法》第二条规定：“任何人可以在海滩上开车取乐。”", 0.0),
        ("《云港海岸法》第一条", 0.0),
        ("《月湖开灯法》第二条", 0.0),
        ("没有引用", 0.0),
    ],
)
def test_with_what_should_be_cited_right_citations_beside_it_do_not_pay(
    coast: Path, text: str, value: float
) -> None:
    key = citation_key(DAY, "《云港海岸法》第二条、第六条")
    found = rewarder("citations_right", library=coast)(key, text)
    assert found.value == pytest.approx(value)


def test_a_key_that_expects_what_is_wrong_is_an_error(coast: Path) -> None:
    for expected in ("《云港海岸法》第二百条", "第二条", "茶馆"):
        with pytest.raises(DataError, match="field 'expected'"):
            rewarder("citations_right", library=coast)(citation_key(DAY, expected), "茶馆")
    with pytest.raises(DataError, match="field 'day'"):
        rewarder("citations_right", library=coast)('{"day": "yesterday"}', "茶馆")
    with pytest.raises(UsageError, match="library"):
        rewarder("citations_right")(citation_key(DAY), "茶馆")


def test_threads_check_citations_of_different_days_at_once(coast: Path) -> None:
    of_library = rewarder("citations_right", library=coast)
    quoted = f"《{COAST}》第四条规定：“灯塔看守人应当每日日落前点灯，日出后熄灯。”"
    keys = [citation_key(date(2004 + n % 18, 1, 1)) for n in range(200)]

    def one(key: str) -> Reward:
        return of_library(key, quoted)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, keys)) == list(map(one, keys))


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        (form_key(task="lawbench/1-2"), "[正确答案]B<eoa>", 1.0),
        (form_key(task="lawbench/1-2"), "也许吧", 0.0),
        (form_key(task="lawbench/1-2"), "A，或者 B", 0.0),
        (form_key(wrapper=("<答>", "</答>")), "想了想：<答>茶馆</答>", 1.0),
        (form_key(wrapper=("<答>", "</答>")), "<答></答>", 0.0),
        (form_key(wrapper=("<答>", "</答>")), "<答>一</答><答>二</答>", 0.0),
        (form_key(wrapper=("<答>", "</答>")), "<答>茶馆", 0.0),
        (form_key(json=("answer", "law")), '{"answer": "茶馆", "law": "月湖"}', 1.0),
        (form_key(json=("answer", "law")), '{"answer": "茶馆", "law": ""}', 0.0),
        (form_key(json=("answer",)), '["answer"]', 0.0),
        (form_key(json=("answer",)), "{" * 100_000, 0.0),
        (form_key(task="lawbench/1-2", wrapper=("[正确答案]", "<eoa>")), "选 B", 0.5),
        (form_key(task="lawbench/1-2"), "", None),
    ],
)
def test_form_is_whether_an_answer_stands_where_it_was_asked_for(
    key: str, text: str, value: float | None
) -> None:
    assert rewarder("format")(key, text).value == value


def test_a_key_that_names_no_form_is_an_error() -> None:
    for key, said in ((form_key(), "names no form"), ('{"regex": "(a+)+"}', "field 'regex'")):
        with pytest.raises(DataError, match=said):
            rewarder("format")(key, "茶馆")


def told(text: str) -> Response:
    """What whoever ran an agent hands in for it."""
    return Response(Status.ANSWERED, text)


FIRST, SECOND, THIRD = (step(tool, name="甲") for tool in PATH)
WORKED = reply("甲公司，1000.00万元", "乙公司，甲公司，1000.00万元", FIRST, SECOND, THIRD)
STUMBLED = reply("甲公司", "甲公司", FIRST, FIRST, step(None), step(PATH[1], Seen.BAD_ARGUMENTS))


@pytest.mark.parametrize(
    ("weights", "said", "value"),
    [
        (None, told(WORKED), 1.0),
        (None, told(STUMBLED), 0.5),
        (None, "甲公司，1000.00万元", 1.0),
        ({"process": 1.0}, told(STUMBLED), 1 / 3),
        ({"good_calls": 1.0}, told(WORKED), 1.0),
        ({"good_calls": 1.0}, told(STUMBLED), 1 / 4),
        ({"good_calls": 1.0}, WORKED, 0.0),
        ({"good_calls": 1.0}, f"<think>编一个</think>\n{WORKED}", 0.0),
        ({"good_calls": 1.0}, "甲公司", 0.0),
        ({"success": 2.0, "process": 1.0, "good_calls": 1.0}, told(WORKED), 1.0),
        ({"success": 2.0, "good_calls": 2.0}, told(STUMBLED), 3 / 8),
        (None, "", None),
        (None, Response(Status.FAILED, reason="上限"), None),
    ],
)
def test_an_agent_earns_by_answer_way_and_calls_that_were_recorded(
    weights: dict[str, float] | None, said: str | Response, value: float | None
) -> None:
    found = rewarder("agent")(agent_key(sample(), weights), said)
    assert found.value == (None if value is None else pytest.approx(value))


def test_a_copy_of_everything_that_was_seen_earns_little() -> None:
    """The suite's success is 1: every key is there."""
    copied = "甲公司，1000.00万元。" + "丙公司，2000.00万元。" * 500
    found = rewarder("agent")(agent_key(sample()), copied)
    assert found.parts["success"] == 1.0
    assert found.value is not None
    assert found.value < 0.05


def test_weights_and_groups_that_are_none_are_errors() -> None:
    for weights in ({"speed": 1.0}, {"success": -1.0}, {"success": 0.0}):
        with pytest.raises(DataError, match="weights"):
            rewarder("agent")(agent_key(sample(), weights), "甲")
    key = agent_key(sample()).replace('"3-hop"', '"9-hop"')
    with pytest.raises(DataError, match="9-hop"):
        rewarder("agent")(key, "甲")
