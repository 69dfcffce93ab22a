"""Correction of an entity's assumed state by the user, without sending anything."""

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
"""Name of a field, as in Home Assistant's state → its possible values."""

_GAP: Final = 1.0
"""Maximum distance of a number from the possible value, if there is only one."""


class Correctable(Entity):
    """An entity whose assumed state can be corrected."""

    state_fields: ClassVar[Sequence[str]] = (ATTR_STATE,)
    """Accepted names of the field for the state; the last is used in messages."""

    @property
    @abstractmethod
    def possible(self) -> Mapping[str, Fields]:
        """Return the possible states, each with the fields that it can have."""

    @property
    @abstractmethod
    def assumed(self) -> str | None:
        """Return the assumed state, one of `possible`; None if unknown."""

    @callback
    @abstractmethod
    def _correct(self, state: str | None, fields: Mapping[str, Value]) -> None:
        """Set a state (None: unchanged) and fields, all of them possible values.

        Raise UserError for an impossible combination of fields.
        """

    async def async_correct(self, values: Mapping[str, Value], context: Context) -> None:
        """Set the actual state of the device. Raise UserError if it is impossible."""
        state, fields = self._checked(values)
        self.async_set_context(context)
        self._correct(state, fields)

    def _checked(self, values: Mapping[str, Value]) -> tuple[str | None, Mapping[str, Value]]:
        """Return the given state and fields, each replaced by the matching possible value."""
        possible, name = self.possible, self.state_fields[-1]
        states = [values[field] for field in self.state_fields if field in values]
        fields = {key: value for key, value in values.items() if key not in self.state_fields}
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
        """Return the value out of `values` that matches. Raise UserError if none does."""
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
    """Return the entities with a correctable state, by entity id."""
    return {
        entity_id: entity
        for platform in async_get_platforms(hass, DOMAIN)
        for entity_id, entity in platform.entities.items()
        if isinstance(entity, Correctable)
    }


def _nearest(value: Value, values: Sequence[Value]) -> Value | None:
    """Return the equal value; for numbers, the nearest one less than a step away."""
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
    """Return values as text for a sentence; of many numbers only the first and the last."""
    if len(values) > LISTED and all(_is_number(value) for value in values):
        return f"{_shown(values[0])} \N{EN DASH} {_shown(values[-1])}"
    if all(isinstance(value, str) for value in values):
        return list_names(map(str, values))
    return ", ".join(map(_shown, values))


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, int | float) else value
