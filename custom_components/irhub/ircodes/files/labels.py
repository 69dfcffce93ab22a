"""Names for buttons whose label is a symbol, or that have only a colour."""

from collections.abc import Mapping
from colorsys import rgb_to_hsv
import re
from typing import Final

_PRIVATE: Final = range(0xE000, 0xF900)
"""Unicode's private use area, where fonts define their own symbols."""
_SYMBOLS: Final[Mapping[str, str]] = {
    symbol: name
    for name, symbols in {
        "power": "\uf011\u23fb\u23fc\u23fd",
        "home": "\uf015\U0001f3e0\u2302",
        "settings": "\uf013\uf085\u2699",
        "menu": "\uf0c9\uf03a\uf0ca\u2630",
        "ok": "\uf00c\uf058\u2713\u2714",
        "exit": "\uf00d\uf057\uf2d3\uf08b\u2715\u2716",
        "back": "\uf0e2\uf112\uf122\uf064\u21a9\u21b6\U0001f519",
        "up": "\uf077\uf062\uf0d8\uf106\uf0aa\uf139\u25b2\u25b3\u2191\u2b06",
        "down": "\uf078\uf063\uf0d7\uf107\uf0ab\uf13a\u25bc\u25bd\u2193\u2b07",
        "left": "\uf053\uf060\uf0d9\uf104\uf0a8\uf137\u25c0\u25c1\u2190\u2b05",
        "right": "\uf054\uf061\uf0da\uf105\uf0a9\uf138\u2192\u27a1",
        "volume up": "\uf028\U0001f50a",
        "volume down": "\uf027\U0001f509",
        "mute": "\uf026\uf131\uf1f6\U0001f507",
        "play": "\uf04b\uf144\u25b6\u23f5",
        "pause": "\uf04c\uf28b\u23f8",
        "play pause": "\u23ef",
        "stop": "\uf04d\uf28d\u23f9\u25a0",
        "record": "\uf111\uf192\u23fa\u25cf",
        "previous": "\uf048\uf049\u23ee",
        "next": "\uf051\uf050\u23ed",
        "rewind": "\uf04a\u23ea",
        "fast forward": "\uf04e\u23e9",
        "eject": "\uf052\u23cf",
        "info": "\uf129\uf05a\u2139",
        "help": "\uf128\uf059",
        "plus": "\uf067\uf055\uf0fe",
        "minus": "\uf068\uf056\uf146",
        "television": "\uf26c\uf108\U0001f4fa",
        "brighter": "\uf185\u2600",
        "night": "\uf186",
        "light": "\uf0eb\U0001f4a1",
        "music": "\uf001\u266a\u266b",
        "radio": "\uf2a3\U0001f4fb",
        "subtitles": "\uf20a",
        "language": "\uf0ac\uf1ab",
        "search": "\uf002\U0001f50d",
        "favorite": "\uf005\uf004\u2605\u2665",
        "repeat": "\uf01e\uf021\uf079\U0001f501",
        "shuffle": "\uf074\U0001f500",
        "timer": "\uf017\u23f2",
        "fullscreen": "\uf0b2\uf065",
        "picture": "\uf03e",
        "guide": "\uf02d\uf073\uf1ea",
        "input": "\uf090\uf1e6",
        "keyboard": "\uf11c",
        "fan": "\uf0e7",
    }.items()
    for symbol in symbols
}
"""Symbols of Font Awesome 4 and Unicode on remote controls → their meaning."""
_VARIANT: Final = "\ufe0e\ufe0f"
"""Variation selectors: text or emoji style."""
_COLOURS: Final = ("backgroundColor", "color", "textColor")
_HEX: Final = re.compile(r"#?(?:[0-9a-fA-F]{2})?([0-9a-fA-F]{6})")
_INTEGER: Final = re.compile(r"-\d{1,10}")
_PALE: Final = 0.2
"""Colours with a lower saturation are shades of grey."""
_DARK: Final = 0.2
_LIGHT: Final = 0.8
_HUES: Final = (
    (20, "red"),
    (42, "orange"),
    (70, "yellow"),
    (170, "green"),
    (260, "blue"),
    (330, "violet"),
    (360, "red"),
)
"""Upper limit in degrees, and name of the hue."""


def name_of(attributes: Mapping[str, str]) -> str:
    """Return the name of a button: its label, the meaning of its symbol, or its colour."""
    label = attributes.get("label", "").strip()
    symbols = label.strip(_VARIANT)
    if symbols in _SYMBOLS:
        return _SYMBOLS[symbols]
    if label and all(ord(symbol) in _PRIVATE for symbol in symbols):
        return " ".join(_SYMBOLS.get(symbol, f"symbol {ord(symbol):X}") for symbol in symbols)
    colours = (colour(attributes.get(key, "")) for key in _COLOURS)
    return label or next(filter(None, colours), "")


def colour(text: str) -> str:
    """Return the name of an (A)RGB colour; empty if the text is not a colour."""
    text = text.strip()
    if match := _HEX.fullmatch(text):
        rgb = int(match[1], 16)
    elif _INTEGER.fullmatch(text):  # Android's notation, including alpha
        rgb = int(text) & 0xFFFFFF
    else:
        return ""
    hue, saturation, value = rgb_to_hsv(*(part / 255 for part in rgb.to_bytes(3)))
    if value < _DARK:
        return "black"
    if saturation < _PALE:
        return "white" if value > _LIGHT else "grey"
    return next(name for degrees, name in _HUES if hue * 360 <= degrees)
