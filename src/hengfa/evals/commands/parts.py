"""`hengfa parts`: what a run needs that is more than one machine does."""

from __future__ import annotations

import click

from hengfa.base.commands import Registered


@click.group(cls=Registered)
def command() -> None:
    """A run in parts, on several machines or on one without network (docs/scale.md).

    \b
    Example:
      hengfa eval lawbench --model kimi:kimi-k2 --shard 1/8
      hengfa parts slurm --run kimi --shards 8 -o kimi.sbatch -- eval lawbench --model kimi:kimi-k2
      hengfa parts write lawbench --model vllm:Qwen/Qwen3-8B --max-new-tokens 1024 -o in.jsonl
    """
