"""The keys of a request that a browser has sent, without what only a browser needs."""

from collections.abc import Iterable, Mapping
import re
from secrets import token_hex
from typing import Any
from urllib.parse import parse_qsl, urlsplit

METHODS = ("GET", "POST")

# What browsers send with each request, and what Home Assistant sends by itself.
_OF_BROWSERS = frozenset(
    {
        "accept-encoding",
        "accept-language",
        "cache-control",
        "connection",
        "content-length",
        "dnt",
        "host",
        "if-modified-since",
        "if-none-match",
        "pragma",
        "priority",
        "te",
        "upgrade-insecure-requests",
        "user-agent",
    }
)
_OF_BROWSERS_BEGIN = (":", "sec-")
# With a GET they say where a browser was; with a POST servers look at them.
_OF_PAGES = frozenset({"origin", "referer"})
_SECRET = re.compile(
    r"auth|cookie|token|key|secret|session|passw|pwd|csrf|xsrf|sign?(?:ature)?$", re.IGNORECASE
)
_MARK = token_hex(8)  # nothing that a server says
_MARKED = re.compile(rf"['\"]?{_MARK}\.(\w+)\.{_MARK}['\"]?")
_NO_WORD = re.compile(r"\W+", re.ASCII)


def request_keys(
    method: str, url: str, headers: Iterable[tuple[str, str]], body: str | None
) -> dict[str, Any]:
    """Return the keys of a request. Raise ValueError if it cannot be polled."""
    if method not in METHODS:
        raise ValueError(f"the method is {method[:10]}; only GET and POST can be polled")
    keys: dict[str, Any] = {"resource": url}
    if method != "GET":
        keys["method"] = method
    if kept := _kept(headers, method):
        keys["headers"] = kept
    if body:
        keys["payload"] = body
    return keys


def _kept(headers: Iterable[tuple[str, str]], method: str) -> dict[str, str]:
    kept: dict[str, str] = {}
    for name, text in headers:
        lower = name.lower()
        if (
            lower in _OF_BROWSERS
            or lower.startswith(_OF_BROWSERS_BEGIN)
            or (method == "GET" and lower in _OF_PAGES)
            or (lower == "accept" and text == "*/*")
            or not text
        ):
            continue
        same = next((known for known in kept if known.lower() == lower), name)
        kept[same] = f"{kept[same]}; {text}" if same in kept and lower == "cookie" else text
    return kept


def secrets_of(keys: Mapping[str, Any]) -> dict[tuple[str, ...], str]:
    """Return which keys hold a secret, by the path to them, and a name in secrets.yaml for each.

    A secret is what stands in a header, a parameter or a payload that is called so.
    """
    url = urlsplit(keys["resource"])
    host = _NO_WORD.sub("_", url.hostname or "rest").strip("_").lower()
    paths: list[tuple[str, ...]] = []
    if url.password or any(_SECRET.search(name) for name, _ in parse_qsl(url.query)):
        paths.append(("resource",))
    paths += [("headers", name) for name in keys.get("headers", {}) if _SECRET.search(name)]
    paths += [(key,) for key in ("username", "password") if keys.get(key)]
    if _SECRET.search(keys.get("payload", "")):
        paths.append(("payload",))
    return {path: f"{host}_{_NO_WORD.sub('_', path[-1]).lower()}" for path in paths}


def with_secrets(keys: Mapping[str, Any], names: Mapping[tuple[str, ...], str]) -> dict[str, Any]:
    """Return the keys with a `Secret` in place of each secret."""
    hidden = {
        key: dict(value) if isinstance(value, Mapping) else value for key, value in keys.items()
    }
    for path, name in names.items():
        part = hidden
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = f"{_MARK}.{name}.{_MARK}"
    return hidden


def written_secrets(yaml: str) -> str:
    """Return YAML with `!secret NAME` in place of each mark."""
    return _MARKED.sub(r"!secret \1", yaml)
