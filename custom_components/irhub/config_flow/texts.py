"""Our errors as a dialogue shows them."""

from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_translations

from ..const import DOMAIN
from ..errors import IrhubError, UserError


async def sentence(hass: HomeAssistant, err: IrhubError | UserError) -> str:
    """Return the sentence of an error in Home Assistant's language.

    A dialogue translates its own texts only, and an error here has those of the actions.
    """
    texts = await async_get_translations(hass, hass.config.language, "exceptions", [DOMAIN])
    text = texts[f"component.{DOMAIN}.exceptions.{err.translation_key}.message"]
    return text.format(**(err.translation_placeholders or {}))
