"""What all sensors share."""

from collections.abc import Callable
from dataclasses import dataclass, field

from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import EntityPlatform
from homeassistant.util.hass_dict import HassKey

from .connection import Connection
from .const import DOMAIN
from .payload import LatestJson


class DuplicateUniqueIdError(HomeAssistantError):
    """A second sensor wants a unique id that is taken."""


class UniqueIds:
    """Who holds which unique id, among the sensors of YAML and those discovered."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[object, str]] = {}

    def check(self, unique_id: str | None, owner: object, topic: str) -> None:
        """Raise DuplicateUniqueIdError, naming both topics, if not `owner` holds the id."""
        if unique_id is None:
            return
        holder, held_topic = self._held.get(unique_id, (owner, topic))
        if holder is not owner:
            raise DuplicateUniqueIdError(
                translation_domain=DOMAIN,
                translation_key="duplicate_unique_id",
                translation_placeholders={
                    "unique_id": unique_id,
                    "first_topic": held_topic,
                    "second_topic": topic,
                },
            )

    def claim(self, unique_id: str | None, owner: object, topic: str) -> None:
        """Let `owner` hold the id. Raise DuplicateUniqueIdError."""
        self.check(unique_id, owner, topic)
        if unique_id is not None:
            self._held[unique_id] = (owner, topic)

    def release(self, unique_id: str | None, owner: object) -> None:
        """Let the id go, if `owner` holds it."""
        if unique_id is not None and self._held.get(unique_id, (None,))[0] is owner:
            del self._held[unique_id]

    def release_where(self, belongs: Callable[[object], bool]) -> None:
        """Let go every id whose owner `belongs`."""
        for unique_id, (owner, _) in list(self._held.items()):
            if belongs(owner):
                del self._held[unique_id]


@dataclass(kw_only=True)
class Data:
    """Made once, in `async_setup`."""

    connection: Connection
    json: LatestJson = field(default_factory=LatestJson)
    unique_ids: UniqueIds = field(default_factory=UniqueIds)
    batches: dict[EntityPlatform, list[Entity]] = field(default_factory=dict)
    told_about_devices: bool = False


DATA: HassKey[Data] = HassKey(DOMAIN)
