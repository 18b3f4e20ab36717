"""What the data can show at all."""

from __future__ import annotations

from typing import Final

from hengfa.results.statistics.quantiles import t_quantile

LEVEL: Final = 0.05
POWER: Final = 0.8


def smallest_difference(
    standard_error: float, freedom: float, comparisons: int = 1, power: float = POWER
) -> float:
    """The true difference that a test at 5 % would find four times of five with such data.

    `standard_error` is that of the difference of two runs on the same samples. Of several
    comparisons each has to pass its share of the 5 %. A smaller difference may be there and will
    often go unseen: to find one half as large takes four times the samples.
    """
    to_pass = t_quantile(1 - LEVEL / comparisons / 2, freedom)
    return (to_pass + t_quantile(power, freedom)) * standard_error
