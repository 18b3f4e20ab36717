"""All names under which the laws of a library can be found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hengfa.law.law_names import MAX_NAME, normalise_name
from hengfa.library.building.assemble import Text

# "《关于修改〈某条例〉的决定》": the law that was amended, by the name it had; not
# "《关于修改〈甲法〉等七部法律的决定》" or "《关于修改〈甲法〉和〈乙法〉的决定》"
_AMENDED: Final = re.compile(r"修[改正][〈<《](?P<name>[^〈〉<>《》]{2,100})[〉>》]的决定")
# "最高人民法院、最高人民检察院" before the title of an interpretation; not "人民法院组织法"
_COURTS: Final = re.compile(
    r"\A(?:最高人民法院|最高人民检察院|公安部|国家安全部|司法部|[、，和]){1,9}(?=关于)"
)


def names_of(texts: Sequence[Text]) -> dict[tuple[str, str], str]:
    """(normalised name, law) -> how the law came by it: full, old, or without its court."""
    names: dict[tuple[str, str], str] = {}
    known = {normalise_name(text.law) for text in texts}
    for text in texts:
        names[normalise_name(text.law), text.law] = "full"
    for text in texts:
        for old in old_names(text):
            if old not in known:
                names.setdefault((old, text.law), "old")
        if text.kind == "interpretation" and (bare := _COURTS.sub("", text.law)) != text.law:
            names.setdefault((normalise_name(bare), text.law), "without its court")
    return names


def old_names(text: Text) -> set[str]:
    """Names that the law had when it was amended, as its header gives them."""
    found = {
        normalise_name(match["name"])
        for line in text.statute.header
        for match in _AMENDED.finditer(line)
    }
    return {name for name in found if 2 <= len(name) <= MAX_NAME} - {normalise_name(text.law)}
