"""Descriptions of changes, and of undoing them, as translatable sentences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..errors import Text, list_names
from .device import Device
from .journal import Change
from .parts import FUNCTIONS, GONE, PACKETS, WHOLE, Part
from .stored import Label

_ARROW = " \N{RIGHTWARDS ARROW} "
_UNKNOWN = "\N{EN DASH}"


_UNDO: Final = {
    "change_added": "undo_removes",
    "change_gone": "undo_restores",
    "change_gone_alone": "undo_restores",
    "change_commands_came": "undo_removes",
    "change_commands_gone": "undo_restores",
    "change_replaced": "undo_replaces",
    "change_commands_renamed": "undo_renames",
    "change_moved": "undo_moves",
    "change_renamed": "undo_renames",
    "change_kind": "undo_sets",
    "change_functions": "undo_sets",
    "change_rule": "undo_replaces",
    "change_settings": "undo_sets",
}
"""Translation key of a change → translation key of undoing it."""


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """Description of a change, and of undoing it."""

    change: Text
    undo: Text


def sentences(
    changes: Sequence[Change], devices: Mapping[str, Device], label: Label
) -> list[Sentence]:
    """Return sentences about the changes of one write.

    `devices` are the current ones; `label` returns their names in the interface.
    """
    described = [
        _DescribedChange(change, devices.get(change.device.id), label) for change in changes
    ]
    removed = {id_ for change in described for id_ in change.removed}
    moved = {id_: change.name for change in described for id_ in change.added if id_ in removed}
    return [
        Sentence(change=text, undo=Text(_UNDO[text.key]))
        for change in described
        for text in change.texts(moved)
    ]


class _DescribedChange:
    """A change of one device, and the current version of the device."""

    def __init__(self, change: Change, now: Device | None, label: Label) -> None:
        self._change = change
        self._now = now
        self.name = label(now) if now is not None else change.label or change.device.name
        """Name of the device in the interface."""
        before, after = change.device.by_id, {} if now is None else now.by_id
        self._names = before | after
        self.removed, self.added = [*self._commands(gone=True)], [*self._commands(gone=False)]
        """Ids of the commands that were removed from the device, and added to it."""

    def _commands(self, *, gone: bool) -> Iterator[str]:
        for part, left in self._change.after.items():
            if (left == GONE) is gone:
                match part:
                    case ():
                        whole = self._change.device if gone else self._now
                        yield from () if whole is None else whole.commands
                    case ("commands", id_):
                        yield id_
                    case _:
                        pass

    def texts(self, moved: Mapping[str, str]) -> Iterator[Text]:
        """Yield descriptions; `moved` has the id of each moved command → name of its new device."""
        added = [id_ for id_ in self.added if id_ not in moved]
        removed = [id_ for id_ in self.removed if id_ not in moved]
        for other in sorted({moved[id_] for id_ in self.removed if id_ in moved}):
            ids = [id_ for id_ in self.removed if moved.get(id_) == other]
            yield Text("change_moved", device=self.name, commands=self._list(ids), other=other)
        if WHOLE in self._change.after:
            yield from self._whole(added, removed)
            return
        for key, ids in (
            ("change_commands_gone", removed),
            ("change_commands_came", added),
            ("change_replaced", self._changed_in(PACKETS)),
        ):
            if ids:
                yield Text(key, device=self.name, commands=self._list(ids))
        yield from self._renamed()
        yield from self._device_changes()

    def _whole(self, added: Sequence[str], removed: Sequence[str]) -> Iterator[Text]:
        if self._change.added and (added or not self.added):
            yield Text("change_added", device=self.name)
        elif not self._change.added and (removed or not self.removed):
            key = "change_gone" if removed else "change_gone_alone"
            yield Text(key, device=self.name, count=len(removed))

    def _renamed(self) -> Iterator[Text]:
        before = self._change.device
        if ids := self._changed_in("name"):
            names = [
                f"{before.commands[id_].name}{_ARROW}{self._names.get(id_, _UNKNOWN)}"
                for id_ in ids
            ]
            yield Text("change_commands_renamed", device=self.name, commands=list_names(names))
        if ("name",) in self._change.after:
            yield Text("change_renamed", device=before.name, name=self.name)

    def _device_changes(self) -> Iterator[Text]:
        """Yield descriptions of changes of the device itself."""
        others = {part[0] for part in self._change.after if not _is_about_names(part)}
        if self.added or self.removed:
            others.discard(FUNCTIONS)  # they come and go with their commands
        if "kind" in others:
            yield Text("change_kind", device=self.name)
        elif others == {FUNCTIONS}:
            yield Text("change_functions", device=self.name)
        elif "rule" in others:
            yield Text("change_rule", device=self.name)
        elif others:
            yield Text("change_settings", device=self.name)

    def _changed_in(self, field: str) -> list[str]:
        """Return the ids of the commands of which a field has changed."""
        return [part[1] for part in self._change.after if part[2:] == (field,)]

    def _list(self, ids: Sequence[str]) -> str:
        return list_names(self._names.get(id_, _UNKNOWN) for id_ in ids)


def _is_about_names(part: Part) -> bool:
    """Return whether another sentence covers a part: additions, deletions, renames, packets."""
    match part:
        case () | ("name",) | ("commands", _):
            return True
        case ("commands", _, field):
            return field in ("name", PACKETS)
        case _:
            return False
