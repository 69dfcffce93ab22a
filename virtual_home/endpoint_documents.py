"""JSON and XML documents with structures that users read with REST sensors."""

from itertools import count
import json
import math
from typing import Any

from .endpoint_answer import Answer

API_PASSWORD = "virtual-home"  # noqa: S105  (opens a virtual home only)

ROOMS: dict[str, Any] = {
    "rooms": {
        "kitchen": {"temperature": 21.4, "humidity": 48, "battery": 87, "window": "closed"},
        "bedroom": {"temperature": 18.9, "humidity": 55, "battery": 64, "window": "open"},
        "bathroom": {"temperature": 23.2, "humidity": 71, "battery": 12, "window": "closed"},
    },
    "outside": {"temperature": 7.5, "wind": {"speed": 4.2, "direction": "NW"}},
}
RELEASE: dict[str, Any] = {
    "url": "https://code.invalid/repos/home/assistant/releases/1",
    "tag_name": "2026.11.0",
    "name": "2026.11.0",
    "draft": False,
    "author": {"login": "frenck", "id": 195327},
    "assets": [],
}
GLANCES: dict[str, Any] = {
    "available": 2_853_101_568,
    "used": 1_293_942_784,  # 1234 MiB
    "percent": 31.2,
    "total": 4_147_044_352,
}
AREST: dict[str, Any] = {
    "variables": {"temperature": 21.5, "humidity": 43},
    "id": "sensor02",
    "name": "livingroom",
    "connected": True,
}
STATE: dict[str, Any] = {
    "entity_id": "sensor.garden_temperature",
    "state": "12.3",
    "attributes": {"unit_of_measurement": "°C", "friendly_name": "Garden temperature"},
    "last_changed": "2026-11-21T09:00:00+00:00",
}
XML = (
    '<?xml version="1.0" encoding="utf-8"?>'
    "<station><name>Roof</name><reading unit='C'>14.2</reading><reading unit='F'>57.6</reading>"
    "</station>"
)
BROKEN_XML = "<station><name>Roof</name><reading>14.2</station>"

_turn = count(1)


def values() -> dict[str, Any]:
    """Return readings that change with every call: a counter, waves, a list, a text."""
    turn = next(_turn)
    phase = turn / 10
    return {
        "counter": turn,
        "temperature": round(20 + 3 * math.sin(phase), 1),
        "humidity": round(50 + 10 * math.cos(phase), 1),
        "power": round(800 + 700 * math.sin(phase / 3)),
        "door": "open" if turn % 4 == 0 else "closed",
        "list": [turn, turn + 1, turn + 2],
    }


def document(size: int) -> bytes:
    """Return a JSON dictionary of `size` bytes, at least 64: readings, records, padding."""
    head = '{"temperature": 21.5, "humidity": 48, "records": ['
    tail = '], "pad": "'
    end = '"}'
    records: list[str] = []
    length = len(head) + len(tail) + len(end)
    for number in count():
        record = json.dumps({"id": number, "name": f"sensor {number}", "value": number / 10})
        if length + len(record) + 2 > size:
            break
        records.append(record)
        length += len(record) + (2 if len(records) > 1 else 0)
    text = head + ", ".join(records) + tail
    return (text + "x" * (size - len(text) - len(end)) + end).encode()


def shapes() -> dict[str, Answer]:
    """Return the documents that never change, by path."""
    return {
        "/rooms": Answer.of(ROOMS),
        "/rooms/list": Answer.of([ROOMS, {"second": True}]),
        "/repos/home/assistant/releases/latest": Answer.of(RELEASE),
        "/api/3/mem": Answer.of(GLANCES),
        "/arest": Answer.of(AREST),
        "/xml": Answer(body=XML.encode(), content_type="text/xml; charset=utf-8"),
        "/broken-xml": Answer(body=BROKEN_XML.encode(), content_type="application/xml"),
    }
