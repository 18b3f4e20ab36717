"""Scores an answer as LegalAgentBench does. Stands alone: it is copied beside an exported task.

The official success: the share of the keys that the answer has. Process: the share of keys and
intermediate keys that the summary has. Commas between digits are deleted before, as they are in all
closing texts.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

# the comma in 1,234; not that in 甲,乙
COMMA = re.compile(r"(?<=[0-9]),(?=[0-9])")


def rewards(answer: str, summary: str, key: list[str], key_middle: list[str]) -> dict[str, float]:
    """What the two texts are worth."""
    answer, summary = COMMA.sub("", answer), COMMA.sub("", summary)
    steps = [*key, *key_middle]
    success = sum(each in answer for each in key) / len(key)
    process = sum(each in summary for each in steps) / len(steps)
    return {"reward": success, "process": process, "exact": float(success == 1.0)}


def read(file: Path) -> str:
    """A text that the agent wrote, whatever is in it; nothing where there is none."""
    return file.read_bytes().decode("utf-8", "replace") if file.is_file() else ""


def main() -> None:
    answers = Path(os.environ.get("HENGFA_ANSWERS", "/app"))
    logs = Path(os.environ.get("HENGFA_LOGS", "/logs/verifier"))
    task = json.loads(Path(__file__).with_name("task.json").read_text("utf-8"))
    answer = read(answers / "answer.md")
    summary = read(answers / "summary.md") or answer
    logs.mkdir(parents=True, exist_ok=True)
    (logs / "reward.json").write_text(json.dumps(rewards(answer, summary, **task)), "utf-8")


if __name__ == "__main__":
    main()
