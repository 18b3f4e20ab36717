"""Which programs are compared, where they live, and how the harnesses are installed.

The versions are pinned so that a figure can be had again. None of the harnesses needs torch for
asking an endpoint; the constraint makes an installation fail rather than pull gigabytes of it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
BENCH = SCRIPTS.parents[1] / ".bench"
NEVER = "torch<0"


@dataclass(frozen=True)
class Program:
    """One contender; without a `venv` it runs in the Python that runs the benchmark."""

    title: str
    script: str
    package: str  # whose version is shown
    venv: str = ""
    is_harness: bool = False
    per_round: int = 1  # cheap ones are run more often: their figures are small, and noise is not

    @property
    def python(self) -> Path:
        return BENCH / self.venv / "bin" / "python" if self.venv else Path(sys.executable)

    def version(self) -> str | None:
        """`aiohttp 3.14.5`, or None where it is not installed."""
        code = f"from importlib.metadata import version; print(version({self.package!r}))"
        if not self.python.exists():
            return None
        asked = subprocess.run(
            [self.python, "-c", code], capture_output=True, text=True, check=False
        )
        return f"{self.package} {asked.stdout.strip()}" if asked.returncode == 0 else None


BASELINE = Program("bare aiohttp loop", "bare_loop.py", "aiohttp", per_round=3)
OURS = Program("our engine", "our_engine.py", "hengfa", per_round=3)
PROGRAMS = (
    BASELINE,
    OURS,
    Program("bare httpx loop", "httpx_loop.py", "httpx", venv="inspect-ai"),
    Program("lm-eval", "lm_eval_harness.py", "lm_eval", venv="lm-eval", is_harness=True),
    Program("evalscope", "evalscope_harness.py", "evalscope", venv="evalscope", is_harness=True),
    Program("Inspect AI", "inspect_harness.py", "inspect_ai", venv="inspect-ai", is_harness=True),
)
REQUIREMENTS = {
    "lm-eval": ["lm-eval[api]==0.4.13"],
    "evalscope": ["evalscope==1.14.1"],
    "inspect-ai": ["inspect-ai==0.3.285", "openai==3.49.0", "httpx==0.28.1"],
}


def install() -> None:
    """Make the virtual environments of the harnesses under .bench/, with uv where it is at hand."""
    BENCH.mkdir(exist_ok=True)
    constraints = BENCH / "constraints.txt"
    constraints.write_text(f"{NEVER}\n")
    uv = shutil.which("uv")
    for name, requirements in REQUIREMENTS.items():
        folder = BENCH / name
        python = folder / "bin" / "python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        command: list[str | Path] = [python, "-m", "pip", "install", "-q"]
        if uv is not None:
            command = [uv, "pip", "install", "-q", "--compile-bytecode", "--python", python]
        print(f"installing {', '.join(requirements)} into {folder}", flush=True)
        subprocess.run([*command, "-c", constraints, *requirements], check=True)
