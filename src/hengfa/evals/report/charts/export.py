"""Charts into files: SVG, PNG, or a page of their own, with Chinese as it should be.

Drawing happens here and not in a browser, so a font with Chinese characters has to be found first.
A site draws its charts in the browser instead, by what :func:`charting_library` takes out.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from hengfa.base.data.jsonfile import write_atomically
from hengfa.base.data.paths import disk_errors, home
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.report.charts.theme import Spec, config

_ENDINGS: Final = (".svg", ".png", ".html")
_WIDTH: Final = 760
"""On paper; a page makes a chart as wide as its place."""
_SHARPNESS: Final = 2
_WHAT_TO_INSTALL: Final = (
    "install one, such as the Debian package fonts-noto-cjk or fonts-wqy-microhei"
)
_FOLDERS: Final = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.fonts",
    "~/.local/share/fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
    "C:/Windows/Fonts",
)
_FAMILIES: Final = {
    "noto sans cjk": "Noto Sans CJK SC",
    "notosanscjk": "Noto Sans CJK SC",
    "notosanssc": "Noto Sans SC",
    "sourcehansans": "Source Han Sans SC",
    "wqy-microhei": "WenQuanYi Micro Hei",
    "wqy-zenhei": "WenQuanYi Zen Hei",
    "pingfang": "PingFang SC",
    "msyh": "Microsoft YaHei",
    "simhei": "SimHei",
}
"""The beginning of a file's name, in small letters, to its family; the better ones first."""
# Characters that fonts without Chinese lack: 推 and 。; not é or –.
_CHINESE: Final = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
# Characters on which the drawing of an SVG ends the process: ESC, half a surrogate pair; not tab.
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SNIPPET = "window.vegaEmbed = vegaEmbed; window.vegaLite = vegaLite; window.vega = vega;"


class Drawing:
    """Draws charts on this machine, with the best Chinese font that it has."""

    def __init__(self) -> None:
        self._font = find_chinese_font()
        if self._font is not None:
            import vl_convert  # noqa: PLC0415 - 60 MB

            vl_convert.register_font_directory(str(self._font.folder))

    def save(self, spec: Spec, file: Path) -> list[str]:
        """Draw into a file of one of three kinds; returns notices for the person.

        Without a Chinese font a PNG would show boxes, so it is refused. Texts of the other kinds
        are drawn by whoever opens them, who needs a font too.
        """
        kind = file.suffix.lower()
        if kind not in _ENDINGS:
            raise UsageError(f"{file}: the name must end in {', '.join(_ENDINGS)}")
        notices = []
        if self._font is None and any(_CHINESE.search(text) for text in _texts(spec)):
            problem = f"no font with Chinese characters was found: {_WHAT_TO_INSTALL}"
            if kind == ".png":
                raise DataError(problem, file=file)
            notices.append(f"{file}: {problem}; whoever opens it needs one")
        content = _content(self._on_paper(spec), kind)
        with disk_errors(file):
            file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, content)
        return notices

    def _on_paper(self, spec: Spec) -> Spec:
        family = f"{self._font.family}, sans-serif" if self._font else "sans-serif"
        width = {"width": _WIDTH} if spec.get("width") == "container" else {}
        return {**spec, **width, "config": config(family)}


def _content(spec: Spec, kind: str) -> bytes:
    import vl_convert  # noqa: PLC0415 - 60 MB

    spec = _drawable(spec)
    match kind:
        case ".png":
            return bytes(vl_convert.vegalite_to_png(spec, scale=_SHARPNESS))
        case ".svg":
            return str(vl_convert.vegalite_to_svg(spec)).encode()
        case _:
            return _page(spec)


def _page(spec: Spec) -> bytes:
    """A page with the chart and the library that draws it; names in it are never markup.

    Not vl-convert's own, which puts texts with `</script>` into the page as they are.
    """
    library = charting_library().replace(b"</script", b"<\\/script")
    return b"".join((
        b'<!doctype html>\n<meta charset="utf-8">\n<div id="chart"></div>\n<script>',
        library,
        b"</script>\n<script>vegaEmbed('#chart', ",
        msgspec.json.encode(spec).replace(b"<", rb"\u003c"),
        b")</script>\n",
    ))  # fmt: skip


def _drawable(value: Any) -> Any:
    """A specification whose texts can be drawn: what XML cannot hold is shown as unreadable."""
    match value:
        case str():
            return _NOT_XML.sub("\ufffd", value)
        case dict():
            return {_drawable(name): _drawable(part) for name, part in value.items()}
        case list() | tuple():
            return [_drawable(part) for part in value]
        case _:
            return value


def _texts(value: Any) -> Iterator[str]:
    """All texts in a specification."""
    match value:
        case str():
            yield value
        case dict():
            for part in value.values():
                yield from _texts(part)
        case list():
            for part in value:
                yield from _texts(part)
        case _:
            return


def charting_library() -> bytes:
    """The script that defines `vegaEmbed`, `vegaLite` and `vega`, for pages.

    It ships inside vl-convert; taking it out takes seconds, so it is kept in Hengfa's folder.
    """
    import vl_convert  # noqa: PLC0415 - 60 MB

    versions = (
        vl_convert.get_vega_version(),
        vl_convert.get_vegalite_versions()[-1],
        vl_convert.get_vega_embed_version(),
    )
    file = home() / "cache" / f"vega-{'-'.join(versions)}.js"
    if not file.is_file():
        with disk_errors(file):
            file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, vl_convert.javascript_bundle(_SNIPPET).encode())
    return file.read_bytes()


class Font(NamedTuple):
    family: str
    folder: Path


def find_chinese_font() -> Font | None:
    """The best one on this machine, asked of fontconfig or looked for in the usual folders."""
    files = _from_fontconfig() or _from_folders()
    for start, family in _FAMILIES.items():
        for file in files:
            if file.name.lower().startswith(start):
                return Font(family, file.parent)
    return None


def _from_fontconfig() -> list[Path]:
    command = shutil.which("fc-list")
    if command is None:
        return []
    done = subprocess.run(  # noqa: S603 - no word of it comes from outside
        [command, ":lang=zh", "file"], capture_output=True, text=True, check=False, timeout=20
    )
    return sorted(Path(line.rstrip(": ")) for line in done.stdout.splitlines() if line.strip())


def _from_folders() -> list[Path]:
    return sorted(
        file
        for name in _FOLDERS
        for file in Path(name).expanduser().rglob("*")
        if file.suffix.lower() in {".ttf", ".ttc", ".otf"}
    )
