"""`for_each`: an entity per element of a reply, added and removed with the element."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
import logging
from typing import Any

from homeassistant.const import Platform
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import AddEntitiesCallback
from homeassistant.helpers.template import Template
from homeassistant.util.hass_dict import HassKey

from ._common.log_once import LogOnce
from .const import CONF_FOR_EACH, CONF_KEY, DOMAIN
from .reply.reply import ABSENT, Reply
from .reply.templates import PartTemplate, ReplyTemplate
from .settings import ValueSettings
from .sources import Source

_LOGGER = logging.getLogger(__name__)

MAX_ELEMENTS = 1000
"""Maximum number of elements per `for_each`; a server can send any number."""
MAX_KEY = 200
"""Maximum length of a key, in characters; it becomes part of a unique id."""
_SEPARATOR = "::"
"""Between the configured unique id and the key of an element."""


@dataclass(frozen=True, eq=False)
class ElementOfReply:
    """An element, identified by its key, wherever it is in the reply."""

    elements: Elements
    key: str

    @property
    def item(self) -> object:
        """Return the element in the last reply, or ABSENT."""
        return self.elements.items.get(self.key, ABSENT)


class Elements:
    """The elements in the replies of one source, with an entity each.

    This object adds its listener before those of its entities, so it is up to date when they
    read their elements.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        platform: Platform,
        source: Source[ValueSettings],
        for_each: Template,
        *,
        make: Callable[[Source[Any]], Entity],
        async_add_entities: AddEntitiesCallback,
    ) -> None:
        self.platform = platform
        self.source = source
        self.items: dict[str, object] = {}
        self._hass = hass
        self._make = make
        self._async_add_entities = async_add_entities
        self._entities: dict[str, Entity] = {}
        self._log = LogOnce(_LOGGER)
        settings = source.settings
        self._for_each = PartTemplate(CONF_FOR_EACH, for_each)
        self._key = settings.key and ReplyTemplate(CONF_KEY, settings.key, self._report)
        self._stop: CALLBACK_TYPE | None = None

    @callback
    def start(self) -> None:
        """Subscribe to polls; until the first reply, restore the elements from before a restart."""
        all_elements(self._hass).append(self)
        coordinator = self.source.coordinator
        self._stop = coordinator.async_add_listener(self, self._polled, None)
        if coordinator.data is not None:
            self._polled()
        elif self.source.settings.restore:
            self._add(self._stored_keys())

    async def async_remove(self) -> None:
        """Unsubscribe and remove the entities, but keep their entity registry entries."""
        all_elements(self._hass).remove(self)
        if self._stop:
            self._stop()
            self._stop = None
        for entity in self._entities.values():
            if entity.hass:
                await entity.async_remove()

    @callback
    def reconsider(self) -> None:
        """Retry with the next poll to add entities that were not added, such as disabled ones."""
        self._entities = {key: entity for key, entity in self._entities.items() if entity.hass}

    @callback
    def _polled(self) -> None:
        """Update the elements from the reply; keep them if the poll failed."""
        coordinator = self.source.coordinator
        if coordinator.failures or coordinator.data is None:
            return
        try:
            self.items = dict(self._read(coordinator.data))
        except ValueError as err:
            self._report(CONF_FOR_EACH, str(err))
            self.items = {}
            return
        for key in self._entities.keys() - self.items.keys():
            self._remove(key)
        self._add(key for key in self.items if key not in self._entities)

    def _read(self, reply: Reply) -> Iterator[tuple[str, object]]:
        """Yield pairs of key and element. Raise ValueError with the reason if there are none."""
        variables = reply.variables()
        match self._for_each.part(variables):
            case Mapping() as elements:
                pairs: list[tuple[object, object]] = [*elements.items()]
            case list() | tuple() as elements:
                pairs = [(None, item) for item in elements]
            case _:
                raise ValueError(f"{CONF_FOR_EACH} gives neither a list nor a dictionary")
        problems: list[str] = []
        if len(pairs) > MAX_ELEMENTS:
            problems.append(
                f"{CONF_FOR_EACH} gives more than {MAX_ELEMENTS} elements; the rest is left out"
            )
        keys: set[str] = set()
        for number, (key, item) in enumerate(pairs[:MAX_ELEMENTS], 1):
            text = self._key_of(variables, key, item)
            if not text or len(text) > MAX_KEY or text == "None":
                problems.append(
                    f"{CONF_KEY}: element {number} has none, or one of more than {MAX_KEY} "
                    f"characters; give a template such as {{{{ item.id }}}}"
                )
            elif text in keys:
                problems.append(f"{CONF_KEY}: element {number} has the key of one before it")
            else:
                keys.add(text)
                yield text, item
        self._report(CONF_FOR_EACH, *problems)

    def _key_of(self, variables: dict[str, Any], key: object, item: object) -> str | None:
        if self._key:
            return self._key.text({**variables, "key": key, "item": item})
        if key is None and not isinstance(item, Mapping | list | tuple):
            key = item  # a list of names
        return None if key is None else str(key).strip()

    @callback
    def _add(self, keys: Iterator[str]) -> None:
        new = {key: self._make(self._source_of(key)) for key in keys}
        self._entities |= new
        if new:
            self._async_add_entities(new.values())

    def _source_of(self, key: str) -> Source[Any]:
        settings = self.source.settings
        if settings.unique_id is not None:
            settings = replace(settings, unique_id=f"{settings.unique_id}{_SEPARATOR}{key}")
        return Source(self.source.coordinator, settings, ElementOfReply(self, key))

    @callback
    def _remove(self, key: str) -> None:
        """Remove an entity; if it is still being added, a later poll removes it."""
        entity = self._entities[key]
        if not entity.hass or not entity.entity_id:
            return
        if not self._hass.states.get(entity.entity_id):
            return
        del self._entities[key]
        if entity.registry_entry:
            # If the element comes back, Home Assistant restores its name and area.
            er.async_get(self._hass).async_remove(entity.entity_id)
        else:
            _ = self._hass.async_create_task(
                entity.async_remove(), f"rest: remove {entity.entity_id}"
            )

    def _stored_keys(self) -> Iterator[str]:
        """Return the keys known before a restart, from the unique ids in the entity registry."""
        unique_id = self.source.settings.unique_id
        if unique_id is None:
            return iter(())
        prefix = f"{unique_id}{_SEPARATOR}"
        return iter(
            [
                entry.unique_id.removeprefix(prefix)
                for entry in er.async_get(self._hass).entities.values()
                if (entry.platform, entry.domain) == (DOMAIN, self.platform)
                and entry.unique_id.startswith(prefix)
            ]
        )

    def _report(self, subject: str, *problems: str) -> None:
        if not problems:
            self._log.settle(subject)
        for problem in problems:
            if not ("value_json" in problem and self.source.coordinator.is_page()):
                self._log.report(subject, f"{self.source.coordinator.request.shown}: {problem}")


_ELEMENTS: HassKey[list[Elements]] = HassKey("rest_elements")


@callback
def all_elements(hass: HomeAssistant) -> list[Elements]:
    """Return the `Elements` of all sources."""
    return hass.data.setdefault(_ELEMENTS, [])
