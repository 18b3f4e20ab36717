"""Charts by Vega-Lite: how they look, the pieces they are made of, and how they get into files.

Colours are such that people with colour-blindness can tell them apart. A specification names only
the colours of what it shows. What surrounds it, such as text, axes and grid, gets its colours from
:func:`config` when it is drawn into a file, and from the page itself on a page.

Drawing into files (SVG, PNG, or a page of their own) happens here and not in a browser, so a font
with Chinese characters has to be found first. A site draws its charts in the browser instead, by
what :func:`charting_library` takes out.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from hengfa.base.data.jsonfile import write_in_folder
from hengfa.base.data.paths import home
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.report.words import Text

Spec: TypeAlias = dict[str, Any]
"""A Vega-Lite specification, or a part of one; its texts may be in both languages."""
SERIES: Final = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#d55e00",
    "#56b4e9",
    "#8a6fd1",
    "#7f7f7f",
)
"""For models and classes: after Okabe and Ito, without black and yellow, which vanish on a dark or
on a light page."""
MOST_SERIES: Final = len(SERIES)
SCORES: Final = ("#f1f5f9", "#9ecae1", "#3d8fc4", "#0b4f86", "#082f55")
"""From 0 to 1; dark is much."""
ABSTENTION: Final = ("#f7f7f7", "#fdd9b4", "#f6a15b", "#d55e00", "#7a3300")
DARK_TEXT, LIGHT_TEXT = "#111827", "#ffffff"
SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
ROW_HEIGHT: Final = 20
_INK, _LINE = "#1f2933", "#d8dee6"
_LABEL_LIMIT: Final = 260


def config(font: str = "sans-serif") -> Spec:
    """What Vega-Lite takes as `config` for a picture on white paper."""
    text = {"labelColor": _INK, "titleColor": _INK, "labelFont": font, "titleFont": font}
    return {
        "background": "#ffffff",
        "font": font,
        "axis": {**text, "gridColor": _LINE, "domainColor": _LINE, "tickColor": _LINE},
        "legend": text,
        "title": {"color": _INK, "font": font},
        "text": {"color": _INK, "font": font},
        "view": {"stroke": None},
    }


def chart(values: Sequence[Mapping[str, Any]], **more: Any) -> Spec:
    """A specification with its data inside, as wide as the place it is shown in.

    Heights are numbers: the library complains about a `step` in a chart whose width fits.
    """
    return {"$schema": SCHEMA, "data": {"values": list(values)}, "width": "container", **more}


def layer(mark: Spec, **encoding: Any) -> Spec:
    return {"mark": mark, "encoding": encoding}


def per_cent(value: float | None) -> float | None:
    """A fraction as people quote it."""
    return None if value is None else round(value * 100, 2)


def channel(field: str, kind: str, **more: Any) -> Spec:
    """What a field of the data is shown by: a place, a colour, a shape."""
    return {"field": field, "type": kind, **more}


def names_axis(order: Sequence[Text], field: str = "name") -> Spec:
    """Names down the side, in this order; nothing is cut that a reader needs."""
    axis = {"labelLimit": _LABEL_LIMIT, "ticks": False, "domain": False}
    return channel(field, "nominal", sort=list(order), title=None, axis=axis)


def number_axis(field: str, title: Text, domain: tuple[float, float] | None = None) -> Spec:
    scale = {"zero": True} if domain is None else {"domain": list(domain)}
    return channel(field, "quantitative", title=title, axis={"tickCount": 6}, scale=scale)


def colours(field: str, domain: Sequence[Text], range_: Sequence[str], title: Text | None) -> Spec:
    """A colour for each of a few names, in this order; no legend without a choice."""
    limits = {"columns": 3, "symbolLimit": 60, "labelLimit": 260}
    legend = {"title": title, "orient": "bottom", **limits} if len(domain) > 1 else None
    scale = {"domain": list(domain), "range": list(range_)[: len(domain)]}
    return channel(field, "nominal", scale=scale, legend=legend)


def tooltip(**titles: Text) -> list[Spec]:
    """Fields with the words that stand before them."""
    return [{"field": field, "title": title} for field, title in titles.items()]


def chosen_in_legend(field: str) -> list[Spec]:
    """A click on a name in the legend makes the others pale."""
    return [{"name": "chosen", "select": {"type": "point", "fields": [field]}, "bind": "legend"}]


PALE_UNLESS_CHOSEN: Final[Spec] = {
    "condition": {"param": "chosen", "value": 1.0, "empty": True},
    "value": 0.08,
}


# --- into files ---

PICTURES: Final = (".svg", ".png", ".html")
"""What a chart can be written as, by the ending of the file."""
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
        if kind not in PICTURES:
            raise UsageError(f"{file}: the name must end in {', '.join(PICTURES)}")
        notices = []
        if self._font is None and any(_CHINESE.search(text) for text in _texts(spec)):
            problem = f"no font with Chinese characters was found: {_WHAT_TO_INSTALL}"
            if kind == ".png":
                raise DataError(problem, file=file)
            notices.append(f"{file}: {problem}; whoever opens it needs one")
        family = f"{self._font.family}, sans-serif" if self._font else "sans-serif"
        width = {"width": _WIDTH} if spec.get("width") == "container" else {}
        write_in_folder(file, _content({**spec, **width, "config": config(family)}, kind))
        return notices


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
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


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
        write_in_folder(file, vl_convert.javascript_bundle(_SNIPPET).encode())
    return file.read_bytes()


class Font(NamedTuple):
    family: str
    folder: Path


def find_chinese_font() -> Font | None:
    """The best one on this machine, asked of fontconfig or looked for in the usual folders."""
    files = _from_fontconfig() or sorted(
        file
        for name in _FOLDERS
        for file in Path(name).expanduser().rglob("*")
        if file.suffix.lower() in {".ttf", ".ttc", ".otf"}
    )
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
