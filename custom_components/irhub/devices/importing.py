"""An import, as Home Assistant tells of it."""

from collections.abc import Mapping
from functools import partial
from itertools import islice

from homeassistant.core import HomeAssistant
from homeassistant.loader import Integration, async_get_integrations
from homeassistant.util import slugify

from ..errors import LISTED, UserError, list_reasons, told
from ..formats.imported import Imported
from ..formats.reading import read_codes


async def async_read_codes(
    hass: HomeAssistant,
    content: object,
    *,
    device: str | None = None,
    command: str | None = None,
    strict: bool = False,
) -> Imported:
    """Return the commands of a text, as `read_codes` does.

    Raise UserError if there is none that can be used or, if it is `strict`, one that cannot.
    """
    read = partial(read_codes, content, device=device, command=command)
    try:
        imported = await hass.async_add_executor_job(read)
    except ValueError as err:
        raise UserError("not_imported", error=err) from err
    if not imported.commands or (strict and imported.refused):
        raise UserError("not_imported", error=list_reasons(imported.refused))
    return imported


async def async_own_integrations(hass: HomeAssistant, imported: Imported) -> list[str]:
    """Return the names of Home Assistant's integrations for the infrared of a maker.

    They are those that it has: `<maker>_infrared`, of the makers that a text names and the first
    words of its devices.
    """
    named = [imported.manufacturer, *islice(imported.commands, LISTED)]
    makers = {slugify(maker) for name in named for maker in (name, name.partition(" ")[0])}
    found = await async_get_integrations(hass, {f"{maker}_infrared" for maker in makers if maker})
    return sorted(each.name for each in found.values() if isinstance(each, Integration))


def reasons(refused: Mapping[str, object]) -> dict[str, str]:
    """Return why commands cannot be used, by name: the first ten."""
    return {
        name: told(reason)
        for name, reason in islice(sorted(refused.items(), key=lambda item: item[0]), LISTED)
    }
