"""Remote controls of air conditioners with the encoders of `pyhvac`, independent of ours.

Its encoders are those of IRremoteESP8266. Unlike a file, such a remote control can send all of its
states at any time, with a running clock and a measured room temperature. It has only values that
make a difference: a fan speed that is sent like another one is left out.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from pyhvac import irhvac

from custom_components.irhub.ircodes import Capabilities, Levels, Off, State, from_timings

_MODES: Final = {
    "cool": irhvac.opmode_t_kCool,
    "heat": irhvac.opmode_t_kHeat,
    "dry": irhvac.opmode_t_kDry,
    "fan_only": irhvac.opmode_t_kFan,
    "auto": irhvac.opmode_t_kAuto,
}
_FANS: Final = {
    "auto": irhvac.fanspeed_t_kAuto,
    "low": irhvac.fanspeed_t_kLow,
    "medium": irhvac.fanspeed_t_kMedium,
    "high": irhvac.fanspeed_t_kHigh,
    "lowest": irhvac.fanspeed_t_kMin,
    "highest": irhvac.fanspeed_t_kMax,
}
_SWINGS: Final = {
    "off": irhvac.swingv_t_kOff,
    "on": irhvac.swingv_t_kAuto,
    "highest": irhvac.swingv_t_kHighest,
    "middle": irhvac.swingv_t_kMiddle,
    "lowest": irhvac.swingv_t_kLowest,
}
_PRESETS: Final = {"none": "", "turbo": "turbo", "eco": "econo", "quiet": "quiet"}
_FROM_MIDDLE: Final = sorted(map(float, range(16, 31)), key=lambda degrees: abs(degrees - 23))
"""Temperatures, those in the middle first: of several with the same packet, the first is kept. An
encoder sends a temperature beyond its range as the lowest or highest one."""
_DEGREES: Final = 24.0
_USUAL: Final = State(mode="cool", preset="none", fan="auto", swing="off", temperature=_DEGREES)
_NOON: Final = 12 * 60
_ROOM: Final = 21
_FEWEST: Final = 20
"""Minimum number of states: the encoders of some protocols support fewer."""
_GAP_US: Final = 20_000
"""The encoders append a gap to the space at the end of a message."""


@dataclass(frozen=True)
class VirtualRemote:
    """The remote control of one protocol."""

    name: str
    """Of the protocol in IRremoteESP8266."""

    def packet(
        self, state: State | Off, *, minutes: int = 0, room: int = _ROOM, feels: bool = False
    ) -> bytes:
        """Return the packet of a state, `minutes` after noon, at a room temperature in °C.

        `feels` means that the remote control reports the room temperature ("I feel").
        """
        shown = _USUAL if isinstance(state, Off) else state
        settings = irhvac.state_t()
        settings.protocol = getattr(irhvac, self.name)
        settings.model = -1
        settings.power = not isinstance(state, Off)
        settings.celsius = True
        settings.mode = _MODES[shown.mode]
        settings.degrees = shown.temperature or _DEGREES
        settings.fanspeed = _FANS[shown.fan or "auto"]
        settings.swingv = _SWINGS[shown.swing or "off"]
        settings.swingh = irhvac.swingh_t_kOff
        for name in ("quiet", "turbo", "econo", "light", "filter", "clean", "beep", "iFeel"):
            setattr(settings, name, name == _PRESETS[shown.preset or "none"])
        setattr(settings, "iFeel", feels)  # noqa: B010  (the library's types lack it)
        settings.sleep = -1
        settings.clock = (_NOON + minutes) % (24 * 60)
        settings.sensorTemperature = float(room)
        sender = irhvac.IRac(4)
        sender.resetTiming()
        # An equal previous state avoids separate packets for changes.
        sender.sendAc(settings, settings)
        timings = _alternating(sender.getTiming())
        return from_timings(timings) if timings else b""

    @cached_property
    def capabilities(self) -> Capabilities:
        """Return its modes, each with the values that are sent differently."""
        modes: dict[str, Levels] = {}
        sent: set[bytes] = set()
        for mode in _MODES:
            base = replace(_USUAL, mode=mode)
            if (packet := self.packet(base)) in sent:
                continue
            sent.add(packet)
            modes[mode] = Levels(
                presets=self._different("preset", _PRESETS, base),
                fans=self._different("fan", _FANS, base),
                swings=self._different("swing", _SWINGS, base),
                temperatures=tuple(sorted(self._different("temperature", _FROM_MIDDLE, base))),
            )
        return Capabilities(modes=modes)

    @cached_property
    def codes(self) -> Mapping[State, bytes]:
        """Return a packet for each of its states, all at one moment."""
        return {
            state: self.packet(state)
            for mode in self.capabilities
            for state in self.capabilities.states(mode)
        }

    def _different[Value](
        self, attribute: str, values: Iterable[Value], base: State
    ) -> tuple[Value, ...]:
        """Return the values that are sent differently; empty if all are sent alike."""
        by_packet: dict[bytes, Value] = {}
        for value in values:
            changed: dict[str, Any] = {attribute: value}
            by_packet.setdefault(self.packet(replace(base, **changed)), value)
        return tuple(by_packet.values()) if len(by_packet) > 1 else ()


def virtual_remotes() -> Iterator[VirtualRemote]:
    """Yield a remote control for each protocol with enough states."""
    names = {
        protocol: name
        for name, protocol in sorted(vars(irhvac).items())
        if name.isupper() and isinstance(protocol, int) and hasattr(irhvac, f"SEND_{name}")
    }
    for protocol, name in names.items():
        remote = VirtualRemote(name=name)
        if irhvac.IRac.isProtocolSupported(protocol) and len(remote.codes) >= _FEWEST:
            yield remote


def _alternating(durations_us: Iterable[int]) -> list[int]:
    """Return marks and spaces alternating, spaces negative."""
    timings: list[int] = []
    for duration in durations_us:
        if duration >= _GAP_US and timings and timings[-1] < 0:
            timings[-1] -= duration
        else:
            timings.append(-duration if len(timings) % 2 else duration)
    return timings
