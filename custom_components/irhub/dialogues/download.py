"""Serve the devices of a hub as a file, for the download link in a dialogue."""

from collections.abc import Iterable
from datetime import timedelta
from http import HTTPStatus
from io import BytesIO
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile

from aiohttp import web
from homeassistant.auth.permissions.const import POLICY_CONTROL
from homeassistant.components.http.auth import async_sign_path
from homeassistant.components.http.const import KEY_HASS_USER
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import Unauthorized
from homeassistant.helpers.http import KEY_HASS, HomeAssistantView
from homeassistant.util import slugify
from yarl import URL

from .._common.markdown import Markdown, escaped
from ..actions.permissions import may_control
from ..const import DOMAIN
from ..devices.device import Device, free_name
from ..devices.exports import export_text
from ..devices.importing import write_devices
from ..entities.use import IrhubConfigEntry
from ..errors import UserError
from ..ircodes import FORMATS
from ..ircodes.files import OUR_FORMAT

LINK_LASTS: Final = timedelta(minutes=10)
_DATA_SERVED: Final = f"{DOMAIN}_download"
_DEVICE: Final = "device"
_FORMAT: Final = "format"
_ZIP: Final = ".zip"
_TYPES: Final = {"json": "application/json", "zip": "application/zip"}
"""File name extension → media type; others are plain text."""


class CodesView(HomeAssistantView):
    """Serves devices to users who may control the hub's remote, by signed link or by login."""

    url = f"/api/{DOMAIN}/codes/{{entry_id}}"
    name = f"api:{DOMAIN}:codes"

    async def get(self, request: web.Request, entry_id: str) -> web.Response:
        """Return one device or all, in the format of the import or in one of FORMATS."""
        hass = request.app[KEY_HASS]
        entry: IrhubConfigEntry | None = hass.config_entries.async_get_entry(entry_id)
        if entry is None or entry.domain != DOMAIN or not hasattr(entry, "runtime_data"):
            return self.json_message("no such hub", HTTPStatus.NOT_FOUND)
        # Any user can get any path signed, so check the permissions of the user who signed it.
        if not may_control(hass, request[KEY_HASS_USER], entry.runtime_data.settings.mac):
            raise Unauthorized(permission=POLICY_CONTROL, config_entry_id=entry_id)
        devices, device_id = entry.runtime_data.devices, request.query.get(_DEVICE)
        format_name = request.query.get(_FORMAT, OUR_FORMAT)
        if device_id not in {None, *devices} or format_name not in {OUR_FORMAT, *FORMATS}:
            return self.json_message("no such device or format", HTTPStatus.NOT_FOUND)
        device = None if device_id is None else devices[device_id]
        chosen = [*devices.values()] if device is None else [device]
        try:
            content = await hass.async_add_executor_job(_content, chosen, device, format_name)
        except UserError as err:
            return self.json_message(str(err), HTTPStatus.UNPROCESSABLE_ENTITY)
        name = _file_name(entry, device, format_name)
        return web.Response(
            body=content,
            content_type=_TYPES.get(name.rpartition(".")[2], "text/plain"),
            charset=None if name.endswith(_ZIP) else "utf-8",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )


@callback
def async_download_link(
    hass: HomeAssistant,
    entry: IrhubConfigEntry,
    format_name: str = OUR_FORMAT,
    device: Device | None = None,
) -> Markdown:
    """Return a link to one or all devices of a hub, valid for some minutes without logging in."""
    if _DATA_SERVED not in hass.data:
        hass.data[_DATA_SERVED] = True
        hass.http.register_view(CodesView)
    query = {_FORMAT: format_name} | ({} if device is None else {_DEVICE: device.id})
    url = URL(CodesView.url.format(entry_id=entry.entry_id)).with_query(query)
    path = async_sign_path(hass, str(url), LINK_LASTS)
    name = _file_name(entry, device, format_name)
    return Markdown(f'<a href="{path}" target="_blank">{escaped(name)}</a>')


def _file_name(entry: IrhubConfigEntry, device: Device | None, format_name: str) -> str:
    """Return the file name for a hub, or for one device."""
    stem = slugify(entry.title if device is None else device.name)
    if format_name == OUR_FORMAT:
        return f"{stem}.json"
    return f"{stem}{_ZIP if device is None else FORMATS[format_name][1]}"


def _content(devices: Iterable[Device], device: Device | None, format_name: str) -> bytes:
    """Return the file: our export, one device's file, or a zip of a file per device. Slow."""
    if format_name == OUR_FORMAT:
        return export_text(devices).encode()
    texts, refused = write_devices(format_name, devices)
    if device is not None:
        if isinstance(reason := refused.get(device.name), UserError):
            raise reason
        return texts[device.name].encode()
    content, names = BytesIO(), set[str]()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            names.add(stem := free_name(slugify(name), names))
            archive.writestr(f"{stem}{FORMATS[format_name][1]}", text)
    return content.getvalue()
