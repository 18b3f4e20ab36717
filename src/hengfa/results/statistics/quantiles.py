"""Quantiles of the normal and of Student's distribution.

By hand, with NumPy alone: scipy would be the largest part of an installation for their sake. The
tests compare them with scipy's.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np

_STEPS: Final = 20_001
_FAR: Final = 12.0
"""Standard deviations beyond which a normal distribution holds nothing that counts."""


def normal_quantile(share: float) -> float:
    """Below which value this share of a standard normal distribution lies."""
    return NormalDist().inv_cdf(share)


def two_sided_p(deviations: float) -> float:
    """How often a standard normal value is this far from 0, or farther, on either side."""
    return math.erfc(abs(deviations) / math.sqrt(2))


@lru_cache(maxsize=4096)
def t_quantile(share: float, freedom: float) -> float:
    """Below which value this share of Student's distribution lies; at least 1 degree of freedom.

    With t = √ν·tan θ its density becomes cos θ to the power ν − 1, which is added up on a fine
    grid; what lies far out is nothing for a large ν.
    """
    if share < 0.5:
        return -t_quantile(1 - share, freedom)
    angle = np.linspace(0.0, min(math.pi / 2, _FAR / math.sqrt(freedom)), _STEPS)
    density = np.cos(angle) ** (freedom - 1)
    below = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    found = np.interp(2 * share - 1, below / below[-1], angle)
    return math.sqrt(freedom) * math.tan(float(found))
