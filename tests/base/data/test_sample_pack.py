"""The sample pack: well-formed, true to its own laws, and nobody else's words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from hengfa.base.data.packs import sample_root
from hengfa.law.grammar.numerals import parse_article

SETTINGS = ("zero_shot", "one_shot")
TYPES = "犯罪嫌疑人|受害人|被盗货币|物品价值|盗窃获利|被盗物品|作案工具|时间|地点|组织机构"
GOLD = {
    "1-1": r"答案:.+。",
    "1-2": r"正确答案：[A-D]。",
    "2-1": r"[^\s]+。",
    "2-2": r"争议焦点类别：[^、。]+。",
    "2-3": r"类别:[^、。]+(、[^、。]+)*。",
    "2-4": r"[^、。]+",
    "2-5": r"回答:.+",
    "2-6": rf"(({TYPES}):[^:;]+(;({TYPES}):[^:;]+)*)?",
    "2-7": r"[^。]+。",
    "2-8": r"\[正确答案\][A-E]<eoa>",
    "2-9": r"[^;；]+(;[^;；]+)*",
    "2-10": r"[^;；]+(;[^;；]+)*",
    "3-1": r"法条:刑法第\d+(、\d+)*条",
    "3-2": r"根据《月湖.+》第.+条，.+。",
    "3-3": r"罪名:[^;]+(;[^;]+)*",
    "3-4": r"刑期:(\d+个月|无期)",
    "3-5": r"刑期:(\d+个月|无期)",
    "3-6": r"正确答案:[A-D]。",
    "3-7": r"上文涉及到的犯罪金额:\d+\.\d元。",
    "3-8": r"回答:.+。法律依据:《月湖.+》第.+条.+。",
}
WRAPPER = {
    "1-2": "正确答案",
    "2-2": "争议焦点",
    "2-3": "类别",
    "2-4": "类别",
    "2-8": "正确答案",
    "3-1": "法条",
    "3-3": "罪名",
    "3-4": "刑期",
    "3-5": "刑期",
    "3-6": "正确答案",
    "3-7": "金额",
}
FORMATTED = {*WRAPPER, "2-9"}
"""Their answers are labels, letters and numbers in a fixed form."""

CRIMINAL_LAW = "月湖刑法"
LEFT_OUT = {("月湖茶馆经营法", "第十二条"), ("月湖灯塔看护法", "第十四条")}
NO_OPTION = "赔偿"
UNLISTED_CHARGE = "非法收购、运输、出售珍贵、濒危野生动物、珍贵、濒危野生动物制品"
CITED = re.compile(r"《(月湖[^》]+)》(第[零一二三四五六七八九十百]+条)")
RUN = 20
"""So many characters in a row that are also in upstream data are a copy."""


@cache
def rows(setting: str, task: str) -> list[dict[str, str]]:
    file = sample_root() / "lawbench" / "data" / setting / f"{task}.json"
    found: list[dict[str, str]] = json.loads(file.read_text("utf-8"))
    return found


@cache
def laws() -> dict[tuple[str, str], str]:
    lines = (sample_root() / "laws" / "provisions.jsonl").read_text("utf-8").splitlines()
    read = [json.loads(line) for line in lines]
    found = {(row["law"], row["article"]): row["text"] for row in read}
    assert len(found) == len(read)
    return found


def criminal_articles() -> dict[int, tuple[str, str]]:
    """Number of an article to its heading and text."""
    found = {}
    for (law, heading), text in laws().items():
        if law == CRIMINAL_LAW:
            number = parse_article(heading)
            assert number is not None
            found[number.number] = heading, text
    return found


def answers(task: str) -> list[str]:
    return [row["answer"] for row in rows("zero_shot", task)]


def labels(task: str, answer: str) -> list[str]:
    """The labels in an answer of a task that has a closed list of them."""
    match task:
        case "2-2":
            return [answer[7:-1]]
        case "2-3":
            return answer[3:-1].split("、")
        case "2-6":
            return [pair.split(":")[0] for pair in answer.split(";") if pair]
        case "3-3":
            return answer.removeprefix("罪名:").split(";")
        case _:
            return answer.split(";")


def test_every_task_is_there_in_both_settings() -> None:
    for setting in SETTINGS:
        folder = sample_root() / "lawbench" / "data" / setting
        assert {file.name for file in folder.iterdir()} == {f"{task}.json" for task in GOLD}


@pytest.mark.parametrize("task", GOLD)
def test_rows_are_texts_and_the_same_in_both_settings(task: str) -> None:
    zero, one = rows("zero_shot", task), rows("one_shot", task)
    assert len(zero) >= 6
    for row in [*zero, *one]:
        assert list(row) == ["instruction", "question", "answer"]
        assert all(isinstance(text, str) for text in row.values())
        assert row["instruction"].strip() and row["question"].strip()
    assert [(row["question"], row["answer"]) for row in zero] == [
        (row["question"], row["answer"]) for row in one
    ]
    assert len({row["question"] for row in zero}) == len(zero)


@pytest.mark.parametrize("task", GOLD)
def test_the_worked_example_is_the_only_difference_and_no_row(task: str) -> None:
    instructions = {row["instruction"] for row in rows("zero_shot", task)}
    assert len(instructions) == (len(rows("zero_shot", task)) if task == "2-10" else 1)
    for zero, one in zip(rows("zero_shot", task), rows("one_shot", task), strict=True):
        before, found, example = one["instruction"].partition("先看一个示例：\n")
        assert found and len(before) > 20
        assert zero["instruction"].startswith(before)
        assert all(row["question"].strip() not in example for row in rows("zero_shot", task))


@pytest.mark.parametrize("task", GOLD)
def test_answers_have_the_form_of_their_task(task: str) -> None:
    for answer in answers(task):
        assert re.fullmatch(GOLD[task], answer), answer


@pytest.mark.parametrize("task", WRAPPER)
def test_instructions_ask_for_the_wrapper(task: str) -> None:
    for setting in SETTINGS:
        for row in rows(setting, task):
            assert re.search(rf"\[{WRAPPER[task]}\][^<]+<eoa>", row["instruction"])


@pytest.mark.parametrize("task", ["2-2", "2-3", "2-4", "2-6", "2-9"])
def test_labels_are_among_those_the_instruction_lists(task: str) -> None:
    for row in rows("zero_shot", task):
        listed = set(re.split("[、，:：。]", row["instruction"]))
        if task == "2-2":
            listed.add(NO_OPTION)
        assert listed.issuperset(labels(task, row["answer"])), row["answer"]


def test_proofreading_can_be_found_in_the_prompt() -> None:
    for setting in SETTINGS:
        for row in rows(setting, "2-1"):
            prompt = f"{row['instruction']}\n{row['question']}"
            assert prompt.split("句子：\n") == [row["instruction"][:-3], row["question"]]


def test_extracted_words_are_words_of_the_question() -> None:
    for row in rows("zero_shot", "2-10"):
        where = [row["question"].index(word) for word in row["answer"].split(";")]
        assert where == sorted(where)
    for row in rows("zero_shot", "2-6"):
        for pair in filter(None, row["answer"].split(";")):
            value = pair.split(":")[1]
            assert all(name in row["question"] for name in value.split("、")), value


def test_reports_are_longer_than_their_lead() -> None:
    assert all(len(row["question"]) > 330 for row in rows("zero_shot", "2-7"))


def test_the_tasks_on_criminal_cases_agree_with_each_other_and_with_the_law() -> None:
    articles = criminal_articles()
    assert len(answers("3-1")) == len(answers("3-3"))
    assert answers("3-4") == answers("3-5")
    for by_article, by_charge, term, full in zip(
        *(rows("zero_shot", task) for task in ("3-1", "3-3", "3-4", "3-5")), strict=True
    ):
        numbers = [int(number) for number in re.findall(r"\d+", by_article["answer"])]
        charges = labels("3-3", by_charge["answer"])
        assert by_article["question"] == f"{by_charge['question']}罪名:{';'.join(charges)}。"
        assert term["question"] == f"{by_article['question']}{by_article['answer']}"
        headed = " ".join(" ".join(articles[number]) for number in numbers)
        assert full["question"] == f"{term['question']}。法条内容：{headed}"
        for number, charge in zip(numbers, charges, strict=True):
            assert f"是{charge}罪" in articles[number][1]
    assert max(articles) > 100


def test_cited_provisions_exist_but_for_two() -> None:
    texts = [
        text
        for setting in SETTINGS
        for task in GOLD
        for row in rows(setting, task)
        for text in row.values()
    ]
    assert {cited for text in texts for cited in CITED.findall(text)} <= laws().keys() | LEFT_OUT
    asked = {}
    for row in rows("zero_shot", "1-1"):
        found = re.fullmatch(r"(月湖.+?)(第.+条)的内容是什么？", row["question"])
        assert found
        asked[found[1], found[2]] = row["answer"].removeprefix("答案:")
    assert asked.keys() - laws().keys() == LEFT_OUT
    for provision in asked.keys() & laws().keys():
        assert asked[provision] == laws()[provision]
    for answer in answers("3-8"):
        basis = answer.split("法律依据:")[1]
        assert basis in {f"《{law}》{article}{text}" for (law, article), text in laws().items()}


def test_what_the_rules_treat_specially_occurs() -> None:
    assert [row["question"] == row["answer"] for row in rows("zero_shot", "2-1")].count(True) == 1
    assert f"争议焦点类别：{NO_OPTION}。" in answers("2-2")
    assert {answer.count("、") for answer in answers("2-3")} == {0, 1, 2}
    assert "" in answers("2-6") and any("、" in answer for answer in answers("2-6"))
    assert any("/" in answer and ";" in answer for answer in answers("2-9"))
    assert {1, 2, 3, 4} == {len(answer.split(";")) for answer in answers("2-10")}
    assert any("、" in answer for answer in answers("3-1"))
    charges = [labels("3-3", answer) for answer in answers("3-3")]
    assert ["合同诈骗"] in charges and [UNLISTED_CHARGE] in charges
    assert any(len(named) > 1 for named in charges)
    assert "刑期:无期" in answers("3-4")
    assert any(not answer.endswith(".0元。") for answer in answers("3-7"))
    amounts = "".join(row["question"] for row in rows("zero_shot", "3-7"))
    assert "万元" in amounts and re.search(r"\d,\d{3}元", amounts)


@pytest.mark.shared
def test_labels_are_those_of_the_benchmark(shared: Path) -> None:
    options = json.loads(
        (shared / "data" / "LawBench" / "notes" / "options.json").read_text("utf-8")
    )
    assert NO_OPTION not in options["2-2"] and UNLISTED_CHARGE not in options["3-3"]
    for answer in answers("3-3"):
        assert {*options["3-3"], UNLISTED_CHARGE}.issuperset(labels("3-3", answer))
    for task in ("2-2", "2-3", "2-4", "2-6", "2-9"):
        for setting in SETTINGS:
            for row in rows(setting, task):
                assert set(options[task]) <= set(re.split("[、，:：。]", row["instruction"]))


@pytest.mark.shared
def test_nothing_is_copied_from_upstream(shared: Path) -> None:
    folder = shared / "data" / "LawBench"
    options = json.loads((folder / "notes" / "options.json").read_text("utf-8"))
    names = {UNLISTED_CHARGE, *(label for listed in options.values() for label in listed)}
    all_labels = [name for name in names if len(name) > 1]
    long_labels = [name for name in names if len(name) >= RUN // 2]

    ours = {text: text for text in without(long_labels, laws().values())}
    for setting in SETTINGS:
        for task in GOLD:
            for row in rows(setting, task):
                parts = without(all_labels, [row["instruction"]])
                parts += without(long_labels, [row["question"]])
                if task not in FORMATTED:
                    parts += without(long_labels, [row["answer"]])
                ours |= {part: f"{setting}/{task}: {part}" for part in parts}
    shingles = {run: where for text, where in ours.items() for run in runs(text)}
    assert len(shingles) > 8_000

    upstream = {
        text
        for file in sorted((folder / "data").rglob("*.json"))
        for row in json.loads(file.read_text("utf-8"))
        for text in row.values()
    }
    assert len(upstream) > 10_000
    assert not {shingles[run] for text in upstream for run in runs(text) if run in shingles}


def without(names: Iterable[str], texts: Iterable[str]) -> list[str]:
    """The pieces between the names: these are facts and the same wherever they are used."""
    between = re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))))
    return [piece for text in texts for piece in between.split(text)]


def runs(text: str) -> Iterable[str]:
    return (text[start : start + RUN] for start in range(len(text) - RUN + 1))
