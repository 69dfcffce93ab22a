"""Forms, and our errors as a dialogue shows them."""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.config_entries import ConfigFlow, ConfigFlowResult, OptionsFlow
from homeassistant.const import CONF_HOST
from homeassistant.helpers.selector import (
    EntitySelector,
    EntitySelectorConfig,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
)
import voluptuous as vol

from ..errors import IrhubError, UserError, common_texts, sentence
from ..schema import host

DOUBLE_CLICK_S: Final = 0.5
"""So soon after a page has changed nobody has read it: a click was meant for the one before."""

__all__ = [
    "DOUBLE_CLICK_S",
    "common_texts",
    "emitter_selector",
    "number",
    "out_of_range",
    "sentence",
    "show_form",
]


async def show_form(
    flow: ConfigFlow | OptionsFlow,
    step_id: str,
    schema: vol.Schema,
    given: Mapping[str, Any] | None = None,
    *,
    error: IrhubError | vol.Invalid | None = None,
    placeholders: Mapping[str, str] | None = None,
) -> ConfigFlowResult:
    """Show a form, with what was `given` the last time and what went wrong with that.

    `vol.Invalid` means that what was given as the host is none.
    """
    errors: dict[str, str] = {}
    shown = {**(placeholders or {})}
    if isinstance(error, vol.Invalid):
        errors[CONF_HOST] = _host_error(str((given or {}).get(CONF_HOST, "")))
    elif error is not None:
        errors["base"] = "failed"
        shown["error"] = await sentence(flow.hass, error)
    return flow.async_show_form(
        step_id=step_id,
        data_schema=flow.add_suggested_values_to_schema(schema, given),
        errors=errors,
        description_placeholders=shown,
    )


def number(unit: str) -> NumberSelector:
    """Return a field for a number. It has no limits: Home Assistant would not name them."""
    return NumberSelector(
        NumberSelectorConfig(step="any", mode=NumberSelectorMode.BOX, unit_of_measurement=unit)
    )


def emitter_selector() -> EntitySelector:
    """Return a field for another emitter; receivers are of the same domain."""
    return EntitySelector(EntitySelectorConfig(domain="infrared", device_class="emitter"))


def out_of_range(
    limits: Mapping[str, tuple[float, float]], given: Mapping[str, Any]
) -> UserError | None:
    """Return what is wrong with the first number that is beyond its limits."""
    for key, (lowest, highest) in limits.items():
        if (value := given.get(key)) is not None and not lowest <= value <= highest:
            return UserError(
                "out_of_range", value=f"{value:g}", lowest=f"{lowest:g}", highest=f"{highest:g}"
            )
    return None


def _host_error(text: str) -> str:
    """Return what is wrong with a host."""
    if "/" in text:
        return "host_is_url"
    name = text.strip().rpartition(":")[0]
    return "invalid_port" if name and ":" not in name and _is_host(name) else "invalid_host"


def _is_host(name: str) -> bool:
    try:
        host(name)
    except vol.Invalid:
        return False
    return True
