"""What every page of ours stands on: `dom.js` puts the texts of others in as text, and `tables`
does so for notebooks."""

from pathlib import Path
from typing import Final

DOM: Final = Path(__file__).with_name("dom.js")
