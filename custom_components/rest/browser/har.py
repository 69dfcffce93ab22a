"""Search a HAR file, a browser's recording, for requests whose reply contains a value."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from ..reply.reply import ABSENT, Content
from .keys import METHODS, request_keys

MAX_FOUND = 5


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A recorded request and its reply."""

    keys: dict[str, Any]
    content: Content
    is_json: bool


def recorded_with(har: bytes, value: str) -> list[Recorded]:
    """Return the requests whose reply contains a value: JSON first, then the newest first.

    Raise ValueError if `har` is not a HAR file.
    """
    try:
        entries = orjson.loads(har.removeprefix(b"\xef\xbb\xbf"))["log"]["entries"]
    except (ValueError, TypeError, KeyError) as err:
        raise ValueError("it is no HAR file: there is no log with entries in it") from err
    if not isinstance(entries, list):
        raise ValueError("it is no HAR file: the entries of its log are no list")  # noqa: TRY004
    recorded = [record for entry in reversed(entries) for record in _recorded(entry, value)]
    recorded.sort(key=lambda record: not record.is_json)
    different: list[Recorded] = []
    for record in recorded:
        if all(record.keys != other.keys for other in different):
            different.append(record)
    return different[:MAX_FOUND]


def _recorded(entry: Any, value: str) -> Iterator[Recorded]:  # noqa: ANN401  (foreign JSON)
    try:
        request, reply = entry["request"], entry["response"]["content"]
        text = reply.get("text") or ""
        body = base64.b64decode(text) if reply.get("encoding") == "base64" else text.encode()
        if request["method"] not in METHODS or value.encode() not in body:
            return
        content = Content(body, content_type=reply.get("mimeType", "").partition(";")[0].strip())
        headers = [(header["name"], header["value"]) for header in request["headers"]]
        data = (request.get("postData") or {}).get("text")
        keys = request_keys(request["method"], request["url"], headers, data)
    except ValueError, TypeError, KeyError, AttributeError:
        return  # damaged, or added by a browser extension
    yield Recorded(keys=keys, content=content, is_json=content.json is not ABSENT)
