"""What an air conditioner can be set to: one command for each whole state.

A name of a command is a path: mode, preset, fan, swing, temperature, each level there or not,
`-` for "whatever": "cool auto 24", "fan_only low -", "heat eco high off 21.5". A code file says
what its levels are called; of commands that were learned, the words say it, in any order.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise, product
import re
from typing import Any, Final, NamedTuple, Self

from ..formats.smartir import FAHRENHEIT_FROM, WHATEVER
from .names import Kind, functions_of, words_of

_TEMPERATURE: Final = re.compile(r"(\d{1,3}(?:[.,]\d)?)(?:°?[cf]|°)?", re.IGNORECASE)
LOWEST: Final = 5.0
"""A number below is a speed, not a temperature, where no file says what it is."""
SHOWN: Final = 3
"""So many states an error suggests."""

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
_OFF_OF: Final = re.compile(r"off_(\w+)")

type _Words = tuple[str, ...]
type _Values = tuple[str | float | None, ...]
type _Phrases = list[tuple[str, str]]
"""Phrase and what it says, the longest first."""


def _phrases(meanings: Mapping[str, str]) -> _Phrases:
    said = [(phrase, value) for value, all_ in meanings.items() for phrase in all_.split("|")]
    return sorted(said, key=lambda phrase: -len(phrase[0]))


_MODE_PHRASES: Final = _phrases(_MODES)
_FAN_PHRASES: Final = _phrases(_FANS)
_SWING_PHRASES: Final = _phrases(_SWINGS)


class State(NamedTuple):
    """A whole state. None: the mode does not have it, or the command is for whatever it is."""

    mode: str
    preset: str | None = None
    fan: str | None = None
    swing: str | None = None
    temperature: float | None = None

    def __str__(self) -> str:
        """Return the state as a sentence shows it."""
        parts = [self.mode, self.preset, self.fan, self.swing]
        if self.temperature is not None:
            parts.append(f"{self.temperature:g}°")
        return " · ".join(part for part in parts if part is not None)


@dataclass(frozen=True, kw_only=True)
class Levels:
    """What a code file says that its commands do not: the names of levels, their order, units."""

    modes: Sequence[str] = ()
    presets: Sequence[str] = ()
    fans: Sequence[str] = ()
    swings: Sequence[str] = ()
    speeds: Sequence[str] = ()
    """Of a fan, slowest first."""
    brightnesses: Sequence[int] = ()
    """Of a light, darkest first, 1 to 255."""
    kelvins: Sequence[int] = ()
    """Of a light, warmest first."""
    step: float | None = None
    unit: str | None = None
    """C or F."""

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return what was stored as JSON, which knows no tuples."""
        said: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in data.items()
        }
        return cls(**said)


@dataclass(frozen=True, kw_only=True)
class Mode:
    """What there is in a mode."""

    presets: Sequence[str]
    fans: Sequence[str]
    swings: Sequence[str]
    temperatures: Sequence[float]
    """Lowest first."""


@dataclass(frozen=True, kw_only=True)
class ClimateStates:
    """The states that have a command, and the commands that switch off and on."""

    commands: Mapping[State, str]
    off: Mapping[str, str]
    """Mode → the command that switches off in that mode; the one for all is under ""."""
    on: str | None = None
    """Sent before every state."""
    toggle: str | None = None
    step: float = 1.0
    unit: str = "C"
    """C or F."""
    levels: Levels = Levels()

    @cached_property
    def modes(self) -> Mapping[str, Mode]:
        """Return the modes, in the file's order, and what each has."""
        order, states = self.levels, self.commands
        modes: dict[str, Mode] = {}
        for mode in _ordered((state.mode for state in states), order.modes):
            of_mode = [state for state in states if state.mode == mode]
            temperatures = {state.temperature for state in of_mode}
            modes[mode] = Mode(
                presets=_ordered((state.preset for state in of_mode), order.presets),
                fans=_ordered((state.fan for state in of_mode), order.fans),
                swings=_ordered((state.swing for state in of_mode), order.swings),
                temperatures=sorted(one for one in temperatures if one is not None),
            )
        return modes

    def state_of(self, command: str) -> State | None:
        """Return the state of a command; None if it is of none."""
        return next((state for state, of in self.commands.items() if of == command), None)

    def find(self, state: State) -> str | None:
        """Return the command of a state: for just that, or for whatever some of it is."""
        levels = ((level,) if level is None else (level, None) for level in state[1:])
        for wanted in product((state.mode,), *levels):
            if (command := self.commands.get(State._make(wanted))) is not None:
                return command
        return None

    def fit(self, state: State) -> State:
        """Return the state of the same mode that has a command and differs least from this.

        What that command is for whatever of stays as it is.
        """
        [nearest, *_] = self.nearest(state)
        pairs = zip(nearest, state, strict=True)
        return State._make(ours if theirs is None else theirs for theirs, ours in pairs)

    def nearest(self, state: State) -> list[State]:
        """Return the states of the same mode that differ least from this, the nearest first."""

        def distance(other: State) -> tuple[int, float]:
            differing = sum(
                theirs is not None and theirs != ours
                for theirs, ours in zip(other[1:4], state[1:4], strict=True)
            )
            if other.temperature is None or state.temperature is None:
                return differing, 0.0
            return differing, abs(other.temperature - state.temperature)

        return sorted((one for one in self.commands if one.mode == state.mode), key=distance)[
            :SHOWN
        ]


def climate_states(names: Iterable[str], levels: Levels | None = None) -> ClimateStates:
    """Return what these commands set an air conditioner to; what says no state is left out."""
    said = levels or Levels()
    read = _reader(said) if said.modes else _read_words
    commands: dict[State, str] = {}
    off: dict[str, str] = {}
    others: list[str] = []
    for name in names:
        if (state := read(name)) is not None:
            commands.setdefault(state, name)
        elif of_mode := _OFF_OF.fullmatch(name.casefold()):
            off.setdefault(of_mode[1], name)
        else:
            others.append(name)
    functions = functions_of(Kind.CLIMATE, others)
    if "off" in functions:
        off[""] = functions["off"]
    every = sorted({one.temperature for one in commands if one.temperature is not None})
    return ClimateStates(
        commands=commands,
        off=off,
        on=functions.get("on"),
        toggle=functions.get("toggle"),
        step=min((b - a for a, b in pairwise(every)), default=said.step or 1.0),
        unit=said.unit or ("F" if every and every[0] >= FAHRENHEIT_FROM else "C"),
        levels=said,
    )


known_climate_states = lru_cache(maxsize=8)(climate_states)
"""`climate_states` for names and levels as tuples, which several ask for."""


def _reader(levels: Levels) -> Callable[[str], State | None]:
    """Return what reads a name by the words of a code file, level by level."""
    modes = _vocabulary(levels.modes)
    below = [*map(_vocabulary, (levels.presets, levels.fans, levels.swings))]

    @cache
    def match(words: _Words, level: int) -> _Values | None:
        if level == len(below):
            return _temperature(words)
        for phrase, value in below[level].get(words[0], ()) if words else ():
            if words[: len(phrase)] == phrase and (
                (rest := match(words[len(phrase) :], level + 1)) is not None
            ):
                return (value, *rest)
        whatever = below[level] and words and words[0] == WHATEVER
        skipped = words[1:] if whatever else words
        rest = match(skipped, level + 1)
        return None if rest is None else (None, *rest)

    def read(name: str) -> State | None:
        words = tuple(name.casefold().split())
        for phrase, mode in modes.get(words[0], ()) if words else ():
            if words[: len(phrase)] == phrase and (
                (values := match(words[len(phrase) :], 0)) is not None
            ):
                return State._make((mode, *values))
        return None

    return read


def _vocabulary(values: Iterable[str]) -> dict[str, list[tuple[_Words, str]]]:
    """Return first word → phrases that begin so, the longest first, and what they say."""
    known: dict[str, list[tuple[_Words, str]]] = {}
    for value in values:
        if words := tuple(value.casefold().split()):
            known.setdefault(words[0], []).append((words, value))
    for phrases in known.values():
        phrases.sort(key=lambda phrase: -len(phrase[0]))
    return known


def _temperature(words: _Words) -> _Values | None:
    """Return what is at the end of a path: a temperature, whatever, nothing; None if none of it."""
    if words in ((), (WHATEVER,)):
        return (None,)
    said = _TEMPERATURE.fullmatch(words[0]) if len(words) == 1 else None
    return None if said is None else (_number(said[1]),)


def _read_words(name: str) -> State | None:
    """Read a name without knowing what the levels are called."""
    parts = name.split() if " " in name.strip() else name.replace("_", " ").split()
    temperature: float | None = None
    for part in reversed(parts):
        if (said := _TEMPERATURE.fullmatch(part)) and _number(said[1]) >= LOWEST:
            temperature = _number(said[1])
            parts.remove(part)
            break
    mode, fan, swing, rest = _take_levels(
        " ".join(words_of(part) for part in parts if part != WHATEVER)
    )
    if mode is None:
        return None
    if rest and temperature is None and WHATEVER not in parts:
        return None
    if rest and fan is None:
        fan, rest = rest, ""
    if rest and swing is None:
        swing, rest = rest, ""
    return None if rest else State(mode, None, fan, swing, temperature)


@lru_cache(maxsize=1024)
def _take_levels(words: str) -> tuple[str | None, str | None, str | None, str]:
    """Return mode, fan and swing that a name says, and the other words."""
    mode, rest = _take_mode(words)
    fan, rest = _take(rest, _FAN_PHRASES)
    swing, rest = _take(rest, _SWING_PHRASES)
    return mode, fan, swing, rest


def _take_mode(words: str) -> tuple[str | None, str]:
    """Return the mode that a name begins with, else one that is in it, and the other words."""
    for phrase, mode in _MODE_PHRASES:
        if words == phrase or words.startswith(f"{phrase} "):
            return mode, words[len(phrase) :].strip()
    return _take(words, _MODE_PHRASES)


def _take(words: str, phrases: _Phrases) -> tuple[str | None, str]:
    """Return what the longest phrase says that is in a name, and the other words."""
    for phrase, value in phrases:
        if phrase in words and f" {phrase} " in (padded := f" {words} "):
            return value, padded.replace(f" {phrase} ", " ", 1).strip()
    return None, words


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def _ordered(values: Iterable[str | None], order: Sequence[str]) -> list[str]:
    """Return each value once, in this order; what is not in it behind, as it comes."""
    found = dict.fromkeys(value for value in values if value is not None)
    return [*(value for value in order if value in found), *(v for v in found if v not in order)]
