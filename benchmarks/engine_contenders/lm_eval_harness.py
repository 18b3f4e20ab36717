"""lm-evaluation-harness with its own chat-completions model and the smallest possible task.

Its answers reach the disk once, at the end (`log_samples`, as with `--log_samples`); its optional
answer cache is left off. Its hundreds of built-in tasks are not indexed: that would add ten seconds
to the start, and noise to the slope.
"""

from __future__ import annotations

import sys
from pathlib import Path

from lm_eval import simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

IN_FLIGHT = 50


def main(url: str, data: Path, out: Path) -> None:
    task = {
        "task": "stub_qa",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(data)}, "cache_dir": str(out / "cache")},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{question}}",
        "doc_to_target": "{{answer}}",
        "generation_kwargs": {"max_gen_toks": 256, "until": []},
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
    }
    tracker = EvaluationTracker(output_path=str(out))
    results = simple_evaluate(
        model="local-chat-completions",
        model_args={
            "model": "stub",
            "base_url": f"{url}/chat/completions",
            "num_concurrent": IN_FLIGHT,
        },
        tasks=[task],
        task_manager=TaskManager(include_defaults=False),
        apply_chat_template=True,
        log_samples=True,
        evaluation_tracker=tracker,
    )
    samples = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=samples)
    tracker.save_results_samples(task_name="stub_qa", samples=samples["stub_qa"])
    print(results["results"])


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
