"""Try entities: compute their states and problems for a reply.

They are subclasses of the platforms' entities, and are never added to Home Assistant.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, override

from homeassistant.components.sensor import SensorDeviceClass, SensorStateClass
from homeassistant.components.sensor.const import DEVICE_CLASS_STATE_CLASSES, DEVICE_CLASS_UNITS
from homeassistant.const import MAX_LENGTH_STATE_STATE, STATE_UNAVAILABLE, STATE_UNKNOWN, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.template import TemplateStateFromEntityId
import voluptuous as vol

from ..binary_sensor import RestBinarySensor
from ..elements import Elements
from ..polling.coordinator import NEVER, RestCoordinator
from ..polling.hosts import Hosts
from ..polling.request import ConfiguredRequest
from ..reply.proposals import CONF_PLATFORM
from ..reply.reply import Reply
from ..schema import ENTITY_SCHEMAS
from ..sensor import RestSensor
from ..settings import SETTINGS, SensorSettings, ValueSettings
from ..sources import Source

SHOWN: Final = 20
"""Maximum number of entities shown for one `for_each`."""
_PLATFORMS: Final = (Platform.SENSOR, Platform.BINARY_SENSOR)


@dataclass(kw_only=True)
class Outcome:
    """The result of one row: states and number of its entities, and problems."""

    is_valid: bool = True
    """Whether Home Assistant would accept the row."""
    states: list[dict[str, str | None]] = field(default_factory=list)
    count: int = 0
    problems: list[str] = field(default_factory=list)


class _Tried:
    """Mixin that collects problems for the page instead of logging them."""

    problems: list[str]

    def _report(self, _subject: str, *problems: str) -> None:
        if isinstance(self, Entity) and not self.entity_id:
            return  # the first name is rendered before the entity has an id
        self.problems += [problem for problem in problems if problem not in self.problems]


class _TriedSensor(_Tried, RestSensor):
    @override
    def __init__(self, source: Source[Any]) -> None:
        self.problems = []
        super().__init__(source)
        self.problems += [f"{key} ignored: {reason}" for key, reason in self._ignored.items()]

    @override
    def _report_length(self, length: int) -> None:
        self._report(
            "state",
            f"the state would be {length} characters long, {MAX_LENGTH_STATE_STATE} are allowed",
        )


class _TriedBinarySensor(_Tried, RestBinarySensor):
    @override
    def __init__(self, source: Source[Any]) -> None:
        self.problems = []
        super().__init__(source)


class _TriedElements(_Tried, Elements):
    problems: list[str]


_TRIED: Mapping[Platform, type[_TriedSensor | _TriedBinarySensor]] = {
    Platform.SENSOR: _TriedSensor,
    Platform.BINARY_SENSOR: _TriedBinarySensor,
}


class Tries:
    """Computes the states of entities for one reply."""

    def __init__(self, hass: HomeAssistant, request: ConfiguredRequest, reply: Reply) -> None:
        self._hass = hass
        self._reply = reply
        self._coordinator = RestCoordinator(hass, request, NEVER, Hosts(), None)
        self._coordinator.data = reply

    async def outcome_of(self, row: Mapping[str, Any]) -> Outcome:
        """Return the result for an entity with these keys, including `platform`."""
        keys = dict(row)
        try:
            platform = Platform(keys.pop(CONF_PLATFORM, None))
            schema = ENTITY_SCHEMAS[platform if platform in _PLATFORMS else None]  # type: ignore[index]
        except ValueError, KeyError:
            return Outcome(is_valid=False, problems=["the platform is sensor or binary_sensor"])
        try:
            settings = SETTINGS[platform].from_config(schema(keys))
        except vol.Invalid as err:
            mistakes: list[vol.Invalid] = getattr(err, "errors", [err])
            return Outcome(is_valid=False, problems=[*map(_sentence, mistakes)])
        if problem := _contradiction(settings):
            return Outcome(is_valid=False, problems=[problem])
        return await self._outcome(platform, Source(self._coordinator, settings))  # type: ignore[arg-type]

    async def _outcome(self, platform: Platform, source: Source[ValueSettings]) -> Outcome:
        settings = source.settings
        if settings.selector:
            await self._coordinator.async_parse(self._reply, [settings.selector])
        make = _TRIED[platform]
        problems: list[str] = []
        entities: list[_TriedSensor | _TriedBinarySensor] = []

        def add(new_entities: Iterable[Entity], update_before_add: bool = False) -> None:  # noqa: ARG001  (as Home Assistant calls it)
            entities.extend(entity for entity in new_entities if isinstance(entity, make))

        if settings.for_each:
            elements = _TriedElements(
                self._hass,
                platform,
                source,
                settings.for_each,
                make=make,
                async_add_entities=add,
            )
            elements.problems = problems
            elements.start()
            await elements.async_remove()
        else:
            entities.append(make(source))
        outcome = Outcome(count=len(entities), problems=problems)
        for entity in entities[:SHOWN]:
            outcome.states.append(self._state(entity, f"{platform}.tried"))
            outcome.problems += [
                problem for problem in entity.problems if problem not in outcome.problems
            ]
        return outcome

    def _state(
        self, entity: _TriedSensor | _TriedBinarySensor, entity_id: str
    ) -> dict[str, str | None]:
        """Return name, state and unit of an entity as Home Assistant would show them."""
        entity.hass = self._hass
        entity.entity_id = entity_id
        entity.show_once(self._reply, TemplateStateFromEntityId(self._hass, entity_id))
        state = entity.state if entity.available else STATE_UNAVAILABLE
        return {
            "name": str(entity.name),
            "state": STATE_UNKNOWN if state is None else str(state),
            "unit": entity.unit_of_measurement,
        }


def _sentence(mistake: vol.Invalid) -> str:
    where = ".".join(map(str, mistake.path))
    return f"{mistake.msg} ({where})" if where else str(mistake.msg)


def _contradiction(settings: object) -> str | None:
    """Return the error that Home Assistant would raise with each state, if any."""
    if not isinstance(settings, SensorSettings) or settings.device_class is None:
        return None
    device_class = SensorDeviceClass(settings.device_class)
    units = DEVICE_CLASS_UNITS.get(device_class)
    if units is not None and settings.unit_of_measurement not in units:
        allowed = ", ".join(sorted(str(unit) for unit in units if unit is not None))
        return f"{device_class} is measured in {allowed or 'no unit'}"
    classes = DEVICE_CLASS_STATE_CLASSES.get(device_class)
    if settings.state_class and classes is not None:
        if SensorStateClass(settings.state_class) in classes:
            return None
        allowed = ", ".join(sorted(classes))
        return f"the state class of {device_class} is {allowed or 'left out'}"
    return None
