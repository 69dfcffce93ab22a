"""Search a HAR file, a browser's recording, for requests whose reply contains a value."""

import base64
from dataclasses import dataclass, field
import json
from typing import Any

import orjson
from yarl import URL

from ..reply.reply import ABSENT, Content
from .keys import request_keys

MAX_FOUND = 5
MAX_DAMAGED = 10
"""Maximum number of damaged entries that are named."""
MAX_HOSTS = 5
"""Maximum number of hosts that are named."""

_WITHOUT_TEXT = ("audio/", "font/", "image/", "video/")


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A recorded request and its reply."""

    keys: dict[str, Any]
    content: Content
    is_json: bool


class _DamagedError(Exception):
    """An entry cannot be read; the text gives the reason, without anything of the entry."""


class _NotStoredError(Exception):
    """The browser has not stored the reply of an entry."""


@dataclass(frozen=True, kw_only=True)
class _LeftOut:
    """What the result does not contain."""

    not_polled: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    not_stored: list[str | None] = field(default_factory=list)
    """The hosts of the entries."""

    def lines(self) -> list[str]:
        """Return a line for each request and damaged entry, and one for all that is not stored."""
        lines = [*dict.fromkeys(self.not_polled), *self.damaged[:MAX_DAMAGED]]
        if (more := len(self.damaged) - MAX_DAMAGED) > 0:
            lines.append(f"{more} more entries of the log cannot be read")
        if self.not_stored:
            hosts = sorted({host for host in self.not_stored if host})
            named = ", ".join([*hosts[:MAX_HOSTS], *["…"][: len(hosts) > MAX_HOSTS]])
            lines.append(
                "replies that are not in the file, so they were not searched: "
                f"{len(self.not_stored)} ({named}); save the file with content, right after the "
                "page was loaded"
            )
        return lines


def recorded_with(har: bytes, value: str) -> tuple[list[Recorded], list[str]]:
    """Return the requests whose reply contains a value, and a line for what is left out.

    That is each request with the value that cannot be polled, each damaged entry, and the number
    of replies that are not in the file. JSON first, then the newest first. Raise ValueError if
    `har` is not a HAR file.
    """
    recorded: list[Recorded] = []
    left_out = _LeftOut()
    for number, entry in reversed([*enumerate(_entries(har), 1)]):
        try:
            if (record := _recorded(entry, value)) is not None:
                recorded.append(record)
        except ValueError as err:
            left_out.not_polled.append(f"{_host(entry)}: {err}")
        except _DamagedError as err:
            host = f" ({host})" if (host := _host(entry)) else ""
            left_out.damaged.append(f"entry {number} of the log{host} cannot be read: {err}")
        except _NotStoredError:
            left_out.not_stored.append(_host(entry))
    recorded.sort(key=lambda record: not record.is_json)
    different: list[Recorded] = []
    for record in recorded:
        if all(record.keys != other.keys for other in different):
            different.append(record)
    lines = left_out.lines()
    if (more := len(different) - MAX_FOUND) > 0:
        lines.append(f"{more} more requests have the value: give more of what is on the page")
    return different[:MAX_FOUND], lines


def _entries(har: bytes) -> list[object]:
    """Return the entries of a HAR file. Raise ValueError if it is none."""
    try:
        entries = orjson.loads(har.removeprefix(b"\xef\xbb\xbf"))["log"]["entries"]
    except (ValueError, TypeError, KeyError) as err:
        raise ValueError("it is no HAR file: there is no log with entries in it") from err
    if not isinstance(entries, list):
        raise ValueError("it is no HAR file: the entries of its log are no list")  # noqa: TRY004
    return entries


def _recorded(entry: Any, value: str) -> Recorded | None:  # noqa: ANN401  (foreign JSON)
    """Return the request of an entry; None if its reply does not contain the value.

    Raise ValueError if it cannot be polled, _DamagedError and _NotStoredError.
    """
    try:
        request, reply = entry["request"], entry["response"]["content"]
        text = reply.get("text") or ""
        if not text and _is_not_stored(reply):
            raise _NotStoredError
        body = base64.b64decode(text) if reply.get("encoding") == "base64" else text.encode()
        if not _is_in(value, body):
            return None
        content = Content(body, content_type=reply.get("mimeType", "").partition(";")[0].strip())
        headers = [(header["name"], header["value"]) for header in request["headers"]]
        data = (request.get("postData") or {}).get("text")
        method, url = request["method"], request["url"]
        URL(url)
    except KeyError as err:
        raise _DamagedError(f"{err.args[0]} is missing") from None
    except TypeError, AttributeError:
        raise _DamagedError("it has another shape than in a HAR file") from None
    except ValueError:
        raise _DamagedError("its reply is no base64 or text, or its url is none") from None
    try:
        keys = request_keys(method, url, headers, data)
    except TypeError, AttributeError:
        raise _DamagedError("it has another shape than in a HAR file") from None
    return Recorded(keys=keys, content=content, is_json=content.json is not ABSENT)


def _is_not_stored(reply: Any) -> bool:  # noqa: ANN401  (foreign JSON)
    """Return whether a reply without a text had a body that may contain text."""
    is_text = not reply.get("mimeType", "").startswith(_WITHOUT_TEXT)
    size = reply.get("size", 0 if "text" in reply else None)
    return is_text and size != 0


def _is_in(value: str, body: bytes) -> bool:
    """Return whether a body contains a value, as it is or as servers escape it in JSON."""
    escaped, unescaped = (json.dumps(value, ensure_ascii=is_ascii) for is_ascii in (True, False))
    forms = (value, escaped[1:-1], escaped[1:-1].replace("/", r"\/"), unescaped[1:-1])
    return any(form.encode() in body for form in forms)


def _host(entry: Any) -> str | None:  # noqa: ANN401  (foreign JSON)
    """Return the host of an entry's request, as far as it can be read."""
    try:
        return URL(entry["request"]["url"]).host
    except ValueError, TypeError, KeyError:
        return None
