"""A Word file with everything in it that must survive, and ways to look at one."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from lxml import etree

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
KIND = "application/vnd.openxmlformats-officedocument.wordprocessingml"
MARKS = ("commentRangeStart", "commentRangeEnd", "commentReference")

BOX = (
    '<w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" style="width:200pt;height:40pt">'
    "<v:textbox><w:txbxContent><w:p><w:r><w:t>框内见《云港海岸法》第四条。</w:t></w:r></w:p>"
    "</w:txbxContent></v:textbox></v:shape></w:pict>"
)
TRACKED = 'w:author="甲" w:date="2021-01-01T00:00:00Z"'
BODY = f"""
<w:p w:rsidR="00AA"><w:pPr><w:jc w:val="center"/></w:pPr>
<w:r w:rsidR="00BB"><w:rPr><w:b/></w:rPr><w:t>关于海滩的意见</w:t></w:r></w:p>
<w:p><w:r><w:rPr><w:rFonts w:eastAsia="仿宋"/><w:sz w:val="28"/><w:rPrChange w:id="7" {TRACKED}>
<w:rPr><w:i/></w:rPr></w:rPrChange></w:rPr><w:t xml:space="preserve">依照 《云港海</w:t></w:r>
<w:r><w:rPr><w:u w:val="single"/></w:rPr><w:t>岸法》第四</w:t><w:t>条的规定，</w:t></w:r>
<w:proofErr w:type="spellStart"/><w:del w:id="1" {TRACKED}><w:r><w:delText>第三条</w:delText></w:r>
</w:del><w:ins w:id="2" {TRACKED}><w:r><w:t>又依《云港海岸法》第九条之九，</w:t></w:r></w:ins>
<w:r><w:t>应当点灯</w:t><w:tab/><w:t>。</w:t></w:r>
<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="2"/></w:r></w:p>
<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/></w:tblPr><w:tblGrid><w:gridCol w:w="4000"/>
<w:gridCol w:w="4000"/></w:tblGrid><w:tr><w:tc><w:tcPr><w:tcW w:w="4000" w:type="dxa"/></w:tcPr>
<w:p><w:r><w:t>依据</w:t></w:r></w:p></w:tc><w:tc><w:p><w:hyperlink w:anchor="x">
<w:r><w:t>《云港海岸法》第五条</w:t></w:r></w:hyperlink></w:p></w:tc></w:tr></w:tbl>
<w:p><w:r><w:t>见图</w:t>{BOX}<w:t>：《云港渔港法》第二条。</w:t></w:r></w:p>
<w:p><w:commentRangeStart w:id="3"/><w:r><w:t>旧批注</w:t></w:r><w:commentRangeEnd w:id="3"/>
<w:r><w:commentReference w:id="3"/></w:r><w:r><w:t>《云港海岸法》第四条、第五条</w:t></w:r>
<w:bookmarkStart w:id="9" w:name="x"/><w:bookmarkEnd w:id="9"/></w:p>
<w:p><w:r><w:t>2021年5月5日</w:t></w:r></w:p>
<w:sectPr><w:headerReference xmlns:r="{OFFICE}" w:type="default" r:id="rId2"/>
<w:pgSz w:w="11906" w:h="16838"/></w:sectPr>
"""
OTHERS = {
    "footnotes": '<w:footnote w:type="separator" w:id="0"><w:p/></w:footnote><w:footnote w:id="2">'
    "<w:p><w:r><w:t>参见《云港登山法》第三条。</w:t></w:r></w:p></w:footnote>",
    "header1": "<w:p><w:r><w:t>页眉《云港海岸法》第一条</w:t></w:r></w:p>",
    "comments": '<w:comment w:id="3" w:author="甲" w:initials="J"><w:p><w:r><w:t>旧</w:t></w:r>'
    "</w:p></w:comment>",
}
ROOTS = {"footnotes": "footnotes", "header1": "hdr", "comments": "comments"}


def word_parts(
    body: str = BODY, others: Mapping[str, str] = OTHERS, space: str = W
) -> dict[str, bytes]:
    """The parts of a file; the order is that of the archive."""
    relations = "".join(
        f'<Relationship Id="rId{number}" Type="{OFFICE}/{name.rstrip("1")}" Target="{name}.xml"/>'
        for number, name in enumerate(others, 1)
    )
    overrides = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{KIND}.{name.rstrip("1")}+xml"/>'
        for name in others
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override'
        f' PartName="/word/document.xml" ContentType="{KIND}.document.main+xml"/>{overrides}'
        "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1"'
        f' Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f"{relations}</Relationships>",
        "word/document.xml": f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>',
    }
    for name, content in others.items():
        root = ROOTS[name]
        parts[f"word/{name}.xml"] = f'<w:{root} xmlns:w="{space}">{content}</w:{root}>'
    return {name: content.encode() for name, content in parts.items()} | {
        "word/media/image1.png": b"\x89PNG not really"
    }


def word_archive(parts: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in parts.items():
            new.writestr(name, content)
    return stream.getvalue()


def parts_of(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def w(name: str, space: str = W) -> str:
    return f"{{{space}}}{name}"


def body_of(content: bytes) -> Any:
    return etree.fromstring(parts_of(content)["word/document.xml"])


def atoms(root: Any, new: set[str], space: str = W) -> Iterator[tuple[str, str, str]]:
    """Everything in the runs of a body in order, character by character.

    Each with its formatting and all that it stands in; the comments of these numbers left out.
    """
    for child in root.iter("*"):
        run = child.getparent()
        mine = child.tag == w(MARKS[2], space) and child.get(w("id", space)) in new
        if run is None or run.tag != w("r", space) or child.tag == w("rPr", space) or mine:
            continue
        style = run.find(w("rPr", space))
        looks = "" if style is None else _written(style, space)
        within = " ".join(f"{p.tag}{sorted(p.attrib.items())}" for p in child.iterancestors())
        if child.tag == w("t", space):
            yield from ((character, looks, within) for character in "".join(child.itertext()))
        else:  # the runs of a text box come after it
            boxed = child.find(f".//{w('r', space)}") is not None
            yield child.tag if boxed else _written(child, space), looks, within


def _written(element: Any, space: str) -> str:
    copied = deepcopy(element)
    copied.tail = None
    for change in copied.iter(w("rPrChange", space)):
        change.attrib.pop(w("id", space))  # each of two halves has one of its own
    return str(etree.tostring(copied, method="c14n", exclusive=True), "utf-8")


def frame(root: Any, new: set[str], space: str = W) -> str:
    """The body without its runs and without the comments of these numbers."""
    copied = deepcopy(root)
    for element in list(copied.iter("*")):
        mine = element.tag in {w(name, space) for name in MARKS}
        if (element.tag == w("r", space) and element.getparent() is not None) or (
            mine and element.get(w("id", space)) in new
        ):
            element.getparent().remove(element)
    return str(etree.tostring(copied, method="c14n"), "utf-8")


def commented_text(root: Any, space: str = W) -> dict[str, str]:
    """The text in the range of each comment; every range must have a beginning, an end, a mark."""
    told: dict[str, str] = {}
    open_: set[str] = set()
    ended: set[str] = set()
    for element in root.iter("*"):
        number = element.get(w("id", space))
        if element.tag == w(MARKS[0], space):
            assert number not in told
            told[number] = ""
            open_.add(number)
        elif element.tag == w(MARKS[1], space):
            open_.remove(number)
            ended.add(number)
        elif element.tag == w(MARKS[2], space):
            ended.remove(number)
        elif element.tag in {w("t", space), w("delText", space)}:
            for number in open_:
                told[number] += element.text or ""
    assert not open_
    assert not ended
    return told
