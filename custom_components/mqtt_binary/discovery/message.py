"""Parse discovery messages: JSON → settings."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from homeassistant.const import CONF_DEVICE, CONF_PLATFORM, CONF_UNIQUE_ID, Platform
from homeassistant.util.json import JSON_DECODE_EXCEPTIONS, json_loads
import voluptuous as vol

from .. import const
from ..mqtt import ABBREVIATIONS, DEVICE_ABBREVIATIONS, SHARED_OPTIONS
from ..schema import (
    AVAILABILITY_SCHEMA,
    CHILD_DEVICE_SCHEMA,
    DEVICE_SCHEMA,
    SENSOR_KEYS,
    different_payloads,
)
from ..settings import Settings

MAX_CONFIG_CHARACTERS: Final = 64 * 1024
"""Far more than any sensor needs; a longer message is not a configuration."""
MAX_DEVICE_CHARACTERS: Final = 1024 * 1024
"""The same for a message with all components of a device."""
MAX_TEMPLATE_CHARACTERS: Final = 4_096

MIGRATE_DISCOVERY: Final = "migrate_discovery"
TOPIC_BASE: Final = "~"

_MAX_PROBLEM_CHARACTERS = 300

_SCHEMA = vol.All(vol.Schema(SENSOR_KEYS, extra=vol.REMOVE_EXTRA), different_payloads)
_SHARED = {*SHARED_OPTIONS, TOPIC_BASE}
# Keys of other components in core's discovery, past or present; they are ignored silently.
_SILENT = {*ABBREVIATIONS.values(), *SHARED_OPTIONS, CONF_PLATFORM, "object_id", "schema"}
_KNOWN = {str(key) for key in SENSOR_KEYS} | _SILENT
_KNOWN_OF_DEVICE = {str(key) for key in DEVICE_SCHEMA.schema}
_KNOWN_OF_CHILD = {str(key) for key in CHILD_DEVICE_SCHEMA.schema}
_KNOWN_OF_AVAILABILITY = {str(key) for key in AVAILABILITY_SCHEMA.schema}
_SILENT_OF_DEVICE = {*DEVICE_ABBREVIATIONS.values(), "via_hub"}


class BadPayloadError(ValueError):
    """A discovery message is invalid; the text names the key."""


class Component(NamedTuple):
    """The configuration of one component in a device's message, and its device."""

    config: object
    device: Mapping[str, Any]


def parse(payload: str, *, longest: int = MAX_CONFIG_CHARACTERS) -> dict[str, Any]:
    """Return the JSON object of a message with unabbreviated keys. Raise BadPayloadError."""
    if len(payload) > longest:
        raise BadPayloadError(
            f"{len(payload)} characters are more than the {longest} that are read"
        )
    try:
        config = json_loads(payload)
    except JSON_DECODE_EXCEPTIONS as err:
        raise BadPayloadError(f"it is not JSON: {err}") from err
    if not isinstance(config, dict):
        raise BadPayloadError(f"it is not a JSON object but {type(config).__name__}")
    return _in_full(config, ABBREVIATIONS)


def is_migration(config: Mapping[str, Any]) -> bool:
    """Return whether a message only releases its sensors, to be announced on another topic.

    Raise BadPayloadError if it has other keys, too.
    """
    if MIGRATE_DISCOVERY not in config:
        return False
    if config != {MIGRATE_DISCOVERY: True}:
        raise BadPayloadError(f"{MIGRATE_DISCOVERY}: expected true, and no other key beside it")
    return True


def components_of(message: Mapping[str, Any]) -> dict[str, Component]:
    """Return component id → component, of a device's message and its child devices.

    Raise BadPayloadError.
    """
    if not isinstance(device := message.get(CONF_DEVICE), dict):
        raise BadPayloadError(f"{CONF_DEVICE}: expected an object")
    device = _in_full(device, DEVICE_ABBREVIATIONS)
    children = message.get(const.CONF_CHILD_DEVICES, [])
    if not isinstance(children, list) or not all(isinstance(child, dict) for child in children):
        raise BadPayloadError(f"{const.CONF_CHILD_DEVICES}: expected a list of objects")
    children = [_in_full(child, {**ABBREVIATIONS, **DEVICE_ABBREVIATIONS}) for child in children]
    _refuse_shared_identifiers([device, *children])

    components: dict[str, Component] = {}
    if const.CONF_COMPONENTS in message or not children:
        _add_components(components, message, device)
    for child in children:
        itself = {key: value for key, value in child.items() if key != const.CONF_COMPONENTS}
        _add_components(components, child, {**device, const.CONF_CHILD_DEVICE: itself})
    return components


def _refuse_shared_identifiers(devices: Sequence[Mapping[str, Any]]) -> None:
    """Raise BadPayloadError if devices share an identifier, since they would be merged."""
    seen: set[str] = set()
    for device in devices:
        value = device.get(const.CONF_IDENTIFIERS, [])
        identifiers = {str(item) for item in (value if isinstance(value, list) else [value])}
        if shared := seen & identifiers:
            raise BadPayloadError(
                f"{const.CONF_IDENTIFIERS}: two devices of the message have {min(shared)!r}"
            )
        seen |= identifiers


def _add_components(
    components: dict[str, Component], message: Mapping[str, Any], device: Mapping[str, Any]
) -> None:
    configs = message.get(const.CONF_COMPONENTS)
    if not isinstance(configs, dict):
        raise BadPayloadError(f"{const.CONF_COMPONENTS}: expected an object")
    if duplicates := components.keys() & configs.keys():
        raise BadPayloadError(f"{const.CONF_COMPONENTS}: {min(duplicates)!r} is there twice")
    for component_id, config in configs.items():
        components[component_id] = Component(config, device)


def config_of(message: Mapping[str, Any], component: Component) -> tuple[str, dict[str, Any]]:
    """Return a component's platform, and its configuration merged with the shared keys.

    The configuration is empty if the component has only a platform: it is to be removed.
    Raise BadPayloadError.
    """
    config = component.config
    own_keys = _in_full(config, ABBREVIATIONS) if isinstance(config, dict) else {}
    platform = own_keys.pop(CONF_PLATFORM, None)
    if not isinstance(platform, str):
        raise BadPayloadError(f"{CONF_PLATFORM}: expected what the component is")
    if not own_keys:
        return platform, {}
    if platform == Platform.BINARY_SENSOR and CONF_UNIQUE_ID not in own_keys:
        raise BadPayloadError(f"{CONF_UNIQUE_ID}: required for a sensor in a device's message")
    shared = {key: message[key] for key in _SHARED & message.keys()}
    return platform, {**shared, **own_keys, CONF_DEVICE: component.device}


def unknown_of_device(message: Mapping[str, Any]) -> list[str]:
    """Return the unknown keys at the top level of a device's message."""
    known_keys = {
        CONF_DEVICE,
        const.CONF_COMPONENTS,
        const.CONF_CHILD_DEVICES,
        const.CONF_ORIGIN,
        *_SHARED,
    }
    return sorted(message.keys() - known_keys)


def settings_of(config: Mapping[str, Any]) -> tuple[Settings, list[str]]:
    """Return the settings of a sensor, and the unknown keys, which are ignored.

    Without a unique id the sensor has no device. Raise BadPayloadError.
    """
    expanded = _expand(config)
    unknown = _drop_unknown(expanded)
    _check_templates(expanded)
    try:
        validated = _SCHEMA(expanded)
    except vol.Invalid as err:
        raise BadPayloadError(_describe(err)) from err
    if CONF_UNIQUE_ID not in validated:
        validated.pop(CONF_DEVICE, None)
    _check_device(validated)
    return Settings.from_config(validated), unknown


def written_out(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return an announced configuration as in YAML, without abbreviations.

    Raise BadPayloadError if it is invalid.
    """
    settings_of(config)
    return {key: value for key, value in _expand(config).items() if key in SENSOR_KEYS}


def _expand(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with nested abbreviations and the base topic expanded."""
    expanded = dict(config)
    if isinstance(device := expanded.get(CONF_DEVICE), dict):
        expanded[CONF_DEVICE] = device = _in_full(device, DEVICE_ABBREVIATIONS)
        if isinstance(child := device.get(const.CONF_CHILD_DEVICE), dict):
            device[const.CONF_CHILD_DEVICE] = _in_full(child, DEVICE_ABBREVIATIONS)
    availability = expanded.get(const.CONF_AVAILABILITY)
    if availability is not None:
        items = availability if isinstance(availability, list) else [availability]
        expanded[const.CONF_AVAILABILITY] = items = [
            _in_full(item, ABBREVIATIONS) if isinstance(item, dict) else item for item in items
        ]
    else:
        items = []
        expanded.pop(const.CONF_AVAILABILITY, None)
    if TOPIC_BASE in expanded:
        base = expanded.pop(TOPIC_BASE)
        if not isinstance(base, str):
            raise BadPayloadError(f"{TOPIC_BASE}: expected a topic, got {base!r:.100}")
        for part in (expanded, *(item for item in items if isinstance(item, dict))):
            _rebase(part, base)
    return expanded


def _in_full(config: dict[str, Any], abbreviations: dict[str, str]) -> dict[str, Any]:
    return {abbreviations.get(key, key): value for key, value in config.items()}


def _rebase(config: dict[str, Any], base: str) -> None:
    for key, topic in config.items():
        if not key.endswith("topic") or not isinstance(topic, str) or not topic:
            continue
        if topic[0] == TOPIC_BASE:
            topic = base + topic[1:]  # noqa: PLW2901  (both ends may have the base)
        if topic and topic[-1] == TOPIC_BASE:
            topic = topic[:-1] + base  # noqa: PLW2901  (same)
        config[key] = topic


def _drop_unknown(config: dict[str, Any]) -> list[str]:
    unknown = sorted(config.keys() - _KNOWN)
    if isinstance(device := config.get(CONF_DEVICE), dict):
        unknown += _drop_unknown_of(device, _KNOWN_OF_DEVICE, CONF_DEVICE)
        if isinstance(child := device.get(const.CONF_CHILD_DEVICE), dict):
            unknown += _drop_unknown_of(child, _KNOWN_OF_CHILD, const.CONF_CHILD_DEVICE)
    for item in config.get(const.CONF_AVAILABILITY, []):
        if isinstance(item, dict):
            unknown += _drop_unknown_of(item, _KNOWN_OF_AVAILABILITY, const.CONF_AVAILABILITY)
    return unknown


def _drop_unknown_of(config: dict[str, Any], known_keys: Iterable[str], name: str) -> list[str]:
    unknown = sorted(config.keys() - known_keys)
    for key in unknown:
        del config[key]
    return [f"{name}.{key}" for key in unknown if key not in _SILENT_OF_DEVICE]


def _check_templates(config: dict[str, Any]) -> None:
    """Raise BadPayloadError for templates that would take long to compile."""
    availability = config.get(const.CONF_AVAILABILITY, [])
    for part in (config, *(item for item in availability if isinstance(item, dict))):
        for key, source in part.items():
            if key.endswith("template") and len(str(source)) > MAX_TEMPLATE_CHARACTERS:
                raise BadPayloadError(
                    f"{key}: a template may have {MAX_TEMPLATE_CHARACTERS} characters"
                )


def _check_device(config: dict[str, Any]) -> None:
    if (device := config.get(CONF_DEVICE)) is None:
        return
    if not device[const.CONF_IDENTIFIERS] and not device[const.CONF_CONNECTIONS]:
        raise BadPayloadError(
            f"{CONF_DEVICE}: at least one of {const.CONF_IDENTIFIERS} and "
            f"{const.CONF_CONNECTIONS} is required"
        )


def _describe(err: vol.Invalid) -> str:
    errors = err.errors if isinstance(err, vol.MultipleInvalid) else [err]
    return "; ".join(
        f"{'.'.join(str(part) for part in error.path) or 'the object'}: "
        f"{error.msg[:_MAX_PROBLEM_CHARACTERS]}"
        for error in errors
    )
