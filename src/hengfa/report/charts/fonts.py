"""A font with Chinese characters, for pictures that are drawn here and not in a browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

WHAT_TO_INSTALL: Final = (
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
CHINESE: Final = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")


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
    found: list[Path] = []
    for name in _FOLDERS:
        folder = Path(name).expanduser()
        found += (
            file for file in folder.rglob("*") if file.suffix.lower() in {".ttf", ".ttc", ".otf"}
        )
    return sorted(found)
