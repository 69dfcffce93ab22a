"""Configuration of homebridge-broadlink-rm: JSON whose accessories have packets, mostly in hex.

`{"accessories": [{"name": …, "data": {"on": "2600…", "off": [{"data": "2600…"}, …]}}]}`; nested
commands are named after all their levels. A list is a sequence (all of `switch-multi` is one), or,
if each item has a name (the inputs of a television), several commands. `sendCount` repeats a packet
(`switch-repeat`; `onSendCount` and `offSendCount` for on and off) after `interval` seconds; radio
packets are repeated by the hub itself, without pauses. A packet may be in any form of `parse_text`.
A `pause` of a part, in seconds, follows its packet; without one, half a second is inserted between
packets. All other keys are settings.
"""

from collections.abc import Mapping, Sequence
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
_LONGEST_PAUSE_S: Final = 1.9
"""Maximum pause within a packet; the format limits each duration."""
_LONGEST_S: Final = 10.0
"""Maximum pause between copies; a longer one does not belong to a command."""


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
            _walk(name, data, path, count_by_name, collector)


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
    counts: Mapping[str, object],
    collector: Collector,
) -> None:
    if len(path) > MAX_LEVELS:
        raise RefusedError("too_deep")
    collector.count(0 if isinstance(value, Mapping) else len(str(value)))
    match value:
        case Mapping() if not path or not isinstance(value.get("data"), str | list):
            for name, inner in pairs(value):
                _walk(device, inner, (*path, str(name)), counts, collector)
        case [*parts] if names := _names(parts):
            for name, part in zip(names, parts, strict=True):
                _walk(device, part, (*path, name), counts, collector)
        case str() | list() | Mapping() if value:
            count = counts.get(path[0]) if len(path) == 1 else None
            collector.add(device, " ".join(path), partial(_packets, value, count))


def _names(parts: Sequence[object]) -> list[str]:
    """Return the names of the parts if all have one, else nothing."""
    names = [part.get("name") for part in parts if isinstance(part, Mapping)]
    return [*map(str, names)] if len(names) == len(parts) and all(names) else []


def _packets(value: object, count: object) -> Packets:
    packets: list[bytes] = []
    gaps_us: list[int] = []
    """The pause after each packet."""
    for part in _parts(value):
        settings = part if isinstance(part, Mapping) else {"data": part}
        pause_us = _pause_us(settings[_PAUSE]) if _PAUSE in settings else None
        if pause_us is not None and "data" not in settings:
            gaps_us[-1:] = [pause_us] * bool(gaps_us)
            continue
        if not (text := settings.get("data")) or not isinstance(text, str):
            raise RefusedError("no_packet")  # the others would be another sequence
        copies = copies_of("sendCount", settings.get("sendCount") or count or None)
        wait_us = _interval_us(settings.get("interval"))
        part_packets = [repeated(packet, copies, gap_us=wait_us) for packet in parse_packets(text)]
        packets += part_packets
        gaps_us += [_GAP_US if pause_us is None else pause_us] * len(part_packets)
    return packets if len(packets) < 2 else [join(packets, gap_us=gaps_us)]  # noqa: PLR2004


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


def _interval_us(interval: object) -> int:
    """Return the pause between copies; half a second if it is missing or invalid."""
    try:
        seconds = float(str(interval))
    except ValueError:
        return _GAP_US
    return round(seconds * 1_000_000) if 0 < seconds <= _LONGEST_S else _GAP_US


def _parts(value: object) -> Sequence[object]:
    """Return the parts of a sequence, or the value itself as its only part."""
    match value:
        case {"data": [*parts]}:
            return parts
        case [*parts]:
            return parts
        case _:
            return [value]
