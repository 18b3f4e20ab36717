"""Provisions of a world's law, found by what they say: for each argument one article of one law."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from hengfa.law.numerals import parse_article
from hengfa.world.factory.plan import Ground
from hengfa.world.factory.refusal import Reason, Refused


class Law:
    """The articles of a world by law, in their order."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._articles: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for text in texts:
            head, colon, body = text.partition("：")
            name, mark, number = head.rpartition("第")
            if colon and name and parse_article(f"{mark}{number}"):
                self._articles[name].append((head, body))

    def ground(self, choices: Iterable[tuple[str, ...]]) -> Ground | None:
        """The law that has just one article with all words of a choice; the longest such law."""
        for wanted in choices:
            laws = [name for name in self._articles if len(self._having(name, wanted)) == 1]
            if laws:
                return Ground(max(laws, key=lambda name: len(self._articles[name])), wanted)
        return None

    def citation(self, ground: Ground) -> str:
        """The article as it is cited: the name of the law and the number."""
        found = self._having(ground.law, ground.words)
        if len(found) != 1:
            raise Refused(Reason.NO_PROVISION)
        return found[0]

    def has(self, citation: str) -> bool:
        """Whether a provision of this name is there."""
        name, mark, number = citation.rpartition("第")
        heads = (head for head, _ in self._articles.get(name, ()))
        return bool(mark and number) and citation in heads

    def _having(self, law: str, wanted: tuple[str, ...]) -> list[str]:
        return [
            head
            for head, body in self._articles.get(law, ())
            if all(word in body for word in wanted)
        ]
