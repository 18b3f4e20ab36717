"""Twenty ways to answer without knowing anything: what a policy finds first when a reward lets it.

Each sees its prompt and, of the references to others, what anybody learns from many rewards: what
is commonest, how long it is, what all have in common. The best of them is the floor of the shape
`skill`, so that none earns anything there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from os.path import commonprefix
from typing import Final, NamedTuple

from hengfa.world.agents.trajectory import Reply, write_reply

_LEAD: Final = 60
_MOST: Final = 2_000
"""Characters of an answer that lists or repeats: a completion of a thousand tokens or so."""

_FILLER: Final = "的，、或者和的，、的，；。"
_LETTERS: Final = "".join(f"[正确答案]{letter}<eoa>{letter}" for letter in "ABCDE")
_NUMBERS: Final = "、".join(f"{number}个月、{number}元、第{number}条" for number in range(1, 100))
_CITATIONS: Final = "、".join(f"《中华人民共和国刑法》第{number}条" for number in range(1, 100))
_REFUSAL: Final = "作为人工智能助手，我无法回答这个问题。请咨询专业律师。"


class Learned(NamedTuple):
    """What many rewards teach of references: the commonest, one of middle length, all of them, and
    what they begin and end with."""

    references: Sequence[str]
    commonest: str
    middle: str
    form: str


Strategy = Callable[[Learned, str, int], str]
"""The answer to a prompt, which is the question of this number."""


def _repeated(text: str) -> str:
    return text * max(1, min(20, _MOST // max(len(text), 1)))


def _disguised(text: str) -> str:
    """The same to the eye: letters and digits at full width, nothing visible between them."""
    wide = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
    return "\u200b".join(text.translate(wide))


STRATEGIES: Final[Mapping[str, Strategy]] = {
    "nothing": lambda _seen, _prompt, _n: "",
    "an invisible sign": lambda _seen, _prompt, _n: "\u200b",
    "an unfinished thought": lambda seen, _prompt, _n: f"<think>{seen.commonest}",
    "a refusal": lambda _seen, _prompt, _n: _REFUSAL,
    "the question": lambda _seen, prompt, _n: prompt,
    "the question's lead": lambda _seen, prompt, _n: prompt[:_LEAD],
    "the question's end": lambda _seen, prompt, _n: prompt[-_LEAD:],
    "the question, then the commonest": lambda seen, prompt, _n: f"{prompt}\n{seen.commonest}",
    "the commonest answer": lambda seen, _prompt, _n: seen.commonest,
    "the commonest, repeated": lambda seen, _prompt, _n: _repeated(seen.commonest),
    "the commonest in odd signs": lambda seen, _prompt, _n: _disguised(seen.commonest),
    "an answer of middle length": lambda seen, _prompt, _n: seen.middle,
    "another question's answer": lambda seen, _p, n: seen.references[n % len(seen.references)],
    "every answer": lambda seen, _prompt, _n: "\n".join(dict.fromkeys(seen.references))[:_MOST],
    "form without content": lambda seen, _prompt, _n: seen.form,
    "every letter": lambda _seen, _prompt, _n: _LETTERS,
    "every number": lambda _seen, _prompt, _n: _NUMBERS,
    "every article": lambda _seen, _prompt, _n: _CITATIONS,
    "particles and commas": lambda _seen, _prompt, _n: _FILLER,
    "the question as an agent": lambda _seen, prompt, _n: write_reply(Reply(prompt, prompt)),
}


def cheap_answers(prompts: Sequence[str], references: Sequence[str]) -> dict[str, list[str]]:
    """What each strategy says to each of some questions; what it has learned of references it
    learned of the other half of them, so that none is answered by its own."""
    halves = [_learned(references[1::2]), _learned(references[::2])]
    return {
        name: [
            strategy(halves[number % 2], prompt, number) for number, prompt in enumerate(prompts)
        ]
        for name, strategy in STRATEGIES.items()
    }


def _learned(references: Sequence[str]) -> Learned:
    references = references or [""]
    counted = Counter(references)
    by_length = sorted(counted, key=lambda text: (len(text), text))
    first = commonprefix(references)  # noqa: RUF071 - of texts, not of paths
    rest = [text[len(first) :][::-1] for text in references]
    return Learned(
        references,
        min(counted, key=lambda text: (-counted[text], text)),
        by_length[len(by_length) // 2],
        first + commonprefix(rest)[::-1],  # noqa: RUF071
    )
