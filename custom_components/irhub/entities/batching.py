"""Batches of changes: those that one script or scene makes in quick succession are one."""

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
"""How long, in seconds, a batch collects changes of its context."""
_APPLY: Final = "apply"
"""`scene.apply`; Home Assistant's constant for it was renamed in 2026.11."""

type Errors = Sequence[HomeAssistantError | None]
"""The error of each change, None if it succeeded."""
type ApplyChanges[Change] = Callable[[Context, Sequence[Change]], Awaitable[Errors]]
"""Carries out changes together."""


@dataclass(frozen=True, kw_only=True)
class _Batch[Change]:
    done: asyncio.Task[Errors]
    changes: list[Change] = field(default_factory=list)


class ChangeBatches[Change]:
    """Carries out the changes of one context together, and batches one after another."""

    def __init__(self, apply: ApplyChanges[Change], lock: asyncio.Lock) -> None:
        self._apply = apply
        self._lock = lock
        self._waiting: dict[str, _Batch[Change]] = {}

    async def carry_out(self, hass: HomeAssistant, context: Context, change: Change) -> None:
        """Carry out a change as part of a batch. Raise the error of this change."""
        if (batch := self._waiting.get(context.id)) is None:
            # A task of its own, so that a cancelled caller does not cancel the changes of others.
            done = hass.async_create_task(
                self._run(context), "irhub: change an air conditioner", eager_start=False
            )
            batch = self._waiting[context.id] = _Batch(done=done)
        number = len(batch.changes)
        batch.changes.append(change)
        errors = await asyncio.shield(batch.done)
        if (error := errors[number]) is not None:
            raise error

    async def _run(self, context: Context) -> Errors:
        await asyncio.sleep(BATCH_S)
        async with self._lock:
            return await self._apply(context, self._waiting.pop(context.id).changes)


class Scenes:
    """The states that scenes request for an entity.

    Home Assistant applies a scene as several actions and waits for each, so the entity needs the
    complete requested state at the first one. A script keeps one context from begin to end, hence
    the state that a scene requests is returned only once.
    """

    def __init__(self, hass: HomeAssistant, entity_id: str) -> None:
        self._hass = hass
        self._entity_id = entity_id
        self._applied: tuple[str, State | None] | None = None
        """Context id and requested state of the last `scene.apply`, which has no scene entity."""
        self._taken: State | None = None
        """The state of the scene entity whose request was returned last."""

    @callback
    def follow(self) -> CALLBACK_TYPE:
        """Start to record applied scenes. Return a function that ends it."""
        return self._hass.bus.async_listen(EVENT_CALL_SERVICE, self._apply, _is_apply)

    def take(self, context: Context) -> State | None:
        """Return the state requested by a scene that is activated in this context, if any."""
        if self._applied is not None and self._applied[0] == context.id:
            requested, self._applied = self._applied[1], None
            return requested
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
