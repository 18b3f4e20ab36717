"""An agent of LangGraph at our tools: model and tools take turns until there is an answer.

pip install hengfa langgraph langchain-openai
export OPENAI_BASE_URL=http://localhost:8000/v1 OPENAI_API_KEY=… AGENT_MODEL=Qwen/Qwen3-8B
hengfa eval legalagentbench --setting tools --model none --set agent=langgraph_agent:agent
"""

from __future__ import annotations

import asyncio
import os
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from hengfa.evals.engine.messages import ToolSpec
from hengfa.world.agents.plug_in import Tools

MOST_STEPS = 40
DUTY = "用工具查询法律数据库，查清之后简明、完整地回答问题。没有依据的内容不要写。"


async def agent(question: str, tools: Tools) -> str:
    """Answers one question; every call of a tool is on record."""
    offered = [_tool(tools, spec) for spec in tools.specs() if spec.name != "finish"]
    model = ChatOpenAI(model=os.environ["AGENT_MODEL"]).bind_tools(offered)

    async def think(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("think", think)
    graph.add_node("tools", ToolNode(offered))
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", tools_condition)
    graph.add_edge("tools", "think")
    asked = [SystemMessage(DUTY), HumanMessage(question)]
    done = await graph.compile().ainvoke({"messages": asked}, {"recursion_limit": MOST_STEPS})
    return str(done["messages"][-1].text)


def _tool(tools: Tools, spec: ToolSpec) -> StructuredTool:
    async def invoke(**arguments: Any) -> str:
        return (await asyncio.to_thread(tools.call, spec.name, arguments)).text

    return StructuredTool(
        name=spec.name,
        description=spec.description,
        args_schema=spec.parameters,
        coroutine=invoke,
    )
