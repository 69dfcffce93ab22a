"""Changes that belong together: what one script or scene asks for within a moment is one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from homeassistant.components.homeassistant.scene import HomeAssistantScene
from homeassistant.const import Platform
from homeassistant.core import Context, HomeAssistant, State
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.entity_component import DATA_INSTANCES

TOGETHER_S: Final = 0.2
"""So long a change waits for others of its context."""

type Errors = Sequence[HomeAssistantError | None]
"""What went wrong with each of some changes."""
type Do[Change] = Callable[[Context, Sequence[Change]], Awaitable[Errors]]
"""Does some changes at once."""


@dataclass(frozen=True, kw_only=True)
class _Batch[Change]:
    done: asyncio.Task[Errors]
    changes: list[Change] = field(default_factory=list)


class Together[Change]:
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
        await asyncio.sleep(TOGETHER_S)
        async with self._lock:
            return await self._do(context, self._waiting.pop(context.id).changes)


def wanted_by_scene(hass: HomeAssistant, entity_id: str, context: Context) -> State | None:
    """Return what the scene wants of an entity that is being turned on in this context.

    Home Assistant sets one thing after the other and waits for each.
    """
    for state in hass.states.async_all(Platform.SCENE):
        if state.context.id == context.id:
            scene = hass.data[DATA_INSTANCES][Platform.SCENE].get_entity(state.entity_id)
            if isinstance(scene, HomeAssistantScene):
                return scene.scene_config.states.get(entity_id)
    return None
