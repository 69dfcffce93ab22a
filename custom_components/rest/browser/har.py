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
    """The reply of an entry is not in the file."""


@dataclass(frozen=True, kw_only=True)
class _Omissions:
    """Entries that the result does not contain."""

    not_polled: list[str] = field(default_factory=list)
    """A line for each request with the value that cannot be polled."""
    damaged: list[str] = field(default_factory=list)
    """A line for each entry that cannot be read."""
    not_stored: list[str | None] = field(default_factory=list)
    """The host of each entry whose reply is not in the file."""

    def lines(self) -> list[str]:
        """Return the lines, without duplicates and within the limits."""
        lines = [*dict.fromkeys(self.not_polled), *self.damaged[:MAX_DAMAGED]]
        if (more_damaged := len(self.damaged) - MAX_DAMAGED) > 0:
            lines.append(f"{more_damaged} more entries of the log cannot be read")
        if self.not_stored:
            hosts = sorted({host for host in self.not_stored if host})
            shown = ", ".join([*hosts[:MAX_HOSTS], *["…"][: len(hosts) > MAX_HOSTS]])
            lines.append(
                "replies that are not in the file, so they were not searched: "
                f"{len(self.not_stored)} ({shown}); save the file with content, right after the "
                "page was loaded"
            )
        return lines


def requests_with_value(har: bytes, value: str) -> tuple[list[Recorded], list[str]]:
    """Return the requests whose reply contains a value, and lines about what is omitted.

    JSON replies come first, then the newest. Omitted are requests that cannot be polled, damaged
    entries, and replies that are not in the file. Raise ValueError if `har` is not a HAR file.
    """
    requests: list[Recorded] = []
    omissions = _Omissions()
    for number, entry in reversed([*enumerate(_entries(har), 1)]):
        try:
            if (request := _recorded_request(entry, value)) is not None:
                requests.append(request)
        except ValueError as err:
            omissions.not_polled.append(f"{_host(entry)}: {err}")
        except _DamagedError as err:
            host = f" ({host})" if (host := _host(entry)) else ""
            omissions.damaged.append(f"entry {number} of the log{host} cannot be read: {err}")
        except _NotStoredError:
            omissions.not_stored.append(_host(entry))
    requests.sort(key=lambda request: not request.is_json)
    distinct: list[Recorded] = []
    for request in requests:
        if all(request.keys != other.keys for other in distinct):
            distinct.append(request)
    lines = omissions.lines()
    if (more_found := len(distinct) - MAX_FOUND) > 0:
        lines.append(f"{more_found} more requests have the value: give more of what is on the page")
    return distinct[:MAX_FOUND], lines


def _entries(har: bytes) -> list[object]:
    """Return the entries of a HAR file. Raise ValueError if it is none."""
    try:
        entries = orjson.loads(har.removeprefix(b"\xef\xbb\xbf"))["log"]["entries"]
    except (ValueError, TypeError, KeyError) as err:
        raise ValueError("it is no HAR file: there is no log with entries in it") from err
    if not isinstance(entries, list):
        raise ValueError("it is no HAR file: the entries of its log are no list")  # noqa: TRY004
    return entries


def _recorded_request(entry: Any, value: str) -> Recorded | None:  # noqa: ANN401  (foreign JSON)
    """Return the request of an entry; None if its reply does not contain the value.

    Raise ValueError if it cannot be polled, _DamagedError and _NotStoredError.
    """
    try:
        request, reply = entry["request"], entry["response"]["content"]
        text = reply.get("text") or ""
        if not text and _has_unstored_text(reply):
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


def _has_unstored_text(reply: Any) -> bool:  # noqa: ANN401  (foreign JSON)
    """Return whether a reply without a text had a body that may contain text."""
    is_text = not reply.get("mimeType", "").startswith(_WITHOUT_TEXT)
    size = reply.get("size", 0 if "text" in reply else None)
    return is_text and size != 0


def _is_in(value: str, body: bytes) -> bool:
    """Return whether a body contains a value, as it is or as servers escape it in JSON."""
    ascii_json, unicode_json = (
        json.dumps(value, ensure_ascii=is_ascii) for is_ascii in (True, False)
    )
    forms = (value, ascii_json[1:-1], ascii_json[1:-1].replace("/", r"\/"), unicode_json[1:-1])
    return any(form.encode() in body for form in forms)


def _host(entry: Any) -> str | None:  # noqa: ANN401  (foreign JSON)
    """Return the host of an entry's request, as far as it can be read."""
    try:
        return URL(entry["request"]["url"]).host
    except ValueError, TypeError, KeyError:
        return None
