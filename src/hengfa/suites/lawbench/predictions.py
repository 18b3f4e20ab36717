"""Saved predictions to (sample, text) pairs, from the layouts people have on disk.

- LawBench's own: `<setting>/<model>/<task>.json`, one model's folder, or many below one folder;
  an object keyed "0", "1", … with `prediction` and the gold in `refr` (spec 0);
- JSON lines of `{task, id, prediction}`, also gzipped; gold comes from the installed data.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from hengfa.data.jsonfile import read_json
from hengfa.errors import DataError, UsageError
from hengfa.suites.base import Sample, SavedPredictions
from hengfa.suites.lawbench.dataset import SETTINGS, LawBenchSample, load


def read_predictions(path: Path, data: Callable[[], Path], setting: str) -> list[SavedPredictions]:
    """Every model's predictions at `path`: a JSON lines file, or a folder in LawBench's layout."""
    if path.is_file():
        return [_JSONLines(path, data, setting)]
    if not path.is_dir():
        raise UsageError(f"there is nothing at {path}")
    folders = sorted({file.parent for file in path.rglob("*.json") if _is_task(file.stem)})
    if not folders:
        raise UsageError(
            f"{path} holds no LawBench predictions: expected <setting>/<model>/<task>.json"
        )
    return [_Folder(folder, setting) for folder in folders]


class _Folder:
    """One model's folder in LawBench's own layout."""

    def __init__(self, folder: Path, setting: str) -> None:
        self._folder = folder.resolve()
        self.model = self._folder.name
        above = self._folder.parent.name
        self.setting = above if above in SETTINGS else setting

    def tasks(self) -> Sequence[str]:
        return sorted(
            (file.stem for file in self._folder.glob("*.json") if _is_task(file.stem)),
            key=lambda task: tuple(map(int, task.split("-"))),
        )

    def pairs(self, task: str) -> list[tuple[Sample, str]]:
        file = self._folder / f"{task}.json"
        rows = read_json(file, object)
        if not isinstance(rows, dict) or not rows:
            raise DataError('expected an object keyed "0", "1", …', file=file)
        pairs: list[tuple[Sample, str]] = []
        for number in range(len(rows)):
            row = rows.get(str(number))
            if not isinstance(row, dict):
                raise DataError(f"no entry with this id among {len(rows)}", file=file, row=number)
            for field in ("prediction", "refr"):
                if not isinstance(row.get(field), str):
                    raise DataError("expected text", file=file, row=number, field=field)
            sample = LawBenchSample(str(number), "", _first_turn(row), row["refr"])
            pairs.append((sample, row["prediction"]))
        return pairs


class _Line(msgspec.Struct, frozen=True):
    task: str
    id: int | str
    prediction: str


class _JSONLines:
    """A file of `{task, id, prediction}` lines; the gold is looked up in the data."""

    def __init__(self, file: Path, data: Callable[[], Path], setting: str) -> None:
        self._file = file
        self._data = data
        self.model = file.name.removesuffix(".gz").removesuffix(".jsonl")
        self.setting = setting
        self._texts: dict[str, dict[str, str]] = {}
        decoder = msgspec.json.Decoder(_Line)
        try:
            with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
                lines = stream.read().splitlines()
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"cannot be read: {error}", file=file) from error
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise DataError(str(error), file=file, row=number) from error
            texts = self._texts.setdefault(row.task, {})
            if str(row.id) in texts:
                raise DataError(f"task {row.task} has this id twice", file=file, row=number)
            texts[str(row.id)] = row.prediction

    def tasks(self) -> Sequence[str]:
        return list(self._texts)

    def pairs(self, task: str) -> list[tuple[Sample, str]]:
        texts = self._texts[task]
        samples = {s.id: s for s in load(task, self._data(), self.setting)}
        for id_ in texts:
            if id_ not in samples:
                raise DataError(f"task {task} has no sample {id_!r}", file=self._file)
        return [(samples[id_], texts[id_]) for id_ in samples if id_ in texts]


def _is_task(stem: str) -> bool:
    level, dash, number = stem.partition("-")
    return bool(dash) and level.isdecimal() and number.isdecimal()


def _first_turn(row: dict[str, object]) -> str:
    """The prompt that was sent; of several turns the first is the one that counts (spec 0)."""
    sent = row.get("origin_prompt")
    if isinstance(sent, list) and sent and isinstance(sent[0], dict):
        sent = sent[0].get("prompt")
    return sent if isinstance(sent, str) else ""
