"""The three published methods, driven by a script through success and every kind of trouble."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.evals.engine.messages import Response
from hengfa.evals.engine.messages import Status as Replied
from hengfa.world.agents.booth import Limits
from hengfa.world.agents.prompts import PROMPTS
from hengfa.world.agents.published import (
    Loop,
    mend_plan,
    plan_execute,
    plan_solve,
    react,
    split_plan,
    work,
)
from hengfa.world.agents.trajectory import Ended, Reply
from hengfa.world.tables.schema import TABLE_OF
from hengfa.world.tables.world import World
from hengfa.world.tools.catalogue import TOOLS
from hengfa.world.tools.observation import BAD_CALL, BAD_COLUMN, NO_DATA, Status
from tests.world.agents.scripted import Script, action, booth, final, run, told
from tests.world.tiny_world import COURT, CREDIT, SUBSIDIARY

QUESTION = "法院代字云0101是哪家法院？"
LOOK = action("get_court_code", {"identifier": "云0101", "columns": ["法院名称"]})
PLAN = "第1步：查法院代字\n第2步：给出答案"
REPLAN = "第1步: 查法院代字\n第2步: 给出答案"
TABLES = '{"名称": ["CourtCode"]}'
CLOSING = {"close_answer": f"是{COURT}，1,234元。", "close_summary": f"由云0101查到{COURT}。"}

METHODS: dict[str, Loop] = {"react": react, "plan-solve": plan_solve, "plan-execute": plan_execute}
ACTS = {"react": "action", "plan-solve": "solve", "plan-execute": "solve"}


def solved(
    world: World, method: str, said: list[str | Response], limits: Limits | None = None, **more: str
) -> tuple[Script, Response]:
    """Work with these actions one after the other; everything else goes well."""
    other = {"filter": TABLES, "plan": PLAN, "replan": REPLAN, **CLOSING, **more}
    script = Script(**other, **{ACTS[method]: said})
    return script, run(work(METHODS[method], booth(script, world, "strict", limits), QUESTION))


def handed(world: World, method: str, *said: str | Response) -> Reply:
    return told(solved(world, method, list(said))[1])


@pytest.mark.parametrize("method", METHODS)
def test_success(tiny: World, method: str) -> None:
    script, response = solved(tiny, method, [LOOK, final(COURT)])
    reply = told(response)
    assert response.status is Replied.ANSWERED
    assert reply.answer == f"是{COURT}，1234元。"
    assert reply.summary == f"由云0101查到{COURT}。"
    assert reply.ended is Ended.FINISHED
    assert [(step.tool, step.status) for step in reply.steps or ()] == [("get_court_code", "ok")]
    assert f"{{'法院名称': '{COURT}'}}" in response.reasoning
    assert f"{{'法院名称': '{COURT}'}}" in script.prompt("close-answer")
    assert QUESTION in script.prompt("close-summary")


def test_the_calls_of_react_in_their_order(tiny: World) -> None:
    script, _ = solved(tiny, "react", [LOOK, final(COURT)], thought="查\n法院")
    assert script.steps == [
        "filter-1", "thought-1", "action-1", "thought-2", "action-2",
        "close-answer", "close-summary",
    ]  # fmt: skip
    assert script.prompt("thought-1").endswith("思考 1:")
    assert script.prompt("action-1").endswith("思考 1:查法院\n行动 1:")
    assert script.prompt("thought-2").endswith(f"观察 1:{{'法院名称': '{COURT}'}}\n思考 2:")
    assert all(len(request.messages) == 1 for request in script.asked)


def test_the_calls_of_plan_and_solve_and_that_the_question_is_not_in_a_step(tiny: World) -> None:
    script, _ = solved(tiny, "plan-solve", [LOOK, final(COURT)])
    assert script.steps == [
        "filter-1",
        "plan",
        "solve-1",
        "solve-2",
        "close-answer",
        "close-summary",
    ]
    assert QUESTION in script.prompt("plan")
    assert QUESTION not in script.prompt("solve-1")
    assert script.prompt("solve-2").endswith(
        f"此前的结果：第1步计划: 查法院代字 执行结果: {{'法院名称': '{COURT}'}}\n\n"
        "当前这一步：给出答案\n行动："
    )


def test_plan_and_execute_asks_for_a_new_plan_after_every_step(tiny: World) -> None:
    script, _ = solved(tiny, "plan-execute", [LOOK, final(COURT)])
    assert script.steps == [
        "filter-1", "plan", "solve-1", "replan-1", "solve-2", "close-answer", "close-summary",
    ]  # fmt: skip
    prompt = script.prompt("replan-1")
    assert QUESTION in prompt and "第1步: 查法院代字" in prompt and COURT in prompt


def test_a_new_plan_with_full_width_colons_ends_the_loop_silently(tiny: World) -> None:
    script, response = solved(tiny, "plan-execute", [LOOK], replan=PLAN)
    assert script.steps[2:] == ["solve-1", "replan-1", "close-answer", "close-summary"]
    assert told(response).ended is Ended.PLAN_OVER


@pytest.mark.parametrize("colon", ["：", "：  ", ":", " : ", ": "])
def test_a_mended_plan_is_read_whatever_its_colons(tiny: World, colon: str) -> None:
    plan = PLAN.replace("：", colon)
    script = Script(filter=TABLES, plan=plan, replan=plan, solve=[LOOK, final(COURT)], **CLOSING)
    mended = partial(plan_execute, mended=True)
    reply = told(run(work(mended, booth(script, tiny, "strict"), QUESTION)))
    assert script.steps[2:5] == ["solve-1", "replan-1", "solve-2"]
    assert reply.ended is Ended.FINISHED
    assert "当前这一步：给出答案\n" in script.prompt("solve-2")


@given(st.lists(st.text("查询法院:： \n步第x", max_size=12), max_size=12), st.data())
def test_mending_a_plan_finds_the_steps_of_the_strict_form(
    texts: list[str], data: st.DataObject
) -> None:
    colons = st.sampled_from([":", "：", " ： ", ":\u3000"])
    plans = [
        "\n".join(
            f"第{n}步{data.draw(colons) if loose else ': '}{t}" for n, t in enumerate(texts, 1)
        )
        for loose in (True, False)
    ]
    found = [split_plan(mend_plan(plan)) for plan in plans]
    assert found[0] == found[1]
    assert len(found[0]) == len(texts)


def test_the_published_methods_can_be_shown_every_tool(tiny: World) -> None:
    script = Script(thought="查", action=[LOOK, final(COURT)], **CLOSING)
    reply = told(run(work(react, booth(script, tiny, "strict"), QUESTION, every_tool=True)))
    assert script.steps[0] == "thought-1"  # no tables are chosen
    names = [tool.name for tool in TOOLS if tool.name != "finish"] + ["Final Answer"]
    assert len(names) == 37
    assert f"可用的行动：{'、'.join(names)}\n" in script.prompt("thought-1")
    assert all(f"\n{table}（" in script.prompt("thought-1") for table in TABLE_OF)
    assert reply.ended is Ended.FINISHED


def test_a_plan_without_steps_leaves_the_closing_texts_an_empty_transcript(tiny: World) -> None:
    script, response = solved(tiny, "plan-solve", [LOOK], plan="先查法院。")
    assert script.steps == ["filter-1", "plan", "close-answer", "close-summary"]
    assert (told(response).ended, told(response).steps) == (Ended.PLAN_OVER, ())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("given", "status", "seen"),
    [
        (
            action("get_court_code", {"identifier": "无"}),
            Status.NO_DATA,
            f"{NO_DATA} {PROMPTS.actions.no_data}",
        ),
        (
            action("get_court_code", {"identifier": "云0101", "columns": ["楼层"]}),
            Status.BAD_COLUMN,
            f"{BAD_COLUMN} {PROMPTS.actions.bad_column}",
        ),
        (action("get_court_code", {"identifier": ["云0101"]}), Status.BAD_ARGUMENTS, BAD_CALL),
        (action("get_moon", {"identifier": "云0101"}), Status.UNKNOWN_TOOL, BAD_CALL),
    ],
)
def test_tool_errors_become_observations(
    tiny: World, method: str, given: str, status: Status, seen: str
) -> None:
    _, response = solved(tiny, method, [given, final("不知道")])
    (step,) = told(response).steps or ()
    assert step.status is status
    assert seen in response.reasoning


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bad", ["我想查法院。", "```json\n{坏}\n```", "```json\n[]\n```"])
def test_what_cannot_be_read_gets_a_reminder(tiny: World, method: str, bad: str) -> None:
    _, response = solved(tiny, method, [bad, final("不知道")])
    (step,) = told(response).steps or ()
    assert step.tool is None
    assert PROMPTS.actions.unreadable in response.reasoning


def test_react_ends_after_ten_steps_and_still_closes(tiny: World) -> None:
    script, response = solved(tiny, "react", [LOOK])
    reply = told(response)
    assert reply.ended is Ended.STEP_LIMIT
    assert script.steps.count("close-answer") == 1
    assert len(reply.steps or ()) == 10
    assert reply.trajectory is not None and reply.trajectory.repeats() == 9


def test_plan_and_execute_ends_after_ten_steps_of_an_endless_plan(tiny: World) -> None:
    endless = "\n".join(f"第{number}步: 查" for number in range(1, 30))
    script, response = solved(tiny, "plan-execute", [LOOK], plan=endless, replan=endless)
    assert told(response).ended is Ended.STEP_LIMIT
    assert sum(step.startswith("solve-") for step in script.steps) == 10


def test_plan_and_solve_has_as_many_steps_as_its_plan(tiny: World) -> None:
    long = "\n".join(f"第{number}步: 查" for number in range(1, 16))
    script, response = solved(tiny, "plan-solve", [LOOK], plan=long)
    assert told(response).ended is Ended.PLAN_OVER
    assert sum(step.startswith("solve-") for step in script.steps) == 15


@pytest.mark.parametrize("method", METHODS)
def test_a_limit_of_steps(tiny: World, method: str) -> None:
    long = "\n".join(f"第{number}步: 查" for number in range(1, 6))
    limits = Limits(steps=2)
    _, response = solved(tiny, method, [LOOK], limits, plan=long, replan=long)
    assert (told(response).ended, len(told(response).steps or ())) == (Ended.STEP_LIMIT, 2)


@pytest.mark.parametrize("method", METHODS)
def test_a_limit_of_tokens_leaves_only_the_closing_texts(tiny: World, method: str) -> None:
    script, response = solved(tiny, method, [LOOK], Limits(tokens=300))
    assert told(response).ended is Ended.BUDGET
    assert script.steps[-2:] == ["close-answer", "close-summary"]
    # 110 tokens a reply: the limit is passed with the third
    assert len(script.steps) <= 2 + 4


def test_a_limit_of_seconds_counts_what_the_journal_says(tiny: World) -> None:
    slow = Response(Replied.ANSWERED, text=LOOK, seconds=30.0)
    _, response = solved(tiny, "react", [slow], Limits(seconds=45))
    assert (told(response).ended, len(told(response).steps or ())) == (Ended.BUDGET, 2)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "trouble", [Replied.FILTERED, Replied.FAILED, Replied.TRUNCATED, Replied.EMPTY, Replied.REFUSED]
)
def test_a_reply_that_is_no_answer_ends_the_task_with_its_status(
    tiny: World, method: str, trouble: Replied
) -> None:
    bad = Response(trouble, text="半句", reason="HTTP 400: no")
    script, response = solved(tiny, method, [LOOK, bad])
    assert response.status is trouble
    assert response.reason == f"{script.steps[-1]}: HTTP 400: no"
    reply = told(response)
    assert (reply.answer, reply.summary, reply.ended) == ("silence", "silence", Ended.FAILED)
    assert len(reply.steps or ()) == 1
    assert "close-answer" not in script.steps


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "reason",
    [
        "HTTP 400: This model's maximum context length is 8192 tokens",
        "HTTP 400: Range of input length should be [1, 6000]",
        "HTTP 413: prompt is too long: 300000 tokens",
        "HTTP 400: Prompt 超长",
    ],
)
def test_a_transcript_that_is_too_long_is_the_agents_own_failure(
    tiny: World, method: str, reason: str
) -> None:
    bad = Response(Replied.FAILED, reason=reason, this_question_only=True)
    _, response = solved(tiny, method, [LOOK, bad])
    assert response.status is Replied.ANSWERED
    assert (told(response).answer, told(response).ended) == ("silence", Ended.CONTEXT_OVERFLOW)


def test_a_cut_closing_text_is_kept_and_said(tiny: World) -> None:
    cut = Response(Replied.TRUNCATED, text="是云川", reason="finish_reason 'length'")
    script = Script(
        filter=TABLES, action=[LOOK, final(COURT)], close_answer=cut, close_summary="完"
    )
    response = run(work(react, booth(script, tiny, "strict"), QUESTION))
    assert response.status is Replied.TRUNCATED
    assert (told(response).answer, told(response).summary) == ("是云川", "完")


def test_three_attempts_at_the_table_filter_then_all_tables(tiny: World) -> None:
    script, _ = solved(tiny, "react", [final(COURT)], filter="都要")
    assert script.steps[:4] == ["filter-1", "filter-2", "filter-3", "thought-1"]
    assert "get_dishonesty_case_court_list" in script.prompt("thought-1")


def test_the_tools_of_the_chosen_tables_and_those_that_are_always_there(tiny: World) -> None:
    script, _ = solved(tiny, "react", [final(COURT)])
    shown = script.prompt("thought-1").partition("可用的行动：")[2].partition("\n")[0].split("、")
    assert shown == [
        "get_court_info", "get_court_info_list", "get_court_code", "get_company_info",
        "get_address_info", "get_sum", "get_rank", "legal_knowledge_retriever",
        "legal_article_retriever", "legal_case_retriever", "Final Answer",
    ]  # fmt: skip
    both = '{"名称": ["CourtInfo", "CourtCode"]}'
    script, _ = solved(tiny, "react", [final(COURT)], filter=both)
    named = script.prompt("thought-1").partition("可用的行动：")[2].partition("\n")[0]
    assert named.count("get_court_code") == 2  # a pair lists its tools twice, as published


def test_hops_of_plan_and_execute_come_without_retrievers(tiny: World) -> None:
    script = Script(filter=TABLES, plan=PLAN, solve=[final(COURT)], **CLOSING)
    run(work(plan_execute, booth(script, tiny, "strict"), QUESTION, retrievers=False))
    assert "legal_case_retriever" not in script.prompt("plan")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "hostile",
    [
        "好" * 1_000_000,
        "```json" + '{"a":' * 100_000 + "```",
        '```json\n{"action": "get_sum", "action_input": ' + "[" * 900 + "]" * 900 + "}\n```",
        action("get_court_code", {"identifier": "长" * 1_000_000}),
        action("get_court_code", {"identifier": "\x00\x1b"}),
        "\x1b[2J\x00\ud800",
        action("\ud800", {"\ud800": "\ud800"}),
    ],
)
def test_absurd_replies_do_no_harm(tiny: World, method: str, hostile: str) -> None:
    _, response = solved(tiny, method, [hostile, LOOK, final(COURT)], thought=hostile)
    assert response.status is Replied.ANSWERED
    assert told(response).answer.startswith("是")
    assert len(response.text) < 1_000_000
    assert "\x1b" not in response.reasoning + response.text
    response.text.encode()
    response.reasoning.encode()


def oracle(*path: tuple[str, object], answer: str) -> dict[str, list[str | Response]]:
    """A model that makes the calls of a gold path and copies the answer."""
    made: list[str | Response] = [action(tool, given) for tool, given in path]
    return {method: [*made, final(answer)] for method in METHODS}


@pytest.mark.parametrize("method", METHODS)
def test_an_oracle_solves_a_path_of_three_hops(tiny: World, method: str) -> None:
    said = oracle(
        ("get_company_register_name", {"identifier": CREDIT}),
        ("get_sub_company_info_list", {"identifier": "青岚科技股份有限公司", "columns": []}),
        ("get_restriction_case_company_list", {"identifier": SUBSIDIARY, "columns": ["案号"]}),
        answer="4件",
    )[method]
    plan = "\n".join(f"第{number}步: 做" for number in range(1, 5))
    _, response = solved(tiny, method, said, plan=plan, replan=plan, close_answer="4件")
    reply = told(response)
    assert reply.ended is Ended.FINISHED
    assert all(step.status is Status.OK for step in reply.steps or ())
    assert "（2021）云0101执4号" in response.reasoning
    assert reply.answer == "4件"
