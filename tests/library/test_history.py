"""One provision through its versions, and what changed in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hengfa.library import Library, Position, find_law
from hengfa.library.history import difference, follow, history, show
from tests.library.fictional import TEA


def test_an_article_is_followed_to_its_new_number(library: Library) -> None:
    law = find_law(library, TEA)
    steps = history(library, law, library.versions(law)[-1], Position(3))
    assert [step.position for step in steps] == [Position(2), Position(3), Position(3)]
    assert show(steps[1].changes).endswith("处[-一-]{+五+}百元罚款。")
    assert steps[2].changes == ()
    assert steps[2].similarity == 1.0


def test_versions_that_are_not_at_hand_are_named(library: Library) -> None:
    law = find_law(library, TEA)
    steps = history(library, law, library.versions(law)[0], Position(2))
    assert [[str(o.promulgated) for o in step.missing] for step in steps] == [
        [],
        ["2008-05-20"],
        [],
    ]


def test_items_and_paragraphs_are_followed_inside_their_article(library: Library) -> None:
    first, second, third = library.versions(find_law(library, TEA))
    item, paragraph = Position(3, None, 1, 2), Position(3, None, 2)
    assert follow(library, first, item, second) == Position(4, None, 1, 2)
    assert follow(library, first, paragraph, third) == Position(4, None, 2)
    assert follow(library, second, Position(4, None, 1, 4), first) is None  # it was added


def test_what_was_added_was_not_there_before(library: Library) -> None:
    law = find_law(library, TEA)
    steps = history(library, law, library.versions(law)[-1], Position(4, 1))
    assert [step.position for step in steps] == [None, None, Position(4, 1)]
    steps = history(library, law, library.versions(law)[-1], Position(2))
    assert [step.position for step in steps] == [None, Position(2), Position(2)]


def test_a_position_that_does_not_exist_leads_nowhere(library: Library) -> None:
    first, second, _ = library.versions(find_law(library, TEA))
    assert follow(library, first, Position(99), second) is None
    assert follow(library, first, Position(3, None, 1, 9), second) is None


def test_differences_read_like_a_lawyer_marks_them() -> None:
    assert show(difference("可以处罚款。", "应当处以罚款。")) == "[-可以-]{+应当+}处{+以+}罚款。"
    assert show(difference("甲", "甲")) == "甲"
    assert show(difference("", "甲")) == "{+甲+}"
    assert show(difference("甲", "")) == "[-甲-]"
    assert "\x1b[31;9m甲\x1b[0m" in show(difference("甲", "乙"), colours=True)


WORDS = st.text(alphabet="甲乙丙=，\n", max_size=30)


@given(WORDS, WORDS)
def test_a_difference_holds_both_wordings_whole(old: str, new: str) -> None:
    spans = difference(old, new)
    assert "".join(span.text for span in spans if span.mark != "new") == old
    assert "".join(span.text for span in spans if span.mark != "gone") == new
    assert all(span.text for span in spans)
