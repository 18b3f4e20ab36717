"""Prompts of the user's own: what a template may say, what it shows, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import REPOSITORY

from hengfa.base.errors import DataError, HengfaError, UsageError
from hengfa.evals.engine.messages import Message
from hengfa.evals.suites.base import AnyTask, Rules
from hengfa.evals.suites.claw.dataset import ClawSample
from hengfa.evals.suites.plan import Plan, make_plan
from hengfa.evals.suites.registry import OWN, get_suite
from hengfa.evals.suites.templates import Prompts, Template, fill, find_prompts, read_text

BRACES = {"{": "{{", "}": "}}"}
TASKS = [(name, task) for name in OWN for task in get_suite(name).tasks.values()]
PIECES = st.sampled_from(["{prompt}", "{question}", "{answer}", "{{", "}}", "{", "}", "{a.b}"])


def escaped(text: str) -> str:
    return "".join(BRACES.get(sign, sign) for sign in text)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.toml"


def plan(file: Path, text: str, target: str = "lawbench/1-2", **more: str) -> Plan:
    file.write_text(text, "utf-8")
    return make_plan(target, data="sample", prompts=str(file), **more)  # type: ignore[arg-type]


def messages(plan: Plan) -> tuple[Message, ...]:
    (asked,) = plan.questions
    return asked.task.prompt(asked.samples[0], plan.setting)


def own(target: str = "lawbench/1-2", setting: str | None = None) -> tuple[Message, ...]:
    return messages(make_plan(target, data="sample", setting=setting))


# --- placeholders ---


@given(st.lists(st.tuples(st.text(), st.sampled_from(["question", "facts"]), st.text())))
def test_only_placeholders_are_replaced_and_what_is_put_in_is_left_as_it_is(
    parts: list[tuple[str, str, str]],
) -> None:
    template = "".join(f"{escaped(words)}{{{field}}}" for words, field, _ in parts)
    values = iter([value for _, _, value in parts])
    filled = fill(read_text(template), lambda _name: next(values))
    assert filled == "".join(words + value for words, _, value in parts)


@given(st.lists(PIECES | st.text(max_size=3)))
def test_any_text_is_a_template_or_an_error_of_ours(pieces: list[str]) -> None:
    template = "".join(pieces)
    asked = make_plan("lawbench/1-2", data="sample", limit=1)
    task, sample = asked.questions[0].task, asked.samples("1-2")[0]
    prompts = Prompts("any", {"*": Template(user=template)}, b"", Path("any.toml"))
    (suites,) = task.prompt(sample, "zero_shot")
    values = {"prompt": suites.content, "question": task.fields["question"](sample)}
    try:
        sent = prompts.applied(task, "zero_shot").prompt(sample, "zero_shot")
    except DataError:
        with pytest.raises((LookupError, ValueError)):
            by_hand(template, values)
    else:
        assert sent == (Message("user", by_hand(template, values)),)


def by_hand(template: str, values: dict[str, str]) -> str:
    """Sign by sign; an error for what is no template, or shows nothing."""
    filled, at, fields = "", 0, 0
    while at < len(template):
        if template[at : at + 2] in BRACES.values():
            filled, at = filled + template[at], at + 2
        elif template[at] == "{":
            end = template.index("}", at)
            filled, at, fields = filled + values[template[at + 1 : end]], end + 1, fields + 1
        elif template[at] == "}":
            raise ValueError(template)
        else:
            filled, at = filled + template[at], at + 1
    if not fields:
        raise ValueError(template)
    return filled


@pytest.mark.parametrize(
    "placeholder",
    ["question.__class__", "question[0]", "question!r", "question:>9", "0", "", "answer", "Prompt"],
)
def test_nothing_but_a_field_by_its_name_is_looked_up(file: Path, placeholder: str) -> None:
    with pytest.raises(DataError, match="has no field") as refused:
        plan(file, f"name = 'a'\n[tasks.'1-2']\nuser = '{{prompt}} {{{placeholder}}}'")
    said = str(refused.value)
    assert f"{file}, field 'tasks.1-2.user'" in said
    assert repr(placeholder) in said
    assert "prompt, instruction, question" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("user = '{prompt}'", "field 'user'.*unknown field"),
        ("[tasks.'*']\nuser = '{prompt}'", "missing required field `name`"),
        ("name = ''\n[tasks.'*']\nuser = '{prompt}'", "field 'name'"),
        ("name = ' '\n[tasks.'*']\nuser = '{prompt}'", "is no name"),
        ("name = 'a'\n", "missing required field `tasks`"),
        ("name = 'a'\n[tasks.'1-1']\nuser = '{prompt}'", "no template for task '1-2'"),
        ("name = 'a'\n[tasks.'7-7']\nuser = '{prompt}'", "'tasks.7-7'.*no task '7-7'; there is: 1"),
        ("name = 'a'\n[tasks.'*/few']\nuser = '{prompt}'", "no setting 'few'; there is: zero_shot"),
        ("name = 'a'\n[tasks.'*']\nsystem = '{prompt}'", "either `user` or `messages`"),
        ("name = 'a'\n[tasks.'*']\nuser = '{prompt}'\nmessages = [{role='user', content='a'}]",
         "either `user` or `messages`"),
        ("name = 'a'\n[tasks.'*']\nsystem = 'a'\nmessages = [{role='user', content='{prompt}'}]",
         "`system` is one of"),
        ("name = 'a'\n[tasks.'*']\nmessages = [{role='tool', content='{prompt}'}]", "role"),
        ("name = 'a'\n[tasks.'*']\nuse = '{prompt}'", "unknown field `use`"),
        ("name = 'a'\n[tasks.'*']\nuser = 'B'", "shows nothing of a sample"),
        ("name = 'a'\n[tasks.'*']\nuser = '{prompt} {'", r"'\{' stands alone: write '\{\{'"),
        ("name = 'a'\n[tasks.'*']\nmessages = [{role='user', content='{prompt}}'}]",
         r"'tasks.\*.messages\[0\]'.*stands alone"),
        ("name = 'a'\nname = 'b'", "not readable as TOML"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said_with_its_place(file: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said) as refused:
        plan(file, text)
    assert str(file) in str(refused.value)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file nothing; claw brings: english"):
        find_prompts(get_suite("claw"), "nothing")
    for named in (str(tmp_path), "x" * 5000):
        with pytest.raises(HengfaError):
            find_prompts(get_suite("claw"), named)


# --- what is sent ---


def test_the_words_of_the_suite_can_be_wrapped(file: Path) -> None:
    sent = messages(plan(file, "name = 'a'\n[tasks.'*']\nuser = '''{{先}}\n{prompt}\n后'''"))
    assert sent == (Message("user", "{先}\n" + own()[0].content + "\n后"),)


def test_the_template_that_says_most_is_taken(file: Path) -> None:
    text = "name = 'a'\n"
    for name in ("*", "*/one_shot", "1-2", "1-2/one_shot"):
        text += f"[tasks.'{name}']\nuser = '{name} {{question}}'\n"
        of_setting = {
            setting: messages(plan(file, text, setting=setting))[0].content.partition(" ")[0]
            for setting in ("zero_shot", "one_shot")
        }
        assert of_setting["one_shot"] == name
        assert of_setting["zero_shot"] == name.partition("/")[0]


def test_the_system_message_of_a_suite_stays_is_replaced_or_goes(file: Path) -> None:
    system, asked = own("judgment")
    head = "name = 'a'\n[tasks.'*']\nuser = '{fact}'\n"
    fact = Message("user", get_suite("judgment").tasks["document"].fields["fact"](_case()))
    assert messages(plan(file, head, "judgment")) == (system, fact)
    new = Message("system", f"请写：{fact.content}")
    assert messages(plan(file, head + "system = '请写：{fact}'", "judgment")) == (new, fact)
    assert messages(plan(file, head + "system = ''", "judgment")) == (fact,)
    turns = "[{role='user', content='好'}, {role='assistant', content='请'}, "
    turns += "{role='user', content='{prompt}'}]"
    sent = messages(plan(file, f"name = 'a'\n[tasks.'*']\nmessages = {turns}", "judgment"))
    assert sent == (Message("user", "好"), Message("assistant", "请"), asked)


def _case() -> object:
    return make_plan("judgment", data="sample").samples("document")[0]


@pytest.mark.parametrize(("suite", "task"), TASKS, ids=[f"{s}/{t.id}" for s, t in TASKS])
def test_a_field_shows_nothing_that_the_prompt_of_the_suite_does_not(
    suite: str, task: AnyTask
) -> None:
    assert task.fields
    shown: set[str] = set()
    for setting in get_suite(suite).settings:
        asked = make_plan(f"{suite}/{task.id}", data="sample", setting=setting)
        for sample in asked.samples(task.id):
            words = task.prompt(sample, setting)[-1].content
            for name, field in task.fields.items():
                try:
                    told = field(sample)
                    if name.endswith("_en"):  # the same in English: what is no word is there
                        told = re.sub("[a-z ]", "", told)
                    assert told in words, name
                except UsageError as error:
                    assert "is of the setting" in str(error)
                else:
                    shown.add(name)
    assert shown == set(task.fields)


def test_a_field_of_another_setting_is_refused_before_anything_is_asked(file: Path) -> None:
    text = "name = 'a'\n[tasks.'*']\nuser = '{provisions} {fact}'"
    with pytest.raises(UsageError, match="of the setting rag, not direct"):
        plan(file, text, "judgment")
    assert "1. " in messages(plan(file, text, "judgment", setting="rag"))[-1].content


def test_agents_have_system_messages_of_their_own(file: Path) -> None:
    with pytest.raises(DataError, match="'1-hop' in words of their own: give it `user` alone"):
        plan(file, "name = 'a'\n[tasks.'*']\nuser = '{prompt}'\nsystem = 'a'", "legalagentbench")


def test_the_file_of_the_docs_is_one(file: Path) -> None:
    page = (REPOSITORY / "docs" / "models.md").read_text("utf-8")
    text = page.partition("## Prompts of your own")[2].partition("```toml\n")[2].partition("```")[0]
    whole = plan(file, text, "lawbench")
    assert {len(asked.task.prompt(asked.samples[0], "zero_shot")) for asked in whole.questions} == {
        1,
        2,
    }
    assert messages(plan(file, text))[1].content.endswith("例如 {B}。")
    assert [turn.role for turn in messages(plan(file, text, setting="one_shot"))] == [
        "user",
        "assistant",
        "user",
    ]


# --- sets that come with a suite ---


@pytest.mark.parametrize("suite", ["claw", "claw-cases"])
def test_the_english_set_is_complete_and_english(suite: str) -> None:
    asked = make_plan(suite, data="sample", prompts="english")
    assert asked.prompts is not None
    assert asked.prompts.name == "english"
    tasks = {name.partition("/")[0] for name in asked.prompts.templates}
    assert tasks == {*get_suite(suite).tasks}
    for template in asked.prompts.templates.values():
        assert template.user is not None
        assert sum(sign.isascii() for sign in template.user) > 0.9 * len(template.user)


def test_places_in_the_form_of_the_english_set_are_read() -> None:
    task = get_suite("claw").tasks["id"]
    samples: Sequence[ClawSample] = make_plan("claw/id", data="sample").samples("id")  # type: ignore[assignment]
    rules = task.rule_set(Rules.OFFICIAL)
    assert any(sample.position.article_sub for sample in samples)
    for sample in samples:
        article, sub = sample.position.article, sample.position.article_sub
        written = (f"{article}-{sub}" if sub else article, sample.position.paragraph)
        response = (
            "It must be a rule on licences.\n\n```markdown\n"
            f"Article: {written[0]}\nParagraph: {written[1]}\nItem: {sample.position.item}\n```"
        )
        metrics = rules.score(sample, rules.read(response)).metrics
        assert metrics["subparagraph_accuracy"] == 1.0, response
