"""Texts of law in Markdown folders.

Two layouts are known, and both are found without being told which it is:

* a folder for each law (just-laws): ``README.md`` has the title and the history, and the text, or
  the other pages of the folder have it in parts, of which those with a history of their own are
  laws of their own;
* a page for each law (Laws), ``公司法(2023-12-29).md``, named after the day of promulgation; pages
  of one folder that begin with the same title are parts of one law (民法典).

Pages without articles and without a history, such as tables of contents, are no laws.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

from hengfa.law.numerals import format_number, parse_article
from hengfa.law.statute_header import is_history
from hengfa.library.building.raw import LARGEST_FILE, Note, Piece, RawText, SourceFolder, iso_date
from hengfa.library.decoding import decode
from hengfa.library.model import Remark

_AMENDMENTS: Final = "修正案"  # the title of a page with all amendments of a law
_FRONT_PAGES: Final = frozenset({"README.md", "index.md"})

# "# 中华人民共和国民法典" and what follows the marks; not "#标签"
_HEADING: Final = re.compile(r"(?P<marks>#{1,6})\s{1,8}(?P<title>.{1,200}?)\s{0,8}", re.DOTALL)
# "**第一条**　", "第一条 "; not "第一条规定的"
_ARTICLE: Final = re.compile(
    r"[*_\s]{0,8}(?P<label>第[^条\s]{1,12}条(?:之[一二三四五六七八九十]{1,3})?)(?:[*_]|\s)"
)
# "(2023-12-29)" at the end of a page's name; not "(2023)"
_DATE_IN_NAME: Final = re.compile(r"[(（](\d{4}-\d{2}-\d{2})[)）]\Z")
# "第一编　总则", "附则", "序言", "修正案": titles of parts; not "中华人民共和国刑法修正案"
_PART_TITLE: Final = re.compile(
    r"第.{1,6}[编章]|序\s?言|附\s?则|总\s?则|总\s?纲|修正案\Z|.{1,8}编\Z"
)
# "## 中华人民共和国刑法修正案（二）" on a page of several; not "## 第一章"
_LAW_TITLE: Final = re.compile(r"#{2}\s{1,8}中华人民共和国\S{1,60}")


class Page(NamedTuple):
    """A Markdown file without its front matter, and what its head says."""

    file: Path
    lines: tuple[str, ...]
    skipped: int  # lines of front matter
    titles: tuple[str, ...]  # headings of the first rank before the first article
    history: tuple[str, ...]
    first_article: tuple[int, int] | None

    @property
    def title(self) -> str:
        return self.titles[0] if self.titles else ""

    @property
    def is_law(self) -> bool:
        """Whether the page can stand for itself: it has a name and says when it was passed."""
        dated = bool(self.history) or _date_in_name(self.file) is not None
        return bool(self.title) and dated and not _PART_TITLE.match(self.title)

    @property
    def is_part(self) -> bool:
        """Whether the page has a title of its own below that of its law: # 民法典, # 总则."""
        return len(self.titles) > 1 and _date_in_name(self.file) is None


def read_markdown(files: Iterable[Path], source: SourceFolder, note: Note) -> Iterator[RawText]:
    """The texts of law among some pages, those in parts put together."""
    folders: defaultdict[Path, list[Page]] = defaultdict(list)
    for file in files:
        if page := _read_page(file, note):
            folders[file.parent].append(page)
    for pages in folders.values():
        for law in _laws(pages):
            if law[0].is_law:
                yield _text(law, source)
            else:
                for page in law:
                    missing = "no day of promulgation" if page.first_article else "no law"
                    note(Remark(str(page.file), None, None, f"left out: {missing}", page.title))


def _laws(pages: Sequence[Page]) -> Iterator[list[Page]]:
    """Pages that make one law together, its first page first."""
    front = next((p for p in pages if p.file.name in _FRONT_PAGES and p.is_law), None)
    parts: list[Page] = []
    same_title: defaultdict[str, list[Page]] = defaultdict(list)
    for page in pages:
        several = list(_split(page))
        if several != [page]:
            yield from ([one] for one in several)
        elif front and page is not front and not page.is_law:
            parts.append(page)
        elif page is not front:
            same_title[page.title if page.is_part else str(page.file)].append(page)
    if front:
        yield [front, *sorted(parts, key=_order)]
    for found in same_title.values():
        yield sorted(found, key=_order)


def _order(page: Page) -> tuple[int, int]:
    """By the first article: a preamble comes first, 附则 last, whatever the files are called."""
    return page.first_article or (0, 0)


def _split(page: Page) -> Iterator[Page]:
    """A page with several laws under headings of their own: # 修正案, and below it each of them."""
    starts = [i for i, line in enumerate(page.lines) if _LAW_TITLE.fullmatch(line.strip())]
    dated = [i for i in starts if any(map(is_history, page.lines[i + 1 : i + 5]))]
    if not dated or page.title != _AMENDMENTS:
        yield page
        return
    for at, begin in enumerate(dated):
        end = dated[at + 1] if at + 1 < len(dated) else len(page.lines)
        lines = page.lines[begin:end]
        first = lines[0].strip().removeprefix("#")
        yield _page(page.file, (first, *lines[1:]), page.skipped + begin)


def _read_page(file: Path, note: Note) -> Page | None:
    try:
        if file.stat().st_size > LARGEST_FILE:
            note(Remark(str(file), None, None, "too large for a law", ""))
            return None
        content = file.read_bytes()
    except OSError as error:
        note(Remark(str(file), None, None, f"cannot be read: {error.strerror}", ""))
        return None
    text, how = decode(content)
    if how:
        note(Remark(str(file), None, None, how, ""))
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    skipped = _front_matter(lines)
    return _page(file, tuple(lines[skipped:]), skipped)


def _front_matter(lines: Sequence[str]) -> int:
    """How many lines between two --- at the head of a page speak to its publisher."""
    if lines[0].strip() == "---":
        for number, line in enumerate(lines[1:20], 2):
            if line.strip() == "---":
                return number
    return 0


def _page(file: Path, lines: tuple[str, ...], skipped: int) -> Page:
    titles: list[str] = []
    history: list[str] = []
    first: tuple[int, int] | None = None
    for line in lines:
        if found := _ARTICLE.match(line):
            number = parse_article(found["label"])
            first = (number.number, number.sub) if number else None
            break
        text = line.strip().strip("*_> ")
        if heading := _HEADING.fullmatch(line.strip()):
            if heading["marks"] == "#":
                titles.append(heading["title"])
        elif text and len(history) < 60 and is_history(text):
            history.append(text)
    return Page(file, lines, skipped, tuple(titles), tuple(history), first)


def _text(law: Sequence[Page], source: SourceFolder) -> RawText:
    """One law from its pages; parts that repeat its title and history give them once."""
    lines: list[str] = []
    if law[0].is_part:
        lines += [f"# {law[0].title}", "", *law[0].history, ""]
    pieces: list[Piece] = []
    for number, page in enumerate(law, 1):
        pieces.append(Piece(str(page.file), len(lines) + 1, page.skipped))
        lines += [*(_part(page, number) if page.is_part else page.lines), ""]
    file = law[0].file
    root = source.path if source.path.is_dir() else source.path.parent
    return RawText(
        text="\n".join(lines),
        law=None,
        promulgated=_date_in_name(file),
        file=str(file),
        path=str((file if len(law) == 1 else file.parent).relative_to(root)),
        kind="interpretation" if "司法解释" in file.parts else None,
        repository=source.repository,
        commit=source.commit,
        pieces=tuple(pieces),
    )


def _part(page: Page, number: int) -> list[str]:
    """The lines of a part without the title and history it repeats, which become blank.

    Its own title says nothing of its rank, so # 物权编 is written # 第二编　物权; 附则 has none.
    """
    kept: list[str] = []
    in_head = True
    for line in page.lines:
        if _ARTICLE.match(line):
            in_head = False
        text = line.strip()
        title = text.lstrip("# ")
        if text and text == "#" * len(text):
            kept.append("")
        elif in_head and text.startswith("#") and title == page.titles[1] != "附则":
            kept.append(f"# 第{format_number(number)}编　{title.removesuffix('编')}")
        else:
            repeated = title == page.title or text.strip("*_> ") in page.history
            kept.append("" if in_head and (repeated or text.startswith("<!--")) else line)
    return kept


def _date_in_name(file: Path) -> date | None:
    found = _DATE_IN_NAME.search(file.stem)
    return iso_date(found[1]) if found else None
