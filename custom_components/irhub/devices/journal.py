"""What was changed, and how it was before: each change of a device can be undone.

A write of the file is a change of each device that is different after it. A change keeps the
device as it was, with no other commands than those that differ, and which parts of it differ,
each with a fingerprint of what the write left there. By that it is known whether something else
has changed the part since.

```
{"id": …, "when": "2026-11-26T18:00:00+00:00", "write": 12, "label": …, "action": "import",
 "device": {…}, "added": "id of a device that was not there", "after": [["settings", "delay",
 "fingerprint"], ["commands", id, ""]]}
```
0.4.1 reads those that took something away, under `deleted`, and leaves alone the others, under
`journal`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final, Self

from .device import Device, new_id
from .fields import Data
from .layout import device_data, merged, read_device
from .parts import (
    COMMANDS,
    GONE,
    PACKETS,
    WHOLE,
    Part,
    commands_in,
    different,
    fingerprint,
    part_of,
    read_part,
)

KEPT_WRITES: Final = 1_000
"""For so many writes what was deleted can be brought back. A clock may be wrong by years."""
KEPT_CHANGES: Final = 200
"""How many writes that removed nothing can be undone."""
KEPT_BYTES: Final = 1024 * 1024
"""Of the file, for what can be undone; the last write is always kept, however large."""
MOST_REPLACED: Final = 10
"""How many replaced sets of commands of a device are kept: an automation may import hourly."""

_KEYS: Final = {"id", "when", "device", "added", "replaced", "label", "write", "action", "after"}
_BASE_SIZE: Final = 100
"""Bytes that something takes in a file besides its name and its packets."""
_PART_SIZE: Final = 60


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a write did to a device."""

    id: str
    when: datetime
    """For who reads it. A clock may be wrong: nothing is forgotten by it."""
    write: int = 0
    """The number of the write, of which other devices may have changes, too."""
    device: Device
    """As it was, with the commands that the change is about; one that was not there has a name."""
    added: bool = False
    """Whether the device was not there."""
    after: Mapping[Part, str] = field(default_factory=dict)
    """The parts that differ → the fingerprints of what the write left; 0.4.1 says none."""
    takes: bool = False
    """Whether something is gone, or commands have other packets: it can be restored."""
    replaced: bool = False
    """Of what takes: whether the commands are still there, with other packets."""
    label: str = ""
    """What the device was called in the interface; empty if its name is all that is known."""
    action: str = ""
    """What was done, if the parts do not say it: "import", "restore", "undo"."""
    beyond: Mapping[str, Any] = field(default_factory=dict)
    """What the file says besides, which this version does not understand."""

    @property
    def lost(self) -> Device:
        """Return the device with the commands that are gone, or have other packets."""
        if not self.after or WHOLE in self.after:
            return self.device
        return self.device.only(
            part[1]
            for part, left in self.after.items()
            if part[0] == COMMANDS and (left == GONE or part[2:] == (PACKETS,))
        )

    @property
    def only_takes(self) -> bool:
        """Return whether nothing came, and nothing is otherwise."""
        return self.takes and all(left == GONE for left in self.after.values())

    def without(self, ids: Collection[str]) -> Change | None:
        """Return what is left of the change when these commands are back; None for nothing."""
        if not self.lost.commands.keys() - ids:
            return None
        after = {
            part: left
            for part, left in self.after.items()
            if part[:1] != (COMMANDS,) or part[1] not in ids
        }
        device = self.device.only(self.device.commands.keys() - ids)
        return replace(self, device=device, after=after)

    @cached_property
    def size(self) -> int:
        """Return about how many bytes it takes in the file."""
        return (
            _BASE_SIZE
            + _PART_SIZE * len(self.after)
            + sum(
                _BASE_SIZE + len(command.name) + sum(map(len, command.packets)) * 4 // 3
                for command in self.device.commands.values()
            )
        )

    def as_data(self) -> Data:
        """Return what `from_data` reads."""
        data: Data = {"id": self.id, "when": self.when.isoformat(), "label": self.label}
        data["write"] = self.write
        if self.added:
            data["added"] = self.device.id
        else:
            data["device"] = device_data(self.device)
        if self.takes:
            data["replaced"] = self.replaced
        if self.action:
            data["action"] = self.action
        if self.after:
            data["after"] = [[*part, left] for part, left in self.after.items()]
        return merged(data, self.beyond)

    @classmethod
    def from_data(cls, data: Mapping[str, Any], write: int, *, takes: bool) -> Self:
        """Return what was stored; `write` is when, if that is not said. Raise ValueError."""
        try:
            label = str(data.get("label", ""))
            beyond = {key: value for key, value in data.items() if key not in _KEYS}
            try:
                after = {read_part(part): str(left) for *part, left in data.get("after", ())}
            except ValueError:
                if not takes:
                    raise
                # A newer version's; what it took can be restored all the same.
                after, beyond["after"] = {}, data["after"]
            if added := not takes and "added" in data:
                device = Device(id=str(data["added"]), name=label)
            else:
                device = read_device(data["device"])
            return cls(
                id=str(data["id"]),
                when=datetime.fromisoformat(data["when"]).astimezone(UTC),
                write=int(data.get("write", write)),
                device=device,
                added=added,
                after=after,
                takes=takes,
                replaced=bool(data.get("replaced")),
                label=label,
                action=str(data.get("action", "")),
                beyond=beyond,
            )
        except (AttributeError, KeyError, OverflowError, TypeError) as err:
            raise ValueError(f"not a change: {err!r}") from err


def changes(
    before: Mapping[str, Device],
    after: Mapping[str, Device],
    *,
    mac: str,
    write: int,
    label: Callable[[Device], str],
    action: str = "",
) -> list[Change]:
    """Return what a write changes, device by device. `label` says what one is called."""
    when = datetime.now(UTC)
    there = {id_ for device in after.values() for id_ in device.commands}
    made: list[Change] = []
    for id_ in {**before, **after}:
        was, now = before.get(id_), after.get(id_)
        if was is now or not (parts := [*different(was, now)]):
            continue
        called = label(after[id_] if was is None else was)
        takes, replaced = (False, False) if was is None else _taken(was, now, there)
        made.append(
            Change(
                id=new_id(mac),
                when=when,
                write=write,
                device=Device(id=id_, name=called)
                if was is None
                else was.only(commands_in(was, parts)),
                added=was is None,
                after={part: fingerprint(part_of(now, part)) for part in parts},
                takes=takes,
                replaced=replaced,
                label="" if was is not None and called == was.name else called,
                action=action,
            )
        )
    return made


def kept(journal: Mapping[str, Change], writes: int) -> dict[str, Change]:
    """Return the changes that are not too long ago, and for which there is room.

    What has gone from the devices is kept longest.
    """
    oldest, oldest_other = writes - KEPT_WRITES, writes - KEPT_CHANGES
    recent = {
        id_: change
        for id_, change in journal.items()
        if change.write > (oldest if change.takes else oldest_other)
    }
    left = KEPT_BYTES
    for id_, change in sorted(
        recent.items(),
        key=lambda item: (item[1].takes and not item[1].replaced, item[1].write),
        reverse=True,
    ):
        left -= change.size
        if left < 0 and change.write < writes:
            del recent[id_]
    return recent


def without_old_packets(
    journal: Mapping[str, Change], devices: Mapping[str, Device], changed: Iterable[Change]
) -> dict[str, Change]:
    """Return a journal in which packets that were replaced again and again stand a few times."""
    recent = {**journal}
    for device_id in {change.device.id for change in changed if change.replaced}:
        left = MOST_REPLACED * len(devices[device_id].commands)
        for id_, change in reversed([*recent.items()]):
            if change.replaced and change.device.id == device_id:
                left -= len(change.lost.commands)
                if left < 0:
                    del recent[id_]
    return recent


def _taken(was: Device, now: Device | None, there: Collection[str]) -> tuple[bool, bool]:
    """Return whether something of a device is gone or has other packets, and if that is all.

    Commands may have moved to another device: `there` are the ids of all commands.
    """
    if now is None:
        return not was.commands or not was.commands.keys() <= {*there}, False
    is_gone = not was.commands.keys() <= {*now.commands, *there}
    is_replaced = any(
        id_ in now.commands and now.commands[id_].packets != command.packets
        for id_, command in was.commands.items()
    )
    return is_gone or is_replaced, is_replaced and not is_gone
