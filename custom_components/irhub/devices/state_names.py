"""Parsing the names of an air conditioner's commands into states, when commands are added."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from ..ircodes import Capabilities, State
from ..ircodes.states import MODES, WHATEVER, LevelPath, states_of, temperature_of
from .name_parsing import words_of

_MODES: Final = {
    "cool": "cool|cooling|cold|kuhlen|kuehlen|koelen|enfriar|frio|refroidir|froid",
    "heat": "heat|heating|warm|heizen|verwarmen|calentar|calor|chauffer|chaud",
    "dry": "dry|dehumidify|trocknen|entfeuchten|drogen|secar|seco|deshumidificar|sec|deshumidifier",
    "fan_only": "fan only|fan|ventilation|luften|lufter|ventilator|ventileren|ventilador"
    "|ventilar|ventilateur",
    "heat_cool": "heat cool",
    "auto": "auto|automatic|automatik|automatisch|automatico|automatique",
}
_FANS: Final = {
    "auto": "auto|fan auto",
    "quiet": "quiet|silent|leise|stil|silencioso|silencieux",
    "low": "low|fan low|niedrig|schwach|laag|bajo|baja|faible",
    "medium": "medium|mid|med|middle|fan medium|fan mid|mittel|middel|medio|media|moyen",
    "high": "high|fan high|hoch|stark|hoog|alto|alta|fort",
    "turbo": "turbo|powerful|boost|max",
}
_SWINGS: Final = {"on": "swing|swing on|schwenken|zwenken|oscilar", "off": "swing off|no swing"}

type _Phrases = list[tuple[str, str]]
"""(phrase, meaning), longest phrase first."""


def _phrases(meanings: Mapping[str, str]) -> _Phrases:
    every = [(phrase, value) for value, all_ in meanings.items() for phrase in all_.split("|")]
    return sorted(every, key=lambda phrase: -len(phrase[0]))


_MODE_PHRASES: Final = _phrases(_MODES)
_FAN_PHRASES: Final = _phrases(_FANS)
_SWING_PHRASES: Final = _phrases(_SWINGS)


def state_of_name(name: str) -> State | None:
    """Return the state in a name, with words in any order ("kühlen 24 hoch"); None if none."""
    parts = name.split() if " " in name.strip() else name.replace("_", " ").split()
    temperature: float | None = None
    for part in reversed(parts):
        if (temperature := temperature_of(part)) is not None:
            parts.remove(part)
            break
    mode, fan, swing, rest = _take_levels(
        " ".join(words_of(part) for part in parts if part != WHATEVER)
    )
    if mode is None or (rest and temperature is None and WHATEVER not in parts):
        return None
    if rest and fan is None:
        fan, rest = rest, ""
    if rest and swing is None:
        swing, rest = rest, ""
    if rest:
        return None
    return State(mode=mode, fan=fan, swing=swing, temperature=temperature)


def states_of_names(
    names: Iterable[str], capabilities: Capabilities | None = None
) -> dict[str, State]:
    """Return name → state for the names that contain a state.

    For commands of a code file, `capabilities` are those of its head, and a name is the path to the
    command in the file.
    """
    if not capabilities:
        return {name: state for name in names if (state := state_of_name(name)) is not None}
    levels = capabilities.levels
    named = (*levels.presets, *levels.fans, *levels.swings)
    phrases = sorted((tuple(name.casefold().split()) for name in named), key=len, reverse=True)
    paths = {
        name: path
        for name in names
        if (path := _path(name, phrases)) is not None and path[0] in capabilities
    }
    states = states_of(paths.values(), levels)
    return {name: states[path][0] for name, path in paths.items() if path in states}


def _path(name: str, phrases: Iterable[tuple[str, ...]]) -> LevelPath | None:
    """Return the mode and levels of a name; a level may be several words. None if no mode."""
    mode, *words = name.casefold().split() or [""]
    if mode not in MODES:
        return None
    path = [mode]
    while words:
        known = (phrase for phrase in phrases if (*words[: len(phrase)],) == phrase)
        level = next(known, (words[0],))
        path.append(" ".join(level))
        words = words[len(level) :]
    return tuple(path)


@lru_cache(maxsize=1024)
def _take_levels(words: str) -> tuple[str | None, str | None, str | None, str]:
    """Return mode, fan and swing in a name (None: absent), and the remaining words."""
    mode, rest = _take_mode(words)
    fan, rest = _take(rest, _FAN_PHRASES)
    swing, rest = _take(rest, _SWING_PHRASES)
    return mode, fan, swing, rest


def _take_mode(words: str) -> tuple[str | None, str]:
    """Return the mode at the start of a name, else any mode in it, and the remaining words."""
    for phrase, mode in _MODE_PHRASES:
        if words == phrase or words.startswith(f"{phrase} "):
            return mode, words[len(phrase) :].strip()
    return _take(words, _MODE_PHRASES)


def _take(words: str, phrases: _Phrases) -> tuple[str | None, str]:
    """Return the meaning of the longest phrase in a name, and the remaining words."""
    for phrase, value in phrases:
        if phrase in words and f" {phrase} " in (padded := f" {words} "):
            return value, padded.replace(f" {phrase} ", " ", 1).strip()
    return None, words
