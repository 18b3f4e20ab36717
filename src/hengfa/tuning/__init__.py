"""Fine-tuning a causal model on prompts and the answers it should give (`hengfa[train]`).

rows       prompts with targets, from JSON lines, and how they become tokens
sft        full or LoRA training on them; only the target is learnt
"""

from __future__ import annotations
