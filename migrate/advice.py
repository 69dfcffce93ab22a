"""What to change in one entry or action, in sentences."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from homeassistant.exceptions import HomeAssistantError
import voluptuous as vol

from custom_components.irhub.packet import from_hex, parse_text
from custom_components.irhub.switch_schema import HIDDEN as PACKET_HIDDEN
from custom_components.rest.schema import HIDDEN as VALUE_HIDDEN

from .configuration import OLDER_CALLS, Call, Entry

NEW_NAMES = {
    ("remote", "broadlink"): "irhub",
    ("sensor", "broadlink"): "irhub",
    ("switch", "broadlink"): "irhub",
    ("binary_sensor", "mqtt"): "mqtt_binary",
}
OURS = {
    *((domain, name) for (domain, _), name in NEW_NAMES.items()),
    ("infrared", "irhub"),
    ("sensor", "rest"),
}
PASSED_TO_CORE = {("binary_sensor", "rest"), ("notify", "rest"), ("switch", "rest")}


def new_name(entry: Entry) -> str | None:
    """Give the platform that takes the place of the entry's."""
    return NEW_NAMES.get((entry.domain, entry.platform))


def concerns_us(entry: Entry) -> bool:
    """Say whether the report mentions this entry."""
    name = (entry.domain, new_name(entry) or entry.platform)
    return name in OURS or name in PASSED_TO_CORE or entry.platform == "mqtt"


def headline(entry: Entry) -> str:
    """Say what becomes of the entry's platform."""
    what = f"{entry.domain}: platform: {entry.platform}"
    if name := new_name(entry):
        return f"{what} → {name}"
    if entry.platform == "mqtt":
        return f"{what}: not ours; Home Assistant itself reads this under `mqtt:` today"
    return f"{what}: nothing to change"


def remarks(entry: Entry) -> Iterator[str]:
    """Say what our schema makes of the entry: keys that are gone, values that are wrong."""
    name = new_name(entry) or entry.platform
    if (entry.domain, name) not in OURS:
        return
    schema = import_module(f"custom_components.{name}.{entry.domain}").PLATFORM_SCHEMA
    try:
        schema({**entry.config, "platform": name})
    except vol.MultipleInvalid as err:
        for error in err.errors:
            yield _sentence(error)
    except (vol.Invalid, HomeAssistantError) as err:
        yield str(err)
    for key, switch in _switches(entry) if name == "irhub" else []:
        for command in ("command_on", "command_off"):
            if text := _form(switch.get(command)):
                yield f"switches → {key} → {command}: {text}"


def _switches(entry: Entry) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the command switches with their names, of the classic map or core's list."""
    switches = entry.config.get("switches")
    pairs: Iterable[tuple[object, object]] = []
    if isinstance(switches, dict):
        pairs = switches.items()
    elif isinstance(switches, list):
        pairs = enumerate(switches)
    for key, switch in pairs:
        if isinstance(switch, dict):
            yield str(switch.get("name", key)), switch


def call_advice(call: Call) -> Iterator[str]:
    """Say what takes the place of an action, then what is wrong with its packets."""
    for old, new in OLDER_CALLS.items():
        if call.action.startswith(old):
            host = call.action.removeprefix(old).strip("_").replace("_", ".")
            yield f"{call.action} → {new} with host: {host or '(the hub)'}"
            break
    else:
        yield f"{call.action} → {call.action.replace('broadlink.', 'irhub.', 1)}"
    packets = call.data.get("packet", [])
    for packet in packets if isinstance(packets, list) else [packets]:
        if text := _form(packet) or _wrong(packet):
            yield f"packet: {text}"


def _form(text: object) -> str | None:
    """Say what is unusual in how a packet is written, although it can be read."""
    if not isinstance(text, str) or _wrong(text) or "{{" in text:
        return None
    try:
        from_hex(text)
    except ValueError:
        # Base64 has its padding when it is whole groups of four characters
        padded = len("".join(text.split())) % 4 == 0 or ":" in text
        return None if padded else "Base64 without its padding: read as it is"
    return "hex: read as it is, no conversion needed"


def _wrong(text: object) -> str | None:
    if not isinstance(text, str) or "{{" in text:
        return None
    try:
        parse_text(text)
    except ValueError as err:
        return str(err)
    return None


def _sentence(error: vol.Invalid) -> str:
    # the report shows no value of an entry anyway: the markers that hide one are noise in it
    hidden = {PACKET_HIDDEN, VALUE_HIDDEN}
    path = " → ".join(str(part) for part in error.path if part not in hidden)
    message = error.error_message
    if message in {"extra keys not allowed", "not a valid option"}:  # up to 2026.8, from 2026.9
        message = "this key no longer exists: remove it"
    elif message == "required key not provided":
        message = "this key is required and missing"
    return f"{path}: {message}" if path else message
