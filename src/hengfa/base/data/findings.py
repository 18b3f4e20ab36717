"""What is found in a corpus: a folder with one table of findings, made block by block.

    manifest.json      of which files, by which command and options; how many blocks, once finished
    findings.parquet   one row for each finding, in the order of the documents
    summary.json       how many documents, how many could not be read, what was counted
    blocks/, blocks.jsonl   what is finished of an unfinished one, or of one part of several

A block is finished once its table is on disk and its line in `blocks.jsonl`. Whatever is killed
goes on from there, and the end is the same, byte for byte, however often that happened, however
many workers there were, and however many parts (`--shard I/N`) were put together.

A document that could not be read is a row too: `unread` says why, and the other columns are null.
"""

from __future__ import annotations

import io
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from filelock import FileLock, Timeout
from msgspec.structs import replace

from hengfa import __version__
from hengfa.base.data.appended import Appended, read_appended
from hengfa.base.data.corpora import (
    BLOCK_CHARACTERS,
    BLOCK_ROWS,
    Block,
    Corpus,
    Document,
    shown_name,
)
from hengfa.base.data.jsonfile import encode_json, json_decoder, read_json, write_atomically
from hengfa.base.data.output import MANIFEST, files_below, foreign, whole_folder
from hengfa.base.data.paths import disk_errors
from hengfa.base.data.sums import measure
from hengfa.base.errors import DataError, RunLocked, UsageError
from hengfa.base.progress import Progress
from hengfa.base.workers import Executor, Work

FINDINGS: Final = "findings.parquet"
SUMMARY: Final = "summary.json"
_BLOCKS: Final = "blocks"
_LEDGER: Final = "blocks.jsonl"
_JOINED: Final = "findings.part"
"""The table of findings until it is whole."""
_ROW_GROUP: Final = 100_000
_NAMED: Final = 3

# What is there until the end: "blocks/000012.parquet", "blocks/.000012.parquet.0f….new" of one
# that was killed; not "blocks/notes.txt"
_FOR_A_WHILE: Final = re.compile(
    r"blocks/(?:\d{6,}\.parquet|\.\d{6,}\.parquet\.[0-9a-f]{16}\.new)"
    r"|blocks\.jsonl(?:\.torn)?|findings\.part|\.(?:manifest|summary)\.json\.[0-9a-f]{16}\.new"
)
_LOCK: Final = "blocks.lock"
_TO_STAY: Final = frozenset({MANIFEST, FINDINGS, SUMMARY, _LOCK})

Columns: TypeAlias = Mapping[str, Any]
"""The columns of findings by name, each with its Python type: `str`, `date`, `list[str]`."""


_Cells: TypeAlias = tuple[object, ...]


class Findings(NamedTuple):
    """What was found in a document: rows in the order of the columns, and what is counted."""

    rows: Sequence[_Cells]
    counts: Mapping[str, int]


_NOTHING: Final = Findings((), {})
_Made: TypeAlias = tuple[Document, Findings]


class Done(msgspec.Struct, frozen=True):
    """A block that is finished, and the sum of its table."""

    block: int
    documents: int
    characters: int
    unread: int
    findings: int
    counts: dict[str, int]
    sha256: str


class Part(NamedTuple):
    """The table of a block, as bytes of a Parquet file, and what is to be known of it."""

    done: Done
    table: bytes


class Summary(msgspec.Struct, frozen=True):
    """What a folder of findings comes to."""

    command: str
    documents: int
    characters: int
    unread: int
    findings: int
    counts: dict[str, int]


class Input(msgspec.Struct, frozen=True):
    """A file of the corpus as it was when it was read."""

    name: str
    size: int
    sha256: str


class FindingsManifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of what a folder holds the findings; two of the same are made of the same."""

    corpus: str
    """The command."""
    hengfa: str = __version__
    inputs: tuple[Input, ...]
    column: str
    id_column: str | None
    options: dict[str, str]
    block_rows: int = BLOCK_ROWS
    block_characters: int = BLOCK_CHARACTERS
    shard: tuple[int, int] | None = None
    blocks: int | None = None
    """How many there are, once all of them are finished."""

    def differences(self, other: FindingsManifest) -> list[str]:
        """What is not the same, each with both values."""
        mine, others = (_flat(manifest) for manifest in (self, other))
        return [
            f"{name} {mine.get(name, 'nothing')} / {others.get(name, 'nothing')}"
            for name in dict.fromkeys((*mine, *others))
            if mine.get(name) != others.get(name)
        ]


def _flat(manifest: FindingsManifest) -> dict[str, str]:
    inputs = {f"file {file.name}": file.sha256[:12] for file in manifest.inputs}
    order = {"files": ", ".join(file.name for file in manifest.inputs)}
    others = {
        name: str(getattr(manifest, name))
        for name in ("corpus", "hengfa", "column", "id_column", "block_rows", "block_characters")
    }
    others["shard"] = "/".join(map(str, manifest.shard or ("none",)))
    return others | manifest.options | inputs | order


def part_of(block: Block, columns: Columns, do: Callable[[Document], Findings]) -> Part:
    """Do something with each document of a block; those at which it fails are listed as unread."""
    made = [_try(document, do) for document in block.documents]
    try:
        table = _table(made, columns)
    except Exception:  # noqa: BLE001 - such as a number that no column holds: whose is it?
        made = [_storable(document, found, columns) for document, found in made]
        table = _table(made, columns)
    counts: Counter[str] = Counter()
    for _, found in made:
        counts.update(found.counts)
    done = Done(
        block=block.number,
        documents=len(made),
        characters=sum(len(document.text) for document, _ in made),
        unread=sum(bool(document.unread) for document, _ in made),
        findings=sum(len(found.rows) for _, found in made),
        counts=dict(sorted(counts.items())),
        sha256=sha256(table).hexdigest(),
    )
    return Part(done, table)


def _try(document: Document, do: Callable[[Document], Findings]) -> _Made:
    if document.unread:
        return document, _NOTHING
    try:
        return document, do(document)
    except Exception as error:  # noqa: BLE001 - one of ten million must not stop the others
        return document._replace(unread=f"{type(error).__name__}: {error}"), _NOTHING


def _storable(document: Document, found: Findings, columns: Columns) -> _Made:
    def store(_document: Document) -> Findings:
        _table([(document, found)], columns)
        return found

    return _try(document, store)


def _table(made: Iterable[_Made], columns: Columns) -> bytes:
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    schema = {"id": str, "file": str, "row": int, "unread": str, **columns}
    rows: list[_Cells] = []
    for document, found in made:
        head = document.id, document.file, document.row
        if document.unread:
            rows.append((*head, document.unread, *(None,) * len(columns)))
        rows += [(*head, None, *row) for row in found.rows]
    stream = io.BytesIO()
    pl.DataFrame(rows, schema, orient="row").write_parquet(stream, compression="zstd")
    return stream.getvalue()


def find(
    corpus: Corpus,
    work: Work[Block, Part],
    executor: Executor,
    folder: Path,
    *,
    command: str,
    options: Mapping[str, str],
    shard: tuple[int, int] | None = None,
    resume: bool = False,
    force: bool = False,
    progress: Progress = lambda _done, _total: None,
) -> Summary:
    """Put all blocks of a corpus, or of a part of it, through the work.

    `options` are what the findings depend on besides the files: they are refused where they have
    changed since an unfinished folder was begun.
    """
    corpus.check()
    _check_place(folder, resume=resume, force=force)
    measured = ((file, measure(file, "corpus")) for file in corpus.files)
    manifest = FindingsManifest(
        corpus=command,
        inputs=tuple(Input(shown_name(file), sums.size, sums.sha256) for file, sums in measured),
        column=corpus.column,
        id_column=corpus.id_column,
        options=dict(options),
        shard=shard,
    )
    with _lock(folder):
        known = _begin(folder, manifest, force=force)
        if known.blocks is None:
            _go_through(folder, corpus, work, executor, shard, progress)
            _finish(folder, manifest, [folder])
        if shard is None:
            _remove_blocks(folder)
            return read_json(folder / SUMMARY, Summary)
        return _summary(command, _finished(folder))


def options_of(folder: Path) -> Mapping[str, str]:
    """The options with which a folder was begun; none where there is none."""
    known = _manifest(folder)
    return known.options if known else {}


def is_findings(folder: Path) -> bool:
    return _manifest(folder) is not None


def _go_through(
    folder: Path,
    corpus: Corpus,
    work: Work[Block, Part],
    executor: Executor,
    shard: tuple[int, int] | None,
    progress: Progress,
) -> None:
    """Do the blocks that are not done, and write each down once it is."""
    number, of = shard or (1, 1)
    ledger = Appended(folder / _LEDGER, _decode_done, "move it away and begin again with --force")
    try:
        done = {entry.block for _, entry in ledger if _is_there(folder, entry)}
        mine = (block for block in corpus.blocks() if block.number % of == number - 1)
        open_ = (block for block in mine if block.number not in done)
        documents = 0
        for _, part in executor.run(work, open_):
            write_atomically(_table_of(folder, part.done.block), part.table)
            ledger.append(msgspec.json.encode(part.done) + b"\n")
            documents += part.done.documents
            progress(documents, 0)
        ledger.flush()
    finally:
        ledger.close()


def merge_findings(parts: Sequence[Path], folder: Path, *, force: bool = False) -> Summary:
    """One folder of what several parts of a corpus hold: the same as if there had been no parts."""
    manifests = [_part_manifest(part) for part in parts]
    wholes = [replace(manifest, shard=None, blocks=None) for manifest in manifests]
    for part, whole in zip(parts[1:], wholes[1:], strict=True):
        if differences := wholes[0].differences(whole):
            raise UsageError(
                f"{parts[0]} and {part} are no parts of one whole: {'; '.join(differences)}"
            )
    _check_shards([manifest.shard for manifest in manifests])
    _check_name(folder)
    if folder.resolve() in {part.resolve() for part in parts}:
        raise UsageError(f"{folder} is one of the parts: choose another folder")
    if is_findings(folder) and not force:
        raise UsageError(f"{folder} holds the findings of a corpus: --force replaces them")
    for part, manifest in zip(parts, manifests, strict=True):
        if len(_finished(part)) != manifest.blocks:
            problem = f"does not name {manifest.blocks} blocks, as many as were finished"
            raise DataError(problem, file=part / _LEDGER)
    with whole_folder(folder, _ours, force=force) as new:
        _finish(new, wholes[0], parts)
        return read_json(new / SUMMARY, Summary)


def _part_manifest(part: Path) -> FindingsManifest:
    manifest = _manifest(part)
    if manifest is None:
        raise UsageError(f"{part} holds no findings of a corpus")
    if manifest.shard is None:
        raise UsageError(f"{part} is a whole, no part: it was made without --shard")
    if manifest.blocks is None:
        raise UsageError(f"{part} is not finished: --resume goes on with it")
    return manifest


def _check_shards(shards: Sequence[tuple[int, int] | None]) -> None:
    """Each part of one number of parts must be there once."""
    known = [shard for shard in shards if shard]
    told = ", ".join(f"{number}/{of}" for number, of in known)
    if len({of for _, of in known}) > 1:
        raise UsageError(f"these are parts of other numbers of parts: {told}")
    numbers = [number for number, _ in known]
    if len(set(numbers)) < len(numbers):
        raise UsageError(f"a part is named twice: {told}")
    if missing := sorted(set(range(1, known[0][1] + 1)) - set(numbers)):
        raise UsageError(f"of {known[0][1]} parts there is none for {', '.join(map(str, missing))}")


def _finish(folder: Path, manifest: FindingsManifest, sources: Sequence[Path]) -> None:
    """Join the blocks, unless this is a part that is joined with others later; then say so."""
    blocks = sorted(
        ((done, _table_of(source, done.block)) for source in sources for done in _finished(source)),
        key=lambda block: block[0].block,
    )
    if manifest.shard is None:
        _join([table for _, table in blocks], folder / FINDINGS)
        _write(folder / SUMMARY, _summary(manifest.corpus, (done for done, _ in blocks)))
    _write(folder / MANIFEST, replace(manifest, blocks=len(blocks)))


def _join(tables: list[Path], file: Path) -> None:
    """One file of many, in order and with the same bytes whoever joins them."""
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    new = file.with_name(_JOINED)
    try:
        pl.scan_parquet(tables, glob=False).sink_parquet(
            new, compression="zstd", row_group_size=_ROW_GROUP, maintain_order=True
        )
    except pl.exceptions.PolarsError as error:
        raise DataError(f"cannot be written: {error}", file=file) from error
    with disk_errors(file), new.open("rb") as stream:
        os.fsync(stream.fileno())
        new.replace(file)


def _summary(command: str, blocks: Iterable[Done]) -> Summary:
    counts: Counter[str] = Counter()
    totals = [0, 0, 0, 0]
    for done in blocks:
        each = done.documents, done.characters, done.unread, done.findings
        totals = [total + more for total, more in zip(totals, each, strict=True)]
        counts.update(done.counts)
    documents, characters, unread, findings = totals
    return Summary(command, documents, characters, unread, findings, dict(sorted(counts.items())))


def _check_place(folder: Path, *, resume: bool, force: bool) -> None:
    """Refuse, before anything is written, a place where something else is."""
    if resume and force:
        raise UsageError("--resume goes on and --force begins anew: give one of them")
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"{folder} is not a folder; choose another place")
    _check_name(folder)
    known = _manifest(folder)
    if known is not None and not resume and not force:
        state = "an unfinished search" if known.blocks is None else "the findings of a corpus"
        raise UsageError(f"{folder} holds {state}: --resume goes on, --force begins anew")
    others = [path for path in foreign(folder, _ours) if path != _LOCK]
    if others and not force and not resume:
        raise UsageError(
            f"{folder} holds what is not ours: {', '.join(others[:_NAMED])}. Choose another folder;"
            " --force writes beside it and replaces only files of the same name"
        )


def _check_name(folder: Path) -> None:
    if shown_name(folder.absolute()) != folder.absolute().as_posix():
        raise UsageError(f"{shown_name(folder)}: tables need a folder whose name is UTF-8")


def _begin(folder: Path, manifest: FindingsManifest, *, force: bool) -> FindingsManifest:
    """What the folder was begun with; it is emptied of what is ours where it begins anew."""
    known = _manifest(folder)
    if known is not None and not force:
        if differences := known.differences(manifest):
            raise UsageError(
                f"{folder} was begun with something else: {'; '.join(differences)}; --force begins"
                " anew, or choose another folder"
            )
        return known
    with disk_errors(folder):  # the manifest first: without it nothing left is taken for finished
        for name in (MANIFEST, SUMMARY, FINDINGS):
            (folder / name).unlink(missing_ok=True)
        _remove_blocks(folder)
        (folder / _BLOCKS).mkdir(exist_ok=True)
    _write(folder / MANIFEST, manifest)
    return manifest


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / _LOCK, blocking=False)
    try:
        with lock:
            yield
    except Timeout:
        raise RunLocked(f"{folder}: another process is writing to it; wait for it to end") from None


def _remove_blocks(folder: Path) -> None:
    """Remove what is not needed any more, and nothing else."""
    with disk_errors(folder):
        for path in filter(_FOR_A_WHILE.fullmatch, files_below(folder)):
            (folder / path).unlink()
        with suppress(OSError):  # somebody's files are in it
            (folder / _BLOCKS).rmdir()


def _manifest(folder: Path) -> FindingsManifest | None:
    """That of a folder of ours; None for whatever else there is."""
    try:
        return read_json(folder / MANIFEST, FindingsManifest)
    except DataError:
        return None


def _ours(folder: Path) -> Mapping[str, int]:
    if _manifest(folder) is None:
        return {}
    return {
        path: size
        for path, size in files_below(folder).items()
        if path in _TO_STAY or _FOR_A_WHILE.fullmatch(path)
    }


def _finished(folder: Path) -> list[Done]:
    """The finished blocks; a table that is not what was written is an error."""
    file = folder / _LEDGER
    with disk_errors(file):
        entries = {
            entry.block: entry for entry in read_appended(file, _decode_done, "--force begins anew")
        }
    for entry in entries.values():
        if not _is_there(folder, entry):
            problem = "is missing or was changed: --force begins anew"
            raise DataError(problem, file=_table_of(folder, entry.block))
    return list(entries.values())


def _is_there(folder: Path, done: Done) -> bool:
    file = _table_of(folder, done.block)
    return file.is_file() and sha256(file.read_bytes()).hexdigest() == done.sha256


def _table_of(folder: Path, block: int) -> Path:
    return folder / _BLOCKS / f"{block:06}.parquet"


def _write(file: Path, value: object) -> None:
    write_atomically(file, msgspec.json.format(encode_json(value), indent=2) + b"\n")


_decode_done = json_decoder(Done)
