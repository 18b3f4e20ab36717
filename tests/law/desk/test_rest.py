"""The desk over HTTP: what it answers, what it refuses, and that no document holds it up."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from hengfa.law.desk.rest import DOCUMENTS, LARGEST_FILE, LONGEST_TEXT, QUESTIONS, STATUS, openapi
from hengfa.law.desk.word_comments import word_file
from hengfa.law.library import Library
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import STATUSES
from tests.law.desk.desk_server import OPINION, Desk, running
from tests.law.grammar.judgment_texts import judgment
from tests.law.library.citing_laws import (
    CLOSED,
    COAST,
    FERRY,
    HARBOUR,
    LANTERNS_2005,
    LANTERNS_2009,
    PATROL_2009,
    PORTS,
)
from tests.law.library.citing_support import WORD, archive, docx
from tests.law.library.conftest import coast_file
from tests.law.library.test_pdf_documents import pdf, shown

_ = coast_file  # the fixture


@pytest.fixture(scope="module")
def desk(coast_file: Path) -> Iterator[Desk]:
    with running(coast_file) as opened:
        yield opened


# --- what is answered ---


def test_a_provision_on_a_day(desk: Desk) -> None:
    for day, text in (("2006-01-01", LANTERNS_2005), ("2020-01-01", LANTERNS_2009)):
        told = desk.ask("/api/provision", law=COAST, position="第四条", on=day)
        assert (told.status, told.json["text"], told.json["cited"]) == (200, text, "第四条")
    derived = desk.ask("/api/provision", law=COAST, position="6-1", on="2010-01-01").json
    assert derived["text"] == PATROL_2009
    assert derived["derived"]
    unknown = desk.ask("/api/provision", law=FERRY, on="2015-01-01").json
    assert unknown["answer"]["type"] == "unknown"


def test_versions_history_successors_and_search(desk: Desk) -> None:
    law = desk.ask("/api/law", law=COAST).json
    assert [version["promulgated"][:4] for version in law["versions"]] == ["2005", "2018", "2022"]
    assert len(law["calendar"]) == 5
    steps = desk.ask("/api/history", law=COAST, position="6", version="2018-10-01").json["steps"]
    assert [step["cited"] for step in steps if step["text"] == CLOSED][-1] == "第二条"
    went = desk.ask("/api/successors", law=HARBOUR, position="2").json
    assert [place["version"]["law"] for place in went["successors"]] in ([], [PORTS])
    hits = desk.ask("/api/search", words="灯塔看守人", on="2020-01-01").json["hits"]
    assert (hits[0]["version"]["law"], hits[0]["cited"]) == (COAST, "第四条")


def test_a_document_is_checked_as_from_the_command_line(desk: Desk, coast_file: Path) -> None:
    text = desk.ask("/api/check", OPINION, lang="en").json
    word = desk.ask("/api/check", docx(*OPINION.splitlines()), name="a.docx", lang="zh").json
    with Library.open(coast_file) as library:
        report = Checker(library).check(OPINION)
    for told in (text, word):
        found = [citation["checked"] for citation in told["citations"]]
        assert [one["status"] for one in found] == [one.status for one in report.citations]
        assert told["counts"] == report.counts()
        for one in found:
            assert told["text"][one["start"] : one["end"]] == one["written"]
    assert text["text"] == OPINION
    assert {"right", "wording", "wrong", "unknown"} <= {one.status for one in report.citations}
    assert word["labels"]["right"] == "正确"
    assert "2020年3月1日" in word["told"]
    assert text["citations"][0]["explained"]["provision"] == LANTERNS_2009
    assert set(word["labels"]) == set(STATUSES)


def test_the_day_and_the_law_can_be_given(desk: Desk) -> None:
    told = desk.ask("/api/check", "第四条", law=COAST, as_of="2006-01-01").json
    [citation] = told["citations"]
    assert citation["explained"]["provision"] == LANTERNS_2005


@pytest.mark.optional("pypdfium2")
def test_web_pages_and_pdfs_are_documents_too(desk: Desk) -> None:
    page = f"<html><p>《{COAST}》第四条</p><script>《{COAST}》第五条</script></html>"
    for body, name in ((page.encode(), "a.html"), (pdf(shown([f"《{COAST}》第四条"])), "a.pdf")):
        [citation] = desk.ask("/api/check", body, name=name).json["citations"]
        assert citation["checked"]["written"] == f"《{COAST}》第四条"


@pytest.mark.parametrize(
    ("kind", "start"),
    [
        ("html", b"<!doctype html>"),
        ("docx", b"PK"),
        ("pdf", b"%PDF"),
        ("xlsx", b"PK"),
        ("json", b"{"),
        ("comments", b"PK"),
    ],
)
@pytest.mark.optional("docx", "lxml", "reportlab", "xlsxwriter")
def test_a_report_is_a_file_and_no_page_of_the_server(desk: Desk, kind: str, start: bytes) -> None:
    hostile = f"{OPINION}<script>alert(1)</script>\x1b"
    for body, name in ((hostile, ""), (word_file(OPINION), "a.docx")):
        reply = desk.ask("/api/report", body, format=kind, name=name)
        assert reply.status == 200
        assert reply.content.lower().startswith(start.lower())
        assert reply.headers["Content-Disposition"] == "attachment"
        assert b"<script>alert" not in reply.content


def test_case_numbers_are_checked(desk: Desk) -> None:
    told = desk.ask("/api/cases", "（2022）沪0115民终7号、（2022）沪01民终12345号").json
    assert [case["verdict"] for case in told["numbers"]] == ["cannot exist", "not known here"]


def test_a_judgment_is_parsed(desk: Desk) -> None:
    told = desk.ask("/api/judgment", judgment("一、被告人甲犯盗窃罪，判处拘役三个月。")).json
    [defendant] = told["judgment"]["defendants"]
    assert defendant["verdicts"][0]["months"] == 3


# --- what it says of itself ---


def test_the_openapi_document_is_valid_and_says_what_there_is(desk: Desk) -> None:
    from openapi_spec_validator import OpenAPIV31SpecValidator

    described = desk.ask("/openapi.json").json
    OpenAPIV31SpecValidator(described).validate()
    assert described == json.loads(json.dumps(openapi()))
    assert set(described["paths"]) == {"/api/about", *QUESTIONS, *DOCUMENTS}


ASKED: dict[str, tuple[str | None, dict[str, str]]] = {
    "/api/about": (None, {}),
    "/api/law": (None, {"law": COAST}),
    "/api/provision": (None, {"law": COAST, "position": "4"}),
    "/api/history": (None, {"law": COAST, "position": "4"}),
    "/api/successors": (None, {"law": HARBOUR, "position": "2"}),
    "/api/search": (None, {"words": "海滩"}),
    "/api/check": (OPINION, {}),
    "/api/cases": ("（2022）沪0115民终7号", {"as_of": "2026-01-01"}),
    "/api/judgment": (judgment("一、被告人甲犯盗窃罪，判处拘役三个月。"), {}),
}


@pytest.mark.parametrize("path", ASKED)
def test_replies_are_what_the_openapi_document_says(desk: Desk, path: str) -> None:
    body, parameters = ASKED[path]
    described = openapi()

    def conforms(reply: Any, status: str) -> None:
        operation = described["paths"][path]["get" if body is None else "post"]
        told = operation["responses"][status]
        if "$ref" in told:
            told = described["components"]["responses"][told["$ref"].rpartition("/")[2]]
        schema = told["content"]["application/json"]["schema"]
        whole = {**schema, "components": described["components"]}
        jsonschema.Draft202012Validator(whole).validate(reply)

    answer = desk.ask(path, body, None, **parameters)
    assert answer.status == 200
    conforms(answer.json, "200")
    if path != "/api/about":
        refused = desk.ask(path, body, None, **parameters, unheard_of="1")
        assert (refused.status, refused.code) == (400, "bad_request")
        conforms(refused.json, "4XX")


def test_no_question_is_left_out_here() -> None:
    assert {*ASKED, "/api/report"} == set(openapi()["paths"])


# --- what is refused ---


@pytest.mark.parametrize(
    ("path", "parameters", "status", "code"),
    [
        ("/api/provision", {}, 400, "bad_request"),
        ("/api/provision", {"law": ""}, 400, "bad_request"),
        ("/api/provision", {"law": COAST, "position": "某处"}, 400, "bad_request"),
        ("/api/provision", {"law": COAST, "on": "2020-13-01"}, 400, "bad_request"),
        ("/api/provision", {"law": COAST, "reading": "some day"}, 400, "bad_request"),
        ("/api/provision", {"law": "云港登山法"}, 404, "not_in_library"),
        ("/api/provision", {"law": COAST, "position": "99"}, 404, "not_in_library"),
        ("/api/history", {"law": COAST, "position": "99"}, 404, "not_in_library"),
        ("/api/history", {"law": COAST, "position": "1", "version": "2020-01-01"}, 404,
         "not_in_library"),
        ("/api/successors", {"law": COAST, "position": "99"}, 404, "not_in_library"),
        ("/api/search", {"words": "x" * 3000}, 400, "bad_request"),
        ("/api/search", {"words": "海", "limit": "1000"}, 400, "bad_request"),
        ("/api/check", {}, 405, "bad_request"),
        ("/api/nothing", {}, 404, "not_found"),
        ("/etc/passwd", {}, 404, "not_found"),
        ("/..%2f..%2fetc/passwd", {}, 404, "not_found"),
    ],
)  # fmt: skip
def test_a_wrong_call_is_told_what_is_wrong(
    desk: Desk, path: str, parameters: dict[str, str], status: int, code: str
) -> None:
    reply = desk.ask(path, None, None, **parameters)
    assert (reply.status, reply.code) == (status, code)
    assert reply.json["error"]["message"]


HOSTILE = (
    "\0", "\x1b[31m", "%", "%00", "%ff%fe", "'; DROP TABLE laws; --", "<script>", "“", "第" * 99,
    "一" * 90, "9" * 90, "-1", "NaN", "1e999", "\u202e", "\U0010ffff", "*", '"', "NEAR(", "AND",
)  # fmt: skip


def test_no_value_of_a_parameter_is_an_error_of_the_server(desk: Desk) -> None:
    for path, operation in QUESTIONS.items():
        good = ASKED[path][1]
        for name in operation.asked.__struct_fields__:
            for value in HOSTILE:
                status = desk.ask(path, None, None, **{**good, name: value}).status
                assert status in {200, 400, 404}, (path, name, value)
    raw = desk.ask("/api/provision?law=%ed%a0%80&position=%ff")
    assert raw.status in {400, 404}


# --- documents that mean harm ---

ENTITY = f"""<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>"""
REFUSED = {
    "zip bomb": (archive({"word/document.xml": b"0" * 300_000_000}), "a.docx", "unreadable"),
    "external entity": (archive({"word/document.xml": ENTITY}), "a.docx", "unreadable"),
    "no archive": (b"PK\x03\x04 and no more", "a.docx", "unreadable"),
    "binary": (bytes(range(256)) * 100, "a.txt", "unreadable"),
    "old Word": (b"\xd0\xcf\x11\xe0" + b"x" * 99, "a.doc", "unreadable"),
    "too long": ("《".encode() * (LONGEST_TEXT + 1), "a.txt", "too_large"),
    "too large": (b"x" * (LARGEST_FILE + 1), "a.txt", "too_large"),
    "name of a path": (b"\0", "../../../etc/passwd", "unreadable"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_hostile_document_is_refused_and_the_next_is_checked(desk: Desk, kind: str) -> None:
    content, name, code = REFUSED[kind]
    reply = desk.ask("/api/check", content, name=name)
    assert (reply.status, reply.code) == (STATUS[code], code)
    assert "/tmp" not in reply.json["error"]["message"]
    assert desk.ask("/api/check", OPINION).status == 200


@pytest.mark.parametrize(
    "text", ["《" * LONGEST_TEXT, "第" * LONGEST_TEXT, "（" * LONGEST_TEXT, "\u200b" * LONGEST_TEXT]
)
def test_megabytes_of_one_sign_are_read_in_time(desk: Desk, text: str) -> None:
    reply = desk.ask("/api/check", text)
    assert reply.status == 200
    assert reply.json["citations"] == []


def test_a_document_that_takes_too_long_is_given_up_and_holds_up_nobody(coast_file: Path) -> None:
    slow = f"《{COAST}》第四条规定：“{'灯塔看守人' * 40}”\n" * 3000
    with running(coast_file, seconds=1.5) as desk, ThreadPoolExecutor(2) as pool:
        desk.ask("/api/check", OPINION)  # the processes run
        given_up = [pool.submit(desk.ask, "/api/check", slow) for _ in range(2)]
        answered = 0
        while not any(future.done() for future in given_up):
            assert desk.ask("/api/law", law=COAST).status == 200
            answered += 1
        assert answered > 3
        assert {future.result().code for future in given_up} == {"too_slow"}
        assert desk.ask("/api/check", OPINION).status == 200


# --- without a library, and headers ---


def test_without_a_library_it_says_what_to_do_and_finds_the_one_that_is_built(
    coast_file: Path, tmp_path: Path
) -> None:
    with running(tmp_path / "law.sqlite") as desk:
        about = desk.ask("/api/about").json
        assert about["library"] is None
        assert "hengfa law get" in about["advice"]
        for reply in (desk.ask("/api/check", OPINION), desk.ask("/api/law", law=COAST)):
            assert (reply.status, reply.code) == (503, "no_library")
        assert desk.ask("/api/judgment", OPINION).status == 200
        shutil.copy(coast_file, tmp_path / "law.sqlite")
        assert desk.ask("/api/about").json["library"]["laws"] > 0
        assert desk.ask("/api/check", OPINION).status == 200


def test_the_command_serves_until_it_is_interrupted(coast_file: Path) -> None:
    program = "from hengfa.cli.main import main; main()"
    words = ["serve", "--no-browser", "--port", "0", "--library", str(coast_file)]
    with subprocess.Popen(
        [sys.executable, "-c", program, *words], stdout=subprocess.PIPE, text=True
    ) as serving:
        assert serving.stdout is not None
        desk = Desk(coast_file)
        desk.url = serving.stdout.readline().strip()
        try:
            assert desk.ask("/api/check", OPINION).status == 200
            serving.send_signal(signal.SIGINT)
            assert serving.wait(20) == 0
        finally:
            serving.kill()


def test_pages_of_others_reach_nothing(desk: Desk) -> None:
    own = desk.url.rstrip("/")
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Host": "evil.example"},
    ):
        assert desk.ask("/api/check", OPINION, headers).status == 403
        assert desk.ask("/api/law", None, headers, law=COAST).status == 403
    assert desk.ask("/api/check", OPINION, {"Origin": own}).status == 200


def test_every_reply_carries_the_walls(desk: Desk) -> None:
    for path in ("/", "/desk.js", "/words.js", "/dom.js", "/desk.css", "/api/about", "/nothing"):
        headers = desk.ask(path).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in headers
