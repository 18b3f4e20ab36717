"""The charting library for pages: Vega, Vega-Lite and Vega-Embed in one script.

It ships inside vl-convert; taking it out takes seconds, so it is kept in Hengfa's folder.
"""

from __future__ import annotations

from hengfa.data.jsonfile import write_atomically
from hengfa.data.paths import disk_errors, home

_SNIPPET = "window.vegaEmbed = vegaEmbed; window.vegaLite = vegaLite; window.vega = vega;"


def library() -> bytes:
    """The script that defines `vegaEmbed`, `vegaLite` and `vega`."""
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
