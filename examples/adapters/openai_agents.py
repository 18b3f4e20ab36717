"""An agent of the OpenAI Agents SDK at our tools.

pip install hengfa openai-agents
export OPENAI_BASE_URL=http://localhost:8000/v1 OPENAI_API_KEY=… AGENT_MODEL=Qwen/Qwen3-8B
hengfa eval legalagentbench --setting tools --model none --set agent=openai_agents:agent
"""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

from agents import Agent, FunctionTool, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

from hengfa.evals.engine.messages import ToolSpec
from hengfa.world.agents.plug_in import Tools

MOST_TURNS = 20
DUTY = "用工具查询法律数据库，查清之后简明、完整地回答问题。没有依据的内容不要写。"
set_tracing_disabled(disabled=True)  # nothing goes to anybody but the model


async def agent(question: str, tools: Tools) -> str:
    """Answers one question; every call of a tool is on record."""
    model = OpenAIChatCompletionsModel(os.environ["AGENT_MODEL"], AsyncOpenAI())
    offered: list[Any] = [_tool(tools, spec) for spec in tools.specs() if spec.name != "finish"]
    lawyer = Agent(name="lawyer", instructions=DUTY, model=model, tools=offered)
    return str((await Runner.run(lawyer, question, max_turns=MOST_TURNS)).final_output)


def _tool(tools: Tools, spec: ToolSpec) -> FunctionTool:
    async def invoke(_context: Any, written: str) -> str:
        try:
            arguments = json.loads(written or "{}")
        except ValueError:
            arguments = written  # the tool says what is wrong
        return (await asyncio.to_thread(tools.call, spec.name, arguments)).text

    return FunctionTool(
        spec.name, spec.description, spec.parameters, invoke, strict_json_schema=False
    )
