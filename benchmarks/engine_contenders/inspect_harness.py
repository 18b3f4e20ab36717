"""Inspect AI with an OpenAI-compatible service and the smallest possible task."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from inspect_ai import Task, eval  # noqa: A004
from inspect_ai.dataset import FieldSpec, json_dataset
from inspect_ai.scorer import exact
from inspect_ai.solver import generate

IN_FLIGHT = 50


def main(url: str, data: Path, out: Path) -> None:
    os.environ["STUB_API_KEY"] = "none"
    os.environ["STUB_BASE_URL"] = url
    fields = FieldSpec(input="question", target="answer", id="id")
    [log] = eval(
        Task(dataset=json_dataset(str(data), fields), solver=generate(), scorer=exact()),
        model="openai-api/stub/stub",
        max_connections=IN_FLIGHT,
        max_tokens=256,
        log_dir=str(out),
        display="none",
    )
    print(log.status, log.results.scores if log.results else log.error)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
