"""Convert a cURL command, as copied by browsers, into the keys of a request."""

from collections.abc import Callable, Iterator, Mapping
from math import ceil
import re
import shlex
from typing import Any
from urllib.parse import quote

from .keys import request_keys

# Bash's `$'…'`, which browsers use for texts with quotes or line breaks.
_ANSI_QUOTED = re.compile(r"(?<=\s)\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ANSI_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.)", re.DOTALL)
_ANSI_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}
# Windows' command line: a caret escapes each special character.
_CARETS = re.compile(r"\^\r?\n|\^(.)", re.DOTALL)

_URL = ""
# Options without effect on the request, or whose effect is the default here.
_FLAGS = frozenset(
    [
        *("--basic", "--compressed", "--fail", "--globoff", "--http1.1", "--http2", "--include"),
        *("--location", "--no-progress-meter", "--show-error", "--silent", "--verbose"),
    ]
)
_OF_CURL_ALONE = frozenset({"--connect-timeout", "--output", "--retry"})
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
    "-f": "--fail",
    "-g": "--globoff",
    "-i": "--include",
    "-k": "--insecure",
    "-m": "--max-time",
    "-o": "--output",
    "-s": "--silent",
    "-u": "--user",
    "-v": "--verbose",
}
_WITHOUT_VALUE = _FLAGS | {"--digest", "--get", "--insecure"}
_DATA = ("--data", "--data-raw", "--data-binary", "--data-ascii", "--json")
_ENCODED = "--data-urlencode"
_HEADERS = {"--cookie": "Cookie", "--user-agent": "User-Agent", "--referer": "Referer"}
_KNOWN = _WITHOUT_VALUE.union(
    *(_OF_CURL_ALONE, _DATA, _HEADERS, (_URL, _ENCODED, "--url", "--request", "--header")),
    ("--max-time", "--user"),
)
# A variable that a shell would expand, unless it is in single quotes.
_VARIABLE = re.compile(r"(?<!\\)\$\{?[A-Za-z_]\w*")
_QUOTED = re.compile(r"'[^']*'|\"(?P<inside>(?:[^\"\\]|\\.)*)\"", re.DOTALL)


def request_of_curl(command: str) -> dict[str, Any]:
    """Return the keys of the request. Raise ValueError that names unsupported options."""
    words = _split_words(command)
    if not words or words[0].rpartition("/")[2] not in ("curl", "curl.exe"):
        raise ValueError("expected a command that begins with curl")
    options: dict[str, list[str]] = {}
    for option, value in _options(words[1:]):
        if option not in _KNOWN:
            raise ValueError(f"the option {option} has no counterpart; leave it out")
        options.setdefault(option, []).append(value)
    url = _url(options.get(_URL, []) + options.get("--url", []))
    body = _body(options)
    if "--get" in options and body is not None:
        url, body = f"{url}{'&' if '?' in url else '?'}{body}", None
    method = options.get("--request", ["GET" if body is None else "POST"])[-1].upper()
    keys = request_keys(method, url, _headers(options), body)
    if user := options.get("--user"):
        keys["username"], _, keys["password"] = user[-1].partition(":")
    if "--digest" in options:
        keys["authentication"] = "digest"
    if "--insecure" in options:
        keys["verify_ssl"] = False
    if seconds := options.get("--max-time"):
        keys["timeout"] = _seconds(seconds[-1])
    return keys


def _url(urls: list[str]) -> str:
    if not urls:
        raise ValueError("the command has no URL")
    if len(urls) > 1:
        raise ValueError("only one URL has a counterpart; leave out the others, or what follows |")
    return urls[0] if "://" in urls[0] else f"http://{urls[0]}"


def _body(options: Mapping[str, list[str]]) -> str | None:
    parts = [value for option in _DATA for value in options.get(option, [])]
    parts += [_encoded(value) for value in options.get(_ENCODED, [])]
    if any(part.startswith("@") for part in parts if part not in options.get("--data-raw", [])):
        raise ValueError("the payload is in a file, which is not known here")
    return "&".join(parts) if parts else None


def _encoded(value: str) -> str:
    """Return a part of a payload, `name=text` or a text, percent-encoded as curl does."""
    name, equals, text = value.partition("=")
    if "@" in name:
        raise ValueError("the payload is in a file, which is not known here")
    if not equals:
        return quote(value, safe="")
    return f"{name}={quote(text, safe='')}" if name else quote(text, safe="")


def _seconds(text: str) -> int:
    try:
        return max(ceil(float(text)), 1)
    except ValueError, OverflowError:
        raise ValueError("--max-time is no number of seconds") from None


def _headers(options: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    headers = []
    for line in options.get("--header", []):
        if line.startswith("@"):
            raise ValueError("headers are in a file, which is not known here")
        name, _, text = line.partition(":")
        headers.append((name.strip(), text.strip()))
    if any("=" not in text for text in options.get("--cookie", [])):
        raise ValueError("cookies are in a file, which is not known here")
    headers += [
        (name, text) for option, name in _HEADERS.items() for text in options.get(option, [])
    ]
    if "--json" in options:
        headers += [(name, "application/json") for name in ("Content-Type", "Accept")]

    has_type = any(name.lower() == "content-type" for name, _ in headers)
    if any(option in options for option in _DATA) and "--get" not in options and not has_type:
        headers.append(("Content-Type", "application/x-www-form-urlencoded"))
    return headers


def _split_words(command: str) -> list[str]:
    if '^"' in command:
        command = _CARETS.sub(lambda match: match[1] or " ", command)
    command = command.rstrip().removesuffix("\\")  # a line continuation without a next line
    command = _ANSI_QUOTED.sub(lambda match: shlex.quote(_unescape(match[1])), command)
    if variable := _VARIABLE.search(_QUOTED.sub(lambda match: match["inside"] or "", command)):
        raise ValueError(f"{variable[0]} is a variable of a shell; put its value there")
    try:
        return shlex.split(command.strip().removeprefix("$ "))
    except ValueError as err:
        raise ValueError("a quote is not closed") from err


def _unescape(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        escape = match[1]
        if len(escape) > 1:
            return chr(int(escape[1:], 16))
        return _ANSI_LETTERS.get(escape, escape)

    return _ANSI_ESCAPE.sub(character, text)


def _options(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (long option name, value) pairs; the name of the URL is `_URL`."""
    remaining = iter(words)
    for word in remaining:
        if word.startswith("--"):
            option, has_value, value = word.partition("=")
            if option in _WITHOUT_VALUE or has_value:
                yield option, value
            else:
                yield option, _next(remaining, option)
        elif word.startswith("-") and len(word) > 1:
            yield from _short(word, lambda option: _next(remaining, option))
        elif url := word.strip():  # empty for a trailing line continuation
            yield _URL, url


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


def _next(remaining: Iterator[str], option: str) -> str:
    if (value := next(remaining, None)) is None:
        raise ValueError(f"the option {option} has no value")
    return value
