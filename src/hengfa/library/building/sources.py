"""What a library is built from: folders and files with texts of law, in the layouts that circulate.

* rows: ``statutes.jsonl.gz``, ``interpretations.jsonl.gz`` and any JSON lines with the fields law,
  version, event, effective, kind, text; ``version_calendar.tsv`` beside them;
* Markdown folders, as the repositories ImCa0/just-laws and X-STORAGE/Laws have them.

Whatever cannot be read is remarked upon and left out: a bad file never ends a build.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hengfa.errors import DataError
from hengfa.library.building.raw import Dated, RawText, SourceFolder
from hengfa.library.building.source_markdown import read_markdown
from hengfa.library.building.source_rows import read_calendar, read_rows
from hengfa.library.model import Remark


@dataclass(slots=True)
class Gathered:
    """All that was found, in the order of the sources, and what could not be read."""

    texts: list[RawText] = field(default_factory=list)
    calendar: list[Dated] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def gather(sources: Sequence[SourceFolder]) -> Gathered:
    """Read everything below the sources that can be a law."""
    found = Gathered()
    for source in sources:
        if not source.path.exists():
            raise DataError("there is no such file or folder", file=source.path)
        files = list(_files(source.path))
        for file in files:
            if file.name.endswith((".jsonl", ".jsonl.gz")):
                found.texts.extend(read_rows(file, source, found.remarks.append))
            elif file.name.endswith(".tsv") and "calendar" in file.name:
                found.calendar.extend(read_calendar(file, found.remarks.append))
        pages = [file for file in files if file.suffix == ".md"]
        found.texts.extend(read_markdown(pages, source, found.remarks.append))
    if not found.texts:
        places = ", ".join(str(source.path) for source in sources)
        raise DataError(
            "no text of a law is here: give a folder with statutes.jsonl.gz, JSON lines with the"
            " fields law, version and text, or Markdown pages",
            file=places,
        )
    return found


def _files(path: Path) -> Iterator[Path]:
    """The files below a path in a fixed order; what is hidden is left alone."""
    if path.is_file():
        yield path
        return
    for file in sorted(path.rglob("*")):
        hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
        if not hidden and file.is_file():
            yield file
