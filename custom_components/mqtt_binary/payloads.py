"""The payloads that mean on and off."""

from functools import lru_cache

from .text import Encoding


class Payloads:
    """Text or delivered payload → on (true) or off (false), compared exactly."""

    __slots__ = ("as_delivered", "as_text")

    def __init__(self, on: tuple[str, ...], off: tuple[str, ...], encoding: Encoding) -> None:
        self.as_text = dict.fromkeys(off, False) | dict.fromkeys(on, True)
        self.as_delivered = {
            delivered: value
            for text, value in self.as_text.items()
            if (delivered := encoding.delivered(text)) is not None
        }


@lru_cache(maxsize=64)
def shared_encoding(name: str) -> Encoding:
    """Return the one `Encoding` of this name: thousands of sensors have the same."""
    return Encoding(name)


@lru_cache(maxsize=64)
def shared_payloads(on: tuple[str, ...], off: tuple[str, ...], encoding: str) -> Payloads:
    """Return the one `Payloads` of these values."""
    return Payloads(on, off, shared_encoding(encoding))
