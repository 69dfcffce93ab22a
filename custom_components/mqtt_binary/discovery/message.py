"""What a discovery message says: its JSON becomes settings."""

from typing import Any, Final

from homeassistant.const import CONF_DEVICE, CONF_PLATFORM, CONF_UNIQUE_ID
from homeassistant.util.json import JSON_DECODE_EXCEPTIONS, json_loads
import voluptuous as vol

from .. import const
from ..mqtt import ABBREVIATIONS, DEVICE_ABBREVIATIONS
from ..schema import DEVICE_SCHEMA, SENSOR_KEYS, different_payloads
from ..settings import Settings

MAX_CONFIG_CHARACTERS: Final = 64 * 1024
"""Far more than any device says about itself; a larger message is no configuration."""
MAX_TEMPLATE_CHARACTERS: Final = 4_096

TOPIC_BASE: Final = "~"

_MAX_PROBLEM_CHARACTERS = 300

_SCHEMA = vol.All(vol.Schema(SENSOR_KEYS, extra=vol.REMOVE_EXTRA), different_payloads)
_KNOWN = {str(key) for key in SENSOR_KEYS} | {CONF_PLATFORM}
_KNOWN_OF_DEVICE = {str(key) for key in DEVICE_SCHEMA.schema}


class BadPayloadError(ValueError):
    """A discovery message that makes no sensor; the text names the key."""


def read(payload: str) -> tuple[Settings, list[str]]:
    """Return the settings, and the keys that are not known and ignored.

    Raise BadPayloadError.
    """
    if len(payload) > MAX_CONFIG_CHARACTERS:
        raise BadPayloadError(
            f"{len(payload)} characters are more than the {MAX_CONFIG_CHARACTERS} that are read"
        )
    try:
        config = json_loads(payload)
    except JSON_DECODE_EXCEPTIONS as err:
        raise BadPayloadError(f"it is not JSON: {err}") from err
    if not isinstance(config, dict):
        raise BadPayloadError(f"it is not a JSON object but {type(config).__name__}")
    expanded = _expand(config)
    unknown = _drop_unknown(expanded)
    _check_templates(expanded)
    try:
        validated = _SCHEMA(expanded)
    except vol.Invalid as err:
        raise BadPayloadError(_describe(err)) from err
    _check_device(validated)
    return Settings.from_config(validated), unknown


def _expand(config: dict[str, Any]) -> dict[str, Any]:
    """Write out abbreviations and the base topic."""
    expanded = _in_full(config, ABBREVIATIONS)
    if isinstance(device := expanded.get(CONF_DEVICE), dict):
        expanded[CONF_DEVICE] = _in_full(device, DEVICE_ABBREVIATIONS)
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
            topic = base + topic[1:]  # noqa: PLW2901  (both ends may carry the base)
        if topic and topic[-1] == TOPIC_BASE:
            topic = topic[:-1] + base  # noqa: PLW2901  (same)
        config[key] = topic


def _drop_unknown(config: dict[str, Any]) -> list[str]:
    unknown = sorted(config.keys() - _KNOWN)
    if isinstance(device := config.get(CONF_DEVICE), dict):
        for key in sorted(device.keys() - _KNOWN_OF_DEVICE):
            del device[key]
            unknown.append(f"{CONF_DEVICE}.{key}")
    return unknown


def _check_templates(config: dict[str, Any]) -> None:
    """Refuse templates, wherever one can stand, that would take long to compile."""
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
    if CONF_UNIQUE_ID not in config:
        raise BadPayloadError(f"{CONF_UNIQUE_ID}: required for a sensor with a {CONF_DEVICE}")
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
