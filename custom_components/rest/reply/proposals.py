"""Propose entities for values of a reply: name, unit, classes and template.

Proposals are guesses from the words of keys; the user corrects them in the YAML.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import re
from typing import Any, Final

from homeassistant.const import (
    CONF_DEVICE_CLASS,
    CONF_NAME,
    CONF_UNIT_OF_MEASUREMENT,
    CONF_VALUE_TEMPLATE,
    Platform,
)
from homeassistant.util import dt as dt_util

from ..const import CONF_FOR_EACH, CONF_KEY

CONF_STATE_CLASS: Final = "state_class"  # core's constant is in its sensor component
CONF_PLATFORM: Final = "platform"

type Path = Sequence[str | int]
"""Path of keys and indexes to a part of a reply."""

MAX_SAMPLE = 50
"""Number of elements of a list that are examined for common keys."""

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_NO_WORD = re.compile(r"[\W_]+")
_WORD = re.compile(r"[A-Z]?[a-z]+\d*(?:_5)?|[A-Z]+(?![a-z])\d*|\d+")
_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z])")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")

# Words that do not describe a quantity; the outer key does.
_GENERIC = frozenset(
    [
        *("actual", "average", "avg", "current", "last", "max", "mean", "min", "now", "reading"),
        *("state", "target", "value"),
    ]
)
_CURRENT = "current"  # usually means "now", but electric current if there is no other word
_MEASURED: Mapping[str, tuple[str, str]] = {
    "amps": ("current", "A"),
    "battery": ("battery", "%"),
    "celsius": ("temperature", "°C"),
    "co2": ("carbon_dioxide", "ppm"),
    "energy": ("energy", "kWh"),
    "fahrenheit": ("temperature", "°F"),
    "frequency": ("frequency", "Hz"),
    "hpa": ("pressure", "hPa"),
    "humidity": ("humidity", "%"),
    "hz": ("frequency", "Hz"),
    "illuminance": ("illuminance", "lx"),
    "kw": ("power", "kW"),
    "kwh": ("energy", "kWh"),
    "lux": ("illuminance", "lx"),
    "ma": ("current", "mA"),
    "mbar": ("pressure", "mbar"),
    "mv": ("voltage", "mV"),
    "pm10": ("pm10", "μg/m³"),
    "pm25": ("pm25", "μg/m³"),
    "power": ("power", "W"),
    "pressure": ("pressure", "hPa"),
    "rssi": ("signal_strength", "dBm"),
    "temp": ("temperature", "°C"),
    "temperature": ("temperature", "°C"),
    "voltage": ("voltage", "V"),
    "volts": ("voltage", "V"),
    "watt": ("power", "W"),
    "watts": ("power", "W"),
    "wh": ("energy", "Wh"),
}
_AT_MOST_100 = frozenset({"battery", "humidity"})
_CLASS_OF_UNIT: Mapping[str, str] = {
    unit: device_class
    for device_class, units in {
        "current": ("A", "mA"),
        "energy": ("Wh", "kWh", "MWh"),
        "frequency": ("Hz",),
        "illuminance": ("lx",),
        "power": ("W", "kW"),
        "pressure": ("hPa", "mbar", "bar", "kPa", "psi"),
        "signal_strength": ("dBm",),
        "temperature": ("°C", "°F"),
        "voltage": ("V", "mV"),
    }.items()
    for unit in units
}
_UNIT_KEYS = ("unit", "units", "uom", "unit_of_measurement", "unitOfMeasurement")
_UNITS_AS_SERVERS_WRITE = {"C": "°C", "F": "°F", "celsius": "°C", "percent": "%", "pct": "%"}
MAX_UNIT = 16
"""Maximum length of a unit, in characters."""
_SWITCHED: Mapping[str, str] = {
    "alarm": "problem",
    "charging": "battery_charging",
    "connected": "connectivity",
    "door": "door",
    "error": "problem",
    "fault": "problem",
    "leak": "moisture",
    "motion": "motion",
    "occupancy": "occupancy",
    "occupied": "occupancy",
    "online": "connectivity",
    "open": "opening",
    "presence": "presence",
    "reachable": "connectivity",
    "running": "running",
    "smoke": "smoke",
    "window": "window",
}
# Candidates for the key of list elements: the first one that all have with distinct values.
_KEYS = ("id", "uuid", "serial", "mac", "uid", "sn", "ieee", "address", "key", "name", "slug")
_LABELS = ("name", "label", "title", "friendly_name", "room")


@dataclass(frozen=True, kw_only=True)
class ElementList:
    """A list or dictionary of similar elements that contains a value."""

    path: Path
    value_path: Path
    """Path from the element to the value."""
    key: str | None
    """Template of the key; None for a dictionary, whose keys are used."""
    label: str | None
    """Key of an element's name."""


def expression_of(path: Path, root: str = "value_json") -> str:
    """Return the template expression for a part."""
    return root + "".join(_step(step) for step in path)


def proposed(path: Path, value: object, parent: object = None) -> dict[str, str]:
    """Return the keys of an entity for a value, including its platform.

    The name consists of letters and digits, so that text of a server cannot act as a template.
    """
    return _entity(path, value, parent, _printed(expression_of(path)), _name_of(path))


def proposed_for_each(path: Path, root: object) -> dict[str, str] | None:
    """Return the keys of an entity with `for_each` for the list around a value, if any."""
    if (element_list := _surrounding_list(path, root)) is None:
        return None
    value = part_of(root, path)
    label = _printed(expression_of([element_list.label], "item")) if element_list.label else ""
    value_name = _name_of(element_list.value_path) if element_list.value_path else ""
    name = " ".join(filter(None, (label, value_name.lower() if label else value_name)))
    parent = part_of(root, path[:-1]) if element_list.value_path else None
    words = element_list.value_path or [step for step in element_list.path if isinstance(step, str)]
    template = _printed(expression_of(element_list.value_path, "item"))
    entity = _entity(words, value, parent, template, name or _name_of(element_list.path))
    for_each_keys = {CONF_FOR_EACH: _printed(expression_of(element_list.path))}
    if element_list.key:
        for_each_keys[CONF_KEY] = element_list.key
    return for_each_keys | entity


def part_of(root: object, path: Path) -> Any:  # noqa: ANN401  (JSON)
    """Return the part at a path. Raise LookupError."""
    for step in path:
        if not isinstance(root, dict | list):
            raise LookupError(step)  # noqa: TRY004  (one error for every wrong path)
        root = root[step]  # type: ignore[index]  # a wrong step raises
    return root


def _entity(path: Path, value: object, parent: object, template: str, name: str) -> dict[str, str]:
    platform = Platform.BINARY_SENSOR if isinstance(value, bool) else Platform.SENSOR
    return {
        CONF_PLATFORM: platform.value,
        CONF_NAME: name,
        CONF_VALUE_TEMPLATE: template,
        **_unit_and_classes(path, value, parent),
    }


def _unit_and_classes(path: Path, value: object, parent: object) -> dict[str, str]:
    """Return unit and classes, as far as the words of the keys imply them."""
    if isinstance(value, bool):
        words = _words_of(path)
        device_class = next(
            (_SWITCHED[word] for word in reversed(words) if word in _SWITCHED), None
        )
        return {CONF_DEVICE_CLASS: device_class} if device_class else {}
    if isinstance(value, str) and _is_moment(value):
        return {CONF_DEVICE_CLASS: "timestamp"}
    if not isinstance(value, int | float) and not (
        isinstance(value, str) and _NUMBER.fullmatch(value)
    ):
        return {}
    device_class, unit = _measured(path, float(value))
    if (given_unit := _sibling_unit(path, parent)) is not None:
        class_of_unit = _CLASS_OF_UNIT.get(given_unit)
        if device_class in (None, class_of_unit):  # otherwise the unit belongs to a sibling value
            device_class, unit = class_of_unit, given_unit
    if unit is None:
        return {}
    meaning = {CONF_UNIT_OF_MEASUREMENT: unit}
    if device_class:
        meaning[CONF_DEVICE_CLASS] = device_class
    meaning[CONF_STATE_CLASS] = "total_increasing" if device_class == "energy" else "measurement"
    return meaning


def _measured(path: Path, value: float) -> tuple[str | None, str | None]:
    """Return the device class of a number and its usual unit."""
    words = _words_of(path)
    measured_words = [word for word in words if word in _MEASURED]
    if not measured_words and {*words} <= _GENERIC:
        measured_words = [word for word in _words_of(path[:-1]) if word in _MEASURED]
    if measured_words:
        device_class, unit = _MEASURED[measured_words[-1]]
    elif words == [_CURRENT]:
        device_class, unit = _CURRENT, "A"
    else:
        return None, None
    if device_class in _AT_MOST_100 and not 0 <= value <= 100:  # noqa: PLR2004  (percent)
        return None, None
    return device_class, unit


def _sibling_unit(path: Path, parent: object) -> str | None:
    if not isinstance(parent, dict) or (path and path[-1] in _UNIT_KEYS):
        return None
    unit = next((parent[key] for key in _UNIT_KEYS if isinstance(parent.get(key), str)), "")
    unit = _UNITS_AS_SERVERS_WRITE.get(unit, unit).strip()
    return unit if 0 < len(unit) <= MAX_UNIT and unit.isprintable() else None


def _is_moment(text: str) -> bool:
    """Return whether a text is a date with a time and a time zone."""
    if "T" not in text and ":" not in text:
        return False
    try:
        moment = dt_util.parse_datetime(text)
    except ValueError:
        return False
    return moment is not None and moment.tzinfo is not None


def _surrounding_list(path: Path, root: object) -> ElementList | None:
    """Return the innermost list or dictionary of similar elements around a value."""
    for length in range(len(path) - 1, -1, -1):
        container = part_of(root, path[:length])
        elements = [*container.values()] if isinstance(container, dict) else container
        if not elements or not all(isinstance(item, dict) for item in elements[:MAX_SAMPLE]):
            continue
        sample = elements[:MAX_SAMPLE]
        common = {*sample[0]}.intersection(*sample[1:])
        if not common:
            continue
        value_path = path[length + 1 :]
        label = next((name for name in _LABELS if _is_text_in(sample, common, name)), None)
        if isinstance(container, dict):
            if len(sample) > 1 and value_path and value_path[0] in common:
                return ElementList(path=path[:length], value_path=value_path, key=None, label=label)
            continue
        name = next((name for name in _KEYS if _has_distinct_values(sample, common, name)), None)
        if name is not None:
            key = _printed(expression_of([name], "item"))
            return ElementList(path=path[:length], value_path=value_path, key=key, label=label)
    return None


def _is_text_in(elements: list[dict[str, Any]], common: set[str], name: str) -> bool:
    return name in common and all(isinstance(element[name], str) for element in elements)


def _has_distinct_values(elements: list[dict[str, Any]], common: set[str], name: str) -> bool:
    """Return whether the values under a name are distinct."""
    if name not in common:
        return False
    values = [element[name] for element in elements]
    return all(isinstance(value, str | int) for value in values) and len(
        {str(value).strip() for value in values} - {""}
    ) == len(values)


def _words_of(path: Path) -> list[str]:
    """Return the words of the last key."""
    last_key = next((step for step in reversed(path) if isinstance(step, str)), "")
    if last_key.lower() in _MEASURED:
        return [last_key.lower()]
    return [word.lower() for word in _WORD.findall(last_key.replace("_", " ").replace("2 5", "25"))]


def _name_of(path: Path) -> str:
    steps = [str(step + 1) if isinstance(step, int) else _CAMEL.sub(" ", step) for step in path]
    return _NO_WORD.sub(" ", " ".join(steps)).strip().capitalize() or "Value"


def _step(step: str | int) -> str:
    """Return the template syntax for a key; methods of dict, such as `items`, need brackets."""
    if isinstance(step, str) and _NAME.fullmatch(step) and not hasattr(dict, step):
        return f".{step}"
    return f"[{step!r}]"


def _printed(expression: str) -> str:
    return f"{{{{ {expression} }}}}"
