"""The devices of a hub as a file, behind a link of the dialogue."""

from datetime import timedelta
from http import HTTPStatus
from typing import Final

from aiohttp import web
from homeassistant.components.http.auth import async_sign_path
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.http import KEY_HASS, HomeAssistantView
from homeassistant.util import slugify

from .const import DOMAIN
from .devices.layout import export_text
from .entry import IrhubConfigEntry

LINK_LASTS: Final = timedelta(minutes=10)
_DATA_SERVED: Final = f"{DOMAIN}_download"


class CodesView(HomeAssistantView):
    """Serves the devices, to who is logged in or has a signed link."""

    url = f"/api/{DOMAIN}/codes/{{entry_id}}"
    name = f"api:{DOMAIN}:codes"

    async def get(self, request: web.Request, entry_id: str) -> web.Response:
        """Return the devices as the import takes them."""
        entry: IrhubConfigEntry | None = request.app[KEY_HASS].config_entries.async_get_entry(
            entry_id
        )
        if entry is None or entry.domain != DOMAIN or not hasattr(entry, "runtime_data"):
            return self.json_message("no such hub", HTTPStatus.NOT_FOUND)
        text = export_text(entry.runtime_data.devices.values())
        return web.Response(
            text=text,
            content_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="{_file_name(entry)}"'},
        )


@callback
def async_download_link(hass: HomeAssistant, entry: IrhubConfigEntry) -> str:
    """Return a link to a hub's devices that works for some minutes without logging in."""
    if _DATA_SERVED not in hass.data:
        hass.data[_DATA_SERVED] = True
        hass.http.register_view(CodesView)
    path = async_sign_path(hass, CodesView.url.format(entry_id=entry.entry_id), LINK_LASTS)
    return f'<a href="{path}" target="_blank">{_file_name(entry)}</a>'


def _file_name(entry: IrhubConfigEntry) -> str:
    return f"{slugify(entry.title)}.json"
