"""One matter: what is asked, the documents of its file, and by which items a hand-in is scored."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal, get_args

import msgspec

from hengfa.base.data.jsonfile import read_lines, write_atomically
from hengfa.base.data.output import whole_folder
from hengfa.base.data.paths import disk_errors, inside
from hengfa.base.data.sums import FileSum, sum_of
from hengfa.base.errors import DataError
from hengfa.world.causes import Days, Ground
from hengfa.world.opening import WORLD_FILE
from hengfa.world.tools.catalogue import FILE_TOOLS, Tool
from hengfa.world.tools.observation import Observation, RefusedCall, Status, echo, observe, read

Kind = Literal["claim", "defence", "opinion"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
MATTERS: Final = "matters.jsonl"
DOCUMENTS: Final = "documents"
GROUND: Final = "ground:"  # how the items begin that ask for a provision
IN_FORCE: Final = "in_force"  # the item that any law costs that was in force on no day of the case


class Document(msgspec.Struct, frozen=True):
    name: str
    text: str


class MatterItem(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that a hand-in must get right.

    One paragraph of the `part` has all of `has` and cites one of `cites`; nothing of `lacks`, which
    is what the file says of the same thing and is wrong, stands anywhere. Who misses a `critical`
    item fails, whatever else is right.
    """

    id: str
    part: str
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    critical: bool = False


class _Head(msgspec.Struct, frozen=True):
    id: str
    kind: Kind
    cause: str
    question: str
    items: tuple[MatterItem, ...]
    answer: str
    days: Days
    grounds: tuple[Ground, ...]
    stale: tuple[str, ...]


class Matter(_Head, frozen=True):
    """A case with its file. `days` and `grounds` say on which law it rests; `stale` are laws that
    were in force on none of its days."""

    documents: tuple[Document, ...]

    @property
    def on(self) -> tuple[date, ...]:
        """The days on which law that is cited may have been in force."""
        days = (self.days.filed, self.days.due, self.days.signed)
        return tuple(dict.fromkeys([*days, *(ground.on for ground in self.grounds)]))

    @property
    def file(self) -> str:
        return "\n\n".join(f"{one.name}\n{one.text}" for one in self.documents)


class _Row(_Head, frozen=True):
    """A matter whose file lies beside it: names, sizes and sums."""

    files: tuple[FileSum, ...]


def write_matters(
    folder: Path, matters: Iterable[Matter], world: Path | None = None, *, force: bool = False
) -> None:
    """`matters.jsonl`, each document as a text file in `documents/MATTER/`, and the world."""
    encode = msgspec.json.Encoder().encode
    with whole_folder(folder, _own_files, force=force) as new:
        rows = []
        for matter in matters:
            place = new / DOCUMENTS / matter.id
            place.mkdir(parents=True)
            for one in matter.documents:
                write_atomically(place / f"{one.name}.txt", one.text.encode())
            names = [f"{DOCUMENTS}/{matter.id}/{one.name}.txt" for one in matter.documents]
            rows.append(_Row(**_head(matter), files=tuple(sum_of(new, name) for name in names)))
        write_atomically(new / MATTERS, b"".join(encode(row) + b"\n" for row in rows))
        if world is not None:
            shutil.copyfile(world, new / WORLD_FILE)


def _head(of: _Head) -> dict[str, Any]:
    return {name: getattr(of, name) for name in _Head.__struct_fields__}


def _own_files(folder: Path) -> Mapping[str, int]:
    file = folder / MATTERS
    if not file.is_file():
        return {}
    ours = {one.path: one.size for _, row in read_lines(file, _Row) for one in row.files}
    own = (one for one in (file, folder / WORLD_FILE) if one.is_file())
    return {**ours, **{one.name: one.stat().st_size for one in own}}


def read_matters(folder: Path) -> list[Matter]:
    """The matters of a folder; a document that was changed since is an error."""
    file = folder / MATTERS
    if not file.is_file():
        raise DataError(
            f"there is no {MATTERS}: `hengfa world matters -o DIR` makes matters, --data DIR reads "
            "them",
            file=folder,
        )
    matters = []
    for number, row in read_lines(file, _Row):
        names = [item.id for item in row.items]
        if IN_FORCE not in names or not any(name.startswith(GROUND) for name in names):
            problem = f"there must be an item {IN_FORCE!r} and one that begins with {GROUND!r}"
            raise DataError(problem, file=file, row=number, field="items")
        documents = []
        for one in row.files:
            path = inside(folder, one.path)
            with disk_errors(path):
                content = path.read_bytes()
            if hashlib.sha256(content).hexdigest() != one.sha256:
                problem = f"{one.path} is not as it was made"
                raise DataError(problem, file=file, row=number, field="files")
            documents.append(Document(path.stem, content.decode()))
        matters.append(Matter(**_head(row), documents=tuple(documents)))
    return matters


class _Name(msgspec.Struct, forbid_unknown_fields=True):
    name: str


class _Words(msgspec.Struct, forbid_unknown_fields=True):
    words: str


class _Nothing(msgspec.Struct, forbid_unknown_fields=True):
    pass


_AROUND: Final = 40
_MOST_PLACES: Final = 20


def file_tools(
    documents: Sequence[Document],
) -> tuple[tuple[Tool, Callable[[Any], Observation]], ...]:
    """The tools that read this file, each with what answers it."""
    texts = {one.name: one.text for one in documents}

    def list_documents(arguments: Any) -> Observation:
        read(arguments, _Nothing)
        return observe({"documents": [{"name": n, "length": len(t)} for n, t in texts.items()]})

    def open_document(arguments: Any) -> Observation:
        name = read(arguments, _Name).name
        if name not in texts:
            problem = f"案卷里没有“{echo(name)}”这份材料"
            raise RefusedCall(Status.NO_DATA, problem, documents=list(texts))
        return observe({"name": name, "text": texts[name]})

    def search(arguments: Any) -> Observation:
        wanted = read(arguments, _Words).words.split()
        found = [
            {"name": name, "text": text[max(0, at - _AROUND) : at + len(word) + _AROUND]}
            for name, text in texts.items()
            for word in wanted
            if (at := text.find(word)) >= 0
        ]
        return observe({"found": found[:_MOST_PLACES]}, Status.OK if found else Status.NO_DATA)

    return tuple(zip(FILE_TOOLS, (list_documents, open_document, search), strict=True))
