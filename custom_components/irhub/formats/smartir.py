"""SmartIR's code files: JSON whose `commands` are nested by mode, fan, temperature and the like.

`manufacturer`, `supportedModels`, `supportedController`, `commandsEncoding` (Base64, Hex, Pronto,
Raw), `commands`: `cool: {auto: {24: …}}` is the command "cool auto 24". A list is a sequence.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
import json
from math import prod
from typing import Final

from ..codes.packet import join
from ..codes.reasons import RefusedError, why
from ..codes.text_forms import to_base64
from .dumps import is_tasmota, of_tasmota
from .imported import Found, InvalidNameError, checked_name, needed, packets_of
from .notation import pairs, read_notation

NAME: Final = "SmartIR"
SUFFIX: Final = ".json"
MAX_LEVELS: Final = 20
"""Of the commands; those that exist have up to five."""
SEQUENCE_GAP_US: Final = 500_000
"""What SmartIR waits between the packets of a sequence."""

WHATEVER: Final = "-"
FAHRENHEIT_FROM: Final = 45.0
"""No air conditioner is set to 45 °C, none to less than 45 °F."""
_LOWEST: Final = 5.0
_LEVELS: Final = (
    (),
    ("fanModes",),
    ("fanModes", "swingModes"),
    ("presetModes", "fanModes", "swingModes"),
)
"""The levels between mode and temperature, by how many there are."""
MODES: Final = {"cool", "heat", "dry", "fan_only", "heat_cool", "auto"}
_BRANCHES: Final = {"sources", "default", "forward", "reverse", "sound_modes"}
_KEYS: Final = {"commandsEncoding", "supportedController", "supportedModels"}
_PREFIXES: Final = {"base64": "b64:", "hex": "hex:", "pronto": "pronto:", "raw": "raw:"}


def is_smartir(content: Mapping[object, object]) -> bool:
    """Tell a code file from devices and commands."""
    return bool(_KEYS & content.keys()) and "commands" in content


def read(content: Mapping[object, object], device: str | None, found: Found) -> None:
    """Take the commands of a code file."""
    models = content.get("supportedModels")
    found.manufacturer = str(content.get("manufacturer") or "")
    found.models = [*map(str, models)] if isinstance(models, list) else []
    device = needed(device or " ".join([found.manufacturer, *found.models[:1]]).strip())
    prefix = _PREFIXES.get(str(content.get("commandsEncoding", "")).lower(), "")

    def walk(commands: object, path: tuple[str, ...]) -> None:
        if len(path) > MAX_LEVELS:
            raise RefusedError("too_deep")
        found.count(0 if isinstance(commands, Mapping) else len(str(commands)))
        if isinstance(commands, Mapping):
            for name, inner in pairs(commands):
                try:
                    walk(inner, (*path, checked_name(name)))
                except InvalidNameError as err:
                    found.refuse(" ".join((device, "→", *path, str(name))), why(err))
        elif commands not in (None, "", []):
            found.add(device, " ".join(path), partial(_packets, commands, prefix))

    walk(content["commands"], ())


def write(device: str, commands: Iterable[tuple[str, bytes]]) -> str:
    """Return a code file, in which the states of an air conditioner are nested level by level.

    Where one name would have to be a packet and a level, none is nested.
    """
    texts = {name: to_base64(packet) for name, packet in commands}
    states = _states(texts)
    nested: dict[str, object] = {}
    if not all(_put(nested, states.get(name) or _branch(name), texts[name]) for name in texts):
        nested, states = {**texts}, {}
    content = _head(device, states.values()) | {"commands": nested}
    return json.dumps(content, ensure_ascii=False, indent=2)


def _states(names: Iterable[str]) -> dict[str, list[str]]:
    """Return name → levels of what are states of an air conditioner.

    What stands between mode and temperature is the fan; or fan and swing, or preset, fan and
    swing, if each mode has all combinations of its words, and one has several at each level.
    """
    found = {
        name: words
        for name in names
        if len(words := name.split(" ")) > 1 and words[0] in MODES and all(words)
    }
    of_modes: dict[str, set[tuple[str, ...]]] = {}
    for words in found.values():
        of_modes.setdefault(words[0], set()).add(tuple(_between(words)))
    values = [_values_of_levels(each) for each in of_modes.values()]
    named = [of for of in values if of is None or len(of) > 1]
    if not named or (None not in named and any(of and min(of) > 1 for of in named)):
        return found
    joined: dict[str, list[str]] = {}
    for name, words in found.items():
        between = _between(words)
        fan = [" ".join(between)] if between else []
        joined[name] = [words[0], *fan, *words[1 + len(between) :]]
    return joined


def _between(levels: Sequence[str]) -> Sequence[str]:
    """Return the levels between mode and temperature; a number below 5 is a speed."""
    said = _degrees(levels[-1])
    return levels[1:-1] if levels[-1] == WHATEVER or said is not None else levels[1:]


def _values_of_levels(several: set[tuple[str, ...]]) -> list[int] | None:
    """Return how many values each level has; None if these words are not all combinations."""
    if len(lengths := {*map(len, several)}) > 1 or max(lengths) >= len(_LEVELS):
        return None
    counts = [len({*each}) for each in zip(*several, strict=True)]
    return counts if prod(counts) == len(several) else None


def _degrees(word: str) -> float | None:
    said = float(word) if word.replace(".", "", 1).isdecimal() else 0
    return said if said >= _LOWEST else None


def _head(device: str, states: Collection[Sequence[str]]) -> dict[str, object]:
    manufacturer, _, model = device.partition(" ")
    head: dict[str, object] = {
        "manufacturer": manufacturer,
        "supportedModels": [model] if model else [],
        "supportedController": "Broadlink",
        "commandsEncoding": "Base64",
    }
    if not states:
        return head
    said: dict[str, dict[str, None]] = {"operationModes": {}, "fanModes": {}}
    for levels in states:
        between = _between(levels)
        keys = ("operationModes", *_LEVELS[len(between)])
        for key, value in zip(keys, (levels[0], *between), strict=True):
            said.setdefault(key, {})[value] = None
    head |= {key: [value for value in of if value != WHATEVER] for key, of in said.items()}
    if degrees := {each for levels in states if (each := _degrees(levels[-1])) is not None}:
        head |= {"minTemperature": min(degrees), "maxTemperature": max(degrees)}
        head["precision"] = 1 if all(map(float.is_integer, degrees)) else 0.5
        head["temperatureUnit"] = "F" if min(degrees) >= FAHRENHEIT_FROM else "C"
    return head


def _branch(name: str) -> list[str]:
    first, _, rest = name.partition(" ")
    return [first, rest] if rest and first in _BRANCHES else [name]


def _put(nested: dict[str, object], levels: list[str], text: str) -> bool:
    """Put a packet's text where it belongs; say if there is no room for it."""
    *branches, last = levels
    for branch in branches:
        inner = nested.setdefault(branch, {})
        if not isinstance(inner, dict):
            return False
        nested = inner
    if last in nested or not all(levels):
        return False
    nested[last] = text
    return True


def _packets(value: object, prefix: str) -> list[bytes]:
    """Return the packet of a text, or of a list, which is a sequence."""
    if isinstance(value, str) and value.lstrip().startswith("{"):  # what goes to Tasmota's topic
        content = read_notation(value)
        if not isinstance(content, dict) or not is_tasmota(content):
            raise RefusedError("no_raw_data")
        return [*of_tasmota(content)]
    packets = packets_of(value, prefix)
    return packets if len(packets) == 1 else [join(packets, gap_us=SEQUENCE_GAP_US)]
