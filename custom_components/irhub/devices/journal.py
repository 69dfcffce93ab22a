"""Journal of changes, by which each change of a device can be undone.

A write of the file consists of one change for each device that it alters. A change contains the
previous device, reduced to the commands that differ, and the altered parts, each with a fingerprint
of its new value. The fingerprint shows whether a part was changed again since.

```
{"id": …, "when": "2026-11-26T18:00:00+00:00", "write": 12, "label": …, "action": "import",
 "device": {…}, "added": "id of a device that was not there", "after": [["settings", "delay",
 "fingerprint"], ["commands", id, ""]]}
```
Changes that deleted or replaced something are stored under `deleted`, which 0.4.1 reads; others
under `journal`, which it ignores.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final, Self

from .device import Device, new_id
from .fields import Data
from .json_format import device_data, merged, read_device
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
"""Number of writes for which deletions are kept. Not a time, since clocks may be wrong by years."""
KEPT_CHANGES: Final = 200
"""Number of writes for which other changes are kept."""
KEPT_BYTES: Final = 1024 * 1024
"""Maximum size of the journal in the file; the last write is always kept."""
MOST_REPLACED: Final = 10
"""Maximum number of replaced sets of commands per device: an automation may import hourly."""

_KEYS: Final = {"id", "when", "device", "added", "replaced", "label", "write", "action", "after"}
_BASE_SIZE: Final = 100
"""Estimated bytes of a change or command in the file, without name and packets."""
_PART_SIZE: Final = 60


@dataclass(frozen=True, kw_only=True)
class Change:
    """The effect of a write on one device."""

    id: str
    when: datetime
    """For display only, since the clock may be wrong."""
    write: int = 0
    """Number of the write; other changes may belong to the same write."""
    device: Device
    """The previous device, with the affected commands only; for a new device only id and name."""
    added: bool = False
    """Whether the device was added."""
    after: Mapping[Part, str] = field(default_factory=dict)
    """Altered part → fingerprint of its new value, GONE if it has none; empty in changes of
    0.4.1."""
    is_loss: bool = False
    """Whether something was deleted, or packets were replaced, so that it can be restored."""
    replaced: bool = False
    """If `is_loss`: whether packets were only replaced, and no command was deleted."""
    label: str = ""
    """Name of the device in the interface at that time; empty if it had none besides its own."""
    action: str = ""
    """Cause of the change, if the parts do not show it: "import", "restore", "undo"."""
    unknown_keys: Mapping[str, Any] = field(default_factory=dict)
    """Unknown keys of the file, kept for newer versions."""

    @property
    def lost(self) -> Device:
        """Return the previous device with the commands that were deleted or replaced."""
        if not self.after or WHOLE in self.after:
            return self.device
        return self.device.only(
            part[1]
            for part, new_value in self.after.items()
            if part[0] == COMMANDS and (new_value == GONE or part[2:] == (PACKETS,))
        )

    @property
    def is_only_deletion(self) -> bool:
        """Return whether the change consists of deletions only."""
        return self.is_loss and all(new_value == GONE for new_value in self.after.values())

    def without(self, ids: Collection[str]) -> Change | None:
        """Return the rest of the change after these commands were restored; None for nothing."""
        if not self.lost.commands.keys() - ids:
            return None
        after = {
            part: new_value
            for part, new_value in self.after.items()
            if part[:1] != (COMMANDS,) or part[1] not in ids
        }
        device = self.device.only(self.device.commands.keys() - ids)
        return replace(self, device=device, after=after)

    @cached_property
    def size(self) -> int:
        """Return the estimated size in the file, in bytes."""
        return (
            _BASE_SIZE
            + _PART_SIZE * len(self.after)
            + sum(
                _BASE_SIZE + len(command.name) + sum(map(len, command.packets)) * 4 // 3
                for command in self.device.commands.values()
            )
        )

    def as_data(self) -> Data:
        """Return the change as JSON data, for `from_data`."""
        data: Data = {"id": self.id, "when": self.when.isoformat(), "label": self.label}
        data["write"] = self.write
        if self.added:
            data["added"] = self.device.id
        else:
            data["device"] = device_data(self.device)
        if self.is_loss:
            data["replaced"] = self.replaced
        if self.action:
            data["action"] = self.action
        if self.after:
            data["after"] = [[*part, new_value] for part, new_value in self.after.items()]
        return merged(data, self.unknown_keys)

    @classmethod
    def from_data(cls, data: Mapping[str, Any], write: int, *, is_loss: bool) -> Self:
        """Return a change from JSON data; `write` is the default. Raise ValueError if invalid."""
        try:
            label = str(data.get("label", ""))
            unknown_keys = {key: value for key, value in data.items() if key not in _KEYS}
            try:
                after = {
                    read_part(part): str(new_value) for *part, new_value in data.get("after", ())
                }
            except ValueError:
                if not is_loss:
                    raise
                # Written by a newer version; deletions can be restored nevertheless.
                after, unknown_keys["after"] = {}, data["after"]
            if added := not is_loss and "added" in data:
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
                is_loss=is_loss,
                replaced=bool(data.get("replaced")),
                label=label,
                action=str(data.get("action", "")),
                unknown_keys=unknown_keys,
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
    """Return the changes of a write, one for each altered device."""
    when = datetime.now(UTC)
    present = {id_ for device in after.values() for id_ in device.commands}
    result: list[Change] = []
    for id_ in {**before, **after}:
        previous, current = before.get(id_), after.get(id_)
        if previous is current or not (parts := [*different(previous, current)]):
            continue
        shown = label(after[id_] if previous is None else previous)
        is_loss, replaced = (
            (False, False) if previous is None else _loss(previous, current, present)
        )
        result.append(
            Change(
                id=new_id(mac),
                when=when,
                write=write,
                device=Device(id=id_, name=shown)
                if previous is None
                else previous.only(commands_in(previous, parts)),
                added=previous is None,
                after={part: fingerprint(part_of(current, part)) for part in parts},
                is_loss=is_loss,
                replaced=replaced,
                label="" if previous is not None and shown == previous.name else shown,
                action=action,
            )
        )
    return result


def pruned(journal: Mapping[str, Change], writes: int) -> dict[str, Change]:
    """Return the changes that are recent enough and fit into KEPT_BYTES.

    Deletions are kept longest.
    """
    oldest, oldest_other = writes - KEPT_WRITES, writes - KEPT_CHANGES
    recent = {
        id_: change
        for id_, change in journal.items()
        if change.write > (oldest if change.is_loss else oldest_other)
    }
    free_bytes = KEPT_BYTES
    for id_, change in sorted(
        recent.items(),
        key=lambda item: (item[1].is_loss and not item[1].replaced, item[1].write),
        reverse=True,
    ):
        free_bytes -= change.size
        if free_bytes < 0 and change.write < writes:
            del recent[id_]
    return recent


def without_old_packets(
    journal: Mapping[str, Change], devices: Mapping[str, Device], changed: Iterable[Change]
) -> dict[str, Change]:
    """Return the journal with at most MOST_REPLACED replaced sets of commands per device."""
    recent = {**journal}
    for device_id in {change.device.id for change in changed if change.replaced}:
        free_commands = MOST_REPLACED * len(devices[device_id].commands)
        for id_, change in reversed([*recent.items()]):
            if change.replaced and change.device.id == device_id:
                free_commands -= len(change.lost.commands)
                if free_commands < 0:
                    del recent[id_]
    return recent


def _loss(previous: Device, current: Device | None, present: Collection[str]) -> tuple[bool, bool]:
    """Return `Change.is_loss` and `Change.replaced` for a device.

    `present` has the ids of all commands, since commands may have moved to another device.
    """
    if current is None:
        return not previous.commands or not previous.commands.keys() <= {*present}, False
    is_gone = not previous.commands.keys() <= {*current.commands, *present}
    is_replaced = any(
        id_ in current.commands and current.commands[id_].packets != command.packets
        for id_, command in previous.commands.items()
    )
    return is_gone or is_replaced, is_replaced and not is_gone
