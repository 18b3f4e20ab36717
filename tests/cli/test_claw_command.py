"""`hengfa suite claw` as a person or a script calls it."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from aiohttp import web
from tests.cli.test_cli import Done, hengfa
from tests.evals.engine.server import LocalServer, Seen, completion, in_thread
from tests.law.library import recited_laws as laws

from hengfa.evals.results.tables import ResponseRow, read_responses, responses_file, write_responses
from hengfa.evals.suites.base import Rules


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a library of fictional laws in it."""
    folder = tmp_path_factory.mktemp("claw")
    laws.build(folder)
    return folder


def write(folder: Path, *lines: object) -> str:
    file = folder / "answers.jsonl"
    texts = (
        line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines
    )
    file.write_text("\n".join(texts) + "\n", "utf-8")
    return file.name


def diagnose(built: Path, *lines: object, options: tuple[str, ...] = ()) -> Done:
    name = write(built, *lines)
    return hengfa("suite", "claw", "diagnose", name, "--library", "law.sqlite", *options, cwd=built)


ANSWERS = (
    {"id": f"{laws.LAW}/2010-05-05/2.1", "prediction": laws.LIGHT},
    {"id": "灯塔法/2010-05-05/2.1", "prediction": laws.LIGHT + laws.CLIMB},
    {"law": laws.LAW, "version": "2010-05-05", "position": "第五条", "answer": laws.FINE_2020},
    {"law": laws.LAW, "version": "2010-05-05", "position": "4", "answer": "\x1b[31m[b]我不会:A:"},
)


def test_wrong_answers_are_shown_in_pieces(built: Path) -> None:
    answers = [{**ANSWERS[1], "id": f"{laws.LAW}/2010-05-05/2.1"}, *ANSWERS[2:]]
    done = diagnose(built, ANSWERS[0], *answers)
    assert done.returncode == 0, done.stderr
    assert "row 1" not in done.stdout
    assert f"row 2: {laws.LAW} (2010-05-05) 第二条第一款: addition: other article" in done.stdout
    assert "= gold" in done.stdout
    assert "< 第四条" in done.stdout
    assert "wrong provision: version" in done.stdout
    assert "word for word 第六条 (2020-07-07)" in done.stdout
    assert "? in no law" in done.stdout
    summary = done.stdout.split("class")[-1]
    assert "exact" in summary
    assert "25.0%" in summary


def test_nothing_in_an_answer_is_taken_for_markup_or_control_codes(built: Path) -> None:
    done = diagnose(built, ANSWERS[3])
    assert "\x1b" not in done.stdout
    assert "[b]我不会:A:" in done.stdout


def test_only_the_table_on_request(built: Path) -> None:
    done = diagnose(built, ANSWERS[0], ANSWERS[2], options=("--summary",))
    assert "row" not in done.stdout
    assert "wrong provision: version" in done.stdout


def test_json_has_every_span_with_its_text(built: Path) -> None:
    done = diagnose(built, ANSWERS[0], ANSWERS[2], options=("--json",))
    document = json.loads(done.stdout)
    assert document["classes"] == {"exact": 1, "wrong provision: version": 1}
    right, wrong = document["answers"]
    assert right["class"] == "exact"
    assert (wrong["law"], wrong["version"], wrong["position"]) == (laws.LAW, "2010-05-05", "5")
    assert "".join(span["text"] for span in wrong["spans"]) == laws.FINE_2020
    assert wrong["verbatim"] == [{"law": laws.LAW, "version": "2020-07-07", "position": "6"}]


def test_what_is_not_at_hand_is_said_and_the_rest_is_done(built: Path) -> None:
    done = diagnose(
        built,
        ANSWERS[0],
        {"id": f"{laws.LAW}/2011-01-01/2.1", "prediction": laws.LIGHT},
        {"id": f"{laws.LAW}/2010-05-05/99", "prediction": laws.LIGHT},
        {"id": "云湖风筝法/2010-05-05/1", "prediction": laws.LIGHT},
    )
    assert done.returncode == 0
    assert "row 2 was not diagnosed" in done.stdout
    assert "2001-03-01, 2010-05-05, 2020-07-07" in done.stdout
    assert "row 3 was not diagnosed" in done.stdout
    assert "row 4 was not diagnosed: no law is called '云湖风筝法'" in done.stdout


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "row 2"),
        ("[]", "row 2"),
        ({"id": "x", "prediction": "y"}, "row 2, field 'id': 'x' is no LAW/VERSION/POSITION"),
        ({"id": "x/y/1", "prediction": "y"}, "row 2, field 'id': 'y' is no day"),
        ({"id": "x/2010-05-05/z", "prediction": "y"}, "row 2, field 'id': 'z' is no position"),
        ({"id": "x/2010-05-05/1"}, "row 2: expected an object with the fields"),
        ({"id": "x/2010-05-05/1", "prediction": 1}, "row 2"),
        (
            {"law": "x", "version": "y", "position": "1", "answer": ""},
            "row 2, field 'version': 'y' is no day",
        ),
        ({"law": " ", "version": "2010-05-05", "position": "1", "answer": ""}, "field 'law'"),
    ],
)
def test_a_line_that_cannot_be_understood_is_named(built: Path, line: object, problem: str) -> None:
    done = diagnose(built, ANSWERS[0], line)
    assert done.returncode == 1
    assert f"answers.jsonl, {problem}" in done.stderr or problem in done.stderr


def test_a_file_without_answers_and_a_missing_library(built: Path, tmp_path: Path) -> None:
    done = diagnose(built, "")
    assert done.returncode == 1
    assert "holds no answers" in done.stderr
    name = write(tmp_path, ANSWERS[0])
    done = hengfa("suite", "claw", "diagnose", name, cwd=tmp_path)
    assert done.returncode == 1
    assert "hengfa law get" in done.stderr


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a library of the fictional law and two runs on it."""
    folder = tmp_path_factory.mktemp("recited")
    hengfa("law", "build", "sample", "-o", "law.sqlite", cwd=folder)
    for model in ("floor", "retrieval"):
        done = hengfa(
            *("eval", "claw/content", "--data", "sample", "--limit", "20", "--model", model),
            cwd=folder,
        )
        assert done.returncode == 0, done.stderr
    return folder


def test_runs_are_diagnosed_by_name_or_folder_and_several_make_a_table(answered: Path) -> None:
    law = ("--library", "law.sqlite")
    one = hengfa(
        "suite", "claw", "diagnose", "claw-all-retrieval-sample", *law, "--json", cwd=answered
    )
    assert one.returncode == 0, one.stderr
    alone = json.loads(one.stdout)
    assert alone["diagnosed"] == len(alone["answers"]) == sum(alone["classes"].values())
    both = ("claw-all-floor-sample", "runs/claw-all-retrieval-sample")
    done = hengfa("suite", "claw", "diagnose", *both, *law, "--json", cwd=answered)
    models = json.loads(done.stdout)["models"]
    assert models["retrieval"] == alone
    assert models["floor"]["shares"] == {"fabricated": 1.0}
    done = hengfa("suite", "claw", "diagnose", *both, *law, "--summary", cwd=answered)
    head, *rows = [line.split() for line in done.stdout.splitlines() if line.strip()]
    assert head == ["class", "floor", "retrieval"]
    assert rows[-2][0] == "fabricated"
    assert "row" not in done.stdout


def test_runs_of_other_suites_and_names_of_nothing_are_refused(answered: Path) -> None:
    hengfa("eval", "lawbench/1-1", "--data", "sample", "--model", "floor", cwd=answered)
    law = ("--library", "law.sqlite")
    done = hengfa(
        "suite", "claw", "diagnose", "lawbench-zero_shot-floor-sample", *law, cwd=answered
    )
    assert done.returncode == 2
    assert "this is a run of lawbench" in done.stderr
    assert hengfa("suite", "claw", "diagnose", "nothing", *law, cwd=answered).returncode == 2
    twice = ("claw-all-floor-sample",) * 2
    done = hengfa("suite", "claw", "diagnose", *twice, *law, cwd=answered)
    assert "is named twice" in done.stderr


def test_a_response_that_is_no_answer_is_not_diagnosed(answered: Path) -> None:
    """What a server refused says nothing of what a model knows."""
    folder = answered / "runs" / "claw-all-floor-sample"
    file = responses_file(folder, "content", Rules.OFFICIAL)
    rows = [ResponseRow(**row) for row in read_responses([file]).iter_rows(named=True)]
    rows[0] = msgspec.structs.replace(rows[0], status="failed", reason="HTTP 500", response="")
    write_responses(rows, file)
    done = hengfa("suite", "claw", "diagnose", folder.name, "--library", "law.sqlite", cwd=answered)
    assert "row 1 was not diagnosed: no answer (failed HTTP 500)" in done.stdout


def test_questions_and_prompts_of_the_sample_pack(tmp_path: Path) -> None:
    done = hengfa(
        "suite", "claw", "questions", "--data", "sample", "-o", "out/q.jsonl", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "wrote 3 questions" in done.stderr
    rows = [json.loads(line) for line in (tmp_path / "out" / "q.jsonl").read_text().splitlines()]
    assert [row["no"] for row in rows] == [1, 2, 3]
    assert set(rows[0]) == {"no", "question", "rule", "source", "leak", "overlap"}

    for options in ((), ("--questions", "out/q.jsonl")):
        done = hengfa(
            "suite",
            "claw",
            "questions",
            "--prompts",
            "--data",
            "sample",
            *options,
            "-o",
            "p",
            "--force",
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        prompts = [json.loads(line) for line in (tmp_path / "p").read_text().splitlines()]
        assert [prompt["id"] for prompt in prompts] == ["1", "2", "3"]
        for prompt, row in zip(prompts, rows, strict=True):
            assert row["question"] in prompt["messages"][0]["content"]
            assert prompt["reference"] not in prompt["messages"][0]["content"]


WRITTEN = "本案当事人的做法是否合法，理由是什么？"


def test_a_model_writes_questions_once_and_people_review_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def write(_request: web.Request, seen: Seen) -> web.StreamResponse:
        failing = "蜜" in seen.body["messages"][0]["content"]
        return web.json_response(completion("请说明本案为何这样裁判。" if failing else WRITTEN))

    monkeypatch.setenv("ENDPOINT_API_KEY", "sk-test-00000000")
    with in_thread(LocalServer(write)) as server:
        words = (
            *("suite", "claw", "questions", "--data", "sample", "-o", "w.jsonl"),
            *("--model", "endpoint:m", "--base-url", f"{server.url}/v1"),
        )
        done = hengfa(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        asked = len(server.seen)
        again = hengfa(*words, "--force", cwd=tmp_path)
    assert (asked, len(server.seen)) == (4, 4)  # one of three is asked for twice
    assert "case 2: refused, it asks nothing" in done.stderr
    assert "by endpoint:m 2" in done.stderr
    assert again.stderr.endswith(done.stderr.splitlines()[-1] + "\n")
    rows = [json.loads(line) for line in (tmp_path / "w.jsonl").read_text().splitlines()]
    assert [row["rule"] for row in rows] == ["endpoint:m", "holding", "endpoint:m"]

    cases = ("--data", "sample")
    done = hengfa("suite", "claw", "review", "w.jsonl", "-o", "r.jsonl", *cases, cwd=tmp_path)
    assert "wrote 2 questions for `hengfa grade people serve`" in done.stderr
    done = hengfa(
        *["grade", "people", "export", "r.jsonl", "--format", "sheet", "-o", "s.csv"], cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    (tmp_path / "s.csv").write_text(
        "submission,item,maximum,points,rater\nclaw-cases/question/1,natural,1,0,a\n"
    )
    kept = ("-o", "kept.jsonl", "--scores", "s.csv")
    done = hengfa("suite", "claw", "review", "w.jsonl", *kept, *cases, cwd=tmp_path)
    assert "not natural: cases 1" in done.stderr
    assert "2 as they were, 1 by rule" in done.stderr
    done = hengfa(
        *("eval", "claw-cases", "--model", "floor", "--grader", "keywords", *cases),
        *("--set", "questions=kept.jsonl"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr


def test_only_a_model_has_an_address(tmp_path: Path) -> None:
    words = ("suite", "claw", "questions", "--data", "sample", "-o", "q")
    assert hengfa(*words, "--base-url", "http://x/v1", cwd=tmp_path).returncode == 2
    assert "is not a model name" in hengfa(*words, "--model", "floor", cwd=tmp_path).stderr


def test_cases_that_are_not_installed_say_how_to_get_them(tmp_path: Path) -> None:
    done = hengfa("suite", "claw", "questions", "-o", "q.jsonl", cwd=tmp_path)
    assert done.returncode == 1
    assert "hengfa data add guiding-cases" in done.stderr
    done = hengfa("suite", "claw", "questions", "--data", "nowhere", "-o", "q.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert "nowhere" in done.stderr
