"""Search a HAR file, a browser's recording, for requests whose reply contains a value."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from yarl import URL

from ..reply.reply import ABSENT, Content
from .keys import request_keys

MAX_FOUND = 5


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A recorded request and its reply."""

    keys: dict[str, Any]
    content: Content
    is_json: bool


def recorded_with(har: bytes, value: str) -> tuple[list[Recorded], list[str]]:
    """Return the requests whose reply contains a value, and why others of these are left out.

    JSON first, then the newest first. Raise ValueError if `har` is not a HAR file.
    """
    try:
        entries = orjson.loads(har.removeprefix(b"\xef\xbb\xbf"))["log"]["entries"]
    except (ValueError, TypeError, KeyError) as err:
        raise ValueError("it is no HAR file: there is no log with entries in it") from err
    if not isinstance(entries, list):
        raise ValueError("it is no HAR file: the entries of its log are no list")  # noqa: TRY004
    found = [record for entry in reversed(entries) for record in _recorded(entry, value)]
    recorded = [record for record in found if isinstance(record, Recorded)]
    recorded.sort(key=lambda record: not record.is_json)
    different: list[Recorded] = []
    for record in recorded:
        if all(record.keys != other.keys for other in different):
            different.append(record)
    left_out = [*dict.fromkeys(reason for reason in found if isinstance(reason, str))]
    if (more := len(different) - MAX_FOUND) > 0:
        left_out.append(f"{more} more requests have the value: give more of what is on the page")
    return different[:MAX_FOUND], left_out


def _recorded(entry: Any, value: str) -> Iterator[Recorded | str]:  # noqa: ANN401  (foreign JSON)
    """Yield the request of an entry whose reply contains the value, or why it cannot be polled."""
    try:
        request, reply = entry["request"], entry["response"]["content"]
        text = reply.get("text") or ""
        body = base64.b64decode(text) if reply.get("encoding") == "base64" else text.encode()
        if value.encode() not in body:
            return
        content = Content(body, content_type=reply.get("mimeType", "").partition(";")[0].strip())
        headers = [(header["name"], header["value"]) for header in request["headers"]]
        data = (request.get("postData") or {}).get("text")
        host = URL(request["url"]).host
    except ValueError, TypeError, KeyError, AttributeError:
        return  # damaged, or added by a browser extension
    try:
        keys = request_keys(request["method"], request["url"], headers, data)
    except ValueError as err:
        yield f"{host}: {err}"
        return
    except TypeError, AttributeError:
        return  # damaged
    yield Recorded(keys=keys, content=content, is_json=content.json is not ABSENT)
