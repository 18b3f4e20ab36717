"""`hengfa suite judgment` as a person or a script calls it."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from tests.cli.test_cli import hengfa
from tests.law.grammar.judgment_texts import judgment

from hengfa.base.data.packs import sample_root

COMBINED = judgment(
    " 一、被告人林帆犯盗窃罪，判处有期徒刑三年，缓刑四年，并处罚金人民币三千元；"
    "犯诈骗罪，判处拘役五个月；决定执行有期徒刑三年，缓刑四年，并处罚金人民币三千元。"
    " 二、被告人海星犯窝藏罪，免予刑事处罚。"
)


TEST_CASES = [
    json.loads(line)
    for line in (sample_root() / "judgment" / "data" / "test.json").read_text("utf-8").splitlines()
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "judgment.txt").write_text(COMBINED, "utf-8")
    rows = [{"id": "a", "document": judgment()}, {"text_id": 7, "fd": COMBINED}, {"document": ""}]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (tmp_path / "outputs.jsonl").write_text(lines, "utf-8")
    return tmp_path


def test_a_text_is_marked_up(folder: Path) -> None:
    done = hengfa("suite", "judgment", "parse", "judgment.txt", cwd=folder)
    assert done.returncode == 0, done.stderr
    shown = done.stdout
    assert "judgment.txt: 云港县人民法院 （2031）云0101刑初7号 2031-07-08" in shown
    for words in ("被告人林帆", "被告人海星", "executed", "有期徒刑 3年", "拘役 5个月", "3,000元"):
        assert words in shown
    assert "免予刑事处罚" in shown
    assert "《刑法》 第264条、第67条第3款" in shown
    for kind in ("heading", "facts", "reasoning", "result", "appendix"):
        assert kind in shown
    assert "remark" not in shown


def test_it_fits_a_narrow_terminal(folder: Path) -> None:
    done = hengfa("suite", "judgment", "parse", "judgment.txt", cwd=folder, COLUMNS="60")
    tables = [line for line in done.stdout.splitlines()[1:] if line.strip()]
    assert max(sum(2 if ord(c) > 0x2E7F else 1 for c in line.rstrip()) for line in tables) <= 60


def test_json_has_everything(folder: Path) -> None:
    done = hengfa("suite", "judgment", "parse", "judgment.txt", "--json", cwd=folder)
    (document,) = json.loads(done.stdout)["documents"]
    assert document["charges"] == ["盗窃罪", "诈骗罪", "窝藏罪"]
    first = document["defendants"][0]
    assert (first["final"]["months"], first["final"]["probation"]) == (36, 48)
    assert first["fine_total"] == 3000
    assert [one["months"] for one in first["verdicts"]] == [36, 5]
    section = document["sections"][3]
    assert section["text"] == COMBINED[section["start"] : section["end"]]
    assert document["remarks"] == []


def test_one_document_of_a_json_lines_file(folder: Path) -> None:
    done = hengfa("suite", "judgment", "parse", "outputs.jsonl", "--id", "7", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "被告人海星" in done.stdout


def test_all_documents_of_a_json_lines_file_have_a_line_each(folder: Path) -> None:
    done = hengfa("suite", "judgment", "parse", "outputs.jsonl", cwd=folder)
    assert "林帆 盗窃罪: 有期徒刑 6个月, 罚金 2,000元" in done.stdout
    assert "empty" in done.stdout
    assert "3 documents" in done.stdout


def test_packed_lines_are_read_like_others(folder: Path) -> None:
    packed = folder / "outputs.jsonl.gz"
    packed.write_bytes(gzip.compress((folder / "outputs.jsonl").read_bytes()))
    for options in ((), ("--json",), ("--id", "7")):
        plain = hengfa("suite", "judgment", "parse", "outputs.jsonl", *options, cwd=folder)
        assert (
            hengfa("suite", "judgment", "parse", packed.name, *options, cwd=folder).stdout
            == plain.stdout
        )
    packed.write_bytes(packed.read_bytes()[:-20])
    done = hengfa("suite", "judgment", "parse", packed.name, cwd=folder)
    assert done.returncode == 1
    assert "outputs.jsonl.gz, row 2: is damaged" in done.stderr


def test_segmented_judgments_are_put_together(folder: Path) -> None:
    row = {
        "id": "s",
        "fact": "事实。",
        "reason": "本院认为，成立，判决如下：",
        "result": "被告人林帆无罪。",
    }
    (folder / "parts.jsonl").write_text(json.dumps(row, ensure_ascii=False), "utf-8")
    done = hengfa("suite", "judgment", "parse", "parts.jsonl", "--json", cwd=folder)
    (document,) = json.loads(done.stdout)["documents"]
    assert document["defendants"][0]["final"]["kind"] == "无罪"


def test_listed_names_of_charges(folder: Path) -> None:
    (folder / "charges.txt").write_text("盗窃罪\n窝藏、包庇罪\n诈骗罪\n", "utf-8")
    (folder / "charge_aliases.json").write_text('[["窝藏", ["窝藏、包庇罪"]]]', "utf-8")
    done = hengfa(
        "suite", "judgment", "parse", "judgment.txt", "--charges", ".", "--json", cwd=folder
    )
    assert json.loads(done.stdout)["documents"][0]["charges"] == [
        "盗窃罪",
        "诈骗罪",
        "窝藏、包庇罪",
    ]


def test_a_word_document(folder: Path) -> None:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    lines = "".join(f"<w:p><w:r><w:t>{escape(p)}</w:t></w:r></w:p>" for p in COMBINED.split(" "))
    with zipfile.ZipFile(folder / "judgment.docx", "w") as archive:
        archive.writestr(
            "word/document.xml", f"<w:document {space}><w:body>{lines}</w:body></w:document>"
        )
    done = hengfa("suite", "judgment", "parse", "judgment.docx", "--json", cwd=folder)
    assert len(json.loads(done.stdout)["documents"][0]["defendants"]) == 2


@pytest.mark.parametrize("text", ["", "一句话。", "<html><p>&nbsp;</p></html>", "\x1b[31m[b]:A:"])
def test_broken_documents_have_remarks_and_no_error(folder: Path, text: str) -> None:
    (folder / "broken.txt").write_text(text, "utf-8")
    done = hengfa("suite", "judgment", "parse", "broken.txt", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "remark (" in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("outputs.jsonl", "--id", "x"), 2, "no document 'x'; it has a, 7, 3"),
        (("judgment.txt", "--id", "7"), 2, "this file is one document"),
        (("bad.jsonl",), 1, "row 1, field 'document'"),
        (("none.jsonl",), 1, "no document in it"),
    ],
)
def test_errors_say_what_to_do(
    folder: Path, arguments: tuple[str, ...], status: int, words: str
) -> None:
    (folder / "bad.jsonl").write_text('{"id": "a"}\n', "utf-8")
    (folder / "none.jsonl").write_text("\n", "utf-8")
    done = hengfa("suite", "judgment", "parse", *arguments, cwd=folder)
    assert done.returncode == status
    assert words in done.stderr


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """A copy of a test case under another name, and a judgment of a case of its own."""
    first = TEST_CASES[0]
    other = {
        "id": "other",
        "fact": "某人放风筝，线断了，打碎了别人的灯笼。" * 5,
        "document": "另案",
    }
    copied = {"id": "copy", "fact": first["text"], "document": first["fd"]}
    file = tmp_path / "cases.jsonl"
    lines = (json.dumps(row, ensure_ascii=False) for row in (other, copied))
    file.write_text("\n".join(lines), "utf-8")
    return file


def test_leakage_names_the_rows_that_are_test_cases(cases: Path) -> None:
    done = hengfa("suite", "judgment", "leakage", str(cases), "--data", "sample", cwd=cases.parent)
    assert done.returncode == 0, done.stderr
    assert "1 of 2 judgments are too close to one of 8 test cases" in done.stdout
    assert "1 remain" in done.stdout
    told = hengfa(
        "suite", "judgment", "leakage", str(cases), "--data", "sample", "--json", cwd=cases.parent
    )
    document = json.loads(told.stdout)
    assert (document["refused"], document["remaining"], document["threshold"]) == (1, 1, 0.85)
    assert document["leaks"] == [
        {
            "row": 2,
            "judgment": "copy",
            "sample": TEST_CASES[0]["text_id"],
            "closeness": "same",
            "similarity": 1.0,
        }
    ]


@pytest.mark.parametrize("threshold", ["0.3", "1", "x"])
def test_leakage_takes_no_strange_threshold(cases: Path, threshold: str) -> None:
    options = ("--data", "sample", "--threshold", threshold)
    done = hengfa("suite", "judgment", "leakage", str(cases), *options, cwd=cases.parent)
    assert done.returncode == 2


def evaluation(method: str, cases: Path) -> list[str]:
    asked = ["eval", "judgment", "--method", method, "--model", "floor", "--data", "sample"]
    return [*asked, "--set", f"cases={cases}", "--json"]


@pytest.mark.parametrize("method", ["direct", "few-shot", "rag"])
def test_eval_takes_a_method_and_reports_on_the_prompt(cases: Path, method: str) -> None:
    done = hengfa(*evaluation(method, cases), cwd=cases.parent)
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)["runs"]
    assert run["setting"] == method
    assert run["figures"].get("cases_refused") == (None if method == "direct" else 1 / 8)
    assert ("statutes_in_prompt" in run["figures"]) == (method == "rag")


def test_eval_says_on_standard_error_what_was_refused(cases: Path) -> None:
    command = [str(Path(sys.executable).with_name("hengfa")), *evaluation("few-shot", cases)]
    done = subprocess.run(command, cwd=cases.parent, capture_output=True, text=True, check=True)
    said = [line for line in done.stderr.splitlines() if "refused" in line]
    assert len(said) == 1
    assert said[0].startswith("1 of 2 judgments are refused")
    assert said[0].endswith(": copy")
    json.loads(done.stdout)


def test_prompts_are_written_with_what_was_retrieved(cases: Path) -> None:
    out = cases.parent / "prompts.jsonl"
    options = ("--set", f"cases={cases}", "--set", "provisions=3", "-o", str(out))
    words = ("suite", "judgment", "training", "--for", "test", "--data", "sample")
    done = hengfa(*words, *options, cwd=cases.parent)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [line["id"] for line in lines] == [row["text_id"] for row in TEST_CASES]
    first = lines[0]
    assert (first["related"], first["refused"], len(first["retrieved"])) == (["other"], 1, 3)
    gold = set(map(str, first["gold"]))
    assert first["statutes_in_prompt"] == len(gold & set(first["retrieved"])) / len(gold)
    assert "另案" in first["messages"][-1]["content"]


def test_a_document_beside_its_reference(tmp_path: Path) -> None:
    one = TEST_CASES[0]["text_id"]
    output = tmp_path / "out.jsonl"
    row = {"id": one, "document": TEST_CASES[0]["fd"]}
    output.write_text(json.dumps(row, ensure_ascii=False), "utf-8")
    command = ("suite", "judgment", "compare", str(output), "--data", "sample")
    shown = hengfa(*command, "--id", one, cwd=tmp_path)
    assert "prison 100.00" in shown.stdout
    done = hengfa(*command, "--json", cwd=tmp_path)
    (document,) = json.loads(done.stdout)["documents"]
    assert document["id"] == one
    months = document["elements"][0]
    assert (months["element"], months["scores"]) == ("months", {"prison": 1.0})
    assert months["expected"] == months["given"]


@pytest.mark.parametrize(
    ("options", "words"),
    [((), "name one case with --id"), (("--id", "x"), "has no document 'x'")],
)
def test_compare_says_what_it_needs(folder: Path, options: tuple[str, ...], words: str) -> None:
    row = {"id": TEST_CASES[0]["text_id"], "document": ""}
    (folder / "out.jsonl").write_text(json.dumps(row), "utf-8")
    done = hengfa(
        "suite", "judgment", "compare", "out.jsonl", "--data", "sample", *options, cwd=folder
    )
    assert done.returncode == 2
    assert words in done.stderr


def test_compare_refuses_answers_to_another_task(folder: Path) -> None:
    row = {"task": "1-1", "id": TEST_CASES[0]["text_id"], "prediction": ""}
    (folder / "out.jsonl").write_text(json.dumps(row), "utf-8")
    done = hengfa(
        "suite", "judgment", "compare", "out.jsonl", "--data", "sample", "--json", cwd=folder
    )
    assert done.returncode == 1
    assert "out.jsonl, row 1, field 'task': judgment has no task '1-1'" in done.stderr


def test_differences_between_the_rules(folder: Path) -> None:
    words = ("suite", "judgment", "parse", "--differences", "outputs.jsonl")
    done = hengfa(*words, cwd=folder)
    assert "of 3 documents: months in 1" in done.stdout
    told = json.loads(hengfa(*words, "--json", cwd=folder).stdout)
    second = {one["element"]: one for one in told["documents"][1]["differences"]}
    assert (second["months"]["official"], second["months"]["corrected"]) == ("41", "36")
    none = hengfa(*words, "--charges", "x", cwd=folder)
    assert none.returncode == 2
