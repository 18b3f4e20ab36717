"""Keys and passwords: read here, held here, and taken out of whatever is shown or kept.

A secret comes from an environment variable or the configuration (`read_key`, `checked_key`), from
an address (`read_address`) or from a field of a request (`part_fields`). A server can send it back;
`Redaction` finds it in text. What that can and cannot find is said in docs/models.md.
"""

from __future__ import annotations

import os
import re
import string
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote, unquote_plus, urlsplit, urlunsplit

from hengfa.base.errors import UsageError

HIDDEN = "***"

_SHORTEST = 4  # in messages; "none" and "x" are no secrets
_SHORTEST_IN_ANSWER = 8  # "EMPTY", which many local servers are given as a key, is a word
_SHORTEST_FORM = 12  # letters and digits of a form: "20240101" is also 2024-01-01


class Secret:
    """A key that does not show itself: not in logs, not in tracebacks, not by accident."""

    def __init__(self, value: str, scheme: str = "Bearer") -> None:
        self._value = value
        self._scheme = scheme

    def __repr__(self) -> str:
        return "Secret(***)"

    def header(self) -> str:
        return f"{self._scheme} {self._value}"

    def reveal(self) -> str:
        return self._value


class PrivateFields(dict[str, Any]):
    """Fields of a request body that hold secrets; they do not show themselves either."""

    def __repr__(self) -> str:
        return "PrivateFields(***)"


def read_key(variable: str) -> Secret | None:
    """The key in a variable of the environment, if there is one."""
    return checked_key(os.environ.get(variable, ""), variable)


def checked_key(value: str, source: str) -> Secret | None:
    """A key that can stand in a header; the error says where it came from, never what it is."""
    value = value.strip()
    for kind, characters in _UNUSABLE.items():
        if characters.search(value):
            raise UsageError(f"{source}: a key cannot hold {kind}; set it anew")
    return Secret(value) if value else None


_UNUSABLE = {
    "a line break": re.compile(r"[\r\n]"),
    "a control character": re.compile(r"[\x00-\x1f\x7f]"),
    "a character outside ASCII": re.compile(r"[^\x00-\x7f]"),
}


# --- addresses ---


class Address(NamedTuple):
    """An address: as it is asked, as it may be shown, and what of it is secret."""

    url: Secret
    shown: str
    login: Secret | None
    secrets: tuple[Secret, ...]


def read_address(url: str, source: str) -> Address:
    """`https://name:password@host/v1?key=…`, taken apart."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises if it is none
    except ValueError:
        raise UsageError(f"{source}: {show_address(url)} is not an address") from None
    userinfo, _, host = parts.netloc.rpartition("@")
    name, _, password = map(unquote, userinfo.partition(":"))
    login = Secret(b64encode(f"{name}:{password}".encode()).decode(), "Basic") if userinfo else None
    values = [password or name, f"{name}:{password}"] if userinfo else []
    for parameter in _QUERY.finditer(parts.query):
        if _hide_parameter(parameter) != parameter[0]:
            values += [parameter[2], unquote_plus(parameter[2])]
    return Address(
        Secret(urlunsplit((parts.scheme, host, parts.path, parts.query, ""))),
        show_address(url),
        login,
        tuple(map(Secret, dict.fromkeys(values))),
    )


def show_address(url: str) -> str:
    """An address without the name, password and keys in it."""
    place, mark, query = url.partition("#")[0].partition("?")
    shown = _USERINFO.sub(rf"\1{HIDDEN}@", place).rstrip("/")
    return f"{shown}{mark}{_QUERY.sub(_hide_parameter, query)}"


def show_addresses(joined: str) -> str:
    """The addresses of several servers, joined by commas, each as it may be shown."""
    return ", ".join(map(show_address, _BETWEEN_ADDRESSES.split(joined)))


# ", " before "http://b/v1"; not in "http://a/v1?q=1, 2".
_BETWEEN_ADDRESSES = re.compile(r", (?=https?://)")
# "https://name:password@" and "name:password@"; not "https://host/@name".
_USERINFO = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*://)?[^/]*@")
# "key=…" and a bare "…"; parted by "&" or ";".
_QUERY = re.compile(r"(?:([^=&;]*)=)?([^&;]+)")


def _hide_parameter(parameter: re.Match[str]) -> str:
    name, value = parameter.groups()
    if not _is_secret(unquote_plus(name or "key"), unquote_plus(value)):
        return parameter[0]
    return HIDDEN if name is None else f"{name}={HIDDEN}"


# --- fields of a request ---


_DEEPEST = 100


def part_fields(fields: Mapping[str, Any]) -> tuple[dict[str, Any], PrivateFields]:
    """Fields as they may be kept, and those that must be sent otherwise than they are kept."""
    kept = {name: _hide_value(name, value) for name, value in fields.items()}
    private = {name: value for name, value in fields.items() if kept[name] != value}
    return kept, PrivateFields(private)


def secrets_of(fields: object, name: str = "") -> Iterator[Secret]:
    """The texts that `part_fields` hides."""
    if isinstance(fields, Mapping):
        for field, value in fields.items():
            yield from secrets_of(value, _below(name, field))
    elif isinstance(fields, list | tuple):
        for value in fields:
            yield from secrets_of(value, name)
    elif isinstance(fields, str) and _is_secret(name, fields):
        yield Secret(fields.removeprefix("Bearer ").removeprefix("Basic "))


def _hide_value(name: str, value: Any, depth: int = 1) -> Any:
    if depth > _DEEPEST:  # how much deeper Python can go depends on who asks it to, and when
        raise UsageError(f"the fields of a request are nested more than {_DEEPEST} deep")
    if isinstance(value, Mapping):
        return {
            field: _hide_value(_below(name, field), part, depth + 1)
            for field, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [_hide_value(name, part, depth + 1) for part in value]
    if value is None or isinstance(value, bool):
        return value
    return HIDDEN if _is_secret(name, value) else value


def _below(name: str, field: str) -> str:
    """The name that says whether a value is secret: all below `headers` is."""
    return name if _SECRET_NAME.search(_plain(name)) else field


def _is_secret(name: str, value: object) -> bool:
    if isinstance(value, str) and value.startswith(("sk-", "Bearer ", "Basic ")):
        return True
    return bool(_SECRET_NAME.search(_plain(name)))


def _plain(name: str) -> str:
    return "".join(filter(str.isalpha, name.lower()))


# "api_key", "x-auth-token", "pwd", "extra_headers", "sig"; not "max_tokens", "prompt_cache_key",
# "stop_token", "author".
_SECRET_NAME = re.compile(
    r"(?<!cache)(?<!sort)(?<!public)keys?$"
    r"|(?<!bos)(?<!eos)(?<!pad)(?<!unk)(?<!stop)(?<!start)(?<!end)(?<!think)(?<!thinking)token$"
    r"|secret|passw|passphrase|pwd|authori[sz]ation|^auth$|authentication|credential|bearer|cookie"
    r"|headers?$|^code$|^sig$|signature$"
)


# --- text that came back ---


class Redaction:
    """Takes secrets out of text.

    A secret is found as it is, and by its letters and digits alone: then case does not matter, nor
    what stands between them (blanks, line breaks, hyphens, invisible characters), nor whether they
    are written as `%73`, `\\u0073`, `\\x73` or `&#115;`. The same way its hexadecimal and its
    Base64 forms are found, also inside a longer text in Base64. All is linear in the text.
    """

    def __init__(self, secrets: Iterable[Secret | None]) -> None:
        values = {secret.reveal() for secret in secrets if secret is not None}
        self._values = sorted((v for v in values if len(v) >= _SHORTEST), key=len, reverse=True)
        forms = {form for value in self._values for form in _forms(value)}
        self._forms = [form for form in forms if len(form) >= _SHORTEST_FORM]

    def finds(self, text: str) -> bool:
        """Whether there may be anything to hide: the cheap check for what is hardly ever so."""
        if any(value in text for value in self._values):
            return True
        letters = _letters(text) if self._forms else b""
        return any(form in letters for form in self._forms)

    def hide(self, text: str) -> str:
        """What a model wrote, without the secrets."""
        return self._hide(text, _SHORTEST_IN_ANSWER)

    def hide_message(self, text: str) -> str:
        """The same for a message, which may be cut: the beginning of a secret at its end goes too.
        Shorter secrets are looked for here than in answers, whose words they might be."""
        return self._hide_end(self._hide(text, _SHORTEST), _SHORTEST)

    def hide_cut(self, text: str) -> str:
        """The same for an answer that was cut."""
        return self._hide_end(self.hide(text), _SHORTEST_IN_ANSWER)

    def _hide(self, text: str, shortest: int) -> str:
        if len(text) < shortest:
            return text
        for value in self._values:
            if len(value) >= shortest:
                text = text.replace(value, HIDDEN)
        if not self._forms:
            return text
        letters = _letters(text)
        spans = [span for form in self._forms for span in _occurrences(form, letters)]
        return _cut_out(text, sorted(spans)) if spans else text

    def _hide_end(self, text: str, shortest: int) -> str:
        end = text[-12:]
        whole = _TORN.sub("", text) if "%" in end or "\\" in end or "&" in end else text
        letters = _letters(whole)
        if len(letters) < shortest or not any(letters[-shortest:] in f for f in self._forms):
            return text
        length = max(_overlap(letters, form, shortest) for form in self._forms)
        return _cut_out(whole, [(len(letters) - length, len(letters))]) if length else text


def _forms(value: str) -> Iterator[bytes]:
    """The letters and digits of all ways in which a value is looked for."""
    plain = value.encode("utf-8", "surrogatepass")
    yield _letters(value)
    yield plain.hex().encode()
    yield b64encode(plain).lower().translate(None, _NO_LETTERS)
    for before in range(3):  # bytes that stand before it in the same group of three
        encoded = b64encode(bytes(before) + plain).rstrip(b"=")
        own = encoded[(0, 2, 3)[before] : -1 if (before + len(plain)) % 3 else None]
        yield own.lower().translate(None, _NO_LETTERS)


_NO_LETTERS = bytes(c for c in range(256) if chr(c) not in string.ascii_letters + string.digits)
_LOWER = bytes(range(256)).lower()
# "%73", "%2573", "\u0073", "\u{73}", "&#x73;", "&#115;", "\n"; not "24%的", "\4".
# Without flags, and with a sign at the head of each branch, the search skips other text at once.
_HEX = "[0-9A-Fa-f]"
_ESCAPES = (
    rf"%(?:25)*({_HEX}{{2}})|\\x({_HEX}{{2}})|\\u({_HEX}{{4}})|\\u\{{({_HEX}{{1,6}})\}}"
    rf"|&#[xX]({_HEX}{{1,6}});|&#([0-9]{{1,7}});|\\[bfnrtv]"
)
_DECIMAL = 6
_ESCAPE = re.compile(_ESCAPES)
_LETTERS_OR_ESCAPE = re.compile(rf"{_ESCAPES}|[0-9A-Za-z]+")
# An escape that was cut, with what may follow a cut: "%7…", "\u00'"; not "%73".
_TORN = re.compile(
    rf"(?:%(?:25)*{_HEX}?|\\(?:x{_HEX}?|u{_HEX}{{0,3}}|u\{{{_HEX}{{0,6}})?|&#?[xX]?{_HEX}{{0,7}})?"
    r"[…'\"]{0,4}\Z"
)


def _letters(text: str) -> bytes:
    """The letters and digits of ASCII in a text, in small letters. This is the hot path."""
    if "%" in text or "\\" in text or "&#" in text:
        text = _ESCAPE.sub(_letter, text)
    return text.encode("ascii", "ignore").translate(_LOWER, _NO_LETTERS)


def _letter(escape: re.Match[str]) -> str:
    """The letter or digit that an escape stands for; nothing if it is another character."""
    if (group := escape.lastindex) is None:
        return ""
    code = int(escape[group], 10 if group == _DECIMAL else 16)
    return chr(code) if code < 128 and chr(code).isalnum() else ""


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Where each of `_letters` stands."""
    for token in _LETTERS_OR_ESCAPE.finditer(text):
        start, end = token.span()
        if text[start] not in "%\\&":
            yield from ((place, place + 1) for place in range(start, end))
        elif _letter(token):
            yield start, end


def _occurrences(form: bytes, letters: bytes) -> Iterator[tuple[int, int]]:
    start = letters.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = letters.find(form, start + len(form))


def _overlap(letters: bytes, form: bytes, shortest: int) -> int:
    """How long a beginning of the form the letters end with; 0 if it is too short to matter."""
    lengths = range(min(len(letters), len(form)), shortest - 1, -1)
    return next((length for length in lengths if letters.endswith(form[:length])), 0)


def _cut_out(text: str, spans: list[tuple[int, int]]) -> str:
    """The text without these spans of its letters, which are in order and may overlap."""
    pieces: list[str] = []
    done = after = 0
    waiting = iter([*spans, (-1, -1)])
    first, last = next(waiting)
    for number, (start, end) in enumerate(_places(text)):
        if number >= after and number == first:
            pieces += text[done:start], HIDDEN
        while first == number:
            after = max(after, last)
            first, last = next(waiting)
        if number < after:
            done = end
    return "".join([*pieces, text[done:]])
