"""The `tools` method, driven by a script through success and every kind of trouble."""

from __future__ import annotations

import json
from collections.abc import Mapping

import msgspec
import pytest

from hengfa.evals.engine.messages import Message, Response
from hengfa.evals.engine.messages import Status as Replied
from hengfa.world.agents import native
from hengfa.world.agents.booth import Limits
from hengfa.world.agents.native import IDLE_TURNS, MOST_CALLS, TURNS, Protocol, work_with_tools
from hengfa.world.agents.trajectory import Ended
from hengfa.world.tables.world import World
from hengfa.world.tools.catalogue import Mode
from hengfa.world.tools.observation import Status
from tests.world.agents.scripted import Says, Script, action, booth, calls, finish, run, told
from tests.world.tiny_world import COMPANY, COURT, CREDIT, FIRM, SUBSIDIARY

QUESTION = "法院代字云0101是哪家法院？"
LOOK = ("get_court_code", {"identifier": "云0101", "columns": ["法院名称"]})


def solved(
    world: World,
    *turns: Says,
    limits: Limits | None = None,
    mode: Mode = "helpful",
    question: str = QUESTION,
    protocol: Protocol | None = None,
    more: Mapping[str, Says] | None = None,
) -> tuple[Script, Response]:
    said: dict[str, Says] = {
        "plan": "先查法院代字，再回答。",
        "close_answer": "短答",
        "close_summary": "长答",
        **(more or {}),
    }
    script = Script(**said, turn=list(turns))
    work = work_with_tools(booth(script, world, mode, limits), question, protocol or Protocol())
    return script, run(work)


def last_messages(script: Script) -> tuple[Message, ...]:
    return script.asked[-1].messages


def test_plan_calls_answer(tiny: World) -> None:
    script, response = solved(tiny, calls(LOOK), finish(f"是{COURT}。", f"查到{COURT}。"))
    reply = told(response)
    assert script.steps == ["plan", "turn-1", "turn-2"]
    assert (reply.answer, reply.summary) == (f"是{COURT}。", f"查到{COURT}。")
    assert reply.ended is Ended.FINISHED
    assert [(step.tool, step.status) for step in reply.steps or ()] == [(LOOK[0], "ok")]
    assert "先查法院代字" in script.prompt("turn-1")
    assert QUESTION in script.prompt("turn-1")
    offered = {tool.name for tool in script.asked[1].options.tools}
    assert {"get_court_code", "aggregate_rows", "calculate", "finish"} <= offered
    assert not script.asked[0].options.tools
    assert COURT in response.reasoning and "先查法院代字" in response.reasoning


def test_parallel_calls_are_all_answered_in_one_turn(tiny: World) -> None:
    firm = ("get_lawfirm_info", {"identifier": FIRM, "columns": ["律师事务所唯一编码"]})
    script, response = solved(tiny, calls(LOOK, firm), finish("云0101和LF01"))
    echoed, first, second = last_messages(script)[-3:]
    assert [call.id for call in echoed.tool_calls] == ["call_0", "call_1"]
    assert (first.role, first.tool_call_id) == ("tool", "call_0")
    assert COURT in first.content
    assert "LF01" in second.content
    assert len(told(response).steps or ()) == 2


def test_what_was_thought_before_a_call_stays_with_it(tiny: World) -> None:
    thinking = msgspec.structs.replace(calls(LOOK), reasoning="先查法院代字")
    script, _ = solved(tiny, thinking, finish(COURT, COURT))
    assert [m.reasoning for m in last_messages(script) if m.tool_calls] == ["先查法院代字"]


def test_the_same_call_twice_is_refused_with_advice(tiny: World) -> None:
    again = (LOOK[0], dict(reversed(LOOK[1].items())))  # the order of arguments does not matter
    script, response = solved(tiny, calls(LOOK), calls(again), finish(COURT))
    assert last_messages(script)[-1].content == native.refuse_repeat(1)
    trajectory = told(response).trajectory
    assert trajectory is not None and trajectory.repeats() == 1


def test_an_endless_loop_ends_in_the_closing_texts(tiny: World) -> None:
    script, response = solved(tiny, calls(LOOK))
    assert sum(step.startswith("turn-") for step in script.steps) == 1 + IDLE_TURNS
    reply = told(response)
    assert (reply.answer, reply.summary, reply.ended) == ("短答", "长答", Ended.STEP_LIMIT)
    assert COURT in script.prompt("close-answer")


def test_new_calls_without_end_stop_at_the_limit_and_the_model_is_warned(tiny: World) -> None:
    turns = [calls(("get_court_code", {"identifier": f"云{number}"})) for number in range(30)]
    script, response = solved(tiny, *turns)
    assert f"turn-{TURNS}" in script.steps and f"turn-{TURNS + 1}" not in script.steps
    assert told(response).ended is Ended.STEP_LIMIT
    assert native.TEXTS.remaining.format(turns=1) in script.prompt(f"turn-{TURNS}")
    script, _ = solved(tiny, *turns, limits=Limits(steps=2))
    assert script.steps == ["plan", "turn-1", "turn-2", "close-answer", "close-summary"]


def test_a_limit_of_tokens(tiny: World) -> None:
    script, response = solved(tiny, calls(LOOK), finish(COURT), limits=Limits(tokens=100))
    assert told(response).ended is Ended.BUDGET
    assert script.steps == ["plan", "close-answer", "close-summary"]


@pytest.mark.parametrize(
    ("bad", "status", "advice"),
    [
        (("get_court_cod", {"identifier": "云0101"}), Status.UNKNOWN_TOOL, "get_court_code"),
        (
            ("get_court_code", {"identifier": "云0101", "columns": ["法院"]}),
            Status.BAD_COLUMN,
            "法院名称",
        ),
        (("get_court_info", {"identifier": "青岚区人民法院"}), Status.NO_DATA, COURT),
        (("get_court_info", {"identifier": 3}), Status.BAD_ARGUMENTS, "identifier"),
        (("get_court_info", "{坏"), None, native.TEXTS.unreadable),
        (("get_court_info", "[1]"), None, native.TEXTS.unreadable),
        (("get_court_info", "[" * 100_000), None, native.TEXTS.unreadable),
    ],
)
def test_errors_come_back_with_what_to_do(
    tiny: World, bad: tuple[str, object], status: Status | None, advice: str
) -> None:
    script, response = solved(tiny, calls(bad), calls(LOOK), finish(COURT))
    assert advice in script.prompt("turn-2")
    steps = told(response).steps or ()
    assert len(steps) == 2
    assert (steps[0].status if steps[0].tool else None) == status
    assert told(response).answer == COURT
    echoed = next(m for m in script.asked[2].messages if m.tool_calls)
    json.loads(echoed.tool_calls[0].arguments)  # servers read it again


def test_arguments_in_quotes_and_other_spellings_of_a_name_are_understood(tiny: World) -> None:
    quoted = json.dumps(json.dumps(LOOK[1], ensure_ascii=False), ensure_ascii=False)
    _, response = solved(tiny, calls((f"functions.{LOOK[0]}", quoted)), finish(COURT))
    assert [step.status for step in told(response).steps or ()] == [Status.OK]


@pytest.mark.parametrize(
    "said",
    [
        "我来查。\n" + action(*LOOK),
        f'<tool_call>\n{{"name": "{LOOK[0]}", "arguments": {json.dumps(LOOK[1])}}}\n</tool_call>',
        json.dumps([{"function": {"name": LOOK[0], "arguments": json.dumps(LOOK[1])}}]),
    ],
)
def test_calls_in_the_text_are_made_too(tiny: World, said: str) -> None:
    script, response = solved(tiny, said, action("finish", {"answer": COURT, "summary": "经过"}))
    assert told(response).answer == COURT
    assert [step.tool for step in told(response).steps or ()] == [LOOK[0]]
    assert last_messages(script)[-1].role == "user"
    assert COURT in last_messages(script)[-1].content


def test_a_plain_text_is_nudged_once_and_then_closed(tiny: World) -> None:
    script, response = solved(tiny, calls(LOOK), f"答案是{COURT}", f"答案是{COURT}")
    assert native.TEXTS.nudge in script.prompt("turn-3")
    assert script.steps[-2:] == ["close-answer", "close-summary"]
    assert told(response).ended is Ended.FINISHED
    assert f"答案是{COURT}" in script.prompt("close-answer")
    script, response = solved(tiny, calls(LOOK), f"答案是{COURT}", finish(COURT))
    assert told(response).answer == COURT


def test_an_empty_reply_is_nudged(tiny: World) -> None:
    empty = Response(Replied.EMPTY, reason="no text")
    _, response = solved(tiny, empty, calls(LOOK), finish(COURT))
    assert told(response).answer == COURT
    script, response = solved(tiny, empty)
    assert script.steps.count("close-answer") == 1
    assert told(response).ended is Ended.STEP_LIMIT


def test_a_server_without_functions_gets_the_text_protocol_for_all_tasks(tiny: World) -> None:
    reason = 'HTTP 400: "auto" tool choice requires --enable-auto-tool-choice'
    refuses = Response(Replied.FAILED, reason=reason, this_question_only=True)
    protocol = Protocol()
    texts = {
        "turn_1_text": action(*LOOK),
        "turn_2_text": action("finish", {"answer": COURT, "summary": "经过"}),
    }
    script, response = solved(tiny, refuses, protocol=protocol, more=texts)
    assert script.steps == ["plan", "turn-1", "turn-1-text", "turn-2-text"]
    assert told(response).answer == COURT
    assert "get_court_code" in script.prompt("turn-1-text")
    assert not script.asked[-1].options.tools
    script, response = solved(tiny, refuses, protocol=protocol, more=texts)
    assert script.steps == ["plan", "turn-1-text", "turn-2-text"]
    assert told(response).answer == COURT


@pytest.mark.parametrize("trouble", [Replied.FILTERED, Replied.FAILED, Replied.TRUNCATED])
def test_a_reply_that_is_no_answer_ends_the_task_with_its_status(
    tiny: World, trouble: Replied
) -> None:
    script, response = solved(tiny, calls(LOOK), Response(trouble, reason="HTTP 500: no"))
    assert (response.status, response.reason) == (trouble, "turn-2: HTTP 500: no")
    assert (told(response).answer, told(response).ended) == ("silence", Ended.FAILED)
    assert len(told(response).steps or ()) == 1
    assert script.steps == ["plan", "turn-1", "turn-2"]


OVERFLOW = Response(
    Replied.FAILED, reason="HTTP 400: maximum context length is 4096", this_question_only=True
)


def test_an_overflow_is_answered_with_a_shorter_conversation(tiny: World) -> None:
    many = calls(("get_legal_document_company_list", {"identifier": COMPANY}), LOOK)
    script, response = solved(tiny, many, OVERFLOW, more={"turn_2_short_1": finish(COURT)})
    assert script.steps == ["plan", "turn-1", "turn-2", "turn-2-short-1"]
    assert told(response).answer == COURT
    before, after = (sum(len(m.content) for m in one.messages) for one in script.asked[-2:])
    assert after < before
    assert native.TEXTS.dropped in script.prompt("turn-2-short-1")


def test_an_overflow_that_stays_is_the_agents_own_failure(tiny: World) -> None:
    still = {f"turn_2_short_{number}": OVERFLOW for number in range(1, 9)}
    script, response = solved(tiny, calls(LOOK), OVERFLOW, more=still)
    assert response.status is Replied.ANSWERED
    assert (told(response).answer, told(response).ended) == ("silence", Ended.CONTEXT_OVERFLOW)
    assert len(script.steps) < 10


def test_a_call_whose_result_was_left_out_may_be_made_again(tiny: World) -> None:
    long = ("get_legal_document_company_list", {"identifier": COMPANY})
    again = {"turn_2_short_1": calls(long), "turn_3": finish(COURT)}
    script, response = solved(tiny, calls(long, LOOK), OVERFLOW, more=again)
    assert native.refuse_repeat(1) not in script.prompt("turn-3")
    assert told(response).answer == COURT


def test_what_nothing_seen_accounts_for_is_asked_about_once(tiny: World) -> None:
    wrong = finish("是碧波区人民法院，金额987654元")
    script, response = solved(tiny, calls(LOOK), wrong, finish(COURT))
    asked = last_messages(script)[-1].content
    assert "987654" in asked and "碧波区人民法院" in asked
    assert told(response).answer == COURT
    script, response = solved(tiny, calls(LOOK), wrong, wrong)  # the model insists
    assert "987654" in told(response).answer
    assert script.steps == ["plan", "turn-1", "turn-2", "turn-3"]


def test_an_answer_beside_other_calls_waits_for_their_results(tiny: World) -> None:
    both = calls(LOOK, ("finish", {"answer": "猜的", "summary": "无"}))
    script, response = solved(tiny, both, finish(COURT))
    assert last_messages(script)[-1].content == native.TEXTS.finish_alone
    assert told(response).answer == COURT
    _, response = solved(tiny, both, limits=Limits(steps=1))  # but not past the last turn
    assert told(response).answer == "猜的"


def test_an_answer_that_is_no_text_or_empty(tiny: World) -> None:
    _, response = solved(tiny, calls(LOOK), calls(("finish", {"answer": ["甲", 3]})))
    assert (told(response).answer, told(response).summary) == ('["甲", 3]', "长答")
    script, response = solved(
        tiny, calls(("finish", {})), finish("1,234元", "同上"), finish("1,234元", "同上")
    )
    assert native.TEXTS.no_answer in script.prompt("turn-2")
    assert told(response).answer == told(response).summary == "1234元"


def test_hundreds_of_calls_in_a_turn_are_put_off(tiny: World) -> None:
    flood = calls(*(("get_court_code", {"identifier": str(n)}) for n in range(1000)))
    script, response = solved(tiny, flood, finish(COURT))
    assert len(told(response).steps or ()) == MOST_CALLS
    assert native.TEXTS.too_many in script.prompt("turn-2")
    assert len(script.asked[-1].messages) < 100


@pytest.mark.parametrize(
    "hostile",
    [
        Response(Replied.ANSWERED, text="好" * 1_000_000),
        Response(Replied.ANSWERED, text="```json" + "[" * 1_000_000),
        Response(Replied.ANSWERED, text="<tool_call>" * 50_000),
        Response(Replied.ANSWERED, text="\x00\x1b[2J"),
        calls(("get_court_code", {"identifier": "长" * 1_000_000})),
        calls(("x" * 1_000_000, {})),
        calls(("get_sum", '{"identifier": ' + "[" * 900 + "]" * 900 + "}")),
        calls(("get_sum", '{"identifier": [NaN, Infinity, 1e999]}')),
        calls(("", "")),
        calls(("finish", '{"answer": {"a": [[[["x"]]]]}}')),
    ],
)
def test_absurd_replies_do_no_harm(tiny: World, hostile: Response) -> None:
    script, response = solved(tiny, hostile, calls(LOOK), finish(COURT))
    assert response.status is Replied.ANSWERED
    assert told(response).ended is Ended.FINISHED
    assert len(response.text) < 500_000
    assert "\x1b" not in response.text + response.reasoning
    for request in script.asked:
        request.prompt_hash()


def test_strict_tools_come_with_the_hints_of_the_published_methods(tiny: World) -> None:
    script, _ = solved(
        tiny, calls(("get_court_code", {"identifier": "无"})), finish("无"), mode="strict"
    )
    assert "No data found" in last_messages(script)[-1].content
    assert "提示" in last_messages(script)[-1].content
    assert "filter_rows" not in script.prompt("turn-1")


def test_an_oracle_solves_a_path_of_four_hops_with_selection_and_sum(tiny: World) -> None:
    """Credit code, company, its largest subsidiary, that one's cases, their sum."""
    script, response = solved(
        tiny,
        calls(("get_company_register_name", {"identifier": CREDIT})),
        calls(("get_sub_company_info_list", {"identifier": COMPANY})),
        calls(("get_restriction_case_company_list", {"identifier": SUBSIDIARY})),
        calls(
            ("get_sum", {"identifier": [740564, 20, 10.25]}),
            (
                "aggregate_rows",
                {
                    "table": "RestrictionCase",
                    "operation": "sum",
                    "column": "涉案金额（元）",
                    "where": [
                        {"column": "限制高消费企业名称", "operator": "=", "value": SUBSIDIARY}
                    ],
                },
            ),
        ),
        finish(f"{SUBSIDIARY}，共740594.25元", f"{COMPANY}投资1.06亿的{SUBSIDIARY}，共740594.25元"),
        question=f"信用代码{CREDIT}的公司投资最多的子公司，限制高消费案件的金额一共多少？",
    )
    reply = told(response)
    assert script.steps == ["plan", *(f"turn-{n}" for n in range(1, 6))]
    assert all(step.status is Status.OK for step in reply.steps or ())
    assert reply.answer == f"{SUBSIDIARY}，共740594.25元"
