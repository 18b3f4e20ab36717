"""evalscope with a local question-answering set and its cheapest metric.

Its ready-made `general_qa` measures BLEU and ROUGE with jieba, which would be charged to the
engine; so the same adapter is written out here with `exact_match`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from evalscope import TaskConfig, run_task
from evalscope.api.benchmark import BenchmarkMeta, DefaultDataAdapter
from evalscope.api.dataset import Sample
from evalscope.api.registry import register_benchmark

IN_FLIGHT = 50


def main(url: str, data: Path, out: Path) -> None:
    @register_benchmark(
        BenchmarkMeta(
            name="stub_qa",
            pretty_name="stub_qa",
            description="local questions",
            dataset_id=str(data),
            metric_list=["exact_match"],
            eval_split="test",
            prompt_template="{question}",
        )
    )
    class StubQA(DefaultDataAdapter):  # type: ignore[misc]
        def load_from_disk(self, **_: Any) -> Any:
            return super().load_from_disk(use_local_loader=True)

        def record_to_sample(self, record: dict[str, Any]) -> Any:
            return Sample(input=record["question"], target=record["answer"])

    run_task(
        TaskConfig(
            model="stub",
            api_url=url,
            api_key="none",
            eval_type="openai_api",
            datasets=["stub_qa"],
            eval_batch_size=IN_FLIGHT,
            generation_config={"max_tokens": 256},
            work_dir=str(out),
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
