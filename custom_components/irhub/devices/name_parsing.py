"""Normalisation of commands' names, and parsing of functions with a value ("source HDMI 2").

Names are compared as words in lower case without accents: `volumeUp`, `VOLUME_UP` and "Volume+" are
equal.
"""

from collections.abc import Iterable, Mapping
from functools import cache
import re
from typing import Final
import unicodedata

from ..ircodes.states import MODES

_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SIGNS: Final = ((re.compile(r"\+"), " up "), (re.compile(r"(?<=\w)\s?-$"), " down"))
_WORD: Final = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+|-(?=\s|$)")
_DIGIT: Final = re.compile(
    r"(?:(?:sources )?(?:channel|ch|kanal|kanaal|canal|chaine)|digit|num|number|key|ziffer|zahl"
    r"|taste|cijfer|numero|digito|chiffre|touche)? ?(\d)"
)
_SOURCE: Final = re.compile(
    r"(?:sources?|inputs?|quelle|eingang|bron|ingang|fuente|entrada|entree) .+"
)
_KNOWN_SOURCE: Final = re.compile(
    r"(?:hdmi|av|usb|vga|dvi|scart|aux|optical|coax|line in|tv|tuner|radio|fm|am|cd|dvd|blu ?ray"
    r"|bluetooth|phono|pc|component|composite|display ?port|dp|netflix|youtube|game|sat)"
    r"(?: ?\d+| arc)?"
)
_SOUND: Final = re.compile(r"sound modes? .+")
_SPEED: Final = re.compile(
    r"(?:(default|forward|reverse|vorwarts|ruckwarts) )?"
    r"(?:(?:fan )?(?:speed|stufe|stand|snelheid|velocidad|vitesse|level|geschwindigkeit) )?(.+?)"
    r"(?: speed)?"
)
_BACKWARD: Final = {"reverse", "ruckwarts"}
_SPEEDS: Final = {
    word: number
    for number, words in enumerate(
        (
            "quiet silent sleep leise silencioso silencieux stil",
            "lowest min minimum",
            "low niedrig schwach laag bajo baja faible lent slow",
            "medium mid middle med mittel middel medio media moyen",
            "high hoch stark hoog alto alta fort rapide fast",
            "highest max maximum turbo boost",
        )
    )
    for word in words.split()
}
_PRESETS: Final = {"natural", "nature", "breeze", "eco", "auto", "natur", "nacht", "night", "nuit"}


@cache
def words_of(name: str) -> str:
    """Return a name in lower case, without accents, as words separated by spaces."""
    text = unicodedata.normalize("NFKD", _HUMP.sub(" ", name.strip()))
    text = "".join(letter for letter in text if not unicodedata.combining(letter)).casefold()
    for sign, word in _SIGNS:
        text = sign.sub(word, text)
    return " ".join(_WORD.findall(text))


def values(functions: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Return value → command for the functions with a prefix, like "source" in "source HDMI 2"."""
    return {
        function.removeprefix(f"{prefix} "): command
        for function, command in functions.items()
        if function.startswith(f"{prefix} ")
    }


def slowest_first(speeds: Iterable[str]) -> list[str]:
    """Return names of speeds, slowest first: by their numbers, else by the meaning of words."""

    def rank(speed: str) -> tuple[float, str]:
        words = words_of(speed).split()
        number = next((float(word) for word in words if word.isdecimal()), None)
        if number is None:
            number = next((_SPEEDS[word] for word in words if word in _SPEEDS), len(_SPEEDS))
        return number, speed

    return sorted(speeds, key=rank)


def climate_function(_name: str, words: str) -> str | None:
    """Return the function of a command that turns off in one mode, like "off cool"."""
    function, _, mode = words.partition(" ")
    mode = mode.replace(" ", "_")
    return f"off {mode}" if function == "off" and mode in MODES else None


def player_function(name: str, words: str) -> str | None:
    """Return the function with a value of a player's command, if any."""
    if digit := _DIGIT.fullmatch(words):
        return f"digit {digit[1]}"
    if _SOUND.fullmatch(words):
        return f"sound_mode {name.rpartition('modes ')[2].rpartition('mode ')[2]}"
    if _SOURCE.fullmatch(words):
        return f"source {name.partition(' ')[2]}"
    return f"source {name}" if _KNOWN_SOURCE.fullmatch(words) else None


def fan_function(name: str, words: str) -> str | None:
    """Return the function with a value of a fan's command, if any."""
    match = _SPEED.fullmatch(words)
    if match is not None and (match[1] or match[2].isdecimal() or match[2] in _SPEEDS):
        speed = name.split(maxsplit=1)[1] if match[1] and " " in name else name
        if match[1] in (None, "default"):
            return f"speed {speed}"
        return f"{'reverse' if match[1] in _BACKWARD else 'forward'} {speed}"
    return f"preset {name}" if words in _PRESETS else None
