"""A thermostat of an air conditioner whose protocol is known, proved by a second press."""

from collections.abc import Iterable, Sequence
from typing import Final, override

from ..devices.device import Device, Taught
from ..devices.kinds import Kind
from ..errors import UserError, list_names
from ..hub.learning import Captured
from ..ircodes import BitRule
from ..ircodes.known import KnownAirConditioners, KnownReading, narrow
from .draft import Draft, Maker, WayPage
from .from_remote import ASKED
from .listening import OnePressPage
from .page import Page, Shown
from .words import Words, words

_MAKERS: Final = 4
"""How many makers are named."""
_READINGS: Final = 3
"""How many protocols are named."""


class HearKnown(OnePressPage, WayPage):
    """Listens to a press of another state, which decides on the protocol."""

    steps = ("known_state",)

    def __init__(self, before: Maker | WayPage, readings: Sequence[KnownReading]) -> None:
        super().__init__(before, "press_another")
        self._before = before
        self._readings = readings
        self._rule: BitRule | None = None
        self._shown = ""

    @override
    async def take(self, captured: Sequence[Captured]) -> bool:
        """Note what two presses agree on. Raise UserError if that is nothing."""
        of_language, in_executor = await words(self.hass), self.hass.async_add_executor_job
        others = await in_executor(identified, captured[0].packet)
        confirmed = sorted(narrow(self._readings, others), key=_is_other_unit)
        before = list_names(shown(self._readings, of_language), separator="; ")
        if not confirmed:
            meanings = shown(others, of_language) or [of_language.meaning(None)]
            raise UserError(
                "not_confirmed", heard=list_names(meanings, separator="; "), before=before
            )
        if all(other.state in {reading.state for reading in self._readings} for other in others):
            raise UserError("same_state", heard=before)
        self._rule = await in_executor(confirmed[0].rule)
        [self._shown] = shown(confirmed[:1], of_language)
        return False

    @override
    async def next_page(self) -> Page:
        if self._rule is None or self.problem is not None:
            not_confirmed = NotConfirmed(self._before, self._readings)
            not_confirmed.problem = self.problem
            return not_confirmed
        data = await self.hass.async_add_executor_job(self._rule.as_data)
        device = Device(
            id=self.new_id(),
            name=self.maker.free((await words(self.hass)).kind(Kind.AIR_CONDITIONER)),
            kind=Kind.AIR_CONDITIONER,
            rule=Taught(data=data),
            capabilities=self._rule.capabilities.listed,
        )
        return await self.maker.take(Draft(device=device, rule=self._rule, last_press=self._shown))


class NotConfirmed(WayPage):
    """Says why the presses prove no known protocol."""

    steps = ("known_heard",)

    def __init__(self, before: Maker | WayPage, readings: Sequence[KnownReading]) -> None:
        super().__init__(before)
        self._before = before
        self._readings = readings

    @override
    async def show(self) -> Shown:
        options = ["known_state", "teach", "which_file", "how"]
        return self.menu("known_heard", options, problem=await self.problem_text())

    @override
    async def choose(self, chosen: str) -> Page:
        if chosen == "known_state":
            return HearKnown(self._before, self._readings)
        return await super().choose(chosen)


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
