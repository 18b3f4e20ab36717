"""Questions as people ask them: no steps told, measure words and reasons that fit, all styles."""

from __future__ import annotations

import re
from functools import cache

from hengfa.world.factory import words
from hengfa.world.factory.question import role_after
from hengfa.world.factory.rewriting import by_rule
from hengfa.world.factory.task import Plan
from hengfa.world.tables.schema import LOOKUPS, TABLE_OF
from tests.world.test_factory_worlds import many_tasks


@cache
def questions() -> tuple[tuple[str, Plan], ...]:
    return tuple(
        (by_rule(task, 1), task.plan) for task in many_tasks()[0] if isinstance(task.plan, Plan)
    )


def test_no_question_tells_the_steps() -> None:
    for text, _ in questions():
        assert not re.search("先找|再找|先确定|再确定|依次|按顺序|一步一步|第一步|接着", text), text


def test_no_question_has_a_slot_left_or_a_word_twice() -> None:
    for text, _ in questions():
        assert not re.search(r"[{}]|的的|、的|中中|，，|一下一|（多少", text), text
        assert text[-1] in "？。"


def test_every_style_and_questions_with_and_without_a_reason_are_there() -> None:
    texts = [text for text, _ in questions()]
    reasons = [text for group in reasons_of().values() for text in group]
    told = sum(text.startswith(tuple(reasons)) for text in texts)
    assert 0.5 * len(texts) < told < 0.7 * len(texts)
    assert sum("这家" in text for text in texts) > 100 / 975 * len(texts)
    assert sum("。该" in text or "该" in text for text in texts) > 200 / 975 * len(texts)


def reasons_of() -> dict[str, tuple[str, ...]]:
    return words.SITUATIONS | words.SITUATIONS_OF_LISTS


def test_somebody_has_a_reason_to_ask_for_each_table() -> None:
    assert set(words.SITUATIONS) == set(TABLE_OF)
    assert set(words.SITUATIONS_OF_LISTS) <= {lookup.name for lookup in LOOKUPS}


def test_reasons_name_number_and_ask_nothing() -> None:
    for group in reasons_of().values():
        for text in group:
            assert not re.search(r"[0-9]|有限公司|人民法院|多少|请问|？", text), text
            assert text.endswith("。")


def test_the_reason_fits_what_is_asked_for() -> None:
    for text, plan in questions():
        tool = plan.hops[-1].tool
        table = next(lookup.table_name for lookup in LOOKUPS if lookup.name == tool)
        fitting = words.SITUATIONS_OF_LISTS.get(tool) or words.SITUATIONS[table]
        others = {one for group in reasons_of().values() for one in group} - set(fitting)
        assert not text.startswith(tuple(others)), text


def test_what_a_question_takes_up_again_is_named_by_its_part() -> None:
    for text, plan in questions():
        roles = tuple(role_after(hop) for hop in plan.hops if hop.link)
        assert all(said.startswith(roles) for said in re.findall("该(.{1,7})", text)), text


def test_places_are_no_subjects_of_their_own() -> None:
    for text, _ in questions():
        assert not re.search("该(登记地址|注册地址|办公地址|地址|区县)", text), text


def test_columns_that_are_asked_for_are_there_and_so_are_their_words() -> None:
    for table, columns in words.WORDS.asked.items():
        assert set(columns) <= set(TABLE_OF[table].names)
        for asked in columns.values():
            assert asked.noun
            assert not asked.whole or "{x}" in asked.whole
