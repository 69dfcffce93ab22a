"""The last presses that a hub received, with the commands they are recognised as."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from homeassistant.core import HomeAssistant

from ..devices.device import Device, Taught
from ..hub.receiver import Remembered
from ..ircodes import BitRule, Off, Recognizer, State
from ..ircodes.known import KnownAirConditioners, KnownReading
from .use import Use


@dataclass(frozen=True, kw_only=True)
class RecognizedPress:
    """A press, and what it may be."""

    press: Remembered
    commands: Sequence[tuple[str, str]]
    """(Device, command) names."""
    states: Sequence[tuple[str, State | Off]]
    """Names of taught air conditioners, and the state that the press sets."""
    known: KnownReading | None
    """Its reading by a known protocol of air conditioners."""


async def async_recent_presses(hass: HomeAssistant, use: Use) -> list[RecognizedPress]:
    """Return the last presses that a hub received, newest first."""
    return await hass.async_add_executor_job(
        _recognized, [*reversed(use.hub.reception.remembered())], [*use.devices.by_label.items()]
    )


def _recognized(
    presses: Iterable[Remembered], devices: Collection[tuple[str, Device]]
) -> list[RecognizedPress]:
    recognizer = Recognizer(
        ((label, command.name), packet)
        for label, device in devices
        for command in device.commands.values()
        for packet in command.packets
    )
    rules = [*_taught_rules(devices)]
    return [
        RecognizedPress(
            press=press,
            commands=recognizer.recognize(press.packet),
            states=[*_states(press.packet, rules)],
            known=next(iter(KnownAirConditioners.shipped().identify(press.packet)), None),
        )
        for press in presses
    ]


def _taught_rules(devices: Iterable[tuple[str, Device]]) -> Iterator[tuple[str, BitRule]]:
    """Yield the labels and rules of taught devices; a repair issue reports unusable rules."""
    for label, device in devices:
        if isinstance(device.rule, Taught):
            with suppress(ValueError):
                yield label, device.rule.rule


def _states(
    packet: bytes, rules: Iterable[tuple[str, BitRule]]
) -> Iterator[tuple[str, State | Off]]:
    """Yield the devices whose rule decodes a packet, and its state."""
    for label, rule in rules:
        if (state := rule.decode(packet)) is not None:
            yield label, state
