"""Chinese law cited in English: where the number and the name are, and what is no law of ours."""

from __future__ import annotations

import pytest
from tests.law.grammar.test_citation import positions

from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.law_names import CUSTOMARY, ENGLISH


@pytest.mark.parametrize(
    ("text", "law", "expected"),
    [
        ("Article 563 of the PRC Civil Code", "民法典", "563"),
        ("article 563 of the Civil Code", "民法典", "563"),
        ("Art. 39 PRC Labor Contract Law", "劳动合同法", "39"),
        ("Art 39 of China's Labour Contract Law", "劳动合同法", "39"),
        ("Article 23 of the Company Law of the People's Republic of China", "公司法", "23"),
        ("Article 23 of the Company Law of the People’s Republic of China", "公司法", "23"),
        ("Articles 23 and 180 of the Company Law", "公司法", "23 180"),
        ("Articles 23, 24 and 180 of the Company Law", "公司法", "23 24 180"),
        ("Articles 577 to 580 of the Civil Code", "民法典", "577~580"),
        ("Arts. 577–580 Civil Code", "民法典", "577~580"),
        ("Article 23(1) of the Company Law", "公司法", "23.1"),
        ("Article 23, paragraph 1 of the Company Law", "公司法", "23.1"),
        ("Paragraph 2 of Article 23 of the Company Law", "公司法", "23.2"),
        ("Item (1), Paragraph 2, Article 23 of the Company Law", "公司法", "23.2.1"),
        ("Article 133-1 of the Criminal Law", "刑法", "133-1"),
        ("PIPL Art. 29", "个人信息保护法", "29"),
        ("PIPL (《个人信息保护法》) Art. 29", "个人信息保护法", "29"),
        ("《民法典》Article 563", "民法典", "563"),
        (
            "the PRC Company Law, by which owners are liable (Article 23; arts 24, 25)",
            "公司法",
            "23 24 25",
        ),
        (
            "Article 23 and Article 180 of the Company Law, and Article 4 thereof",
            "公司法",
            "23 180 4",
        ),
        ("Under the PRC Civil Code, Article 563", "民法典", "563"),
        ("PRC Civil Code § 563", "民法典", "563"),
        ("PRC Company Law Art. 23 in Beijing", "公司法", "23"),
        (
            "Article 55 of the Law of the PRC on the Protection of Consumer Rights and Interests",
            "消费者权益保护法",
            "55",
        ),
        ("Article 5 of the Constitution", "宪法", "5"),
    ],
)
def test_a_law_and_its_articles(text: str, law: str, expected: str) -> None:
    assert positions(f"See {text}.") == expected
    cited = find_citations(f"See {text}.")
    assert {citation.law for citation in cited} == {law}
    assert all(citation.quoted is None and citation.paraphrase is None for citation in cited)


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("Article 823 of the German Civil Code", "German Civil Code"),
        ("German Civil Code Art. 823", "German Civil Code"),
        ("Article 709 of the Civil Code of Japan", "Civil Code of Japan"),
        ("GDPR Art. 6", "GDPR"),
        ("Art. 6 GDPR", "GDPR"),
        ("28 U.S.C. § 1782", "U.S.C."),
        ("Article 5 of the Company Law Interpretation III", "Company Law Interpretation III"),
        ("Rules of the Labor Contract Law, Article 27", "Rules of the Labor Contract Law"),
        ("§ 823 BGB", "BGB"),
        ("Article 6 of the GDPR", "GDPR"),
        (
            "the Interpretation (I) on Labor Disputes, Article 36",
            "Interpretation (I) on Labor Disputes",
        ),
        ("Article 5 of the draft", "draft"),
        ("Article 5 of the constitution of the company", "constitution"),
    ],
)
def test_a_name_that_is_not_known_is_kept_and_takes_no_other_law(text: str, law: str) -> None:
    ours, other = find_citations(f"Article 563 of the PRC Civil Code differs from {text}.")
    assert (ours.law, other.law) == ("民法典", law)


@pytest.mark.parametrize(
    "text",
    [
        "Article 5 of this Agreement",
        "Article 5 hereof",
        "Article 5 of the Share Purchase Agreement",
        "Article 5 of the Articles of Association",
        "Article 5 of the Employment Contract",
    ],
)
def test_a_clause_of_a_paper_is_no_law(text: str) -> None:
    law, clause = find_citations(f"Article 563 of the PRC Civil Code and {text} apply.")
    assert (law.kind, clause.kind, clause.law) == ("law", "document", None)


def test_a_number_alone_is_of_the_law_cited_before() -> None:
    text = "Art. 39 PRC Labor Contract Law allows dismissal; severance is under Art. 47."
    assert [(c.law, c.basis) for c in find_citations(text)] == [
        ("劳动合同法", "named"),
        ("劳动合同法", "context"),
    ]


@pytest.mark.parametrize(
    "text", ["Article 5", "the state of the art 2020", "Article 3.2 of it", "smart 5", "Article 0"]
)
def test_what_is_no_citation(text: str) -> None:
    assert find_citations(text) == []


def test_every_english_title_is_of_a_law_that_is_recognised() -> None:
    assert set(ENGLISH.values()) <= CUSTOMARY
    assert all(title == title.lower().strip() for title in ENGLISH)
    for title, law in ENGLISH.items():
        (found,) = find_citations(f"Article 7 of the PRC {title.title()}")
        assert found.law == law


def test_a_law_that_is_only_mentioned_is_not_taken_past_another() -> None:
    text = "The PRC Company Law differs from the Delaware Corporation Code (Article 23)."
    assert find_citations(text) == []
