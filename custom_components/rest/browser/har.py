"""Search a HAR file, a browser's recording, for requests whose reply contains a value."""

import base64
from dataclasses import dataclass
from typing import Any

import orjson
from yarl import URL

from ..reply.reply import ABSENT, Content
from .keys import request_keys

MAX_FOUND = 5
MAX_DAMAGED = 10
"""Maximum number of damaged entries that are named."""


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A recorded request and its reply."""

    keys: dict[str, Any]
    content: Content
    is_json: bool


class _DamagedError(Exception):
    """An entry cannot be read; the text gives the reason, without anything of the entry."""


def recorded_with(har: bytes, value: str) -> tuple[list[Recorded], list[str]]:
    """Return the requests whose reply contains a value, and a line for what is left out.

    That is each request with the value that cannot be polled, and each damaged entry. JSON first,
    then the newest first. Raise ValueError if `har` is not a HAR file.
    """
    recorded: list[Recorded] = []
    not_polled: list[str] = []
    damaged: list[str] = []
    for number, entry in reversed([*enumerate(_entries(har), 1)]):
        try:
            if (record := _recorded(entry, value)) is not None:
                recorded.append(record)
        except ValueError as err:
            not_polled.append(f"{_host(entry)}: {err}")
        except _DamagedError as err:
            host = f" ({host})" if (host := _host(entry)) else ""
            damaged.append(f"entry {number} of the log{host} cannot be read: {err}")
    recorded.sort(key=lambda record: not record.is_json)
    different: list[Recorded] = []
    for record in recorded:
        if all(record.keys != other.keys for other in different):
            different.append(record)
    left_out = [*dict.fromkeys(not_polled), *damaged[:MAX_DAMAGED]]
    if (more := len(damaged) - MAX_DAMAGED) > 0:
        left_out.append(f"{more} more entries of the log cannot be read")
    if (more := len(different) - MAX_FOUND) > 0:
        left_out.append(f"{more} more requests have the value: give more of what is on the page")
    return different[:MAX_FOUND], left_out


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

    Raise ValueError if it cannot be polled, and _DamagedError.
    """
    try:
        request, reply = entry["request"], entry["response"]["content"]
        text = reply.get("text") or ""
        body = base64.b64decode(text) if reply.get("encoding") == "base64" else text.encode()
        if value.encode() not in body:
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


def _host(entry: Any) -> str | None:  # noqa: ANN401  (foreign JSON)
    """Return the host of an entry's request, as far as it can be read."""
    try:
        return URL(entry["request"]["url"]).host
    except ValueError, TypeError, KeyError:
        return None
