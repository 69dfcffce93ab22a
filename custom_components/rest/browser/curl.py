"""A cURL command, as browsers copy it, read as the keys of a request."""

from collections.abc import Callable, Iterator, Mapping
import re
import shlex
from typing import Any

from .keys import request_keys

# Bash's `$'…'`, in which browsers write what has quotes or line breaks.
_ANSI_QUOTED = re.compile(r"(?<=\s)\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ANSI_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.)", re.DOTALL)
_ANSI_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}
# Windows' command line: a caret before each character that it would read itself.
_CARETS = re.compile(r"\^\r?\n|\^(.)", re.DOTALL)

_URL = ""
_FLAGS = frozenset(
    {"--compressed", "--globoff", "--http1.1", "--http2", "--location", "--show-error", "--silent"}
)
_LONG = {
    "-A": "--user-agent",
    "-G": "--get",
    "-H": "--header",
    "-L": "--location",
    "-S": "--show-error",
    "-X": "--request",
    "-b": "--cookie",
    "-d": "--data",
    "-e": "--referer",
    "-g": "--globoff",
    "-k": "--insecure",
    "-s": "--silent",
    "-u": "--user",
}
_WITHOUT_VALUE = _FLAGS | {"--get", "--insecure"}
_DATA = ("--data", "--data-raw", "--data-binary", "--data-ascii", "--json")
_HEADERS = {"--cookie": "Cookie", "--user-agent": "User-Agent", "--referer": "Referer"}
_KNOWN = _WITHOUT_VALUE.union(_DATA, _HEADERS, (_URL, "--url", "--request", "--header", "--user"))


def request_of_curl(command: str) -> dict[str, Any]:
    """Return the keys of the request. Raise ValueError that says what has no counterpart."""
    words = _words(command)
    if not words or words[0].rpartition("/")[2] not in ("curl", "curl.exe"):
        raise ValueError("expected a command that begins with curl")
    given: dict[str, list[str]] = {}
    for option, value in _options(words[1:]):
        if option not in _KNOWN:
            raise ValueError(f"the option {option} has no counterpart; leave it out")
        given.setdefault(option, []).append(value)
    urls = given.get(_URL, []) + given.get("--url", [])
    if not urls:
        raise ValueError("the command has no URL")
    url = urls[0] if "://" in urls[0] else f"http://{urls[0]}"
    body = _body(given)
    if "--get" in given and body is not None:
        url, body = f"{url}{'&' if '?' in url else '?'}{body}", None
    method = given.get("--request", ["GET" if body is None else "POST"])[-1].upper()
    keys = request_keys(method, url, _headers(given), body)
    if user := given.get("--user"):
        keys["username"], _, keys["password"] = user[-1].partition(":")
    if "--insecure" in given:
        keys["verify_ssl"] = False
    return keys


def _body(given: Mapping[str, list[str]]) -> str | None:
    parts = [value for option in _DATA for value in given.get(option, [])]
    if any(part.startswith("@") for part in parts if part not in given.get("--data-raw", [])):
        raise ValueError("the payload is in a file, which is not known here")
    return "&".join(parts) if parts else None


def _headers(given: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    headers = []
    for line in given.get("--header", []):
        name, _, text = line.partition(":")
        headers.append((name.strip(), text.strip()))
    headers += [(name, text) for option, name in _HEADERS.items() for text in given.get(option, [])]
    if "--json" in given:
        headers += [(name, "application/json") for name in ("Content-Type", "Accept")]

    has_type = any(name.lower() == "content-type" for name, _ in headers)
    if any(option in given for option in _DATA) and "--get" not in given and not has_type:
        headers.append(("Content-Type", "application/x-www-form-urlencoded"))
    return headers


def _words(command: str) -> list[str]:
    if '^"' in command:
        command = _CARETS.sub(lambda match: match[1] or " ", command)
    command = _ANSI_QUOTED.sub(lambda match: shlex.quote(_unescaped(match[1])), command)
    try:
        return shlex.split(command.strip().removeprefix("$ "))
    except ValueError as err:
        raise ValueError("a quote is not closed") from err


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        escape = match[1]
        if len(escape) > 1:
            return chr(int(escape[1:], 16))
        return _ANSI_LETTERS.get(escape, escape)

    return _ANSI_ESCAPE.sub(character, text)


def _options(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield options by their long names, with their values; the URL has none."""
    rest = iter(words)
    for word in rest:
        if word.startswith("--"):
            option, has_value, value = word.partition("=")
            if option in _WITHOUT_VALUE or has_value:
                yield option, value
            else:
                yield option, _next(rest, option)
        elif word.startswith("-") and len(word) > 1:
            yield from _short(word, lambda option: _next(rest, option))
        else:
            yield _URL, word


def _short(word: str, value_of: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Yield the options of a word such as `-sSL` or `-XPOST`."""
    for position, letter in enumerate(word[1:], 2):
        option = _LONG.get(f"-{letter}")
        if option is None:
            raise ValueError(f"the option -{letter} has no counterpart; leave it out")
        if option in _WITHOUT_VALUE:
            yield option, ""
        else:
            yield option, word[position:] or value_of(option)
            return


def _next(rest: Iterator[str], option: str) -> str:
    if (value := next(rest, None)) is None:
        raise ValueError(f"the option {option} has no value")
    return value
