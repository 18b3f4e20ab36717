"""An agent of smolagents at our tools.

pip install hengfa "smolagents[openai]"
export OPENAI_BASE_URL=http://localhost:8000/v1 OPENAI_API_KEY=… AGENT_MODEL=Qwen/Qwen3-8B
hengfa eval legalagentbench --setting tools --model none --set agent=smolagents_agent:agent
"""

from __future__ import annotations

import os
from typing import Any

from smolagents import LogLevel, OpenAIModel, Tool, ToolCallingAgent

from hengfa.evals.engine.messages import ToolSpec
from hengfa.world.agents.plug_in import Tools

MOST_STEPS = 20
DUTY = "用工具查询法律数据库，查清之后简明、完整地回答问题。没有依据的内容不要写。"


def agent(question: str, tools: Tools) -> str:
    """Answers one question; every call of a tool is on record."""
    offered = [_WorldTool(tools, spec) for spec in tools.specs() if spec.name != "finish"]
    lawyer = ToolCallingAgent(
        tools=offered,
        model=OpenAIModel(os.environ["AGENT_MODEL"], api_base=os.environ["OPENAI_BASE_URL"]),
        instructions=DUTY,
        max_steps=MOST_STEPS,
        verbosity_level=LogLevel.OFF,  # standard output is for results
    )
    return str(lawyer.run(question))


class _WorldTool(Tool):  # type: ignore[misc]  # the package is not here when types are checked
    skip_forward_signature_validation = True
    output_type = "string"

    def __init__(self, tools: Tools, spec: ToolSpec) -> None:
        self.name = spec.name
        self.description = spec.description
        required = spec.parameters["required"]
        self.inputs = {
            name: {**argument, "nullable": name not in required}
            for name, argument in spec.parameters["properties"].items()
        }
        self._tools = tools
        super().__init__()

    def forward(self, **arguments: Any) -> str:
        return self._tools.call(self.name, arguments).text
