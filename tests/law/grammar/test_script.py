"""Traditional characters are read like simplified ones."""

from __future__ import annotations

import opencc
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.law_names import normalise_name
from hengfa.law.grammar.script import simplified

TEXT = (
    "依据《中华人民共和国灯塔劳动法》第五百七十七条第二款第（三）项、第八条至第十条，该条规定：“罚款。”"
    "德国《民法典》第二条与灯笼条例第九条之一，同法第三条；本合同第四条约定无效。"
)


def test_characters_become_simplified_at_their_places() -> None:
    assert simplified("第五百七十七條，無過錯責任") == "第五百七十七条，无过错责任"
    assert simplified("著作权法、刑法") == "著作权法、刑法"
    assert simplified("") == ""


def test_citations_in_both_scripts_are_the_same() -> None:
    traditional = opencc.OpenCC("s2t").convert(TEXT)
    assert traditional != TEXT
    one, other = find_citations(TEXT), find_citations(traditional)
    assert len(one) == 6
    for here, there in zip(one, other, strict=True):
        assert (here.start, here.end, here.position, here.until, here.basis, here.kind) == (
            there.start, there.end, there.position, there.until, there.basis, there.kind
        )  # fmt: skip
        assert normalise_name(here.law or "") == normalise_name(there.law or "")


@given(st.text())
def test_no_text_changes_its_length_or_changes_twice(text: str) -> None:
    once = simplified(text)
    assert len(once) == len(text)
    assert simplified(once) == once
