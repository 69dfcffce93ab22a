"""Configuration of homebridge-broadlink-rm: JSON whose accessories have packets, mostly in hex.

`{"accessories": [{"name": …, "data": {"on": "2600…", "off": [{"data": "2600…"}, …]}}]}`; nested
commands are named after all their levels. A list is a sequence (all of `switch-multi` is one), or,
if each item has a name (the inputs of a television), several commands. `sendCount` repeats a packet
(`switch-repeat`; `onSendCount` and `offSendCount` for on and off) after `interval` seconds, 0.1 by
default; radio packets are repeated by the hub itself, without pauses. A packet may be in any form
of `parse_text`. A `pause` of a part, in seconds, follows its packet; without one, half a second is
inserted between packets. `switch-multi` and `switch-repeat` have an `interval` of their own for
both, 1 s by default. All other keys are settings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from ..packet.packet import join, short
from ..reasons import RefusedError
from .codes import copies_of, parse_packets, repeated
from .imported import Collector, Packets
from .notation import pairs

NAME: Final = "homebridge-broadlink-rm"
SUFFIXES: Final = (".json",)
MAX_LEVELS: Final = 10
_ONLY: Final = "on"
"""Name of an accessory's only command, which turning it on sends."""
_PAUSE: Final = "pause"
"""Key of a pause in a sequence."""
_GAP_US: Final = 500_000
_COPIES_US: Final = 100_000
"""Pause between copies."""
_SWITCH_US: Final = 1_000_000
"""Pause between all packets of a switch that sends several."""
_SWITCHES: Final = ("switch-multi", "switch-repeat")
"""Beginnings of their types."""
_LONGEST_PAUSE_S: Final = 1.9
"""Maximum pause within a packet; the format limits each duration."""
_LONGEST_S: Final = 10.0
"""Maximum pause between copies; a longer one does not belong to a command."""


@dataclass(frozen=True)
class _Repetition:
    """How an accessory sends packets several times."""

    counts: Mapping[str, object]
    """Command → number of copies."""
    wait_us: int | None
    """Pause between packets of a switch that sends several; None for other accessories."""


def fits(content: Mapping[object, object]) -> bool:
    """Return whether JSON is a configuration of Homebridge."""
    return isinstance(_accessories(content), list)


def read(content: Mapping[object, object], device: str | None, collector: Collector) -> None:
    """Add the packets of all accessories."""
    accessories = _accessories(content)
    for accessory in accessories if isinstance(accessories, list) else []:
        if isinstance(accessory, Mapping):
            name, data = device or accessory.get("name"), accessory.get("data")
            count = accessory.get("sendCount")
            count_by_name = {
                "on": accessory.get("onSendCount") or count,
                "off": accessory.get("offSendCount") or count,
            }
            path = () if isinstance(data, Mapping) else (_ONLY,)
            wait_us = (
                _interval_us(accessory.get("interval"), _SWITCH_US)
                if str(accessory.get("type")).startswith(_SWITCHES)
                else None
            )
            _walk(name, data, path, _Repetition(count_by_name, wait_us), collector)


def _accessories(content: Mapping[object, object]) -> object:
    """Return the accessories in the configuration of the platform or of all of Homebridge."""
    match content:
        case {"accessories": list(accessories)} if any(
            isinstance(accessory, Mapping) and "data" in accessory for accessory in accessories
        ):
            return accessories
        case {"platforms": [*platforms]}:
            return [
                accessory
                for platform in platforms
                if isinstance(platform, Mapping)
                if isinstance(inner := platform.get("accessories"), list)
                for accessory in inner
            ]
        case _:
            return None


def _walk(
    device: object,
    value: object,
    path: tuple[str, ...],
    repetition: _Repetition,
    collector: Collector,
) -> None:
    if len(path) > MAX_LEVELS:
        raise RefusedError("too_deep")
    collector.count(0 if isinstance(value, Mapping) else len(str(value)))
    match value:
        case Mapping() if not path or not isinstance(value.get("data"), str | list):
            for name, inner in pairs(value):
                _walk(device, inner, (*path, str(name)), repetition, collector)
        case [*parts] if names := _names(parts):
            for name, part in zip(names, parts, strict=True):
                _walk(device, part, (*path, name), repetition, collector)
        case str() | list() | Mapping() if value:
            count = repetition.counts.get(path[0]) if len(path) == 1 else None
            read_packets = partial(_packets, value, count, repetition.wait_us)
            collector.add(device, " ".join(path), read_packets)


def _names(parts: Sequence[object]) -> list[str]:
    """Return the names of the parts if all have one, else nothing."""
    names = [part.get("name") for part in parts if isinstance(part, Mapping)]
    return [*map(str, names)] if len(names) == len(parts) and all(names) else []


def _packets(value: object, count: object, wait_us: int | None) -> Packets:
    packets: list[bytes] = []
    pauses: list[object] = []
    """The pause after each packet, None for the default."""
    for part in _parts(value):
        settings = part if isinstance(part, Mapping) else {"data": part}
        pause = settings.get(_PAUSE)
        if _PAUSE in settings and "data" not in settings:
            pauses[-1:] = [pause] * bool(pauses)
            continue
        if not (text := settings.get("data")) or not isinstance(text, str):
            raise RefusedError("no_packet")  # the others would be another sequence
        copies = copies_of("sendCount", settings.get("sendCount") or count or None)
        gap_us = _interval_us(settings.get("interval"), wait_us or _COPIES_US)
        part_packets = [repeated(packet, copies, gap_us=gap_us) for packet in parse_packets(text)]
        packets += part_packets
        pauses += [pause] * len(part_packets)
    if len(packets) < 2:  # noqa: PLR2004
        return packets
    pauses[-1] = None  # nothing waits for the end
    default_us = wait_us or _GAP_US
    gaps_us = [default_us if pause is None else _pause_us(pause) for pause in pauses]
    return [join(packets, gap_us=gaps_us)]


def _pause_us(pause: object) -> int:
    """Return the pause after a part. Raise RefusedError if a packet cannot contain it."""
    try:
        seconds = float(str(pause))
    except ValueError as err:
        raise RefusedError("no_number", text=short(str(pause))) from err
    if not 0 <= seconds <= _LONGEST_PAUSE_S:
        raise RefusedError(
            "parameter", parameter=_PAUSE, value=pause, lowest=0, highest=_LONGEST_PAUSE_S
        )
    return max(1, round(seconds * 1_000_000))  # 0 would join two marks


def _interval_us(interval: object, default_us: int) -> int:
    """Return a pause between copies; the default if it is missing or invalid."""
    try:
        seconds = float(str(interval))
    except ValueError:
        return default_us
    return round(seconds * 1_000_000) if 0 < seconds <= _LONGEST_S else default_us


def _parts(value: object) -> Sequence[object]:
    """Return the parts of a sequence, or the value itself as its only part."""
    match value:
        case {"data": [*parts]}:
            return parts
        case [*parts]:
            return parts
        case _:
            return [value]
