"""Facts about vendors: where they are, where their key lies, and how they say what went wrong.

Tables only; `replies.py` and `signs.py` read them. A new vendor is a row in `PROVIDERS`, a new
filter code is a word in a set, a new field that tells of trouble is a word in `SIGNS`. Sources: the
vendors' public API references.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from hengfa.engine.messages import Status

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


class BatchForm(msgspec.Struct, frozen=True):
    """How a service takes many requests at once, for later and for less.

    A file of lines is uploaded, of which a batch is made; `url` is what both name as the place of
    the questions. `window` is how long it may take, where that must be said. `share` is what is
    paid of the ordinary price; 1 where the vendor's documentation, as far as we saw it, names none.
    Kimi names no number of lines; it is taken to be that of the others. Of two limits that a vendor
    gave at different times the smaller one is here. Where there is a path `held` there are no
    files: a question is put there, and the connection held until it is answered.
    """

    source: str
    lines: int = 50_000
    file_bytes: int = 100_000_000
    url: str = "/v1/chat/completions"
    window: str = "24h"
    share: float = 1.0
    held: str = ""


BATCHES: dict[str, BatchForm] = {
    "openai": BatchForm(
        "OpenAI's API reference (create batch) and its Batch API FAQ",
        file_bytes=200_000_000,
        share=0.5,
    ),
    "qwen": BatchForm("Alibaba's Model Studio: OpenAI compatible, Batch", share=0.5),
    "glm": BatchForm(
        "Zhipu's guide to the Batch API, and its reference (create batch)",
        url="/v4/chat/completions",
        window="",
        share=0.5,
    ),
    "kimi": BatchForm("Kimi's Batch API guide, and its reference (create batch)"),
    "doubao": BatchForm(
        "Volcengine Ark: BatchChatCompletions, and batch inference of BytePlus ModelArk",
        held="batch/chat/completions",
        share=0.5,
    ),
    "endpoint": BatchForm("a gateway that speaks as OpenAI does"),
}

COMPLETION_BATCHES = {"openai": "/v1/completions", "endpoint": "/v1/completions"}
"""Of services whose batches also go on with texts: what the lines name as their place."""

OWN_FIELDS = frozenset(
    {
        "model",
        "messages",
        "prompt",
        "stream",
        "stream_options",
        "temperature",
        "top_p",
        "seed",
        "stop",
    }
    | {"max_tokens", "max_completion_tokens", "tools", "tool_choice", "response_format"}
)
"""Fields of a request body that are set from the question and the options, never by --extra."""

REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Where servers put the thinking: DeepSeek, Qwen, GLM, Doubao, Kimi, SGLang; vLLM, Ollama."""

COMPLETE = frozenset({"stop", "tool_calls", "function_call", "eos", "eos_token", "stop_sequence"})
CUT = frozenset(
    {"length", "max_tokens", "max_output", "model_length", "model_context_window_exceeded"}
)
FILTER_FINISHES = frozenset({"content_filter", "sensitive", "safety", "content_filtered"})
REFUSALS = frozenset({"refusal"})
TROUBLE = frozenset({"insufficient_system_resource", "network_error", "error", "abort"})
"""Finish reasons of a server that gave up half-way (DeepSeek, GLM, vLLM): ask again."""

NO_FINISH = frozenset({"", "null", "none"})
"""The finish reason of a piece after which more comes; Qwen's native streams write "null"."""

_NOTHING = frozenset({"", "0", "false", "null", "none", "no", "safe", "pass"})
_FINE = frozenset(
    {"", "0", "200", "20000", "null", "none", "true", "ok", "done", "finished", "normal"}
    | {"success", "succeeded", "successful", "complete", "completed"}
    | {"成功", "请求成功", "操作成功", "调用成功"}
)


class Sign(msgspec.Struct, frozen=True):
    """Fields that tell of trouble, wherever in a reply they stand, unless their value is `calm`.

    `status` is how a reply with such a field ends; one that failed is read like any error, for its
    code may say more. An object or a list is looked into, or counts `whole`: any value in it that
    is not calm is trouble.
    """

    fields: frozenset[str]
    status: Literal[Status.FILTERED, Status.FAILED] = Status.FAILED
    calm: frozenset[str] = _NOTHING
    whole: bool = False


SIGNS = (
    Sign(frozenset({"error", "errors", "err", "exception", "innererror"}), whole=True),
    Sign(
        frozenset({"code", "status_code", "error_code", "err_code", "errno", "ret_code", "status"}),
        calm=_FINE,  # MiniMax's base_resp; gateways that answer {"code": 0, "choices": …}
    ),
    Sign(
        frozenset({"message", "msg", "status_msg", "error_msg", "err_msg", "detail"}),
        calm=_FINE,  # the words beside these codes
    ),
    Sign(frozenset({"success", "ok"}), calm=frozenset({"", "true", "1", "yes", "ok", "success"})),
    Sign(frozenset({"moderation_hit_type"}), Status.FILTERED),  # Doubao, with finish_reason "stop"
    Sign(frozenset({"input_sensitive", "output_sensitive"}), Status.FILTERED),  # MiniMax
    Sign(frozenset({"content_filter"}), Status.FILTERED, whole=True),  # GLM: [{"role", "level"}]
    Sign(frozenset({"filtered"}), Status.FILTERED),  # Azure: content_filter_results.hate.filtered
)
"""Known signs of trouble. Names are compared in small letters and without `_` and `-`."""

SUSPECT = re.compile(
    r"^err|error|fail(?!over)|exception|abort|reject|denied|violat|sensitive|moderat|blocked|"
    r"flagged|unsafe|banned|censor|^risk|错误|失败|异常|违规|敏感"
)
"""A name that sounds like trouble: errMsg, is_blocked, `event: error`; not failover, asterisk.

As a field with a value it is an unknown sign: such a reply is no answer until the field is entered
above. As the value of a field in `KINDS` it is trouble too: {"object": "error"}.
"""

KINDS = frozenset({"type", "object", "event", "kind", "role"})

DATA_FIELDS = frozenset(
    {"tool_calls", "function_call", "usage", "logprobs", "prompt_logprobs", "metadata"}
    | {"annotations", "citations", "references", "web_search", "search_info", "search_results"}
)
"""Fields in which a `code` or an `error` is the model's, a source's or the user's own."""

FILTER_NOTES = frozenset({"content_filter_results", "content_filter_result"})
"""Azure's notes on an answer; an `error` in here says that it was not looked at, no more."""

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
        "status_code 1026",  # MiniMax: the question
        "status_code 1027",  # MiniMax: the answer
    }
)
"""Codes in small letters; those that are a mere number in `status_code` have its name before them,
for in `code` the same number is another vendor's.
"""

FILTER_PHRASES = (
    "content exists risk",
    "considered high risk",
    "may contain inappropriate content",
    "new_sensitive",
)
"""For vendors that say it in words only: DeepSeek (HTTP 400), Kimi, Qwen; MiniMax."""

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
        "status_code 1004",  # MiniMax: not authorized
        "status_code 1008",  # MiniMax: no balance
        "status_code 2049",  # MiniMax: invalid key
        "status_code 2056",  # MiniMax: the plan is used up
    }
)
"""The account, not the moment, is the trouble: asking again does not help."""

OVERLOAD_CODES = frozenset(
    {"1302", "1303", "1305", "1312", "engine_overloaded_error"}
    | {"status_code 1002", "status_code 1039", "status_code 1041", "status_code 2045"}
)
"""Asked too fast, whatever the HTTP status says (GLM, Kimi; MiniMax)."""

QUESTION_HTTP = frozenset({400, 413, 422})
"""The request itself is refused; another one may do."""

OVERLOAD_HTTP = frozenset({429, 503, 529})
RETRY_HTTP = frozenset({408, 409, 425, 500, 502, 504, 520, 521, 522, 523, 524}) | OVERLOAD_HTTP
