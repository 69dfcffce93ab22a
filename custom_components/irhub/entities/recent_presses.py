"""The last presses that a hub received, with the commands they are recognised as."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from homeassistant.core import HomeAssistant

from ..devices.device import Device
from ..hub.receiver import Remembered
from ..ircodes import Recognizer
from ..ircodes.known import KnownAirConditioners
from .use import Use


@dataclass(frozen=True, kw_only=True)
class RecognizedPress:
    """A press, and the commands that it may be: (device, command) names."""

    press: Remembered
    commands: Sequence[tuple[str, str]]
    known: str
    """Its state by a known protocol of air conditioners, as text; empty if there is none."""


async def async_recent_presses(hass: HomeAssistant, use: Use) -> list[RecognizedPress]:
    """Return the last presses that a hub received, newest first."""
    return await hass.async_add_executor_job(
        _recognized, [*reversed(use.hub.reception.remembered())], [*use.devices.by_label.items()]
    )


def _recognized(
    presses: Iterable[Remembered], devices: Iterable[tuple[str, Device]]
) -> list[RecognizedPress]:
    recognizer = Recognizer(
        ((label, command.name), packet)
        for label, device in devices
        for command in device.commands.values()
        for packet in command.packets
    )
    return [
        RecognizedPress(
            press=press,
            commands=recognizer.recognize(press.packet),
            known=_known_text(press.packet),
        )
        for press in presses
    ]


def _known_text(packet: bytes) -> str:
    readings = KnownAirConditioners.shipped().identify(packet)
    return readings[0].text if readings else ""
