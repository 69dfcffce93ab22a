"""The keys of a browser's request, without headers that only browsers need, and its secrets."""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
import re
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

from homeassistant.helpers.template import is_template_string

type Path = tuple[str | int, ...]
"""Path of keys and indexes to a part of a request."""

METHODS = ("GET", "POST")

# Headers that browsers send with each request, or that Home Assistant sends itself.
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
# Servers check these for a POST; for a GET they are irrelevant.
_OF_PAGES = frozenset({"origin", "referer"})
_SECRET = re.compile(
    r"auth|cookie|token|key|secret|session|passw|pwd|csrf|xsrf|sign?(?:ature)?$", re.IGNORECASE
)
_MARK = token_hex(8)  # does not occur in any reply
_MARKED = re.compile(rf"['\"]?{_MARK}\.([\w.-]+)\.{_MARK}['\"]?")
_PASSWORD_IN_URL = re.compile(r"\w+://[^/?#@]*:[^/?#@]+@")
_QUERY = re.compile(r"[?&]([^=&#]+)=([^&#]*)")
# Keys that are left out of a secret's name.
_GROUPS = frozenset({"headers", "params", "form", "fields"})
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
    if needed := _needed_headers(headers, method):
        keys["headers"] = needed
    if body:
        keys["payload"] = body
    return keys


def _needed_headers(headers: Iterable[tuple[str, str]], method: str) -> dict[str, str]:
    needed: dict[str, str] = {}
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
        header_name = next((existing for existing in needed if existing.lower() == lower), name)
        separator = "; " if lower == "cookie" else ", "  # how HTTP joins repeated headers
        needed[header_name] = (
            f"{needed[header_name]}{separator}{text}" if header_name in needed else text
        )
    return needed


def secrets_of(keys: Mapping[str, Any]) -> dict[Path, str]:
    """Return the path of each key with a secret → its name in secrets.yaml.

    Secrets are credentials, and headers, parameters, form fields and payloads with a name that
    suggests a secret, unless they are templates.
    """
    try:
        hostname = urlsplit(str(keys.get("resource", ""))).hostname
    except ValueError:
        hostname = None
    host = _NO_WORD.sub("_", hostname or "rest").strip("_").lower()
    names: dict[Path, str] = {}
    for path in _secret_paths(keys, ()):
        words = [str(step) for step in path if step not in _GROUPS]
        names[path] = f"{host}_{_NO_WORD.sub('_', '_'.join(words)).lower()}"
    return names


def _secret_paths(keys: Mapping[str, Any], path: Path) -> Iterator[Path]:
    for key in ("resource", "resource_template"):
        if _is_secret_url(str(keys.get(key, ""))):
            yield (*path, key)
    for group in ("headers", "params"):
        yield from _paths_with_secret_name(keys, path, group)
    for key in ("username", "password", "client_secret"):
        if keys.get(key):
            yield (*path, key)
    for key in ("payload", "payload_template"):
        if _SECRET.search(str(keys.get(key, ""))):
            yield (*path, key)
    if isinstance(form := keys.get("form"), Mapping):
        yield from _paths_with_secret_name(form, (*path, "form"), "fields")
    if isinstance(login := keys.get("login"), Mapping):
        yield from _secret_paths(login, (*path, "login"))


def _is_secret_url(url: str) -> bool:
    """Return whether a URL, or its template, has a password or a parameter with a secret name."""
    return bool(_PASSWORD_IN_URL.match(url)) or any(
        _SECRET.search(name) and not is_template_string(text) for name, text in _QUERY.findall(url)
    )


def _paths_with_secret_name(keys: Mapping[str, Any], path: Path, group: str) -> Iterator[Path]:
    if isinstance(pairs := keys.get(group), Mapping):
        for name, text in pairs.items():
            if _SECRET.search(str(name)) and not is_template_string(str(text)):
                yield (*path, group, name)


def with_secrets(keys: Mapping[str, Any], names: Mapping[Path, str]) -> dict[str, Any]:
    """Return the keys with each secret replaced by a mark."""
    hidden: Any = deepcopy(dict(keys))
    for path, name in names.items():
        part_at(hidden, path[:-1])[path[-1]] = mark(name)
    return dict(hidden)


def part_at(keys: Any, path: Path) -> Any:  # noqa: ANN401  (of YAML)
    """Return the part at a path."""
    for step in path:
        keys = keys[step]
    return keys


def mark(name: str) -> str:
    """Return a placeholder for a secret, which `with_secret_tags` replaces by `!secret`."""
    return f"{_MARK}.{name}.{_MARK}"


def marks_in(part: object, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield the path and the name of each marked secret."""
    match part:
        case dict():
            for key, inner in part.items():
                yield from marks_in(inner, (*path, key))
        case list():
            for number, inner in enumerate(part):
                yield from marks_in(inner, (*path, number))
        case str() if match := _MARKED.fullmatch(part):
            yield path, match[1]


def with_secret_tags(yaml: str) -> str:
    """Return YAML with `!secret NAME` in place of each mark."""
    return _MARKED.sub(r"!secret \1", yaml)
