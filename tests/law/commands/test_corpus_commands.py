"""The commands that go through corpora find what they find in single documents, in any number."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.cli.test_cli import Done, hengfa
from tests.cli.test_judgment_command import COMBINED, TEST_CASES
from tests.law.commands.test_cite_command import DRAFT
from tests.law.grammar.judgment_texts import judgment
from tests.law.library import recited_laws as laws
from tests.law.library.citing_laws import COAST, write_laws
from tests.law.library.citing_support import docx

from hengfa.base.data import corpora
from hengfa.law.library.building.build import build_library
from hengfa.law.library.documents import Document, read_document

UNDATED = f"依照《{COAST}》第四条、第九百条的规定。"
CITING = [DRAFT, "没有引用。", UNDATED, *(f"{DRAFT}\n附{number}" for number in range(20))]
JUDGMENTS = [judgment(), COMBINED, "", *(f"{COMBINED}附{number}" for number in range(20))]
OUTPUTS = ("findings.parquet", "manifest.json", "summary.json")


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("libraries")
    build_library([write_laws(folder / "laws")], folder / "coast.sqlite")
    laws.build(folder)
    return folder


@pytest.fixture
def folder(libraries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(corpora, "BLOCK_ROWS", 5)
    for name in ("coast.sqlite", "law.sqlite"):
        (tmp_path / name).symlink_to(libraries / name)
    write(tmp_path / "citing.jsonl", *({"text": text} for text in CITING))
    rows = [{"id": str(number), "document": text} for number, text in enumerate(JUDGMENTS)]
    write(tmp_path / "judgments.jsonl", *rows)
    pl.DataFrame(rows).write_parquet(tmp_path / "judgments.parquet")
    return tmp_path


def write(file: Path, *rows: object) -> Path:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return file


def call(words: str, folder: Path, status: int = 0) -> Done:
    done = hengfa(*words.split(), cwd=folder)
    assert done.returncode == status, done
    return done


def findings(folder: Path) -> list[dict[str, Any]]:
    return pl.read_parquet(folder / "findings.parquet").rows(named=True)


def summary(folder: Path) -> Any:
    return json.loads((folder / "summary.json").read_text("utf-8"))


CITE = "cite check citing.jsonl --library coast.sqlite --column text --today 2021-05-05"
PARSE = "suite judgment parse judgments.parquet --column document --id-column id"
ALIKE = {
    "cite": CITE,
    "parse": PARSE,
    "leakage": "suite judgment leakage judgments.jsonl --column document --data sample",
    "diagnose": "suite claw diagnose a.jsonl --library law.sqlite --column prediction "
    "--id-column id",
}


@pytest.mark.parametrize("name", ALIKE)
def test_workers_and_parts_change_nothing(name: str, folder: Path) -> None:
    row = {"id": f"{laws.LAW}/2010-05-05/2.1", "prediction": laws.LIGHT}
    write(folder / "a.jsonl", *[row] * 12)
    words = ALIKE[name]
    told = call(f"{words} -o one --jobs 1 --json", folder)
    assert json.loads(told.stdout) == summary(folder / "one")
    call(f"{words} -o two --jobs 2", folder)
    for number in (1, 2, 3):
        call(f"{words} -o part{number} --jobs 1 --shard {number}/3", folder)
    merged = call("merge part1 part2 part3 -o merged --json", folder)
    assert merged.stdout == told.stdout
    for output in OUTPUTS:
        contents = {(folder / out / output).read_bytes() for out in ("one", "two", "merged")}
        assert len(contents) == 1, output


def test_citations_of_a_corpus_are_those_of_its_documents(folder: Path) -> None:
    for number, text in enumerate(CITING):
        (folder / f"{number:02}.txt").write_text(text, "utf-8")
    call(f"{CITE} -o out --jobs 1", folder)
    names = " ".join(f"{number:02}.txt" for number in range(len(CITING)))
    told = json.loads(
        call(f"cite check {names} --library coast.sqlite --as-of 2021-05-05 --json", folder).stdout
    )
    strange = {"names of no known law": sum("云港登山法" in text for text in CITING)}
    assert summary(folder / "out")["counts"] == told["counts"] | strange
    assert told["not_known"] == ["云港登山法"]
    found = findings(folder / "out")
    for number, document in enumerate(told["documents"], 1):
        rows = [row for row in found if row["row"] == number]
        assert len(rows) == len(document["citations"])
        for row, citation in zip(rows, document["citations"], strict=True):
            for field in ("line", "start", "end", "written", "status", "law", "position", "exists"):
                assert row[field] == citation[field]
            assert (row["problem"] or "") == citation["problem"]
            assert str(row["version"] or "") == (citation["version"] or "")
            quotation = citation["quotation"] or {"verdict": None, "similarity": None}
            assert (row["quotation"], row["similarity"]) == (
                quotation["verdict"], quotation["similarity"],
            )  # fmt: skip
            assert row["notes"][: len(citation["notes"])] == citation["notes"]


@pytest.fixture
def drafts(folder: Path) -> Path:
    """A folder of documents, of several kinds, in folders, with what is none among them."""
    below = folder / "drafts" / "二"
    below.mkdir(parents=True)
    for number, text in enumerate(CITING):
        lines = text.split("\n")
        page = "<!DOCTYPE html>" + "".join(f"<p>{escape(line)}</p>" for line in lines)
        kind, content = (
            (".txt", text.encode()),
            (".html", page.encode()),
            (".docx", docx(*(escape(line) for line in lines))),
            (".MD", text.encode("gb18030")),
        )[number % 4]
        place = below if number % 3 else below.parent
        (place / f"{number:02}{kind}").write_bytes(content)
    for name in (".hidden.txt", "~$07.docx", "table.xlsx", "broken.docx"):
        (below / name).write_bytes(b"no document")
    (below / "link.txt").symlink_to(below / "01.html")
    return below.parent


FOLDER = "cite check drafts --library coast.sqlite --today 2021-05-05"


def test_a_folder_is_a_corpus_of_its_documents(folder: Path, drafts: Path) -> None:
    done = call(f"{FOLDER} -o one --jobs 1", folder)
    assert f"{len(CITING) + 1} documents" in done.stdout
    assert "1 document could not be read" in done.stderr
    assert "read as GB18030" in done.stderr
    call(f"{FOLDER} -o two --jobs 2", folder)
    for output in OUTPUTS:
        assert (folder / "one" / output).read_bytes() == (folder / "two" / output).read_bytes()
    told = json.loads(
        call("cite check drafts --library coast.sqlite --as-of 2021-05-05 --json", folder, 1).stdout
    )
    assert len(told["documents"]) == len(CITING)
    assert "broken.docx" in told["not_read"][0]
    found = findings(folder / "one")
    (unread,) = (row for row in found if row["unread"])
    assert unread["unread"] == told["not_read"][0]
    for document in told["documents"]:
        rows = [row for row in found if row["id"] == document["name"]]
        keys = ("line", "start", "end", "written", "status", "law", "position", "exists", "inside")
        assert [[row[key] for key in keys] for row in rows] == [
            [citation[key] for key in keys] for citation in document["citations"]
        ]


def test_a_folder_goes_on_where_it_was_interrupted(
    folder: Path, drafts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(f"{FOLDER} -o whole --jobs 1", folder)

    def interrupted(file: Path) -> Document:
        if file.name.startswith("17"):
            raise KeyboardInterrupt
        return read_document(file)

    with monkeypatch.context() as patched:
        patched.setattr("hengfa.law.commands.cite.read_document", interrupted)
        assert hengfa(*f"{FOLDER} -o out --jobs 1".split(), cwd=folder).returncode != 0
    assert len(list((folder / "out" / "blocks").iterdir())) == 3
    call(f"{FOLDER} -o out --jobs 1 --resume", folder)
    for output in OUTPUTS:
        assert (folder / "out" / output).read_bytes() == (folder / "whole" / output).read_bytes()
    (drafts / "99.txt").write_text("新", "utf-8")
    assert "99.txt" in call(f"{FOLDER} -o out --resume", folder, 2).stderr


def test_what_is_asked_of_a_folder_in_vain(folder: Path, drafts: Path) -> None:
    (folder / "empty").mkdir()
    for words, told in (
        ("drafts citing.jsonl -o out", "two corpora"),
        ("drafts -o out --column text", "not for documents"),
        ("drafts --comments a.docx", "for one document"),
        ("drafts -o out --comments a.docx", "not for a corpus"),
        ("empty", "has no document"),
        ("empty -o out", "has no document"),
    ):
        done = call(f"cite check {words} --library coast.sqlite", folder, 2)
        assert told in done.stderr
        assert not (folder / "out").exists()


def test_only_problems_are_listed_and_all_are_counted(folder: Path) -> None:
    call(f"{CITE} -o all", folder)
    done = call(f"{CITE} -o out --problems --strict", folder, 1)
    assert summary(folder / "out")["counts"] == summary(folder / "all")["counts"]
    wanted = [row for row in findings(folder / "all") if row["status"] not in {"right", "paper"}]
    assert findings(folder / "out") == wanted
    assert 0 < len(wanted) < len(findings(folder / "all"))
    assert "23 documents" in done.stdout


def test_the_day_of_the_beginning_counts_to_the_end(folder: Path) -> None:
    call(f"{CITE} -o out", folder)
    words = CITE.replace(" --today 2021-05-05", "")
    call(f"{words} -o out --resume", folder)
    told = call(f"{words} -o out --resume --today 2022-01-01", folder, 2).stderr
    assert "today 2021-05-05 / 2022-01-01" in told
    days = {row["day"].isoformat() for row in findings(folder / "out") if row["row"] == 3}
    assert days == {"2021-05-05"}


def test_another_library_is_not_gone_on_with(folder: Path) -> None:
    call(f"{CITE} -o out", folder)
    words = CITE.replace("coast", "law")
    assert (
        "was begun with something else: library "
        in call(f"{words} -o out --resume", folder, 2).stderr
    )


def test_judgments_of_a_corpus_are_those_of_its_documents(folder: Path) -> None:
    call(f"{PARSE} -o out", folder)
    told = json.loads(call("suite judgment parse judgments.jsonl --json", folder).stdout)[
        "documents"
    ]
    found = findings(folder / "out")
    for document in told:
        rows = [row for row in found if row["id"] == document["name"]]
        by_element = {
            element: [row for row in rows if row["element"] == element]
            for element in ("document", "section", "verdict", "executed", "statute", "remark")
        }
        (head,) = by_element["document"]
        assert (head["court"], head["number"]) == (document["court"], document["number"])
        sections = [(row["section"], row["start"], row["end"]) for row in by_element["section"]]
        assert sections == [(s["kind"], s["start"], s["end"]) for s in document["sections"]]
        verdicts = [
            (defendant["name"], sentence["charge"], sentence["months"], sentence["fine"])
            for defendant in document["defendants"]
            for sentence in defendant["verdicts"]
        ]
        assert verdicts == [
            (row["defendant"], row["charge"], row["months"], row["fine"])
            for row in by_element["verdict"]
        ]
        executed = [one["executed"]["months"] for one in document["defendants"] if one["executed"]]
        assert executed == [row["months"] for row in by_element["executed"]]
        statutes = [(row["law"], row["article"], row["item"]) for row in by_element["statute"]]
        assert statutes == [(s["law"], s["article"], s["item"]) for s in document["statutes"]]
        codes = [row["remark"] for row in by_element["remark"]]
        assert codes == [remark["code"] for remark in document["remarks"]]
    assert summary(folder / "out")["counts"]["remark empty"] == 1


def test_charges_are_part_of_what_was_asked(folder: Path) -> None:
    (folder / "charges").mkdir()
    (folder / "charges" / "charges.txt").write_text("盗窃罪\n", "utf-8")
    call(f"{PARSE} --charges charges -o out", folder)
    counts = summary(folder / "out")["counts"]
    assert counts["remark unknown charge"] > 0
    (folder / "charges" / "charges.txt").write_text("盗窃罪\n诈骗罪\n", "utf-8")
    told = call(f"{PARSE} --charges charges -o out --resume", folder, 2).stderr
    assert "something else: charges" in told


def test_leaks_in_a_corpus_are_those_in_a_collection(folder: Path) -> None:
    facts = [case["text"] for case in TEST_CASES]
    texts = [
        *(f"另案。{text}" for text in JUDGMENTS[:6]),
        *facts,
        facts[0] + facts[1],
        facts[0][:70],
    ]
    write(folder / "cases.jsonl", *({"id": f"c{n}", "fact": t} for n, t in enumerate(texts)))
    words = "suite judgment leakage cases.jsonl --data sample --threshold 0.7"
    call(f"{words} --column fact --id-column id -o out", folder)
    told = json.loads(call(f"{words} --json", folder).stdout)
    rows = [
        (row["row"], row["id"], row["sample"], row["closeness"], row["similarity"])
        for row in findings(folder / "out")
    ]
    leaks = [tuple(leak[name] for name in ("row", "judgment", "sample", "closeness", "similarity"))
             for leak in told["leaks"]]  # fmt: skip
    assert rows == leaks
    assert len(rows) > len(facts)
    assert summary(folder / "out")["counts"]["refused"] == told["refused"]


def test_diagnoses_of_a_corpus_are_those_of_its_answers(folder: Path) -> None:
    asked = f"{laws.LAW}/2010-05-05"
    rows = [
        {"id": f"{asked}/2.1", "prediction": laws.LIGHT},
        {"id": f"{asked}/2.1", "prediction": laws.LIGHT + laws.CLIMB},
        {"id": f"{asked}/5", "prediction": laws.FINE_2020},
        {"id": "无此法/2010-05-05/5", "prediction": laws.FINE_2020},
        {"id": f"{asked}/4", "prediction": "我不会"},
    ]
    write(folder / "answers.jsonl", *rows)
    told = json.loads(
        call("suite claw diagnose answers.jsonl --library law.sqlite --json", folder).stdout
    )
    words = "--library law.sqlite --column prediction --id-column id"
    write(folder / "corpus.jsonl", *rows, {"id": "no provision", "prediction": "甲"})
    call(f"suite claw diagnose corpus.jsonl {words} -o out", folder)
    *found, unread = findings(folder / "out")
    assert "no LAW/VERSION/POSITION" in unread["unread"]
    for row, answer in zip(found, told["answers"], strict=True):
        for field in ("row", "law", "position", "class"):
            assert row[field] == answer[field]
        assert row["problem"] == answer.get("problem")
        if row["class"]:
            for field in ("gold_recall", "extra", "flags", "gold", "answer"):
                assert row[field] == answer[field]
            assert json.loads(row["spans"]) == answer["spans"]
            assert row["share_same_version"] == answer["shares"].get("same version", 0)
            assert row["verbatim"] == [
                f"{place['law']}/{place['version']}/{place['position']}"
                for place in answer["verbatim"]
            ]
    counts = summary(folder / "out")["counts"]
    assert counts == told["classes"] | {"not diagnosed": 1}


def test_what_could_not_be_read_is_told(folder: Path) -> None:
    write(folder / "texts.jsonl", {"text": "甲"}, {"text": None}, {"text": 3})
    done = call("suite judgment parse texts.jsonl --column text -o out", folder)
    assert "2 documents could not be read" in done.stderr
    unread = [row["unread"] for row in findings(folder / "out") if row["unread"]]
    assert unread == ["there is no text: null", "expected text, got a number"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("cite check citing.jsonl --library coast.sqlite --column text", "-o DIR"),
        ("cite check citing.jsonl --library coast.sqlite --today 2021-01-01", "--today is for a"),
        ("cite check citing.jsonl --library coast.sqlite -o out", "--column NAME"),
        (f"{CITE} -o out --law 无此法", "无此法"),
        (f"{CITE} -o out --shard 3/2", "no part of a whole"),
        (f"{CITE} -o out --resume --force", "give one of them"),
        ("cite check law.sqlite --library coast.sqlite --column text -o out", "is no corpus"),
        ("suite judgment parse judgments.jsonl judgments.parquet", "as a corpus only"),
        (f"{PARSE} -o out --id 3", "leave out -o"),
        ("suite judgment parse judgments.jsonl --shard 1/2", "--shard is for a corpus"),
        (
            "suite judgment leakage judgments.jsonl --data sample --resume",
            "--resume is for a corpus",
        ),
        (
            "suite claw diagnose citing.jsonl --library law.sqlite --column text -o out",
            "--id-column",
        ),
        ("merge out", "say what to make"),
        ("merge out -o merged --partial", "--partial is for runs"),
        ("merge out -o merged", "holds no findings"),
        ("merge out --run a -o merged", "say what to make"),
    ],
)
def test_wrong_calls_say_what_is_wrong(words: str, told: str, folder: Path) -> None:
    done = call(words, folder, 2)
    assert told in done.stderr
    assert not (folder / "out").exists()


def test_findings_are_not_merged_as_runs(folder: Path) -> None:
    call(f"{PARSE} -o part --shard 1/1", folder)
    assert "-o DIR in the place of --run" in call("merge part --run whole", folder, 2).stderr
    call("merge part -o whole", folder)
    before = (folder / "whole" / "findings.parquet").read_bytes()
    assert "--force replaces them" in call("merge part -o whole", folder, 2).stderr
    call("merge part -o whole --force", folder)
    assert (folder / "whole" / "findings.parquet").read_bytes() == before


def test_how_fast_it_goes_is_told_where_it_takes_long(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hengfa.base.terminal.progress._SECONDS_BEFORE_LINES", 0)
    told = call(f"{PARSE} -o out --jobs 1", folder).stderr
    assert "5 documents, " in told
    assert " a second\n" in told
