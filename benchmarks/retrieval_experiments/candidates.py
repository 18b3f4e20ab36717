"""What every lexical setting and every other question says of a STARD question's candidates.

58,908 articles times 24 settings are too many scores to keep, so each question has candidates: the
best of six textbook settings, in which no label has a share, and the articles that answer its
nearest neighbours among the questions that are learned from.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from hengfa.law.retrieval.corpus import Corpus, Document
from hengfa.law.retrieval.index import Index, best_of
from hengfa.law.retrieval.methods import BM25, Frequency, Method, Neighbours, Part
from hengfa.law.retrieval.terms import TermKind
from retrieval_experiments.choosing import Asked
from retrieval_experiments.data import Questions

Scores = NDArray[np.float32]
Integers = NDArray[np.int64]

DEPTH = 500
"""How many of the best of each textbook setting are candidates."""
AT_ONCE = 64
NONE = -1
"""Where a question has fewer candidates than another; as a score below all others."""

TERMS: dict[str, TermKind] = {"pairs": "bigrams", "words": "words"}
TEXTBOOK = (0.9, 0.4)
SETTINGS = (TEXTBOOK, (1.2, 0.75), (1.5, 0.75), (1.2, 0.4))
FIELDS = ("law, text", "law, chapter, text", "text")

Setting = tuple[str, tuple[float, float], str]
LEXICAL: dict[str, Setting] = {
    f"{terms} {k1:g}/{b:g} {fields}": (terms, (k1, b), fields)
    for terms, (k1, b), fields in product(TERMS, SETTINGS, FIELDS)
}

NEAR: dict[str, Method] = {f"near, k {k}": Neighbours(k=k, least=1) for k in (10, 5, 20)}
NEAR_LAW: dict[str, Method] = {
    f"near law, k {k}": Neighbours(k=k, least=1, level="group") for k in (10, 5, 20)
}
LAW: dict[str, Method] = {"law": Frequency("group")}
WIDEST = "near, k 20"


def lexical_index(questions: Questions, setting: Setting) -> Index:
    terms, (k1, b), fields = setting
    documents = tuple(_with_fields(one, fields) for one in questions.documents)
    return Index.build(Corpus(documents), (Part(BM25(TERMS[terms], k1=k1, b=b), scale="max"),))


def _with_fields(one: Document, fields: str) -> Document:
    names = {"text": "", "law, text": one.group, "law, chapter, text": one.name}
    return Document(one.id, one.text, names[fields])


class Candidates:
    """Scores of candidates; each setting and each learning is computed once."""

    def __init__(self, questions: Questions) -> None:
        self.questions = questions
        self.texts = [query.text for query in questions.queries]
        ids = [one.id for one in questions.documents]
        self.ascending = sorted(ids)
        self.precedence = np.argsort(np.argsort(np.array(ids)))
        self.number = {name: place for place, name in enumerate(ids)}
        judged = [questions.qrels[query.id] for query in questions.queries]
        self.relevant = [
            np.array([self.number[name] for name, gain in one.items() if gain > 0])
            for one in judged
        ]
        laws = sorted({one.group for one in questions.documents})
        place = {law: number for number, law in enumerate(laws)}
        self.law_of = np.array([place[one.group] for one in questions.documents])
        self.answers = np.unique(np.concatenate(self.relevant))  # articles that answer something
        self.pool, self.at_pool, self.at_answers = self._lexical()
        self._known: dict[bytes, dict[str, Scores]] = {}

    def _lexical(self) -> tuple[Integers, dict[str, Scores], dict[str, Scores]]:
        """Candidates, and the scores of these and of all answers by every setting."""
        held = {
            name: lexical_index(self.questions, setting)
            for name, setting in LEXICAL.items()
            if setting[1] == TEXTBOOK
        }
        found = []
        for start in range(0, len(self.texts), AT_ONCE):
            texts = self.texts[start : start + AT_ONCE]
            each = [best_of(x.scores(texts), self.precedence, DEPTH)[0] for x in held.values()]
            found += [np.unique(row) for row in np.concatenate(each, axis=1)]
        pool = np.full((len(found), max(map(len, found))), NONE, np.int64)
        for row, places in enumerate(found):
            pool[row, : len(places)] = places
        at_pool, at_answers = {}, {}
        for name, setting in LEXICAL.items():
            index = held.pop(name, None) or lexical_index(self.questions, setting)
            pooled, answers = [], []
            for start in range(0, len(self.texts), AT_ONCE):
                scores = index.scores(self.texts[start : start + AT_ONCE])
                pooled.append(_taken(scores, pool[start : start + AT_ONCE], NONE))
                answers.append(scores[:, self.answers])
            at_pool[name], at_answers[name] = np.concatenate(pooled), np.concatenate(answers)
        return pool, at_pool, at_answers

    def ask_lexical(self, _: Integers, rows: Integers) -> Asked:
        """Candidates and settings that no label has a share in."""
        scores = {name: each[rows] for name, each in self.at_pool.items()}
        return self._asked(rows, self.pool[rows], scores)

    def ask(self, learned: Integers, rows: Integers) -> Asked:
        """The same, and what the learned questions say, with their answers among the candidates."""
        taught = {name: each[rows] for name, each in self._learn(learned).items()}
        more = self._more(rows, taught[WIDEST])
        columns = np.concatenate((self.pool[rows], _or_none(self.answers, more)), axis=1)
        scores = {
            name: np.concatenate(
                (self.at_pool[name][rows], _taken(self.at_answers[name][rows], more, NONE)), axis=1
            )
            for name in LEXICAL
        }
        answer_of = _inverse(self.answers, len(self.precedence))
        for name, said in taught.items():
            wanted = answer_of if name in NEAR else self.law_of
            scores[name] = _taken(said, _or_none(wanted, columns), 0)
        return self._asked(rows, columns, scores)

    def _asked(self, rows: Integers, columns: Integers, scores: dict[str, Scores]) -> Asked:
        right = [
            np.flatnonzero(np.isin(columns[at], self.relevant[row])) for at, row in enumerate(rows)
        ]
        row = np.repeat(np.arange(len(rows)), [len(one) for one in right])
        wanted = np.array([len(self.relevant[row]) for row in rows])
        precedence = _or_none(self.precedence, columns)
        return Asked(scores, (row, np.concatenate(right)), wanted, precedence)

    def _more(self, rows: Integers, votes: Scores) -> Integers:
        """For each row the answers that neighbours vote for and that are not in its pool."""
        voted = [
            np.setdiff1d(np.flatnonzero(vote), np.flatnonzero(np.isin(self.answers, pool)))
            for vote, pool in zip(votes, self.pool[rows], strict=True)
        ]
        more = np.full((len(voted), max(map(len, voted))), NONE, np.int64)
        for row, places in enumerate(voted):
            more[row, : len(places)] = places
        return more

    def _learn(self, learned: Integers) -> dict[str, Scores]:
        """What these questions say of all others: votes for answers, and for laws by number."""
        key = learned.tobytes()
        if key in self._known:
            return self._known[key]
        examples = self.questions.labelled(learned.tolist())
        names = sorted({label for one in examples for label in one.labels})
        places = np.array([self.number[name] for name in names])
        documents = tuple(
            Document(name, "", "", str(self.law_of[place]))
            for name, place in zip(names, places, strict=True)
        )
        corpus = Corpus(documents, tuple(examples))
        laws, first = np.unique(self.law_of[places], return_index=True)
        others = np.setdiff1d(np.arange(len(self.texts)), learned)
        texts = [self.texts[place] for place in others]
        found: dict[str, Scores] = {}
        for name, method in (NEAR | NEAR_LAW | LAW).items():
            said = Index.build(corpus, (Part(method),)).scores(texts)
            size = len(self.answers) if name in NEAR else int(self.law_of.max()) + 1
            found[name] = np.zeros((len(self.texts), size), np.float32)
            if name in NEAR:
                found[name][np.ix_(others, np.searchsorted(self.answers, places))] = said
            else:
                found[name][np.ix_(others, laws)] = said[:, first]
        self._known[key] = found
        return found

    def forget(self) -> None:
        """The folds of another seed share nothing with these."""
        self._known.clear()

    def run(
        self, asked: Asked, fused: Scores, rows: Integers
    ) -> dict[str, list[tuple[str, float]]]:
        """The hundred best of each row, as a run."""
        order = np.lexsort((-asked.precedence, -fused), axis=1)[:, :100]
        points = np.take_along_axis(fused, order, axis=1)
        named = np.take_along_axis(asked.precedence, order, axis=1)
        return {
            self.questions.queries[row].id: [
                (self.ascending[name], float(score))
                for name, score in zip(named[at], points[at], strict=True)
                if name != NONE and score > 0
            ]
            for at, row in enumerate(rows)
        }


def _taken(scores: Scores, columns: Integers, missing: float) -> Scores:
    """The scores at each row's columns."""
    found = np.take_along_axis(scores, np.maximum(columns, 0), axis=1)
    return np.where(columns == NONE, np.float32(missing), found)


def _or_none(values: Integers, places: Integers) -> Integers:
    return np.where(places == NONE, NONE, values[np.maximum(places, 0)])


def _inverse(values: Integers, size: int) -> Integers:
    """For each number its place among the values."""
    places = np.full(size, NONE, np.int64)
    places[values] = np.arange(len(values))
    return places
