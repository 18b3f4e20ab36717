"""A text with characters of every kind that nobody sees, and whether a page shows them."""

from __future__ import annotations

from typing import Any

UNSEEN = "".join(
    f"{sign}法"
    for sign in (
        "\u0000\u001b\u007f\u0085\u00ad\u034f\u061c\u115f\u1160\u17b4\u180e\u200b\u200d\u2028\u202e"
        "\u2060\u2066\u206f\u3164\ufe00\ufeff\uffa0\ufff9\U0001d173\U000e0000\U000e0041\U000e007f\U000e0100"
    )
)


def boxes(page: Any, selector: str) -> list[str]:
    """The numbers in the boxes of a text, each of which is wide enough to be read."""
    seen = page.evaluate(
        """(selector) => [...document.querySelectorAll(`${selector} .control`)].map((node) => (
          [node.dataset.code, getComputedStyle(node, "::before").content, node.offsetWidth]))""",
        selector,
    )
    assert all(content != "none" and width > 20 for _, content, width in seen)
    return [code for code, _, _ in seen]


def numbers(text: str) -> list[str]:
    """The numbers of all characters of a text but 法."""
    return [f"U+{ord(sign):04X}" for sign in text if sign != "法"]
