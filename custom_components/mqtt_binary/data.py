"""What all sensors share."""

from dataclasses import dataclass, field

from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import EntityPlatform
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
    batches: dict[EntityPlatform, list[Entity]] = field(default_factory=dict)
    told_about_devices: bool = False


DATA: HassKey[Data] = HassKey(DOMAIN)
