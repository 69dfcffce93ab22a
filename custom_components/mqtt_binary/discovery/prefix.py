"""The discovery prefix, what comes under it, and that it is not core's: each sensor once."""

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
    """Return where core's discovery listens; nowhere, if it is switched off.

    While MQTT is not set up, its prefix is the one that it will have if nobody changes it.
    """
    entries = hass.config_entries.async_entries(mqtt.DOMAIN)
    return {
        options.get(mqtt.CONF_DISCOVERY_PREFIX, mqtt.DEFAULT_PREFIX)
        for options in [{**entry.data, **entry.options} for entry in entries] or [{}]
        if options.get(CONF_DISCOVERY, mqtt.DEFAULT_DISCOVERY)
    }


def is_cores(hass: HomeAssistant, prefix: str) -> bool:
    """Return whether core's discovery listens there too, so sensors would be made twice."""
    return prefix in cores_prefixes(hass)


def topics(prefix: str) -> list[str]:
    """Return what to subscribe to: sensors and whole devices, with and without a node id."""
    return [
        f"{prefix}/{kind}/{levels}/config"
        for kind in (Platform.BINARY_SENSOR, CONF_DEVICE)
        for levels in ("+", "+/+")
    ]


@callback
def async_watch(hass: HomeAssistant, prefix: str) -> Callable[[], None]:
    """Create a Repairs issue when core gets our prefix; return what stops that."""

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
