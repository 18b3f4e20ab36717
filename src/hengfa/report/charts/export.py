"""Charts into files: SVG, PNG, or a page of their own, with Chinese as it should be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from hengfa.data.jsonfile import write_atomically
from hengfa.data.paths import disk_errors
from hengfa.errors import DataError, UsageError
from hengfa.report.charts.fonts import CHINESE, WHAT_TO_INSTALL, find_chinese_font
from hengfa.report.charts.theme import Spec, config

KINDS: Final = (".svg", ".png", ".html")
_WIDTH: Final = 760
"""On paper; a page makes a chart as wide as its place."""
_SHARPNESS: Final = 2


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
        if kind not in KINDS:
            raise UsageError(f"{file}: the name must end in {', '.join(KINDS)}")
        notices = []
        if self._font is None and any(CHINESE.search(text) for text in _texts(spec)):
            problem = f"no font with Chinese characters was found: {WHAT_TO_INSTALL}"
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

    match kind:
        case ".png":
            return bytes(vl_convert.vegalite_to_png(spec, scale=_SHARPNESS))
        case ".svg":
            return str(vl_convert.vegalite_to_svg(spec)).encode()
        case _:
            return str(vl_convert.vegalite_to_html(spec, bundle=True)).encode()


def _texts(value: Any) -> Iterator[str]:
    """All texts in a specification."""
    match value:
        case str():
            yield value
        case dict():
            for one in value.values():
                yield from _texts(one)
        case list():
            for one in value:
                yield from _texts(one)
        case _:
            return
