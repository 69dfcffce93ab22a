"""A thermostat of an air conditioner whose protocol is known, proved by a second press."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, override

from ..devices.device import Device, Taught
from ..devices.kinds import Kind
from ..errors import UserError, list_names
from ..hub.learning import Captured
from ..ircodes.known import KnownAirConditioners, KnownReading, narrow
from .draft import Draft, WayPage
from .from_remote import ASKED
from .listening import OnePressPage
from .page import Menu, Page
from .words import Words, words

_MAKERS: Final = 4
"""How many makers are named."""
_READINGS: Final = 3
"""How many protocols are named."""


@dataclass(repr=False)
class HearKnown(OnePressPage, WayPage):
    """Listens to a press of another state, which decides on the protocol."""

    step = "known_state"
    to_press = "press_another"
    readings: Sequence[KnownReading]

    @override
    async def follow(self, captured: Sequence[Captured]) -> Page:
        """Return the air conditioner of what two presses agree on. Raise UserError if nothing."""
        of_language, in_executor = await words(self.hass), self.hass.async_add_executor_job
        others = await in_executor(identified, captured[0].packet)
        confirmed = sorted(narrow(self.readings, others), key=_is_other_unit)
        before = list_names(shown(self.readings, of_language), separator="; ")
        if not confirmed:
            meanings = shown(others, of_language) or [of_language.meaning(None)]
            raise UserError(
                "not_confirmed", heard=list_names(meanings, separator="; "), before=before
            )
        if all(other.state in {reading.state for reading in self.readings} for other in others):
            raise UserError("same_state", heard=before)
        rule = await in_executor(confirmed[0].rule)
        [last_press] = shown(confirmed[:1], of_language)
        device = Device(
            id=self.new_id(),
            name=self.maker.free(of_language.kind(Kind.AIR_CONDITIONER)),
            kind=Kind.AIR_CONDITIONER,
            rule=Taught(data=await in_executor(rule.as_data)),
            capabilities=rule.capabilities.listed,
        )
        return await self.maker.take(Draft(device=device, rule=rule, last_press=last_press))

    @override
    async def not_heard(self) -> Page:
        return Menu(
            self.before,
            "known_heard",
            ["known_state", "teach", "which_file", "how"],
            own={"known_state": self._once_more},
            problem=self.problem,
        )

    async def _once_more(self) -> Page:
        return HearKnown(self.before, self.readings)


def identified(press: bytes) -> list[KnownReading]:
    """Return what a press says by known protocols. Takes some ms, the first time some more."""
    return KnownAirConditioners.shipped().identify(press)


def shown(readings: Iterable[KnownReading], of_language: Words) -> list[str]:
    """Return what a press says: "COOLIX (Midea, Beko, …): Cool, 24 °C, fan mode: low"."""
    return [_shown(reading, of_language) for reading in [*readings][:_READINGS]]


def _shown(reading: KnownReading, of_language: Words) -> str:
    makers = [*reading.makers[:_MAKERS], *(["…"] if len(reading.makers) > _MAKERS else [])]
    of_makers = f" ({', '.join(makers)})" if makers else ""
    state = of_language.set_to(reading.state, reading.row.unit)
    return f"{reading.protocol}{of_makers}: {state}"


def _is_other_unit(reading: KnownReading) -> bool:
    """Return whether a press says what nobody was asked for: 24 °C of one is 76 °F of another."""
    asked = {degrees for pair in ASKED for degrees in pair}
    return getattr(reading.state, "temperature", None) not in asked
