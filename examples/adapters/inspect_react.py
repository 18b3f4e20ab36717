"""An agent of Inspect AI at our tools.

    pip install ".[inspect]"
    export LOCAL_BASE_URL=http://localhost:8000/v1 LOCAL_API_KEY=… AGENT_MODEL=Qwen/Qwen3-8B
    hengfa eval legalagentbench --setting tools --model none --set agent=inspect_react:agent

Any provider of Inspect's may be the model: "anthropic/…" instead of "openai-api/local/…".
"""

from __future__ import annotations

import os

from inspect_ai.agent import react

from hengfa.world.agents.inspect_agent import inspect_agent

DUTY = "用工具查询法律数据库，查清之后简明、完整地回答问题。没有依据的内容不要写。"
agent = inspect_agent(
    lambda tools: react(prompt=DUTY, tools=tools),
    model=f"openai-api/local/{os.environ['AGENT_MODEL']}",
)
