"""Files of many documents: every format, columns that are not what they should be, flat memory."""

from __future__ import annotations

import gzip
import io
import json
import sys
import tracemalloc
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bounded import told_within

from hengfa.base.data import corpora
from hengfa.base.data.archives import MOST_UNPACKED
from hengfa.base.data.corpora import Corpus, Document
from hengfa.base.errors import DataError, MissingExtra, UsageError

ROWS = [{"name": f"甲{n}", "text": f"第{n}条 “引”😀\n次行", "more": [n]} for n in range(1, 8)]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode()


ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
NEEDS_ZSTD = pytest.mark.optional(ZSTD)


def zstd() -> Any:
    return import_module(ZSTD)


def parquet(rows: list[dict[str, Any]], **options: Any) -> bytes:
    stream = io.BytesIO()
    pl.DataFrame(rows).write_parquet(stream, **options)
    return stream.getvalue()


WRITERS: dict[str, Callable[[], bytes]] = {
    "c.jsonl": lambda: LINES,
    "c.ndjson": lambda: b"\xef\xbb\xbf" + LINES,
    "c.json": lambda: LINES.replace(b"\n", b"\r\n"),
    "c.jsonl.gz": lambda: gzip.compress(LINES[:90]) + gzip.compress(LINES[90:]),
    "c.json.gz": lambda: gzip.compress(LINES),
    "c.jsonl.zst": lambda: zstd().compress(LINES[:90]) + zstd().compress(LINES[90:]),
    "c.parquet": lambda: parquet(ROWS),
    "c[1].parquet": lambda: parquet(ROWS, row_group_size=3, compression="gzip"),
    "d.parquet": lambda: parquet(ROWS, compression="snappy", use_pyarrow=False),
}


def documents(file: Path, column: str = "text", id_column: str | None = "name") -> list[Document]:
    corpus = Corpus([file], column, id_column)
    corpus.check()
    return list(corpus.documents())


def lines(file: Path, *rows: object) -> Path:
    file.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    return file


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=NEEDS_ZSTD) if n.endswith(".zst") else n for n in WRITERS]
)
def test_every_format_gives_the_same_documents(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(corpora, "_SLICE", 3)
    Path(name).write_bytes(WRITERS[name]())
    expected = [Document(row["name"], name, n, row["text"]) for n, row in enumerate(ROWS, 1)]  # type: ignore[arg-type]
    assert documents(Path(name)) == expected
    unnamed = [document.id for document in documents(Path(name), id_column=None)]
    assert unnamed == [f"{name}:{n}" for n in range(1, 8)]


def test_a_column_that_is_not_there_is_named_before_any_work(tmp_path: Path) -> None:
    table = tmp_path / "c.parquet"
    table.write_bytes(parquet(ROWS))
    with pytest.raises(DataError, match=r"c\.parquet, field 'txt': .* it has name, text, more"):
        documents(table, "txt")
    with pytest.raises(DataError, match=r"field 'nom'"):
        documents(table, id_column="nom")
    with pytest.raises(DataError, match=r"c\.jsonl, row 2, field 'text': has no such field"):
        (tmp_path / "c.jsonl").write_bytes(b'\n{"txt": "a"}\n')
        documents(tmp_path / "c.jsonl")


def test_a_column_that_holds_no_text_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "c.parquet"
    table.write_bytes(parquet([{"text": 1}]))
    with pytest.raises(DataError, match=r"field 'text': is Int64, not text"):
        documents(table, id_column=None)
    with pytest.raises(DataError, match=r"row 1, field 'text': expected text, got an array"):
        documents(lines(tmp_path / "c.jsonl", {"text": ["a"]}))


def test_a_row_without_a_text_stops_no_other(tmp_path: Path) -> None:
    rows: list[object] = [
        {"text": None}, {"text": "a"}, {}, {"text": 1}, {"text": True}, [], {"text": "b", "name": 7}
    ]  # fmt: skip
    file = lines(tmp_path / "c.jsonl", *rows)
    file.write_bytes(file.read_bytes() + b'{"text": \n{"text": "\\ud83d"}\n\xff\n')
    read = documents(file)
    assert [document.text for document in read] == ["", "a", "", "", "", "", "b", "", "\\ud83d", ""]
    problems = ["null", "", "no such field", "a number", "true or false", "JSON object", "", "JSON",
                "", "JSON"]  # fmt: skip
    for document, problem in zip(read, problems, strict=True):
        assert problem in document.unread
        assert bool(problem) == bool(document.unread)
    assert [document.id.rpartition(":")[2] for document in read][5:8] == ["6", "7", "8"]
    table = tmp_path / "c.parquet"
    pl.DataFrame({"text": ["a", None]}).write_parquet(table)
    assert [document.unread for document in documents(table, id_column=None)] == [
        "", "there is no text: null",
    ]  # fmt: skip


def test_a_line_that_is_too_long_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("archives", "corpora"):
        monkeypatch.setattr(f"hengfa.base.data.{module}.LONGEST_LINE", 40)
    file = lines(tmp_path / "c.jsonl", {"text": "a"}, {"text": "x" * 99}, {"text": "b"})
    assert [bool(document.unread) for document in documents(file)] == [False, True, False]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("c.parquet", b"PAR1 not quite PAR1"),
        ("c.parquet", b""),
        ("c.jsonl.gz", b"not gzipped"),
        ("c.jsonl.gz", gzip.compress(LINES)[:-20]),
        ("c.jsonl", b"[\n"),
        ("c.jsonl", b"\xff\xfe"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=name.replace(".", r"\.")):
        documents(tmp_path / name)


@NEEDS_ZSTD
def test_a_packed_file_that_was_cut_off_is_no_shorter_corpus(tmp_path: Path) -> None:
    whole = zstd().compress(LINES)
    for content in (whole[:-4], b"no zstd", whole + b"more"):
        (tmp_path / "c.jsonl.zst").write_bytes(content)
        with pytest.raises(DataError, match=r"c\.jsonl\.zst, row \d+: is damaged"):
            documents(tmp_path / "c.jsonl.zst")
    (tmp_path / "c.jsonl.zst").write_bytes(zstd().compress(b'{"text": ""}\n' + b" " * 10**8))
    with pytest.raises(DataError, match=f"more than {MOST_UNPACKED} times"):
        documents(tmp_path / "c.jsonl.zst")


def test_without_the_extra_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(_name: str) -> None:
        raise ImportError

    monkeypatch.setattr("hengfa.base.data.archives.import_module", nothing)
    (tmp_path / "c.jsonl.zst").write_bytes(b"")
    with pytest.raises(MissingExtra, match=r"\.\[zstd\]"):
        documents(tmp_path / "c.jsonl.zst")


@pytest.mark.parametrize("name", ["c.txt", "c.csv", "c.parquet.gz", "c.gz", "c.docx"])
def test_other_files_are_no_corpus(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no corpus"):
        documents(tmp_path / name)


def test_a_text_is_not_its_own_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="both 'text'"):
        documents(lines(tmp_path / "c.jsonl", {"text": "a"}), id_column="text")


def test_blocks_depend_on_the_rows_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "BLOCK_ROWS", 3)
    monkeypatch.setattr(corpora, "BLOCK_CHARACTERS", 10)
    sizes = [1, 1, 1, 1, 9, 1, 30, 2, 0, 0, 0]
    files = [
        lines(tmp_path / "a.jsonl", *({"text": "x" * size} for size in sizes[:5])),
        lines(tmp_path / "b.jsonl", *({"text": "x" * size} for size in sizes[5:])),
    ]
    blocks = list(Corpus(files, "text").blocks())
    assert [[len(document.text) for document in block.documents] for block in blocks] == [
        [1, 1, 1], [1, 9], [1], [30], [2, 0, 0], [0],
    ]  # fmt: skip
    assert [block.number for block in blocks] == list(range(6))
    empty = list(Corpus([lines(tmp_path / "c.jsonl")], "text").blocks())
    assert [(block.number, block.documents) for block in empty] == [(0, ())]


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(
    rows=st.lists(
        st.dictionaries(st.sampled_from(["text", "id", "x"]), ANY_JSON)
        | ANY_JSON
        | st.binary(max_size=12)
    )
)
def test_lines_of_anything_become_a_document_each(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any]
) -> None:
    """Where Python reads a text in a line, so do we; where it does not, we say why."""
    written = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    kept = [line for line in (line.replace(b"\n", b"") for line in written) if line.strip()]
    file = tmp_path_factory.mktemp("any") / "c.jsonl"
    file.write_bytes(b'{"text": "first"}\n' + b"\n".join(kept))
    read = documents(file, id_column="id")[1:]
    assert len(read) == len(kept)
    for document, line in zip(read, kept, strict=True):
        text = _text(line)
        assert bool(document.unread) == (text is None)
        assert document.text == (text or "").encode("utf-8", "backslashreplace").decode()
        assert document.id


def _text(line: bytes) -> str | None:
    try:
        row = json.loads(line.decode())
    except ValueError:
        return None
    text = row.get("text") if isinstance(row, dict) else None
    return text if isinstance(text, str) else None


def _peak(corpus: Corpus) -> int:
    tracemalloc.start()
    for _ in corpus.blocks():
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "parquet"])
def test_memory_does_not_grow_with_the_corpus(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hengfa.base.data.archives.MOST_UNPACKED", 10_000)
    peaks = []
    for times in (1, 4):
        file = tmp_path / f"{times}.{ending}"
        text = "法" * 400
        if ending == "parquet":
            pl.DataFrame({"text": [text] * 4000 * times}).write_parquet(file)
        else:
            content = json.dumps({"text": text}).encode() + b"\n"
            packed = gzip.compress if ending.endswith("gz") else bytes
            file.write_bytes(packed(content * 4000 * times))
        peaks.append(_peak(Corpus([file], "text")))
    assert peaks[1] < 1.2 * peaks[0]


def test_a_large_table_is_read_in_little_memory(tmp_path: Path) -> None:
    """300 MB of text in one row group, with a bound that holds Polars and Python too."""
    table = tmp_path / "c.parquet"
    texts = pl.select(pl.int_range(50_000).cast(pl.String).alias("text"))
    texts.select(pl.col("text") + "法" * 2000).write_parquet(table, row_group_size=10**6)
    code = (
        "from pathlib import Path\nfrom hengfa.base.data.corpora import Corpus\n"
        f"corpus = Corpus([Path({str(table)!r})], 'text')\n"
        "print(sum(len(block.documents) for block in corpus.blocks()))"
    )
    assert told_within(code, 400).startswith("50000")
