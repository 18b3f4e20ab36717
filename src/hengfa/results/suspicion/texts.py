"""Passages that two texts share, and whether a prompt has given them away. Pure, and fast.

White space does not count: models break lines where they like.
"""

from __future__ import annotations

GRAM = 8
"""A passage stands in the prompt as far as its runs of so many characters do. Shorter runs, such as
the name of a court, are shared by texts that have nothing to do with each other."""


def squeeze(text: str) -> str:
    """The text without white space."""
    return "".join(text.split())


def shared_passage(response: str, reference: str, prompt: str, least: int) -> str:
    """The longest passage of `least` or more characters in response and reference, not the prompt.

    Not in the prompt means that no :data:`GRAM` characters of it are: a passage that the prompt has
    and one character more does not count. Empty if there is none. Texts come squeezed.

    Every passage of that length holds one of the places `least - GRAM`, twice that and so on of the
    reference, so only these are looked at first. That makes it some microseconds for most answers.
    """
    last = len(reference) - GRAM

    def is_shared(place: int) -> bool:
        gram = reference[place : place + GRAM]
        return gram in response and gram not in prompt

    best, step, done = "", least - GRAM + 1, -1
    for place in range(step - 1, last + 1, step):
        if place <= done or not is_shared(place):
            continue
        start = end = place
        while start - 1 > done and is_shared(start - 1):
            start -= 1
        while end < last and is_shared(end + 1):
            end += 1
        done = end
        passage = _longest_in(reference[start : end + GRAM], response)
        if len(passage) >= max(least, len(best) + 1):
            best = passage
    return best


def _longest_in(passage: str, response: str) -> str:
    """The longest part that is in the response as one piece; usually all of it."""
    if passage in response:
        return passage
    best, start = "", 0
    for end in range(1, len(passage) + 1):
        while passage[start:end] not in response:
            start += 1
        if end - start > len(best):
            best = passage[start:end]
    return best


def has_own_passage(response: str, prompt: str, least: int) -> bool:
    """Whether `least` characters in a row are not the prompt's: none of their GRAM is in it."""
    run = 0
    for place in range(len(response) - GRAM + 1):
        run = 0 if response[place : place + GRAM] in prompt else run + 1
        if run and run + GRAM - 1 >= least:
            return True
    return False
