"""Any provider of Inspect AI as one of our models: `--model inspect:anthropic/…`.

Below the model are our messages and responses in Inspect's words, and back.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

import msgspec
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    ResponseSchema,
    get_model,
)
from inspect_ai.tool import ToolCall as InspectToolCall
from inspect_ai.tool import ToolInfo, ToolParams
from inspect_ai.util import JSONSchema

from hengfa.base.data.jsonfile import json_decoder, whole_characters
from hengfa.base.errors import HengfaError, UsageError
from hengfa.base.secrets import PrivateFields, Redaction, Secret, read_address, secrets_of
from hengfa.evals.engine.messages import (
    Message,
    Options,
    Request,
    Response,
    Status,
    ToolCall,
    ToolSpec,
    Unavailable,
    Usage,
)
from hengfa.evals.engine.replies import redact, split_thinking


class InspectModel:
    """Asks through Inspect's provider; pacing, retries, journal and budgets stay ours."""

    def __init__(
        self,
        name: str,
        model: str,
        base_url: str | None,
        timeout: float,
        private: PrivateFields | None = None,
    ) -> None:
        self.name = name
        address = read_address(base_url or "", "base_url")
        self.address = address.shown
        self._timeout = timeout
        self._private = private or PrivateFields()
        # all of them: Inspect reads them itself, so we do not know which
        keys = [
            Secret(value.strip())
            for name, value in os.environ.items()
            if name.endswith(("_KEY", "_TOKEN", "_SECRET")) and len(value) >= 8
        ]
        self._redaction = Redaction([*keys, *address.secrets, *secrets_of(self._private)])
        try:
            self._model = get_model(model, base_url=base_url, memoize=False)
        except Exception as error:  # noqa: BLE001 - each provider has its own kind of error
            said = self._redaction.hide_message(str(error))
            raise UsageError(f"{name}: Inspect says: {said}") from None

    async def generate(self, request: Request) -> Response:
        try:
            options = request.options
            extra = {**options.extra, **self._private}
            config = to_config(msgspec.structs.replace(options, extra=extra), self._timeout)
            output = await ask_model(self._model, request, config)
        except HengfaError:
            raise
        except Exception as error:  # noqa: BLE001 - each provider has its own kind of error
            last_attempt = getattr(error, "last_attempt", None)  # not that retrying ended
            cause = (last_attempt.exception() if last_attempt is not None else None) or error
            reason = self._redaction.hide_message(f"{type(cause).__name__}: {cause}")
            slow = any(sign in reason for sign in ("429", "503", "529", "RateLimit", "Timeout"))
            raise Unavailable(" ".join(reason.split())[:300], overloaded=slow) from None
        return redact(from_output(output), self._redaction)

    async def close(self) -> None:
        await self._model.__aexit__(None, None, None)


async def ask_model(model: Model, request: Request, config: GenerateConfig) -> ModelOutput:
    return await model.generate(
        [to_inspect(message) for message in request.messages],
        tools=[to_tool_info(tool) for tool in request.options.tools],
        config=config,
    )


# --- our words in Inspect's, and back ---

_STOPS = {
    "max_tokens": Status.TRUNCATED,
    "model_length": Status.TRUNCATED,
    "content_filter": Status.FILTERED,
    "unknown": Status.FAILED,  # Inspect's word for refusals and faults that it has no word for
}


def to_inspect(message: Message) -> ChatMessage:
    if message.role == "system":
        return ChatMessageSystem(content=message.content)
    if message.role == "user":
        return ChatMessageUser(content=message.content)
    if message.role == "tool":
        return ChatMessageTool(content=message.content, tool_call_id=message.tool_call_id)
    return ChatMessageAssistant(content=message.content, tool_calls=_calls(message.tool_calls))


def _calls(calls: Sequence[ToolCall]) -> list[InspectToolCall] | None:
    return [
        InspectToolCall(id=call.id, function=call.name, arguments=_arguments(call.arguments))
        for call in calls
    ] or None


def to_tool_info(tool: ToolSpec) -> ToolInfo:
    return ToolInfo(
        name=tool.name,
        description=tool.description,
        parameters=ToolParams.model_validate(tool.parameters),
    )


def to_config(options: Options, timeout: float | None = None) -> GenerateConfig:
    """Our options in Inspect's words; retrying is left to our session."""
    schema = options.reply_schema
    return GenerateConfig(
        max_retries=0,
        timeout=None if timeout is None else max(1, round(timeout)),
        temperature=options.temperature,
        top_p=options.top_p,
        max_tokens=options.max_new_tokens,
        seed=options.seed,
        stop_seqs=list(options.stop) or None,
        extra_body=options.extra or None,
        response_schema=None
        if schema is None
        else ResponseSchema(name="reply", json_schema=JSONSchema.model_validate(schema)),
    )


def from_output(output: ModelOutput) -> Response:
    """A response with our status; Inspect raises real errors, so what it returns is a reply."""
    usage = _usage(output.usage)
    if not output.choices:
        return Response(status=Status.EMPTY, reason=output.error or "no choices", usage=usage)
    choice = output.choices[0]
    message = choice.message
    thinking, text = split_thinking(whole_characters(message.text))
    if isinstance(message.content, list):
        parts = [part.reasoning for part in message.content if isinstance(part, ContentReasoning)]
        thinking = "\n".join(parts) or thinking
    calls = tuple(
        ToolCall(call.id, call.function, msgspec.json.encode(call.arguments).decode())
        for call in message.tool_calls or []
    )
    status, reason = _STOPS.get(choice.stop_reason, Status.ANSWERED), ""
    if status is not Status.ANSWERED:
        reason = f"stop_reason {choice.stop_reason!r}"
    elif text is None:
        status, reason = Status.TRUNCATED, "thinking never ended"
    elif not text.strip() and not calls:
        status, reason = Status.EMPTY, "no text"
    return Response(
        status=status,
        text=text or "",
        reasoning=thinking,
        tool_calls=calls,
        usage=usage,
        reason=reason,
        served_by=output.model,
    )


def number(value: float | None) -> float:
    """A score for Inspect; not a number where the rule leaves the sample out of the count."""
    return math.nan if value is None else value


def to_output(model: str, response: Response) -> ModelOutput:
    stop = {
        Status.ANSWERED: "stop",
        Status.EMPTY: "stop",
        Status.TRUNCATED: "max_tokens",
        Status.FILTERED: "content_filter",
    }
    output = ModelOutput.from_content(
        model=model, content=response.text, stop_reason=stop.get(response.status, "unknown")
    )
    if response.reasoning:
        output.choices[0].message.content = [
            ContentReasoning(reasoning=response.reasoning),
            *([ContentText(text=response.text)] if response.text else []),
        ]
    output.choices[0].message.tool_calls = _calls(response.tool_calls)
    output.time = response.seconds or None
    output.error = response.reason or None
    if response.usage is not None:
        output.usage = ModelUsage(
            input_tokens=response.usage.input,
            output_tokens=response.usage.output,
            total_tokens=response.usage.total,
            reasoning_tokens=response.usage.reasoning or None,
            input_tokens_cache_read=response.usage.cached or None,
        )
    return output


def _usage(usage: ModelUsage | None) -> Usage | None:
    if usage is None:
        return None
    return Usage(
        input=usage.input_tokens,
        output=usage.output_tokens,
        reasoning=usage.reasoning_tokens or 0,
        cached=usage.input_tokens_cache_read or 0,
    )


_object = json_decoder(dict[str, object])


def _arguments(text: str) -> dict[str, object]:
    try:
        return _object(text)
    except msgspec.DecodeError:
        return {"arguments": text}
