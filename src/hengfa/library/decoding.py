"""Bytes of a file as text, whatever it was saved as."""

from __future__ import annotations

import codecs
from typing import Final

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(content: bytes) -> tuple[str, str]:
    """The text, and what had to be done to read it ("" where it was plain UTF-8).

    UTF-16 only with its mark, UTF-8, then GB18030, which old Chinese files are saved in. What is
    none of them is read as the one with fewer faults, each fault as �.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content.decode(encoding, errors="replace"), _faults(content, encoding)
    for encoding, remark in (("utf-8", ""), ("gb18030", "read as GB18030")):
        try:
            return content.decode(encoding), remark
        except UnicodeDecodeError:
            continue
    tried = {name: content.decode(name, errors="replace") for name in ("utf-8", "gb18030")}
    best = min(tried, key=lambda name: tried[name].count("�"))
    faults = tried[best].count("�")
    return tried[best], f"neither UTF-8 nor GB18030: read as {best} with {faults} characters lost"


def _faults(content: bytes, encoding: str) -> str:
    try:
        content.decode(encoding)
    except UnicodeDecodeError as error:
        return f"not all of it is {encoding}: {error.reason}"
    return "" if encoding == "utf-8-sig" else "read as UTF-16"
