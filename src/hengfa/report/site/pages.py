"""The pages themselves: what lies in `assets/`, and the charting library beside it."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from hengfa.report.charts.export import charting_library

PAGES = Path(str(resources.files("hengfa.report.site").joinpath("assets")))


def copy_pages(site: Path) -> None:
    """Pages to the root of the site, all that they load to its `assets` folder."""
    folder = site / "assets"
    folder.mkdir()
    for file in sorted(PAGES.iterdir()):
        if file.is_file() and not file.name.startswith("."):
            target = site if file.suffix == ".html" else folder
            (target / file.name).write_bytes(file.read_bytes())
    (folder / "vega.js").write_bytes(charting_library())
