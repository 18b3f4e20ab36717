"""Functions compiled by numba: imported only by those who need them, as it loads slowly."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """By numba when first called; kept on disk unless no folder for it can be written."""
    try:
        return cast("Function", numba.njit(cache=True)(function))
    except RuntimeError:
        return cast("Function", numba.njit(function))
