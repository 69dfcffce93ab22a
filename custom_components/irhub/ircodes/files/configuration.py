"""Read codes from a configuration with buttons, switches, scripts or outputs that send them.

ESPHome          actions that begin with `remote_transmitter.transmit_`; the component around them
                 has a `name` or an `id`
Home Assistant   `command_on`, `command_off` of Broadlink's switches; in actions the `command` of
                 `remote.send_command` that begins with `b64:`, the `packet` of `broadlink.send`,
                 the `payload` of `mqtt.publish`, the `code` that ZHA sends

`num_repeats` and `delay_secs` of `remote.send_command`, and `repeats` of our switches, are kept. A
code is named after the nearest enclosing item that has a name, followed by "on" or "off" if it
turns that on or off. Commands sent by name, conditions and pauses are ignored.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Final

from ..packet.packet import join, short
from ..packet.text_forms import PREFIXES, from_packed
from ..reasons import RefusedError
from . import esphome
from .codes import copies_of, is_code, parse_packets, repeated
from .imported import Collector, Packets, required_name
from .notation import pairs

NAME: Final = "configuration"
_MAX_LEVELS: Final = 30
_DOMAINS: Final = ("button", "output", "script", "switch")
"""Domains of ESPHome with lists of items that may send codes."""
_NAMES: Final = ("name", "friendly_name", "alias", "id", "unique_id")
_STATES: Final[Mapping[str, str]] = {
    "turn_on_action": "on",
    "turn_off_action": "off",
    "turn_on": "on",
    "turn_off": "off",
    "command_on": "on",
    "command_off": "off",
    "open_action": "open",
    "close_action": "close",
    "stop_action": "stop",
    "open_cover": "open",
    "close_cover": "close",
    "stop_cover": "stop",
}
"""Key → what the actions under it do with the enclosing item."""
_STRUCTURE: Final = frozenset(
    {"action", "actions", "alias", "blueprint", "choose", "condition", "conditions", "data"}
    | {"default", "else", "esphome", "homeassistant", "id", "if", "mode", "name", "on_press"}
    | {"on_turn_off", "on_turn_on", "params", "parallel", "platform", "press", "repeat", "sequence"}
    | {"service", "service_data", "target", "then", "trigger", "triggers", "write_action"}
    | {"remote_transmitter", "remote_receiver", "switches", "tap_action", *_DOMAINS}
    | {"automation", "climate", "cover", "fan", "input_button", "light", "media_player", "mqtt"}
    | {"remote", "template"}
)
"""Keys that are not names."""


_ACTIONS: Final = ("action", "service", "perform_action")
"""Keys that name an action; its data is next to them."""
_GAP_US: Final = 500_000
"""Default pause between the packets of a sequence."""
_DELAY: Final = "delay_secs"
_REPEATS: Final = ("num_repeats", "repeats")
"""Keys with the number of copies of the code next to them."""


@dataclass(frozen=True, kw_only=True)
class _FoundCode:
    """A code found in a configuration."""

    name: str
    """Empty if no enclosing item has a name."""
    size: int
    """Length as text."""
    read: Callable[[], Packets]


def is_configuration(content: Mapping[object, object]) -> bool:
    """Return whether the content is a configuration, not devices and commands."""
    if any(isinstance(content.get(domain), list) for domain in _DOMAINS):
        return True
    return next(_find_codes(content, "", 0), None) is not None


def read(
    content: Mapping[object, object],
    device: str | None,
    collector: Collector,
    command: str | None = None,
) -> None:
    """Add all codes of a configuration."""
    settings = content.get("esphome")
    configured_name = settings.get("name") if isinstance(settings, Mapping) else None
    device = required_name(device or (str(configured_name) if configured_name else None))
    for number, code in enumerate(_find_codes(content, "", 0), 1):
        collector.count(code.size)
        collector.add(device, code.name or command or f"{number}", code.read)


def _find_codes(
    value: object, name: str, level: int, *, is_action: bool = False
) -> Iterator[_FoundCode]:
    if level > _MAX_LEVELS:
        raise RefusedError("too_deep")
    if isinstance(value, list):
        for inner in value:
            yield from _find_codes(inner, name, level + 1, is_action=is_action)
    if not isinstance(value, Mapping):
        return
    name = next((str(value[key]) for key in _NAMES if isinstance(value.get(key), str)), name)
    is_action = is_action or any(isinstance(value.get(key), str) for key in _ACTIONS)
    for key, inner in ((str(key), inner) for key, inner in pairs(value)):
        code_name = f"{name} {_STATES[key]}".strip() if key in _STATES else name
        if (read_packets := _code_reader(key, inner, value, is_action=is_action)) is not None:
            yield _FoundCode(name=code_name, size=len(str(inner)), read=read_packets)
            continue
        is_name = isinstance(inner, Mapping | list) and key not in {*_STRUCTURE, *_STATES}
        inner_name = key if is_name and "." not in key else code_name
        yield from _find_codes(inner, inner_name, level + 1, is_action=is_action)


def _code_reader(
    key: str, value: object, siblings: Mapping[object, object], *, is_action: bool
) -> Callable[[], Packets] | None:
    """Return a function that reads the code under a key; None if there is no code.

    `siblings` is the mapping with the key, which may also contain the number of copies.
    """
    if key.startswith(esphome.TRANSMITS):
        return partial(esphome.packets_of_action, key, value)
    texts = value if isinstance(value, list) else [value]
    match key:
        case "command_on" | "command_off":
            is_sent = isinstance(value, str)
        case "command":
            is_sent = is_action and any(map(_has_form_prefix, texts))
        case "packet":
            is_sent = is_action and any(isinstance(text, str) for text in texts)
        case "payload" | "payload_on" | "payload_off" | "payload_press":
            is_sent = is_code(value)
        case "params":
            match value:
                case {"code": str(code)} if is_action:
                    return lambda: [from_packed(code)]
            return None
        case _:
            return None
    return partial(_read_sequence, texts, siblings) if is_sent and texts else None


def _has_form_prefix(text: object) -> bool:
    return isinstance(text, str) and text.partition(":")[0].lower() in PREFIXES


def _read_sequence(texts: list[object], settings: Mapping[object, object]) -> Packets:
    """Return one packet that sends all texts in order, repeated as configured in the settings."""
    packets = [packet for text in texts for packet in parse_packets(text)]
    copies = prod(copies_of(key, settings.get(key)) for key in _REPEATS)
    if len(packets) == 1:
        return [repeated(packets[0], copies, gap_us=_gap_us(settings))]
    return [join(packets * copies, gap_us=_gap_us(settings))]


def _gap_us(settings: Mapping[object, object]) -> int:
    """Return the pause between packets. Raise RefusedError if it is no number."""
    seconds = settings.get(_DELAY)
    if seconds is None:
        return _GAP_US
    try:
        return max(1, round(float(str(seconds)) * 1_000_000))  # 0 would join two marks
    except (OverflowError, ValueError) as err:
        raise RefusedError("no_number", text=short(str(seconds))) from err
