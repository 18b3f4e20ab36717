"""How six vendors say things: the bodies of their errors, as their API references show them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True)
class Style:
    """One vendor: the shape of any error, and the errors that matter most, as (HTTP status, body).

    `error` makes the body of an ordinary error of a given HTTP status.
    """

    provider: str
    error: Callable[[int], Body]
    filtered: tuple[int, Body]
    no_money: tuple[int, Body]
    too_fast: tuple[int, Body]
    thinks_in: str = "reasoning_content"


def _openai(status: int) -> Body:
    kinds = {401: "invalid_request_error", 404: "invalid_request_error", 500: "server_error"}
    kind = kinds.get(status, "invalid_request_error" if status < 500 else "server_error")
    return _openai_error(f"The request ended with {status}.", kind, None)


def _openai_error(message: str, kind: str | None, code: str | None) -> Body:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _deepseek(status: int) -> Body:
    return _openai_error(f"Error {status} from DeepSeek", "unknown_error", "invalid_request_error")


def _qwen(status: int) -> Body:
    return {
        **_openai_error(f"<{status}> InternalError.Algo", "invalid_request_error", "some_error"),
        "request_id": "a1b2c3",
    }


def _glm(status: int) -> Body:
    return {"error": {"code": "1210", "message": f"API 调用参数有误({status})"}}


def _kimi(status: int) -> Body:
    return {"error": {"type": "invalid_request_error", "message": f"Invalid request: {status}"}}


def _doubao(status: int) -> Body:
    return _doubao_error("InvalidParameter", f"Error {status}. Request id: 0217", "BadRequest")


def _doubao_error(code: str, message: str, kind: str) -> Body:
    return {"error": {"code": code, "message": message, "param": "", "type": kind}}


STYLES = {
    style.provider: style
    for style in (
        Style(
            "openai",
            _openai,
            filtered=(
                400,
                {
                    "error": {
                        "message": "The response was filtered due to the prompt triggering the "
                        "content management policy.",
                        "type": None,
                        "param": "prompt",
                        "code": "content_filter",
                        "status": 400,
                        "innererror": {
                            "code": "ResponsibleAIPolicyViolation",
                            "content_filter_result": {"hate": {"filtered": True}},
                        },
                    }
                },
            ),
            no_money=(
                429,
                _openai_error(
                    "You exceeded your current quota, please check your plan and billing details.",
                    "insufficient_quota",
                    "insufficient_quota",
                ),
            ),
            too_fast=(
                429,
                _openai_error("Rate limit reached for requests", "requests", "rate_limit_exceeded"),
            ),
            thinks_in="reasoning",
        ),
        Style(
            "deepseek",
            _deepseek,
            filtered=(
                400,
                _openai_error(
                    "Content Exists Risk", "invalid_request_error", "invalid_request_error"
                ),
            ),
            no_money=(
                402,
                _openai_error("Insufficient Balance", "unknown_error", "invalid_request_error"),
            ),
            too_fast=(429, _openai_error("Rate limit reached", "rate_limit_error", None)),
        ),
        Style(
            "qwen",
            _qwen,
            filtered=(
                400,
                _openai_error(
                    "Input data may contain inappropriate content.",
                    "data_inspection_failed",
                    "data_inspection_failed",
                ),
            ),
            no_money=(
                400,
                {
                    "code": "Arrearage",
                    "message": "Access denied, please make sure your account is in good standing.",
                    "request_id": "a1b2c3",
                },
            ),
            # The words of OpenAI's empty account, here for too many tokens per minute.
            too_fast=(
                429,
                _openai_error(
                    "You exceeded your current quota, please check your plan and billing details.",
                    "insufficient_quota",
                    "insufficient_quota",
                ),
            ),
        ),
        Style(
            "glm",
            _glm,
            filtered=(
                400,
                {
                    "contentFilter": [{"level": 1, "role": "user"}],
                    "error": {
                        "code": "1301",
                        "message": "系统检测到输入或生成内容可能包含不安全或敏感内容",
                    },
                },
            ),
            no_money=(429, {"error": {"code": "1113", "message": "您的账户已欠费,请充值后重试"}}),
            too_fast=(
                429,
                {"error": {"code": "1302", "message": "您当前使用该 API 的并发数过高"}},
            ),
        ),
        Style(
            "kimi",
            _kimi,
            filtered=(
                400,
                {
                    "error": {
                        "type": "content_filter",
                        "message": "The request was rejected because it was considered high risk",
                    }
                },
            ),
            no_money=(
                429,
                {
                    "error": {
                        "type": "exceeded_current_quota_error",
                        "message": "You exceeded your current token quota",
                    }
                },
            ),
            too_fast=(
                429,
                {
                    "error": {
                        "type": "engine_overloaded_error",
                        "message": "The engine is currently overloaded, please try again later",
                    }
                },
            ),
        ),
        Style(
            "doubao",
            _doubao,
            filtered=(
                400,
                _doubao_error(
                    "SensitiveContentDetected.SevereViolation",
                    "The request failed because the input text may contain severe violations.",
                    "BadRequest",
                ),
            ),
            no_money=(
                403,
                _doubao_error(
                    "AccountOverdueError",
                    "The request failed because your account has an overdue balance.",
                    "Forbidden",
                ),
            ),
            too_fast=(
                429,
                _doubao_error("ServerOverloaded", "The service is overloaded.", "TooManyRequests"),
            ),
        ),
    )
}
