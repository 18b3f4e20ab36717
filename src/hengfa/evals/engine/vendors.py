"""Facts about vendors: where they are, where their key lies, and how they say what went wrong.

Tables only; `replies.py` and `signs.py` read them. A new vendor is a row in `PROVIDERS`, a new
filter code or field that tells of trouble is a word in a set. Sources: the vendors' public API
references; what was seen where is in `tests/evals/engine/reply_shapes.jsonl`.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from hengfa.evals.engine.messages import Status


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


SchemaMode = Literal["json_schema", "json_object"]


class Provider(msgspec.Struct, frozen=True):
    """One OpenAI-compatible service.

    `key_variables` are tried in order. `throttling` are error codes that mean "too fast" here and
    "no money" elsewhere. `thinking_back`: a turn with tool calls goes back with its thinking, else
    HTTP 400 (DeepSeek's guide to its thinking mode, Kimi's to thinking models; GLM's advises it).
    Cerebras, Groq and Mistral refuse the field.
    """

    title: str
    base_url: str
    key_variables: tuple[str, ...] = ()
    length_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    schema_mode: SchemaMode = "json_schema"
    throttling: frozenset[str] = frozenset()
    thinking_back: bool = False


PROVIDERS: dict[str, Provider] = {
    "openai": Provider(
        "OpenAI", "https://api.openai.com/v1", ("OPENAI_API_KEY",), "max_completion_tokens"
    ),
    "deepseek": Provider(
        "DeepSeek",
        "https://api.deepseek.com/v1",
        ("DEEPSEEK_API_KEY",),
        schema_mode="json_object",
        thinking_back=True,
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
        thinking_back=True,
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
        thinking_back=True,
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

OWN_FIELDS = _set(
    "model messages prompt stream stream_options temperature top_p seed stop max_tokens "
    "max_completion_tokens tools tool_choice response_format"
)
"""Fields of a request body that are set from the question and the options, never by --extra."""

REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Where servers put the thinking: DeepSeek, Qwen, GLM, Doubao, Kimi, SGLang; vLLM, Ollama."""

COMPLETE = _set(
    "stop stopped end ended eos eot turn of text token sequence word words string found natural "
    "normal complete completed completion finish finished done success ok message reason "
    "stopsequence eostoken endturn"
)
"""Words of which the finish reasons of whole answers are made."""

CALLS = _set("toolcalls toolcall functioncall tooluse")
NO_FINISH = frozenset({"", "null", "none"})
"""The finish reason of a piece after which more comes; Qwen's native streams write "null"."""

BAD_FINISHES = {
    Status.FILTERED: re.compile(
        r"filter|sensitive|safety|prohibit|block|spii|recitation|guardrail|moderat|toxic|risk|violat"
    ),
    Status.FAILED: re.compile(
        r"error|fail|abort|cancel|time(d?out|limit)|interrupt|network|resource|overload|connect|"
        r"unload|malformed|exception|ratelimit|notfinished|pause"
    ),
    Status.REFUSED: re.compile(r"refus|declin"),
    Status.TRUNCATED: re.compile(r"length|^max|token|limit|truncat|incomplete|context"),
}
"""How other finish reasons end a reply, the worst first; those of a server that gave up half-way
(DeepSeek, GLM, vLLM) are asked again. One that is in no table is a failure. Here and below names
and reasons are in small letters and without marks.
"""

FINISH_FIELDS = re.compile(r"(native)?(finish|stop|done|end|incomplete)(reason|details|type)")
"""Where else it stands: OpenRouter, Ollama, Anthropic, llama.cpp; an object has it as its `type` or
`reason`. vLLM puts the words at which it stopped into `stop_reason`.
"""

OTHER_ROLES = ("system", "user", "tool", "function")  # what these say is not the model's answer

WRAPPERS = _set("baseresp header status gateway upstream data result response output extra detail")
"""Objects of gateways, beside an answer or around it, in which signs count too."""

STATUS_OBJECTS = _set("baseresp header status")
"""Of these those that hold nothing else (MiniMax, Spark): a word that nobody knows is a sign."""

NOTHING = frozenset({""}) | _set(
    "0 false null none no safe pass passed low negligible clean clear allow allowed approved ok "
    "accept accepted compliant normal success nonlabel 无 没有 低 正常 通过 安全 合规 无风险"
)
"""What a field that may tell of trouble holds when there is none."""

FINE = (
    frozenset({"", "200 ok"}) | COMPLETE | _set("0 200 201 20000 null none true cached answered 无")
)
SUCCESS = re.compile(r"success|succeeded|成功|完成|正常")
FAILURE = re.compile(
    r"fail|error|unsuccess|exception|time(d )?-?out|busy|overload|unavailable|exceed|denied|refus|"
    r"invalid|reject|block|violat|sensitive|try again|cancel|abort|interrupt|incomplete|expire|"
    r"truncat|unsafe|失败|未|不|错误|异常|繁忙|频繁|超时|限|过载|欠费|余额|额度|违规|敏感|拒绝|无效|无响应|"
    r"过期|稍后|稍候|维护|中断|用尽"
)
"""Words beside a code, and what makes them bad."""

BAD_NUMBER = re.compile(r"-.*|[45]\d\d")
HEARTBEATS = ("ping", "heartbeat", "keepalive", "keep-alive")  # events that say nothing
UNDER_WAY = ("in_progress", "running", "generating", "processing", "streaming")
NO = _set("0 false no")

_OF = ("", "error", "err", "status", "ret", "return", "result", "biz", "sub", "resp", "response")
ERRORS = _set("error errors err exception innererror")
GROUPS = {
    "error": ERRORS,
    "code": _set("errno errorno ret") | {f"{of}code" for of in _OF},
    "words": _set("status state result detail")
    | {f"{of}{words}" for of in _OF for words in ("msg", "message")},
    "kind": _set("type object event kind role"),
    "filter": _set("moderationhittype inputsensitive outputsensitive contentfilter")
    | _set("filtered needclearhistory"),  # Doubao, MiniMax, GLM; Azure, Qianfan
    "notes": _set("contentfilterresults contentfilterresult promptfilterresults")  # Azure
    | _set("promptfeedback safetyratings"),  # Gemini
    "cut": _set("truncated istruncated incomplete isincomplete"),
    "end": _set("done isend isfinished finished complete completed"),  # false while more comes
}
"""Fields by what they tell of: an error, a code and the words beside it, what kind of object it is,
a filter that struck, what a filter noted, that an answer is cut, or at its end.
"""

LOOSE = ("state", "result")  # may be an agent's own: only one word that says failure is a sign
PRAISE = _set("success ok pass passed safe compliant approved allowed")

_WRONG = (
    r"^err|error|fail(?!over)|exception|abort|reject|denied|violat|blocked|refus(?!al)|timed?out|timed|"
    r"interrupt|cancel|filtered|sensitive|incomplete|truncated|overload|exceed|expired|exhaust|"
    r"^terminat|disconnect|broken|fatal|flagged|unsafe|banned|censor|"
    r"^(错误|失败|异常|违规|敏感|超时|中断)(信息|原因|码|代码|描述|提示|词|类型|内容)?$"
)
ALARM = re.compile(rf"{_WRONG}|refusal|content filter|message replace|limit reached|risk control")
"""The name of an event or of a kind of object that is trouble: `event: error`."""

SUSPECT = re.compile(
    rf"{_WRONG}|^block$|^ban$|moderat|guardrail|safety|audit|triggered|harmful|redacted|^risk$|^green$|"
    "风险(等级|级别)|审核"
)
VERDICTS = _set(
    "level type label status result action decision suggestion reason message msg info detail "
    "details code flag words word by hit tip"
)
HARMLESS = re.compile("enabled|checked?|correction|handled|recovered|used|.*ble")
"""A word in the name of a field that sounds like trouble: errMsg, is_blocked; not failover.

If the name ends with it, or goes on with one of `VERDICTS`, a value that is not calm is an unknown
sign, and such a reply is no answer until the field is entered above. Other names are about
something else: failed_attempts. What is true is a sign unless the name ends with a `HARMLESS` word.
"""

FILTER_CODES = _set(
    "content_filter content_policy_violation responsibleaipolicyviolation "  # OpenAI, Azure, Kimi
    "data_inspection_failed datainspectionfailed 1301 "  # Qwen, compatible and native; GLM
    "sensitivecontentdetected inputtextsensitivecontentdetected inputtextriskdetection "  # Doubao
    "outputtextsensitivecontentdetected outputtextriskdetection"
) | {"status_code 1026", "status_code 1027"}  # MiniMax: the question, the answer
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

ACCOUNT_CODES = _set(
    "insufficient_quota billing_hard_limit_reached invalid_api_key "  # OpenAI, the first HTTP 429
    "exceeded_current_quota_error arrearage accountoverdueerror "  # Kimi, HTTP 429; Qwen; Doubao
    "1112 1113 1121 1304 1308 1309 1310"  # GLM: locked; no balance, HTTP 429; quotas used up
) | {f"status_code {code}" for code in (1004, 1008, 2049, 2056)}
"""The account, not the moment, is the trouble: asking again does not help. MiniMax's are: not
authorized, no balance, invalid key, a plan that is used up.
"""

OVERLOAD_CODES = frozenset(
    {"1302", "1303", "1305", "1312", "engine_overloaded_error"}
    | {"status_code 1002", "status_code 1039", "status_code 1041", "status_code 2045"}
)
"""Asked too fast, whatever the HTTP status says (GLM, Kimi; MiniMax)."""

QUESTION_HTTP = frozenset({400, 413, 422})
"""The request itself is refused; another one may do."""

ANSWER_HTTP = frozenset({200, 201, 203})
OVERLOAD_HTTP = frozenset({429, 503, 529})
RETRY_HTTP = frozenset({408, 409, 425, 500, 502, 504, 520, 521, 522, 523, 524}) | OVERLOAD_HTTP
