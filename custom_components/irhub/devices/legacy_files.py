"""Import of the files of 0.3.0 and of core's integration for a hub; the files are not changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
import logging

from homeassistant.core import HomeAssistant

from ..const import DOMAIN
from ..errors import StorageFailedError, list_names
from ..settings import Mac
from .fields import Data
from .files import StorageFile
from .legacy_format import LegacyImport, old_command_id
from .stored import Stored

_LOGGER = logging.getLogger(__package__)


@dataclass(frozen=True, kw_only=True)
class ImportResult:
    """The result of an import."""

    stored: Stored
    """The stored devices with imported ones added."""
    turns: Mapping[str, int] = field(default_factory=dict)
    """Id of an alternating command → index of its next packet."""


async def async_import_legacy(
    hass: HomeAssistant, mac: Mac, stored: Stored, *, is_first: bool
) -> ImportResult:
    """Import commands learned by 0.3.0; if there are none, and only once, those of core.

    The file of 0.3.0 is checked each time, since it may have run again after a downgrade.
    """
    for known_mac in (mac, mac.reversed):
        name = f"{DOMAIN}_remote_{known_mac}_codes"
        if (codes := await _read(hass, name, is_first=is_first)) is None:
            continue
        turns: dict[str, int] = {}
        taken, unreadable = await hass.async_add_executor_job(_with_codes, stored, codes)
        _report(name, unreadable)
        if is_first and (flags := await _read(hass, name.replace("codes", "flags"))):
            turns = {
                old_command_id(stored.mac, device, command): index
                for device, indexes in flags.items()
                if isinstance(indexes, dict)
                for command, index in indexes.items()
                if isinstance(index, int)
            }
        return ImportResult(stored=stored if taken.taken == stored.taken else taken, turns=turns)
    return await _import_core(hass, mac, stored) if is_first else ImportResult(stored=stored)


async def _import_core(hass: HomeAssistant, mac: Mac, stored: Stored) -> ImportResult:
    """Import the commands of core's integration for the same hub, and their next packets."""
    for known_mac in (mac, mac.reversed):
        name = f"broadlink_remote_{known_mac}_codes"
        if not (codes := await _read(hass, name)):
            continue
        flags = await _read(hass, f"broadlink_remote_{known_mac}_flags") or {}
        taken, unreadable = await hass.async_add_executor_job(_with_codes, stored, codes)
        devices = taken.devices
        _LOGGER.info(
            "Copied %s learned commands of %s devices from %s",
            sum(len(device.commands) for device in devices.values()),
            len(devices),
            name,
        )
        _report(name, unreadable)
        return ImportResult(
            stored=replace(taken, taken=stored.taken),
            # Core alternates per device, not per command.
            turns={
                command.id: index
                for device in devices.values()
                if isinstance(index := flags.get(device.name), int)
                for command in device.commands.values()
                if len(command.packets) > 1
            },
        )
    return ImportResult(stored=stored)


def _report(name: str, unreadable: Sequence[str]) -> None:
    """Log which commands of a file are none; they stay there."""
    if unreadable:
        _LOGGER.error(
            "%s: these are not packets and were left there: %s", name, list_names(unreadable)
        )


def _with_codes(stored: Stored, codes: Data) -> tuple[Stored, list[str]]:
    """Return the stored devices with the commands of a file, and the names of invalid ones."""
    devices, taken = {**stored.devices}, {**stored.taken}
    unreadable = LegacyImport(mac=stored.mac, devices=devices, taken=taken).codes(codes)
    return replace(stored, devices=devices, taken=taken), unreadable


async def _read(hass: HomeAssistant, name: str, *, is_first: bool = True) -> Data | None:
    """Return the data of a file; None if there is none or it is unreadable. It is not changed."""
    file = StorageFile(hass, name)
    try:
        return await file.peek()
    except (ValueError, StorageFailedError) as err:
        if is_first:
            _LOGGER.error("%s could not be taken over: %s", file.path, err)  # noqa: TRY400
        return None
