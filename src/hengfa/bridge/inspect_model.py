"""Any provider of Inspect AI as one of our models: `--model inspect:anthropic/…`."""

from __future__ import annotations

import os

from inspect_ai.model import get_model

from hengfa.bridge.inspect_messages import from_output, to_config, to_inspect, to_tool_info
from hengfa.engine.config import Secret
from hengfa.engine.messages import Request, Response, Unavailable
from hengfa.errors import HengfaError, UsageError


class InspectModel:
    """Asks through Inspect's provider; pacing, retries, journal and budgets stay ours."""

    def __init__(self, name: str, model: str, base_url: str | None, timeout: float) -> None:
        self.name = name
        self.address = base_url or ""
        self._timeout = timeout
        try:
            self._model = get_model(model, base_url=base_url, memoize=False)
        except Exception as error:  # noqa: BLE001 - each provider has its own kind of error
            raise UsageError(f"--model {name}: Inspect says: {_hide_keys(str(error))}") from None

    async def generate(self, request: Request) -> Response:
        try:
            output = await self._model.generate(
                [to_inspect(message) for message in request.messages],
                tools=[to_tool_info(tool) for tool in request.options.tools],
                config=to_config(request.options, self._timeout),
            )
        except HengfaError:
            raise
        except Exception as error:
            cause = _root_cause(error)
            reason = _hide_keys(f"{type(cause).__name__}: {cause}")
            slow = any(sign in reason for sign in ("429", "503", "529", "RateLimit", "Timeout"))
            raise Unavailable(" ".join(reason.split())[:300], overloaded=slow) from error
        return from_output(output)

    async def close(self) -> None:
        await self._model.__aexit__(None, None, None)


def _root_cause(error: BaseException) -> BaseException:
    """What happened, rather than that retrying ended."""
    last_attempt = getattr(error, "last_attempt", None)
    return (last_attempt.exception() if last_attempt is not None else None) or error


def _hide_keys(text: str) -> str:
    """Without any key of the environment: Inspect reads them itself, so we do not know which."""
    for name, value in os.environ.items():
        if name.endswith(("_KEY", "_TOKEN", "_SECRET")) and len(value) >= 8:
            text = Secret(value).hide(text)
    return text
