"""Fields, options and notes of the pages of `sensor_flow`."""

from collections.abc import Collection, Sequence
from typing import Final

from homeassistant.components.binary_sensor import (  # type: ignore[attr-defined]  # as core does
    DOMAIN as BINARY_SENSOR_DOMAIN,
    BinarySensorDeviceClass,
)
from homeassistant.const import (
    CONF_DEVICE_CLASS,
    CONF_NAME,
    CONF_PAYLOAD_OFF,
    CONF_PAYLOAD_ON,
    CONF_VALUE_TEMPLATE,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.selector import (
    BooleanSelector,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TemplateSelector,
    TextSelector,
)
from homeassistant.helpers.translation import async_get_translations
import voluptuous as vol

from . import const
from ._common.markdown import Markdown, bullets
from .core_sensors.announced import CoreSensor

MAX_LINES: Final = 20
"""Maximum number of lines in a note; the text before gives their number."""
OPEN_LINES: Final = 3
"""Maximum number of lines that are shown without a click."""

_SECONDS: Final = NumberSelector(
    NumberSelectorConfig(min=0, step="any", unit_of_measurement="s", mode=NumberSelectorMode.BOX)
)
_PAYLOADS: Final = SelectSelector(
    SelectSelectorConfig(
        options=[], multiple=True, custom_value=True, mode=SelectSelectorMode.DROPDOWN
    )
)
DETAILS: Final = vol.Schema(
    {
        vol.Optional(const.CONF_ON_DELAY): _SECONDS,
        vol.Optional(const.CONF_OFF_DELAY): _SECONDS,
        vol.Optional(const.CONF_EXPIRE_AFTER): _SECONDS,
        vol.Optional(const.CONF_RESTORE): BooleanSelector(),
        vol.Optional(const.CONF_IGNORE_RETAINED): BooleanSelector(),
        vol.Optional(const.CONF_LAST_HEARD): BooleanSelector(),
        vol.Optional(const.CONF_AVAILABILITY_TOPIC): TextSelector(),
        vol.Optional(const.CONF_PAYLOAD_AVAILABLE): TextSelector(),
        vol.Optional(const.CONF_PAYLOAD_NOT_AVAILABLE): TextSelector(),
    }
)
"""Fields for delays, expiry and availability."""


async def async_reading_schema(hass: HomeAssistant) -> vol.Schema:
    """Return the fields for the topic, and how its payloads are read."""
    return vol.Schema(
        {
            vol.Required(CONF_NAME): TextSelector(),
            vol.Required(const.CONF_STATE_TOPIC): TextSelector(),
            vol.Optional(CONF_PAYLOAD_ON): _PAYLOADS,
            vol.Optional(CONF_PAYLOAD_OFF): _PAYLOADS,
            vol.Optional(CONF_VALUE_TEMPLATE): TemplateSelector(),
            vol.Optional(CONF_DEVICE_CLASS): await _device_classes(hass),
        }
    )


async def _device_classes(hass: HomeAssistant) -> SelectSelector:
    """Return a selector of device classes, with Home Assistant's translations.

    Home Assistant's `DeviceClassSelector` does not exist in the oldest supported version.
    """
    names = await async_get_translations(
        hass, hass.config.language, "entity_component", [BINARY_SENSOR_DOMAIN]
    )
    key = f"component.{BINARY_SENSOR_DOMAIN}.entity_component.{{}}.name"
    options = [
        SelectOptionDict(
            value=device_class.value,
            label=names.get(key.format(device_class.value), device_class.value),
        )
        for device_class in BinarySensorDeviceClass
    ]
    return SelectSelector(
        SelectSelectorConfig(options=options, mode=SelectSelectorMode.DROPDOWN, sort=True)
    )


def core_sensor_options(sensors: Collection[CoreSensor]) -> list[SelectOptionDict]:
    """Return options for devices with several sensors ("Door: Contact, Tamper"), then for each."""
    of_device: dict[str, list[CoreSensor]] = {}
    for sensor in sensors:
        if sensor.device_id is not None:
            of_device.setdefault(sensor.device_id, []).append(sensor)
    devices = []
    for device_id, of_one in of_device.items():
        name = of_one[0].device_name or ""
        parts = sorted(sensor.name.removeprefix(name).strip() for sensor in of_one)
        if len(parts) > 1:
            label = f"{name}: {', '.join(parts)}"
            devices.append(SelectOptionDict(value=device_id, label=label))
    single = [
        SelectOptionDict(value=sensor.registry_id, label=f"{sensor.name} ({sensor.entity_id})")
        for sensor in sensors
    ]
    return [*sorted(devices, key=_label), *sorted(single, key=_label)]


def _label(option: SelectOptionDict) -> str:
    return option["label"].casefold()


async def async_note(
    hass: HomeAssistant,
    key: str,
    lines: Sequence[str],
    *,
    limit: int = 0,
    is_open: bool = False,
) -> Markdown:
    """Return a note on what was left out, with a list; empty if nothing was.

    A long list is collapsed unless `is_open`, since it would push the fields off the page.
    """
    if not lines:
        return Markdown()
    texts = await async_get_translations(hass, hass.config.language, "common", [const.DOMAIN])
    text = texts[f"component.{const.DOMAIN}.common.{key}"].format(
        count=len(lines), shown=MAX_LINES, limit=limit
    )
    tag = "details open" if is_open or len(lines) <= OPEN_LINES else "details"
    return Markdown(
        f"\n\n<{tag}>\n<summary>{text}</summary>\n\n{bullets(lines[:MAX_LINES])}\n\n</details>"
    )
