"""Forms, and our errors as a dialogue shows them."""

from collections.abc import Mapping
from typing import Any

from homeassistant.config_entries import ConfigFlow, ConfigFlowResult, OptionsFlow
from homeassistant.const import CONF_HOST
from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_translations
import voluptuous as vol

from ..const import DOMAIN
from ..errors import IrhubError


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
        errors[CONF_HOST] = "invalid_host"
    elif error is not None:
        errors["base"] = "failed"
        shown["error"] = await sentence(flow.hass, error)
    return flow.async_show_form(
        step_id=step_id,
        data_schema=flow.add_suggested_values_to_schema(schema, given),
        errors=errors,
        description_placeholders=shown,
    )


async def sentence(hass: HomeAssistant, err: IrhubError) -> str:
    """Return the sentence of an error in Home Assistant's language.

    A dialogue translates its own texts only, and an error here has those of the actions.
    """
    texts = await async_get_translations(hass, hass.config.language, "exceptions", [DOMAIN])
    text = texts[f"component.{DOMAIN}.exceptions.{err.translation_key}.message"]
    return text.format(**(err.translation_placeholders or {}))
