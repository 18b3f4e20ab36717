"""The sample tasks can be solved in their own world: what a gold path needs is there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.world.agents.scripted import calls, finish

from hengfa.evals.engine.messages import Request, Response, Status
from hengfa.evals.runs.evaluate import evaluate
from hengfa.evals.suites.plan import sample_pack
from hengfa.world.agents.solver import open_toolbox
from hengfa.world.suites.legalagentbench.dataset import AgentSample, all_samples

Calls = list[tuple[str, dict[str, Any]]]


def by(tool: str, identifier: str, *columns: str) -> tuple[str, dict[str, Any]]:
    return tool, {"identifier": identifier, **({"columns": list(columns)} if columns else {})}


CASE, RESTRICTED = "（2023）月0101民初18号", "（2024）月0101执35号"
COURT, OTHER_COURT = "东岸市柳巷区人民法院", "西岸市塔下区人民法院"
PARENT, DOCK, LIGHT = "云帆渡船股份有限公司", "东岸船坞有限公司", "西岸灯塔有限公司"
LANTERN, CREDIT = "夜市灯笼有限公司", "91990101MA0MOON01X"
RAIN, PIER = "听雨律师事务所", "渡口律师事务所"
HERE = {"prov": "月湖省", "city": "东岸市", "county": "柳巷区"}

PATHS: dict[str, Calls] = {
    "1": [by("get_company_info", PARENT, "公司代码", "法人代表", "董秘")],
    "2": [by("get_company_register", DOCK, "注册资本")],
    "3": [by("get_company_register_name", CREDIT), by("get_sub_company_info", DOCK)],
    "4": [by("get_sub_company_info_list", PARENT), by("get_legal_document_company_list", LIGHT)],
    "5": [
        by("get_legal_document", CASE, "被告"),
        by("get_company_register", LANTERN, "企业地址"),
        by("get_address_info", "东岸市柳巷区灯市街12号"),
    ],
    "6": [
        by("get_restriction_case", RESTRICTED),
        by("get_court_code", COURT),
        by("get_court_info", COURT, "成立日期"),
    ],
    "7": [
        by("get_legal_document", CASE, "原告律师事务所"),
        by("get_lawfirm_info", RAIN, "事务所地址"),
        by("get_address_info", "月湖省东岸市柳巷区听雨阁3楼"),
        ("get_court_info_list", HERE),
    ],
    "8": [
        by("get_legal_document_company_list", LIGHT),
        by("get_legal_document", "（2022）月0202民初7号"),
        by("get_court_code", "月0202"),
        by("get_court_info", OTHER_COURT, "法院负责人"),
    ],
    "9": [
        by("get_company_register_name", CREDIT),
        by("get_sub_company_info", DOCK),
        by("get_sub_company_info_list", PARENT),
        by("get_legal_document_company_list", LIGHT),
        by("get_lawfirm_info", PIER, "事务所注册资本"),
    ],
    "10": [
        by("get_restriction_case", RESTRICTED),
        by("get_court_code", "月0101"),
        by("get_dishonesty_case_court_list", COURT),
        by("get_court_info", COURT),
        ("get_court_info_list", HERE),
        by("get_court_code", COURT),
    ],
    "11": [
        by("get_company_register", DOCK),
        by("get_lawfirm_info", RAIN),
        by("legal_article_retriever", "云上船舶碰撞 过失 分担"),
    ],
    "12": [
        by("get_company_register", LANTERN),
        by("get_lawfirm_info", PIER),
        by("legal_article_retriever", "渡船 船底渗水 不得离岸"),
    ],
}
SEEN = {
    "11": ("柳巷8号", "杜若", CREDIT, "雨无声", "月湖云上船舶碰撞处理条例第六条"),
    "12": ("灯市街12号", "烛小明", "0990-8000102", "月湖渡船法第七条"),
}


def samples() -> tuple[AgentSample, ...]:
    return all_samples(sample_pack("legalagentbench").root)


@pytest.mark.parametrize("mode", ["strict", "helpful"])
@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.id)
def test_every_gold_path_can_be_gone(sample: AgentSample, mode: str) -> None:
    toolbox = open_toolbox(sample_pack("legalagentbench").root, "react", {"mode": mode})
    path = PATHS[sample.id]
    if sample.path:
        assert tuple(tool for tool, _ in path) == sample.path
    seen = [toolbox.call(*call) for call in path]
    assert [one.status for one in seen] == ["ok"] * len(path)
    shown = "".join(one.text for one in seen)
    assert all(word in shown for word in SEEN.get(sample.id, ()))


class Oracle:
    """Goes the gold paths by function calls and hands in the reference."""

    name = "oracle"
    address = ""

    async def generate(self, request: Request) -> Response:
        await asyncio.sleep(0)
        key, _, step = request.key.partition("#")
        id_ = key.rpartition("/")[2]
        if step == "plan":
            return Response(Status.ANSWERED, text="照路径查。")
        turn, path = int(step.rpartition("-")[2]), PATHS[id_]
        if turn <= len(path):
            return calls(path[turn - 1])
        sample = next(one for one in samples() if one.id == id_)
        return finish(sample.answer, "、".join((*sample.key, *sample.key_middle, sample.answer)))

    async def close(self) -> None:
        await asyncio.sleep(0)


def test_an_oracle_has_full_success_on_the_sample_tasks(tmp_path: Path) -> None:
    done = evaluate(
        "legalagentbench",
        Oracle(),
        setting="tools",
        data="sample",
        rules="corrected",
        runs=tmp_path,
    )
    (outcome,) = done.scores.outcomes
    assert {figure.score for figure in outcome.tasks.values()} == {1.0}
    recalls = {group: figure.more.get("path_recall") for group, figure in outcome.tasks.items()}
    assert recalls == {f"{hops}-hop": 1.0 for hops in range(1, 6)} | {"writing": None}
