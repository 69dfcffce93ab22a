"""The discovery prefix and its topics; it must not be core's, or sensors would exist twice."""

from collections.abc import Callable

from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    ConfigEntry,
    ConfigEntryChange,
)
from homeassistant.const import CONF_DEVICE, CONF_DISCOVERY, Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.dispatcher import async_dispatcher_connect

from .. import mqtt
from .._common.markdown import code
from ..const import DOMAIN

ISSUE_ID = "same_prefix"

ENCODING = "utf-8"
"""The text encoding of all announcements."""


def cores_prefixes(hass: HomeAssistant) -> set[str]:
    """Return the prefixes of core's discovery; empty if it is disabled.

    While MQTT is not set up, this is core's default prefix.
    """
    entries = hass.config_entries.async_entries(mqtt.DOMAIN)
    return {
        options.get(mqtt.CONF_DISCOVERY_PREFIX, mqtt.DEFAULT_PREFIX)
        for options in [{**entry.data, **entry.options} for entry in entries] or [{}]
        if options.get(CONF_DISCOVERY, mqtt.DEFAULT_DISCOVERY)
    }


def is_cores(hass: HomeAssistant, prefix: str) -> bool:
    """Return whether core's discovery uses the prefix, too."""
    return prefix in cores_prefixes(hass)


def topics(prefix: str) -> list[str]:
    """Return the topic filters for sensors and devices, with and without node id."""
    return [
        f"{prefix}/{kind}/{levels}/config"
        for kind in (Platform.BINARY_SENSOR, CONF_DEVICE)
        for levels in ("+", "+/+")
    ]


@callback
def async_watch(hass: HomeAssistant, prefix: str) -> Callable[[], None]:
    """Create a repair issue while core uses our prefix; return a function that stops this."""

    @callback
    def check() -> None:
        if is_cores(hass, prefix):
            ir.async_create_issue(
                hass,
                DOMAIN,
                ISSUE_ID,
                is_fixable=False,
                severity=ir.IssueSeverity.WARNING,
                translation_key=ISSUE_ID,
                translation_placeholders={"prefix": code(prefix)},
            )
        else:
            ir.async_delete_issue(hass, DOMAIN, ISSUE_ID)

    @callback
    def changed(_change: ConfigEntryChange, entry: ConfigEntry) -> None:
        if entry.domain == mqtt.DOMAIN:
            check()

    check()
    unsubscribe = async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, changed)

    @callback
    def stop() -> None:
        unsubscribe()
        ir.async_delete_issue(hass, DOMAIN, ISSUE_ID)

    return stop
