"""What every page of ours stands on: `dom.js`, which puts the texts of others in as text."""

from pathlib import Path
from typing import Final

DOM: Final = Path(__file__).with_name("dom.js")
