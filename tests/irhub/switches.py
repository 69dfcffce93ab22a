"""Helpers of the tests of all kinds of switches."""

from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.helpers.event import async_track_state_change_event


async def turn(hass: HomeAssistant, state: str, entity_id: str = "switch.tv") -> None:
    """Call the service as a user does."""
    await hass.services.async_call(
        "switch", f"turn_{state}", {"entity_id": entity_id}, blocking=True
    )


def value(hass: HomeAssistant, entity_id: str = "switch.tv") -> str:
    """Return an entity's state."""
    state = hass.states.get(entity_id)
    assert state is not None
    return state.state


def history(hass: HomeAssistant, entity_id: str) -> list[str]:
    """Return a list that grows with each new state of the entity."""
    states: list[str] = []

    @callback
    def changed(event: Event[EventStateChangedData]) -> None:
        old, new = event.data["old_state"], event.data["new_state"]
        if new is not None and (old is None or old.state != new.state):
            states.append(new.state)

    async_track_state_change_event(hass, entity_id, changed)
    return states
