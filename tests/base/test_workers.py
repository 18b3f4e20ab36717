"""Work done by several processes: the same results, bounded memory, errors that end it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from multiprocessing import get_context
from pathlib import Path

import pytest

from hengfa.base.errors import DataError, HengfaError
from hengfa.base.workers import AHEAD, Processes


class Squares:
    """Multiplies by a number that lies in a file, and says in which process."""

    def __init__(self, file: Path) -> None:
        self.files: Mapping[str, Path] = {"factor": file}

    def open(self, files: Mapping[str, Path]) -> Callable[[int], tuple[int, int]]:
        factor = int(files["factor"].read_text("utf-8"))

        def do(item: int) -> tuple[int, int]:
            if item == 13:
                raise DataError("is unlucky", file=files["factor"], row=item)
            if item == 99:
                os._exit(1)
            return item * factor, os.getpid()

        return do


@pytest.fixture
def work(tmp_path: Path) -> Squares:
    file = tmp_path / "factor"
    file.write_text("7", "utf-8")
    return Squares(file)


@pytest.mark.parametrize("workers", [1, 2])
def test_every_item_has_its_result(work: Squares, workers: int) -> None:
    done = dict(Processes(workers).run(work, iter(range(13))))
    assert {number: value for number, (value, _) in done.items()} == {n: 7 * n for n in range(13)}
    assert (os.getpid() in {process for _, process in done.values()}) == (workers == 1)


def _work_on(file: Path, told: Path) -> None:
    for _, (_, process) in Processes(2).run(Squares(file), [1] * 100_000):
        told.write_text(f"{process}", "utf-8")
        time.sleep(0.05)


def test_workers_do_not_outlive_a_process_that_was_killed(work: Squares, tmp_path: Path) -> None:
    told = tmp_path / "told"
    process = get_context("spawn").Process(target=_work_on, args=(work.files["factor"], told))
    process.start()
    _wait(lambda: told.exists() and told.read_text("utf-8") != "")
    process.kill()
    process.join()
    worker = int(told.read_text("utf-8"))
    _wait(lambda: not _lives(worker))


def _wait(until: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _lives(process: int) -> bool:
    """Whether a process that is not our child runs."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")  # one that nobody waits for stays in the table
    return not (stat.exists() and stat.read_text("utf-8").rpartition(")")[2].split()[0] == "Z")


def test_few_items_are_taken_ahead(work: Squares) -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for _ in range(10_000):
            taken += 1
            yield 1

    next(results := Processes(2).run(work, items()))
    assert taken <= 2 * (1 + AHEAD)
    results.close()  # type: ignore[attr-defined]  # an iterator that is a generator


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_names_what_it_named_in_the_worker(work: Squares, workers: int) -> None:
    with pytest.raises(DataError, match=r"factor, row 13.*unlucky"):
        list(Processes(workers).run(work, range(1_000)))


def test_work_that_cannot_be_opened_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(Processes(2).run(Squares(tmp_path / "none"), range(3)))


def test_a_worker_that_dies_is_told(work: Squares) -> None:
    with pytest.raises(HengfaError, match="has died"):
        list(Processes(2).run(work, [99]))
