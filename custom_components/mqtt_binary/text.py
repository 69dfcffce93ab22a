"""Payload bytes ↔ text, so that undecodable bytes arrive here and nowhere else go wrong.

Core hands every subscriber of a topic one message object, decoded as the subscriber it
meets first asked for. Asking for bytes would hand bytes to core's own sensors on the topic;
asking for UTF-8 makes core drop undecodable bytes itself, with a warning per message and
sensor. So we subscribe with a codec that yields the same text as UTF-8 where the bytes are
UTF-8, and otherwise keeps them as lone surrogates (PEP 383).
"""

import codecs
from collections.abc import Buffer
from typing import Final

SUBSCRIPTION_ENCODING = "mqtt_binary_utf8"

# A payload beyond this is not decoded, parsed, nor shown to a template: it would hold up the
# event loop for what can hardly be a binary sensor's message.
MAX_BYTES: Final = 1024 * 1024

_ASCII_SUPERSETS = {"ascii", "utf-8", "iso8859-1", "cp1252"}


def _find(name: str) -> codecs.CodecInfo | None:
    if name != SUBSCRIPTION_ENCODING:
        return None
    utf8 = codecs.lookup("utf-8")

    def decode(data: Buffer, _errors: str = "strict") -> tuple[str, int]:
        payload = bytes(data)
        if len(payload) <= MAX_BYTES:
            return utf8.decode(payload, "surrogateescape")
        try:
            return utf8.decode(payload)
        except UnicodeDecodeError:
            # Too long for anyone to read; escaping it byte by byte would take long, too.
            return payload.decode("latin-1"), len(payload)

    return codecs.CodecInfo(utf8.encode, decode, name=SUBSCRIPTION_ENCODING)


codecs.register(_find)


class Encoding:
    """How a sensor's payloads are encoded; '' leaves them bytes for templates."""

    __slots__ = ("_ascii", "name", "raw")

    def __init__(self, name: str) -> None:
        """Raise LookupError if there is no such text encoding."""
        self.raw = not name
        self.name = name or "utf-8"
        # Refuses codecs that do not yield text, such as "hex".
        "".encode(self.name)
        self._ascii = codecs.lookup(self.name).name in _ASCII_SUPERSETS

    def decode(self, payload: str | bytes | bytearray) -> str:
        """Return the text of a payload as core delivered it. Raises UnicodeDecodeError."""
        if isinstance(payload, str):
            if self._ascii and payload.isascii():
                return payload
            payload = payload.encode("utf-8", "surrogateescape")
        return payload.decode(self.name)

    def delivered(self, text: str) -> str | None:
        """Return `text` as core delivers it, or None if the encoding has no such characters."""
        try:
            return text.encode(self.name).decode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return None


def to_bytes(payload: str | bytes | bytearray) -> bytes:
    """Return the bytes of a payload as core delivered it."""
    if isinstance(payload, str):
        return payload.encode("utf-8", "surrogateescape")
    return bytes(payload)
