"""Every error a user can meet, in one tree.

HengfaError                 exit 1; the message says what happened and what to do
├── UsageError              exit 2; the call was wrong: an unknown task, a missing key
├── DataError               a file is missing, changed or malformed: names file, row, field
│   └── ChecksumError       a file is not the one the catalogue pins
├── JournalError            the journal of a run cannot be used as it is
│   └── RunLocked           another process is writing to the run
├── RunStopped              the run ended early; what was answered is kept
│   ├── BatchesWaiting      exit 0; all is with the vendor, and the answers are to come
│   ├── BudgetReached       a limit on cost, tokens or seconds was reached
│   └── EndpointDown        request after request failed
├── Ungraded                a grader left more open than is allowed; what it said is kept
└── MissingExtra            an optional part is not installed: names the pip command
"""

from __future__ import annotations

import json
from pathlib import Path


class HengfaError(Exception):
    """Something a person can understand and act on; never a programming mistake."""

    exit_status = 1

    def __reduce__(self) -> tuple[object, ...]:
        """Errors come back from other processes as they were raised, whatever made them."""
        return _restore, (type(self), str(self))


class UsageError(HengfaError):
    """The call was wrong: nothing was done."""

    exit_status = 2


class DataError(HengfaError):
    """A file is missing or says something it must not say."""

    def __init__(
        self,
        problem: str,
        *,
        file: Path | str,
        row: int | str | None = None,
        field: str | None = None,
    ) -> None:
        place = str(file)
        if row is not None:
            place += f", row {row}"
        if field is not None:
            place += f", field {field!r}"
        super().__init__(f"{place}: {problem}")


class ChecksumError(DataError):
    """A file differs from the one the catalogue pins."""


class JournalError(HengfaError):
    """The journal of a run cannot be used as it is."""


class RunLocked(JournalError):
    """Another process is writing to this run."""


class RunStopped(HengfaError):
    """The run ended before all samples were asked; every answer that arrived is kept."""


class BatchesWaiting(RunStopped):
    """Batches are with the vendor, and nobody wants to wait: the same command fetches them."""

    exit_status = 0


class BudgetReached(RunStopped):
    """A limit on cost, tokens or seconds was reached."""


class EndpointDown(RunStopped):
    """Request after request failed: going on would only repeat it."""


class Ungraded(HengfaError):
    """A grader left more open than is allowed; every reply is kept, and asked for again."""


class MissingExtra(HengfaError):
    """An optional part is needed that is not installed."""

    def __init__(self, extra: str, what_for: str) -> None:
        super().__init__(f"{what_for} needs an optional part: {how_to_add(extra)}")


def how_to_add(extra: str) -> str:
    """The command that brings an optional part from where Hengfa itself came from (PEP 610).

    Nothing is published under its name, so the name alone would bring nothing, or a stranger's.
    """
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - takes time

    try:
        origin = json.loads(distribution("hengfa").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {"dir_info": {}}
    if "dir_info" in origin:
        return f'in the checkout, pip install ".[{extra}]"'
    by = f"{origin['vcs_info']['vcs']}+" if "vcs_info" in origin else ""
    place = f" @ {by}{origin['url']}" if "url" in origin else ""
    return f'pip install "hengfa[{extra}]{place}"'


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number of things, as messages say it.

    >>> counted(1, "sample"), counted(1200, "sample"), counted(0, "entry", "entries")
    ('1 sample', '1,200 samples', '0 entries')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def _restore(kind: type[HengfaError], message: str) -> HengfaError:
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    return error
