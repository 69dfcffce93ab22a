"""Data shared by all sensors."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import EntityPlatform
from homeassistant.util.hass_dict import HassKey

from .connection import Connection
from .const import DOMAIN
from .payload.text import LatestJson
from .settings import Settings


class DuplicateUniqueIdError(HomeAssistantError):
    """A second sensor has the unique id of another."""


class Owner(Protocol):
    """A sensor, which may hold a unique id."""

    settings: Settings

    @property
    def entry_id(self) -> str | None:
        """Return the id of its config entry, None for a sensor from YAML."""


class UniqueIds:
    """The unique ids of sensors from YAML and of discovered sensors, with their owners."""

    def __init__(self) -> None:
        self._owners: dict[str, Owner] = {}

    def holder(self, unique_id: str | None) -> Owner | None:
        """Return the owner of an id."""
        return None if unique_id is None else self._owners.get(unique_id)

    def check(self, settings: Settings, owner: Owner) -> None:
        """Raise DuplicateUniqueIdError, which names both topics, if another owner has the id."""
        holder = self.holder(settings.unique_id)
        if holder is not None and holder is not owner:
            raise DuplicateUniqueIdError(
                translation_domain=DOMAIN,
                translation_key="duplicate_unique_id",
                translation_placeholders={
                    "unique_id": str(settings.unique_id),
                    "first_topic": holder.settings.state_topic,
                    "second_topic": settings.state_topic,
                },
            )

    def claim(self, owner: Owner) -> None:
        """Register the id of `owner`. Raise DuplicateUniqueIdError if it is taken."""
        self.check(owner.settings, owner)
        if owner.settings.unique_id is not None:
            self._owners[owner.settings.unique_id] = owner

    def release(self, owner: Owner) -> None:
        """Release the id of `owner`, if registered."""
        unique_id = owner.settings.unique_id
        if unique_id is not None and self._owners.get(unique_id) is owner:
            del self._owners[unique_id]

    def release_where(self, belongs: Callable[[Owner], bool]) -> None:
        """Release the ids of all owners for which `belongs` is true."""
        self._owners = {
            unique_id: owner for unique_id, owner in self._owners.items() if not belongs(owner)
        }


@dataclass(kw_only=True)
class Data:
    """Shared data, created once in `async_setup`."""

    connection: Connection
    json: LatestJson = field(default_factory=LatestJson)
    unique_ids: UniqueIds = field(default_factory=UniqueIds)
    batches: dict[EntityPlatform, list[Entity]] = field(default_factory=dict)
    logged_device_in_yaml: bool = False
    duplicate: DuplicateUniqueIdError | None = None
    """The error of the last refused sensor from YAML."""


DATA: HassKey[Data] = HassKey(DOMAIN)
