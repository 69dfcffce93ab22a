"""Payloads as text or bytes, whichever way core's MQTT client delivers them.

The client decodes a message once per topic, as the first of the topic's subscribers asked for.
So a sensor can get text that another encoding was used for, bytes where it asked for text, and
text where it asked for bytes. What cannot be decoded as we asked is dropped by the client, with
a warning of its own.
"""

from typing import Final

type Payload = str | bytes | bytearray

MAX_LENGTH: Final = 1024 * 1024
"""What is longer is not parsed as JSON nor shown to a template: it would hold up the event loop,
and is hardly a binary sensor's message."""

_ENCODING_OF_RAW: Final = "utf-8"


class UnreadablePayloadError(ValueError):
    """A payload cannot be used; the text says why, without the payload."""


def check_encoding(name: str) -> None:
    """Raise LookupError or ValueError unless this is a text encoding, or '' for none."""
    # Refuses codecs that do not yield text, such as "hex", too.
    "".encode(name or _ENCODING_OF_RAW)


def text_of(payload: Payload, encoding: str) -> str:
    """Return the payload as text. Raise UnreadablePayloadError."""
    _check_length(payload)
    if isinstance(payload, str):
        return payload
    try:
        return payload.decode(encoding or _ENCODING_OF_RAW)
    except UnicodeError as err:
        raise UnreadablePayloadError(f"it is no {encoding or _ENCODING_OF_RAW} text") from err


def value_of(payload: Payload, encoding: str) -> str | bytes:
    """Return what templates see as `value`: text, or bytes if the encoding is ''.

    Raise UnreadablePayloadError.
    """
    if encoding:
        return text_of(payload, encoding)
    _check_length(payload)
    return payload.encode(_ENCODING_OF_RAW) if isinstance(payload, str) else bytes(payload)


def _check_length(payload: Payload) -> None:
    if len(payload) > MAX_LENGTH:
        raise UnreadablePayloadError(f"it is longer than {MAX_LENGTH} bytes")
