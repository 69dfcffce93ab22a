"""Three-way merge of a sensor's configuration: ours, the last announced, the newly announced."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from homeassistant.const import CONF_NAME, CONF_PAYLOAD_OFF, CONF_PAYLOAD_ON

from .. import const

DEFAULTS: Final[Mapping[str, Any]] = {
    CONF_PAYLOAD_ON: [*const.DEFAULT_PAYLOAD_ON],
    CONF_PAYLOAD_OFF: [*const.DEFAULT_PAYLOAD_OFF],
    const.CONF_PAYLOAD_AVAILABLE: const.DEFAULT_PAYLOAD_AVAILABLE,
    const.CONF_PAYLOAD_NOT_AVAILABLE: const.DEFAULT_PAYLOAD_NOT_AVAILABLE,
}

OWN_KEYS: Final = {const.CONF_ANNOUNCED, const.CONF_DEFAULT_ENTITY_ID, const.CONF_REPLACES}
"""Keys of a subentry that are not part of the sensor's configuration."""

# Groups of keys that are only meaningful together.
_KEY_GROUPS: Final = (
    frozenset(
        {
            const.CONF_AVAILABILITY,
            const.CONF_AVAILABILITY_MODE,
            const.CONF_AVAILABILITY_TEMPLATE,
            const.CONF_AVAILABILITY_TOPIC,
            const.CONF_PAYLOAD_AVAILABLE,
            const.CONF_PAYLOAD_NOT_AVAILABLE,
        }
    ),
)

type Config = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Merged:
    """The result of merging an announcement."""

    config: dict[str, Any]
    """Our configuration with the changes that the user has not overridden."""
    announced: dict[str, Any]
    """The part of the announcement that needs no decision: it was applied or equals ours."""
    overridden: list[str]
    """Keys changed both by the device and by the user."""


def without_defaults(config: Config) -> dict[str, Any]:
    """Return a configuration without empty values and defaults."""
    return {
        key: value
        for key, value in config.items()
        if value not in ("", [], None) and value is not False and value != DEFAULTS.get(key)
    }


def merge(ours: Config, previous: Config, announcement: Config) -> Merged:
    """Return `ours` with the changes from `previous` to `announcement`.

    Keys that the user has changed keep their values. A name chosen by the user is kept silently
    when the device announces a new one.
    """
    ours, previous, announcement = (
        without_defaults(config) for config in (ours, previous, announcement)
    )
    config, announced, overridden = dict(ours), dict(previous), list[str]()
    keys = (previous.keys() | announcement.keys()) - OWN_KEYS
    groups = [group & keys for group in _KEY_GROUPS if group & keys]
    single_keys = [frozenset({key}) for key in sorted(keys.difference(*_KEY_GROUPS))]
    for group in [*groups, *single_keys]:
        all_keys = next((key_group for key_group in _KEY_GROUPS if group <= key_group), group)
        our_part, old_part, new_part = (
            _part(side, all_keys) for side in (ours, previous, announcement)
        )
        if new_part == old_part:
            continue
        if our_part not in (old_part, new_part) and group != {CONF_NAME}:
            overridden += sorted(key for key in group if announcement.get(key) != previous.get(key))
            continue
        _set_part(announced, all_keys, new_part)
        if our_part == old_part:
            _set_part(config, all_keys, new_part)
    return Merged(config=config, announced=announced, overridden=overridden)


def apply_announcement(ours: Config, announcement: Config) -> dict[str, Any]:
    """Return `ours` with all values of the announcement except the name; other keys are kept."""
    config = dict(ours)
    announcement = without_defaults(announcement)
    for group in _KEY_GROUPS:
        if group & announcement.keys():
            _set_part(config, group, _part(announcement, group))
    return config | {key: value for key, value in announcement.items() if key != CONF_NAME}


def _part(config: Config, keys: frozenset[str]) -> dict[str, Any]:
    return {key: config[key] for key in keys if key in config}


def _set_part(config: dict[str, Any], keys: frozenset[str], part: Config) -> None:
    for key in keys:
        config.pop(key, None)
    config |= part
