"""States of an air conditioner that a log names next to their packets.

Tasmota          `"IRHVAC": {"Vendor": "COOLIX", "Power": "On", "Mode": "Cool", "Temp": 24, …}`
IRremoteESP8266  `Mesg Desc.: Power: On, Mode: 3 (Cool), Temp: 24C, Fan: 0 (Auto), …`
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
import re
from typing import Final

from ..states.capabilities import Capabilities, Steps
from ..states.head import Head
from ..states.state import OFF, Off, State, mode_of
from .notation import read_notation

_DESCRIBED: Final = re.compile(
    r"\bMesg Desc\.\s*:|(?<![\w)] )\bMode: \d+ \([A-Za-z]|(?<![\w)] )\bPower: (?:On|Off),"
)
"""Matches every description and no other line."""
_PAIR: Final = re.compile(r"(?<![\w)] )(?<![\w)])(Power|Mode|Temp|Fan|Swing(?:\(V\))?): ([^,]+)")
"""The name must not be the end of a longer one: `Sensor Temp`, `Timer Mode`."""
_NUMBERED: Final = re.compile(r"\d+ \((.*)\)")
_DEGREES: Final = re.compile(r"(\d+(?:\.\d+)?)\s*°?([CF])?")
_UNKNOWN: Final = frozenset({"", "-", "n/a", "unknown", "null", "none"})
_SWINGS: Final = ("swingv", "swing(v)", "swing")


@dataclass(frozen=True, kw_only=True)
class NamedState:
    """A state that a log names for a packet."""

    text: str
    """The text in the log."""
    state: State | Off | None
    """None if its mode is not one of Home Assistant's."""
    unit: str = ""
    """"C" or "F"; empty without a temperature."""


def is_description(text: str) -> bool:
    """Return whether a text contains a description by IRremoteESP8266."""
    return _DESCRIBED.search(text) is not None


def of_description(line: str) -> NamedState | None:
    """Return the state in a description by IRremoteESP8266; None if the line has none."""
    if not (match := _DESCRIBED.search(line)):
        return None
    pairs = [*_PAIR.finditer(line)]
    start = match.end() if match[0].endswith(":") else min(pair.start() for pair in pairs)
    return _named({pair[1]: pair[2] for pair in pairs}, line[start:].strip())


def of_json(text: str) -> NamedState | None:
    """Return the state in Tasmota's IRHVAC in JSON; None if there is none."""
    if "irhvac" not in text.lower() and "vendor" not in text.lower():
        return None
    try:
        content = read_notation(text)
    except ValueError:
        return None
    if (hvac := _hvac(content)) is None:
        return None
    return _named(hvac, ", ".join(f"{name}: {value}" for name, value in hvac.items()))


def _hvac(content: object) -> Mapping[object, object] | None:
    """Return the IRHVAC mapping of a message from Tasmota or a command to it."""
    if not isinstance(content, Mapping):
        return None
    lower = {str(name).lower(): value for name, value in content.items()}
    if "vendor" in lower and "mode" in lower:
        return content
    return _hvac(lower.get("irreceived") or lower.get("irhvac"))


def _named(attributes: Mapping[object, object], text: str) -> NamedState:
    words = {str(name).lower(): _word(value) for name, value in attributes.items()}
    if "off" in {words.get("power"), words.get("mode")}:
        return NamedState(text=text, state=OFF)
    if (mode := mode_of(words.get("mode") or "")) is None:
        return NamedState(text=text, state=None)
    degrees = _DEGREES.match((words.get("temp") or "").upper())
    unit = (degrees[2] or ("F" if words.get("celsius") == "off" else "C")) if degrees else ""
    state = State(
        mode=mode,
        fan=words.get("fanspeed") or words.get("fan"),
        swing=next((words[name] for name in _SWINGS if words.get(name)), None),
        temperature=float(degrees[1]) if degrees else None,
    )
    return NamedState(text=text, state=state, unit=unit)


def _word(value: object) -> str | None:
    """Return a value in Home Assistant's spelling; None if it is unknown."""
    if isinstance(value, bool):
        return "on" if value else "off"
    text = str(value).strip()
    match = _NUMBERED.fullmatch(text)
    word = (match[1] if match else text).strip().lower()
    return None if word in _UNKNOWN else word


def alike(items: Iterable[NamedState]) -> list[NamedState]:
    """Return the states in a common unit, without the swing if it is always the same.

    A state in another unit than that of the first temperature is replaced by None.
    """
    named_states = [*items]
    unit = next((named.unit for named in named_states if named.unit), "")
    swings = {named.state.swing for named in named_states if isinstance(named.state, State)}
    result: list[NamedState] = []
    for named in named_states:
        state = named.state if named.unit in {"", unit} else None
        if isinstance(state, State) and len(swings) == 1:
            state = replace(state, swing=None)
        result.append(replace(named, state=state))
    return result


def head_of(items: Iterable[NamedState]) -> Head | None:
    """Return the head of a log's air conditioner; None if the log names no state."""
    named_states = [*items]
    states = [named.state for named in named_states if isinstance(named.state, State)]
    if not states:
        return None
    unit = next((named.unit for named in named_states if named.unit), None)
    capabilities = Capabilities.of_states(states, Capabilities(unit=unit))
    return Head(
        platform="climate",
        capabilities=capabilities,
        levels=capabilities.levels,
        modes=tuple(capabilities),
        steps=Steps(),
    )
