"""Payloads as text and as JSON.

Core's MQTT client decodes a message once per topic, with the encoding of the first subscriber. So
a sensor may receive text decoded with another encoding, bytes instead of text, or text instead of
bytes. If decoding fails, the client drops the message with a warning.
"""

from typing import Final

from homeassistant.util.json import JSON_DECODE_EXCEPTIONS, json_loads

NOT_JSON: Final = object()

RAW_ENCODING: Final = "utf-8"

type Payload = str | bytes | bytearray


class UnreadablePayloadError(ValueError):
    """A payload cannot be used; the text gives the reason, without the payload."""


def check_encoding(name: str) -> None:
    """Raise LookupError or ValueError unless this is a text encoding, or "" for raw bytes."""
    # Also rejects codecs that do not produce text, such as "hex".
    "".encode(name or RAW_ENCODING)


def text_of(payload: Payload, encoding: str) -> str:
    """Return the payload as text. Raise UnreadablePayloadError."""
    if isinstance(payload, str):
        return payload
    try:
        return payload.decode(encoding or RAW_ENCODING)
    except UnicodeError as err:
        raise UnreadablePayloadError(f"it is no {encoding or RAW_ENCODING} text") from err


def template_value(payload: Payload, encoding: str) -> str | bytes:
    """Return the template variable `value`. Raise UnreadablePayloadError."""
    if encoding:
        return text_of(payload, encoding)
    return payload.encode(RAW_ENCODING) if isinstance(payload, str) else bytes(payload)


class LatestJson:
    """Cache of the JSON parsed last, since many sensors read the same message."""

    def __init__(self) -> None:
        self._text: str | bytes | None = None
        self._value: object = NOT_JSON

    def parse(self, text: str | bytes) -> object:
        """Return the JSON value of a text, or `NOT_JSON`."""
        if text is not self._text:
            try:
                self._value = json_loads(text)
            except JSON_DECODE_EXCEPTIONS:
                self._value = NOT_JSON
            self._text = text
        return self._value
