"""verl's `compute_score` and its batch form (verl 0.9), and rows in verl's columns.

    reward.custom_reward_function.path=pkg://hengfa.train.rewards.verl
    reward.custom_reward_function.name=compute_score

verl has no mask for a single response: None ends the training with an error, and a NaN spreads over
its group. So a model's own silence is scored as the suite's strict figure counts it. What has no
value even so gets a number that says nothing: in a batch the mean of the other responses to the
same question, from which GRPO makes no advantage; alone, or where nobody answered, `unjudged`. Both
are marked by `judged: 0` among verl's extra information.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from hengfa.train.rewards.named import row_rewards
from hengfa.train.rewards.shapes import Shape, Silence

if TYPE_CHECKING:
    import polars as pl


def verl_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of `hengfa train data` in the columns that verl reads from Parquet."""
    import polars as pl  # noqa: PLC0415 - what is scored needs none

    truth = pl.struct(pl.lit("rule").alias("style"), pl.col("answer_key").alias("ground_truth"))
    return rows.select(
        "prompt",
        pl.col("reward").alias("data_source"),
        truth.alias("reward_model"),
        pl.struct(pl.col("id").alias("index"), "split").alias("extra_info"),
    )


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, object] | None = None,
    *,
    shape: str = Shape.GRADED,
    unjudged: float = 0.0,
    **_settings: object,
) -> dict[str, float]:
    """What one response earns; `shape` and `unjudged` come by `reward_kwargs`."""
    return compute_scores(
        [data_source], [solution_str], [ground_truth], [extra_info], shape=shape, unjudged=unjudged
    )[0]


def compute_scores(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[str],
    extra_infos: Sequence[Mapping[str, object] | None] = (),  # noqa: ARG001 - verl hands it over
    *,
    shape: str = Shape.GRADED,
    unjudged: float = 0.0,
    **_settings: object,
) -> list[dict[str, float]]:
    """The same for a batch, as verl's batch manager calls it."""
    earned = row_rewards(data_sources, ground_truths, solution_strs, shape, Silence.SCORE)
    groups: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    asked = list(zip(data_sources, ground_truths, strict=True))
    for question, one in zip(asked, earned, strict=True):
        if one.value is not None:
            groups[question].append(one.value)
    return [
        {"score": one.value, "judged": 1.0}
        if one.value is not None
        else {"score": fmean(groups[question] or [unjudged]), "judged": 0.0}
        for question, one in zip(asked, earned, strict=True)
    ]
