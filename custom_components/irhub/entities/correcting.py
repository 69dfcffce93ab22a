"""Correcting a state that an entity assumes: it is set right, and nothing is sent."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import ClassVar, Final

from homeassistant.const import ATTR_STATE
from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import async_get_platforms

from ..const import DOMAIN
from ..errors import LISTED, UserError, list_names

type Value = str | float | bool
type Fields = Mapping[str, Sequence[Value]]
"""What can be said of a device, by Home Assistant's name for it → the values that it can have."""

_GAP: Final = 1.0
"""So far a number may be from the only one that there is."""


class Correctable(Entity):
    """An entity that assumes its state, and takes over what somebody knows better."""

    state_fields: ClassVar[Sequence[str]] = (ATTR_STATE,)
    """What the state may be called; the last of them is its usual name."""

    @property
    @abstractmethod
    def possible(self) -> Mapping[str, Fields]:
        """Return the states that the device can be in, and what else can be said of it in each."""

    @property
    @abstractmethod
    def assumed(self) -> str | None:
        """Return which of these states is assumed; None if nobody knows."""

    @callback
    @abstractmethod
    def _correct(self, state: str | None, fields: Mapping[str, Value]) -> None:
        """Show a state, or with None the same with other fields; they are possible.

        Raise UserError if the fields are not possible together.
        """

    async def async_correct(self, given: Mapping[str, Value], context: Context) -> None:
        """Show what the device is really set to. Raise UserError if that cannot be."""
        state, fields = self._checked(given)
        self.async_set_context(context)
        self._correct(state, fields)

    def _checked(self, given: Mapping[str, Value]) -> tuple[str | None, Mapping[str, Value]]:
        """Return the state and the fields that are given, each as one of its possible values."""
        possible, name = self.possible, self.state_fields[-1]
        states = [given[field] for field in self.state_fields if field in given]
        fields = {key: value for key, value in given.items() if key not in self.state_fields}
        if not states and not fields:
            names = {name, *(field for of_state in possible.values() for field in of_state)}
            raise UserError("correct_nothing", entity_id=self.entity_id, fields=list_names(names))
        state = None
        if states:
            state = str(self._value(name, states[0], [*possible]))
        if (now := state or self.assumed) is None:
            raise UserError(
                "correct_unknown",
                entity_id=self.entity_id,
                field=name,
                values=_listed([*possible]),
            )
        allowed = possible.get(now, {})
        for field in fields:
            if field not in allowed:
                raise UserError(
                    "correct_field",
                    entity_id=self.entity_id,
                    field=field,
                    state=now,
                    fields=list_names(allowed),
                )
        return state, {
            field: self._value(field, value, allowed[field]) for field, value in fields.items()
        }

    def _value(self, field: str, value: Value, values: Sequence[Value]) -> Value:
        """Return which of some values is meant. Raise UserError if it is none of them."""
        known = _nearest(value, values)
        if known is None:
            raise UserError(
                "correct_value",
                entity_id=self.entity_id,
                field=field,
                value=_shown(value),
                values=_listed(values),
            )
        return known


@callback
def correctable_entities(hass: HomeAssistant) -> Mapping[str, Correctable]:
    """Return the entities that assume their state, by their ids."""
    return {
        entity_id: entity
        for platform in async_get_platforms(hass, DOMAIN)
        for entity_id, entity in platform.entities.items()
        if isinstance(entity, Correctable)
    }


def _nearest(value: Value, values: Sequence[Value]) -> Value | None:
    """Return the value itself or, of numbers, the one that it is less than a step away from."""
    numbers = [known for known in values if _is_number(known)]
    if not numbers or not _is_number(value):
        return next((known for known in values if known == value), None)
    degrees = float(value)
    nearest = min(numbers, key=lambda known: abs(float(known) - degrees))
    gap = min((float(b) - float(a) for a, b in pairwise(sorted(numbers))), default=_GAP)
    return nearest if abs(float(nearest) - degrees) < gap else None


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _listed(values: Sequence[Value]) -> str:
    """Return values as a sentence lists them; of many numbers the first and the last."""
    if len(values) > LISTED and all(_is_number(value) for value in values):
        return f"{_shown(values[0])} \N{EN DASH} {_shown(values[-1])}"
    if all(isinstance(value, str) for value in values):
        return list_names(map(str, values))
    return ", ".join(map(_shown, values))


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, int | float) else value
