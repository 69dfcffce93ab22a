"""JSON, however large."""

import orjson


def loads(data: bytes) -> object:
    """Parse JSON (RFC 8259: no NaN, no infinities); ValueError when it is none."""
    parsed: object = orjson.loads(data)
    return parsed
