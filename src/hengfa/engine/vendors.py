"""Facts about vendors: where they are, where their key lies, and how they say what went wrong.

Tables only; `replies.py` reads them. A new vendor is a row in `PROVIDERS`, a new filter code is a
word in a set. Sources: the vendors' public API references.
"""

from __future__ import annotations

from typing import Literal

import msgspec

SchemaMode = Literal["json_schema", "json_object"]


class Provider(msgspec.Struct, frozen=True):
    """One OpenAI-compatible service.

    `key_variables` are tried in order. `throttling` are error codes that mean "too fast" here and
    "no money" elsewhere.
    """

    title: str
    base_url: str
    key_variables: tuple[str, ...] = ()
    length_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    schema_mode: SchemaMode = "json_schema"
    throttling: frozenset[str] = frozenset()


PROVIDERS: dict[str, Provider] = {
    "openai": Provider(
        "OpenAI", "https://api.openai.com/v1", ("OPENAI_API_KEY",), "max_completion_tokens"
    ),
    "deepseek": Provider(
        "DeepSeek",
        "https://api.deepseek.com/v1",
        ("DEEPSEEK_API_KEY",),
        schema_mode="json_object",
    ),
    "qwen": Provider(
        "Qwen (Alibaba DashScope)",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        ("DASHSCOPE_API_KEY",),
        schema_mode="json_object",
        throttling=frozenset({"insufficient_quota"}),  # tokens per minute, HTTP 429
    ),
    "glm": Provider(
        "GLM (Zhipu)",
        "https://open.bigmodel.cn/api/paas/v4",
        ("ZHIPUAI_API_KEY", "ZAI_API_KEY"),
        schema_mode="json_object",
    ),
    "doubao": Provider(
        "Doubao (Volcengine Ark)",
        "https://ark.cn-beijing.volces.com/api/v3",
        ("ARK_API_KEY",),
    ),
    "kimi": Provider(
        "Kimi (Moonshot)",
        "https://api.moonshot.cn/v1",
        ("MOONSHOT_API_KEY",),
        schema_mode="json_object",
    ),
    "vllm": Provider("vLLM", "http://localhost:8000/v1", ("VLLM_API_KEY",)),
    "sglang": Provider("SGLang", "http://localhost:30000/v1", ("SGLANG_API_KEY",)),
    "ollama": Provider("Ollama", "http://localhost:11434/v1", ("OLLAMA_API_KEY",)),
    "endpoint": Provider("Any OpenAI-compatible server", "", ("HENGFA_API_KEY",)),
}

OWN_FIELDS = frozenset(
    {"model", "messages", "stream", "stream_options", "temperature", "top_p", "seed", "stop"}
    | {"max_tokens", "max_completion_tokens", "tools", "tool_choice", "response_format"}
)
"""Fields of a request body that are set from the question and the options, never by --extra."""

REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Where servers put the thinking: DeepSeek, Qwen, GLM, Doubao, Kimi, SGLang; vLLM, Ollama."""

COMPLETE = frozenset({"stop", "tool_calls", "function_call", "eos", "eos_token", "stop_sequence"})
CUT = frozenset({"length", "max_tokens", "model_length", "model_context_window_exceeded"})
FILTER_FINISHES = frozenset({"content_filter", "sensitive", "safety", "content_filtered"})
REFUSALS = frozenset({"refusal"})
TROUBLE = frozenset({"insufficient_system_resource", "network_error", "error", "abort"})
"""Finish reasons of a server that gave up half-way (DeepSeek, GLM, vLLM): ask again."""

FILTER_CODES = frozenset(
    {
        "content_filter",  # OpenAI on Azure, Kimi
        "content_policy_violation",  # OpenAI
        "responsibleaipolicyviolation",  # Azure, inner code
        "data_inspection_failed",  # Qwen, compatible mode
        "datainspectionfailed",  # Qwen, native
        "1301",  # GLM
        "sensitivecontentdetected",  # Doubao, with more specific forms below
        "inputtextsensitivecontentdetected",
        "outputtextsensitivecontentdetected",
        "inputtextriskdetection",
        "outputtextriskdetection",
    }
)
FILTER_PHRASES = (
    "content exists risk",
    "considered high risk",
    "may contain inappropriate content",
)
"""For vendors that say it in words only: DeepSeek (HTTP 400), Kimi, Qwen."""

ACCOUNT_CODES = frozenset(
    {
        "insufficient_quota",  # OpenAI, HTTP 429
        "billing_hard_limit_reached",
        "invalid_api_key",
        "exceeded_current_quota_error",  # Kimi, HTTP 429
        "arrearage",  # Qwen, HTTP 400
        "accountoverdueerror",  # Doubao
        "1112",  # GLM: locked account
        "1113",  # GLM: no balance, HTTP 429
        "1121",
        "1304",  # GLM: the day's quota is used up
        "1308",
        "1309",
        "1310",
    }
)
"""The account, not the moment, is the trouble: asking again does not help."""

OVERLOAD_CODES = frozenset({"1302", "1303", "1305", "1312", "engine_overloaded_error"})
"""Asked too fast, whatever the HTTP status says (GLM, Kimi)."""

QUESTION_HTTP = frozenset({400, 413, 422})
"""The request itself is refused; another one may do."""

OVERLOAD_HTTP = frozenset({429, 503, 529})
RETRY_HTTP = frozenset({408, 409, 425, 500, 502, 504, 520, 521, 522, 523, 524}) | OVERLOAD_HTTP
