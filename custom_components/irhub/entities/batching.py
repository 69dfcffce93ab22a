"""Changes that belong together: what one script or scene asks for within a moment is one."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from homeassistant.components.homeassistant.scene import STATES_SCHEMA, HomeAssistantScene
from homeassistant.const import (
    ATTR_DOMAIN,
    ATTR_SERVICE,
    ATTR_SERVICE_DATA,
    CONF_ENTITIES,
    EVENT_CALL_SERVICE,
    Platform,
)
from homeassistant.core import (
    CALLBACK_TYPE,
    Context,
    Event,
    HomeAssistant,
    State,
    callback,
)
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.entity_component import DATA_INSTANCES

BATCH_S: Final = 0.2
"""How long a change waits for others of its context."""
_APPLY: Final = "apply"
"""The action of scenes that have no entity; Home Assistant's name for it changed in 2026.11."""

type Errors = Sequence[HomeAssistantError | None]
"""What went wrong with each of some changes."""
type Do[Change] = Callable[[Context, Sequence[Change]], Awaitable[Errors]]
"""Does some changes at once."""


@dataclass(frozen=True, kw_only=True)
class _Batch[Change]:
    done: asyncio.Task[Errors]
    changes: list[Change] = field(default_factory=list)


class ChangeBatches[Change]:
    """Does the changes of one context at once, and those of several one after the other."""

    def __init__(self, do: Do[Change], lock: asyncio.Lock) -> None:
        self._do = do
        self._lock = lock
        self._waiting: dict[str, _Batch[Change]] = {}

    async def ask(self, hass: HomeAssistant, context: Context, change: Change) -> None:
        """Have a change done. Raise what went wrong with it."""
        if (batch := self._waiting.get(context.id)) is None:
            # Its own task: a caller that gives up does not end what others wait for.
            done = hass.async_create_task(
                self._finish(context), "irhub: change an air conditioner", eager_start=False
            )
            batch = self._waiting[context.id] = _Batch(done=done)
        number = len(batch.changes)
        batch.changes.append(change)
        errors = await asyncio.shield(batch.done)
        if (error := errors[number]) is not None:
            raise error

    async def _finish(self, context: Context) -> Errors:
        await asyncio.sleep(BATCH_S)
        async with self._lock:
            return await self._do(context, self._waiting.pop(context.id).changes)


class Scenes:
    """What scenes want of an entity: Home Assistant sets one thing after the other, and waits.

    A script has one context from its beginning to its end: what its scene wants counts once.
    """

    def __init__(self, hass: HomeAssistant, entity_id: str) -> None:
        self._hass = hass
        self._entity_id = entity_id
        self._applied: tuple[str, State | None] | None = None
        """Context and wish of a scene that was applied; it has no entity."""
        self._taken: State | None = None
        """The scene whose wish was taken last."""

    @callback
    def follow(self) -> CALLBACK_TYPE:
        """Note which scenes are applied, until the result is called."""
        return self._hass.bus.async_listen(EVENT_CALL_SERVICE, self._apply, _is_apply)

    def take(self, context: Context) -> State | None:
        """Return what a scene wants that is being turned on or applied in this context."""
        if self._applied is not None and self._applied[0] == context.id:
            wish, self._applied = self._applied[1], None
            return wish
        for state in self._hass.states.async_all(Platform.SCENE):
            if state.context.id == context.id and state is not self._taken:
                self._taken = state
                scene = self._hass.data[DATA_INSTANCES][Platform.SCENE].get_entity(state.entity_id)
                if isinstance(scene, HomeAssistantScene):
                    return scene.scene_config.states.get(self._entity_id)
        return None

    @callback
    def _apply(self, event: Event) -> None:
        states: Mapping[str, State] = STATES_SCHEMA(event.data[ATTR_SERVICE_DATA][CONF_ENTITIES])
        self._applied = event.context.id, states.get(self._entity_id)


@callback
def _is_apply(data: Mapping[str, Any]) -> bool:
    return (data[ATTR_DOMAIN], data[ATTR_SERVICE]) == (Platform.SCENE, _APPLY)
