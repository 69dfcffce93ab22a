"""Add an air conditioner whose protocol is known: a second press proves it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, override

import voluptuous as vol

from ..devices.device import Device, Taught
from ..devices.kinds import Kind
from ..errors import UserError, list_names
from ..hub.learning import Captured
from ..ircodes import State
from ..ircodes.known import (
    KnownAirConditioners,
    KnownReading,
    RequestedState,
    fahrenheit,
    is_open,
    narrow,
    shown_differently,
)
from .draft import Draft, SourcePage
from .form import select
from .from_remote import MODE, REQUESTED_DEGREES
from .listening import OnePressPage
from .page import Answers, MenuPage, Page, Shown
from .words import Words, async_words

CONF_DISPLAYED: Final = "displayed"
FIRST: Final = RequestedState(mode=MODE, degrees=dict(zip("CF", REQUESTED_DEGREES[0], strict=True)))
"""The state to set with the first press."""

_MAKERS: Final = 4
"""Maximum number of makers shown."""
_READINGS: Final = 3
"""Maximum number of protocols shown."""


@dataclass(repr=False)
class SecondPressPage(OnePressPage, SourcePage):
    """Listens for a press of another state, which selects the protocol."""

    step = "known_state"
    to_press = "press_another"
    readings: Sequence[KnownReading]

    @override
    async def next_page(self, captured: Sequence[Captured]) -> Page:
        """Return the page of the air conditioner. Raise UserError if the two presses disagree."""
        words, in_executor = await async_words(self.hass), self.hass.async_add_executor_job
        second_readings = await in_executor(identify, captured[0].packet)
        first_text = list_names(describe_readings(self.readings, words), separator="; ")
        if any(
            second.row is reading.row and second.state == reading.state
            for reading in self.readings
            for second in second_readings
        ):
            raise UserError("same_state", heard=first_text)
        if not (confirmed := narrow(self.readings, second_readings)):
            meanings = describe_readings(second_readings, words) or [words.meaning(None)]
            raise UserError(
                "not_confirmed", heard=list_names(meanings, separator="; "), before=first_text
            )
        if is_open(confirmed, self.readings, FIRST):
            return AskDisplayPage(self, shown_differently(confirmed))
        return await self.make(confirmed[0])

    async def make(self, reading: KnownReading) -> Page:
        """Return the page of an air conditioner with a reading that both presses confirm."""
        words, in_executor = await async_words(self.hass), self.hass.async_add_executor_job
        rule = await in_executor(reading.rule)
        [last_press] = describe_readings([reading], words)
        device = Device(
            id=self.new_id(),
            name=self.creator.unused_name(words.kind(Kind.AIR_CONDITIONER)),
            kind=Kind.AIR_CONDITIONER,
            rule=Taught(data=await in_executor(rule.as_data)),
            capabilities=rule.capabilities.listed,
        )
        return await self.creator.accept(Draft(device=device, rule=rule, last_press=last_press))

    def not_proved(self) -> Page:
        """Return the page that explains why the presses prove nothing, with the next options."""
        return MenuPage(
            self.before,
            "known_heard",
            ["known_state", "teach", "which_file", "how"],
            handlers={"known_state": self._listen_again},
            problem=self.problem,
        )

    @override
    async def on_failure(self) -> Page:
        return self.not_proved()

    async def _listen_again(self) -> Page:
        return SecondPressPage(self.before, self.readings)


@dataclass(repr=False)
class AskDisplayPage(SourcePage):
    """Asks what the display showed at the first press, when several protocols fit both presses."""

    before: SecondPressPage
    confirmed: Sequence[KnownReading]

    @override
    async def show(self) -> Shown:
        words = await async_words(self.hass)
        texts = [_display_text(self._first_reading(reading), words) for reading in self.confirmed]
        numbers = map(str, range(len(texts)))
        field = select(numbers, as_list=True, label_of=lambda number: texts[int(number)])
        return await self.form("known_display", {vol.Optional(CONF_DISPLAYED): field})

    @override
    async def submit(self, answers: Answers) -> Page:
        if (number := answers.get(CONF_DISPLAYED)) is not None:
            return await self.before.make(self.confirmed[int(number)])
        words = await async_words(self.hass)
        texts = [_display_text(self._first_reading(reading), words) for reading in self.confirmed]
        self.before.problem = UserError("other_display", heard=list_names(texts, separator="; "))
        return self.before.not_proved()

    def _first_reading(self, reading: KnownReading) -> KnownReading:
        """Return the reading of the first press, which has the requested temperature."""
        return next(first for first in self.before.readings if first.row is reading.row)


def identify_first(press: bytes) -> list[KnownReading]:
    """Return the readings of the first press that are the requested state: cool, 24 °C or 75 °F."""
    return FIRST.matching(identify(press))


def identify(press: bytes) -> list[KnownReading]:
    """Return the readings of a press by known protocols. Takes some ms, more at the first call."""
    return KnownAirConditioners.shipped().identify(press)


def describe_readings(readings: Iterable[KnownReading], words: Words) -> list[str]:
    """Return readings as texts: "COOLIX (Midea, Beko, …): Cool, 24 °C, fan mode: low"."""
    return [_describe(reading, words) for reading in [*readings][:_READINGS]]


def _describe(reading: KnownReading, words: Words) -> str:
    makers = [*reading.makers[:_MAKERS], *(["…"] if len(reading.makers) > _MAKERS else [])]
    makers_text = f" ({', '.join(makers)})" if makers else ""
    state = words.set_to(reading.state, reading.row.unit)
    return f"{reading.protocol}{makers_text}: {state}"


def _display_text(reading: KnownReading, words: Words) -> str:
    """Return a reading as the display shows it: "Cool, 17 °C = 62, 63 °F, fan mode: low"."""
    text = words.set_to(reading.state, reading.row.unit)
    celsius = reading.state.temperature if isinstance(reading.state, State) else None
    if celsius is None or reading.row.unit != "C" or reading.unexplained:
        return text
    degrees = list_names(map(str, fahrenheit(celsius)))
    return text.replace(" °C", f" °C = {degrees} °F", 1)
