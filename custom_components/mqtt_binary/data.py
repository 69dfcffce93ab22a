"""What all sensors share."""

import asyncio
from dataclasses import dataclass, field

from homeassistant.util.hass_dict import HassKey

from .connection import Connection
from .const import DOMAIN
from .rendering import JsonMemo
from .unique_ids import UniqueIds


@dataclass(kw_only=True)
class Data:
    """Made once, in `async_setup`."""

    connection: Connection
    unique_ids: UniqueIds = field(default_factory=UniqueIds)
    json: JsonMemo = field(default_factory=JsonMemo)
    importing: asyncio.Task[None] | None = None
    told_about_devices: bool = False


DATA: HassKey[Data] = HassKey(DOMAIN)
