"""Rows as a task set of verifiers (`verifiers.v1`, 0.4): its task, its reward, its tools by MCP.

verifiers finds a task set by the name of a module of yours at the top level:

    from hengfa.train.rewards.verifiers import RowTaskset

    __all__ = ["RowTaskset"]

With `--env.taskset.task.tools.url http://127.0.0.1:8322/mcp` the model works with the tools of
`hengfa mcp --http`. verifiers drops a rollout whose scoring failed, and knows no other mask: a
response that has no value is such an error, and says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import verifiers.v1 as vf

from hengfa.evals.engine.messages import Response, Status
from hengfa.train.rewards.named import rewarder
from hengfa.train.rewards.shapes import Shape, Silence

__all__ = ["RowTaskset"]


class NoValue(Exception):
    """A response of which nothing can be said."""


class RowData(vf.TaskData):
    """One row; the answer key stays with verifiers, the model is shown the prompt alone."""

    answer_key: str
    reward: str


class LawTools(vf.Toolset[vf.ToolsetConfig, vf.State]):
    """The tools of a server that runs by itself."""

    TOOL_PREFIX = None


class RowTaskConfig(vf.TaskConfig):
    """The shape of the reward, what becomes of silence, and the address of tools."""

    shape: Shape = Shape.GRADED
    silence: Silence = Silence.MASK
    tools: vf.ToolsetConfig = vf.ToolsetConfig()


class RowTask(vf.Task[RowData, vf.State, RowTaskConfig]):
    """A row, and what the last reply to it earns."""

    @vf.reward
    async def earned(self, trace: vf.Trace) -> float:
        """What a reply that was cut off says is no answer."""
        said = trace.last_reply
        cut = Response(text=said, status=Status.TRUNCATED, reason="cut at a limit")
        judge = rewarder(self.data.reward, self.config.shape, silence=self.config.silence)
        earned = judge(self.data.answer_key, cut if trace.is_truncated else said)
        if earned.value is None:
            raise NoValue(f"{earned.status}: {earned.reason}")
        return earned.value

    @classmethod
    def toolsets(cls, config: RowTaskConfig) -> list[vf.Toolset]:
        """Where no address is given, the model works without tools."""
        return [LawTools(config.tools)] if config.tools.url else []


class RowTasksetConfig(vf.TasksetConfig):
    """The folder that `hengfa train data` wrote, and which of its splits."""

    rows: Path = Path()
    split: str = "train"
    task: RowTaskConfig = RowTaskConfig()


class RowTaskset(vf.Taskset[RowTask, RowTasksetConfig]):
    """The rows of a folder, one task each."""

    def load(self) -> Iterator[RowTask]:
        files = self.config.rows / "*.parquet"
        for row in pl.read_parquet(files).filter(pl.col("split") == self.config.split).to_dicts():
            given = {name: row[name] for name in ("id", "prompt", "answer_key", "reward")}
            yield RowTask(RowData(**given), self.config.task)
