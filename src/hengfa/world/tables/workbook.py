"""The sheets of a workbook, read in a process of its own.

The library that reads them is native code and makes room for every cell up to the last: a single
cell at the far end of a sheet asks for 549 GB, and ends the process. So it works in another one,
which gets so much memory and time and no more, wherever the system can hold it to that.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from hengfa.base.errors import DataError

MEMORY: Final = 768 * 1024 * 1024
SECONDS: Final = 120
MOST_CELLS: Final = 5_000_000  # of all sheets, blank ones up to the last that is not
_ADVICE: Final = "save each sheet as a CSV file, and import their folder"

Sheets = dict[str, list[list[Any]]]


def read_sheets(file: Path, wanted: Callable[[str], object]) -> Sheets:
    """The rows of the sheets whose names are wanted, by their names."""
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=_confine) as pool:
        try:
            return pool.submit(_read_sheets, file, wanted).result()
        except (BrokenProcessPool, MemoryError) as error:
            raise DataError(
                f"cannot be read as a workbook with {MEMORY >> 20} MB of memory: {_ADVICE}",
                file=file,
            ) from error


def _confine() -> None:
    """What is asked for beyond the limit fails; what native code says then is not for users."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:  # pragma: no cover - Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    signal.alarm(SECONDS)  # native code that got no memory may wait for ever


def _read_sheets(file: Path, wanted: Callable[[str], object]) -> Sheets:
    import python_calamine  # noqa: PLC0415 - only in the process of its own

    try:
        book = python_calamine.CalamineWorkbook.from_path(str(file))
        sheets = [book.get_sheet_by_name(name) for name in book.sheet_names if wanted(name)]
        cells = sum(sheet.total_height * sheet.total_width for sheet in sheets)
        if cells > MOST_CELLS:
            problem = f"reaches over {cells:,} cells, more than {MOST_CELLS:,}: {_ADVICE}"
            raise DataError(problem, file=file)
        return {sheet.name: sheet.to_python() for sheet in sheets}
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise DataError(f"cannot be read as a workbook: {error}", file=file) from error
