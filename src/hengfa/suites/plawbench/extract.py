"""Response to answer: the questions of a consultation, the parts of an analysis, a document.

Graders see the response itself. What is read here says which questions count, and whether the form
is the one that was asked for; form is reported and earns nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from hengfa.suites.base import Answer, AnswerStatus
from hengfa.suites.plawbench.extract_document import Document, read_document
from hengfa.suites.plawbench.extract_parts import Parts, read_parts
from hengfa.suites.plawbench.extract_questions import Question, read_questions


class Questions(NamedTuple):
    """A consultation: the response, and its questions in order."""

    text: str
    questions: tuple[Question, ...]

    def first(self, most: int) -> str:
        """The questions that are graded, one below the other, in their own words."""
        return "\n".join(question.text for question in self.questions[:most])


def consultation(response: str) -> Answer[Questions]:
    """Every question; malformed where they are not numbered."""
    questions = read_questions(response)
    found = Questions(response, questions)
    if not questions:
        return Answer(found, AnswerStatus.ABSTAINED)
    numbered = all(question.numbered for question in questions)
    return Answer(found, AnswerStatus.EXTRACTED if numbered else AnswerStatus.MALFORMED)


def case(response: str) -> Answer[Parts]:
    """The four parts; malformed where one is missing."""
    found = read_parts(response)
    if not response.strip():
        return Answer(found, AnswerStatus.ABSTAINED)
    return Answer(found, AnswerStatus.MALFORMED if found.missing else AnswerStatus.EXTRACTED)


def document(response: str) -> Answer[Document]:
    """The document; malformed where nothing says what it is."""
    found = read_document(response)
    if not found.length:
        return Answer(found, AnswerStatus.ABSTAINED)
    return Answer(found, AnswerStatus.EXTRACTED if found.kind else AnswerStatus.MALFORMED)
