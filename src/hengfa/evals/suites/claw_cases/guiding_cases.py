"""The guiding cases: their file, and how it is made of the Markdown pages in which they are public.

A page is one case: a heading, the title, who published it and when, and six sections under their
names. Sections come in two orders, older pages have the address at the court and the judges, and
the markup differs from page to page; the words are the court's and stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Final

import msgspec

from hengfa.base.data import jsonfile
from hengfa.base.data.jsonfile import Patterns
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError

FILE: Final = "cases.jsonl"
VERSION: Final = "1"
PAGES: Final = "pages/最高法案例/*.md"
READS: Final[Mapping[str, tuple[str, ...]]] = {
    "xtjeyvc/xtjeyvc.github.com@2100433cf50fd54abd01350dcabd7527fe8347e7": (PAGES,)
}

KEYWORDS: Final = "关键词"
SECTIONS: Final = {
    KEYWORDS: "keywords",
    "裁判要点": "holding",
    "相关法条": "statutes",
    "基本案情": "facts",
    "裁判结果": "result",
    "裁判理由": "reasoning",
}
ABSENT: Final = frozenset({45})
"""Has no page; any other gap in the numbers is a page that was lost on the way."""
WITHDRAWN: Final = frozenset({9, 20})
"""The court wants them referred to no longer, from 2021-01-01 on."""

Text = Annotated[str, msgspec.Meta(min_length=1)]


class GuidingCase(msgspec.Struct, frozen=True):
    """One guiding case with its six sections; a row may have more fields than these. ``withdrawn``
    marks those that the court no longer wants referred to: 9 and 20, which CLaw leaves out as
    well."""

    no: Annotated[int, msgspec.Meta(ge=1)]
    title: Text
    issued: date
    keywords: Text  # 关键词
    holding: Text  # 裁判要点
    statutes: str  # 相关法条
    facts: Text  # 基本案情
    result: Text  # 裁判结果
    reasoning: Text  # 裁判理由
    focus_sentence: str | None = None
    judges: str | None = None
    url: str | None = None
    withdrawn: bool = False


def load_cases(root: Path, *, withdrawn: bool = False) -> list[GuidingCase]:
    """The cases of ``cases.jsonl`` below a folder, without those that were withdrawn."""
    file = root / FILE
    cases: dict[int, GuidingCase] = {}
    for number, case in jsonfile.read_lines(file, GuidingCase):
        if case.no in cases:
            raise DataError(f"case {case.no} is there twice", file=file, row=number, field="no")
        cases[case.no] = case
    chosen = [case for case in cases.values() if withdrawn or not case.withdrawn]
    if not chosen:
        raise DataError("holds no case", file=file)
    return chosen


# --- pages ---

_PATTERNS: Final = jsonfile.read_toml(Path(__file__).with_suffix(".toml"), Patterns)
_ESCAPED, _HEADING, _ADDRESS, _ISSUED, _JUDGES, _FOCUS, _SENTENCE = (
    _PATTERNS[name]
    for name in ("escaped", "heading", "address", "issued", "judges", "focus", "sentence")
)


def derive(sources: Mapping[str, Path], target: Path) -> None:
    """Write the cases of all pages into ``target``, a line each, in the order of their numbers."""
    cases: dict[int, GuidingCase] = {}
    for file in sorted(page for root in sources.values() for page in root.glob(PAGES)):
        with disk_errors(file):
            content = file.read_bytes()
        try:
            page = content.decode()
        except UnicodeDecodeError as error:
            raise DataError(f"is not UTF-8: {error}", file=file) from error
        case = read_case(page, file)
        if case.no in cases:
            raise DataError(f"case {case.no} has another page", file=file)
        cases[case.no] = case
    if not cases:
        raise DataError("there is no page of a guiding case", file=PAGES)
    if lost := set(range(1, max(cases))) - cases.keys() - ABSENT:
        raise DataError(f"the page of case {min(lost)} is missing", file=PAGES)
    rows = (msgspec.to_builtins(cases[no]) for no in sorted(cases))
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    jsonfile.write_atomically(target / FILE, "".join(lines).encode())


def read_case(page: str, file: Path) -> GuidingCase:
    """The case of a page; the file is named where the page is not one of a case."""
    head, sections = _split(page, file)
    row = _read_head(head, file)
    *reasons, last = sections["裁判理由"] or [""]
    judges = _JUDGES.fullmatch(last)
    if judges:
        sections["裁判理由"] = reasons
    row |= {field: "\n".join(sections[name]) for name, field in SECTIONS.items()}
    reasoning = (said for line in sections["裁判理由"] for said in _SENTENCE.findall(line))
    row["focus_sentence"] = next(filter(_FOCUS.search, reasoning), None)  # the disputed point
    row["judges"] = judges and judges["judges"]
    row["withdrawn"] = row["no"] in WITHDRAWN
    try:
        return msgspec.convert(row, GuidingCase)
    except msgspec.ValidationError as error:
        problem, field = jsonfile.problem_and_field(str(error))
        raise DataError(problem, file=file, field=field) from error


def _split(page: str, file: Path) -> tuple[list[str], dict[str, list[str]]]:
    """The lines before the first section, and those of each; keywords may follow their name. The
    markup goes: bold, lists, underlined headings, escapes."""
    head: list[str] = []
    sections: dict[str, list[str]] = {}
    lines = head
    for written in page.split("\n"):
        text = written.replace("**", "").strip().removeprefix("- ").strip()
        if not text.strip("="):
            continue
        line = _ESCAPED.sub(r"\1", text)
        name, rest = line, ""
        if lines is head and line.startswith(KEYWORDS):
            name, rest = KEYWORDS, line.removeprefix(KEYWORDS).lstrip("：: \u3000\xa0")
        if name not in SECTIONS:
            lines.append(line)
            continue
        if name in sections:
            raise DataError("the section is there twice", file=file, field=name)
        lines = sections[name] = [rest] if rest else []
    for name in SECTIONS:
        if name not in sections:
            raise DataError("the section is missing", file=file, field=name)
    return head, sections


def _read_head(lines: Sequence[str], file: Path) -> dict[str, object]:
    """Number, title, day and address; a title may be broken into several lines. A Markdown heading
    is cut where it is long, so the title below it counts, if there is one. On pages without such a
    heading, the line with the number is where the title begins."""
    heading = _HEADING.fullmatch(lines[0]) if lines else None
    if heading is None:
        raise DataError("does not begin with the number of a guiding case", file=file, row=1)
    address = _ADDRESS.fullmatch(lines[1]) if len(lines) > 1 else None
    issued = _ISSUED.fullmatch("".join(lines[2 if address else 1 :]))
    if issued is None:
        raise DataError("does not say when the court published it", file=file, field="issued")
    title = issued["title"]
    if not (heading["mark"] and title):
        title = heading["title"].strip() + title
    return {
        "no": int(heading["no"]),
        "title": title,
        "issued": f"{issued['year']}-{issued['month']:0>2}-{issued['day']:0>2}",
        "url": address and address["url"],
    }
