"""What somebody brings to irhub, and where it goes on: a page of its own, an import, a press."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from homeassistant.core import HomeAssistant

from ..errors import UserError
from ..ircodes import Content, identify
from ..ircodes.files import ContentKind, Imported, NamelessError
from ..ircodes.reasons import reason_of
from .importing import read_import


class GoesOn(StrEnum):
    """Where something that was brought goes on."""

    DEVICE = "device"
    """It is one device: its page says what it can do, and it is added as a whole."""
    DEVICES = "devices"
    """Its commands are those of several devices: what would be new and replaced is shown."""
    NAMES = "names"
    """Names are missing: ask for them, and bring it again with these."""
    PRESS = "press"
    """It is many code files: a press of the remote control finds the one."""


@dataclass(frozen=True, kw_only=True)
class Brought:
    """Something that was brought."""

    content: Content
    goes_on: GoesOn
    imported: Imported | None = None
    """What is in it, once nothing is missing; None of a collection."""
    missing: Sequence[str] = ()
    """The names to ask for: "device", or "device" and "command"."""


def bring(
    given: object, *, name: str = "", device: str | None = None, command: str | None = None
) -> Brought:
    """Return what something is, what is in it, and where it goes on.

    `given` is the content of a file as bytes, the path of a file or folder, a text, or what YAML
    has made of one; `name` is what its file is called. `device` and `command` are names for what
    has none itself. Raise RefusedError or OSError if nothing of it can be used.
    """
    content = identify(given, name=name)
    if content.kind is ContentKind.COLLECTION:
        return Brought(content=content, goes_on=GoesOn.PRESS)
    if content.kind is ContentKind.PACKET and not (device and command):
        return Brought(content=content, goes_on=GoesOn.NAMES, missing=("device", "command"))
    try:
        imported = read_import(content.content, device=device, command=command)
    except NamelessError:
        return Brought(content=content, goes_on=GoesOn.NAMES, missing=("device",))
    is_one = len(imported.commands) == 1 and content.kind is not ContentKind.PACKET
    goes_on = GoesOn.DEVICE if is_one else GoesOn.DEVICES
    return Brought(content=content, goes_on=goes_on, imported=imported)


async def async_bring(
    hass: HomeAssistant,
    given: object,
    *,
    name: str = "",
    device: str | None = None,
    command: str | None = None,
) -> Brought:
    """Return the same. Raise UserError if nothing of it can be used."""
    job = partial(bring, given, name=name, device=device, command=command)
    try:
        return await hass.async_add_executor_job(job)
    except (OSError, ValueError) as err:
        raise UserError("not_imported", error=reason_of(err, "unreadable")) from err
