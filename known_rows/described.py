"""Published protocols: all states as the encoders of IRremoteESP8266 send them.

Their packets (by pyhvac) are read like those of a file. Neither this code nor the table contains
any of their code: bits, values, checks and limits are facts.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Final

from pyhvac import irhvac

from custom_components.irhub.ircodes import State, from_timings

from .tables import Table, message_of, of_packets

_MODES: Final = {
    "auto": irhvac.opmode_t_kAuto,
    "cool": irhvac.opmode_t_kCool,
    "dry": irhvac.opmode_t_kDry,
    "fan_only": irhvac.opmode_t_kFan,
    "heat": irhvac.opmode_t_kHeat,
}
_FANS: Final = {
    "auto": irhvac.fanspeed_t_kAuto,
    "low": irhvac.fanspeed_t_kLow,
    "medium": irhvac.fanspeed_t_kMedium,
    "high": irhvac.fanspeed_t_kHigh,
    "min": irhvac.fanspeed_t_kMin,
    "max": irhvac.fanspeed_t_kMax,
    "medium_high": irhvac.fanspeed_t_kMediumHigh,
}
_OFF: Final = (irhvac.swingv_t_kOff, irhvac.swingh_t_kOff)
_SWINGS: Final = {
    "off": _OFF,
    "vertical": (irhvac.swingv_t_kAuto, irhvac.swingh_t_kOff),
    "horizontal": (irhvac.swingv_t_kOff, irhvac.swingh_t_kAuto),
    "both": (irhvac.swingv_t_kAuto, irhvac.swingh_t_kAuto),
    "highest": (irhvac.swingv_t_kHighest, irhvac.swingh_t_kOff),
    "high": (irhvac.swingv_t_kHigh, irhvac.swingh_t_kOff),
    "upper_middle": (irhvac.swingv_t_kUpperMiddle, irhvac.swingh_t_kOff),
    "middle": (irhvac.swingv_t_kMiddle, irhvac.swingh_t_kOff),
    "low": (irhvac.swingv_t_kLow, irhvac.swingh_t_kOff),
    "lowest": (irhvac.swingv_t_kLowest, irhvac.swingh_t_kOff),
}
_FLAGS: Final = ("quiet", "turbo", "econo", "light", "filter", "clean", "beep", "iFeel")
_OPTIONS: Final[tuple[tuple[str, object], ...]] = (
    *((flag, True) for flag in _FLAGS),
    ("sleep", 1),
    ("clock", 767),
    ("swingh", irhvac.swingh_t_kLeftMax),
    ("swingh", irhvac.swingh_t_kLeft),
    ("swingh", irhvac.swingh_t_kMiddle),
    ("swingh", irhvac.swingh_t_kRight),
    ("swingh", irhvac.swingh_t_kRightMax),
    ("swingh", irhvac.swingh_t_kWide),
)
"""Functions that are not part of a state; the bits that they flip are determined."""
_ROOM: Final = 20.0
"""Measured temperature for encoders that otherwise send the set temperature as measured."""
_ROOMS: Final = (5.0, 17.0, 22.0, 27.0, 36.0)
_MODELS: Final = (-1, 1, 2, 3, 4, 5, 6)
_ARBITRARY: Final = {"FUJITSU_AC"}
"""Protocols whose encoder sends uninitialized memory if no model is set."""
_ARBITRARY_BITS: Final = {"HITACHI_AC296": (207, 215)}
"""Protocol → an uninitialized bit, and the bit that is its complement."""
_TEMPERATURES: Final = tuple(float(degrees) for degrees in range(16, 33))
_HALVES: Final = tuple(degrees / 2 for degrees in range(32, 65))
_SOME: Final = (20.0, 25.0)
_USUAL: Final = 24.0
_LEAST: Final = 0.2
"""Minimum share of states with the same layout: some functions have separate packets."""
_GAP_US: Final = 20_000
"""The encoders append a gap to the space at the end of a message."""


def described() -> Iterator[Table]:
    """Yield a table for each protocol, and for each of its models with different packets."""
    protocols = {
        protocol: name
        for name in sorted(vars(irhvac), reverse=True)
        if name.isupper()
        and isinstance(protocol := getattr(irhvac, name), int)
        and irhvac.IRac.isProtocolSupported(protocol)
    }
    for protocol, name in sorted(protocols.items()):
        seen: set[tuple[bytes, ...]] = set()
        for model in _MODELS[name in _ARBITRARY :]:
            probe = tuple(
                _packet(protocol, model, mode=mode, fan="low", degrees=degrees)
                for mode, degrees in product(_MODES, (22.0, 26.0))
            )
            if not any(probe) or probe in seen:
                continue
            seen.add(probe)
            table = _table(protocol, name, model)
            if table is not None:
                yield table


def _named_as_on_remotes(packets: Mapping[State, bytes]) -> Mapping[State, bytes]:
    """Return packets whose fan speeds have the names that remote controls show.

    Some encoders of three speeds call them min, low and high, and accept medium for low. Remote
    controls, code files and Home Assistant's library call them low, medium and high.
    """

    def are_the_same(fan: str) -> bool:
        return all(
            packets.get(replace(state, fan=fan), packet) == packet
            for state, packet in packets.items()
            if state.fan == "low"
        )

    if not are_the_same("medium") or are_the_same("min"):
        return packets
    names = {"min": "low", "low": "medium"}
    return {
        replace(state, fan=names.get(str(state.fan), state.fan)): packet
        for state, packet in packets.items()
        if state.fan != "medium"
    }


def _table(protocol: int, name: str, model: int) -> Table | None:
    packets: dict[State, bytes] = {}
    for mode, fan, swing in product(_MODES, _FANS, _SWINGS):
        temperatures: tuple[float, ...] = _SOME
        if swing == "off":
            temperatures = _HALVES if fan in {"auto", "low"} else _TEMPERATURES
        for degrees in temperatures:
            packet = _packet(protocol, model, mode=mode, fan=fan, swing=swing, degrees=degrees)
            if packet:
                packets[State(mode=mode, fan=fan, swing=swing, temperature=degrees)] = packet
    table = of_packets(
        _named_as_on_remotes(packets),
        _packet(protocol, model, power=False) or None,
        source=f"IRremoteESP8266 {name}" + (f" model {model}" if model > 0 else ""),
        makers=(),
        protocol=name,
        least=_LEAST,
    )
    if table is None:
        return None
    if name in _ARBITRARY_BITS:
        cleared, complement = _ARBITRARY_BITS[name]
        both = 1 << cleared | 1 << complement
        table.states = {
            state: message & ~both | 1 << complement for state, message in table.states.items()
        }
        table.off = None if table.off is None else table.off & ~both | 1 << complement
    options: list[dict[str, object]] = [{option: value} for option, value in _OPTIONS]
    options += [{"sensorTemperature": room, "iFeel": on} for room in _ROOMS for on in (True, False)]
    for mode, option in product(("cool", "heat"), options):
        plain = message_of(_packet(protocol, model, mode=mode))
        other = message_of(_packet(protocol, model, mode=mode, options=option))
        if plain and other and plain[0] == other[0] == table.layout:
            table.optional |= plain[1] ^ other[1]
            table.beside += (other[1],)
    return table


def packet_of(protocol: int, model: int, state: State, options: Mapping[str, object]) -> bytes:
    """Return the packet of a state. Raise KeyError for a level that the encoders do not have."""
    return _packet(
        protocol,
        model,
        mode=state.mode,
        fan=state.fan or "auto",
        swing=state.swing or "off",
        degrees=state.temperature or _USUAL,
        options=options,
    )


def _packet(
    protocol: int,
    model: int,
    *,
    power: bool = True,
    mode: str = "cool",
    fan: str = "auto",
    swing: str = "off",
    degrees: float = _USUAL,
    options: Mapping[str, object] | None = None,
) -> bytes:
    settings = irhvac.state_t()
    irhvac.IRac.initState(settings)
    settings.protocol, settings.model, settings.power = protocol, model, power
    settings.mode, settings.celsius, settings.degrees = _MODES[mode], True, degrees
    settings.fanspeed = _FANS[fan]
    settings.swingv, settings.swingh = _SWINGS[swing]
    for flag in _FLAGS:
        setattr(settings, flag, False)
    settings.sleep, settings.clock = -1, -1
    if _takes_set_for_measured(protocol, model):
        settings.sensorTemperature = _ROOM
    for option, value in (options or {}).items():
        setattr(settings, option, value)
    return _sent(settings)


@cache
def _takes_set_for_measured(protocol: int, model: int) -> bool:
    """Return whether packets contain the set temperature as measured one if there is none."""

    def packet(degrees: float, measured: float | None) -> bytes:
        settings = irhvac.state_t()
        irhvac.IRac.initState(settings)
        settings.protocol, settings.model, settings.power = protocol, model, True
        settings.mode, settings.celsius, settings.degrees = irhvac.opmode_t_kCool, True, degrees
        settings.sleep, settings.clock = -1, -1
        if measured is not None:
            settings.sensorTemperature = measured
        return _sent(settings)

    first, second = _SOME
    return packet(first, second) != packet(first, first) and all(
        packet(degrees, None) == packet(degrees, degrees) for degrees in _SOME
    )


def _sent(settings: irhvac.state_t) -> bytes:
    sender = irhvac.IRac(4)
    sender.resetTiming()
    # an equal previous state avoids separate packets for changes
    sender.sendAc(settings, settings)
    timings = alternating(sender.getTiming())
    return from_timings(timings) if timings else b""


def alternating(durations_us: Iterable[int]) -> list[int]:
    """Return marks and spaces alternating, spaces negative."""
    timings: list[int] = []
    for duration in durations_us:
        if duration >= _GAP_US and timings and timings[-1] < 0:
            timings[-1] -= duration
        elif duration:
            timings.append(-duration if len(timings) % 2 else duration)
    return timings
