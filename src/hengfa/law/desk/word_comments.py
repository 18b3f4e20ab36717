"""The document itself as a Word file, with a comment at each citation.

Of a Word file everything stays as it is: only its body and its comments are written anew, and in
the body only comments are added, between runs or between the halves of a run that begins or ends
elsewhere than the citation; a half keeps the formatting. Every other part of the file is copied.
Other documents become a Word file of their paragraphs first.

Comments in notes and text boxes are not shown by every program. A citation in a note is commented
at the mark of the note, one in a text box where the box is anchored: each comment begins with the
words it is about.
"""

from __future__ import annotations

import io
import re
import zipfile
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from copy import copy, deepcopy
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple, TypeAlias
from xml.sax.saxutils import escape

from hengfa.base.data.archives import Refused, ZipParts
from hengfa.base.errors import DataError, MissingExtra
from hengfa.law.desk.explain import Explained, ExplainedReport
from hengfa.law.library.citing.findings import Checked
from hengfa.law.library.documents import Piece, WordText, read_word
from hengfa.law.library.words import Lang, in_words

LARGEST_BODY: Final = 16 * 1024 * 1024
"""Bytes of a body that is taken apart: a thousand pages."""

_AUTHOR: Final[dict[Lang, str]] = {"zh": "衡法", "en": "Hengfa"}

_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_TYPES: Final = "[Content_Types].xml"
_KIND: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_WORD: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STRICT: Final = "http://purl.oclc.org/ooxml/officeDocument/relationships"
_SPACE: Final = "{http://www.w3.org/XML/1998/namespace}space"

# A number that Word can count on from
_NUMBER: Final = re.compile("[0-9]{1,9}")
# What XML cannot hold: control characters, halves of pairs; not tabs, line ends, 😀
_UNWRITABLE: Final = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")

_Element: TypeAlias = Any
"""One of lxml, which has no types."""


class Comment(NamedTuple):
    """What is said of ``text[start:end]`` of a document, one paragraph in each line."""

    start: int
    end: int
    text: str


def comments_on(explained: ExplainedReport) -> list[Comment]:
    """A comment for each citation of law."""
    return [
        Comment(checked.start, checked.end, "\n".join(_lines(checked, said, explained.lang)))
        for checked, said in explained.citations
        if checked.status != "paper"
    ]


def _lines(checked: Checked, said: Explained, lang: Lang) -> Iterator[str]:
    """The verdict first, then the reasons, then the text of the provision."""
    yield f"[{said.label}] {' '.join(checked.written.split())}"
    yield said.sentence
    if said.beside:
        yield said.beside
    if said.instead:
        yield in_words("comment instead", lang, provision=said.instead)
    yield from said.notes
    if said.day:
        yield said.day
    if said.provision:
        yield in_words("comment provision", lang, place=said.place, provision=said.provision)


def is_word(content: bytes) -> bool:
    """Whether a document that could be read is a Word file."""
    return content.startswith(b"PK\x03\x04")


def add_comments(
    content: bytes, name: str, comments: Sequence[Comment], lang: Lang, at: datetime
) -> bytes:
    """A Word file with these comments at the places of its text, and nothing else changed."""
    if not comments:
        return content
    word = read_word(content, name)
    try:
        parts = _Parts(ZipParts(content), word.body)
        body = parts.body()
        numbers = parts.add_comments(body, comments, _AUTHOR[lang], at)
        _Body(body, word).anchor(comments, numbers)
        return parts.archive_with({str(word.body): body})
    except Refused as refused:
        raise DataError(f"cannot be given comments: {refused}", file=name) from refused


def word_file(text: str) -> bytes:
    """A Word file whose paragraphs are the lines of a text, in fonts for Chinese."""
    lines = _writable(text).split("\n")
    body = "".join(
        f'<w:p><w:r><w:t xml:space="preserve">{escape(line)}</w:t></w:r></w:p>' for line in lines
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in _EMPTY.items():
            new.writestr(name, _DECLARED + content.replace("{body}", body))
    return stream.getvalue()


def _writable(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", text)


_DECLARED: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_EMPTY: Final = {
    _TYPES: f'''<Types xmlns="{_PACKAGE}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml" ContentType="{_KIND}.document.main+xml"/>
<Override PartName="/word/styles.xml" ContentType="{_KIND}.styles+xml"/></Types>''',
    "_rels/.rels": f'''<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>
</Relationships>''',
    "word/_rels/document.xml.rels": f'''<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId1" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>''',
    "word/styles.xml": f'''<w:styles xmlns:w="{_WORD}"><w:docDefaults><w:rPrDefault><w:rPr>
<w:rFonts w:ascii="Times New Roman" w:hAnsi="Times New Roman" w:eastAsia="宋体"/>
<w:sz w:val="24"/><w:lang w:val="en-US" w:eastAsia="zh-CN"/></w:rPr></w:rPrDefault>
<w:pPrDefault><w:pPr><w:spacing w:line="360" w:lineRule="auto"/></w:pPr></w:pPrDefault>
</w:docDefaults><w:style w:type="paragraph" w:default="1" w:styleId="Normal">
<w:name w:val="Normal"/></w:style><w:style w:type="paragraph" w:styleId="CommentText">
<w:name w:val="annotation text"/><w:basedOn w:val="Normal"/><w:pPr>
<w:spacing w:line="240" w:lineRule="auto"/></w:pPr></w:style>
<w:style w:type="character" w:styleId="CommentReference"><w:name w:val="annotation reference"/>
<w:rPr><w:sz w:val="16"/></w:rPr></w:style></w:styles>''',
    "word/document.xml": f'''<w:document xmlns:w="{_WORD}"><w:body>{{body}}<w:sectPr>
<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1800" w:bottom="1440" w:left="1800"
 w:header="851" w:footer="992" w:gutter="0"/></w:sectPr></w:body></w:document>''',
}


# --- the parts of the file ---


class _Parts:
    def __init__(self, archive: ZipParts, main: PurePosixPath) -> None:
        self.archive = archive
        self.main = main
        self.changed: dict[str, bytes] = {}

    def body(self) -> _Element:
        content = self.archive.read(str(self.main))
        if len(content) > LARGEST_BODY:
            raise Refused(f"its body is larger than {LARGEST_BODY >> 20} MB: split it")
        return _parse(content, str(self.main))

    def add_comments(
        self, body: _Element, comments: Sequence[Comment], author: str, at: datetime
    ) -> range:
        """Put the comments beside those that are there; their numbers."""
        space = body.tag.partition("}")[0][1:]
        part, root = self._comments(space)
        ids = (given.get(_in(space, "id"), "") for given in root)
        first = 1 + max((int(id_) for id_ in ids if _NUMBER.fullmatch(id_)), default=-1)
        numbers = range(first, first + len(comments))
        for number, comment in zip(numbers, comments, strict=True):
            root.append(_comment(root, space, number, comment, author, at))
        self.changed[part] = _bytes(root)
        return numbers

    def _comments(self, space: str) -> tuple[str, _Element]:
        """The part of the comments, where there is none a new one that the body knows of."""
        folder = self.main.parent
        place = str(folder / "_rels" / f"{self.main.name}.rels")
        empty = f'<Relationships xmlns="{_PACKAGE}/relationships"/>'.encode()
        relations = self._root(place, empty)
        for relation in relations:
            if relation.get("Type", "").endswith("/relationships/comments"):
                target = relation.get("Target", "")
                part = target[1:] if target.startswith("/") else str(folder / target)
                if part not in self.archive.names:
                    raise Refused(f"it names comments that it does not have ({part})")
                return part, self._root(part)
        name = next(
            name
            for number in range(len(self.archive.names) + 1)
            if str(folder / (name := f"comments{number or ''}.xml")) not in self.archive.names
        )
        ids = {relation.get("Id") for relation in relations}
        added = relations.makeelement(f"{{{_PACKAGE}/relationships}}Relationship")
        added.set("Id", next(id_ for n in range(len(ids) + 1) if (id_ := f"rIdHf{n}") not in ids))
        added.set("Type", f"{_OFFICE if space == _WORD else _STRICT}/comments")
        added.set("Target", name)
        relations.append(added)
        self.changed[place] = _bytes(relations)
        types = self._root(_TYPES)
        declared = types.makeelement(f"{{{_PACKAGE}/content-types}}Override")
        declared.set("PartName", f"/{folder / name}")
        declared.set("ContentType", f"{_KIND}.comments+xml")
        types.append(declared)
        self.changed[_TYPES] = _bytes(types)
        return str(folder / name), _parse(f'<w:comments xmlns:w="{space}"/>'.encode(), name)

    def _root(self, part: str, empty: bytes | None = None) -> _Element:
        if part not in self.archive.names:
            if empty is None:
                raise Refused(f"it has no {part}")
            return _parse(empty, part)
        content = self.archive.read(part)
        if len(content) > LARGEST_BODY:
            raise Refused(f"{part} is larger than {LARGEST_BODY >> 20} MB")
        return _parse(content, part)

    def archive_with(self, more: Mapping[str, _Element]) -> bytes:
        """The archive with what has changed, everything else as it was and in its order."""
        changed = self.changed | {part: _bytes(root) for part, root in more.items()}
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
            for member in self.archive.members:
                content = changed.pop(member.filename, None)
                if content is None:
                    content = self.archive.read(member.filename)
                new.writestr(copy(member), content)
            for part, content in changed.items():
                new.writestr(part, content)
        return stream.getvalue()


def _parse(content: bytes, part: str) -> _Element:
    """The root of a part, in UTF-8 or UTF-16 whatever it declares; nothing is fetched."""
    try:
        from lxml import etree  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtra("desk", "a Word file with comments") from None
    wide = content[:2] in {b"\xff\xfe", b"\xfe\xff"}
    parser = etree.XMLParser(
        encoding="utf-16" if wide else "utf-8",
        resolve_entities=False,
        no_network=True,
        huge_tree=True,  # our own limits are lower, but for depth
    )
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise Refused(f"{part} is not well-formed XML ({error})") from error
    if root.getroottree().docinfo.doctype:
        raise Refused(f"{part} declares entities, which no document does")
    return root


def _bytes(root: _Element) -> bytes:
    from lxml import etree  # noqa: PLC0415 - an extra

    content: bytes = etree.tostring(
        root.getroottree(), xml_declaration=True, encoding="UTF-8", standalone=True
    )
    return content


def _in(space: str, name: str) -> str:
    return f"{{{space}}}{name}"


def _comment(
    root: _Element, space: str, number: int, comment: Comment, author: str, at: datetime
) -> _Element:
    new = root.makeelement(_in(space, "comment"))
    new.set(_in(space, "id"), str(number))
    new.set(_in(space, "author"), author)
    new.set(_in(space, "date"), at.strftime("%Y-%m-%dT%H:%M:%SZ"))
    new.set(_in(space, "initials"), "HF")
    for line_number, line in enumerate(comment.text.split("\n")):
        paragraph = _add(new, space, "p")
        properties = _add(paragraph, space, "pPr")
        _add(properties, space, "pStyle", val="CommentText")
        _add(properties, space, "ind", firstLineChars="0", firstLine="0")
        _add(properties, space, "jc", val="left")
        if not line_number:
            _add(_add(paragraph, space, "r"), space, "annotationRef")
        run = _add(paragraph, space, "r")
        _add(_add(run, space, "rPr"), space, "sz", val="20")
        text = _add(run, space, "t")
        text.set(_SPACE, "preserve")
        text.text = _writable(line)
    return new


def _add(parent: _Element, space: str, name: str, **attributes: str) -> _Element:
    new = parent.makeelement(_in(space, name))
    for key, value in attributes.items():
        new.set(_in(space, key), value)
    parent.append(new)
    return new


# --- the places in the body ---


class _Body:
    def __init__(self, root: _Element, word: WordText) -> None:
        self.root = root
        self.space = root.tag.partition("}")[0][1:]
        self.word = word
        self.starts = [piece.start for piece in word.pieces]
        self.begun: dict[int, _Element] = {}
        self.elements = list(root.iter("*"))
        name = _in(self.space, "id")
        ids = (element.get(name, "") for element in self.elements)
        self.last_id = max((int(id_) for id_ in ids if _NUMBER.fullmatch(id_)), default=0)

    def anchor(self, comments: Sequence[Comment], numbers: range) -> None:
        """Mark the beginning and the end of each comment, from the last place to the first.

        What is cut off goes to the right, so that places further left stay where they are. Of two
        marks at one place that of a beginning is set first, and so stands behind that of an end.
        """
        marks: list[tuple[int, bool, int]] = []
        for comment, number in zip(comments, numbers, strict=True):
            end = self.word.text.find("\n", comment.start, comment.end)
            marks.append((comment.start, True, number))
            marks.append((comment.end if end <= comment.start else end, False, number))
        for place, begins, number in sorted(marks, reverse=True):
            if begins:
                self._run_from(place).addprevious(self._mark("commentRangeStart", number))
            else:
                last = self._run_to(place)
                reference = self.root.makeelement(_in(self.space, "r"))
                style = _add(reference, self.space, "rPr")
                _add(style, self.space, "rStyle", val="CommentReference")
                reference.append(self._mark("commentReference", number))
                last.addnext(reference)
                last.addnext(self._mark("commentRangeEnd", number))

    def _run_from(self, place: int) -> _Element:
        if place not in self.begun:
            piece = self._piece(place)
            run, child = self._run(piece)
            whole = child is None
            self.begun[place] = run if whole else self._cut(run, child, place - piece.start)
        return self.begun[place]

    def _run_to(self, place: int) -> _Element:
        piece = self._piece(place - 1)
        run, child = self._run(piece)
        if child is not None:
            self._cut(run, child, place - piece.start)
        return run

    def _piece(self, place: int) -> Piece:
        """That of a character, or of the next, where it is the end of a paragraph."""
        return self.word.pieces[max(bisect_right(self.starts, place) - 1, 0)]

    def _run(self, piece: Piece) -> tuple[_Element, _Element | None]:
        """The run of a piece, and what in the run can be cut there: nothing in notes and boxes.

        The run is the outermost, in which a text box or what is written above characters stands.
        """
        element = self.elements[piece.element]
        runs = list(element.iterancestors(_in(self.space, "r")))
        if not runs:
            return element, None
        whole = piece.note or element.getparent() is not runs[-1] or len(element)
        return runs[-1], None if whole else element

    def _cut(self, run: _Element, child: _Element, at: int) -> _Element:
        """Cut a run in a child of it; the run that begins there, which may be the same."""
        text = child.text or ""
        style = run.find(_in(self.space, "rPr"))
        rest = list(child.itersiblings())
        if at == 0:
            if child.getprevious() is style:  # which may be None
                return run
            rest.insert(0, child)
        elif at < len(text):
            half = deepcopy(child)
            half.text, child.text, half.tail = text[at:], text[:at], None
            for part in (half, child):
                part.set(_SPACE, "preserve")
            rest.insert(0, half)
        if not rest:
            return run
        new = run.makeelement(run.tag, dict(run.attrib))
        if style is not None:
            copied = deepcopy(style)
            name = _in(self.space, "id")
            for element in copied.iter("*"):  # a tracked change gets a number of its own
                if element.get(name):
                    self.last_id += 1
                    element.set(name, str(self.last_id))
            new.append(copied)
        new.extend(rest)
        run.addnext(new)
        return new

    def _mark(self, name: str, number: int) -> _Element:
        mark = self.root.makeelement(_in(self.space, name))
        mark.set(_in(self.space, "id"), str(number))
        return mark
